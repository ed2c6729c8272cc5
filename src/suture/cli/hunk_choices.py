"""The hunks of a file section in `suture apply -i`: which of them are accepted, and in which parts.

The parts of a split hunk that are not accepted stay in it as context. So it is still found at its own place and nowhere
else, however few of its lines are changed.
"""

from __future__ import annotations

from ..core.line_hunks import LineHunk
from ..core.split_hunks import split_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk


class HunkChoice:
    """A hunk, or a part of one, that the user is asked about. `is_accepted` is None as long as there is no answer."""

    def __init__(self, hunk: Hunk, part: int = 0, parts: Sequence[tuple[str, ...]] = ()) -> None:
        self.hunk = hunk
        #: Which part it is, from 0, and the lines of all of them; without parts, it is the hunk as a whole.
        self.part = part
        self.parts = tuple(parts)
        self.is_accepted: bool | None = None

    @property
    def name(self) -> str:
        """Which hunk it is, for a title."""
        number, count = self.hunk.position or (1, 1)
        part = f", part {self.part + 1} of {len(self.parts)}" if self.parts else ""
        return f"Hunk {number} of {count}{part}"

    def split(self) -> list[HunkChoice]:
        """Its parts: at unchanged lines, or if there are none, by lines; itself alone if it can't be split."""
        # At the end of a file without a newline, what is context in one part is not in another.
        if self.parts or self.hunk.no_newline:
            return [self]
        whole = LineHunk(0, 0, tuple([f"{line or ' '}\n" for line in self.hunk.lines]))
        smaller = split_hunk(whole)
        if len(smaller) == 1:
            smaller = split_hunk(whole, by_lines=True)
        if len(smaller) == 1:
            return [self]
        parts = [tuple([line[:-1] for line in one.lines]) for one in smaller]
        return [HunkChoice(self.hunk, place, parts) for place in range(len(parts))]

    @property
    def can_be_split(self) -> bool:
        """Whether it has parts."""
        return len(self.split()) > 1


def chosen_hunks(choices: Sequence[HunkChoice], chosen: Sequence[HunkChoice]) -> list[Hunk]:
    """The hunks with what is chosen of them, in order. Each has its number among all."""
    hunks: list[Hunk] = []
    for first in choices:
        if first.part:
            continue
        same = [one for one in choices if one.hunk is first.hunk]
        accepted = {one.part for one in same if one in chosen}
        if len(accepted) == len(same):
            hunks.append(first.hunk)
        elif accepted:
            hunks.append(_with_parts(first.hunk, first.parts, accepted))
    return hunks


def _with_parts(hunk: Hunk, parts: Sequence[tuple[str, ...]], accepted: set[int]) -> Hunk:
    """A hunk with some of its parts; the lines of the others stay."""
    lines: list[str] = []
    for place, part in enumerate(parts):
        if place in accepted:
            lines += part
        else:
            lines += [f" {line[1:]}" for line in part if line[0] != "+"]
    return hunk.replace(lines=tuple(lines), bare=(), exact=())
