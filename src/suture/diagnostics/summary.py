"""What a model is told about diagnostics: that the edit was applied, and what it broke, in few lines."""

from __future__ import annotations

from ..core.display import blank_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .report import Diagnostic, Report, Severity

#: So many diagnostics of a file are shown.
MOST_SHOWN = 20
#: So long is a message shown, and so long the code behind it.
_MOST_CHARACTERS = 300
_MOST_OF_CODE = 80

_APPLIED = "The edit was applied."
_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}


def shown(report: Report, limit: int = MOST_SHOWN, *, name: str = "") -> str:
    """A report as a text for a model, without a newline at its end; `name` is the path as the model knows it.

    Its first sentence says that the edit was applied: models have taken diagnostics for a refusal.
    """
    name = name or report.path
    new = "new " if report.only_new else ""
    source = " and ".join(report.source.rsplit(", ", 1))
    if report.state == "clean":
        return f"{_APPLIED} {source or 'The check'} found no {new}errors in {name}."
    if not report.asked:
        return f"{_APPLIED} {name} was not checked for errors: {_reason(report.reason)}."
    if report.state == "unknown":
        broke = "it broke anything in" if report.only_new else "there are errors in"
        return f"{_APPLIED} Whether {broke} {name} is not known: {_reason(report.reason)}."
    found = report.diagnostics
    count = _counted(found)
    did = f"It introduced {count} in {name}" if report.only_new else f"{name} now has {count}"
    lines = [f"{_APPLIED} {did} ({source}):" if source else f"{_APPLIED} {did}:"]
    lines += [_entry(each) for each in found[:limit]]
    if len(found) > limit:
        lines.append(f"  … and {len(found) - limit} more")
    if report.reason:
        lines.append(f"There may be others: {_reason(report.reason)}.")
    return "\n".join(lines)


def _counted(found: Sequence[Diagnostic]) -> str:
    parts = []
    for severity, noun in _NOUNS.items():
        count = sum(each.severity == severity for each in found)
        if count:
            parts.append(f"{count} {noun}{'s' * (count > 1)}")
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:]))) or "problems"


def _entry(found: Diagnostic) -> str:
    """One diagnostic; the further lines of its message below it."""
    # Layout that goes is not counted.
    message = found.message[: 10 * _MOST_CHARACTERS]
    first, *others = [part for line in message.splitlines() if (part := _line(line))] or ["(no message)"]
    grave = "" if found.severity == "error" else f"{_NOUNS[found.severity]}: "
    code = f" [{_line(found.code[:_MOST_OF_CODE])}]" if found.code else ""
    text = _cut("\n      ".join((first, *others)))
    return f"  line {found.line}, column {found.column}: {grave}{text}{code}"


def _line(text: str) -> str:
    """A text of somebody else in one line, without what a terminal or a model could take for more than text."""
    return " ".join(blank_out(text).split())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 2].rstrip() + " …"


def _reason(text: str) -> str:
    return _cut(_line(text[: 10 * _MOST_CHARACTERS])).rstrip(".")
