"""Candidates of all hunks → the only arrangement of them.

An arrangement in the order of the patch is unique if and only if the leftmost and the rightmost one are the same, which
takes two passes and no search. Where there is none in order, every hunk must have one place to itself.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from ..core.value import Value
from .anchors import innermost
from .limits import CHARACTERS_PER_PLACE, LINES_FOR_OPEN_BLOCK, MOST_ANCHORS, MOST_PLACES, READS_PER_SEARCH
from .placement import Refusal
from .refusals import refuse_candidate
from .scopes import ScopeReader
from .search import find_block, lines_with, occurrences
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias, TypeVar

    from ..core.patch import Hunk
    from ..core.text import Text
    from .place import Place
    from .placement import Candidates, Situation

    #: Of a hunk, the context before all changes, with the newline before it; the old and the new lines from the first
    #: change to the last; the context after them; the added lines alone; whether these are fewer than those of context.
    HunkParts: TypeAlias = tuple[str, str, str, str, str, bool]
    #: Of each hunk its offset, and those of all places that it had.
    Arrangement: TypeAlias = list[tuple[int, list[int]]]
    #: Offsets of all places that a hunk had, by its number.
    Rivals: TypeAlias = dict[int, list[int]]
    P = TypeVar("P")
    #: The places of hunks before or behind one, None for those that have several.
    Certain: TypeAlias = Sequence[Place | None]
    #: Chooses among the places of a hunk, by what is certain of those before and behind it; none where it can't.
    Chooser: TypeAlias = Callable[[Situation, Candidates, Sequence[Place], Certain, Certain], list[Place]]
    #: Where a change begins and ends, and the number of the edit that makes it.
    NumberedRange = tuple[int, int, int]
    #: Where a place begins, where its first change begins, and where its last one ends.
    ChangeAt = tuple[int, int, int]


def arrange(situation: Situation, options: list[Candidates], refusals: list[Refusal]) -> None:
    """Choose the place of each hunk, if there is only one arrangement of all, or else add refusals to the list.

    An arrangement has one place for each hunk. Those in the order of the patch come first.
    """
    known = len(refusals)
    if situation.dialect.cautious:
        refusals.extend(filter(None, (refuse_candidate(situation, option) for option in options)))
        if len(refusals) > known:
            return
    body = situation.text.body
    written_places = _written_places(situation, options)

    def as_written(place: Place) -> Place:
        return written_places.get(id(place), place)

    def is_before(before: Place, after: Place) -> bool:
        """Whether two places are in order, or would be if lines that are removed and added again were not context."""
        return follows(before, after, body) or follows(as_written(before), as_written(after), body)

    outermost = _outermost([option.places for option in options], is_before)
    for choose in (_use_hint, _use_open_block):
        if outermost is not None and not _are_same(outermost):
            _break_ties(situation, options, outermost, choose)
            outermost = _outermost([option.places for option in options], is_before)
    if outermost is None:
        without_order = _refuse_without_order(situation, options)
        if without_order:
            refusals += without_order
            return
        places = [option.places[0].noted("out_of_order") for option in options]
        outermost = places, places
    leftmost, rightmost = outermost
    for option, first, last in zip(options, leftmost, rightmost, strict=True):
        option.place = first
        if first is not last or option.cut_short:
            refusals.append(option.refused())
    if refusals:
        # Overlaps count only where every hunk has its place.
        return
    for overlap in overlaps(_changed_ranges(leftmost, body)):
        if not is_before(leftmost[overlap.other], leftmost[overlap.number]):
            refusals.append(overlap)


def _refuse_without_order(situation: Situation, options: Sequence[Candidates]) -> list[Refusal]:
    """The refusals of hunks that have no certain place unless they are in order; none if all have one."""
    ambiguous = [option.refused() for option in options if _needs_order(situation, option)]
    if ambiguous:
        return ambiguous
    # A place that is merely similar needs the order to speak for it.
    return [Refusal("not_found", option.number) for option in options if option.places[0].tier == "similar"]


def _changed_ranges(places: Sequence[Place], body: str) -> list[NumberedRange]:
    """The ranges of the text that hunks change at these places, each with the number of its place."""
    ranges: list[NumberedRange] = []
    for number, place in enumerate(places):
        ranges += [(splice.start, splice.end, number) for splice in place.splices(body)]
    return ranges


def _break_ties(
    situation: Situation, options: Sequence[Candidates], outermost: tuple[list[Place], list[Place]], choose: Chooser
) -> None:
    """Let something choose among the places of each hunk that is not at the same one in the outermost arrangements."""
    leftmost, rightmost = outermost
    certain = [first if first is last else None for first, last in zip(leftmost, rightmost, strict=True)]
    for number, option in enumerate(options):
        if certain[number] is not None:
            continue
        situation.budget.spend(len(options) + len(option.places) * CHARACTERS_PER_PLACE)
        low, high = leftmost[number].start, rightmost[number].start
        tied = [place for place in option.places if low <= place.start <= high]
        chosen = choose(situation, option, tied, certain[:number], certain[number + 1 :])
        if not chosen:
            # Nothing tells the places apart.
            chosen = option.places
        option.keep(chosen)


def _written_places(situation: Situation, options: Sequence[Candidates]) -> dict[int, Place]:
    """The places of hunks that remove a line and add it again, with the hunk as it is written, by the `id` of a place.

    In the places themselves, such a line is context.
    """
    written: dict[int, Place] = {}
    for option in options:
        hunk = situation.written[option.number]
        if hunk.lines != option.hunk.lines and hunk.old == option.hunk.old:
            written.update({id(place): place.replace(hunk=hunk) for place in option.places})
    return written


def _needs_order(situation: Situation, option: Candidates) -> bool:
    """Whether a hunk has several places, or would have without the hunk of context before it, which counts on order."""
    if len(option.places) > 1:
        return True
    if option.hunk.anchors or option.hunk.heading or not option.hunk.old:
        return False
    everywhere = find_block(situation.text.body, option.hunk.old, situation.dialect.tiers, 0, situation.index)
    return everywhere is not None and len(everywhere.starts) > 1


def _first_index(places: Sequence[P], holds: Callable[[P], bool]) -> int:
    """The index of the first place of which something holds; it holds of all places behind it too."""
    return bisect_left(places, True, key=holds)


def _outermost(options: Sequence[Sequence[P]], follows: Callable[[P, P], bool]) -> tuple[list[P], list[P]] | None:
    """The leftmost and the rightmost arrangement of hunks in order; None if there is no arrangement in order.

    An arrangement has one place for each hunk. In the leftmost one each is at its first place behind the hunk before
    it. `options` has the places of each hunk, in order: those that follow a place of another hunk come last.
    """
    leftmost: list[P] = []
    for places in options:
        first = _first_index(places, lambda place: follows(leftmost[-1], place)) if leftmost else 0
        if first == len(places):
            return None
        leftmost.append(places[first])
    # From the last hunk to the first.
    rightmost: list[P] = []
    for places in reversed(options):
        end = _first_index(places, lambda place: not follows(place, rightmost[-1])) if rightmost else len(places)
        if end == 0:
            return None
        rightmost.append(places[end - 1])
    return leftmost, rightmost[::-1]


def _are_same(outermost: tuple[list[P], list[P]]) -> bool:
    """Whether the leftmost and the rightmost arrangement are the same: then it is the only one in order."""
    leftmost, rightmost = outermost
    return leftmost == rightmost


def arrange_exact(body: str, hunks: Sequence[Hunk], parts: Sequence[HunkParts], path: str) -> Arrangement | None:
    """The only arrangement in order of hunks of which some have several exact places; None if `arrange` must decide."""
    reader = ScopeReader(body, path)
    #: For each hunk, where its places would change the text, and where all of its places are.
    options: list[list[ChangeAt]] = []
    starts_of_hunks: list[list[int]] = []
    for hunk, part in zip(hunks, parts, strict=True):
        starts = _exact_starts(body, hunk, part, reader)
        if starts is None:
            return None
        starts_of_hunks.append(starts.everywhere)
        options.append(_changes_at(starts.in_scope, part))
    if any(_may_meet(changes, next_changes) for changes, next_changes in pairwise(options)):
        # Whether changes that meet have an order depends on what they are.
        return None
    outermost = _outermost(options, _is_before)
    if outermost is None or not _are_same(outermost):
        return None
    leftmost, _ = outermost
    return [(start, starts) for (start, _, _), starts in zip(leftmost, starts_of_hunks, strict=True)]


def _changes_at(starts: Sequence[int], part: HunkParts) -> list[ChangeAt]:
    """What a hunk would change if its place began at each of some offsets."""
    lead, old, *_ = part
    # The newline before the context is none of the place.
    lead_length = len(lead) - 1
    return [(start, start + lead_length, start + lead_length + len(old)) for start in starts]


class _ExactStarts(Value):
    """Where the old lines of a hunk begin in a text: everywhere, and in the scope of its anchor."""

    everywhere: list[int]
    in_scope: list[int]


def _exact_starts(body: str, hunk: Hunk, part: HunkParts, reader: ScopeReader) -> _ExactStarts | None:
    """Where the old lines of a hunk are, exactly; None if `arrange` must decide about it."""
    lead, old, new, tail, _, _ = part
    if old and new and _has_equal_edge(old, new):
        # Lines that are removed and added again are context, so the changes are shorter than they look.
        return None
    spots = [0]
    for anchor in hunk.anchors:
        lines = lines_with(body, anchor, most=MOST_ANCHORS) or ()
        spots = [start for start, end in lines if body[start:end].strip() == anchor]
    starts = occurrences(body, (lead + old + tail)[1:-1], spots[0]) if spots else []
    is_unclear = len(starts) > 1 and not hunk.anchors and not any(map(is_distinctive, hunk.old))
    if is_unclear or max(len(starts), len(spots)) >= MOST_PLACES or hunk.line_hint is not None:
        return None
    if not hunk.anchors:
        return _ExactStarts(starts, starts)
    scopes = reader.scopes(spots)
    if (lead + new + tail)[1:] in body:
        # Where the result is, too, the anchor decides whether that is the one.
        return None
    return _ExactStarts(starts, [start for start in starts if any(start in scope for scope in scopes)])


def _is_before(one: ChangeAt, other: ChangeAt) -> bool:
    """Whether one change ends before another one begins."""
    _, _, end_of_one = one
    _, start_of_other, _ = other
    return end_of_one < start_of_other


def _may_meet(changes: Sequence[ChangeAt], next_changes: Sequence[ChangeAt]) -> bool:
    """Whether a change of a hunk may end right where one of the next hunk begins."""
    ends = {end for _, _, end in changes}
    return not ends.isdisjoint([start for _, start, _ in next_changes])


def _has_equal_edge(old: str, new: str) -> bool:
    """Whether two blocks of lines, which end in newlines, have the first or the last line in common."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    return old_lines[0] == new_lines[0] or old_lines[-2] == new_lines[-2]


