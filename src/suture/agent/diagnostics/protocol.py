"""The contents of LSP messages: our capabilities, diagnostics, settings."""

from __future__ import annotations

from .columns import ENCODINGS, column_of
from .diagnostic_limits import MOST_UNITS
from .report import SEVERITIES, Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

#: The client capabilities sent to a server.
CAPABILITIES: Mapping[str, Any] = {
    "general": {"positionEncodings": ENCODINGS},
    "window": {"workDoneProgress": True},
    "workspace": {
        "configuration": True,
        "diagnostics": {"refreshSupport": True},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceFolders": True,
    },
    "textDocument": {
        "diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": False},
        "publishDiagnostics": {"versionSupport": True},
        "synchronization": {"didSave": True},
    },
}

_SEVERITIES = {number: severity for severity, number in SEVERITIES.items()}
#: The categories of tsserver as LSP severities.
_CATEGORIES = {"error": 1, "warning": 2, "message": 3, "suggestion": 4}


def diagnostics_of(items: object, path: str, lines: Sequence[str], encoding: str, source: str) -> list[Diagnostic]:
    """Read the diagnostics a server sent. `source` is used for those that name no source.

    Raises:
        TypeError, KeyError, ValueError, AttributeError: they are malformed.
    """
    if not isinstance(items, list):
        raise TypeError
    diagnostics = []
    for item in items:
        start, end = item["range"]["start"], item["range"]["end"]
        line, column = _position(start, lines, encoding)
        end_line, end_column = _position(end, lines, encoding)
        severity = _SEVERITIES[item.get("severity") or 1]
        code, name, message = item.get("code"), item.get("source"), str(item["message"])
        code = str(code) if code and isinstance(code, (str, int)) else ""
        name = name if isinstance(name, str) and name else source
        diagnostics.append(Diagnostic(path, line, column, end_line, end_column, severity, message, code, name))
    return diagnostics


def _position(position: Mapping[str, Any], lines: Sequence[str], encoding: str) -> tuple[int, int]:
    line, character = position["line"], position["character"]
    if not isinstance(line, int) or not isinstance(character, int):
        raise TypeError
    if not (0 <= line < MOST_UNITS and 0 <= character < MOST_UNITS):
        raise ValueError
    return line + 1, column_of(lines, line, character, encoding)


def from_tsserver(answer: Any) -> Iterator[dict[str, Any]]:
    """Convert an answer of tsserver, which counts from 1, to LSP diagnostics."""
    for item in answer["body"]:
        ends = {
            name: {"line": item[name]["line"] - 1, "character": item[name]["offset"] - 1} for name in ("start", "end")
        }
        severity = _CATEGORIES.get(item.get("category"), 1)
        yield {"range": ends, "severity": severity, "message": item["text"], "code": item.get("code")}


def setting(settings: Mapping[str, Any], item: Any) -> object:
    """The section of the settings that a server asks for by its dotted name, or None."""
    section = item.get("section") if isinstance(item, dict) else None
    value: Any = settings
    for name in section.split(".") if isinstance(section, str) and section else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value
