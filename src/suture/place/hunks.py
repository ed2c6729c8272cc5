"""Hunks × text → places: candidates of each hunk at its strictest tier, after its anchors and before order.

`arrange` then chooses among them, and `refusals` has the last word. The invariant: in a dialect that refuses, no place
is returned that was not the only one under the rules.
"""

from __future__ import annotations

from time import monotonic

from ..core.search_budget import OutOfBudgetError
from .anchors import AnchorLines, find_anchors
from .arrange import arrange, follows
from .context_hunks import absent_line, note_idle
from .escapes import decode_added
from .insertions import place_insertion
from .limits import (
    CHARACTERS_PER_PLACE,
    CHARACTERS_PER_SCOPE,
    LINES_WITHOUT_ANCHOR,
    MOST_STACKED,
    READS_PER_SEARCH,
)
from .line_numbers import place_at_numbers, refuse_half_applied
from .loose import find_loose
from .place import Place, end_of_lines, line_after
from .placement import Candidates, Refusal, Situation
from .readings import EditReading, changes_nothing, is_blank, other_readings, with_whole_docstrings
from .reflow import find_reflowed
from .refusals import refuse_place
from .search import Occurrences, find_block, lines_back
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk


def locate(situation: Situation) -> tuple[list[Candidates], list[Refusal]]:
    """The candidates of each hunk, of which one is its place, or the refusals of all hunks that have none."""
    dialect = situation.dialect
    if dialect.several == "first":
        return _first_from_cursor(situation)
    at_numbers = place_at_numbers(situation) if dialect.cautious else None
    if at_numbers is not None:
        return at_numbers
    refusals: list[Refusal] = []
    options: list[Candidates] = []
    #: The hunks that change nothing, by their numbers, with their places.
    idle: list[tuple[int, Candidates | Refusal | None]] = []
    #: The hunk of context right before a hunk: its lines say where the hunk is.
    context: Candidates | Refusal | None = None
    for number, hunk in enumerate(situation.hunks):
        if dialect.cautious and is_blank(hunk):
            idle.append((number, None))
            continue
        try:
            if isinstance(context, Candidates):
                option = _below(situation, number, hunk, context.place)
            else:
                option = candidates(situation, number, hunk)
        except OutOfBudgetError:
            return [], [*refusals, Refusal("out_of_budget", number)]
        if dialect.cautious and changes_nothing(hunk):
            absent = absent_line(situation, hunk, option)
            if absent:
                refusals.append(Refusal("context_absent", number, text=absent))
            # Lines that are at several places don't say where the next hunk is.
            has_several = isinstance(option, Candidates) and len(option.places) > 1
            context = None if has_several else option
            idle.append((number, context))
            continue
        if isinstance(context, Refusal) and not _has_own_place(hunk):
            refusals.append(context)
        context = None
        if isinstance(option, Candidates):
            options.append(option)
        else:
            refusals.append(option)
    if options:
        arrange(situation, options, refusals)
    if dialect.cautious and not refusals:
        refusals += _refuse_places(situation, options)
    if not refusals:
        note_idle(idle, options)
    return options, refusals


def _has_own_place(hunk: Hunk) -> bool:
    """Whether a hunk has enough distinctive lines to be placed without the hunk of context before it."""
    return sum(map(is_distinctive, hunk.old)) >= LINES_WITHOUT_ANCHOR


def _refuse_places(situation: Situation, options: Sequence[Candidates]) -> list[Refusal]:
    """What speaks against the places that were chosen for the hunks: their results are in the file already."""
    refusals = [refuse_place(situation, option, option.place) for option in options]
    applied = [refusal for refusal in refusals if refusal is not None]
    if not applied and len(options) > 1:
        return refuse_half_applied(situation, options)
    return applied


