"""Hunks × text → places: candidates of each hunk at its strictest tier, after its anchors and before order.

`arrange` then chooses among them, and `refusals` has the last word. The invariant: in a dialect that refuses, no place
is returned that was not the only one under the rules.
"""

from __future__ import annotations

from bisect import bisect
from itertools import chain
from time import monotonic

from .anchors import find_anchors, inside_blocks
from .arrange import arrange, follows
from .limits import LINES_WITHOUT_ANCHOR, MOST_PLACES
from .place import Place, line_after
from .placement import Candidates, Refusal, Situation
from .readings import changes_nothing, is_blank, other_readings
from .refusals import refuse_place
from .search import find_at, find_block, lines_back
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk


def locate(situation: Situation) -> tuple[list[Candidates], list[Refusal]]:
    """The candidates of each hunk, of which one is its place, or the refusals of all hunks that have none."""
    dialect, body = situation.dialect, situation.text.body
    if dialect.several == "first":
        return _first_from_cursor(situation)
    refusals: list[Refusal] = []
    options: list[Candidates] = []
    idle: list[tuple[int, Candidates | Refusal | None]] = []
    #: What was found for a hunk of context: the next one is looked for below it, in the block that it opens first.
    context: Candidates | Refusal | None = None
    for number, hunk in enumerate(situation.hunks):
        if dialect.cautious and is_blank(hunk):
            idle.append((number, None))
            continue
        scope = context.place if isinstance(context, Candidates) else None
        found = candidates(situation, number, hunk, scope.start if scope else 0)
        if scope and isinstance(found, Candidates):
            _narrow(found, body, [start for start in scope.line_starts(body) if start is not None])
        if dialect.cautious and changes_nothing(hunk):
            context = None if isinstance(found, Candidates) and len(found.places) > 1 else found
            idle.append((number, context))
            continue
        if isinstance(context, Refusal) and sum(map(is_distinctive, hunk.old)) < LINES_WITHOUT_ANCHOR:
            refusals.append(context)
        context = None
        if isinstance(found, Candidates):
            options.append(found)
        else:
            refusals.append(found)
    if options:
        arrange(situation, options, refusals)
    if dialect.cautious and not refusals:
        refusals.extend(filter(None, (refuse_place(situation, option, option.place) for option in options)))
    if not refusals:
        _note_idle(idle, options)
    return options, refusals


def _note_idle(idle: Sequence[tuple[int, Candidates | Refusal | None]], options: list[Candidates]) -> None:
    """Put hunks that change nothing among the others; one without a place is noted on the place beside it."""
    for number, option in idle:
        before = bisect([other.number for other in options], number)
        if isinstance(option, Candidates):
            options.insert(before, option)
        if options:
            beside = options[min(before, len(options) - 1)]
            beside.place = beside.place.noted("no_op_hunk")


def candidates(situation: Situation, number: int, hunk: Hunk, cursor: int = 0) -> Candidates | Refusal:
    """All places for one hunk at its strictest tier, from the cursor on, after its own constraints; or why none."""
    if monotonic() > situation.deadline:
        return Refusal("out_of_time", number)
    body, dialect, start = situation.text.body, situation.dialect, cursor
    spots: list[int] | None = None
    notes: tuple[str, ...] = ()
    if hunk.anchors and dialect.anchors:
        spots, notes, missing = find_anchors(body, hunk.anchors, dialect.tiers)
        if not spots:
            return Refusal("anchor_missing", number, text=missing)
        start = max(start, next((spot for spot in spots if spot >= cursor), spots[0]))
    if hunk.no_newline in ("old", "both") and body[-1:] == "\n":
        return Refusal("ends_with_newline", number, (len(body) - 1,))
    if not hunk.old:
        return _insertion(situation, number, hunk, spots, notes)
    literal = (hunk, dialect.tiers, ())
    for reading, tiers, conceded in chain([literal], other_readings(situation.written[number], dialect)):
        old, low = reading.old, start
        if hunk.at_end or hunk.no_newline:
            low = max(start, lines_back(body, len(body) + (body[-1:] != "\n"), len(old)))
        found = find_block(body, old, tiers, low, situation.index)
        if found is not None:
            notes += conceded
            break
    else:
        if is_blank(hunk) and dialect.leave_out_last_blank:
            at = start if spots is None else line_after(body, start)
            empty = hunk.replace(lines=(), bare=())
            return Candidates(number, empty, [Place(empty, at, "exact", notes)])
        return _similar(situation, number, hunk, spots, start, notes)
    wanted = situation.copies[hunk.lines]
    if dialect.cautious and spots is None and len(found.starts) < wanted:
        # The same hunk several times has as many places, if need be at a looser tier.
        looser = (find_at(body, old, tier, low) for tier in dialect.tiers if tier in FOLDS)
        found = next((other for other in looser if len(other.starts) == wanted), found)
    if found.way is not None:
        from .escapes import decode_added

        decoded = decode_added(reading, found.way)
        if decoded is None:
            return Refusal("unclear_escapes", number, tuple(found.starts))
        reading, notes = decoded[0], notes + decoded[1]
    places = [Place(reading, place, found.tier, notes) for place in found.starts]
    return _narrow(Candidates(number, reading, places), body, spots)


