"""The refusal of a loose edit after which a file no longer parses."""

from __future__ import annotations

from ..words.edit_phrases import Subject
from ..words.message_limits import LINES_AROUND
from ..words.place_lines import NumberedLine
from ..words.uncertain_place import NoLongerParses
from .nearest_lines import find_difference
from .refusal_causes import hunk_subject
from .rule import first_refusal
from .syntax import RULES, SyntaxFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.patch import Hunk
    from ..core.problems import Problem
    from ..core.text import Text


def syntax_problems(
    before: Text, after: Text, tiers: Mapping[int, str], hunks: Sequence[Hunk] = (), old: Sequence[str] = ()
) -> list[Problem]:
    """The problem of a text that no longer parses, after hunks or edits that were found by these tiers or replacers.

    `old` are the lines that the first of these edits looks for.
    """
    refusal = first_refusal(RULES, (before.path, before.body, after.body))
    if refusal is None:
        return []
    fault = refusal[1]
    assert isinstance(fault, SyntaxFault), "BUG: the rule says what is wrong"
    subject, first = Subject("edit", before.path), min(tiers)
    if hunks:
        subject, old = hunk_subject(hunks, first, before.path), hunks[first].old
    lines = after.body.removesuffix("\n").split("\n")
    last = min(len(lines), fault.line + LINES_AROUND)
    numbers = range(max(1, fault.line - LINES_AROUND), last + 1) if fault.line else ()
    around = [NumberedLine(number, lines[number - 1]) for number in numbers]
    place = find_difference(before, old, range(len(before.rows[0])))
    found_by = tuple(dict.fromkeys(tiers.values()))
    return [NoLongerParses(subject, found_by, fault.line, fault.reason, around, place).problem()]
