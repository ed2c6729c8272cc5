"""Why a hunk has no place, as problems that a model can act upon.

Each function looks at the text once more, within a budget of work, and tells what it saw: the nearest place, the first
line that differs with its white space made visible, other places, whether the new text is there already. It decides
nothing: a hunk that comes here is refused.
"""

from __future__ import annotations

from ..core.dialect import END_OF_FILE, NO_NEWLINE
from ..core.problems import HunkRef, Problem
from .anchors import find_anchors
from .message_lines import header_form, line_list, visible
from .nearest import blocks_around, close_line, line_numbers
from .search import find_block
from .tiers import FOLDING, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.problems import Code
    from ..core.text import Text
    from .placement import Candidates, Situation

#: Places whose line numbers are given as data.
MOST_LINES = 50
#: Stacked anchors that are looked for once more, and hunks before one whose added lines are looked at.
MOST_ANCHORS_EXPLAINED = 20
MOST_BEFORE = 50
#: Hunks of one update that are held against the nearest place; an answer has no room for more.
MOST_EXPLAINED = 20

_IGNORED = {
    "trailing": "trailing white space",
    "indent": "indentation",
    "punctuation": "Unicode punctuation",
    "whitespace": "white space",
    "escapes": "escapes",
    "similar": "small slips",
}


def _name(situation: Situation, number: int) -> str:
    if situation.words.subject:
        return situation.words.subject
    count = len(situation.hunks)
    line = situation.hunks[number].line
    where = f" (patch line {line})" if line else ""
    return f"Hunk {number + 1} of {count}{where}"


def _file(text: Text) -> str:
    return visible(text.path)[1:-1] if text.path else "the file"


def _at(tier: str) -> str:
    """At which tier, where it is not the first."""
    return "" if tier == "exact" else f" at tier {tier!r} ({_IGNORED[tier]} ignored)"


def _numbers(text: Text, starts: Sequence[int]) -> list[int]:
    return line_numbers(text.body, sorted(starts[:MOST_LINES]))


def _problem(situation: Situation, number: int, code: Code, message: str, hint: str, **details: object) -> Problem:
    path = situation.text.path
    if situation.words.subject:
        return Problem(code, message, path, None, {"path": path, **details}, hint)
    hunk = HunkRef(number + 1, len(situation.hunks), situation.hunks[number].line)
    known = {"path": path, "hunkIndex": number, **details}
    return Problem(code, message, path, hunk, known, hint)


def anchor_missing(situation: Situation, number: int, anchor: str) -> Problem:
    """No line is, or begins with, the text after `@@`, or none below the anchors that are stacked above it."""
    text, hunk = situation.text, situation.hunks[number]
    hint = "Copy the @@ line from the file, or leave its text out and give enough context lines instead."
    near: int | None = None
    if (words := _not_below(situation, number, anchor)) is not None:
        message, hint = words
    elif (form := _without_numbers(text, anchor)) is not None:
        message = f"{_name(situation, number)}: its @@ line has line numbers of a unified diff: {visible(anchor)}."
        hint = f"Write {form} instead."
    else:
        message = (
            f"{_name(situation, number)}: no line of {_file(text)} is or begins with its @@ line {visible(anchor)}."
        )
        close = close_line(text, anchor)
        if close is not None:
            near = close[0]
            message += f"\nThe nearest is line {near}: {visible(text.lines[near - 1])}"
        found = find_block(text.body, hunk.old, FOLDING) if hunk.old else None
        if found is not None:
            message += f"\nThe hunk's own lines stand at {line_list(_numbers(text, found.starts))}."
        if found is not None and len(found.starts) == 1:
            hint = "Leave the text after @@ out: the hunk's lines stand only once."
    return _problem(
        situation, number, "patch_apply_error", message, hint, reason="anchor_not_found", anchor=anchor, nearest=near
    )


def _not_below(situation: Situation, number: int, anchor: str) -> tuple[str, str] | None:
    """Message and hint for an anchor that stands in the file, but not below the one that is stacked above it."""
    text, hunk = situation.text, situation.hunks[number]
    index = hunk.anchors.index(anchor)
    spots = find_anchors(text.body, (anchor,)).spots if len(hunk.anchors) > 1 else []
    if not spots:
        return None
    if not 0 < index <= MOST_ANCHORS_EXPLAINED or hunk.anchors.count(anchor) > 1:
        message = (
            f"{_name(situation, number)}: its @@ lines do not stand in that order in {_file(text)}: "
            f"{visible(anchor)} does not follow those above it."
        )
        return message, "Keep only the @@ lines of blocks that the hunk is in, the outermost first."
    above = find_anchors(text.body, hunk.anchors[:index]).spots
    message = (
        f"{_name(situation, number)}: its @@ line {visible(anchor)} stands at {line_list(_numbers(text, spots))} of "
        f"{_file(text)}, but not below {visible(hunk.anchors[index - 1])} ({line_list(_numbers(text, above))})."
    )
    blocks = blocks_around(text.body, spots[0])
    if len(spots) == 1 and blocks:
        opens = header_form(blocks[0][1])
        return message, f"Write {opens} (line {text.line_number(blocks[0][0])}) above it, if that is the one meant."
    return message, "Name above it the line that opens the block it is in, or leave the @@ line above it out."


