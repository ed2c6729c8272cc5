"""Unified diffs as hunks: what `unified_diff` and git write, read back.

A hunk keeps its line number as a hint, and the text behind its second `@@` is not taken for an anchor: it is placed by
its lines, like any other. How a line ends is no part of it, as it is none of a hunk's: a CR at its end goes. Nor is the
BOM that a diff has before the first line of a file.
"""

from __future__ import annotations

from ..core.patch import Hunk
from ..format.markers import read_hunk_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def diff_hunks(diff: str) -> list[Hunk]:
    """The hunks of one file's unified diff. Lines are counted as far as the hunk's header says."""
    return [_hunk(start, lines[1:]) for start, _, lines in written_hunks(diff)]


def written_hunks(diff: str) -> list[tuple[int, int, list[str]]]:
    """The hunks of one file's unified diff as they are written.

    Of each the first line that it replaces and how many, as its header has them, and its lines, the header among them.
    """
    hunks: list[tuple[int, int, list[str]]] = []
    old = new = 0
    for line in diff.split("\n"):
        header = read_hunk_header(line) if old <= 0 and new <= 0 else None
        if header is not None and header.closed:
            old, new = header.old_count, header.new_count
            hunks.append((header.old_start, old, [line]))
        elif line[:1] == "\\" and hunks:
            hunks[-1][2].append(line)
        elif (old > 0 or new > 0) and (line[:1] in (" ", "+", "-") or not line):
            # An empty line of context may have lost its space.
            hunks[-1][2].append(line or " ")
            old -= line[:1] != "+"
            new -= line[:1] != "-"
    return hunks


def inverted(hunk: Hunk) -> Hunk:
    """The hunk that takes back what this one does."""
    swapped = {" ": " ", "-": "+", "+": "-"}
    side = {"old": "new", "new": "old"}.get(hunk.no_newline, hunk.no_newline)
    lines: list[str] = []
    run: list[str] = []
    for line in (*hunk.lines, " "):
        if line[0] != " ":
            run.append(swapped[line[0]] + line[1:])
            continue
        # What goes stands before what comes, as it does in every diff.
        lines += sorted(run, key=lambda changed: changed[0] == "+")
        lines.append(line)
        run = []
    return hunk.replace(lines=tuple(lines[:-1]), no_newline=side)


def _hunk(start: int, written: list[str]) -> Hunk:
    lines: list[str] = []
    no_newline = set[str]()
    for line in written:
        if line[0] != "\\":
            lines.append(line)
        elif lines and lines[-1][-1] != "\r":
            # A last line that ends in CR has an end for us, if not for a diff.
            no_newline.add(lines[-1][0])
    for side in (" -", " +") if start <= 1 else ():
        first = next((number for number, line in enumerate(lines) if line[0] in side), None)
        if first is not None:
            lines[first] = lines[first][0] + lines[first][1:].removeprefix("\ufeff")
    side = "both" if len(no_newline) > 1 or " " in no_newline else "".join(no_newline)
    side = {"-": "old", "+": "new"}.get(side, side)
    return Hunk(tuple(_without_endings(lines)), line_hint=start, no_newline=side)  # type: ignore[arg-type]


def _without_endings(lines: list[str]) -> Iterator[str]:
    """The lines of a hunk, where a diff knows only LF as an end and a text knows CR and CRLF too."""
    for line in lines:
        if "\r" not in line:
            yield line
            continue
        for part in line[1:].removesuffix("\r").split("\r"):
            yield line[0] + part
