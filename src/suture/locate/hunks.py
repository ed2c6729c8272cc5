"""Hunks × text → places: anchors, tiers, order, uniqueness.

Candidates are found for each hunk at its strictest tier, after anchors and `*** End of File` have narrowed the text and
before order is looked at. An arrangement is then unique if and only if the leftmost and the rightmost one are the same,
which takes two passes and no search. The invariant: in a dialect that refuses, no place is returned that was not the
only one under the rules.
"""

from __future__ import annotations

from time import monotonic

from ..indentation import shift_between
from . import explain
from .anchors import find_anchors, inside_blocks
from .ladder import FOLDS, says_something
from .place import Place, exact_edit, line_after
from .readings import other_readings, without_last_blank
from .search import MOST_PLACES, find_block, lines_back, lines_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..dialect import Dialect
    from ..patch import Hunk
    from ..problems import Problem
    from ..text import Text


_FOLD = FOLDS["whitespace"]
_SHIFTED = frozenset({"indent", "punctuation", "whitespace"})


class Candidates:
    """The places where one hunk may go, and those that a constraint left out."""

    __slots__ = ("anchored", "cut_short", "hunk", "left_out", "number", "places")

    def __init__(
        self,
        number: int,
        hunk: Hunk,
        places: list[Place],
        *,
        anchored: bool = False,
        cut_short: bool = False,
        left_out: Sequence[int] = (),
    ) -> None:
        self.number = number
        self.hunk = hunk
        self.places = places
        self.anchored = anchored
        self.cut_short = cut_short
        self.left_out = left_out

    def rivals(self) -> list[int]:
        """The offsets of all places that fitted, but for the chosen one's being among them."""
        return [*(place.start for place in self.places), *self.left_out] if len(self.places) > 1 or self.left_out else []


class Situation:
    """What a hunk is placed in: the text, all hunks of the update, and the dialect. Explanations need the same."""

    __slots__ = ("deadline", "dialect", "hunks", "text")

    def __init__(self, text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float) -> None:
        self.text = text
        self.hunks = hunks
        self.dialect = dialect
        self.deadline = monotonic() + seconds


def locate(
    text: Text, hunks: Sequence[Hunk], dialect: Dialect, seconds: float = 10.0
) -> tuple[Sequence[Place], Sequence[Candidates], Sequence[Problem]]:
    """A place for each hunk, or the problems of all hunks that have none."""
    if text.raw is text.body and dialect.several == "refuse" and (found := _plain(text.body, hunks)) is not None:
        return found, (), ()
    situation = Situation(text, hunks, dialect, seconds)
    if dialect.several == "first":
        return _first_from_cursor(situation)
    problems: list[Problem] = []
    options: list[Candidates] = []
    for number, hunk in enumerate(hunks):
        found = candidates(situation, number, hunk)
        if isinstance(found, Candidates):
            options.append(found)
        else:
            problems.append(found)
    places = _arrange(situation, options, problems)
    if dialect.cautious and not problems:
        _refuse_repetition(situation, options, places, problems)
    if dialect.cautious and not problems:
        _refuse_rivals(situation, options, places, problems)
    return places, options, problems


def _plain(body: str, hunks: Sequence[Hunk]) -> list[Place] | None:
    """The places of hunks that each stand exactly once, in order, where no rule has anything to say; None otherwise.

    Most hunks are like that. What this decides, the long way decides alike; it is only slower. For a body that is the
    file's text as it stands, every ending an LF.
    """
    places: list[Place] = []
    behind = -1
    for hunk in hunks:
        lines = hunk.lines
        if hunk.anchors or hunk.at_end or hunk.no_newline or hunk.bare:
            return None
        block = "\n".join([line[1:] for line in lines if line[0] != "+"])
        start = body.find(block)
        end = start + len(block)
        if start < 0 or not block or body[end : end + 1] != "\n" or (start and body[start - 1] != "\n"):
            return None
        if body.find(block, start + 1) >= 0:
            return None
        edit = exact_edit(lines, start, end + 1)
        if edit is None or edit.start <= behind:
            return None
        if "+" in (lines[0][0], lines[-1][0]) and all([line[0] != "-" for line in lines]):
            return None
        if len(edit.added) > 2 and body.find("\n".join([line[1:] for line in lines if line[0] != "-"])) >= 0:
            return None
        behind = edit.end
        places.append(Place(hunk, start, "exact", whole=edit))
    return places


