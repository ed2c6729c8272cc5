"""The answers that were given in an approval folder: a file of JSON lines that stays small.

The process that asked writes it, so that every answer is there once, whichever program gave it. Nothing depends on it:
what can't be written is left out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import time

from ..core.json_values import JsonValue
from ..state.private_files import read_private
from .answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from .requests import Request

#: The size in bytes from which a new file is begun. One older file is kept.
LARGEST = 1_000_000
#: How many files of a request are named, and how many characters of a message are kept.
MOST_FILES = 20
MOST_CHARACTERS = 4000
_NOW, _BEFORE = ".answers.jsonl", ".answers-before.jsonl"


class AnswerRecord(JsonValue):
    """A closed request: what it was about, and how it was answered, or "withdrawn"."""

    id: str
    #: When it was asked and closed, in seconds since 1970.
    asked: float
    time: float
    answer: Answer
    permission: str = ""
    tool: str = ""
    actor: str = ""
    session: str = ""
    workspace: str = ""
    subject: str = ""
    #: The files, each with what would be done to it; the first of them only.
    files: tuple[str, ...] = ()

    def __str__(self) -> str:
        message = f": {self.answer.message}" if self.answer.message else ""
        return f"{_WORDS.get(self.answer.kind, self.answer.kind)}{message}"


_WORDS = {
    "once": "approved",
    "always": "approved always",
    "some": "approved in part",
    "reject": "rejected",
    "unreachable": "closed without an answer",
}


class AnswerLog:
    """The closed requests of an approval folder."""

    def __init__(self, folder: Path) -> None:
        self._now = folder / _NOW
        self._before = folder / _BEFORE

    def append(self, request: Request, answer: Answer | None) -> None:
        """Add a closed request."""
        given = Answer("withdrawn", by_person=False) if answer is None else answer
        given = given.replace(message=given.message[:MOST_CHARACTERS])
        about = (request.permission, request.tool, request.actor, request.session, request.workspace, request.subject)
        files = tuple([line[:MOST_CHARACTERS] for line in request.lines[:MOST_FILES]])
        line = AnswerRecord(request.id, request.time, time(), given, *about, files).to_json() + "\n"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        with suppress(OSError):
            descriptor = os.open(self._now, flags, 0o600)
            try:
                # One call, so that lines of several processes don't mix.
                os.write(descriptor, line.encode("utf-8"))
                is_full = os.fstat(descriptor).st_size > LARGEST
            finally:
                os.close(descriptor)
            if is_full:
                self._now.rename(self._before)

    def records(self, limit: int = 100) -> list[AnswerRecord]:
        """The closed requests, newest first. Lines that can't be read are left out."""
        found: list[AnswerRecord] = []
        for path in (self._now, self._before):
            if len(found) >= limit:
                break
            with suppress(OSError):
                lines = read_private(str(path.parent), str(path), 2 * LARGEST).splitlines()
                for line in reversed(lines[-(limit - len(found)) :]):
                    with suppress(ValueError):
                        found.append(AnswerRecord.from_json(line.decode("utf-8")))
        return found