def _without_numbers(text: Text, anchor: str) -> str | None:
    """The `@@` line that was meant by one of a unified diff, in a dialect that doesn't read those."""
    from ..format.markers import read_anchor

    found = read_anchor(anchor)
    if found is None:
        return None
    return header_form(found[1]) if found[1] and find_anchors(text.body, (found[1],)).spots else "@@ alone"


def out_of_time(situation: Situation, number: int) -> Problem:
    """The limit in seconds ran out before this hunk was looked at."""
    message = f"{_name(situation, number)} was not looked at: the search in {_file(situation.text)} took too long."
    return _problem(situation, number, "timeout", message, "Send fewer hunks at a time.")


def no_context(situation: Situation, number: int) -> Problem:
    """A hunk of added lines alone that nothing places."""
    file = _file(situation.text)
    message = f"{_name(situation, number)} has only added lines and nothing that says where in {file} they go."
    ways = ["Add the line before them as context (with a space in front)"]
    if situation.dialect.insertion != "never":
        ways += ["name it after @@"] * situation.dialect.anchors
        ways += [f"close the hunk with {END_OF_FILE}"] * situation.dialect.end_of_file
    hint = ways[0] if len(ways) == 1 else f"{', '.join(ways[:-1])}, or {ways[-1]}"
    return _problem(situation, number, "patch_apply_error", message, hint + ".", reason="no_context")


def several(situation: Situation, option: Candidates) -> Problem:
    """More than one place fits, or the one that does is not certain."""
    from .rivals import describe

    text, number = situation.text, option.number
    starts = sorted({*(place.start for place in option.places), *option.left_out})
    tier = option.places[0].tier
    words, hint = describe(situation, option, _file(text), _at(tier))
    lines = _numbers(text, starts)
    message = f"{_name(situation, number)} {words}"
    return _problem(
        situation, number, "multiple_matches", message, hint, lines=lines, tier=tier, cutShort=option.cut_short
    )


def overlapping(situation: Situation, one: int, other: int, offset: int) -> Problem:
    """Two hunks change the same lines, or add lines at the same point."""
    text = situation.text
    line = text.line_number(offset)
    here = text.line_at(offset).strip()
    removed = [here in map(str.strip, situation.hunks[number].removed) for number in (one, other)]
    if any(removed):
        verb = "removes a line that" if all(removed) else "changes lines that"
        what = f"{verb} hunk {one + 1} {'removes' if all(removed) else 'changes'} too: {visible(text.line_at(offset))}"
        message = f"{_name(situation, other)} {what} (line {line} of {_file(text)})."
    else:
        where = f"below line {line - 1}" if line > 1 else "at the top"
        message = f"{_name(situation, other)} adds lines at the same point as hunk {one + 1}: {where} of {_file(text)}."
    hint = "Merge the two hunks into one."
    return _problem(situation, other, "overlapping_edits", message, hint, line=line, otherHunkIndex=one)


def already_applied(situation: Situation, number: int, offset: int) -> Problem:
    """What the hunk would write is there already."""
    text, hunk = situation.text, situation.hunks[number]
    line = text.line_number(offset)
    message = (
        f"{_name(situation, number)} seems to be applied already: its new text stands in {_file(text)} at line {line}."
    )
    thing, again = situation.words.thing, "send them with other context lines around them"
    if situation.words.subject:
        which = situation.words.subject.removesuffix("oldString")
        message = f"{which}The edit seems to be applied already: newString stands in {_file(text)} at line {line}."
        again = "send oldString with more of the lines around it"
    hint = f"Leave this {thing} out."
    if hunk.added:
        hint += f" If the same lines are wanted once more, {again}."
    if sum(map(is_distinctive, hunk.new)) < 2:
        again = again if situation.words.subject else "send it again with more context lines"
        hint = f"If that is the place, leave this {thing} out. If not, {again}."
    return _problem(situation, number, "patch_apply_error", message, hint, reason="already_applied", line=line)


