"""Refusals as problems that a model can act on: which row of `problem_table` each is, and the evidence in it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice

from ..core.dialect import END_OF_FILE, NO_NEWLINE, STANDARD
from ..core.display import printable
from ..core.interface_names import interface_names
from ..core.notes import NOTES
from ..core.problems import Problem, hunk_ref
from . import limits
from .anchors import find_anchors
from .message_lines import (
    changed_indices,
    close_line,
    fair_share,
    find_changed_result,
    find_nearest_place,
    line_list,
    line_range,
    list_lines,
    numbers_of,
    show_lines,
    show_place,
    show_rows,
    size_of,
    visible,
)
from .nearest_place import find_near_places
from .placement import Situation
from .problem_table import BLOCK, EDIT, HUNK, Fields
from .search import find_block
from .several_places import blocks_around, list_places
from .tiers import FOLDING, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..core.text import Text
    from .placement import Refusal
    from .readings import EditReading


def explain_hunks(situation: Situation, refusals: Sequence[Refusal]) -> list[Problem]:
    """The problems of all hunks that have no place."""
    words = BLOCK if situation.hunks[0].is_block else HUNK

    def explain(number: int, room: int) -> Problem:
        return Case(situation, refusals[number], words, room, brief=number >= limits.MOST_EXPLAINED).explain()

    problems = [explain(number, limits.ANSWER_ROOM) for number in range(len(refusals))]
    sizes = [size_of(str(problem)) for problem in problems]
    share = fair_share(sizes, limits.ANSWER_ROOM)
    return [
        problem if size <= share else explain(number, share)
        for number, (problem, size) in enumerate(zip(problems, sizes, strict=True))
    ]


def explain_edit(text: Text, edit: EditReading, refusal: Refusal, *, brief: bool = False) -> Problem:
    """What the refusal of a string edit says; if it is `brief`, without evidence that takes searches."""
    return Case(Situation(text, (edit.hunk,), STANDARD, 0.0), refusal, EDIT, brief=brief).explain()


class _Nearness:
    """How near a place is: how many lines agree, and what part of all lines there and in the edit these are."""

    def __init__(self, fields: Mapping[str, object]) -> None:
        nearest = fields.get("nearest")
        self.agree, self.share = 0, 0.0
        if isinstance(nearest, dict):
            self.agree = nearest["agree"]
            self.share = self.agree / max(nearest["of"], nearest["last"] - nearest["first"] + 1)


def applied_line(problem: Problem) -> int:
    """The line at which the result of a hunk is already; 0 if that is not the problem."""
    line = problem.details.get("line")
    return line if problem.details.get("reason") == "already_applied" and isinstance(line, int) else 0


def after_others(problem: Problem, thing: str) -> Problem:
    """The problem of an edit that is matched against the result of others, which says so if it has line numbers."""
    if problem.details.keys().isdisjoint(("nearest", "lines", "line", "first")):
        return problem
    return problem.replace(message=f"{problem.message}\nLine numbers are those after the {thing}s before it.")


#: Refusals whose evidence takes searches in the whole file: of many edits, only the first are explained in full.
_TAKES_SEARCHES = "not_found misplaced outside_scope outside_context other_heading context_absent".split()


class Case(Fields):
    """One refusal, what it was refused in, and the fields that follow from both."""

    def __init__(
        self,
        situation: Situation,
        refusal: Refusal,
        words: Mapping[str, str],
        room: int = limits.ANSWER_ROOM,
        *,
        brief: bool = False,
    ) -> None:
        self.situation, self.refusal = situation, refusal
        #: Whether so many others are explained that this one gets no evidence of its own.
        self.brief = brief
        #: The bytes that lines of the file may take.
        self.room = max(limits.LEAST_ROOM, room - limits.FRAME_ROOM)
        self.text, self.hunk = situation.text, situation.hunks[refusal.number]
        ref = hunk_ref(self.hunk, situation.first + refusal.number + 1, situation.count)
        super().__init__(words, self.text.path, None if words is EDIT else ref)
        self["other"] = hunk_ref(situation.hunks[refusal.other], refusal.other + 1, situation.count).number
        if refusal.starts:
            self.point(refusal.starts, refusal.tier)
            self["shown"] = visible(self.text.line_at(refusal.starts[0]))

    def explain(self) -> Problem:
        """The problem: which row it is, and for a hunk which one of how many."""
        kind, rule = self.refusal.kind, self.refusal.rule
        if self.brief and kind in _TAKES_SEARCHES:
            row = "not_found_either"
        else:
            row = getattr(self, f"_{kind}", lambda: kind)()
        # A rule is named with the place that it forbids.
        if rule and (kind != "not_found" or "nearest" in self):
            self["rule"] = rule
        problem = self.problem(row)
        if "→" in problem.message and "\t" in self.text.body and "→ is a tab" not in problem.message:
            problem = problem.replace(message=f"{problem.message}\n(→ is a tab)")
        return after_others(problem, self.words["thing"]) if self.situation.first else problem

    def numbers(self, starts: Collection[int]) -> list[int]:
        """The line numbers of places."""
        return numbers_of(self.text, starts)

    def point(self, starts: Sequence[int], tier: str = "") -> None:
        """The fields of what is at these offsets, by the tier or the replacer that found it."""
        self.lines = lines = self.numbers(starts)
        is_loose = tier not in ("", "exact", "simple")
        how = f" when it is matched loosely ({NOTES.get(tier, f'replacer {tier}')})" * is_loose
        exactly = ", and all lines as the file has them" * is_loose
        self.update(line=lines[0], at=line_list(lines) + how, how=how, exactly=exactly)

    def _disproportionate(self) -> str:
        self.update(first=self.pop("line"), last=self.lines[-1])
        return "disproportionate"

    def _not_found(self) -> str:
        hunk, text, dialect = self.hunk, self.text, self.situation.dialect
        spots = find_anchors(self.situation, hunk.anchors if dialect.anchors else ()).spots
        if not hunk.old:
            self.point(spots or [len(text.body)])
            self["lines"] = self.lines
            return "out_of_order"
        if self.words is not EDIT and (elsewhere := find_block(text.body, hunk.old, dialect.tiers)) is not None:
            self.point(elsewhere.starts, elsewhere.tier)
            return self._misplaced(spots)
        # The new text shows that the edit was made before, unless it is a part of the old one.
        is_telling = "\n".join(hunk.new) not in "\n".join(hunk.old) and any(map(is_distinctive, hunk.added or hunk.new))
        if not hunk.added:
            # What is left of a deletion may be anywhere, and the lines to remove are gone if it was made.
            removed = islice(filter(is_distinctive, hunk.removed), limits.MOST_TRIED)
            is_telling = is_telling and not any(find_block(text.body, [line], FOLDING) for line in removed)
        is_telling = is_telling and not self.situation.is_pristine
        applied = find_block(text.body, hunk.new, FOLDING) if is_telling else None
        if not any(map(str.strip, hunk.old)):
            self["shown"] = visible("\n".join(hunk.old))
            return "only_whitespace"
        row, fields = self._nearest()
        nearest = _Nearness(fields)
        # Where more of the old lines are together than the new text has, the new text is somewhere else by chance.
        if applied is not None and nearest.agree <= len(hunk.new):
            self.point(applied.starts)
            self["range"] = line_range(self.lines[0], self.lines[0] + len(hunk.new) - 1)
            return "applied_instead"
        changed = find_changed_result(text, hunk, self.room) if is_telling else None
        if changed is not None and _Nearness(changed).share > nearest.share:
            self.update(changed)
            return "applied_and_changed"
        if self._is_added_before():
            self["nearby"] = self._nearest_lines(fields)
            return "added_before"
        self.update(fields)
        return row

    def _nearest(self) -> tuple[str, dict[str, object]]:
        """The place that is nearest to the hunk: a row, and its fields."""
        return find_nearest_place(self.text, self.hunk, self.words["side"], self._home(), self._taken_rows(), self.room)

    def _home(self) -> list[range]:
        """The rows in which the hunk should be by its anchor; none where it has no anchor that is in the file."""
        hunk, dialect = self.hunk, self.situation.dialect
        if not hunk.anchors or not dialect.anchors:
            return []
        anchoring = find_anchors(self.situation, hunk.anchors)
        if not anchoring.spots:
            return []
        starts = self.text.rows[1]
        if dialect.anchor_scope == "block" and anchoring.is_known:
            ranges = [(scope.start, scope.end) for scope in anchoring.scopes]
        else:
            ranges = [(anchoring.spots[0], len(self.text.body))]
        return [range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1)) for start, end in ranges]

    def _taken_rows(self) -> set[int]:
        """The rows of lines that other hunks remove, as far as these are in the file exactly once."""
        rows: set[int] = set()
        for number, other in enumerate(self.situation.hunks[: limits.MOST_EXPLAINED]):
            found = find_block(self.text.body, other.old, ("exact",)) if other.old else None
            if number == self.refusal.number or found is None or len(found.starts) != 1:
                continue
            first = bisect_right(self.text.rows[1], found.starts[0]) - 1
            old = [line for line in other.lines if line[0] != "+"]
            rows.update(first + index for index, line in enumerate(old) if line[0] == "-")
        return rows

    def _is_added_before(self) -> bool:
        """Whether a line of the hunk is not in the file because another hunk adds it."""
        before = self.situation.hunks[: self.refusal.number]
        adding = {line: number for number, one in enumerate(before, 1) for line in one.added}
        absent = adding.keys() - self.text.rows[0] if adding else ()
        shared = next((line for line in self.hunk.old if line in absent and is_distinctive(line)), None)
        if shared is None:
            return False
        self.update(other=adding[shared], shown=visible(shared))
        return True

    def _no_context(self) -> str:
        if self.words is HUNK:
            # After the line numbers of a diff, a name is ignored.
            is_envelope = self.situation.dialect.end_of_file and self.hunk.line_hint is None
            other = f", name it after @@, or close the hunk with {END_OF_FILE}" * is_envelope
            self["around"] = f"as context (with a space in front){other}"
        return "no_context"

    def _misplaced(self, spots: Sequence[int] = ()) -> str:
        """The lines are in the file, but a constraint does not let them be the place."""
        hunk, lines = self.hunk, self.lines
        self["lines"] = lines
        self["there"] = self._difference(lines[0] - 1)
        if hunk.at_end or hunk.no_newline:
            total = len(self.text.rows[0])
            self.update(marker=END_OF_FILE if hunk.at_end else NO_NEWLINE, total=total)
            self["listing"] = show_rows(self.text, range(total - limits.LINES_AROUND - 1, total))
            return "not_at_end"
        anchors = self.numbers(spots)
        if anchors and lines[-1] < anchors[0]:
            self.update(shown=visible(hunk.anchors[-1]), spots=line_list(anchors))
            return "above_anchor"
        return "out_of_order"

    def _difference(self, row: int) -> str:
        """What the file has instead of the hunk's lines from a row on, if they differ."""
        if self.brief:
            return ""
        old = self.hunk.old
        rows = range(row, row + len(old) + limits.LONGEST_GAP)
        return show_place(self.text, old, rows, self.words["side"], self.room, changed_indices(self.hunk))

    def _already_applied(self) -> str:
        """The result is there, perhaps with differences."""
        number, new = self.lines[0], self.hunk.new
        # The line is where the hunk would add its lines again: they may be above it.
        near = range(max(0, number - 1 - len(new)), number - 1 + len(new) + limits.LONGEST_GAP)
        self["there"] = "" if self.brief else show_place(self.text, new, near, "new text", self.room)
        first = self._find_stripped(new, near)
        self["range"] = f"line {number}" if first is None else line_range(first + 1, first + len(new))
        return "already_applied"

    def _find_stripped(self, lines: Sequence[str], rows: range) -> int | None:
        """The first of some rows at which the file has these lines, whatever their indentation."""
        file = [line.strip() for line in self.text.rows[0][rows.start : rows.stop]]
        stripped = [line.strip() for line in lines]
        for away in range(len(file)):
            if file[away : away + len(stripped)] == stripped:
                return rows.start + away
        return None

    def _unclear_escapes(self) -> str:
        self["there"] = self._difference(self.lines[0] - 1)
        return "unclear_escapes"

    def _anchor_missing(self) -> str:
        anchor, hunk = self.refusal.text, self.hunk
        takes_beginnings = "similar" in self.situation.dialect.tiers
        row = "anchor_missing" if takes_beginnings else "whole_anchor_missing"
        if self.brief:
            self.update(shown=visible(anchor), nearby="")
            return row
        spots = find_anchors(self.situation, (anchor,)).spots
        if spots:
            where = "in the block of" if self.situation.dialect.anchor_scope == "block" else "below"
            self["below"] = f" {where} {visible(hunk.anchors[max(hunk.anchors.index(anchor), 1) - 1])}"
            nearby = f"\nIt is at {line_list(self.numbers(spots))}."
        else:
            nearby = self._line_like(anchor)
        self.update(shown=visible(anchor), nearby=nearby + self._own_lines())
        return row

    def _line_like(self, anchor: str) -> str:
        """A line of the file that an anchor may mean: one that begins like it, or else one that is close to it."""
        lines = self.text.rows[0]
        start = anchor.strip().rstrip(" :({")
        begun = [row for row, line in enumerate(lines[: limits.CLOSE_LINES]) if line.strip().startswith(start)]
        if is_distinctive(start) and begun:
            return f"\nLine {begun[0] + 1} begins like it: {visible(lines[begun[0]])}"
        number = close_line(self.text, anchor)
        return f"\nThe nearest is line {number}: {visible(lines[number - 1])}" if number else ""

    def _own_lines(self) -> str:
        """Where the lines of a hunk whose anchor is missing are, or those that are nearest to them."""
        body, hunk = self.text.body, self.hunk
        if not hunk.old:
            return ""
        found = find_block(body, hunk.old, FOLDING)
        if found is not None:
            numbers = self.numbers(found.starts)
            where = line_list(numbers) + self._block_of(numbers)
            return f"\nThe hunk's own lines are at {where}.{self._difference(numbers[0] - 1)}"
        if any(map(is_distinctive, hunk.added)) and (applied := find_block(body, hunk.new, FOLDING)) is not None:
            return f"\nThe hunk's new text is at {line_list(self.numbers(applied.starts))}: it may be applied already."
        row, fields = self._nearest()
        if row == "no_line":
            return "\nNone of the hunk's distinctive lines is in the file: it may be for another file."
        return self._nearest_lines(fields)

    def _block_of(self, numbers: Sequence[int]) -> str:
        """The line that opens the block around the only one of some lines."""
        lines, starts = self.text.rows
        blocks = blocks_around(lines, numbers[0] - 1) if len(numbers) == 1 else []
        blocks = [row for row in blocks if self.situation.scopes.opens_block(starts[row])]
        return f", in {visible(lines[blocks[0]])} (line {blocks[0] + 1})" if blocks else ""

    def _nearest_lines(self, fields: Mapping[str, object]) -> str:
        """The nearest place of a hunk, where something else is wrong with it, too."""
        if "listing" not in fields:
            return ""
        return (
            f"\nThe place nearest to its lines is {fields['range']}{fields['where']}. The file has:{fields['listing']}"
        )

    def _outside_scope(self) -> str:
        """The lines are in the file, but not in the block of the anchor."""
        start, end = self.refusal.scope
        if any(start <= other < end for other in self.refusal.starts):
            # They are in it, but not at the end of the file, or not behind the hunk before.
            return self._misplaced([start])
        starts = self.text.rows[1]
        block = range(bisect_right(starts, start) - 1, min(bisect_right(starts, end - 1), len(self.text.rows[0])))
        self.update(lines=self.lines, shown=visible(self.refusal.text), listing=self._block(block))
        self.update(block=self._block_of(self.lines), there=self._difference(self.lines[0] - 1))
        self["range"] = line_range(block.start + 1, block.stop)
        return "outside_scope"

    def _outside_context(self) -> str:
        """The lines are in the file, but not in the block that the hunk of context before it names."""
        self.update(lines=self.lines, shown=visible(self.refusal.text), block=self._block_of(self.lines))
        self["there"] = self._difference(self.lines[0] - 1)
        return "outside_context"

    def _block(self, block: range) -> str:
        """A block in which the hunk has no place: where its lines would be, all of it, or where it begins and ends."""
        places = find_near_places(self.text, self.hunk.old, [block], only_home=True)
        is_near = places and places[0].agree * 2 >= len(self.hunk.old)
        if not is_near or len(block) <= limits.MOST_SHOWN_LINES:
            return show_rows(self.text, block)
        listing = list_lines(self.text.rows[0], self.hunk.old, places[0], changed_indices(self.hunk))
        return show_lines(listing, self.words["side"], self.room)

    def _other_heading(self) -> str:
        self.update(lines=self.lines, shown=visible(self.refusal.text))
        self["there"] = self._difference(self.lines[0] - 1)
        return "other_heading"

    def _context_absent(self) -> str:
        """A line of a hunk that has only context is not in the file."""
        number = close_line(self.text, self.refusal.text)
        nearby = f"\nThe nearest is line {number}: {visible(self.text.rows[0][number - 1])}" if number else ""
        self.update(shown=visible(self.refusal.text), nearby=nearby)
        return "context_absent"

    def _several(self) -> str:
        """Several places, or one that is not certain: what tells them apart, and what the edit would have to say."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        self.point((*refusal.starts, *refusal.others), refusal.text or refusal.tier)
        self.update(lines=self.lines, cutShort=refusal.cut_short, tier=refusal.tier)
        if len(refusal.starts) == 1 and not refusal.cut_short:
            return self._uncertain()
        found = {*refusal.starts, *(refusal.others if refusal.cut_short else ())}
        numbers = self.numbers(found)
        self["count"] = f"{len(found)}{' or more' * refusal.cut_short}"
        self["or_every"] = self._or_every(len(found))
        if self.brief:
            self["listing"] = f"\n  {line_list(numbers)}: {visible(lines[numbers[0] - 1])}"
            return "several"
        # The anchor is what distinguishes lines that are only added below it.
        rows = [number - 1 - (not hunk.old) for number in numbers]
        has_anchors = self.words is HUNK and self.situation.dialect.anchors
        places = list_places(lines, rows, hunk.old, self.room, has_anchors=has_anchors)
        self["listing"] = places.text + self._result_beside(rows)
        if places.block is None or not has_anchors:
            return "several"
        self["after"] = "in one more @@ line, outermost first" if hunk.anchors else "after @@"
        self["form"] = "@@ " + printable(lines[places.block].strip()[: limits.LONGEST_HEADER].rstrip())
        return "several_blocks"

    def _or_every(self, count: int) -> str:
        """How to change all of several places, if that is possible."""
        refusal = self.refusal
        if refusal.tier == "simple":
            return f", or {interface_names().every} to change all of them"
        is_hunk = self.words is not EDIT and self.situation.dialect.cautious and not self.hunk.anchors
        if is_hunk and refusal.tier == "exact" and count <= limits.MOST_LISTED:
            return f", or {self['send']} the {self['thing']} {count} times to change all of them"
        return ""

    def _result_beside(self, rows: Sequence[int]) -> str:
        """That the lines that a hunk adds are all right beside one of its places, if they are."""
        hunk, body = self.hunk, self.text.body
        found = find_block(body, hunk.added, ("exact",)) if any(map(is_distinctive, hunk.added)) else None
        numbers = self.numbers(found.starts) if found is not None else []
        height, size = len(hunk.old), len(hunk.added)
        beside = {row + away for row in rows for away in (-size, 0, height)}
        there = [number for number in numbers if number - 1 in beside]
        if not there:
            return ""
        lines = "The lines that it adds are" if size > 1 else "The line that it adds is"
        return f"\n{lines} at {line_list(there)}: it may be applied already."

    def _uncertain(self) -> str:
        """The one place is not certain: the rule that forbids it is the row."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        [number] = self.numbers(refusal.starts)
        # A line that is added above the others has its context below, and needs some above.
        row = number - 2 if hunk.lines[0][0] == "+" else number - 1 + len(hunk.old)
        line = "".join(lines[max(0, row) : row + 1])
        self.update(line=number, others=line_list(self.numbers(refusal.others) or [number]))
        self["shown"] = visible(next(filter(is_distinctive, hunk.old), ""))
        self["example"] = f" (for line {number}: {visible(line)})" if line.strip() else ""
        around = range(number - 1 - limits.LINES_AROUND, number - 1 + len(hunk.old) + limits.LINES_AROUND)
        self["there"] = self._difference(number - 1) or f"\nAround it, the file has:{show_rows(self.text, around)}"
        if refusal.rule == "own-depth":
            self["there"] = f"{self['there']}{self._difference(self.numbers(refusal.others)[0] - 1)}"
        rule = refusal.rule or "uneven-depth"
        return "uneven_depth_of_old" if rule == "uneven-depth" and not hunk.added else rule
