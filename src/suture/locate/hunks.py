"""Hunks × text → places: anchors, tiers, order, uniqueness.

Candidates are found for each hunk at its strictest tier, after anchors and `*** End of File` have narrowed the text and
before order is looked at; `arrange` then chooses among them, and `refusals` has the last word. The invariant: in a
dialect that refuses, no place is returned that was not the only one under the rules.
"""

from __future__ import annotations

from time import monotonic

from .anchors import find_anchors, inside_blocks
from .arrange import arrange, follows, overlaps
from .limits import LINES_WITHOUT_ANCHOR, MOST_PLACES
from .place import Place, line_after
from .placement import Candidates, Situation
from .readings import changes_nothing, is_blank, other_readings
from .refusal import Refusal
from .refusals import refuse_place
from .search import find_at, find_block, lines_back
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk


def locate(situation: Situation) -> tuple[list[Place], list[Candidates], list[Refusal]]:
    """A place for each hunk, or the refusals of all hunks that have none."""
    dialect = situation.dialect
    if dialect.several == "first":
        return _first_from_cursor(situation)
    refusals: list[Refusal] = []
    options: list[Candidates] = []
    idle: list[tuple[int, Candidates | None]] = []
    scope: Candidates | None = None
    lost: Refusal | None = None
    for number, hunk in enumerate(situation.hunks):
        if dialect.cautious and is_blank(hunk):
            idle.append((number, None))
            continue
        if dialect.cautious and changes_nothing(hunk):
            found = _candidates_in(situation, number, hunk, scope)
            lost = None if isinstance(found, Candidates) else found
            scope = found if isinstance(found, Candidates) and found.is_unique else None
            idle.append((number, scope))
            continue
        if lost is not None and sum(map(is_distinctive, hunk.old)) < LINES_WITHOUT_ANCHOR:
            refusals.append(lost)
        lost = None
        found = _candidates_in(situation, number, hunk, scope)
        scope = None
        if isinstance(found, Candidates):
            options.append(found)
        else:
            refusals.append(found)
    places = arrange(situation, options, refusals) if options else []
    if dialect.cautious and not refusals:
        chosen = zip(options, places, strict=True)
        refusals.extend(filter(None, (refuse_place(situation, option, place) for option, place in chosen)))
    if not refusals:
        _note_idle(idle, options, places)
    return places, options, refusals


def _candidates_in(situation: Situation, number: int, hunk: Hunk, scope: Candidates | None) -> Candidates | Refusal:
    """The places of a hunk below the hunk of context before it, those in the block that it opens first."""
    if scope is None:
        return candidates(situation, number, hunk)
    body, top = situation.text.body, scope.places[0]
    found = candidates(situation, number, hunk, top.start)
    if not isinstance(found, Candidates):
        # Lines above the context that names their block are not the ones that are meant.
        return found
    spots = [top.start]
    while (after := line_after(body, spots[-1])) < top.end(body):
        spots.append(after)
    return _narrow(found, body, spots)


def _note_idle(idle: Sequence[tuple[int, Candidates | None]], options: list[Candidates], places: list[Place]) -> None:
    """Put hunks that change nothing among the others; one without a place is noted on the place beside it."""
    for number, option in idle:
        before = sum(other.number < number for other in options)
        if option is not None:
            options.insert(before, option)
            places.insert(before, option.places[0])
        elif options:
            before = min(before, len(places) - 1)
        else:
            continue
        place = places[before]
        place.notes = (*place.notes, "no_op_hunk")


def candidates(situation: Situation, number: int, hunk: Hunk, cursor: int = 0) -> Candidates | Refusal:
    """All places for one hunk at its strictest tier, from the cursor on, after its own constraints; or why none."""
    if monotonic() > situation.deadline:
        return Refusal("out_of_time", number)
    text, dialect = situation.text, situation.dialect
    body = text.body
    start = cursor
    spots: list[int] | None = None
    notes: tuple[str, ...] = ()
    if hunk.anchors and dialect.anchors:
        anchored = find_anchors(body, hunk.anchors, dialect.tiers)
        if anchored.missing is not None:
            return Refusal("anchor_missing", number, text=anchored.missing)
        spots = anchored.spots
        notes = anchored.notes
        start = max(start, next((spot for spot in spots if spot >= cursor), spots[0]))
    old = hunk.old
    if hunk.no_newline in ("old", "both") and body[-1:] == "\n":
        return Refusal("ends_with_newline", number)
    if not old:
        return _insertion(situation, number, hunk, spots, notes)
    at_end = hunk.at_end or hunk.no_newline
    reading = hunk
    low = max(start, _from_end(body, len(old))) if at_end else start
    found = find_block(body, old, dialect.tiers, low, situation.index)
    if found is None:
        for reading, tiers, conceded in other_readings(hunk, dialect):
            old = reading.old
            found = find_block(body, old, tiers, max(start, _from_end(body, len(old))) if at_end else start)
            if found is not None:
                notes += conceded
                break
        else:
            if is_blank(hunk) and dialect.leave_out_last_blank:
                at = start if spots is None else line_after(body, start)
                empty = hunk.replace(lines=(), bare=())
                return Candidates(number, empty, [Place(empty, at, "exact", notes)])
            return _similar(situation, number, hunk, spots, start, notes)
    wanted = situation.copies(hunk) if dialect.cautious else 1
    if len(found.starts) < wanted and reading is hunk and spots is None:
        # The same hunk several times has as many places, if need be at a looser tier.
        looser = (find_at(body, old, tier, low) for tier in dialect.tiers if tier in FOLDS)
        found = next((other for other in looser if len(other.starts) == wanted), found)
    tier, starts = found.tier, found.starts
    if found.way is not None:
        from .escapes import decode_added

        decoded = decode_added(reading, found.way)
        if decoded is None:
            return Refusal("unclear_escapes", number, tuple(starts))
        reading, notes = decoded[0], notes + decoded[1]
    places = [Place(reading, place, tier, notes) for place in starts]
    option = Candidates(number, reading, places, cut_short=len(starts) >= MOST_PLACES)
    return option if spots is None else _narrow(option, body, spots)