def follows(before: Place, after: Place, body: str) -> bool:
    """Whether all that `after` changes lies behind all that `before` changes. Context may be shared."""
    edits_before, edits_after = before.splices(body), after.splices(body)
    if not edits_before or not edits_after:
        return before.start <= after.start
    last, first = edits_before[-1], edits_after[0]
    removes_lines = last.start < last.end
    if removes_lines and after.start < last.end:
        # What one hunk removes is not context of the next.
        return False
    # Two insertions at one point have no order.
    return last.end <= first.start and last.start < first.end


def _use_hint(
    situation: Situation, option: Candidates, places: Sequence[Place], before: Certain, behind: Certain
) -> list[Place]:
    """Let a line number break a tie, where it names the line of a place exactly.

    Where other hunks of a diff are not at their numbers, the file has changed: then the number counts only between two
    hunks that are off by the same number of lines.
    """
    hint = option.hunk.line_hint
    if not hint:
        return []
    shift_before, shift_behind = _nearest_shift(situation.text, before[::-1]), _nearest_shift(situation.text, behind)
    known_shifts = {shift for shift in (shift_before, shift_behind) if shift is not None}
    is_enclosed = shift_before is not None and shift_before == shift_behind
    is_unchanged = situation.is_pristine is not False and known_shifts <= {0}
    if not is_enclosed and not is_unchanged:
        return []
    line = hint + max(known_shifts, default=0)
    return [place.noted("line_hint") for place in places if situation.text.line_number(place.start) == line]