def _below(situation: Situation, number: int, hunk: Hunk, lead: Place) -> Candidates | Refusal:
    """The candidates of a hunk below a hunk of context, those in the blocks of its lines first.

    `lead` is the place of the hunk of context.
    """
    spots = [start for start in lead.line_starts(situation.text.body) if start is not None]
    opened = AnchorLines(spots, [scope for scope in situation.scopes.scopes(spots) if scope.is_opened])
    option = candidates(situation, number, hunk, lead.start)
    if isinstance(option, Refusal):
        option = _anywhere(situation, number, hunk, opened) or option
    places = option.places if isinstance(option, Candidates) else []
    inside = [place for place in places if opened.has(place.start)]
    if isinstance(option, Candidates) and inside:
        option.anchored = True
        option.keep(inside)
        return option
    applied = find_applied(situation, hunk, opened)
    if applied:
        return Refusal("already_applied", number, applied)
    is_deletion_of_one = not hunk.added and not _has_own_place(hunk)
    if places and opened.scopes and is_deletion_of_one:
        # Nothing shows whether one line was deleted in the block before.
        text = next(filter(is_distinctive, lead.hunk.old), "")
        starts = tuple([place.start for place in places])
        return Refusal("outside_context", number, starts, places[0].tier, text=text)
    return option


def _anywhere(situation: Situation, number: int, hunk: Hunk, opened: AnchorLines) -> Candidates | None:
    """The one exact place of a hunk with several distinctive lines, also above the hunk of context before it.

    None of these lines may be in the blocks that the hunk of context opens: then it is about another version of them.
    """
    distinctive = {line.strip() for line in hunk.old if is_distinctive(line)}
    if len(distinctive) < LINES_WITHOUT_ANCHOR:
        return None
    for scope in opened.scopes:
        lines_of_block = situation.text.body[scope.start : scope.end].split("\n")
        if not distinctive.isdisjoint(map(str.strip, lines_of_block)):
            return None
    option = candidates(situation, number, hunk)
    if isinstance(option, Refusal) or len(option.places) > 1 or option.places[0].tier != "exact":
        return None
    return option


def candidates(situation: Situation, number: int, hunk: Hunk, cursor: int = 0) -> Candidates | Refusal:
    """All places where one hunk may go, or the reason why there is none.

    They are at the strictest tier that has any, from the cursor on, in the scopes of its anchors and below its heading.
    """
    if monotonic() > situation.deadline:
        return Refusal("out_of_time", number)
    body, dialect, start = situation.text.body, situation.dialect, cursor
    situation.latest = number
    situation.budget.spend(CHARACTERS_PER_PLACE)
    anchor_lines: AnchorLines | None = None
    if hunk.anchors and dialect.anchors:
        situation.budget.spend(READS_PER_SEARCH * len(body) * min(len(hunk.anchors), MOST_STACKED))
        anchor_lines = find_anchors(situation, hunk.anchors)
        situation.spend_on_scopes()
        if not anchor_lines.spots:
            return Refusal("anchor_missing", number, text=anchor_lines.missing)
        first_anchor = next((spot for spot in anchor_lines.spots if spot >= cursor), anchor_lines.spots[0])
        start = max(cursor, first_anchor)
    says_no_newline = hunk.no_newline in ("old", "both")
    if says_no_newline and body.endswith("\n"):
        return Refusal("ends_with_newline", number, (len(body) - 1,))
    if not body and _has_blank_old_lines(hunk) and any(hunk.added):
        # A blank line is what models see of an empty file.
        added = hunk.replace(lines=tuple([line for line in hunk.lines if line.startswith("+")]), bare=())
        return Candidates(number, added, [Place(added, 0, "exact", ("last_blank_left_out",))])
    if not hunk.old:
        return place_insertion(situation, number, hunk, anchor_lines)
    option = _search(situation, number, hunk, start, anchor_lines)
    if anchor_lines is None:
        return _without_other_headings(situation, option) if isinstance(option, Candidates) else option
    return _in_scopes(situation, option, hunk, anchor_lines)