def candidates(situation: Situation, number: int, hunk: Hunk, cursor: int = 0) -> Candidates | Problem:
    """All places for one hunk at its strictest tier, from the cursor on, after its own constraints; or why none."""
    if monotonic() > situation.deadline:
        return explain.out_of_time(situation, number)
    text, dialect = situation.text, situation.dialect
    body = text.body
    start = cursor
    spots: list[int] | None = None
    notes: tuple[str, ...] = ()
    if hunk.anchors and dialect.anchors:
        anchored = find_anchors(body, hunk.anchors)
        if anchored.missing is not None:
            return explain.anchor_missing(situation, number, anchored.missing)
        spots = anchored.spots
        if anchored.shortened:
            notes = ("anchor_shortened",)
        start = max(start, next((spot for spot in spots if spot >= cursor), spots[0]))
    old = hunk.old
    if not old:
        return _insertion(situation, number, hunk, spots, notes)
    at_end = hunk.at_end or hunk.no_newline
    reading = hunk
    found = find_block(body, old, dialect.tiers, max(start, _from_end(body, len(old))) if at_end else start)
    if found is None:
        for reading, tiers, conceded in other_readings(hunk, dialect):
            old = reading.old
            found = find_block(body, old, tiers, max(start, _from_end(body, len(old))) if at_end else start)
            if found is not None:
                notes += conceded
                break
        else:
            return _similar(situation, number, hunk, spots, start, notes)
    tier, undone, starts = found.tier, found.undone, found.starts
    places = [Place(reading, place, tier, notes, undone=undone) for place in starts]
    option = Candidates(number, reading, places, cut_short=len(starts) >= MOST_PLACES)
    return option if spots is None else _narrow(option, body, spots)


def _from_end(body: str, count: int) -> int:
    """Where the last `count` lines begin; behind the text where there are not so many."""
    end = len(body) if body[-1:] == "\n" or not body else len(body) + 1
    start = lines_back(body, end, count)
    return len(body) + 1 if start < 0 else start


def _narrow(found: Candidates, body: str, spots: Sequence[int]) -> Candidates:
    """Of several places, those inside the block of an anchor."""
    found.anchored = True
    if len(found.places) > 1:
        inside = set(inside_blocks(body, spots, [place.start for place in found.places]))
        if inside and len(inside) < len(found.places):
            found.left_out = [place.start for place in found.places if place.start not in inside]
            found.places = [place for place in found.places if place.start in inside]
    return found


def _insertion(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, notes: tuple[str, ...]
) -> Candidates | Problem:
    """Places for a hunk of added lines alone: right after its anchor, at the end, or nowhere."""
    body = situation.text.body
    end = len(body) + (1 if body and body[-1] != "\n" else 0)
    if situation.dialect.insertion == "never":
        return explain.no_context(situation, number)
    if hunk.at_end or hunk.no_newline == "new" or (spots is None and not body):
        starts = [end]
    elif spots is not None:
        starts = [line_after(body, spot) for spot in spots]
    elif situation.dialect.insertion == "or_at_end":
        starts, notes = [end], (*notes, "inserted_at_end")
    else:
        return explain.no_context(situation, number)
    places = [Place(hunk, start, "exact", notes) for start in starts]
    return Candidates(number, hunk, places, anchored=spots is not None, cut_short=len(starts) >= MOST_PLACES)


def _similar(
    situation: Situation, number: int, hunk: Hunk, spots: list[int] | None, low: int, notes: tuple[str, ...]
) -> Candidates | Problem:
    """Places at the last tier, where the dialect has it."""
    if "similar" in situation.dialect.tiers:
        from .similar import find_similar

        body = situation.text.body
        found = find_similar(situation.text, hunk, low, notes)
        if found and (hunk.at_end or hunk.no_newline):
            not_at_end = [place.start for place in found]
            found = [place for place in found if place.end(body) >= len(body)]
            if not found:
                return explain.misplaced(situation, number, not_at_end, "similar")
        if found:
            option = Candidates(number, hunk, found)
            return option if spots is None else _narrow(option, body, spots)
    return explain.not_found(situation, number)


