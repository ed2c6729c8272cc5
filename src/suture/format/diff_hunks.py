"""The lines of a hunk in a unified diff as a `Hunk`.

A diff ends lines at LF only: a CR at the end of a line and a BOM before the first line of a file are not part of the
line.
"""

from __future__ import annotations

from ..core.patch import Hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def make_hunk(start: int | None, written: Iterable[str], anchors: tuple[str, ...] = (), line: int = 0) -> Hunk:
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
            lines[first] = lines[first][0] + lines[first][1:].removeprefix("\ufeff")
    ends = "both" if len(no_newline) > 1 or " " in no_newline else "".join(no_newline)
    ends = {"-": "old", "+": "new"}.get(ends, ends)
    return Hunk(tuple(_split_at_cr(lines)), anchors, no_newline=ends, line_hint=start, line=line)  # type: ignore[arg-type]


def _split_at_cr(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a hunk, split at CR and CRLF too."""
    for line in lines:
        if "\r" not in line:
            yield line
            continue
        for part in line[1:].removesuffix("\r").split("\r"):
            yield line[0] + part
