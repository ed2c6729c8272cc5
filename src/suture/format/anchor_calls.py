"""Calls whose lines are named by hashline anchors: a number with a short hash, such as `12:a3` or `12#VK`.

How the hash is made differs between versions, so that it confirms nothing. An anchor that was copied with the line
behind it, as in `12:a3|    return 1`, says what the line is, which does.
"""

from __future__ import annotations

import re

from ..core.patch import ChangeFile, EditFile
from ..core.string_edits import StringEdit
from ..core.text_changes import AppendText, InsertLines, ReplaceLines
from .call_arguments import CallError
from .numbered_order import from_last_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.patch import Operation

_ANCHOR = re.compile(r"\s*(\d{1,9})\s*[:#]\s*([0-9A-Za-z]{1,16})\s*(?:[|:│](.*))?$", re.DOTALL)
#: The acts of edits, by the names that versions have for them.
_ACTS: Mapping[str, str] = {
    "setline": "replace",
    "set": "replace",
    "replacelines": "replace",
    "replace": "replace",
    "insertafter": "append",
    "append": "append",
    "insertbefore": "prepend",
    "prepend": "prepend",
    "deletelines": "delete",
    "delete": "delete",
}
#: The arguments of an edit, as they are compared.
_FIRST = ("anchor", "startanchor", "line", "startline", "pos", "start", "tag", "first")
_LAST = ("endanchor", "endline", "end", "last")
_TEXT = ("newtext", "text", "lines", "content", "body")


def has_anchors(edits: object) -> bool:
    """Whether a list of edits has some that are named by anchors."""
    if not isinstance(edits, list):
        return False
    return any(isinstance(edit, dict) and _anchor(_fields(edit)[1], _FIRST) is not None for edit in edits)


def read_anchored(edits: Sequence[Mapping[str, Any]], path: str, line: int) -> list[Operation]:
    """The changes of a list of edits, the last line first, because all numbers are about the file before the call.

    Raises:
        CallError: an edit can't be read.
    """
    numbered: list[Operation] = []
    for number, edit in enumerate(edits, 1):
        act, fields = _fields(edit)
        old, new = fields.get("oldtext"), fields.get("newtext")
        if isinstance(old, str) and isinstance(new, str):
            numbered.append(EditFile(path, (StringEdit(old, new),), line))
            continue
        numbered.append(_change(act, fields, path, line, f"Edit {number} of the call for {path}"))
    return from_last_line(numbered)


def _change(act: str, fields: Mapping[str, Any], path: str, line: int, what: str) -> Operation:
    """One edit by anchors."""
    first, last = _anchor(fields, _FIRST), _anchor(fields, _LAST)
    text = _text(fields)
    if act in ("append", "prepend"):
        if text is None:
            message = f"{what} has no text."
            raise CallError(message)
        if first is None and any(name in fields for name in _FIRST):
            message = f"{what} has an anchor that can't be read."
            raise CallError(message)
        if first is None:
            change: Any = AppendText(text) if act == "append" else InsertLines(text, 0)
            return ChangeFile(path, change, line)
        after = first[0] if act == "append" else first[0] - 1
        return ChangeFile(path, InsertLines(text, after), line)
    if first is None or (text is None and act != "delete") or (last is None and any(name in fields for name in _LAST)):
        message = f"{what} has no anchor such as 12:a3 or 12#VK, or no text."
        raise CallError(message)
    last = last or first
    return ChangeFile(path, ReplaceLines(text or "", first[0], last[0], first[1], last[1]), line)


def _fields(edit: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What an edit does, and its arguments: `{"set_line": {…}}`, or an object with `type` or `op`."""
    plain = {_plain(name): value for name, value in edit.items()}
    for name, value in plain.items():
        if name in _ACTS and isinstance(value, dict):
            return _ACTS[name], {_plain(inner): one for inner, one in value.items()}
    named = plain.get("op", plain.get("type", plain.get("command", "")))
    return _ACTS.get(_plain(str(named)), "replace"), plain


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _anchor(fields: Mapping[str, Any], names: Sequence[str]) -> tuple[int, str | None] | None:
    """The number of an anchor, and the line that was copied with it."""
    for name in names:
        value = fields.get(name)
        anchor = _ANCHOR.match(value) if isinstance(value, str) else None
        if anchor is not None:
            return int(anchor[1]), anchor[3]
    return None


def _text(fields: Mapping[str, Any]) -> str | None:
    for name in _TEXT:
        value = fields.get(name)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return "".join([f"{one}\n" for one in value])
        if isinstance(value, str):
            return value
    return None
