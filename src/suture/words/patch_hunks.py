"""Between the hunks of a change, which know their lines in both texts, and those of a patch, which are searched for."""

from __future__ import annotations

from ..core.line_hunks import LineHunk
from ..format.diff_hunks import make_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Hunk


def to_patch_hunk(hunk: LineHunk) -> Hunk:
    """A hunk of a change as one of a patch: its line number becomes a hint."""
    start = hunk.old_start + 1 if hunk.old_count else hunk.old_start
    return make_hunk(start, hunk.written_lines)


def from_patch_hunk(hunk: Hunk, shift: int) -> LineHunk:
    """A hunk of a patch at its own line number; `shift` is how many lines the hunks before it have added."""
    lines = [f"{line}\n" for line in hunk.lines]
    if hunk.exact:
        lines = []
        for line in hunk.exact:
            if line[0] == "\\" and lines:
                lines[-1] = lines[-1].removesuffix("\n")
            else:
                lines.append(f"{line}\n")
    else:
        for side, signs in (("old", " -"), ("new", " +")):
            if hunk.no_newline in (side, "both"):
                last = max((number for number, line in enumerate(lines) if line[0] in signs), default=None)
                if last is not None:
                    lines[last] = lines[last].removesuffix("\n")
    has_old_lines = any(line[0] != "+" for line in lines)
    start = max(0, (hunk.line_hint or 1) - 1) if has_old_lines else hunk.line_hint or 0
    return LineHunk(start, start + shift, tuple(lines), hunk.heading)
