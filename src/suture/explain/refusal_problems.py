"""Refusals as problems that a model can act on: which row of `problem_table` each is, and the evidence in it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from ..core.dialect import END_OF_FILE, NO_NEWLINE, STANDARD
from ..core.display import printable
from ..core.interface_names import interface_names
from ..core.notes import NOTES
from ..core.problems import HunkRef, Problem
from ..locate import limits
from ..locate.anchors import find_anchors
from ..locate.placement import Situation
from ..locate.search import find_block
from ..locate.tiers import FOLDING, FOLDS, is_distinctive
from .message_lines import close_line, find_nearest_place, line_list, visible
from .problem_table import BLOCK, EDIT, HUNK, Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ..core.text import Text
    from ..locate.placement import Refusal
    from ..locate.readings import EditReading
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
        self.situation, self.refusal = situation, refusal
        self.text, self.hunk = situation.text, situation.hunks[refusal.number]
        ref = HunkRef(situation.first + refusal.number + 1, situation.count, self.hunk.line)
        super().__init__(words, self.text.path, None if words is EDIT else ref)
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
        return sorted({bisect_right(self.text.rows[1], start) for start in starts})[: limits.MOST_NUMBERED]

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
        spots = find_anchors(text.body, hunk.anchors if dialect.anchors else (), dialect.tiers)[0]
        if not hunk.old:
            self.point(spots or [len(text.body)])
            self["lines"] = self.lines
            return "out_of_order"
        if self.words is not EDIT and (elsewhere := find_block(text.body, hunk.old, dialect.tiers)) is not None:
            self.point(elsewhere.starts, elsewhere.tier)
            return self._misplaced(spots)
        # The new text shows that the edit was made before, unless it is a part of the old one.
        is_telling = "\n".join(hunk.new) not in "\n".join(hunk.old) and any(map(is_distinctive, hunk.added or hunk.new))
        if is_telling and (there := find_block(text.body, hunk.new, FOLDING)) is not None:
            self.point(there.starts)
            return "applied_instead"
        if not any(map(str.strip, hunk.old)):
            self["shown"] = visible("\n".join(hunk.old))
            return "only_whitespace"
        before = self.situation.hunks[: self.refusal.number]
        adding = {line: number for number, one in enumerate(before, 1) for line in one.added}
        missing = adding.keys() - text.rows[0] if adding else ()
        shared = next((line for line in hunk.old if line in missing and is_distinctive(line)), None)
        if shared is not None:
            self.update(other=adding[shared], shown=visible(shared))
            return "added_before"
        row, fields = find_nearest_place(text, hunk, self.words["side"], spots[0] if spots else 0)
        self.update(fields)
        return row

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
        if hunk.at_end or hunk.no_newline:
            self.update(marker=END_OF_FILE if hunk.at_end else NO_NEWLINE, total=len(self.text.lines))
            return "not_at_end"
        anchors = self.numbers(spots)
        if anchors and lines[-1] < anchors[0]:
            self.update(shown=visible(hunk.anchors[-1]), spots=line_list(anchors))
            return "above_anchor"
        return "out_of_order"

    def _anchor_missing(self) -> str:
        anchor, text, hunk = self.refusal.text, self.text, self.hunk
        nearby = ""
        if spots := find_anchors(text.body, (anchor,), self.situation.dialect.tiers)[0]:
            self["below"] = f" below {visible(hunk.anchors[max(hunk.anchors.index(anchor), 1) - 1])}"
            nearby = f"\nIt is at {line_list(self.numbers(spots))}."
        elif number := close_line(text, anchor):
            nearby = f"\nThe nearest is line {number}: {visible(text.rows[0][number - 1])}"
        if hunk.old and (found := find_block(text.body, hunk.old, FOLDING)) is not None:
            nearby += f"\nThe hunk's own lines are at {line_list(self.numbers(found.starts))}."
        self.update(shown=visible(anchor), nearby=nearby)
        return "anchor_missing"

    def _several(self) -> str:
        """Several places, or one that is not certain: what tells them apart, and what the edit would have to say."""
        refusal, hunk, lines = self.refusal, self.hunk, self.text.rows[0]
        self.point((*refusal.starts, *refusal.others), refusal.text or refusal.tier)
        self.update(lines=self.lines, cutShort=refusal.cut_short, tier=refusal.tier)
        if len(refusal.starts) == 1 and not refusal.cut_short:
            return self._uncertain()
        found = {*refusal.starts, *(refusal.others if refusal.cut_short else ())}
        numbers = self.numbers(found)
        # The anchor is what distinguishes lines that are only added below it.
        rows = [number - 1 - (not hunk.old) for number in numbers[: limits.MOST_LISTED]]
        height, old = max(1, len(hunk.old)), set(map(_fold, hunk.old))
        way, telling = tell_apart(lines, rows, height)
        listing = ""
        for row, near in zip(rows, telling or rows, strict=True):
            # A line that is not quite as the edit has it, if there is one.
            block = range(row, min(row + height, len(lines)))
            at = next((at for at in block if _fold(lines[at]) not in old), row)
            listing += f"\n  line {at + 1}: {visible(lines[at])}"
            listing += f", {way} {visible(lines[near])} (line {near + 1})" if way else ""
        if len(numbers) > len(rows):
            listing += f"\n  and {line_list(numbers[len(rows) :])}"
        self.update(count=f"{len(found)}{' or more' * refusal.cut_short}", listing=listing)
        if refusal.tier == "simple":
            self["or_every"] = f", or {interface_names().every} to change all of them"
        if way != "in" or self.words is not HUNK or not self.situation.dialect.anchors:
            return "several"
        self["after"] = "in one more @@ line, outermost first" if hunk.anchors else "after @@"
        self["form"] = "@@ " + printable(lines[telling[0]].strip()[: limits.LONGEST_HEADER].rstrip())
        return "several_blocks"

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
        return refusal.rule or "uneven-depth"


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
    """The rows that open the blocks around a row, innermost first: distinctive lines above that are indented less."""
    found: list[int] = []
    width = -1
    for at in range(min(row, len(lines) - 1), max(-1, row - limits.MOST_ABOVE), -1):
        line = lines[at].expandtabs(4)
        indent = len(line) - len(line.lstrip())
        # A blank line lies as deep as the line above it.
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
    listing = "".join([f"\n{'>' if n == line else ' '} {n} {visible(lines[n - 1])}" for n in shown])
    where = f" at line {line} of the result" if line else ""
    fields.update(rule="parses", line=line, fault=fault.reason + where, listing=listing)
    return fields.problem("parses")
