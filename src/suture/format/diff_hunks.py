"""The lines of a hunk in a unified diff as a `Hunk`.

A diff ends lines at LF only: a CR at the end of a line and a BOM before the first line of a file are not part of the
line. They are kept beside it, for a diff that changes them.
"""

from __future__ import annotations

from ..core.patch import BOM, Hunk
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class WrittenHunk(Value):
    """A hunk as it is written: what its header says, and its lines so far."""

    start: int | None
    #: Whether the header says that the file had no lines.
    is_empty: bool
    anchors: tuple[str, ...]
    heading: str
    lines: list[str]
    line: int


def make_hunks(written: Sequence[WrittenHunk], *, keep_endings: bool) -> tuple[Hunk, ...]:
    """The hunks of one file, with their exact lines where the line endings of the file are in them."""
    hunks = tuple([make_hunk(one.start, one.lines, one.anchors, one.line, one.heading) for one in written])
    has_endings = any("\r" in line or line[1:2] == BOM for one in written for line in one.lines)
    if not has_endings or not keep_endings:
        return hunks
    return tuple([hunk.replace(exact=tuple(one.lines)) for hunk, one in zip(hunks, written, strict=True)])


def make_hunk(
    start: int | None, written: Iterable[str], anchors: tuple[str, ...] = (), line: int = 0, heading: str = ""
) -> Hunk:
    """A hunk from its lines below `@@`, the `\\ No newline` lines among them; `start` is its first line in the file."""
    lines: list[str] = []
    no_newline = set[str]()
    for text in written:
        if text[0] != "\\":
            lines.append(text)
        elif lines and lines[-1][-1] != "\r":
            # CR ends a line for us, though not in a diff.
            no_newline.add(lines[-1][0])
    for side in (" -", " +") if start is not None and start <= 1 else ():
        first = next((number for number, text in enumerate(lines) if text[0] in side), None)
        if first is not None:
            lines[first] = lines[first][0] + lines[first][1:].removeprefix(BOM)
    ends = "both" if len(no_newline) > 1 or " " in no_newline else "".join(no_newline)
    ends = {"-": "old", "+": "new"}.get(ends, ends)
    return Hunk(tuple(_split_at_cr(lines)), anchors, no_newline=ends, line_hint=start, line=line, heading=heading)  # type: ignore[arg-type]


def _split_at_cr(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a hunk, split at CR and CRLF too."""
    for line in lines:
        if "\r" not in line:
            yield line
            continue
        for part in line[1:].removesuffix("\r").split("\r"):
            yield line[0] + part
