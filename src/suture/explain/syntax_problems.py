"""An edit that was placed loosely and after which the file no longer parses."""

from __future__ import annotations

from ..core.interface_names import interface_names
from ..core.problems import Problem
from .message_lines import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Code, HunkRef
    from ..locate.syntax import SyntaxFault

#: Lines that are shown above and below the one that does not parse.
AROUND = 2


def explain_fault(
    code: Code,
    subject: str,
    path: str,
    after: str,
    fault: SyntaxFault,
    tiers: str,
    ref: HunkRef | None = None,
    **details: object,
) -> Problem:
    """The problem of an edit that breaks the syntax of a file."""
    where = f" at line {fault.line} of the result" if fault.line else ""
    message = f"{subject} was found only loosely ({tiers}), and {path} would no longer parse: {fault.reason}{where}."
    lines = after.removesuffix("\n").split("\n")
    first = max(1, fault.line - AROUND)
    shown = range(first, min(len(lines), fault.line + AROUND) + 1) if fault.line else ()
    message += "".join(
        [f"\n{'>' if number == fault.line else ' '} {number} {visible(lines[number - 1])}" for number in shown]
    )
    hint = f"{interface_names().send} the old and the new lines as the file has them, with their indentation."
    known = {"path": path, "reason": "syntax_error", "rule": "parses", "line": fault.line, **details}
    return Problem(code, message, path, ref, known, hint)