def _has_blank_old_lines(hunk: Hunk) -> bool:
    """Whether a hunk has old lines, and all of them are blank."""
    return bool(hunk.old) and not any(map(str.strip, hunk.old))


def _in_scopes(
    situation: Situation, option: Candidates | Refusal, hunk: Hunk, anchor_lines: AnchorLines
) -> Candidates | Refusal:
    """The candidates of a hunk with an anchor, or why they are refused: by what is in the scopes of that anchor."""
    if situation.dialect.refuse_repeats:
        has_place = isinstance(option, Candidates) and any(anchor_lines.has(place.start) for place in option.places)
        applied = find_applied(situation, hunk, anchor_lines, has_place=has_place)
        if applied:
            return Refusal("already_applied", option.number, applied)
    if isinstance(option, Candidates):
        option.cut_short = option.cut_short or not anchor_lines.is_known
        return option
    return _outside(situation, option, anchor_lines)


def _search(
    situation: Situation, number: int, hunk: Hunk, start: int, anchor_lines: AnchorLines | None
) -> Candidates | Refusal:
    """The places of a hunk at its strictest tier, from an offset on and in the scopes of its anchor."""
    body, dialect = situation.text.body, situation.dialect
    notes = () if anchor_lines is None else anchor_lines.notes
    for reading, tiers, concessions in _readings(situation, number, hunk):
        low = start
        if reading.at_end or reading.no_newline:
            low = max(start, lines_back(body, end_of_lines(body), len(reading.old)))
        occurrences = _find_in_scopes(situation, reading.old, tiers, low, anchor_lines)
        if occurrences is not None:
            return _options(number, reading, occurrences, notes + concessions, anchor_lines)
    if is_blank(hunk) and dialect.leave_out_last_blank:
        at = start if anchor_lines is None else line_after(body, start)
        empty = hunk.replace(lines=(), bare=())
        return Candidates(number, empty, [Place(empty, at, "exact", notes)])
    if hunk.is_block and dialect.lenient:
        reflowed = _reflowed(situation, number, hunk)
        if reflowed is not None:
            return reflowed
    return _similar(situation, number, hunk, anchor_lines, start, notes)


def _readings(situation: Situation, number: int, hunk: Hunk) -> Iterator[tuple[Hunk, Sequence[str], tuple[str, ...]]]:
    """The ways to read a hunk, the literal one first, each with the tiers at which it may match and its concessions."""
    body, dialect = situation.text.body, situation.dialect
    yield hunk, dialect.tiers, ()
    yield from other_readings(situation.written[number], dialect, body)
    if dialect.lenient:
        for reading in with_whole_docstrings(hunk, body):
            yield reading, ("exact",), ("docstring_shortened",)


def _options(
    number: int, hunk: Hunk, occurrences: Occurrences, notes: tuple[str, ...], anchor_lines: AnchorLines | None
) -> Candidates | Refusal:
    """The places of a hunk where its old lines occur, only those in the scopes of its anchor if there are any."""
    if occurrences.way is not None:
        decoded = decode_added(hunk, occurrences.way)
        if decoded is None:
            return Refusal("unclear_escapes", number, tuple(occurrences.starts))
        hunk, more_notes = decoded
        notes += more_notes
    places = [Place(hunk, start, occurrences.tier, notes) for start in occurrences.starts]
    option = Candidates(number, hunk, places)
    if anchor_lines is not None:
        inside = [place for place in places if anchor_lines.has(place.start)]
        if inside:
            option.anchored = all(anchor_lines.opens(place.start) for place in inside)
            option.keep(inside)
    return option


def _reflowed(situation: Situation, number: int, hunk: Hunk) -> Candidates | None:
    """The places where the file breaks the lines of a SEARCH/REPLACE block differently, which has no anchor."""
    places = find_reflowed(situation.text, EditReading("\n".join(hunk.old), "\n".join(hunk.new)))
    return Candidates(number, hunk, places) if places else None


