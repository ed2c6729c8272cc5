"""The answer about an edit that was placed loosely and after which the file no longer parses."""

from __future__ import annotations

from . import limits
from .message_lines import show_place, size_of, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.problems import Problem
    from ..core.text import Text
    from .problem_table import Fields
    from .syntax import SyntaxFault


def explain_fault(fields: Fields, before: Text, old: Sequence[str], after: str, fault: SyntaxFault) -> Problem:
    """The problem, with the lines of the result around the fault and the place of the edit's old lines."""
    line, lines = fault.line, after.removesuffix("\n").split("\n")
    shown = range(max(1, line - limits.LINES_AROUND), min(len(lines), line + limits.LINES_AROUND) + 1) if line else ()
    listing = "".join([f"\n{'>' if n == line else ' '} {n} {visible(lines[n - 1])}" for n in shown])
    where = f" at line {line} of the result" if line else ""
    fields.update(rule="parses", line=line, fault=fault.reason + where, listing=listing)
    room = limits.ANSWER_ROOM - limits.FRAME_ROOM - size_of(listing)
    fields["there"] = show_place(before, old, range(len(before.rows[0])), str(fields["side"]), room)
    return fields.problem("parses")
