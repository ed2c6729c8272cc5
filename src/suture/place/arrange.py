"""Candidates of all hunks → the only arrangement of them.

An arrangement in the order of the patch is unique if and only if the leftmost and the rightmost one are the same, which
takes two passes and no search. Where there is none in order, every hunk must have one place to itself.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

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

    def is_before(one: Place, other: Place) -> bool:
        """Whether two places are in order, or would be if lines that are removed and added again were not context."""
        return follows(one, other, body) or follows(as_written(one), as_written(other), body)

    outermost = _outermost([option.places for option in options], is_before)
    for choose in (_use_hint, _use_open_block):
        if outermost is not None and not _are_same(outermost):
            _break_ties(situation, options, outermost, choose)
            outermost = _outermost([option.places for option in options], is_before)
    if outermost is None:
        # There is no arrangement in order.
        without_order = [option.refused() for option in options if _needs_order(situation, option)]
        if not without_order:
            # A place that is merely similar needs the order to speak for it.
            similar = [option for option in options if option.places[0].tier == "similar"]
            without_order = [Refusal("not_found", option.number) for option in similar]
        refusals += without_order
        if len(refusals) > known:
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
    changes: list[NumberedRange] = []
    for number, place in enumerate(leftmost):
        changes += [(splice.start, splice.end, number) for splice in place.splices(body)]
    for overlap in overlaps(changes):
        if not is_before(leftmost[overlap.other], leftmost[overlap.number]):
            refusals.append(overlap)


def _break_ties(
    situation: Situation, options: Sequence[Candidates], outermost: tuple[list[Place], list[Place]], choose: Chooser
) -> None:
    """Let something choose among the places of each hunk that is not at the same one in the outermost arrangements."""
    left, right = outermost
    certain = [first if first is last else None for first, last in zip(left, right, strict=True)]
    for number, option in enumerate(options):
        if certain[number] is not None:
            continue
        situation.budget.spend(len(options) + len(option.places) * CHARACTERS_PER_PLACE)
        between = range(left[number].start, right[number].start + 1)
        tied = [place for place in option.places if place.start in between]
        chosen = choose(situation, option, tied, certain[:number], certain[number + 1 :])
        option.keep(chosen or option.places)


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
    if len(option.places) > 1 or option.hunk.anchors or not option.hunk.old:
        return len(option.places) > 1
    everywhere = find_block(situation.text.body, option.hunk.old, situation.dialect.tiers, 0, situation.index)
    return everywhere is not None and len(everywhere.starts) > 1 and not option.hunk.heading


def _first_index(places: Sequence[P], holds: Callable[[P], bool]) -> int:
    """The index of the first place of which something holds; it holds of all places behind it too."""
    return bisect_left(places, True, key=holds)


def _outermost(options: Sequence[Sequence[P]], follows: Callable[[P, P], bool]) -> tuple[list[P], list[P]] | None:
    """The leftmost and the rightmost arrangement of hunks in order; None if there is no arrangement in order.

    An arrangement has one place for each hunk. In the leftmost one each is at its first place behind the hunk before
    it. `options` has the places of each hunk.
    """
    left: list[P] = []
    right: list[P] = []
    # The places of a hunk are in order, so those that follow another come last.
    for places in options:
        first = _first_index(places, lambda place: follows(left[-1], place)) if left else 0
        if first == len(places):
            return None
        left.append(places[first])
    for places in reversed(options):
        end = _first_index(places, lambda place: not follows(place, right[-1])) if right else len(places)
        if end == 0:
            return None
        right.append(places[end - 1])
    return left, right[::-1]


def _are_same(outermost: tuple[list[P], list[P]]) -> bool:
    """Whether the leftmost and the rightmost arrangement are the same: then it is the only one in order."""
    leftmost, rightmost = outermost
    return leftmost == rightmost


def arrange_exact(body: str, hunks: Sequence[Hunk], parts: Sequence[HunkParts], path: str) -> Arrangement | None:
    """The only arrangement in order of hunks of which some have several exact places; None if `arrange` must decide."""
    reader: ScopeReader | None = None
    # Where a place begins, where its first change begins, and where its last one ends.
    options: list[list[tuple[int, int, int]]] = []
    starts_of_hunks: list[list[int]] = []
    for hunk, part in zip(hunks, parts, strict=True):
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
        inside = starts
        if hunk.anchors:
            reader = reader or ScopeReader(body, path)
            scopes = reader.scopes(spots)
            inside = [start for start in starts if any(start in scope for scope in scopes)]
            if (lead + new + tail)[1:] in body:
                # Where the result is, too, the anchor decides whether that is the one.
                return None
        first = len(lead) - 1
        options.append([(start, start + first, start + first + len(old)) for start in inside])
        starts_of_hunks.append(starts)
    for before, after in pairwise(options):
        # Whether changes that meet have an order depends on what they are.
        if not {place[2] for place in before}.isdisjoint([place[1] for place in after]):
            return None
    outermost = _outermost(options, lambda one, other: one[2] < other[1])
    if outermost is None or not _are_same(outermost):
        return None
    leftmost, _ = outermost
    return [(place[0], starts) for place, starts in zip(leftmost, starts_of_hunks, strict=True)]


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
    if last.start < last.end and after.start < last.end:
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
    shifts = [_nearest_shift(situation.text, before[::-1]), _nearest_shift(situation.text, behind)]
    known = {shift for shift in shifts if shift is not None}
    is_enclosed = None not in shifts and len(known) == 1
    is_unchanged = situation.is_pristine is not False and known <= {0}
    if not is_enclosed and not is_unchanged:
        return []
    line = hint + max(known, default=0)
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
    is_numbered = option.hunk.line_hint is not None
    least = 1 if option.hunk.removed else LINES_FOR_OPEN_BLOCK
    is_distinct = sum(map(is_distinctive, option.hunk.old)) >= least
    if not before or before[-1] is None or is_numbered or not is_distinct:
        return []
    body = situation.text.body
    offset = before[-1].end(body)
    situation.budget.spend(READS_PER_SEARCH * max(0, places[-1].start - offset))
    inner = innermost(body, offset, [place.start for place in places])
    return [place for place in places if place.start == inner]


def overlaps(changes: Iterable[NumberedRange]) -> list[Refusal]:
    """A refusal for each pair of neighbouring changes of two edits that coincide or overlap."""
    return [
        Refusal("overlapping", max(one, other), (next_start,), other=min(one, other))
        for (start, end, one), (next_start, next_end, other) in pairwise(sorted(changes))
        if next_start < end or start == next_end
    ]
