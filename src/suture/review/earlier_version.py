"""A file as it was before some of its commits, one commit after the other, for a blame.

Lines are compared without their endings. A commit whose lines can't be found again ends the way back.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.patch import BOM
from ..core.problems import PatchRejectedError
from ..place.update import update
from ..words.patch_hunks import to_patch_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change, Receipt


class EarlierVersion:
    """A file as it was before some of its commits, and which of its lines are still there now."""

    def __init__(self, path: str, lines: list[str], numbers: list[int]) -> None:
        self.path = path
        self._lines = lines
        #: The index that each line has now; -1 if it is no longer there.
        self._numbers = numbers

    @property
    def is_explained(self) -> bool:
        """Whether no line of it is still there."""
        return not any(number >= 0 for number in self._numbers)

    def go_back(self, receipt: Receipt) -> list[int] | None:
        """Go back to before a commit; the indexes of the lines that it wrote, or None if that is unknown."""
        written: list[int] = []
        for change in reversed(receipt.changes):
            if change.content_name != self.path:
                continue
            earlier = [] if change.kind == "add" else _revert(self._lines, change)
            if earlier is None:
                return None
            written += self._replace_lines(earlier)
            if change.move_to:
                self.path = change.path
        return written

    def _replace_lines(self, earlier: list[str]) -> list[int]:
        """Put earlier lines in place of these; the indexes of the lines that are not among them."""
        written: list[int] = []
        numbers = [-1] * len(earlier)
        # Where the last block that differs has ended: between blocks, each line keeps its index.
        old_done = new_done = 0
        for old_start, old_end, new_start, new_end in changed_blocks(earlier, self._lines):
            numbers[old_done:old_start] = self._numbers[new_done:new_start]
            written += [number for number in self._numbers[new_start:new_end] if number >= 0]
            old_done, new_done = old_end, new_end
        numbers[old_done:] = self._numbers[new_done:]
        self._lines, self._numbers = earlier, numbers
        return written


def _revert(lines: list[str], change: Change) -> list[str] | None:
    """The lines of a file before a change: by the positions of its hunks, else like a patch; None if neither fits."""
    reverted = _revert_at_positions(lines, change.hunks)
    if reverted is not None:
        return reverted
    hunks = [to_patch_hunk(hunk.reverted).replace(line_hint=None) for hunk in change.hunks]
    try:
        text: str = update("\n".join(lines) + "\n", hunks, path=change.path, allow_control=True).text
    except PatchRejectedError:
        return None
    return text.removesuffix("\n").split("\n")


def _revert_at_positions(lines: list[str], hunks: Sequence[LineHunk]) -> list[str] | None:
    earlier: list[str] = []
    done = 0
    for hunk in hunks:
        new = [_compared(line) for line in hunk.new]
        end = hunk.new_start + len(new)
        if lines[hunk.new_start : end] != new:
            return None
        earlier += lines[done : hunk.new_start]
        earlier += [_compared(line) for line in hunk.old]
        done = end
    return earlier + lines[done:]


def _compared(line: str) -> str:
    """A line as a blame compares it: without its ending and a byte order mark."""
    return line.removesuffix("\n").removesuffix("\r").removeprefix(BOM)