def not_found(situation: Situation, number: int) -> Problem:
    """The hunk's old lines stand nowhere that the constraints allow."""
    from .differences import differences

    hunk, text = situation.hunks[number], situation.text
    elsewhere = find_block(text.body, hunk.old, situation.dialect.tiers)
    if elsewhere is not None:
        return misplaced(situation, number, elsewhere.starts, elsewhere.tier)
    if _may_be_applied(hunk):
        there = find_block(text.body, hunk.new, FOLDING)
        if there is not None:
            return already_applied(situation, number, there.starts[0])
    situation.explained += 1
    if situation.explained > MOST_EXPLAINED:
        message = f"{_name(situation, number)} does not fit {_file(text)} either."
        hint = "Read the file again, and send the hunk with the lines that it has now."
        return _problem(situation, number, "patch_apply_error", message, hint, reason="context_not_found")
    spots = find_anchors(text.body, hunk.anchors[-MOST_ANCHORS_EXPLAINED:]).spots if situation.dialect.anchors else ()
    found = differences(text, hunk, situation.dialect, spots[0] if spots else 0)
    message = f"{_name(situation, number)} does not fit {_file(text)}.\n{found.message}"
    details: dict[str, object] = {"reason": "context_not_found"}
    if found.nearest is not None:
        details["nearest"] = found.nearest
    hint = found.hint
    for line in found.lost:
        earlier = _added_by(situation, number, line)
        if earlier is not None:
            message = (
                f"{_name(situation, number)} does not fit {_file(text)}: hunk {earlier + 1} adds {visible(line)}, "
                "and hunks are matched against the file as it was."
            )
            hint = "Merge the two hunks into one."
            details["otherHunkIndex"] = earlier
            break
    return _problem(situation, number, "patch_apply_error", message, hint, **details)


def _may_be_applied(hunk: Hunk) -> bool:
    """Whether the new lines, found in the file, would tell that the hunk was applied before."""
    if hunk.added:
        return hunk.new != hunk.old and any(map(is_distinctive, hunk.added))
    # Nothing but lines that go: the lines around them must have come together.
    return hunk.lines[0][0] == " " == hunk.lines[-1][0] and any(map(is_distinctive, hunk.new))


def _added_by(situation: Situation, number: int, line: str) -> int | None:
    """The number, from 0, of an earlier hunk that adds this line."""
    if not is_distinctive(line):
        return None
    first = max(0, number - MOST_BEFORE)
    for before in range(number - 1, first - 1, -1):
        if any(other[0] == "+" and other[1:] == line for other in situation.hunks[before].lines[:1000]):
            return before
    return None


def misplaced(situation: Situation, number: int, starts: Sequence[int], tier: str) -> Problem:
    """The lines are in the file, but a constraint does not let them be the place."""
    hunk, text = situation.hunks[number], situation.text
    lines = _numbers(text, starts)
    at = f"{line_list(lines)}{_at(tier)}"
    reason = "context_not_found"
    if hunk.at_end or hunk.no_newline:
        reason = "not_at_end"
        marker = END_OF_FILE if hunk.at_end else NO_NEWLINE
        follow = len(text.lines) - lines[0] + 1 - len(hunk.old)
        more = (
            f", and {follow} more line{'s' * (follow > 1)} follow{'s' * (follow == 1)}"
            if len(lines) == 1 < follow
            else ""
        )
        message = (
            f"{_name(situation, number)} says '{marker}', but its lines are not at the end of {_file(text)}: "
            f"they stand at {at}{more}."
        )
        hint = "Leave that line out, if this is the place. If not, send the lines that stand at the end."
    elif (words := _not_behind(situation, number, starts)) is not None:
        message, hint = f"{_name(situation, number)}: its lines stand in {_file(text)} at {at}, {words[0]}", words[1]
    else:
        message = (
            f"{_name(situation, number)} is out of order: its lines stand in {_file(text)} at {at}, "
            "not below the place of the hunk before it."
        )
        hint = "Send the hunks in the order in which their lines stand in the file."
    return _problem(situation, number, "patch_apply_error", message, hint, reason=reason, lines=lines)


def _not_behind(situation: Situation, number: int, starts: Sequence[int]) -> tuple[str, str] | None:
    """The end of the message and the hint for lines that stand above their anchor; None where they don't."""
    hunk, text = situation.hunks[number], situation.text
    if not hunk.anchors or not situation.dialect.anchors:
        return None
    spots = find_anchors(text.body, hunk.anchors[-MOST_ANCHORS_EXPLAINED:]).spots
    if not spots or starts[-1] >= spots[0]:
        return None
    words = f"but not behind its @@ line {visible(hunk.anchors[-1])} ({line_list(_numbers(text, spots))})."
    hint = "Name after @@ the line that opens the block the hunk is in, or leave the text after @@ out."
    opener = text.line_at(spots[0])
    width = len(opener) - len(opener.lstrip())
    for start, line in blocks_around(text.body, starts[0]):
        if len(starts) == 1 and len(line) - len(line.lstrip()) <= width:
            hint = (
                f"Write {header_form(line)} (line {text.line_number(start)}) instead, or leave the text after @@ out."
            )
            break
    return words, hint
