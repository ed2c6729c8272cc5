"""Why a hunk has no place, as problems that a model can act upon.

Each function looks at the text once more, within a budget of work, and tells what it saw: the nearest place, the first
line that differs with its white space made visible, other places, whether the new text is there already. It decides
nothing: a hunk that comes here is refused.
"""

from __future__ import annotations

from ..problems import HunkRef, Problem
from .ladder import FOLDS, says_something
from .search import find_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..text import Text
    from .hunks import Candidates, Situation

#: Places and characters of a line that a message shows.
MOST_SHOWN = 5
LONGEST_LINE = 160
#: Lines and characters that the search for a single close line may look at.
CLOSE_LINES = 20_000
CLOSE_CHARACTERS = 1_000_000

_FOLDING = ("exact", "trailing", "indent", "punctuation", "whitespace")


def visible(line: str) -> str:
    """A line between bars with tabs, trailing blanks and odd characters made visible, cut where it is long."""
    if len(line) > LONGEST_LINE:
        line = line[: LONGEST_LINE - 1] + "…"
    kept = line.rstrip(" ")
    shown = kept.replace("\t", "→") + "·" * (len(line) - len(kept))
    return "|" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in shown) + "|"


def _name(situation: Situation, number: int) -> str:
    count = len(situation.hunks)
    line = situation.hunks[number].line
    where = f" (patch line {line})" if line else ""
    return f"Hunk {number + 1} of {count}{where}"


def _file(text: Text) -> str:
    return text.path or "the file"


def _problem(
    situation: Situation, number: int, code: str, message: str, hint: str, **details: object
) -> Problem:
    path = situation.text.path
    hunk = HunkRef(number + 1, len(situation.hunks), situation.hunks[number].line)
    known = {"path": path, "hunkIndex": number, **details}
    return Problem(code, message, path, hunk, known, hint)  # type: ignore[arg-type]


def anchor_missing(situation: Situation, number: int, anchor: str) -> Problem:
    """No line is, or begins with, the text after `@@`."""
    text = situation.text
    message = f"{_name(situation, number)}: no line of {_file(text)} is or begins with its @@ line {visible(anchor)}."
    near = _close_line(text, anchor)
    if near is not None:
        message += f"\nThe nearest is line {near}: {visible(text.lines[near - 1])}"
    old = situation.hunks[number].old
    found = find_block(text.body, old, _FOLDING) if old else None
    if found is not None:
        message += f"\nThe hunk's own lines stand at {_at_lines(text, found.starts)}."
    hint = "Copy the @@ line from the file, or leave its text out and give enough context instead."
    return _problem(
        situation, number, "patch_apply_error", message, hint, reason="anchor_not_found", anchor=anchor, nearest=near
    )


def out_of_time(situation: Situation, number: int) -> Problem:
    """The limit in seconds ran out before this hunk was looked at."""
    message = f"{_name(situation, number)} was not looked at: the search in {_file(situation.text)} took too long."
    return _problem(situation, number, "timeout", message, "Send fewer hunks, or allow more seconds.")


def no_context(situation: Situation, number: int) -> Problem:
    """A hunk of added lines alone that nothing places."""
    message = (
        f"{_name(situation, number)} has only added lines and nothing that says where in {_file(situation.text)} they go."
    )
    hint = "Add the line before them as context (with a space in front), name it after @@, or close with *** End of File."
    return _problem(situation, number, "patch_apply_error", message, hint, reason="no_context")


def several(situation: Situation, option: Candidates) -> Problem:
    """More than one place fits."""
    text, number = situation.text, option.number
    starts = sorted({*(place.start for place in option.places), *option.left_out})
    tier = option.places[0].tier
    more = " or more" if option.cut_short else ""
    how = "" if tier == "exact" else f" at tier {tier!r}"
    lines = [text.line_number(start) for start in starts[: 10 * MOST_SHOWN]]
    telling = next((line[1:] for line in option.hunk.lines if line[0] != "+" and says_something(line[1:])), None)
    first = telling if telling is not None else next((line[1:] for line in option.hunk.lines if line[0] != "+"), "")
    places = "place" if len(starts) == 1 else f"{len(starts)}{more} places"
    if len(starts) > 1:
        message = f"{_name(situation, number)} fits {places} of {_file(text)}{how}: lines {_numbers(lines)}."
    else:
        message = (
            f"{_name(situation, number)} says too little to be sure of its place in {_file(text)}: "
            f"it would fit line {lines[0]}{how}, with no line that tells it from others."
        )
    message += f"\nIts line {visible(first)} does not tell them apart."
    hint = (
        "Send the hunk again with more of the lines around it, or name the function or class it is in after @@, "
        "so that one place is left."
    )
    return _problem(situation, number, "multiple_matches", message, hint, lines=lines, tier=tier, cutShort=option.cut_short)


