"""The slow path of an update: a place for each hunk, in the text as it is or in what the hunks before it left.

The dialect `strict` places hunks one by one. A hunk may have as context what an earlier one left. It may not change
what an earlier one changed: that is an overlap, told in lines of the text as it was before all of them.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic

from ..core.control_characters import control_character
from ..core.problems import PatchRejectedError
from ..core.search_budget import OutOfBudgetError, SearchBudget
from ..core.splices import Splice, in_order, splice, trace
from ..words.bad_edit import ControlCharacter, NoChange
from ..words.edit_phrases import Subject
from .anchors import find_anchors
from .arrange import overlaps
from .hunks import find_applied, locate
from .indentation import fit_place
from .limits import MOST_EXPLAINED, READS_PER_SEARCH
from .made_before import line_made_before
from .place import applied_place
from .placement import Candidates, Refusal, Situation
from .refusal_causes import hunk_problems, hunk_subject
from .search import lines_above, lines_below
from .syntax_refusal import syntax_problems
from .tiers import ANY_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk
    from ..core.problems import Problem
    from ..core.text import Text
    from .arrange import NumberedRange
    from .place import Place
    from .update import PlacedHunk


def slow_update(
    text: Text,
    hunks: Sequence[Hunk],
    dialect: Dialect,
    seconds: float,
    *,
    skip_applied: bool,
    syntax: bool,
    is_pristine: bool | None = None,
) -> tuple[str, list[PlacedHunk]]:
    """The raw text after all hunks, and where each of them went; its `syntax` is checked after loose matches.

    `is_pristine` is whether the hunks were made for this very text.

    Raises:
        PatchRejectedError: a hunk has no place, more than one, or can't be written.
    """
    after, deadline, one_by_one = text, monotonic() + seconds, dialect.several == "one_by_one"
    budget = SearchBudget()
    placed: list[PlacedHunk] = []
    refusals: list[Refusal] = []
    # The hunks that are placed together, each group in the result of those before, by the number of its first hunk.
    groups: list[tuple[int, Sequence[Hunk]]] = [(0, hunks)]
    if one_by_one:
        groups = [(number, [hunk]) for number, hunk in enumerate(hunks)]
    for first, group in groups:
        situation = Situation(after, group, dialect, deadline - monotonic(), first, len(hunks), is_pristine, budget)
        try:
            options = _place(situation, skip_applied=skip_applied)
        except PatchRejectedError:
            refusals = _conflicts(text, situation, placed) if placed else []
            if not refusals:
                raise
            break
        raw, places = _rewrite(after, [option.place for _, option in options], dialect)
        for (number, option), place in zip(options, places, strict=True):
            starts = [*(one.start for one in option.places), *option.left_out]
            placed.append((first + number, after.body, place, starts))
        after = after.with_raw(raw)
    if one_by_one and not refusals:
        _, refusals = _overlaps(placed)
    if refusals:
        raise PatchRejectedError(hunk_problems(Situation(text, hunks, dialect, 0.0), refusals))
    is_skipped = any("already_applied" in place.notes for _, _, place, _ in placed)
    if after.raw == text.raw and not is_skipped:
        if dialect.refuse_no_change:
            is_context = all(line[0] == " " for hunk in hunks for line in hunk.lines)
            raise PatchRejectedError([NoChange(Subject("hunk", text.path), is_context).problem()])
        placed = [(number, body, place.noted("no_change"), rivals) for number, body, place, rivals in placed]
    loose = {number: place.tier for number, _, place, _ in placed if place.tier != "exact"}
    if loose and syntax and dialect.cautious:
        problems = syntax_problems(text, after, loose, hunks)
        if problems:
            raise PatchRejectedError(problems)
    return after.raw, placed


def check_control(hunks: Sequence[Hunk], path: str) -> None:
    """Refuse hunks that add control characters (except tab and form feed) or lone surrogates."""
    problems: list[Problem] = []
    for number, hunk in enumerate(hunks):
        character = control_character("".join(hunk.added), "".join(hunk.old), allowed="\t\f")
        if character:
            problems.append(ControlCharacter(hunk_subject(hunks, number, path), ord(character)).problem())
    if problems:
        raise PatchRejectedError(problems)


def _place(situation: Situation, *, skip_applied: bool) -> list[tuple[int, Candidates]]:
    """The number of each hunk and its place; one that is applied already and skipped has one that changes nothing."""
    text, dialect = situation.text, situation.dialect
    hunks, skipped = list(situation.written), dict[int, Candidates]()
    while True:
        # Where the first place counts, what a skipped hunk left says from where on the next one is looked for.
        kept = [number for number in range(len(hunks)) if number not in skipped or dialect.several == "first"]
        kept_situation = situation
        if skipped:
            kept_hunks, seconds = [hunks[number] for number in kept], situation.deadline - monotonic()
            is_pristine, budget = situation.is_pristine, situation.budget
            kept_situation = Situation(text, kept_hunks, dialect, seconds, is_pristine=is_pristine, budget=budget)
        try:
            options, refusals = locate(kept_situation)
            if not refusals and skipped:
                refusals = _refuse_beside_skipped(situation, kept, options, skipped)
        except OutOfBudgetError:
            options, refusals = [], [Refusal("out_of_budget", kept_situation.latest)]
        if not refusals:
            placed = {kept[option.number]: option for option in options}
            return sorted((placed | skipped).items())
        # Refusals count the hunks that were kept; others count all of them.
        refusals = [one.replace(number=kept[one.number], other=kept[one.other]) for one in refusals]
        applied_lines = _made_before(situation, refusals, skipped) if skip_applied else {}
        if not applied_lines:
            raise PatchRejectedError(hunk_problems(situation, refusals))
        # Every round skips one hunk more, so there are at most as many as there are hunks.
        for number, line in applied_lines.items():
            hunk = hunks[number]
            skipped[number] = Candidates(number, hunk, [applied_place(hunk, text.rows[1][line - 1])])
            hunks[number] = hunk.replace(lines=tuple([" " + line for line in hunk.new]), bare=())


def _made_before(situation: Situation, refusals: Sequence[Refusal], skipped: Container[int]) -> dict[int, int]:
    """The hunks that were refused because they are applied already, and the lines at which their results are.

    Of many, the first are looked at, and the others in the next round. A quarter at a time keeps the rounds few.
    """
    first = refusals[: max(MOST_EXPLAINED, len(refusals) // 4)]
    lines = {one.number: line_made_before(situation, one) for one in first}
    return {number: line for number, line in lines.items() if line and number not in skipped}


def _refuse_beside_skipped(
    situation: Situation, kept: Sequence[int], options: Sequence[Candidates], skipped: Container[int]
) -> list[Refusal]:
    """Refuse hunks without anchors that follow skipped ones, if the block of those has their result already.

    Such a hunk is meant for the same block, so it would be applied a second time, in another one. `kept` has the number
    of each hunk that was placed, by which `options` and refusals count.
    """
    places = {kept[option.number]: option.place for option in options}
    refusals: list[Refusal] = []
    #: The anchors of the nearest skipped hunk above, until a hunk has anchors of its own.
    anchors_before: tuple[str, ...] = ()
    for number, hunk in enumerate(situation.hunks):
        if number in skipped:
            anchors_before = hunk.anchors or anchors_before
            continue
        if hunk.anchors or not anchors_before:
            anchors_before = ()
            continue
        situation.budget.spend(READS_PER_SEARCH * len(situation.text.body) * (1 + len(anchors_before)))
        block = find_anchors(situation, anchors_before)
        applied = find_applied(situation, hunk, block)
        is_placed_outside = number in places and not block.has(places[number].start)
        if applied and is_placed_outside:
            refusals.append(Refusal("already_applied", kept.index(number), applied))
    return refusals


def _overlaps(placed: Sequence[PlacedHunk], *more: NumberedRange) -> tuple[list[NumberedRange], list[Refusal]]:
    """What each hunk changed, as ranges of the text before all of them, and which of these and `more` overlap.

    An insertion beside a line that an earlier hunk added, and that is its context, says itself where it goes.
    """
    splices = [place.splices(body) for _, body, place, _ in placed]
    ranges_before = iter(trace(splices)[0])
    changes: list[NumberedRange] = []
    #: Where insertions go that are beside a line of an earlier hunk, and the numbers of their hunks.
    led: set[tuple[int, int]] = set()
    added_before: set[str] = set()
    for (number, body, place, _), splices_of_hunk in zip(placed, splices, strict=True):
        context_from_before = added_before.intersection(place.hunk.old)
        for one in splices_of_hunk:
            start, end = next(ranges_before)
            changes.append((start, end, number))
            is_insertion = one.start == one.end
            beside = [*islice(lines_above(body, one.start), 1), *islice(lines_below(body, one.start), 1)]
            if is_insertion and not context_from_before.isdisjoint(beside):
                led.add((start, number))
        added_before.update(place.hunk.added)
    refusals = [one for one in overlaps([*changes, *more]) if (one.starts[0], one.number) not in led]
    return changes, refusals


def _conflicts(original: Text, situation: Situation, placed: Sequence[PlacedHunk]) -> list[Refusal]:
    """Why the hunk after these has no place, told of the text before all; none where the result tells it best."""
    number, hunk = situation.first, situation.hunks[0]
    lines_lost = set(original.lines).difference(situation.text.lines)
    if lines_lost.isdisjoint(hunk.old):
        _, refusals = _overlaps(placed)
        return refusals
    # Lines that the file has are never called absent.
    seconds = situation.deadline - monotonic()
    options, refusals = locate(Situation(original, [hunk], situation.dialect, seconds))
    if refusals:
        return [refusals[0].replace(number=number)]
    body, place = original.body, options[0].place
    changes, refusals = _overlaps(placed, *[(one.start, one.end, number) for one in place.splices(body)])
    if refusals:
        return refusals
    end = place.end(body)
    others = (
        other for start_of_other, end_of_other, other in changes if start_of_other < end and place.start < end_of_other
    )
    return [Refusal("changed_before", number, (place.start,), other=next(others, number - 1))]


def _may_be_shifted(place: Place) -> bool:
    """Whether the lines of a place may be at another depth than those of its hunk."""
    return place.tier in ANY_DEPTH or place.tier == "similar"


def _rewrite(text: Text, places: Sequence[Place], dialect: Dialect) -> tuple[str, list[Place]]:
    """The raw text with all places changed, and these with their added lines at the file's depth.

    Only removed and added lines change: context is the file's, even where it matched loosely. The file keeps its final
    newline, or the lack of one, unless the patch or the dialect says otherwise.
    """
    body, newline = text.body, text.newline
    fitted_places = [fit_place(place, body, as_hunk=True) if _may_be_shifted(place) else place for place in places]
    ends_open = body != "" and body[-1] != "\n"
    if ends_open:
        text = text.with_raw(text.raw + newline)
    splices: list[Splice] = []
    for one in in_order([change for place in fitted_places for change in place.splices(body)]):
        start, end = text.raw_offset(one.start), text.raw_offset(one.end)
        splices.append(Splice(start, end, one.text.replace("\n", newline)))
    raw = splice(text.raw, splices)
    has_newline = not ends_open or dialect.final_newline == "added"
    for place in places:
        if place.hunk.no_newline:
            # The last hunk that says something about it counts.
            has_newline = place.hunk.no_newline == "old"
    if not raw or has_newline == raw.endswith(("\n", "\r")):
        return raw, fitted_places
    if has_newline:
        return raw + newline, fitted_places
    line_end_length = 2 if raw.endswith("\r\n") else 1
    return raw[:-line_end_length], fitted_places
