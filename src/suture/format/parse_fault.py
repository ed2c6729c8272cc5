"""What is wrong at a line of a patch text, as a value: loaded only for an error."""

from __future__ import annotations

from ..core.display import printable
from ..core.problems import Cause, Problem
from .format_limits import MOST_NAMED_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.problems import Advice
    from ..core.readers import Reader


class ParseFault(Cause):
    """A line that can't be read: its number, what is wrong with it, and what to do next.

    `found` is the line, `expected` what would be valid there, and `form` that of the block it is in; none of them in
    an envelope. `same` are all lines at which the same is wrong, once an error stands for several.
    """

    line: int
    text: str
    advice: Advice = ""
    found: str | None = None
    expected: Sequence[str] | None = None
    form: str = ""
    reason: str = ""
    more: Mapping[str, object] = {}
    #: Lines of the same block with the same error, which grow while the block is read.
    repeats: Sequence[int] = ()
    same: Sequence[int] = ()

    def problem(self, path: str = "") -> Problem:
        """The problem that it is."""
        return Problem("patch_parse_error", path=path, cause=self)

    def message(self, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """The line and what is wrong with it, and at which lines the same is wrong."""
        message = printable(f"Patch line {self.line}: {self.text}")
        if not self.same:
            return message
        lines = ", ".join(map(str, self.same[1 : MOST_NAMED_LINES + 1]))
        end = ", …" if len(self.same) > MOST_NAMED_LINES + 1 else "."
        return f"{message} The same is wrong at {len(self.same) - 1:,} more lines: {lines}{end}"

    def hint(self, reader: Reader) -> str:
        """What to do next."""
        return printable(self.advice if isinstance(self.advice, str) else self.advice(reader))

    @property
    def details(self) -> Mapping[str, object]:
        """The line, what it has, and what it should have."""
        details: dict[str, object] = {"line": self.line}
        if self.found is not None:
            details["found"] = self.found
        if self.expected is not None:
            details["expected"] = list(self.expected)
        if self.form:
            details["form"] = self.form
        if self.reason:
            details["reason"] = self.reason
        details |= self.more
        if self.same:
            details |= {"lines": list(self.same[:MOST_NAMED_LINES]), "count": len(self.same)}
        return details


def fault_of(problem: Problem) -> ParseFault:
    """The cause of a problem that a parser has found."""
    assert isinstance(problem.cause, ParseFault), "BUG: a parser reports faults"
    return problem.cause
