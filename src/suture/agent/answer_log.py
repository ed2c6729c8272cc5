"""The answers that were given in an approval folder, as values. `state/answer_lines.py` has the file."""

from __future__ import annotations

from contextlib import suppress
from time import time

from ..core.json_values import JsonValue
from .agent_limits import MOST_LOGGED_CHARACTERS, MOST_LOGGED_FILES
from .answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..state.backend import ClosedRequests
    from .requests import Request


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
    #: Why the model wanted it.
    reason: str = ""
    #: The hashes of these files when it was asked, by path: the commit that it led to began with the same.
    hashes: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash((self.id, self.time))

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

    def __init__(self, lines: ClosedRequests) -> None:
        self._lines = lines

    def records(self, limit: int = 100) -> list[AnswerRecord]:
        """The closed requests, newest first. Lines that can't be read are left out."""
        records: list[AnswerRecord] = []
        for line in self._lines.newest_first():
            if len(records) >= limit:
                break
            with suppress(ValueError):
                records.append(AnswerRecord.from_json(line.decode("utf-8")))
        return records


def answer_line(request: Request, answer: Answer | None) -> str:
    """What is kept of a closed request: one line."""
    if answer is None:
        answer = Answer("withdrawn", by_person=False)
    logged = answer.replace(
        message=answer.message[:MOST_LOGGED_CHARACTERS],
        comments=answer.comments[:MOST_LOGGED_FILES],
        # Of another text than the proposed one, the history of the workspace has what was written.
        edits=dict.fromkeys(answer.edits, ""),
    )
    about = (request.permission, request.tool, request.actor, request.session, request.workspace, request.subject)
    files = tuple([line[:MOST_LOGGED_CHARACTERS] for line in request.lines[:MOST_LOGGED_FILES]])
    hashes = {file.path: file.sha256_before for file in request.files[:MOST_LOGGED_FILES]}
    return AnswerRecord(request.id, request.time, time(), logged, *about, files, request.reason, hashes).to_json()
