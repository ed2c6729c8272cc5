"""Candidates of all hunks → the only arrangement of them.

An arrangement in the order of the patch is unique if and only if the leftmost and the rightmost one are the same, which
takes two passes and no search. Where there is none in order, every hunk must have one place to itself.
"""

from __future__ import annotations

from itertools import pairwise

from .anchors import innermost
from .refusal import Refusal
from .refusals import refuse_candidate
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text import Text
    from .place import Place
    from .placement import Candidates, Situation


def arrange(situation: Situation, options: list[Candidates], refusals: list[Refusal]) -> list[Place]:
    """The only arrangement of all hunks, or refusals, to be added to those that there are."""
    before = len(refusals)
    if situation.dialect.cautious:
        refusals.extend(filter(None, (refuse_candidate(situation, option) for option in options)))
        if len(refusals) > before:
            return []
    if len(options) == 1 and len(options[0].places) == 1 and not options[0].cut_short:
        return options[0].places
    body = situation.text.body
    left, right = _leftmost(options, body), _rightmost(options, body)
    for narrow in (_use_hints, _use_open_blocks) if situation.dialect.cautious else (_use_hints,):
        if left is not None and right is not None and left != right:
            narrow(situation.text, options, left, right)
            left, right = _leftmost(options, body), _rightmost(options, body)
    if left is None or right is None:
        several = [option for option in options if len(option.places) > 1 or option.cut_short]
        refusals.extend(Refusal("several", option.number, option=option) for option in several)
        if len(refusals) > before:
            return []
        left = right = [option.places[0] for option in options]
        loose = [option for option in options if option.places[0].tier == "similar"]
        if loose:
            # A place that is merely similar needs the order to speak for it.
            refusals.extend(Refusal("not_found", option.number) for option in loose)
            return []
        for place in left:
            place.notes = (*place.notes, "out_of_order")
    for option, one, other in zip(options, left, right, strict=True):
        if one is not other or option.cut_short:
            refusals.append(Refusal("several", option.number, option=option))
    if not refusals and len(left) > 1:
        refusals.extend(overlaps(situation, left))
    return left


def _leftmost(options: Sequence[Candidates], body: str) -> list[Place] | None:
    """Each hunk at its first place that follows the hunk before."""
    chosen: list[Place] = []
    for option in options:
        for place in option.places:
            if not chosen or follows(chosen[-1], place, body):
                chosen.append(place)
                break
        else:
            return None
    return chosen


def _rightmost(options: Sequence[Candidates], body: str) -> list[Place] | None:
    """Each hunk at its last place that the hunk behind it follows."""
    chosen: list[Place] = []
    for option in reversed(options):
        for place in reversed(option.places):
            if not chosen or follows(place, chosen[-1], body):
                chosen.append(place)
                break
        else:
            return None
    chosen.reverse()
    return chosen


def follows(before: Place, after: Place, body: str) -> bool:
    """Whether all that `after` changes lies behind all that `before` changes. Context may be shared."""
    edits_before, edits_after = before.splices(body), after.splices(body)
    if not edits_before or not edits_after:
        return before.start <= after.start
    last, first = edits_before[-1], edits_after[0]
    if last.start == last.end == first.start == first.end:
        return False
    return last.end <= first.start


def _use_hints(text: Text, options: Sequence[Candidates], left: Sequence[Place], right: Sequence[Place]) -> None:
    """Let a line number break a tie among the places that the order leaves, where it names one's line exactly."""
    for option, first, last in zip(options, left, right, strict=True):
        if option.hunk.line_hint is not None and first is not last:
            ordered = [place for place in option.places if first.start <= place.start <= last.start]
            named = [place for place in ordered if text.line_number(place.start) == option.hunk.line_hint]
            if named:
                option.left_out = [place.start for place in option.places if place not in named]
                option.places = named
                named[0].notes = (*named[0].notes, "line_hint")


def _use_open_blocks(text: Text, options: Sequence[Candidates], left: Sequence[Place], right: Sequence[Place]) -> None:
    """Let the innermost block that the hunk before left open choose among the places that the order leaves.

    Only for a hunk with a distinctive line, and where the place of the hunk before is certain.
    """
    for number in range(1, len(options)):
        option, before = options[number], left[number - 1]
        certain = before is right[number - 1] and left[number] is not right[number] and not option.cut_short
        if not certain or not any(map(is_distinctive, option.hunk.old)):
            continue
        first, last = left[number].start, right[number].start
        ordered = [place for place in option.places if first <= place.start <= last]
        inner = innermost(text.body, before.end(text.body), [place.start for place in ordered])
        if inner is not None:
            option.left_out = [place.start for place in option.places if place.start != inner]
            option.places = [place for place in ordered if place.start == inner]
            return


def overlaps(situation: Situation, places: Sequence[Place]) -> list[Refusal]:
    """A problem for each pair of neighbouring edits of two hunks that coincide or overlap."""
    body = situation.text.body
    edits = sorted(
        ((edit.start, edit.end, number) for number, place in enumerate(places) for edit in place.splices(body)),
        key=lambda edit: edit[:2],
    )
    refusals: list[Refusal] = []
    for (start, end, one), (next_start, next_end, other) in pairwise(edits):
        same_point = start == end == next_start == next_end
        if one != other and (next_start < end or same_point):
            refusals.append(Refusal("overlapping", max(one, other), (next_start,), other=min(one, other)))
    return refusals