def overlapping(situation: Situation, one: int, other: int, offset: int) -> Problem:
    """Two hunks change the same lines, or add lines at the same point."""
    text = situation.text
    line = text.line_number(offset)
    message = (
        f"{_name(situation, other)} changes what hunk {one + 1} changes too: both touch {_file(text)} at line {line}."
    )
    hint = "Make one hunk of the two."
    return _problem(situation, other, "overlapping_edits", message, hint, line=line, otherHunkIndex=one)


def already_applied(situation: Situation, number: int, offset: int) -> Problem:
    """What the hunk would write is there already."""
    text = situation.text
    line = text.line_number(offset)
    message = f"{_name(situation, number)} seems to be applied already: its new text stands in {_file(text)} at line {line}."
    hint = "Leave this hunk out. If the same lines are wanted once more, send them with other context around them."
    return _problem(situation, number, "patch_apply_error", message, hint, reason="already_applied", line=line)


def not_found(situation: Situation, number: int) -> Problem:
    """The hunk's old lines stand nowhere that the constraints allow."""
    hunk = situation.hunks[number]
    text = situation.text
    old, new = hunk.old, hunk.new
    elsewhere = find_block(text.body, old, situation.dialect.tiers)
    if elsewhere is not None:
        return misplaced(situation, number, elsewhere.starts, elsewhere.tier)
    if hunk.lines and new and new != old and any(map(says_something, new)):
        there = find_block(text.body, new, _FOLDING)
        if there is not None:
            return already_applied(situation, number, there.starts[0])
    message = f"{_name(situation, number)} does not fit {_file(text)}: its lines are not there."
    details: dict[str, object] = {"reason": "context_not_found"}
    nearest = _nearest(text, old)
    if nearest is not None:
        message += nearest.message
        details["nearest"] = nearest.details
        hint = "Send the hunk again with the lines as the file has them."
    else:
        first = next((line for line in old if says_something(line)), old[0] if old else "")
        message += f"\nNo line of it was found; it begins {visible(first)}."
        hint = "Read the file again; this may be another file's hunk or an old version of the text."
    return _problem(situation, number, "patch_apply_error", message, hint, **details)


def misplaced(situation: Situation, number: int, starts: Sequence[int], tier: str) -> Problem:
    """The lines are in the file, but a constraint does not let them be the place."""
    hunk, text = situation.hunks[number], situation.text
    at = _at_lines(text, starts)
    lines = [text.line_number(start) for start in starts[: 10 * MOST_SHOWN]]
    how = "" if tier == "exact" else f" (tier {tier!r})"
    if hunk.at_end or hunk.no_newline:
        message = (
            f"{_name(situation, number)} says *** End of File, but its lines are not at the end of {_file(text)}: "
            f"they stand at {at}{how}."
        )
        hint = "Leave *** End of File out, or add the lines that follow in the file."
        return _problem(situation, number, "patch_apply_error", message, hint, reason="not_at_end", lines=lines)
    if hunk.anchors and situation.dialect.anchors and situation.dialect.several != "first":
        message = (
            f"{_name(situation, number)}: its lines stand in {_file(text)} at {at}{how}, "
            f"but not behind its @@ line {visible(hunk.anchors[-1])}."
        )
        hint = "Name after @@ the line that opens the block the hunk is in, or leave the text after @@ out."
        return _problem(situation, number, "patch_apply_error", message, hint, reason="context_not_found", lines=lines)
    message = (
        f"{_name(situation, number)} is out of order: its lines stand in {_file(text)} at {at}{how}, "
        f"before the end of the hunk that comes before it."
    )
    hint = "Send the hunks in the order in which their lines stand in the file."
    return _problem(situation, number, "patch_apply_error", message, hint, reason="context_not_found", lines=lines)