def _find_in_scopes(
    situation: Situation, old: Sequence[str], tiers: Sequence[str], low: int, anchor_lines: AnchorLines | None
) -> Occurrences | None:
    """Where lines occur at the strictest tier that has a place; None if they have none that their anchor allows.

    A dialect may allow any place below the anchor, or only those in its scope and, if there are none, those where the
    lines begin the next block. Only the strictest tier counts: a looser place in the scope is none, because a stricter
    one outside contradicts the anchor. Places outside are given, too, where some are inside: they are rivals.
    """
    occurrences = _find_counted(situation, old, tiers, low)
    if occurrences is None or anchor_lines is None or not anchor_lines.is_known:
        return occurrences
    situation.budget.spend(len(occurrences.starts) * len(anchor_lines.scopes) * CHARACTERS_PER_SCOPE)
    if situation.dialect.anchor_scope == "below" or any(map(anchor_lines.has, occurrences.starts)):
        return occurrences
    in_next_block = [start for start in occurrences.starts if _begins_next_block(situation, old, start, anchor_lines)]
    return occurrences.replace(starts=in_next_block) if in_next_block else None


def _find_counted(situation: Situation, old: Sequence[str], tiers: Sequence[str], low: int) -> Occurrences | None:
    """Where lines are at the strictest tier that has a place. What the index has is found without reading the file."""
    body, index, budget = situation.text.body, situation.index, situation.budget
    occurrences: Occurrences | None = None
    if index is not None:
        budget.spend(min(len(index.get(line, ())) for line in old) * CHARACTERS_PER_PLACE)
        occurrences = find_block(body, old, ("exact",), low, index)
    if occurrences is None:
        budget.spend(READS_PER_SEARCH * len(body))
        occurrences = find_block(body, old, tiers, low, index)
    if occurrences is not None:
        budget.spend(len(occurrences.starts) * CHARACTERS_PER_PLACE)
    return occurrences


def _begins_next_block(situation: Situation, old: Sequence[str], start: int, anchor_lines: AnchorLines) -> bool:
    """Whether old lines, found at an offset, are right behind a scope of their anchor and open the next block there.

    Their first line names that block better than the anchor names the one before it.
    """
    body = situation.text.body
    if not anchor_lines.has_behind(start, body):
        return False
    for line in old:
        if line.strip():
            scopes = situation.scopes.scopes([start])
            return is_distinctive(line) and any(scope.is_opened for scope in scopes)
        start = line_after(body, start)
    return False


def find_applied(
    situation: Situation, hunk: Hunk, anchor_lines: AnchorLines, *, has_place: bool = False
) -> tuple[int, ...]:
    """Where the result of a hunk is in the scopes of its anchor, if it is no part of its old lines: one start, or none.

    Two kinds of results count only if the hunk has no place there: one at a different depth; and one that is not
    distinctive, in a dialect that takes any place below the anchor, because the next place would be in another block.
    """
    is_distinct = any(map(is_distinctive, hunk.new))
    is_last_chance = not has_place and situation.dialect.anchor_scope == "below" and any(hunk.added)
    if not is_distinct and not is_last_chance:
        return ()
    if not anchor_lines.scopes or _is_part_of(hunk.new, hunk.old):
        return ()
    may_be_at_any_depth = is_distinct and not has_place
    tiers = ("exact", "trailing", "indent") if may_be_at_any_depth else ("exact",)
    results = find_block(situation.text.body, hunk.new, tiers, anchor_lines.spots[0], situation.index)
    if results is None:
        return ()
    for start in results.starts:
        if anchor_lines.has(start):
            return (start,)
    return ()


