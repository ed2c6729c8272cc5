"""Refusals of hunks as problems that a model can act on.

Each answer says what failed and where, shows the evidence with line numbers, and ends with what to do next.
"""

from __future__ import annotations

from ..core.dialect import END_OF_FILE, NO_NEWLINE
from ..core.interface_names import interface_names
from ..core.problems import HunkRef, Problem
from ..locate.anchors import find_anchors
from ..locate.limits import MOST_ANCHORS_EXPLAINED, MOST_BEFORE, MOST_EXPLAINED, MOST_NUMBERED
from ..locate.search import find_block
from ..locate.tiers import FOLDING, is_distinctive
from .message_lines import BLOCK, HUNK, header_form, line_list, visible
from .nearest_place import find_nearest_place
from .surroundings import blocks_around, close_line, line_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.problems import Code
    from ..core.text import Text
    from ..locate.placement import Situation
    from ..locate.refusal import Refusal
    from .message_lines import Words

_IGNORED = {
    "trailing": "trailing whitespace",
    "indent": "indentation",
    "punctuation": "Unicode punctuation",
    "whitespace": "whitespace",
    "escapes": "escapes",
    "similar": "typos",
}


def explain_hunks(situation: Situation, refusals: Sequence[Refusal]) -> list[Problem]:
    """The problems of all hunks that have no place."""
    explained = sum(refusal.kind == "not_found" for refusal in refusals[:MOST_EXPLAINED])
    explainer = HunkExplainer(situation, BLOCK if situation.hunks[0].is_block else HUNK)
    problems: list[Problem] = []
    for refusal in refusals:
        brief = refusal.kind == "not_found" and len(problems) >= max(explained, MOST_EXPLAINED)
        problems.append(explainer.brief(refusal.number) if brief else explainer.problem(refusal))
    return problems


