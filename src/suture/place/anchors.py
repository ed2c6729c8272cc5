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
        if number > 0:
            spots = _nested(anchor_lines, spots, dialect)
        if not spots or number >= MOST_STACKED:
            return AnchorLines([], [], (), anchor)
        # A list of lines that may have been cut short has no scopes that are known.
        scopes = situation.scopes.scopes(spots) if len(spots) < MOST_PLACES else []
        anchor_lines = AnchorLines(spots, scopes)
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
    """The offsets of the lines that an anchor names, and the name of the concession that this takes; empty if none."""
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
    if same:
        return _most_literal(same, anchor)
    if "similar" in tiers:
        begun = _lines_begun(anchor, folded_anchor, [(start, fold(line)) for start, line in lines])
        if begun:
            return begun, "anchor_shortened"
    occurrences = find_block(body, (anchor,), folding)
    if occurrences is None:
        return [], ""
    return occurrences.starts, "anchor_normalized" if occurrences.tier in ("punctuation", "whitespace") else ""


def _most_literal(lines: Sequence[tuple[int, str]], anchor: str) -> tuple[list[int], str]:
    """Of the lines that are an anchor once folded, those that are most like it, and the concession that this takes.

    Models write the header without its indentation, so lines that differ in nothing else are equally good, unless the
    anchor itself is indented.
    """
    if anchor[:1].isspace():
        indented_alike = [start for start, line in lines if line.rstrip() == anchor.rstrip()]
        if indented_alike:
            return indented_alike, ""
    literal = [start for start, line in lines if line.strip() == anchor.strip()]
    if literal:
        return literal, ""
    return [start for start, _ in lines], "anchor_normalized"


def _lines_begun(anchor: str, folded_anchor: str, folded_lines: Sequence[tuple[int, str]]) -> list[int]:
    """The offsets of the lines that begin with an anchor and go on with another word.

    A line in which its last word goes on has another name: `class Foo` is not `class FooBar`. Only headings of diffs
    end inside a word, where git cuts them.
    """
    begun = [(start, line) for start, line in folded_lines if line.startswith(folded_anchor)]
    with_whole_words = [start for start, line in begun if not _is_inside_word(line, len(folded_anchor))]
    if with_whole_words:
        return with_whole_words
    may_be_cut = len(anchor.encode("utf-8", "surrogatepass")) >= LEAST_BYTES_OF_CUT_HEADING
    return [start for start, _ in begun] if may_be_cut else []


def _is_inside_word(line: str, position: int) -> bool:
    """Whether the characters before and behind a position belong to one word."""
    return is_of_word(line[position - 1 : position]) and is_of_word(line[position : position + 1])


def innermost(body: str, offset: int, starts: Sequence[int]) -> int | None:
    """The one of several lines below an offset that shares the deepest block with it; None if several do.

    The block that two places share is as deep as the least indented line from one to the other. Lines are given by
    their starts. A budget bounds the reading.
    """
    if starts[-1] - offset > BLOCK_BUDGET:
        return None
    # Reading begins with the last line above the offset that has more than brackets.
    top = max(0, offset - LONGEST_COMPARED)
    first = top + body[top:offset].rstrip(" \t\n)]}").rfind("\n") + 1
    depths = _least_indentations(body, first, line_after(body, starts[-1]))
    # A start above the first line that is read shares the block of that line.
    depths_of_starts = [depths.get(start, depths[first]) for start in starts]
    deepest = max(depths_of_starts)
    if depths_of_starts.count(deepest) > 1:
        return None
    return starts[depths_of_starts.index(deepest)]


def _least_indentations(body: str, first: int, end: int) -> dict[int, int]:
    """For each line from one to an end, by its start, the least indentation of the lines down to it.

    Lines of closing brackets alone don't count.
    """
    least_indentations: dict[int, int] = {}
    # No indentation is as long as the text: this stands for none until a line counts.
    least = len(body)
    start = first
    for line in body[first:end].split("\n"):
        if line.strip(" \t)]}"):
            least = min(least, len(line) - len(line.lstrip()))
        least_indentations[start] = least
        start += len(line) + 1
    return least_indentations