def _arrange(situation: Situation, options: list[Candidates], problems: list[Problem]) -> list[Place]:
    """The only arrangement of all hunks, or problems."""
    if situation.dialect.cautious:
        for option in options:
            if not _is_telling(situation, option):
                problems.append(explain.several(situation, option))
        if problems:
            return []
    if len(options) == 1 and len(options[0].places) == 1:
        return options[0].places
    body = situation.text.body
    left, right = _leftmost(options, body), _rightmost(options, body)
    if left is not None and right is not None and left != right:
        _use_hints(situation.text, options, left, right)
        left, right = _leftmost(options, body), _rightmost(options, body)
    if left is None or right is None:
        several = [option for option in options if len(option.places) > 1 or option.cut_short]
        problems.extend(explain.several(situation, option) for option in several)
        if problems:
            return []
        left = right = [option.places[0] for option in options]
        loose = [option for option in options if option.places[0].tier == "similar"]
        if loose:
            # A place that is merely similar needs the order to speak for it.
            problems.extend(explain.not_found(situation, option.number) for option in loose)
            return []
        for place in left:
            place.notes = (*place.notes, "out_of_order")
    for option, one, other in zip(options, left, right, strict=True):
        if one is not other or option.cut_short:
            problems.append(explain.several(situation, option))
    if not problems and len(left) > 1:
        problems.extend(_overlaps(situation, left))
    return left


def _leftmost(options: Sequence[Candidates], body: str) -> list[Place] | None:
    """Each hunk at its first place that follows the hunk before."""
    chosen: list[Place] = []
    for option in options:
        for place in option.places:
            if not chosen or _follows(chosen[-1], place, body):
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
            if not chosen or _follows(place, chosen[-1], body):
                chosen.append(place)
                break
        else:
            return None
    chosen.reverse()
    return chosen


def _follows(before: Place, after: Place, body: str) -> bool:
    """Whether all that `after` changes lies behind all that `before` changes. Context may be shared."""
    edits_before, edits_after = before.edits(body), after.edits(body)
    if not edits_before or not edits_after:
        return before.start <= after.start
    last, first = edits_before[-1], edits_after[0]
    if last.start == last.end == first.start == first.end:
        return False
    return last.end <= first.start


def _use_hints(text: Text, options: Sequence[Candidates], left: Sequence[Place], right: Sequence[Place]) -> None:
    """Let a line number break a tie among the places that the order leaves, where it names one's line exactly."""
    for option, first, last in zip(options, left, right, strict=True):
        if option.hunk.hint is not None and first is not last:
            ordered = [place for place in option.places if first.start <= place.start <= last.start]
            named = [place for place in ordered if text.line_number(place.start) == option.hunk.hint]
            if named:
                option.left_out = [place.start for place in option.places if place not in named]
                option.places = named
                named[0].notes = (*named[0].notes, "line_hint")


def _is_telling(situation: Situation, option: Candidates) -> bool:
    """Whether the hunk's lines say enough to tell its place from others.

    Without a line that says something a hunk needs the only place in the file. Where one such line is all there is, and
    lines come in on one side of it only, that line must not stand elsewhere; nor may a blank line that could be mere
    layout be all that tells two places apart.
    """
    hunk, places = option.hunk, option.places
    lines = hunk.lines
    removes = any([line[0] == "-" for line in lines])
    if option.anchored or hunk.at_end or (removes and len(places) == 1 and places[0].tier == "exact" and not hunk.bare):
        return True
    body, tiers = situation.text.body, situation.dialect.tiers
    telling = [line[1:] for line in lines if line[0] != "+" and says_something(line)]
    if not telling:
        return len(places) == 1 and places[0].tier in ("exact", "trailing")
    if len(lines) - 1 in hunk.bare and not lines[-1].strip():
        shorter = without_last_blank(hunk)
        found = find_block(body, shorter.old, tiers) if shorter is not None else None
        if found is not None and len(found.starts) > len(places):
            option.left_out = found.starts
            return False
    one_sided = not removes and (lines[0][0] == "+" or lines[-1][0] == "+")
    if one_sided and places[0].tier in _SHIFTED and not _is_evenly_shifted(places[0], body):
        return False
    if one_sided and len(telling) == 1 and len(places) == 1 and sum(line[0] == " " for line in lines) > 1:
        found = find_block(body, telling, tiers[:1] if places[0].tier == "exact" else tiers)
        if found is not None and len(found.starts) > 1:
            option.left_out = found.starts
            return False
    return True