class _Nearest:
    """The nearest place, in words and as data."""

    __slots__ = ("details", "message")

    def __init__(self, message: str, details: dict[str, object]) -> None:
        self.message = message
        self.details = details


def _nearest(text: Text, old: Sequence[str]) -> _Nearest | None:
    """The place at which most of the lines agree, and its first line that doesn't."""
    from .similar import Windows

    windows = Windows(text, old)
    fold = FOLDS["whitespace"]
    best, agree = -1, 0
    for first in windows.firsts:
        rows = windows.lines[max(0, first) : first + len(old)]
        same = sum(fold(line) == wanted for line, wanted in zip(rows, windows.wanted[max(0, -first) :], strict=False))
        if same > agree:
            best, agree = first, same
    if best < 0 and not agree:
        return _nearest_line(text, old)
    lines, first = windows.lines, best
    for index, wanted in enumerate(old):
        number = first + index
        line = lines[number] if 0 <= number < len(lines) else None
        if line != wanted and (line is None or fold(line) != windows.wanted[index]):
            break
    else:
        index = next((i for i, wanted in enumerate(old) if lines[first + i] != wanted), 0)
        number = first + index
        line = lines[number]
    last = min(first + len(old), len(lines))
    message = f"\nThe nearest place is lines {max(first, 0) + 1}-{last}: {agree} of {len(old)} lines agree."
    if line is None:
        message += f"\nThe first that does not is\n  patch: {visible(old[index])}\n  file:  (the file ends before it)"
    else:
        message += f"\nThe first that does not is line {number + 1}:\n  patch: {visible(old[index])}\n  file:  {visible(line)}"
        message += _odd_characters(old[index], line)
    details: dict[str, object] = {"first": max(first, 0) + 1, "last": last, "agree": agree}
    details |= {"of": len(old), "line": number + 1}
    return _Nearest(message, details)


def _odd_characters(wanted: str, line: str) -> str:
    """A word on characters that look alike, where they are all that differs."""
    if wanted.isascii() and line.isascii():
        return ""
    odd = sorted({c for c in wanted + line if not c.isascii()} & (set(wanted) ^ set(line)))
    if not odd:
        return ""
    return "\n  not ASCII: " + ", ".join(f"{c} is U+{ord(c):04X}" for c in odd[:MOST_SHOWN])


def _nearest_line(text: Text, old: Sequence[str]) -> _Nearest | None:
    """The one line that is closest to the hunk's longest, where no line is equal."""
    longest = max(old, key=len, default="")
    number = _close_line(text, longest)
    if number is None:
        return None
    message = f"\nNone of its lines is in the file. The nearest to one of them is line {number}:"
    message += f"\n  patch: {visible(longest)}\n  file:  {visible(text.lines[number - 1])}"
    message += _odd_characters(longest, text.lines[number - 1])
    return _Nearest(message, {"first": number, "last": number, "agree": 0, "of": len(old), "line": number})


def _close_line(text: Text, wanted: str) -> int | None:
    """The number of the line that is closest to this one, if any is close."""
    fold = FOLDS["whitespace"]
    needle = fold(wanted)
    if not says_something(needle) or len(needle) > CLOSE_CHARACTERS // 1000:
        return None
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extractOne

    lines: list[str] = []
    budget = CLOSE_CHARACTERS
    for line in text.body[:CLOSE_CHARACTERS].split("\n", CLOSE_LINES)[:CLOSE_LINES]:
        lines.append(fold(line[:1000]))
        budget -= len(line)
    best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=0.6)
    return None if best is None else int(best[2]) + 1


def _numbers(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:MOST_SHOWN]))
    return shown if len(lines) <= MOST_SHOWN else f"{shown}, …"


def _at_lines(text: Text, starts: Sequence[int]) -> str:
    lines = [text.line_number(start) for start in starts[: MOST_SHOWN + 1]]
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {_numbers(lines)}"
