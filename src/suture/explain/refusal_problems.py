"""Refusals as problems that a model can act on.

Each answer says what failed and where, shows the evidence with line numbers, and ends with what to do next. The words
are those of `problem_table`; here is which row a refusal is, and the evidence that fills it in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ..core.dialect import END_OF_FILE, NO_NEWLINE, STANDARD
from ..core.interface_names import interface_names
from ..core.notes import NOTES
from ..core.problems import HunkRef, Problem
from ..locate import limits
from ..locate.anchors import find_anchors
from ..locate.placement import Situation
from ..locate.search import find_block
from ..locate.tiers import FOLDING, FOLDS, is_distinctive
from .message_lines import header_form, line_list, line_range, visible
from .nearest_place import close_line, find_nearest_place
from .problem_table import BLOCK, EDIT, HUNK, Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..core.text import Text
    from ..locate.edit_readings import EditReading
    from ..locate.placement import Refusal
    from ..locate.syntax import SyntaxFault

_fold = FOLDS["whitespace"]


def explain_hunks(situation: Situation, refusals: Sequence[Refusal]) -> list[Problem]:
    """The problems of all hunks that have no place."""
    words = BLOCK if situation.hunks[0].is_block else HUNK
    cases = [Case(situation, refusal, words) for refusal in refusals]
    return [case.explain(brief=number >= limits.MOST_EXPLAINED) for number, case in enumerate(cases)]


def explain_edit(text: Text, edit: EditReading, refusal: Refusal) -> Problem:
    """What the refusal of a string edit says."""
    return Case(Situation(text, (edit.hunk,), STANDARD, 0.0), refusal, EDIT).explain()


def applied_line(problem: Problem) -> int:
    """The line at which the result of a hunk is already; 0 if that is not the problem."""
    line = problem.details.get("line")
    return line if problem.details.get("reason") == "already_applied" and isinstance(line, int) else 0


def after_others(problem: Problem, thing: str) -> Problem:
    """The problem of an edit that is matched against the result of others, which says so if it has line numbers."""
    if problem.details.keys().isdisjoint(("nearest", "lines", "line", "first")):
        return problem
    return problem.replace(message=f"{problem.message}\nLine numbers are those after the {thing}s before it.")


class Case(Fields):
    """One refusal, what it was refused in, and the fields that follow from both."""

    def __init__(self, situation: Situation, refusal: Refusal, words: Mapping[str, str]) -> None:
        self.situation = situation
        self.refusal = refusal
        self.text = situation.text
        self.hunk = situation.hunks[refusal.number]
        self.is_string = words is EDIT
        ref = HunkRef(situation.first + refusal.number + 1, situation.count, self.hunk.line)
        super().__init__(words, self.text.path, None if self.is_string else ref)
        self["other"] = refusal.other + 1
        if refusal.starts:
            self.point(refusal.starts, refusal.tier)
            self["shown"] = visible(self.text.line_at(refusal.starts[0]))

    def explain(self, *, brief: bool = False) -> Problem:
        """The problem: which row it is, and for a hunk which one of how many."""
        kind, rule = self.refusal.kind, self.refusal.rule
        row = "not_found_either" if brief and kind == "not_found" else getattr(self, f"_{kind}", lambda: kind)()
        # A rule is named with the place that it forbids.
        if rule and (kind != "not_found" or "nearest" in self):
            self["rule"] = rule
        problem = self.problem(row)
        return after_others(problem, self.words["thing"]) if self.situation.first else problem

    def numbers(self, starts: Collection[int]) -> list[int]:
        """The line numbers of places."""
        offsets = self.text.rows[1]
        return [bisect_right(offsets, start) for start in sorted(set(starts))[: limits.MOST_NUMBERED]]

    def point(self, starts: Sequence[int], tier: str = "") -> None:
        """The fields of what is at these offsets, by the tier or the replacer that found it."""
        self.lines = lines = self.numbers(starts)
        how = "" if tier in ("", "exact", "simple") else f" when it is matched loosely (replacer {tier})"
        how = f" at tier {tier!r} ({NOTES[tier]})" if tier in NOTES else how
        self.update(line=lines[0], at=line_list(lines) + how, how=how)

    @property
    def spots(self) -> list[int]:
        """Where the last anchor of the hunk is."""
        dialect = self.situation.dialect
        anchors = self.hunk.anchors[-limits.MOST_ANCHORS_EXPLAINED :] if dialect.anchors else ()
        return find_anchors(self.text.body, anchors, dialect.tiers)[0]

    def block_example(self, numbers: Sequence[int]) -> str:
        """The outermost block around the one line, as an `@@` line names it."""
        lines = self.text.rows[0]
        blocks = blocks_around(lines, numbers[0] - 1) if len(numbers) == 1 else ()
        return f" (line {numbers[0]} is in {header_form(lines[blocks[-1]])})" if blocks else ""

    def _no_context(self) -> str:
        # After the line numbers of a diff, a name is ignored.
        is_envelope = self.situation.dialect.end_of_file and self.hunk.line_hint is None
        self["or_anchor"] = f", name it after @@, or close the hunk with {END_OF_FILE}" if is_envelope else ""
        return "no_context"

    def _disproportionate(self) -> str:
        self.update(first=self.pop("line"), last=self.lines[-1], range=line_range(self.lines[0], self.lines[-1]))
        return "disproportionate"

    def _not_found(self) -> str:
        hunk, text, spots = self.hunk, self.text, self.spots
        if not hunk.old:
            self.point(spots or [len(text.body)])
            self.update(lines=self.lines, what="its @@ line is")
            return "out_of_order"
        tiers = self.situation.dialect.tiers
        if not self.is_string and (elsewhere := find_block(text.body, hunk.old, tiers)) is not None:
            self.point(elsewhere.starts, elsewhere.tier)
            return self._misplaced()
        new = self._telling_result()
        if new and (there := find_block(text.body, new, FOLDING)) is not None:
            self.point(there.starts)
            return "applied_instead"
        if not any(map(str.strip, hunk.old)):
            self["shown"] = visible("\n".join(hunk.old))
            return "only_whitespace"
        row, fields, absent = find_nearest_place(text, hunk, self.words, spots[0] if spots else 0)
        self.update(fields)
        number = self.refusal.number
        before = self.situation.hunks[max(0, number - limits.MOST_BEFORE) : number]
        adding = {line: other for other, hunk in enumerate(before, number - len(before)) for line in hunk.added[:1000]}
        shared = next((line for line in absent if line in adding and is_distinctive(line)), None)
        if shared is not None:
            self.update(other=adding[shared] + 1, shown=visible(shared))
            return "added_before"
        return row

    def _telling_result(self) -> Sequence[str]:
        """The new lines, if they show, found in the file, that the edit was made before; otherwise none."""
        hunk = self.hunk
        if self.is_string:
            # A part of a line may be anywhere; a whole distinctive line was most likely written.
            old, new = "\n".join(hunk.old), "\n".join(hunk.new)
            lines = new.strip("\n").split("\n")
            return () if not is_distinctive(new) or new in old else lines if len(lines) == 1 else hunk.new
        # Of nothing but lines to remove, the lines around them must have come together.
        changes = hunk.new != hunk.old if hunk.added else hunk.lines[0][0] == " " == hunk.lines[-1][0]
        return hunk.new if changes and any(map(is_distinctive, hunk.added or hunk.new)) else ()

    def _misplaced(self) -> str:
        """The lines are in the file, but a constraint does not let them be the place."""
        hunk, lines = self.hunk, self.lines
        self["lines"] = lines
        if hunk.at_end or hunk.no_newline:
            self.update(marker=END_OF_FILE if hunk.at_end else NO_NEWLINE, total=len(self.text.lines))
            return "not_at_end"
        anchors = self.numbers(self.spots)
        if anchors and lines[-1] < anchors[0]:
            self.update(shown=visible(hunk.anchors[-1]), spots=line_list(anchors))
            self["example"] = self.block_example(lines)
            return "above_anchor"
        self["what"] = "its lines are"
        return "out_of_order"

    def _anchor_missing(self) -> str:
        from ..format.markers import read_anchor

        anchor, text, hunk = self.refusal.text, self.text, self.hunk
        self["shown"] = visible(anchor)
        spots = find_anchors(text.body, (anchor,), self.situation.dialect.tiers)[0]
        if spots:
            above = hunk.anchors[max(hunk.anchors.index(anchor), 1) - 1]
            numbers = self.numbers(spots)
            self.update(spots=line_list(numbers), above=visible(above), example=self.block_example(numbers))
            return "anchor_above"
        if (read := read_anchor(anchor)) is not None:
            self["form"] = header_form(read[1]) if read[1] else "@@ alone"
            return "anchor_with_numbers"
        close = close_line(text, anchor)
        near = f"\nThe nearest is line {close[0]}: {visible(text.lines[close[0] - 1])}" if close is not None else ""
        found = find_block(text.body, hunk.old, FOLDING) if hunk.old else None
        is_unique = found is not None and len(found.starts) == 1
        if found is not None:
            near += f"\nThe hunk's own lines are {'only ' * is_unique}at {line_list(self.numbers(found.starts))}."
        self.update(nearby=near, or_context="" if is_unique else " and give enough context lines")
        return "anchor_missing"

    def _several(self) -> str:
        """Several places, or one that is not certain: what tells them apart, and what the edit would have to say."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        self.point((*refusal.starts, *refusal.others), refusal.tier)
        self.update(lines=self.lines, cutShort=refusal.cut_short, tier=refusal.tier)
        if len(refusal.starts) == 1 and not refusal.cut_short:
            return self._uncertain()
        found = {*refusal.starts, *(refusal.others if refusal.cut_short else ())}
        self["count"] = f"{len(found)}{' or more' * refusal.cut_short}"
        # Lines that come in below an anchor are told apart by it.
        rows = [number - 1 - (not hunk.old) for number in self.numbers(found)[: limits.MOST_COMPARED + 1]]
        height, old = max(1, len(hunk.old)), set(map(_fold, hunk.old))
        way, telling = tell_apart(lines, rows, height) if len(rows) <= limits.MOST_COMPARED else ("", ())
        beside = [f", {way} {visible(lines[row])} (line {row + 1})" for row in telling] or [""] * len(rows)
        # Of each place a line is shown that is not quite as the edit has it.
        blocks = [range(row, min(row + height, len(lines))) for row in rows]
        shown = [next((row for row in block if _fold(lines[row]) not in old), block[0]) for block in blocks]
        listing = [f"line {row + 1}: {visible(lines[row])}{near}" for row, near in zip(shown, beside, strict=True)]
        if not way and len({lines[row] for row in shown}) == 1:
            listing = [f"{line_list(sorted({row + 1 for row in shown}))}: {visible(lines[shown[0]])}"]
        elif len(rows) > limits.MOST_LISTED:
            listing[limits.MOST_LISTED :] = [f"and {line_list([row + 1 for row in rows[limits.MOST_LISTED :]])}"]
        self["listing"] = "\n  ".join(["", *listing])
        self["or_every"] = f", or {interface_names().every} to change all of them" * (refusal.tier == "simple")
        if refusal.text:
            self["reading"] = NOTES[refusal.text]
            return "not_unique_reading"
        if refusal.tier == "similar":
            return "several_alike"
        if way != "in" or not (self.words is HUNK and self.situation.dialect.anchors):
            return "several"
        self["after"] = "in one more @@ line, outermost first" if hunk.anchors else "after @@"
        self["form"] = header_form(lines[telling[0]])
        return "several_blocks"

    def _uncertain(self) -> str:
        """The one place is not certain: the rule that forbids it is the row."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        [number] = self.numbers(refusal.starts)
        # A line that is added above the others has its context below, and needs some above.
        row = number - 2 if hunk.lines[0][0] == "+" else number - 1 + len(hunk.old)
        line = lines[row] if 0 <= row < len(lines) else ""
        self.update(line=number, others=line_list(self.numbers(refusal.others) or [number]))
        self["shown"] = visible(next(filter(is_distinctive, hunk.old), ""))
        self["example"] = f" (for line {number}: {visible(line)})" if line.strip() else ""
        return refusal.rule or "uneven-depth"

    _not_unique_reading = _several


def tell_apart(lines: Sequence[str], rows: Sequence[int], height: int) -> tuple[str, Sequence[int]]:
    """What tells blocks of so many lines apart: for each a row whose line none of the others has, and where it is."""

    def nearest(near: range) -> list[int]:
        return [row for row in near if 0 <= row < len(lines) and is_distinctive(lines[row])][:1]

    ways = {
        "in": [blocks_around(lines, row) for row in rows],
        "below": [nearest(range(row - 1, row - 1 - limits.MOST_AWAY, -1)) for row in rows],
        "above": [nearest(range(row + height, row + height + limits.MOST_AWAY)) for row in rows],
    }
    for way, near in ways.items():
        counts = Counter(line for some in near for line in {_fold(lines[row]) for row in some})
        telling = [next((row for row in some if counts[_fold(lines[row])] == 1), -1) for some in near]
        if -1 not in telling:
            return way, telling
    return "", ()


def blocks_around(lines: Sequence[str], row: int) -> list[int]:
    """The rows that open the blocks around a row, the innermost first.

    A block is opened by the nearest line above that is indented less and distinctive. A blank line lies as deep as the
    line above it.
    """
    found: list[int] = []
    width = -1
    for at in range(min(row, len(lines) - 1), max(-1, row - limits.MOST_ABOVE), -1):
        line = lines[at].expandtabs(4)
        indent = len(line) - len(line.lstrip())
        if width < 0 and line.strip():
            width = indent
        elif indent < width and is_distinctive(line):
            found.append(at)
            width = indent
    return found


def explain_fault(fields: Fields, after: str, fault: SyntaxFault) -> Problem:
    """The problem of an edit that was placed loosely and after which the file no longer parses."""
    line, lines = fault.line, after.removesuffix("\n").split("\n")
    shown = range(max(1, line - limits.LINES_AROUND), min(len(lines), line + limits.LINES_AROUND) + 1) if line else ()
    fields.update(rule="parses", fault=fault.reason, line=line, where=f" at line {line} of the result" if line else "")
    fields["listing"] = "".join([f"\n{'>' if n == line else ' '} {n} {visible(lines[n - 1])}" for n in shown])
    return fields.problem("parses")
