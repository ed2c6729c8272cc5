"""Refusals as causes: for each kind of refusal the evidence that its answer shows. No text is made here."""

from __future__ import annotations

from ..core.dialect import END_OF_FILE, NO_NEWLINE, STANDARD
from ..core.problems import hunk_ref
from ..words import bad_edit, made_already, no_place, other_place
from ..words.answer_room import share_room
from ..words.edit_phrases import Subject
from ..words.message_limits import LINES_AROUND, MOST_SHOWN_LINES
from ..words.place_lines import NewLines, NoOwnLine, NumberedLine, OwnLines
from ..words.uncertain_place import UNCERTAIN, Several, UnevenDepthOfOld
from . import limits
from .anchors import find_anchors
from .made_before import find_result, is_nearer_than_old, nearest_to, rows_between, tells_result
from .nearest_lines import (
    changed_indices,
    find_changed_result,
    find_difference,
    lay_lines,
    lines_at,
    numbered,
    numbers_of,
)
from .nearest_place import close_line, find_near_places
from .placement import Situation
from .search import find_block
from .several_places import blocks_around, brief_places, tell_places_apart
from .tiers import FOLDING, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ..core.patch import Hunk
    from ..core.problems import Problem
    from ..core.text import Text
    from ..words.edit_phrases import Kind, PlacementCause
    from ..words.place_lines import NearestPlace, PlaceLines
    from .placement import Refusal
    from .readings import EditReading


def hunk_problems(situation: Situation, refusals: Sequence[Refusal]) -> list[Problem]:
    """The problems of all hunks that have no place."""
    causes = [
        _Evidence(situation, refusal, _kind(situation.hunks[0]), is_brief=number >= limits.MOST_EXPLAINED).cause()
        for number, refusal in enumerate(refusals)
    ]
    if len(causes) > 1:
        causes = share_room(causes)
    return [cause.problem() for cause in causes]


def edit_problem(text: Text, edit: EditReading, refusal: Refusal, *, brief: bool = False) -> Problem:
    """The problem of a string edit that has no place; if it is `brief`, without evidence that takes searches."""
    situation = Situation(text, (edit.hunk,), STANDARD, 0.0)
    return _Evidence(situation, refusal, "edit", is_brief=brief).cause().problem()


def hunk_subject(hunks: Sequence[Hunk], number: int, path: str) -> Subject:
    """One of the hunks of an update, of which some may be blocks."""
    hunk = hunks[number]
    return Subject(_kind(hunk), path, hunk_ref(hunk, number + 1, len(hunks)))


def not_a_line(hunks: Sequence[Hunk], number: int, path: str, line: str, *, is_anchor: bool) -> Problem:
    """The problem of a hunk with a line, or an anchor, that no patch text could contain."""
    return bad_edit.NotALine(hunk_subject(hunks, number, path), line, is_anchor=is_anchor).problem()


def _kind(hunk: Hunk) -> Kind:
    return "block" if hunk.is_block else "hunk"


#: Refusals whose evidence takes searches in the whole file: of many edits, only the first are explained in full.
_TAKES_SEARCHES = ("not_found", "misplaced", "outside_scope", "outside_context", "other_heading", "context_absent")