class HunkExplainer:
    """Explains the refusals of one update, in the words of the interface in use."""

    def __init__(self, situation: Situation, words: Words = HUNK) -> None:
        self.situation = situation
        self.text = situation.text
        self.words = words
        self.thing = words.thing

    def problem(self, refusal: Refusal) -> Problem:
        """What a refusal says."""
        problem: Problem = getattr(self, f"_{refusal.kind}")(refusal)
        return with_rule(problem, refusal)

    def name(self, number: int) -> str:
        """What a message calls the hunk."""
        if self.words.subject:
            return self.words.subject
        line = self.situation.hunks[number].line
        first, count = self.situation.first, self.situation.count
        return f"{self.thing.capitalize()} {first + number + 1} of {count}{f' (patch line {line})' if line else ''}"

    @property
    def file(self) -> str:
        """What a message calls the file."""
        return file_name(self.text)

    def _problem(self, number: int, code: Code, message: str, hint: str, **details: object) -> Problem:
        path = self.text.path
        if self.words.subject:
            return Problem(code, message, path, None, {"path": path, **details}, hint)
        index = self.situation.first + number
        ref = HunkRef(index + 1, self.situation.count, self.situation.hunks[number].line)
        if index and self.situation.first and ("nearest" in details or "lines" in details):
            message += f"\nLine numbers count the lines that the {self.thing}s before it leave."
        return Problem(code, message, path, ref, {"path": path, "hunkIndex": index, **details}, hint)

    def numbers(self, starts: Sequence[int]) -> list[int]:
        """The line numbers of places."""
        return line_numbers(self.text.body, sorted(starts)[:MOST_NUMBERED])

    def brief(self, number: int) -> Problem:
        """A hunk that was not found, after many others that were explained."""
        message = f"{self.name(number)} does not fit {self.file} either."
        hint = f"{self.words.look}, and {self.words.resend} with the lines that it has now."
        return self._problem(number, "patch_apply_error", message, hint, reason="context_not_found")

    def _out_of_time(self, refusal: Refusal) -> Problem:
        message = f"{self.name(refusal.number)} was not placed: the search in {self.file} took too long."
        return self._problem(refusal.number, "timeout", message, f"{self.words.send} fewer {self.thing}s at a time.")

    def _unclear_escapes(self, refusal: Refusal) -> Problem:
        number, line = refusal.number, self.text.line_number(refusal.starts[0])
        message = f"{self.name(number)} is at line {line} of {self.file} if its escapes are read differently, but it "
        message += "is unclear which escapes of its added lines are meant literally."
        hint = f"{self.words.send} every line as the file has it, with the same number of backslashes, and added lines "
        hint += "likewise."
        details = {"reason": "unclear_escapes", "line": line}
        return self._problem(number, "patch_apply_error", message, hint, **details)

    def _no_context(self, refusal: Refusal) -> Problem:
        dialect, hunk = self.situation.dialect, self.situation.hunks[refusal.number]
        message = f"{self.name(refusal.number)} has only added lines. Nothing says where in {self.file} they go."
        ways = ["Add the line before them as context (with a space in front)"]
        # After the line numbers of a diff, a name is ignored.
        if dialect.insertion != "never" and hunk.line_hint is None:
            ways += ["name it after @@"] * dialect.anchors
            ways += [f"close the hunk with {END_OF_FILE}"] * dialect.end_of_file
        hint = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
        return self._problem(refusal.number, "patch_apply_error", message, f"{hint}.", reason="no_context")

    def _several(self, refusal: Refusal) -> Problem:
        from .rivals import describe

        option = refusal.option
        assert option is not None, "BUG: several places without their candidates"
        tier = option.places[0].tier
        words, hint = describe(self.situation, option, self.words, self.file, _at(tier), refusal.rule)
        lines = self.numbers(list({*(place.start for place in option.places), *option.left_out}))
        message = f"{self.name(option.number)} {words}"
        details = {"lines": lines, "tier": tier, "cutShort": option.cut_short}
        return self._problem(option.number, "multiple_matches", message, hint, **details)

    def _overlapping(self, refusal: Refusal) -> Problem:
        offset, one, other = refusal.starts[0], refusal.other, refusal.number
        line, here = self.text.line_number(offset), self.text.line_at(offset)
        removed = [here.strip() in map(str.strip, self.situation.hunks[n].removed) for n in (one, other)]
        name = self.name(other)
        if any(removed):
            verb = "removes" if all(removed) else "changes"
            message = f"{name} {verb} a line that {self.thing} {one + 1} {verb} too: {visible(here)} "
            message += f"(line {line} of {self.file})."
        else:
            where = f"below line {line - 1}" if line > 1 else "at the top"
            message = f"{name} adds lines at the same point as {self.thing} {one + 1}: {where} of {self.file}."
        hint = f"Merge the two {self.thing}s into one."
        return self._problem(other, "overlapping_edits", message, hint, line=line, otherHunkIndex=one)

    def _changed_before(self, refusal: Refusal) -> Problem:
        number, line = refusal.number, self.text.line_number(refusal.starts[0])
        message = f"{self.name(number)} fits {self.file} at line {line}, but {self.thing} {refusal.other + 1} changes "
        message += f"lines that it has as context, and each {self.thing} is matched against the result of those before."
        hint = f"Write its context lines as the {self.thing}s before it leave them, or merge the two into one."
        details = {"reason": "context_not_found", "line": line, "otherHunkIndex": refusal.other}
        return self._problem(number, "patch_apply_error", message, hint, **details)

    def _ends_with_newline(self, refusal: Refusal) -> Problem:
        number, line = refusal.number, len(self.text.lines)
        message = (
            f"{self.name(number)}: {NO_NEWLINE} follows an old line, but the last line of {self.file} (line {line}) "
        )
        message += "ends with a newline."
        hint = "Leave that line out. To remove the final newline, put it below the added last line and nowhere else."
        details = {"reason": "not_at_end", "line": line}
        return self._problem(number, "patch_apply_error", message, hint, **details)

    def _already_applied(self, refusal: Refusal) -> Problem:
        hunk = self.situation.hunks[refusal.number]
        line = self.text.line_number(refusal.starts[0])
        thing, subject = self.thing, self.words.subject
        message = (
            f"{self.name(refusal.number)} seems to be applied already: its new text is in {self.file} at line {line}."
        )
        again = f"{self.words.send.lower()} them with other context lines around them"
        if subject:
            words = self.words
            message = (
                f"{words.prefix}The edit seems to be applied already: {words.new} is in {self.file} at line {line}."
            )
            again = f"{words.send.lower()} {words.old} with more of the lines around it"
        out = f"leave this {thing} out{interface_names().or_skip}."
        hint = f"L{out[1:]}"
        if hunk.added:
            hint += f" To add the same lines once more, {again}."
        if sum(map(is_distinctive, hunk.new)) < 2:
            again = again if subject else f"{self.words.send.lower()} it again with more context lines"
            hint = f"If that is the place, {out} If not, {again}."
        details = {"reason": "already_applied", "line": line}
        return self._problem(refusal.number, "patch_apply_error", message, hint, **details)

    def _not_found(self, refusal: Refusal) -> Problem:
        number, text = refusal.number, self.text
        hunk, dialect = self.situation.hunks[number], self.situation.dialect
        if not hunk.old:
            message = (
                f"{self.name(number)} is out of order: its @@ line is above the place of the {self.thing} before it."
            )
            hint = f"{self.words.send} the {self.thing}s in the order of their lines in the file."
            return self._problem(number, "patch_apply_error", message, hint, reason="context_not_found")
        elsewhere = find_block(text.body, hunk.old, dialect.tiers)
        if elsewhere is not None:
            return self._misplaced(refusal.replace(starts=tuple(elsewhere.starts), tier=elsewhere.tier))
        if _may_be_applied(hunk) and (there := find_block(text.body, hunk.new, FOLDING)) is not None:
            return self._already_applied(refusal.replace(starts=(there.starts[0],)))
        spots = (
            find_anchors(text.body, hunk.anchors[-MOST_ANCHORS_EXPLAINED:], dialect.tiers).spots
            if dialect.anchors
            else ()
        )
        nearest = find_nearest_place(text, hunk, dialect.tiers, self.words, spots[0] if spots else 0)
        message, hint = f"{self.name(number)} does not fit {self.file}.\n{nearest.message}", nearest.hint
        details: dict[str, object] = {"reason": "context_not_found"}
        if nearest.data is not None:
            details["nearest"] = nearest.data
        for line in nearest.absent:
            earlier = self._added_by(number, line)
            if earlier is not None:
                message = (
                    f"{self.name(number)} does not fit {self.file}: {self.thing} {earlier + 1} adds {visible(line)}, "
                )
                message += f"but {self.thing}s are matched against the file as it was before."
                hint, details["otherHunkIndex"] = f"Merge the two {self.thing}s into one.", earlier
                break
        return self._problem(number, "patch_apply_error", message, hint, **details)

    def _added_by(self, number: int, line: str) -> int | None:
        """The number, from 0, of an earlier hunk that adds this line."""
        for before in range(number - 1, max(0, number - MOST_BEFORE) - 1, -1) if is_distinctive(line) else ():
            if f"+{line}" in self.situation.hunks[before].lines[:1000]:
                return before
        return None

    def _misplaced(self, refusal: Refusal) -> Problem:
        """The lines are in the file, but a constraint does not let them be the place."""
        number, starts = refusal.number, refusal.starts
        hunk, name = self.situation.hunks[number], self.name(number)
        lines = self.numbers(starts)
        at = f"{line_list(lines)}{_at(refusal.tier)}"
        reason = "context_not_found"
        if hunk.at_end or hunk.no_newline:
            reason = "not_at_end"
            marker = END_OF_FILE if hunk.at_end else NO_NEWLINE
            message = f"{name} says '{marker}', but its lines are not at the end of {self.file}: they are at {at}"
            follow = len(self.text.lines) - lines[0] + 1 - len(hunk.old)
            message += f", and {follow} more lines follow." if len(lines) == 1 < follow else "."
            hint = "If this is the place, leave that line out. If not, "
            hint += f"{self.words.send.lower()} the lines at the end of the file."
        elif (above := self._above_anchor(number, starts)) is not None:
            message, hint = f"{name}: its lines are in {self.file} at {at}, {above[0]}", above[1]
        else:
            message = f"{name} is out of order: its lines are in {self.file} at {at}, above the place of the "
            message += f"{self.thing} before it."
            hint = f"{self.words.send} the {self.thing}s in the order of their lines in the file."
        return self._problem(number, "patch_apply_error", message, hint, reason=reason, lines=lines)

    def _above_anchor(self, number: int, starts: Sequence[int]) -> tuple[str, str] | None:
        """The end of the message and the hint for lines that are above their anchor; None where they are not."""
        hunk, text = self.situation.hunks[number], self.text
        named = hunk.anchors[-MOST_ANCHORS_EXPLAINED:]
        spots = find_anchors(text.body, named, self.situation.dialect.tiers).spots if named else []
        if not self.situation.dialect.anchors or not spots or starts[-1] >= spots[0]:
            return None
        message = f"but not below its @@ line {visible(hunk.anchors[-1])} ({line_list(self.numbers(spots))})."
        hint = "After @@, name the line that opens the block the hunk is in, or leave the text after @@ out."
        opener = text.line_at(spots[0])
        for start, line in blocks_around(text.body, starts[0]) if len(starts) == 1 else ():
            if len(line) - len(line.lstrip()) <= len(opener) - len(opener.lstrip()):
                hint = f"Write {header_form(line)} (line {text.line_number(start)}), or leave the text after @@ out."
                break
        return message, hint

    def _anchor_missing(self, refusal: Refusal) -> Problem:
        number, anchor, text = refusal.number, refusal.text, self.text
        hunk = self.situation.hunks[number]
        hint = "Copy the @@ line from the file, or leave its text out and give enough context lines."
        near: int | None = None
        if (below := self._not_below(number, anchor)) is not None:
            message, hint = below
        elif (form := _without_numbers(text, anchor)) is not None:
            message = f"{self.name(number)}: its @@ line has the line numbers of a unified diff: {visible(anchor)}."
            hint = f"Write {form} instead."
        else:
            message = f"{self.name(number)}: no line of {self.file} is or begins with its @@ line {visible(anchor)}."
            close = close_line(text, anchor)
            if close is not None:
                near = close[0]
                message += f"\nThe nearest is line {near}: {visible(text.lines[near - 1])}"
            found = find_block(text.body, hunk.old, FOLDING) if hunk.old else None
            if found is not None:
                message += f"\nThe hunk's own lines are at {line_list(self.numbers(found.starts))}."
            if found is not None and len(found.starts) == 1:
                hint = "Leave the text after @@ out: the hunk's lines occur exactly once."
        details = {"reason": "anchor_not_found", "anchor": anchor, "nearest": near}
        return self._problem(number, "patch_apply_error", message, hint, **details)

    def _not_below(self, number: int, anchor: str) -> tuple[str, str] | None:
        """Message and hint for an anchor that is in the file, but not below the one that is stacked above it."""
        text, anchors = self.text, self.situation.hunks[number].anchors
        index = anchors.index(anchor)
        tiers = self.situation.dialect.tiers
        spots = find_anchors(text.body, (anchor,), tiers).spots if len(anchors) > 1 else []
        if not spots:
            return None
        if not 0 < index <= MOST_ANCHORS_EXPLAINED or anchors.count(anchor) > 1:
            message = f"{self.name(number)}: its @@ lines are not in this order in {self.file}: {visible(anchor)} does "
            message += "not follow those above it."
            return message, "Keep only the @@ lines of blocks that the hunk is in, the outermost first."
        above = find_anchors(text.body, anchors[:index], tiers).spots
        message = (
            f"{self.name(number)}: its @@ line {visible(anchor)} is at {line_list(self.numbers(spots))} of {self.file} "
            f"but not below {visible(anchors[index - 1])} ({line_list(self.numbers(above))})."
        )
        blocks = blocks_around(text.body, spots[0])
        if len(spots) == 1 and blocks:
            opens = header_form(blocks[0][1])
            return message, f"Write {opens} (line {text.line_number(blocks[0][0])}) above it, if you mean that one."
        return message, "Above it, name the line that opens its block, or leave the @@ line above it out."


