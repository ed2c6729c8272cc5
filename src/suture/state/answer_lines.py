"""The answers that were given in an approval directory: a file of JSON lines that stays small.

The process that asked writes it, so that every answer is there once, whichever program gave it. Nothing depends on it:
what can't be written is left out.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.system import NO_LINK, NO_WAIT, OWN
from .private_files import read_private
from .state_limits import LARGEST_ANSWER_LOG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NOW, _BEFORE = ".answers.jsonl", ".answers-before.jsonl"


class AnswerLines:
    """The lines about the closed requests of an approval directory."""

    def __init__(self, folder: Path) -> None:
        self._now = folder / _NOW
        self._before = folder / _BEFORE

    def append(self, line: str) -> None:
        """Add a line."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | OWN | NO_LINK | NO_WAIT
        with suppress(OSError):
            descriptor = os.open(self._now, flags, 0o600)
            try:
                # One call, so that lines of several processes don't mix.
                os.write(descriptor, f"{line}\n".encode())
                is_full = os.fstat(descriptor).st_size > LARGEST_ANSWER_LOG
            finally:
                os.close(descriptor)
            if is_full:
                self._now.replace(self._before)

    def newest_first(self) -> Iterator[bytes]:
        """The lines, newest first."""
        for path in (self._now, self._before):
            with suppress(OSError):
                yield from reversed(read_private(str(path.parent), str(path), 2 * LARGEST_ANSWER_LOG).splitlines())
