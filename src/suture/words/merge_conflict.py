"""An edit that can't be merged: what the lines were, what they are, and what the edit makes of them."""

from __future__ import annotations

from ..core.advice import Send
from ..core.display import plural, shorten
from ..core.problems import Cause, Problem
from ..core.value import Value
from .message_limits import LINES_AROUND_MEETINGS, LONGEST_COMPARED_SHOWN, MOST_MEETING_LINES, MOST_MEETINGS
from .message_lines import line_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.readers import Reader

    #: The first line, from 0, and the one behind the last.
    LineRange = tuple[int, int]


class MeetingChanges(Value):
    """Where the changes of two sides meet: the lines of the base, and what each side has there."""

    base: LineRange
    current: LineRange
    edited: LineRange
    #: Whether there is no line between them. Otherwise it is only uncertain where one of the changes is.
    touches: bool = True


class MergeConflict(Cause):
    """Why an edit can't be merged: the places where it meets the file's change, or what else speaks against it."""

    base: tuple[str, ...]
    current: tuple[str, ...]
    edited: tuple[str, ...]
    meetings: tuple[MeetingChanges, ...]
    #: What the merged text would be wrong about; empty where the changes meet.
    fault: str = ""
    #: The name of the rule that refuses it.
    rule: str = ""
    path: str = ""
    #: Who has changed the file last, and when; empty where nobody knows.
    author: str = ""

    @property
    def reason(self) -> str:
        """Whether a rule refuses it, or the changes meet."""
        return "merge_rule" if self.rule else "overlap"

    @property
    def shown_lines(self) -> tuple[tuple[int, int], ...]:
        """The lines of the file that the message shows wholly: numbers from 1, the first and the last."""
        rows = [row for meeting in self.meetings[:MOST_MEETINGS] for row in _rows(self.current, meeting.current)]
        return tuple([(row + 1, row + 1) for row in rows if len(self.current[row]) <= LONGEST_COMPARED_SHOWN])

    @property
    def _beginning(self) -> str:
        changed = f"{self.path or 'The file'} has changed since the text that the edit is for"
        return f"{changed} ({self.author}), " if self.author else f"{changed}, "

    def message(self, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """Where the changes meet, with all three texts at the place."""
        first = self.meetings[0]
        line = min(first.current[0] + 1, max(1, len(self.current)))
        message = self._beginning
        if self.fault:
            message += f"and the two changes do not fit together. {self.fault}"
        elif len(self.meetings) == 1:
            message += f"and the change meets the edit at {line_range(line, max(line, first.current[1]))}."
        else:
            message += f"and the change meets the edit at {len(self.meetings)} places."
        for meeting in self.meetings[:MOST_MEETINGS]:
            message += _listing("The lines were:", self.base, meeting.base)
            message += _listing("They are now:", self.current, meeting.current)
            message += _listing("The edit makes them:", self.edited, meeting.edited, numbered=False)
        left_out = len(self.meetings) - MOST_MEETINGS
        if left_out > 0:
            message += f"\n{left_out} more {plural('place', left_out)} not shown."
        return message

    def hint(self, reader: Reader) -> str:
        """The edit has to be made for the file as it is."""
        return Send("the edit again for the lines as they are now.")(reader)

    @property
    def details(self) -> Mapping[str, object]:
        """Where the changes meet, and which lines the message shows."""
        return {
            "path": self.path,
            "rule": self.rule,
            "meetings": [_data(meeting.base, meeting.current, meeting.edited) for meeting in self.meetings],
            "shown": [list(numbers) for numbers in self.shown_lines],
            "reason": self.reason,
        }


class IsolatedConflict(MergeConflict):
    """Why a file that was changed in isolation can't be merged into the workspace."""

    @classmethod
    def of(cls, conflict: MergeConflict) -> IsolatedConflict:
        """The same conflict, between an isolated session and the workspace."""
        texts = conflict.base, conflict.current, conflict.edited
        return cls(*texts, conflict.meetings, conflict.fault, conflict.rule, conflict.path)

    @property
    def _beginning(self) -> str:
        return f"{self.path} has changed in the workspace since it was changed in isolation, "

    def hint(self, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """The change has to be made again, for the file as it is."""
        return DISCARD_FIRST


#: What to do about a file that was changed in isolation and in the workspace.
DISCARD_FIRST = (
    "Nothing was merged, and all changes are kept in isolation. Discard the change of this file, read the file, make "
    "the change again for what it is now, and merge."
)


def conflict_problem(conflict: MergeConflict, path: str) -> Problem:
    """Why an edit of a text that has changed since can't be merged."""
    return Problem("conflict", path=path, cause=conflict.replace(path=path))


def _data(*ranges: LineRange) -> dict[str, list[int]]:
    """Ranges of the three texts for programs: line numbers from 1, inclusive."""
    return {side: [low + 1, high] for side, (low, high) in zip(("base", "file", "edit"), ranges, strict=True)}


def _rows(lines: Sequence[str], part: LineRange) -> list[int]:
    """The numbers, from 0, of some lines of a text and those next to them; of many, the first and the last."""
    rows = list(range(max(0, part[0] - LINES_AROUND_MEETINGS), min(len(lines), part[1] + LINES_AROUND_MEETINGS)))
    return (
        rows if len(rows) <= MOST_MEETING_LINES else rows[: MOST_MEETING_LINES // 2] + rows[-MOST_MEETING_LINES // 2 :]
    )


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