def applied_line(problem: Problem) -> int:
    """The line at which the result of a hunk is already; 0 if that is not the problem."""
    line = problem.details.get("line")
    return line if problem.details.get("reason") == "already_applied" and isinstance(line, int) else 0


def with_rule(problem: Problem, refusal: Refusal) -> Problem:
    """The problem with the name of the rule that refused, if it speaks of the place that the rule forbids."""
    if not refusal.rule or (refusal.kind == "not_found" and "nearest" not in problem.details):
        return problem
    return problem.replace(details={**problem.details, "rule": refusal.rule})


def file_name(text: Text) -> str:
    """What a message calls a file."""
    return visible(text.path)[1:-1] if text.path else "the file"


def _at(tier: str) -> str:
    """At which tier, where it is not the first."""
    return "" if tier == "exact" else f" at tier {tier!r} ({_IGNORED[tier]} ignored)"


def _may_be_applied(hunk: Hunk) -> bool:
    """Whether the new lines, found in the file, would show that the hunk was applied before."""
    if hunk.added:
        return hunk.new != hunk.old and any(map(is_distinctive, hunk.added))
    # Nothing but lines to remove: the lines around them must have come together.
    return hunk.lines[0][0] == " " == hunk.lines[-1][0] and any(map(is_distinctive, hunk.new))


def _without_numbers(text: Text, anchor: str) -> str | None:
    """The `@@` line that was meant by one of a unified diff, in a dialect that does not read those."""
    from ..format.markers import read_anchor

    read = read_anchor(anchor)
    if read is None:
        return None
    return header_form(read[1]) if read[1] and find_anchors(text.body, (read[1],), FOLDING).spots else "@@ alone"
