"""Hunks of which each is placed in the result of those before it, as the dialect `strict` has it.

A hunk may have as context what an earlier one left. It may not change what an earlier one changed: that is an overlap,
told in lines of the text as it was before all of them.
"""

from __future__ import annotations

from time import monotonic

from ..core.problems import PatchRejectedError
from ..core.splices import Splice, blocks_of, compose, follow, reverse
from ..locate.arrange import overlaps
from ..locate.hunks import locate
from ..locate.place import Place, applied_place
from ..locate.placement import Refusal, Situation
from .rewrite import rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.text import Text
    from ..locate.arrange import NumberedRange

    #: A text, and the place that a hunk has in it.
    HunkStep = tuple[Text, Place]


def place_one_by_one(
    text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float, *, skip_applied: bool = False
) -> tuple[list[HunkStep], Text]:
    """Place each hunk in the result of the hunks before it; the steps, and the text after all.

    Raises:
        PatchRejectedError: a hunk has no place, more than one, or overlaps another.
    """
    from ..explain.refusal_problems import applied_line, explain_hunks

    whole = Situation(text, hunks, dialect, seconds)
    steps: list[HunkStep] = []
    for number, hunk in enumerate(hunks):
        situation = Situation(text, [hunk], dialect, whole.deadline - monotonic(), number, len(hunks))
        options, refusals = locate(situation)
        if not refusals:
            steps.append((text, options[0].place))
            text = text.with_raw(rewrite(text, [options[0].place], dialect)[0])
            continue
        problems = explain_hunks(situation, refusals)
        line = applied_line(problems[0]) if skip_applied else 0
        if not line:
            refusals = _conflicts(whole, situation, steps)
            raise PatchRejectedError(explain_hunks(whole, refusals) if refusals else problems)
        steps.append((text, applied_place(hunk, text.rows[1][line - 1])))
    refusals = _overlaps(steps)[1]
    if refusals:
        raise PatchRejectedError(explain_hunks(whole, refusals))
    return steps, text


def _overlaps(steps: Sequence[HunkStep], *more: NumberedRange) -> tuple[list[NumberedRange], list[Refusal]]:
    """What each step changed, as ranges of the text before all of them, and which of these and `more` overlap.

    An insertion beside a line that an earlier hunk added, and that is its context, says itself where it goes.
    """
    changes = list(more)
    led: set[tuple[int, int]] = set()
    made: list[Splice] = []
    added: set[str] = set()
    for number, (text, place) in enumerate(steps):
        splices = place.splices(text.body)
        known = added.intersection([line[1:] for line in place.hunk.lines if line[0] == " "])
        there = follow([(one.start, one.end) for one in splices], reverse(blocks_of(made)))
        changes += [(*where, number) for where in there]
        for one, where in zip(splices, there, strict=True):
            line = text.line_number(one.start)
            if one.start == one.end and not known.isdisjoint(text.rows[0][max(0, line - 2) : line]):
                led.add((where[0], number))
        made = compose(made, splices)
        added.update(place.hunk.added)
    return changes, [refusal for refusal in overlaps(changes) if (refusal.starts[0], refusal.number) not in led]


def _conflicts(whole: Situation, situation: Situation, steps: Sequence[HunkStep]) -> list[Refusal]:
    """Why the hunk after these steps has no place, told of the text before all; none where the result tells it best."""
    number, [hunk], original = situation.first, situation.hunks, whole.text
    if not {*original.lines}.difference(situation.text.lines).intersection(hunk.old):
        return _overlaps(steps)[1]
    # Lines that the file has are never called absent.
    left = situation.deadline - monotonic()
    options, refusals = locate(Situation(original, [hunk], whole.dialect, left, number, whole.count))
    if refusals:
        return [refusals[0].replace(number=number)]
    place = options[0].place
    start, end = place.start, place.end(original.body)
    changes, refusals = _overlaps(steps, *[(one.start, one.end, number) for one in place.splices(original.body)])
    other = next((n for low, high, n in changes if low < end and start < high and n != number), number - 1)
    return refusals or [Refusal("changed_before", number, (start,), other=other)]
