"""Anchors: the lines that `@@` names.

An anchor is found by the tiers of the dialect or, where these include `similar`, as the beginning of a line. It may
occur several times. `scopes` says which lines belong to each of them.
"""

from __future__ import annotations

from ..core.value import Value
from .limits import BLOCK_BUDGET, LEAST_BYTES_OF_CUT_HEADING, LONGEST_COMPARED, MOST_ANCHORS, MOST_PLACES, MOST_STACKED
from .place import line_after
from .search import find_block, lines_with
from .tiers import FOLDING, FOLDS, fold_text, is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from .placement import Situation
    from .scopes import AnchorScope


class AnchorLines(Value):
    """Where the anchors of a hunk are: the lines of the last one with their scopes, and what was conceded."""

    #: The offsets of the lines.
    spots: list[int]
    #: The scope of each of these lines; none where they are too many or too long to be read.
    scopes: list[AnchorScope]
    notes: tuple[str, ...] = ()
    #: The anchor that is nowhere, if there are no lines.
    missing: str = ""

    @property
    def is_known(self) -> bool:
        """Whether all scopes are known."""
        return len(self.scopes) == len(self.spots)

    def has(self, offset: int) -> bool:
        """Whether an offset is in one of the scopes."""
        return any(offset in scope for scope in self.scopes)

    def has_behind(self, offset: int, body: str) -> bool:
        """Whether an offset is right behind one of the scopes, blank lines aside.

        Diffs name the last heading above a hunk in this way, also if the hunk begins with the next heading.
        """
        return any(scope.end <= offset and not body[scope.end : offset].strip() for scope in self.scopes)

    def opens(self, offset: int) -> bool:
        """Whether an offset is in a block that the anchor opens: then the anchor says where it is."""
        return any(offset in scope and scope.is_opened for scope in self.scopes)


def find_anchors(situation: Situation, anchors: Sequence[str]) -> AnchorLines:
    """All lines that the last of these anchors names inside the scopes of those before it.

    In a dialect in which a hunk may be anywhere below its anchor, so may the next anchor.
    """
    dialect = situation.dialect
    folded = fold_text(situation.text.body)
    anchor_lines = AnchorLines([], [])
    notes: dict[str, None] = {}
    for number, anchor in enumerate(anchors):
        spots, note = _find_anchor(situation.text.body, folded, anchor, dialect.tiers)
        if number:
            spots = _nested(anchor_lines, spots, dialect)
        if not spots or number >= MOST_STACKED:
            return AnchorLines([], [], (), anchor)
        # A list of lines that may have been cut short has no scopes that are known.
        anchor_lines = AnchorLines(spots, situation.scopes.scopes(spots) if len(spots) < MOST_PLACES else [])
        notes[note] = None
    return anchor_lines.replace(notes=tuple(filter(None, notes)))


def _nested(outer: AnchorLines, spots: Sequence[int], dialect: Dialect) -> list[int]:
    """The lines that an anchor may mean below another one."""
    below = [spot for spot in spots if spot > outer.spots[0]]
    inside = [spot for spot in below if outer.has(spot)]
    if inside or (dialect.anchor_scope == "block" and outer.is_known):
        return inside
    return below


def _find_anchor(body: str, folded: str, anchor: str, tiers: Sequence[str]) -> tuple[list[int], str]:
    """The offsets of the lines that an anchor names, and the name of the concession that this takes, if it takes one.

    Models write the header without its indentation, so lines that differ in nothing else are equally good, unless the
    anchor itself is indented.
    """
    folding = [tier for tier in FOLDING if tier in tiers]
    fold = FOLDS[folding[-1]]
    folded_anchor = fold(anchor)
    text, needle = body, anchor.strip()
    if len(folded) == len(body):
        # Where offsets agree: the longest word is there however its blanks and its punctuation were written.
        text, needle = folded, max(folded_anchor.split(), key=len)
    # If the needle is in too many lines, there are none here, and only whole lines are searched, at the end.
    lines = [(start, body[start:end]) for start, end in lines_with(text, needle, most=MOST_ANCHORS) or ()]
    same = [(start, line) for start, line in lines if fold(line) == folded_anchor]
    if anchor[:1].isspace():
        starts = [start for start, line in same if line.rstrip() == anchor.rstrip()]
        if starts:
            return starts, ""
    starts = [start for start, line in same if line.strip() == anchor.strip()]
    if starts:
        return starts, ""
    if same:
        return [start for start, _ in same], "anchor_normalized"
    begun = [(start, fold(line)) for start, line in lines if fold(line).startswith(folded_anchor)]
    if begun and "similar" in tiers:
        whole = [start for start, line in begun if not _is_inside_word(line, len(folded_anchor))]
        # A line in which its last word goes on has another name: `class Foo` is not `class FooBar`. Only headings of
        # diffs end inside a word, where git cuts them.
        if not whole and len(anchor.encode("utf-8", "surrogatepass")) >= LEAST_BYTES_OF_CUT_HEADING:
            whole = [start for start, _ in begun]
        if whole:
            return whole, "anchor_shortened"
    occurrences = find_block(body, (anchor,), folding)
    if occurrences is None:
        return [], ""
    return occurrences.starts, "anchor_normalized" if occurrences.tier in ("punctuation", "whitespace") else ""


def _is_inside_word(line: str, position: int) -> bool:
    """Whether the characters before and behind a position belong to one word."""
    return is_of_word(line[position - 1 : position]) and is_of_word(line[position : position + 1])


def innermost(body: str, offset: int, starts: Sequence[int]) -> int | None:
    """Of several starts after an offset, the one that shares the deepest block with the offset; None if several do.

    The least indentation of the lines from an offset to a start is the depth of the block that has both. They are read
    from the last line before the offset that is more than brackets. A budget bounds the reading.
    """
    if starts[-1] - offset > BLOCK_BUDGET:
        return None
    top = max(0, offset - LONGEST_COMPARED)
    first = top + body[top:offset].rstrip(" \t\n)]}").rfind("\n") + 1
    #: The least indentation from the first line to the one at an offset.
    depths: dict[int, int] = {}
    depth, position = len(body), first
    for line in body[first : line_after(body, starts[-1])].split("\n"):
        if line.strip(" \t)]}"):
            depth = min(depth, len(line) - len(line.lstrip()))
        depths[position] = depth
        position += len(line) + 1
    start_depths = [depths.get(start, depths[first]) for start in starts]
    deepest = max(start_depths)
    return starts[start_depths.index(deepest)] if start_depths.count(deepest) == 1 else None
