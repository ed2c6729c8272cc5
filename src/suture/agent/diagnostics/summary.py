"""A report as text for a model: the edit was applied, and these are the errors it introduced."""

from __future__ import annotations

from ...core.display import blank_out, plural
from .diagnostic_limits import LONGEST_DIAGNOSTIC, LONGEST_DIAGNOSTIC_CODE, MOST_SHOWN_DIAGNOSTICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .report import Diagnostic, Report, Severity


_APPLIED = "The edit was applied."
_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}


def summarize(report: Report, limit: int = MOST_SHOWN_DIAGNOSTICS, *, name: str = "") -> str:
    """A report as text for a model, without a final newline; `name` is the path as the model knows it.

    The first sentence says that the edit was applied: models have mistaken diagnostics for a refusal.
    """
    name = name or report.path
    new = "new " if report.only_new else ""
    source = " and ".join(report.source.rsplit(", ", 1))
    if report.state == "clean":
        return f"{_APPLIED} {source or 'The check'} found no {new}errors in {name}."
    if not report.asked:
        return f"{_APPLIED} {name} was not checked for errors: {_reason(report.reason)}."
    if report.state == "unknown":
        question = "it introduced errors in" if report.only_new else "there are errors in"
        return f"{_APPLIED} Whether {question} {name} is unknown: {_reason(report.reason)}."
    diagnostics = report.diagnostics
    count = _count(diagnostics)
    result = f"It introduced {count} in {name}" if report.only_new else f"{name} now has {count}"
    lines = [f"{_APPLIED} {result} ({source}):" if source else f"{_APPLIED} {result}:"]
    lines += [_entry(one) for one in diagnostics[:limit]]
    if len(diagnostics) > limit:
        lines.append(f"  … and {len(diagnostics) - limit} more")
    if report.reason:
        lines.append(f"There may be more: {_reason(report.reason)}.")
    return "\n".join(lines)


def _count(diagnostics: Sequence[Diagnostic]) -> str:
    """How many diagnostics of each severity there are, in words."""
    parts = []
    for severity, noun in _NOUNS.items():
        count = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if count:
            parts.append(f"{count} {plural(noun, count)}")
    if not parts:
        return "problems"
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _entry(diagnostic: Diagnostic) -> str:
    """One diagnostic, with the other lines of its message below it."""
    # Long enough to lose nothing when whitespace is collapsed.
    message = diagnostic.message[: 10 * LONGEST_DIAGNOSTIC]
    lines = [_line(line) for line in message.splitlines()]
    text = "\n      ".join(filter(None, lines)) or "(no message)"
    severity = "" if diagnostic.severity == "error" else f"{_NOUNS[diagnostic.severity]}: "
    code = f" [{_line(diagnostic.code[:LONGEST_DIAGNOSTIC_CODE])}]" if diagnostic.code else ""
    return f"  line {diagnostic.line}, column {diagnostic.column}: {severity}{_cut(text)}{code}"


def _line(text: str) -> str:
    """Foreign text on one line, without characters that could steer a terminal or confuse a model."""
    return " ".join(blank_out(text).split())


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_DIAGNOSTIC else text[: LONGEST_DIAGNOSTIC - 2].rstrip() + " …"


def _reason(text: str) -> str:
    return _cut(_line(text[: 10 * LONGEST_DIAGNOSTIC])).rstrip(".")