def _is_part_of(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether lines are a part of others, one after another, indentation aside."""
    part, whole = ("".join([f"\n{line.strip()}" for line in lines]) + "\n" for lines in (new, old))
    return part in whole


def _outside(situation: Situation, refusal: Refusal, anchor_lines: AnchorLines) -> Refusal:
    """Why a hunk has no place in the scope of its anchor: its lines are outside of it, if they are anywhere."""
    if refusal.kind not in ("not_found", "misplaced") or situation.dialect.anchor_scope != "block":
        return refusal
    hunk = situation.hunks[refusal.number]
    elsewhere = find_block(situation.text.body, hunk.old, situation.dialect.tiers)
    if elsewhere is None or not anchor_lines.is_known:
        return refusal
    scope = (anchor_lines.scopes[0].start, anchor_lines.scopes[0].end)
    return Refusal(
        "outside_scope", refusal.number, tuple(elsewhere.starts), elsewhere.tier, text=hunk.anchors[-1], scope=scope
    )


def _without_other_headings(situation: Situation, option: Candidates) -> Candidates | Refusal:
    """The places of a hunk of a diff, without those below another heading than the one that it names."""
    heading, places = option.hunk.heading, option.places
    if not heading or not situation.dialect.cautious:
        return option
    below = [place for place in places if situation.is_below_heading(place.start, heading)]
    if not below:
        starts = tuple([place.start for place in places])
        return Refusal("other_heading", option.number, starts, places[0].tier, text=heading)
    if len(below) < len(places):
        option.keep(below)
    return option


def _similar(
    situation: Situation, number: int, hunk: Hunk, anchor_lines: AnchorLines | None, start: int, notes: tuple[str, ...]
) -> Candidates | Refusal:
    """The places of a hunk at the tier `similar`, from an offset on and in the scopes of its anchor.

    It is the last tier, and not every dialect has it.
    """
    if "similar" not in situation.dialect.tiers:
        return Refusal("not_found", number)

    body = situation.text.body
    loose_places, forbidding_rule = find_loose(situation.text, hunk, start, notes)
    places = list(loose_places)
    if hunk.at_end or hunk.no_newline:
        places = [place for place in places if place.end(body) >= len(body)]
    if anchor_lines is not None and anchor_lines.is_known:
        inside = [place for place in places if anchor_lines.has(place.start)]
        places = inside or [one for one in places if _begins_next_block(situation, hunk.old, one.start, anchor_lines)]
    if not places:
        starts = tuple([place.start for place in loose_places])
        kind = "misplaced" if loose_places else "not_found"
        return Refusal(kind, number, starts, "similar", forbidding_rule)
    option = Candidates(number, hunk, places)
    option.anchored = anchor_lines is not None and all(anchor_lines.opens(place.start) for place in places)
    return option


def _first_from_cursor(situation: Situation) -> tuple[list[Candidates], list[Refusal]]:
    """Each hunk at its first place behind the hunk before: what Codex does.

    A hunk is looked for behind all old lines of the hunk before it and, if it is not there, behind what that one has
    changed: it may share the context below that.
    """
    refusals: list[Refusal] = []
    options: list[Candidates] = []
    behind_lines = behind_changes = 0
    body = situation.text.body
    last: Place | None = None
    for number, hunk in enumerate(situation.hunks):
        option = candidates(situation, number, hunk, behind_lines)
        if isinstance(option, Refusal):
            option = candidates(situation, number, hunk, behind_changes)
        if isinstance(option, Refusal):
            refusals.append(option)
            continue
        place = next((place for place in option.places if place.start >= behind_changes), option.places[0])
        option.place = place
        if is_blank(hunk):
            # The next hunk is looked for below these lines first, but they don't say that it is there.
            option.place = place.noted("no_op_hunk")
            behind_lines = max(behind_lines, place.end(body))
        elif last is not None and not follows(last, place, body):
            refusals.append(Refusal("not_found", number))
            continue
        elif not option.is_appended:
            last = place
            behind_changes = max([place.start, *(one.end for one in place.splices(body))])
            behind_lines = max(behind_changes, place.end(body))
        options.append(option)
    return options, refusals
