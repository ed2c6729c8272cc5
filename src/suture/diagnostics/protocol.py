"""What is in the messages of language servers: what we can do, what they found, what they want to know."""

from __future__ import annotations

from .columns import ENCODINGS, column_of
from .report import SEVERITIES, Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

#: What a server is told that we can do.
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

#: Lines and columns of the protocol are less.
_MOST_UNITS = 2**31
_SEVERITIES = {number: severity for severity, number in SEVERITIES.items()}
#: The categories of TypeScript's own server, as numbers of the protocol.
_CATEGORIES = {"error": 1, "warning": 2, "message": 3, "suggestion": 4}


def diagnostics_of(items: object, path: str, lines: Sequence[str], encoding: str, source: str) -> list[Diagnostic]:
    """Diagnostics as a server sends them. `source` is the name for those that have none.

    Raises:
        TypeError, KeyError, ValueError, AttributeError: this is something else.
    """
    if not isinstance(items, list):
        raise TypeError
    found = []
    for item in items:
        start, end = item["range"]["start"], item["range"]["end"]
        line, column = _position(start, lines, encoding)
        end_line, end_column = _position(end, lines, encoding)
        code = item.get("code")
        named = item.get("source")
        found.append(
            Diagnostic(
                path,
                line,
                column,
                end_line,
                end_column,
                _SEVERITIES[item.get("severity") or 1],
                str(item["message"]),
                str(code) if code and isinstance(code, (str, int)) else "",
                named if isinstance(named, str) and named else source,
            )
        )
    return found


def _position(position: Mapping[str, Any], lines: Sequence[str], encoding: str) -> tuple[int, int]:
    line, character = position["line"], position["character"]
    if not isinstance(line, int) or not isinstance(character, int):
        raise TypeError
    if not (0 <= line < _MOST_UNITS and 0 <= character < _MOST_UNITS):
        raise ValueError
    return line + 1, column_of(lines, line, character, encoding)


def from_tsserver(answer: Any) -> Iterator[dict[str, Any]]:
    """The answer of TypeScript's own server, which counts from 1, as the protocol has it."""
    for item in answer["body"]:
        ends = {
            name: {"line": item[name]["line"] - 1, "character": item[name]["offset"] - 1} for name in ("start", "end")
        }
        severity = _CATEGORIES.get(item.get("category"), 1)
        yield {"range": ends, "severity": severity, "message": item["text"], "code": item.get("code")}


def setting(settings: Mapping[str, Any], wanted: Any) -> object:
    """The part of the settings that a server asks for by its name with dots, or None."""
    section = wanted.get("section") if isinstance(wanted, dict) else None
    found: Any = settings
    for name in section.split(".") if isinstance(section, str) and section else ():
        found = found.get(name) if isinstance(found, dict) else None
    return found
