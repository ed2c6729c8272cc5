"""Hunks of which each is placed in the result of those before it, as the dialect `strict` has it.

A hunk may have as context what an earlier one left. It may not change what an earlier one changed: that is an overlap,
told in lines of the text as it was before all of them.
"""

from __future__ import annotations

from time import monotonic

from ..core.problems import PatchRejectedError
from ..core.splices import blocks_of, compose, follow, reverse
from ..core.value import Value
from ..locate.hunks import locate
from ..locate.place import applied_place
from ..locate.placement import Situation
from ..locate.refusal import Refusal
from .rewrite import rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.splices import Range, Splice
    from ..core.text import Text
    from ..locate.place import Place


class HunkStep(Value):
    """A hunk that has a place, and the text in which it has it."""

    text: Text
    place: Place


class EarlierChange(Value):
    """What a hunk changed: the range in the original, that of the text that came there, and the number of the hunk."""

    before: Range
    after: Range
    number: int

    @property
    def is_insertion(self) -> bool:
        """Whether nothing was removed."""
        return self.before[0] == self.before[1]


def place_one_by_one(
    text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float, *, skip_applied: bool = False
) -> tuple[list[HunkStep], Text]:
    """Place each hunk in the result of the hunks before it; the steps, and the text after all.

    Raises:
        PatchRejectedError: a hunk has no place, more than one, or overlaps another.
    """
    original = text
    deadline = monotonic() + seconds
    steps: list[HunkStep] = []
    touched: list[EarlierChange] = []
    all_splices: list[Splice] = []
    for number, hunk in enumerate(hunks):
        left = deadline - monotonic()
        situation = Situation(text, [hunk], dialect, left, number, len(hunks))
        places, _, refusals = locate(situation)
        if refusals:
            from ..explain.hunk_problems import applied_line, explain_hunks

            line = applied_line(explain_hunks(situation, refusals)[0]) if skip_applied else 0
            if line:
                steps.append(HunkStep(text, applied_place(hunk, text.rows[1][line - 1])))
                continue
            if steps and refusals[0].kind == "not_found":
                _refuse_changed(original, text, hunks, number, dialect, touched, left)
            _refuse(situation, refusals)
        place = places[0]
        splices = place.splices(text.body)
        for one in splices:
            other = next((earlier for earlier in touched if _overlap(one, place, text.body, earlier)), None)
            if other is not None:
                refusal = Refusal("overlapping", number, (other.before[0],), other=other.number)
                _refuse(Situation(original, hunks, dialect, left), [refusal])
        steps.append(HunkStep(text, place))
        back = reverse(blocks_of(all_splices))
        blocks = blocks_of(splices)
        later = follow([earlier.after for earlier in touched], blocks)
        touched = [earlier.replace(after=after) for earlier, after in zip(touched, later, strict=True)]
        before = follow([(one.start, one.end) for one in splices], back)
        touched += [EarlierChange(old, (c, d), number) for old, (_, _, c, d) in zip(before, blocks, strict=True)]
        all_splices = compose(all_splices, splices)
        text = text.with_raw(rewrite(text, places, dialect)[0])
    return steps, text


def _overlap(one: Splice, place: Place, body: str, earlier: EarlierChange) -> bool:
    """Whether a change removes what an earlier hunk added, or inserts at the point at which it inserted.

    With a line of the earlier hunk as context, the hunk says itself where its lines go.
    """
    start, end = earlier.after
    if one.start < one.end or not earlier.is_insertion:
        return start < one.end and one.start < end
    return one.start in (start, end) and not (place.start < end and start < place.end(body))


def _refuse_changed(
    original: Text,
    text: Text,
    hunks: Sequence[Hunk],
    number: int,
    dialect: Dialect,
    touched: Sequence[EarlierChange],
    left: float,
) -> None:
    """Refuse a hunk that fits the original, but not what earlier hunks have left of it."""
    hunk = hunks[number]
    there = set(text.lines)
    if all(line in there for line in hunk.old):
        return
    places, _, refusals = locate(Situation(original, [hunk], dialect, left, number, len(hunks)))
    whole = Situation(original, hunks, dialect, left)
    if refusals:
        if any(line not in there for line in set(hunk.old).intersection(original.lines)):
            # Lines that the file has are never called absent.
            _refuse(whole, [refusals[0].replace(number=number)])
        return
    for one in places[0].splices(original.body):
        for earlier in touched:
            start, end = earlier.before
            if (start < one.end and one.start < end) or one.start == one.end == start == end:
                _refuse(whole, [Refusal("overlapping", number, (max(one.start, start),), other=earlier.number)])
    other = next((each.number for each in touched if _meets(places[0], original.body, each.before)), touched[-1].number)
    _refuse(whole, [Refusal("changed_before", number, (places[0].start,), other=other)])


def _meets(place: Place, body: str, touched: Range) -> bool:
    """Whether a change is within the lines of a place."""
    return touched[0] < place.end(body) and place.start < touched[1]


def _refuse(situation: Situation, refusals: Sequence[Refusal]) -> None:
    from ..explain.hunk_problems import explain_hunks

    raise PatchRejectedError(explain_hunks(situation, refusals))