def _narrow(found: Candidates, body: str, spots: Sequence[int] | None) -> Candidates:
    """Of several places, those inside the block of an anchor, if there are anchors and all of them are known."""
    spots = spots if spots and len(spots) < MOST_PLACES else ()
    inside = inside_blocks(body, spots, [place.start for place in found.places])
    found.anchored = bool(inside)
    if inside:
        found.keep([place for place in found.places if place.start in set(inside)])
    return found


def _insertion(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, notes: tuple[str, ...]
) -> Candidates | Refusal:
    """Places for a hunk of added lines alone: right after its anchor, at the end, or nowhere."""
    body, way = situation.text.body, situation.dialect.insertion
    starts = [len(body) + (body[-1:] not in ("", "\n"))]
    if not (hunk.at_end or hunk.no_newline == "new" or not body):
        if spots is None:
            way, notes = way if way == "or_at_end" else "never", (*notes, "inserted_at_end")
        else:
            starts = [line_after(body, spot) for spot in spots]
    if way == "never":
        return Refusal("no_context", number)
    return Candidates(number, hunk, [Place(hunk, start, "exact", notes) for start in starts])


def _similar(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, low: int, notes: tuple[str, ...]
) -> Candidates | Refusal:
    """Places at the last tier, where the dialect has it."""
    if "similar" not in situation.dialect.tiers:
        return Refusal("not_found", number)
    from .loose import find_loose

    body = situation.text.body
    places, rule = find_loose(situation.text, hunk, low, notes)
    is_last = hunk.at_end or hunk.no_newline
    if found := [place for place in places if not is_last or place.end(body) >= len(body)]:
        return _narrow(Candidates(number, hunk, found), body, spots)
    starts = tuple([place.start for place in places])
    return Refusal("misplaced" if starts else "not_found", number, starts, "similar", rule)


def _first_from_cursor(situation: Situation) -> tuple[list[Candidates], list[Refusal]]:
    """Each hunk at its first place behind the hunk before: what Codex does."""
    refusals: list[Refusal] = []
    options: list[Candidates] = []
    # Behind all old lines of the hunk before, or, where nothing follows these, behind what it changed.
    cursor = shared = 0
    body = situation.text.body
    last: Place | None = None
    for number, hunk in enumerate(situation.hunks):
        found = candidates(situation, number, hunk, cursor)
        if isinstance(found, Refusal):
            found = candidates(situation, number, hunk, shared)
        if isinstance(found, Refusal):
            refusals.append(found)
            continue
        found.place = place = next((place for place in found.places if place.start >= shared), found.places[0])
        if is_blank(hunk):
            # The next hunk is looked for below these lines first, but they don't say that it is there.
            found.place = place.noted("no_op_hunk")
            cursor = max(cursor, place.end(body))
        elif last is not None and not follows(last, place, body):
            refusals.append(Refusal("not_found", number))
            continue
        elif "inserted_at_end" not in place.notes:
            last = place
            shared = max([place.start, *(one.end for one in place.splices(body))])
            cursor = max(shared, place.end(body))
        options.append(found)
    return options, refusals
