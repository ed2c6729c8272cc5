"""The line numbers of a unified diff, as a claim about all of its hunks together.

One number proves little: models count badly, and a file may have changed above it. But a diff whose old lines are all
exactly at their numbers was made for this file, and one whose new lines are all at theirs is already applied.
"""

from __future__ import annotations

from .limits import MOST_PLACES
from .place import Place
from .placement import Candidates, Refusal
from .refusals import refuse_place
from .search import find_block
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from .placement import Situation


def place_at_numbers(situation: Situation) -> tuple[list[Candidates], list[Refusal]] | None:
    """All hunks of a diff at their own line numbers, or the refusals of a diff that is applied there already.

    None if the numbers don't say where the hunks belong, so that each has to be searched.
    """
    hunks = situation.hunks
    if any(hunk.line_hint is None or hunk.is_block or hunk.anchors for hunk in hunks):
        return None
    rows = [_row(hunk) for hunk in hunks]
    if _belong_at_numbers(situation, rows):
        options = [_option(situation, number, row) for number, row in enumerate(rows)]
        if situation.is_pristine:
            return options, []
        refusals = [refuse_place(situation, option, option.place) for option in options]
        applied = [refusal for refusal in refusals if refusal is not None]
        # A change that looks like a repetition is none as long as the others are still to be made.
        are_all_applied = len(applied) == len(options)
        return options, applied if are_all_applied else []
    if situation.is_pristine:
        return None
    new_rows = _applied_rows(situation, rows)
    if not new_rows:
        return None
    starts = situation.text.rows[1]
    return [], [Refusal("already_applied", number, (starts[row],)) for number, row in enumerate(new_rows)]


def refuse_half_applied(situation: Situation, options: Sequence[Candidates]) -> list[Refusal]:
    """The refusals of hunks that were placed elsewhere, although their new lines are where another hunk says they are.

    Where one hunk is, its line number tells where those beside it should be.
    """
    text = situation.text
    numbered: list[Candidates] = []
    #: By how many lines each of them is off from its number.
    shifts: list[int] = []
    for option in options:
        if option.hunk.line_hint and option.hunk.old:
            numbered.append(option)
            shifts.append(text.line_number(option.place.start) - option.hunk.line_hint)
    refusals: list[Refusal] = []
    for index, option in enumerate(numbered):
        if option.hunk.new == option.hunk.old:
            continue
        shift_before, shift_behind = shifts[max(0, index - 1) : index], shifts[index + 1 : index + 2]
        other_shifts = {*shift_before, *shift_behind} - {shifts[index]}
        rows = [_row(option.hunk) + shift for shift in sorted(other_shifts)]
        applied = [row for row in rows if row >= 0 and _is_at(situation, option.hunk, "new", row)]
        if applied:
            refusals.append(Refusal("already_applied", option.number, (text.rows[1][applied[0]],)))
    return refusals


def _row(hunk: Hunk) -> int:
    """The row, from 0, at which a hunk begins by its number: a hunk without old lines names the line before it."""
    number = hunk.line_hint or 0
    return max(0, number - 1) if hunk.old else number


def _belong_at_numbers(situation: Situation, rows: Sequence[int]) -> bool:
    """Whether the old lines of all hunks are exactly at their line numbers, and the numbers can be trusted.

    They can in the file that the hunks were made for. In another file, the lines of a hunk must occur nowhere else, or
    something besides its number must say where it is.
    """
    hunks = situation.hunks
    if not all(_is_at(situation, hunk, "old", row) for hunk, row in zip(hunks, rows, strict=True)):
        return False
    if situation.is_pristine:
        return True
    certain = [_is_only_place(situation, hunk) for hunk in hunks]
    uncertain = [number for number, is_certain in enumerate(certain) if not is_certain]
    return all(_is_confirmed(situation, number, rows[number], certain) for number in uncertain)


def _is_at(situation: Situation, hunk: Hunk, side: str, row: int) -> bool:
    """Whether the old or the new lines of a hunk are at a row, and end the file where the hunk says or shows it."""
    file_lines = situation.text.rows[0]
    lines = hunk.old if side == "old" else hunk.new
    end = row + len(lines)
    if end > len(file_lines) or file_lines[row:end] != lines:
        return False
    kinds = "".join(line[0] for line in hunk.lines)
    context_above = len(kinds) - len(kinds.lstrip(" "))
    context_below = len(kinds) - len(kinds.rstrip(" "))
    if context_below < context_above and end < len(file_lines):
        # A diff has less context below a change than above it only where the file ends.
        return False
    has_newline = situation.text.body[-1:] in ("", "\n") or end < len(file_lines) or not lines
    lacks_newline_by_hunk = hunk.no_newline in (side, "both")
    return has_newline != lacks_newline_by_hunk


def _is_only_place(situation: Situation, hunk: Hunk) -> bool:
    """Whether the old lines of a hunk are distinctive and nowhere else in the file."""
    if not any(map(is_distinctive, hunk.old)):
        return False
    places = find_block(situation.text.body, hunk.old, ("exact",), 0, situation.index)
    return places is not None and len(places.starts) == 1


def _is_confirmed(situation: Situation, number: int, row: int, certain: Sequence[bool]) -> bool:
    """Whether something else than a number says where a hunk is whose lines don't: other hunks, or its heading."""
    hunk = situation.hunks[number]
    is_before, is_behind = any(certain[:number]), any(certain[number + 1 :])
    if situation.is_pristine is False:
        # The file is known to have changed somewhere: not between two hunks that are where they were.
        return is_before and is_behind
    if not hunk.old:
        # No line shows that the number is right, but a hunk below does, and so does the end of the file.
        return is_behind or row == len(situation.text.rows[0])
    return situation.is_below_heading(situation.text.rows[1][row], hunk.heading)


def _option(situation: Situation, number: int, row: int) -> Candidates:
    """A hunk at its row; the other places that its lines have are its rivals."""
    hunk, starts = situation.hunks[number], situation.text.rows[1]
    start = starts[row]
    place = Place(hunk, start, "exact")
    places = find_block(situation.text.body, hunk.old, ("exact",), 0, situation.index) if hunk.old else None
    rivals = [] if places is None else [other for other in places.starts if other != start]
    if rivals or not hunk.old:
        place = place.noted("line_hint")
    option = Candidates(number, hunk, [place])
    option.left_out = tuple(rivals[:MOST_PLACES])
    return option


def _applied_rows(situation: Situation, rows: Sequence[int]) -> list[int]:
    """The rows at which the new lines of all hunks are, if they are all at their new numbers; otherwise none."""
    hunks = situation.hunks
    new_rows: list[int] = []
    # By how many lines the hunks before one make the file longer.
    growth = 0
    for hunk, row in zip(hunks, rows, strict=True):
        new_rows.append(row + growth)
        growth += len(hunk.new) - len(hunk.old)
    is_distinct = any(is_distinctive(line) for hunk in hunks for line in hunk.new)
    if not is_distinct or min(new_rows) < 0:
        return []
    if all(_is_at(situation, hunk, "new", row) for hunk, row in zip(hunks, new_rows, strict=True)):
        return new_rows
    return []
