"""Unified diffs as hunks: what `unified_diff` and git write, read back.

A hunk keeps its line number as a hint, and the text behind its second `@@` is not taken for an anchor: it is placed by
its lines, like any other. How a line ends is no part of it, as it is none of a hunk's: a CR at its end goes.
"""

from __future__ import annotations

from .patch import Hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def diff_hunks(diff: str) -> list[Hunk]:
    """The hunks of one file's unified diff. Lines are counted as far as the hunk's header says."""
    return list(_hunks(diff))


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


def _hunks(diff: str) -> Iterator[Hunk]:
    from re import match

    lines: list[str] = []
    no_newline = set[str]()
    old = new = 0
    hint = 0

    def made() -> Iterator[Hunk]:
        if lines:
            side = "both" if len(no_newline) > 1 or " " in no_newline else "".join(no_newline)
            side = {"-": "old", "+": "new"}.get(side, side)
            yield Hunk(tuple(_without_endings(lines)), hint=hint, no_newline=side)  # type: ignore[arg-type]

    for line in diff.split("\n"):
        header = match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", line) if old <= 0 and new <= 0 else None
        if header:
            yield from made()
            lines, no_newline = [], set()
            hint = int(header[1])
            old, new = (1 if count is None else int(count) for count in header.groups()[1:])
        elif line[:1] == "\\":
            # A last line that ends in CR has an end for us, if not for a diff.
            if lines and lines[-1][-1] != "\r":
                no_newline.add(lines[-1][0])
        elif (old > 0 or new > 0) and (line[:1] in (" ", "+", "-") or not line):
            lines.append(line or " ")
            old -= lines[-1][0] != "+"
            new -= lines[-1][0] != "-"
    yield from made()


def _without_endings(lines: list[str]) -> Iterator[str]:
    """The lines of a hunk, where a diff knows only LF as an end and a text knows CR and CRLF too."""
    for line in lines:
        if "\r" not in line:
            yield line
            continue
        for part in line[1:].removesuffix("\r").split("\r"):
            yield line[0] + part