class _Evidence:
    """One refusal, what it was refused in, and what is found out about it."""

    def __init__(self, situation: Situation, refusal: Refusal, kind: Kind, *, is_brief: bool) -> None:
        self.situation, self.refusal = situation, refusal
        #: Whether so many others are explained that this one gets no evidence of its own.
        self.is_brief = is_brief
        self.text, self.hunk = situation.text, situation.hunks[refusal.number]
        ref = None
        if kind != "edit":
            ref = hunk_ref(self.hunk, situation.first + refusal.number + 1, situation.count)
        has_tabs = "\t" in self.text.body
        self.subject = Subject(kind, self.text.path, ref, has_tabs=has_tabs, is_after_others=situation.first > 0)
        #: Where the places of the refusal are, and the tier or the replacer that found them.
        self.lines = self.numbers(refusal.starts)
        self.tier = refusal.tier

    def cause(self) -> PlacementCause:
        """The cause that the refusal is."""
        kind = self.refusal.kind
        if self.is_brief and kind in _TAKES_SEARCHES:
            rule = "" if kind == "not_found" else self.refusal.rule
            return no_place.NotFoundEither(self.subject, self.lines[0] if self.lines else None, rule)
        return _CAUSES[kind](self)

    def numbers(self, starts: Collection[int]) -> list[int]:
        """The line numbers of places."""
        return numbers_of(self.text, starts)

    @property
    def other(self) -> int:
        """The number of the hunk that is in the way."""
        number = self.refusal.other
        return hunk_ref(self.situation.hunks[number], number + 1, self.situation.count).number

    # Edits whose lines are not in the file.

    def not_found(self) -> PlacementCause:
        """The lines of the edit were not found: they are out of place, applied already, or nowhere."""
        hunk, text, dialect = self.hunk, self.text, self.situation.dialect
        spots = find_anchors(self.situation, hunk.anchors if dialect.anchors else ()).spots
        if not hunk.old:
            self.lines = self.numbers(spots or [len(text.body)])
            return other_place.OutOfOrder(self.subject, self.lines)
        if self.subject.kind != "edit":
            elsewhere = find_block(text.body, hunk.old, dialect.tiers)
            if elsewhere is not None:
                self.lines, self.tier = self.numbers(elsewhere.starts), elsewhere.tier
                return self.misplaced(spots, rule="")
        if not any(map(str.strip, hunk.old)):
            return no_place.OnlyWhitespace(self.subject, "\n".join(hunk.old))
        nearest = self._nearest()
        cause = self._made_before(nearest) or self._added_before(nearest)
        if cause is not None:
            return cause
        if nearest is None:
            return no_place.EmptyFile(self.subject)
        if isinstance(nearest, str):
            return no_place.NoLikeLine(self.subject, nearest)
        return no_place.Nearest(self.subject, nearest, self.refusal.rule)

    def _made_before(self, nearest: NearestPlace | str | None) -> PlacementCause | None:
        """The cause if the new text of the hunk, perhaps with differences, is nearer than the nearest place."""
        number, hunk = self.refusal.number, self.hunk
        result_lines = find_result(self.situation, number)
        if result_lines and is_nearer_than_old(self.situation, number, nearest):
            first = result_lines[0]
            return made_already.AppliedInstead(self.subject, first, first + len(hunk.new) - 1)
        changed = find_changed_result(self.text, hunk) if tells_result(self.situation, number) else None
        share_of_nearest = 0.0 if nearest is None or isinstance(nearest, str) else nearest.best.share
        if changed is not None and changed.share > share_of_nearest:
            return made_already.ChangedResult(self.subject, changed, self.refusal.rule)
        return None

    def _nearest(self) -> NearestPlace | str | None:
        """The place that is nearest to the hunk, or a line of it that no line is like; None in an empty file."""
        return nearest_to(self.situation, self.refusal.number)

    def _added_before(self, nearest: NearestPlace | str | None) -> PlacementCause | None:
        """The cause if a line of the hunk is not in the file because another hunk adds it."""
        before = self.situation.hunks[: self.refusal.number]
        adding = {line: number for number, one in enumerate(before, 1) for line in one.added}
        absent = adding.keys() - self.text.rows[0] if adding else ()
        shared = next((line for line in self.hunk.old if line in absent and is_distinctive(line)), None)
        if shared is None:
            return None
        nearby = None if isinstance(nearest, str) else nearest
        return no_place.AddedBefore(self.subject, adding[shared], shared, nearby)

    def context_absent(self) -> PlacementCause:
        """A line of a hunk that has only context is not in the file."""
        near = numbered(self.text, close_line(self.text, self.refusal.text))
        return no_place.ContextAbsent(self.subject, self.refusal.text, near)

    def anchor_missing(self) -> PlacementCause:
        """The text after `@@` is no line of the file, or not where it should be."""
        anchor, anchors, dialect = self.refusal.text, self.hunk.anchors, self.situation.dialect
        cause = no_place.MissingAnchor(self.subject, anchor, is_whole="similar" not in dialect.tiers)
        if self.is_brief:
            return cause
        cause = cause.replace(own=self._own_lines())
        spots = find_anchors(self.situation, (anchor,)).spots
        if spots:
            # It is in the file, but not below the anchor above it.
            number = anchors.index(anchor)
            above = anchors[max(0, number - 1)]
            is_in_block = dialect.anchor_scope == "block"
            return cause.replace(above=above, is_in_block=is_in_block, spots=self.numbers(spots))
        # The header without what may follow it, such as its parameters or its colon.
        start = anchor.strip().rstrip(" :({")
        lines = self.text.rows[0][: limits.CLOSE_LINES]
        begun = next((number for number, line in enumerate(lines, 1) if line.strip().startswith(start)), 0)
        if is_distinctive(start) and begun:
            return cause.replace(begun=numbered(self.text, begun))
        return cause.replace(near=numbered(self.text, close_line(self.text, anchor)))

    def _own_lines(self) -> OwnLines | NewLines | NoOwnLine | NearestPlace | None:
        """Where the lines of a hunk whose anchor is missing are, or those that are nearest to them."""
        body, hunk = self.text.body, self.hunk
        if not hunk.old:
            return None
        own = find_block(body, hunk.old, FOLDING)
        if own is not None:
            numbers = self.numbers(own.starts)
            return OwnLines(numbers, self._opener(numbers), self._difference(numbers[0] - 1))
        if any(map(is_distinctive, hunk.added)):
            applied = find_block(body, hunk.new, FOLDING)
            if applied is not None:
                return NewLines(self.numbers(applied.starts))
        nearest = self._nearest()
        return NoOwnLine() if isinstance(nearest, str) else nearest

    # Edits whose lines are in the file, where they may not be.

    def misplaced(self, spots: Sequence[int] = (), rule: str | None = None) -> PlacementCause:
        """The lines are in the file, but a constraint does not let them be the place."""
        hunk, lines = self.hunk, self.lines
        rule = self.refusal.rule if rule is None else rule
        difference = self._difference(lines[0] - 1)
        if hunk.at_end or hunk.no_newline:
            total = len(self.text.rows[0])
            marker = END_OF_FILE if hunk.at_end else NO_NEWLINE
            last = lines_at(self.text, range(total - LINES_AROUND - 1, total))
            return other_place.NotAtEnd(self.subject, lines, self.tier, rule, marker, last, difference)
        anchors = self.numbers(spots)
        where = (self.subject, lines, self.tier, rule, difference)
        if anchors and lines[-1] < anchors[0]:
            return other_place.AboveAnchor(*where, hunk.anchors[-1], anchors)
        return other_place.OutOfOrder(*where)

    def outside_scope(self) -> PlacementCause:
        """The lines are in the file, but not in the block of the anchor."""
        refusal = self.refusal
        start, end = refusal.scope
        if any(start <= other < end for other in refusal.starts):
            # They are in it, but not at the end of the file, or not behind the hunk before.
            return self.misplaced([start])
        rows = rows_between(self.situation, start, end)
        block = range(rows.start, min(rows.stop, len(self.text.rows[0])))
        compared = self._compare_block(block)
        return other_place.OutsideScope(
            self.subject,
            self.lines,
            self.tier,
            refusal.rule,
            anchor=refusal.text,
            first=block.start + 1,
            last=block.stop,
            block=lines_at(self.text, block) if compared is None else compared.listing,
            is_compared=compared is not None,
            opener=self._opener(self.lines),
            difference=self._difference(self.lines[0] - 1),
        )

    def _compare_block(self, block: range) -> PlaceLines | None:
        """Where the lines of the hunk would be in a block that is too long to be shown; None if it is shown."""
        places = find_near_places(self.text, self.hunk.old, [block], only_home=True)
        is_near = places and places[0].agree * 2 >= len(self.hunk.old)
        if not is_near or len(block) <= MOST_SHOWN_LINES:
            return None
        return lay_lines(self.text, self.hunk.old, places[0], changed_indices(self.hunk))

    def outside_context(self) -> PlacementCause:
        """The lines are in the file, but not in the block that the hunk of context before it names."""
        return other_place.OutsideContext(*self._where(), self.refusal.text, opener=self._opener(self.lines))

    def other_heading(self) -> PlacementCause:
        """The lines are in the file, but not below the heading of the diff."""
        return other_place.HeadingElsewhere(*self._where(), self.refusal.text)

    def _where(self) -> tuple[Subject, list[int], str, str, PlaceLines | None]:
        """What the causes of all edits whose lines are elsewhere begin with."""
        return self.subject, self.lines, self.tier, self.refusal.rule, self._difference(self.lines[0] - 1)

    def _difference(self, row: int) -> PlaceLines | None:
        """What the file has instead of the hunk's lines from a row on, if they differ."""
        if self.is_brief:
            return None
        old = self.hunk.old
        rows = range(row, row + len(old) + limits.LONGEST_GAP)
        return find_difference(self.text, old, rows, changed_indices(self.hunk))

    def _opener(self, numbers: Sequence[int]) -> NumberedLine | None:
        """The line that opens the block around the only one of some lines."""
        if len(numbers) != 1:
            return None
        lines, starts = self.text.rows
        for row in blocks_around(lines, numbers[0] - 1):
            if self.situation.scopes.opens_block(starts[row]):
                return NumberedLine(row + 1, lines[row])
        return None

    def changed_before(self) -> PlacementCause:
        """A hunk before it changes its context."""
        return no_place.ChangedBefore(self.subject, self.other, self.lines[0])

    def ends_with_newline(self) -> PlacementCause:
        """The file ends in a newline, and the hunk says that it does not."""
        return other_place.EndsWithNewline(self.subject, self.lines[0])

    def no_context(self) -> PlacementCause:
        """Nothing says where the added lines go."""
        # After the line numbers of a diff, a name is ignored.
        has_marker = self.situation.dialect.end_of_file and self.hunk.line_hint is None
        return no_place.NoContext(self.subject, has_marker)

    def disproportionate(self) -> PlacementCause:
        """The place is far longer than the edit."""
        return no_place.Disproportionate(self.subject, self.lines[0], self.lines[-1], self.tier)

    def unclear_escapes(self) -> PlacementCause:
        """The place is found with other escapes."""
        return no_place.UnclearEscapes(self.subject, self.lines[0], self._difference(self.lines[0] - 1))

    def already_applied(self) -> PlacementCause:
        """The result is there, perhaps with differences."""
        number, new = self.lines[0], self.hunk.new
        # The line is where the hunk would add its lines again: they may be above it.
        near = range(max(0, number - 1 - len(new)), number - 1 + len(new) + limits.LONGEST_GAP)
        difference = None if self.is_brief else find_difference(self.text, new, near)
        row = self._find_stripped(new, near)
        first, last = (number, number) if row is None else (row + 1, row + len(new))
        return made_already.AppliedBefore(self.subject, number, first, last, self.refusal.rule, difference)

    def _find_stripped(self, lines: Sequence[str], rows: range) -> int | None:
        """The first of some rows at which the file has these lines, whatever their indentation."""
        file_lines = [line.strip() for line in self.text.rows[0][rows.start : rows.stop]]
        stripped = [line.strip() for line in lines]
        for start in range(len(file_lines)):
            if file_lines[start : start + len(stripped)] == stripped:
                return rows.start + start
        return None

    # Edits whose place is not certain, or that cost too much.

    def several(self) -> PlacementCause:
        """Several places, or one that is not certain: what tells them apart."""
        refusal, hunk = self.refusal, self.hunk
        self.lines = self.numbers((*refusal.starts, *refusal.others))
        if len(refusal.starts) == 1 and not refusal.cut_short:
            return self._uncertain()
        # Where the search was cut short, there may be as many of those that speak against it.
        starts = {*refusal.starts, *refusal.others} if refusal.cut_short else set(refusal.starts)
        numbers = self.numbers(starts)
        dialect, is_edit = self.situation.dialect, self.subject.kind == "edit"
        can_have_anchors = self.subject.kind == "hunk" and dialect.anchors
        # The anchor is what distinguishes lines that are only added below it.
        rows = [number - 1 if hunk.old else number - 2 for number in numbers]
        file = self.text.rows[0]
        return Several(
            self.subject,
            self.lines,
            count=len(starts),
            cut_short=refusal.cut_short,
            tier=refusal.tier,
            reading=refusal.text,
            rule=refusal.rule,
            places=brief_places(file, numbers) if self.is_brief else tell_places_apart(file, rows, hunk.old),
            added=len(hunk.added),
            added_at=() if self.is_brief else self._result_beside(rows),
            has_anchors=can_have_anchors and not self.is_brief,
            is_anchored=bool(hunk.anchors),
            can_be_repeated=not is_edit and dialect.cautious and not hunk.anchors,
        )

    def _result_beside(self, rows: Sequence[int]) -> list[int]:
        """The lines at which all lines that a hunk adds are right beside one of its places."""
        hunk, body = self.hunk, self.text.body
        if not any(map(is_distinctive, hunk.added)):
            return []
        added = find_block(body, hunk.added, ("exact",))
        if added is None:
            return []
        rows_beside: set[int] = set()
        for row in rows:
            # Right above the place, at the place itself, or right below it.
            rows_beside.update((row - len(hunk.added), row, row + len(hunk.old)))
        return [number for number in self.numbers(added.starts) if number - 1 in rows_beside]

    def _uncertain(self) -> PlacementCause:
        """The one place is not certain: a rule forbids it."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        [number] = self.numbers(refusal.starts)
        others = self.numbers(refusal.others)
        # A line that is added above the others has its context below, and needs some above.
        adds_above = hunk.lines[0][0] == "+"
        row_beyond = number - 2 if adds_above else number - 1 + len(hunk.old)
        around = range(number - 1 - LINES_AROUND, number - 1 + len(hunk.old) + LINES_AROUND)
        rule = refusal.rule or "uneven-depth"
        is_of_old = rule == "uneven-depth" and not hunk.added
        make_cause = UnevenDepthOfOld if is_of_old else UNCERTAIN[rule]
        return make_cause(
            self.subject,
            refusal.rule,
            line=number,
            lines=self.lines,
            others=others or [number],
            cut_short=refusal.cut_short,
            tier=refusal.tier,
            reading=refusal.text,
            distinctive=next(filter(is_distinctive, hunk.old), ""),
            # Empty beyond the ends of the file.
            beyond="".join(lines[max(0, row_beyond) : row_beyond + 1]),
            around=lines_at(self.text, around),
            difference=self._difference(number - 1),
            other_difference=self._difference(others[0] - 1) if rule == "own-depth" else None,
        )

    def overlapping(self) -> PlacementCause:
        """Another hunk changes the same place."""
        line = self.text.line_at(self.refusal.starts[0])
        return bad_edit.Overlap(self.subject, self.other, self.lines[0], line)

    def out_of_time(self) -> PlacementCause:
        """The search took too long."""
        return bad_edit.OutOfTime(self.subject)

    def out_of_budget(self) -> PlacementCause:
        """The searches cost too much."""
        return bad_edit.OutOfBudget(self.subject)

    def indented_twice(self) -> PlacementCause:
        """The new text repeats the indentation of the file."""
        return bad_edit.IndentedTwice(self.subject, self.lines[0])


#: What finds out about each kind of refusal.
_CAUSES: Mapping[str, Callable[[_Evidence], PlacementCause]] = {
    "not_found": _Evidence.not_found,
    "misplaced": _Evidence.misplaced,
    "outside_scope": _Evidence.outside_scope,
    "outside_context": _Evidence.outside_context,
    "other_heading": _Evidence.other_heading,
    "context_absent": _Evidence.context_absent,
    "anchor_missing": _Evidence.anchor_missing,
    "changed_before": _Evidence.changed_before,
    "ends_with_newline": _Evidence.ends_with_newline,
    "no_context": _Evidence.no_context,
    "disproportionate": _Evidence.disproportionate,
    "unclear_escapes": _Evidence.unclear_escapes,
    "already_applied": _Evidence.already_applied,
    "several": _Evidence.several,
    "overlapping": _Evidence.overlapping,
    "out_of_time": _Evidence.out_of_time,
    "out_of_budget": _Evidence.out_of_budget,
    "indented_twice": _Evidence.indented_twice,
}
