"""What a session has read of each file.

Reads are recorded by the hash of the content and by lines, so a touched file with the same content counts as unchanged,
and a read of some lines covers these lines. They are stored with the history and outlive the process. The latest
contents are kept in memory to show what has changed. What follows for an edit is decided in `read_checks`.
"""

from __future__ import annotations

from collections import OrderedDict
from time import time
from typing import TYPE_CHECKING, NamedTuple

from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from .agent_limits import MOST_READ_BYTES, MOST_READ_CONTENTS
from .applied_calls import AppliedCalls
from .line_ranges import from_text, gaps, join_ranges, to_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.outcome import Plan
    from ..workspace.workspace import Workspace
    from .line_ranges import Ranges

#: Behind the name of a session: what was last shown to it with line numbers. What it writes itself has none.
_NUMBERED = "\x1fnumbered"


class LastRead(NamedTuple):
    """What a session has read of one file: the fields of `FileRead` but its path."""

    sha256: str
    lines: Ranges
    time: float


class FileRead(Value):
    """What a session has read of a file: which content, by its SHA-256, and which lines of it.

    `lines` are ranges of line numbers, from 1 and inclusive; None is all of the file.
    """

    path: str
    sha256: str
    lines: tuple[tuple[int, int], ...] | None
    time: float


class Reads:
    """What one session has read. A host that shows files to the model itself tells it with `record`."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._records = workspace.records_of(session)
        self._numbered = workspace.records_of(session + _NUMBERED)
        self.applied = AppliedCalls(workspace, session)
        #: Guards the fields below: calls on other files run in other threads.
        self._lock = ForkLock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def get(self, path: str) -> FileRead | None:
        """What was read of a file; None if nothing was.

        Raises:
            PatchRejectedError: the path may not be touched.
        """
        return self._public(self._workspace.guard().resolve(path).path)

    def record(
        self, path: str, content: bytes | None = None, lines: Sequence[tuple[int, int]] | None = None
    ) -> FileRead:
        """Record that the model has seen a file: its current content, or the one given; all of it, or some lines.

        Raises:
            PatchRejectedError: the path may not be touched; or there is no such file, and no content was given.
            ValueError: a range of lines is not one.
        """
        if any(not 1 <= first <= last for first, last in lines or ()):
            message = f"expected ranges of line numbers from 1, each as (first, last); found {lines}"
            raise ValueError(message)
        resolved = self._workspace.guard().resolve(path)
        if content is None:
            content = self._workspace.read(path).content
        self.note(resolved.path, content, None if lines is None else tuple(lines))
        read = self._public(resolved.path)
        assert read is not None, "BUG: it was recorded just now"
        return read

    def _public(self, path: str) -> FileRead | None:
        """What was read of a file, by its absolute path, as hosts see it."""
        last = self.find(path)
        return None if last is None else FileRead(self._workspace.guard().shown(path), *last)

    def forget(self, path: str) -> None:
        """Forget that a file was read: the next edit needs a read.

        Raises:
            PatchRejectedError: the path may not be touched.
        """
        absolute = self._workspace.guard().resolve(path).path
        self._records.record_read(absolute, "", "", time())
        self._numbered.record_read(absolute, "", "", time())
        self.drop(absolute)

    # For the session, by absolute path.

    def find(self, path: str) -> LastRead | None:
        """What was read of a file."""
        record = self._records.last_read(path)
        if record is None or not record[0]:
            return None
        sha256, ranges, when = record
        return LastRead(sha256, from_text(ranges), when)

    def numbered(self, path: str) -> str:
        """The hash of the content whose lines were last shown with their numbers; empty if there is none."""
        last = self._numbered.last_read(path)
        return "" if last is None else last[0]

    def note(self, path: str, content: bytes, lines: Ranges = None, *, anew: bool = False) -> None:
        """Record that lines of a content were shown; those known before stay known. With `anew` they were written."""
        digest = fingerprint(content)
        last = None if anew or lines is None else self.find(path)
        if last is not None and last.sha256 == digest:
            lines = join_ranges(last.lines, lines)
        if lines is not None and not gaps(lines, count_lines(content, self._workspace.encoding_of(path))):
            lines = None
        now = time()
        kept = content if self._workspace.history else None
        self._records.record_read(path, digest, to_text(lines), now, kept)
        if not anew:
            self.applied.forget(path)
            self._numbered.record_read(path, digest, to_text(lines), now)
        with self._lock:
            self._drop(path)
            self._size += len(content)
            self._contents[path] = content
            while self._contents and (len(self._contents) > MOST_READ_CONTENTS or self._size > MOST_READ_BYTES):
                self._size -= len(self._contents.popitem(last=False)[1])

    def current(self, plan: Plan) -> dict[str, str]:
        """What is known of the files of a plan that were read as they are, by path: the hash, and which lines."""
        known: dict[str, str] = {}
        for file in plan.files:
            last = self.find(file.path) if file.before.kind == "file" else None
            if last is not None and last.sha256 == file.before.sha256:
                known[file.path] = f"{last.sha256} {to_text(last.lines)}".rstrip()
        return known

    def adopt(self, reads: Mapping[str, str]) -> None:
        """Take over what `current` of another session gave. What this one knows about a path stays."""
        for path, known in reads.items():
            if self.find(path) is None:
                digest, _, lines = known.partition(" ")
                self._records.record_read(path, digest, to_text(from_text(lines)), time())

    def content(self, path: str) -> bytes | None:
        """The content that was read last, if it is still kept."""
        content = self._contents.get(path)
        last = self.find(path) if content is None else None
        return content if last is None else self.base(path, last.sha256)

    def now(self, path: str) -> bytes | None:
        """The content that a file has; None if there is none that may be read."""
        try:
            return self._workspace.read(path).content
        except PatchRejectedError:
            return None

    def bases(self, path: str) -> list[tuple[LastRead, bytes]]:
        """The contents of a file that are kept, newest first, each with what was read of it."""
        return [
            (LastRead(sha256, from_text(ranges), when), content)
            for sha256, ranges, when, content in self._records.bases(path)
        ]

    def base(self, path: str, sha256: str) -> bytes | None:
        """A content of a file that is kept, by its hash."""
        content = self._contents.get(path)
        if content is not None and fingerprint(content) == sha256:
            return content
        return self._records.base(path, sha256)

    def drop(self, path: str) -> None:
        """Drop the content of a file, which was deleted."""
        with self._lock:
            self._drop(path)

    def _drop(self, path: str) -> None:
        self._size -= len(self._contents.pop(path, b""))


def count_lines(content: bytes, encoding: str | None) -> int:
    """How many lines a content has; 1 if it is binary."""
    try:
        return len(Text(content, encoding).lines)
    except PatchRejectedError:
        return 1