def _is_evenly_shifted(place: Place, body: str) -> bool:
    """Whether the file's lines differ from the hunk's by one shift of their indentation."""
    pairs = [(old, line) for old, line in zip(place.hunk.old, place.file_lines(body), strict=True) if line is not None]
    return shift_between((), pairs) is not None


def _refuse_rivals(
    situation: Situation, options: Sequence[Candidates], places: Sequence[Place], problems: list[Problem]
) -> None:
    """Refuse a loose place where another one has more of the hunk's lines just as they are, or nearly as many."""
    for option, place in zip(options, places, strict=True):
        if place.tier in ("exact", "trailing", "escapes") or option.anchored or len(place.hunk.lines) < 2:
            continue
        from .similar import best_elsewhere

        rival = best_elsewhere(situation.text, place)
        if rival is not None:
            option.left_out = [rival]
            problems.append(explain.several(situation, option))


def _refuse_repetition(
    situation: Situation, options: Sequence[Candidates], places: Sequence[Place], problems: list[Problem]
) -> None:
    """Refuse a hunk whose result is there already: it was most likely applied before."""
    body = situation.text.body
    for option, place in zip(options, places, strict=True):
        hunk, exact = place.hunk, place.tier == "exact"
        added = hunk.added
        # Where only white space changes, a loose look at the new text would see the old one.
        only_space = not exact and list(map(_FOLD, hunk.old)) == list(map(_FOLD, hunk.new))
        inserts = not exact and not hunk.removed
        doubtful = place.tier == "similar" or only_space or inserts or "last_blank_left_out" in place.notes
        if not added or (not doubtful and sum(map(says_something, added)) < 3):
            continue
        tiers = situation.dialect.tiers[: 1 if exact or only_space else 5]
        found = find_block(body, situation.hunks[option.number].new, tiers)
        if found is None and place.tier == "similar":
            found = next(filter(None, (find_block(body, run, tiers) for run in _telling_runs(hunk))), None)
        there = found.starts[0] if found is not None else None if exact else _already_inserted(place, body)
        if there is not None:
            problems.append(explain.already_applied(situation, option.number, there))


def _already_inserted(place: Place, body: str) -> int | None:
    """Where lines that only come in stand already, right behind the point where they would."""
    for edit in place.edits(body):
        if edit.start == edit.end and any(map(says_something, edit.added)):
            there = lines_from(body, edit.start, len(edit.added))
            if there is not None and list(map(_FOLD, there)) == list(map(_FOLD, edit.added)):
                return edit.start
    return None


def _telling_runs(hunk: Hunk) -> Iterator[list[str]]:
    """The runs of added lines of which two or more say something."""
    run: list[str] = []
    for line in (*hunk.lines, " "):
        if line[0] == "+":
            run.append(line[1:])
        else:
            if sum(map(says_something, run)) > 1:
                yield run
            run = []


def _overlaps(situation: Situation, places: Sequence[Place]) -> list[Problem]:
    """A problem for each pair of neighbouring edits of two hunks that coincide or overlap."""
    edits = sorted(
        ((edit.start, edit.end, number) for number, place in enumerate(places) for edit in place.edits(situation.text.body)),
        key=lambda edit: edit[:2],
    )
    problems: list[Problem] = []
    for (start, end, one), (next_start, next_end, other) in zip(edits, edits[1:], strict=False):
        same_point = start == end == next_start == next_end
        if one != other and (next_start < end or same_point):
            problems.append(explain.overlapping(situation, min(one, other), max(one, other), next_start))
    return problems


def _first_from_cursor(situation: Situation) -> tuple[list[Place], list[Candidates], list[Problem]]:
    """Each hunk at its first place behind the hunk before: what Codex does.

    The cursor stands behind all old lines of the hunk before. Where nothing follows it, what that hunk did not change
    may be shared.
    """
    problems: list[Problem] = []
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
            problems.append(found)
            continue
        place = next((place for place in found.places if place.start >= shared), found.places[0])
        at_end = "inserted_at_end" in place.notes
        if last is not None and not at_end and not _follows(last, place, body):
            problems.append(explain.not_found(situation, number))
            continue
        places.append(place)
        options.append(found)
        if not at_end:
            last = place
            edits = place.edits(body)
            shared = edits[-1].end if edits else place.start
            cursor = max(shared, place.end(body))
    if not problems and len(places) > 1:
        problems.extend(_overlaps(situation, places))
    return places, options, problems