def _from_end(body: str, count: int) -> int:
    """Where the last `count` lines begin; behind the text where there are not so many."""
    end = len(body) if body[-1:] == "\n" or not body else len(body) + 1
    start = lines_back(body, end, count)
    return len(body) + 1 if start < 0 else start


def _narrow(found: Candidates, body: str, spots: Sequence[int]) -> Candidates:
    """Of several places, those inside the block of an anchor, if all anchors are known.

    Only for a place inside its block does an anchor speak.
    """
    if len(spots) < MOST_PLACES:
        inside = set(inside_blocks(body, spots, [place.start for place in found.places]))
        found.anchored = bool(inside)
        if inside and len(inside) < len(found.places):
            found.left_out = [place.start for place in found.places if place.start not in inside]
            found.places = [place for place in found.places if place.start in inside]
    return found


def _insertion(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, notes: tuple[str, ...]
) -> Candidates | Refusal:
    """Places for a hunk of added lines alone: right after its anchor, at the end, or nowhere."""
    body = situation.text.body
    end = len(body) + (1 if body and body[-1] != "\n" else 0)
    if situation.dialect.insertion == "never":
        return Refusal("no_context", number)
    if hunk.at_end or hunk.no_newline == "new" or (spots is None and not body):
        starts = [end]
    elif spots is not None:
        starts = [line_after(body, spot) for spot in spots]
    elif situation.dialect.insertion == "or_at_end":
        starts, notes = [end], (*notes, "inserted_at_end")
    else:
        return Refusal("no_context", number)
    places = [Place(hunk, start, "exact", notes) for start in starts]
    return Candidates(number, hunk, places, anchored=spots is not None, cut_short=len(starts) >= MOST_PLACES)


def _similar(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, low: int, notes: tuple[str, ...]
) -> Candidates | Refusal:
    """Places at the last tier, where the dialect has it."""
    if "similar" in situation.dialect.tiers:
        from .loose import find_loose

        body = situation.text.body
        search = find_loose(situation.text, hunk, low, notes)
        found = list(search.places)
        if not found:
            return Refusal("not_found", number, rule=search.rule)
        if hunk.at_end or hunk.no_newline:
            not_at_end = [place.start for place in found]
            found = [place for place in found if place.end(body) >= len(body)]
            if not found:
                return Refusal("misplaced", number, tuple(not_at_end), "similar")
        option = Candidates(number, hunk, found)
        return option if spots is None else _narrow(option, body, spots)
    return Refusal("not_found", number)


def _first_from_cursor(situation: Situation) -> tuple[list[Place], list[Candidates], list[Refusal]]:
    """Each hunk at its first place behind the hunk before: what Codex does.

    The cursor stands behind all old lines of the hunk before. Where nothing follows it, what that hunk did not change
    may be shared.
    """
    refusals: list[Refusal] = []
    places: list[Place] = []
    options: list[Candidates] = []
    cursor = shared = 0
    body = situation.text.body
    last: Place | None = None
    for number, hunk in enumerate(situation.hunks):
        found = candidates(situation, number, hunk, cursor)
        if not isinstance(found, Candidates) and shared < cursor:
            found = candidates(situation, number, hunk, shared)
        if not isinstance(found, Candidates):
            refusals.append(found)
            continue
        place = next((place for place in found.places if place.start >= shared), found.places[0])
        at_end = "inserted_at_end" in place.notes
        if is_blank(hunk):
            # The next hunk is looked for below these lines first, but they don't say that it is there.
            place.notes = (*place.notes, "no_op_hunk")
            places.append(place)
            options.append(found)
            cursor = max(cursor, place.end(body))
            continue
        if last is not None and not at_end and not follows(last, place, body):
            refusals.append(Refusal("not_found", number))
            continue
        places.append(place)
        options.append(found)
        if not at_end:
            last = place
            edits = place.splices(body)
            shared = edits[-1].end if edits else place.start
            cursor = max(shared, place.end(body))
    if not refusals and len(places) > 1:
        refusals.extend(overlaps(situation, places))
    return places, options, refusals
