"""An edit that can't be merged, as a problem: what the lines were, what they are, and what the edit makes of them."""

from __future__ import annotations

from ..core.advice import Send
from ..core.display import shorten
from ..core.problems import Problem
from ..words.message_limits import LONGEST_COMPARED_SHOWN
from ..words.message_lines import line_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .merge_lines import LineRange
    from .rebase import MergeConflict

#: Places that a message shows, the most lines of each text at a place, and unchanged lines around them.
MOST_MEETINGS = 3
MOST_LINES = 12
LINES_AROUND = 1


def conflict_problem(conflict: MergeConflict, path: str) -> Problem:
    """Why an edit of a text that has changed since can't be merged. It shows all three texts at the place."""
    name = path or "The file"
    first = conflict.meetings[0]
    line = min(first.current[0] + 1, max(1, len(conflict.current)))
    where = line_range(line, max(line, first.current[1]))
    message = f"{name} has changed since the text that the edit is for, "
    if conflict.reason:
        message += f"and the two changes do not fit together. {conflict.reason}"
    elif len(conflict.meetings) == 1:
        message += f"and the change meets the edit at {where}."
    else:
        message += f"and the change meets the edit at {len(conflict.meetings)} places."
    shown: list[list[int]] = []
    for meeting in conflict.meetings[:MOST_MEETINGS]:
        message += _listing("The lines were:", conflict.base, meeting.base)
        message += _listing("They are now:", conflict.current, meeting.current)
        message += _listing("The edit makes them:", conflict.edited, meeting.edited, numbered=False)
        shown += [[number + 1, number + 1] for number in _rows(conflict.current, meeting.current)]
    left_out = len(conflict.meetings) - MOST_MEETINGS
    if left_out > 0:
        message += f"\n{left_out} more place{'s' * (left_out > 1)} not shown."
    details = {
        "path": path,
        "rule": conflict.rule,
        "meetings": [_data(meeting.base, meeting.current, meeting.edited) for meeting in conflict.meetings],
        # The lines of the file that the message shows.
        "shown": [numbers for numbers in shown if len(conflict.current[numbers[0] - 1]) <= LONGEST_COMPARED_SHOWN],
    }
    reason = "merge_rule" if conflict.rule else "overlap"
    hint = Send("the edit again for the lines as they are now.")
    return Problem("conflict", message, path, None, details, hint, reason=reason)


def _data(*ranges: LineRange) -> dict[str, list[int]]:
    """Ranges of the three texts for programs: line numbers from 1, inclusive."""
    return {side: [low + 1, high] for side, (low, high) in zip(("base", "file", "edit"), ranges, strict=True)}


def _rows(lines: Sequence[str], part: LineRange) -> list[int]:
    """The numbers, from 0, of some lines of a text and those next to them; of many, the first and the last."""
    rows = list(range(max(0, part[0] - LINES_AROUND), min(len(lines), part[1] + LINES_AROUND)))
    return rows if len(rows) <= MOST_LINES else rows[: MOST_LINES // 2] + rows[-MOST_LINES // 2 :]


def _listing(title: str, lines: Sequence[str], part: LineRange, *, numbered: bool = True) -> str:
    """Some lines of a text, below a title."""
    numbers = _rows(lines, part)
    rows = [title]
    for number, above in zip(numbers, [None, *numbers], strict=False):
        if above is not None and number > above + 1:
            rows.append(f"       … ({number - above - 1} lines)")
        rows.append(_row(number, lines[number], numbered=numbered))
    return "\n".join(["", *(rows if numbers else [title, "       (nothing)"])])


def _row(number: int, line: str, *, numbered: bool) -> str:
    text = shorten(line.rstrip("\r\n"), LONGEST_COMPARED_SHOWN)
    return f"{number + 1 if numbered else '':>6}\t{text}"