def _nearest_shift(text: Text, certain: Certain) -> int | None:
    """By how many lines the first of these hunks that has a number and a certain place is off; None without one."""
    for place in certain:
        if place is not None and place.hunk.line_hint and place.hunk.old:
            return text.line_number(place.start) - place.hunk.line_hint
    return None


def _use_open_block(
    situation: Situation, option: Candidates, places: Sequence[Place], before: Certain, _behind: Certain
) -> list[Place]:
    """Let the innermost block that the hunk before left open choose, for a hunk with a distinctive line.

    A hunk that only adds lines needs two: one such as `@property` may be anywhere. A hunk with a line number claims
    more than that.
    """
    place_before = before[-1] if before else None
    if place_before is None or option.hunk.line_hint is not None:
        return []
    least = 1 if option.hunk.removed else LINES_FOR_OPEN_BLOCK
    if sum(map(is_distinctive, option.hunk.old)) < least:
        return []
    body = situation.text.body
    offset = place_before.end(body)
    situation.budget.spend(READS_PER_SEARCH * max(0, places[-1].start - offset))
    start = innermost(body, offset, [place.start for place in places])
    return [place for place in places if place.start == start]


def overlaps(changes: Iterable[NumberedRange]) -> list[Refusal]:
    """A refusal for each pair of neighboring changes of two edits that coincide or overlap."""
    refusals: list[Refusal] = []
    for (start, end, number), (next_start, next_end, next_number) in pairwise(sorted(changes)):
        do_coincide = start == next_end
        if next_start < end or do_coincide:
            later, earlier = max(number, next_number), min(number, next_number)
            refusals.append(Refusal("overlapping", later, (next_start,), other=earlier))
    return refusals
