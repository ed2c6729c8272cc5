"""Reading the hunks of a unified diff as `unified_diff` and git write it: every count in it is right.

A hunk keeps its line number as a line hint. The text after its second `@@` is not an anchor. What models write as
diffs is read by `format.diff_blocks`.
"""

from __future__ import annotations

from ..format.markers import read_hunk_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Hunk


def read_hunks(diff: str) -> list[Hunk]:
    """The hunks of a unified diff of one file."""
    from ..format.diff_hunks import make_hunk

    return [make_hunk(start, lines[1:]) for start, _, lines in hunk_texts(diff)]


def hunk_texts(diff: str) -> list[tuple[int, int, list[str]]]:
    """The text of each hunk in a unified diff of one file, as long as its header says.

    A hunk is the first line that it replaces, the number of lines that it replaces, and its lines with the header.
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
            # Editors and mailers remove the space of an empty context line.
            hunks[-1][2].append(line or " ")
            old -= line[:1] != "+"
            new -= line[:1] != "-"
    return hunks


def invert_hunk(hunk: Hunk) -> Hunk:
    """The hunk that reverts this one."""
    swapped = {" ": " ", "-": "+", "+": "-"}
    side = {"old": "new", "new": "old"}.get(hunk.no_newline, hunk.no_newline)
    lines: list[str] = []
    run: list[str] = []
    for line in (*hunk.lines, " "):
        if line[0] != " ":
            run.append(swapped[line[0]] + line[1:])
            continue
        # Removed lines come before added ones, as in every diff.
        lines += sorted(run, key=lambda changed: changed[0] == "+")
        lines.append(line)
        run = []
    return hunk.replace(lines=tuple(lines[:-1]), no_newline=side)
