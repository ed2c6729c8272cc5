"""Edits in tool calls: which arguments make an edit, in the names that Claude Code, OpenCode and others use.

A call is read from data, wherever it came from: JSON, or `<invoke>` markup. A call that does not change files, such as
`read` or `bash`, is no edit and is left out; one that changes files in a way that no patch has is an error.
"""

from __future__ import annotations

from ..core.advice import Copy
from ..core.dialect import BEGIN
from ..core.patch import AddFile, DeleteFile, EditFile, UpdateFile, WriteFile
from ..core.string_edits import StringEdit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..core.patch import Operation
    from ..core.problems import Advice

_PATHS = ("file_path", "filePath", "path", "filename", "fileName", "file", "target_file", "targetFile", "TargetFile")
_OLD = ("old_string", "oldString", "old_str", "oldStr", "old_text", "oldText", "search", "old", "TargetContent")
_NEW = ("new_string", "newString", "new_str", "newStr", "new_text", "newText", "replace", "new", "ReplacementContent")
_EVERY = ("replace_all", "replaceAll", "allow_multiple", "allowMultiple", "AllowMultiple")
_EDITS = ("edits", "replacements", "ReplacementChunks")
_CONTENT = ("file_text", "fileText", "content", "contents")
_TARGETS = ("to_path", "toPath", "new_path", "newPath", "destination")
_INPUTS = ("input", "arguments", "args", "parameters", "params")
_NAMES = ("name", "tool", "tool_name", "toolName", "recipient_name")
#: Names of tools, in lower case and without separators, by what they do.
_WRITE = frozenset({"write", "writefile", "writetofile", "createfile", "create", "savefile", "newfile"})
_DELETE = frozenset({"delete", "deletefile", "remove", "removefile"})
_MOVE = frozenset({"move", "movefile", "rename", "renamefile"})
#: Commands of tools that have several, other than to replace text.
_OTHER_COMMANDS = ("create", "write", "view", "insert", "undo_edit")
#: Arguments of calls that change files in a way that can't be read, with what they are.
_UNREADABLE = {
    "code_edit": "a sketch of the new code",
    "codeEdit": "a sketch of the new code",
    "new_source": "a cell of a notebook",
}
#: Tools that do so, whatever their arguments are called.
_UNREADABLE_TOOLS = {
    "inserteditintofile": "a sketch of the new code",
    "appendfile": "text for the end of the file",
    "appendtofile": "text for the end of the file",
}
#: What a log says that calls have done: the same edits once more.
_RESULTS = ("toolUseResult", "tool_use_result")
_RESULT_TYPES = ("tool_result", "function_call_output")
#: What a log calls the id of a call, in the call and in its result, and a result that is an error.
_IDS = ("tool_use_id", "toolUseId", "tool_call_id", "call_id", "callId", "id")
_FAILED = ("is_error", "isError")
#: How many replacements a call of Gemini CLI expects.
_COUNTS = ("expected_replacements", "expectedReplacements")
#: The deepest nesting of a log that is looked at.
_DEEPEST_LOG = 12


class CallError(ValueError):
    """A call that is an edit but can't be read; the message says why, `hint` what to do next."""

    def __init__(self, message: str, hint: Advice = "") -> None:
        super().__init__(message)
        self.hint = hint or Copy("the call again with all its arguments.")


class CallLog:
    """The calls of a text, by the ids that they have in a log: a call that failed there was no edit."""

    def __init__(self) -> None:
        self._calls: list[tuple[Operation, str]] = []
        self._failed: set[str] = set()

    def note_call(self, operation: Operation, call: str) -> None:
        """Note the call that an operation is from."""
        if call:
            self._calls.append((operation, call))

    def note_result(self, result: Mapping[str, Any]) -> None:
        """Note the result of a call."""
        if any(result.get(name) is True for name in _FAILED):
            self._failed.add(_first(result, _IDS, str) or "")

    @property
    def failed(self) -> list[Operation]:
        """The operations of calls that failed."""
        return [operation for operation, call in self._calls if call in self._failed] if self._failed else []


def operations_in(value: object, line: int, log: CallLog) -> list[Operation]:
    """The operations of all edit calls in a value, in order; envelopes inside of strings are not looked at.

    Raises:
        CallError: a call is an edit that can't be read.
    """
    operations: list[Operation] = []
    # Depth first, in order: the last item of the list is the next.
    pending: list[tuple[object, str, str, int]] = [(value, "", "", 0)]
    while pending:
        item, tool, call, depth = pending.pop()
        if depth > _DEEPEST_LOG:
            continue
        if isinstance(item, list):
            pending += [(inner, tool, call, depth + 1) for inner in reversed(item)]
        elif isinstance(item, dict):
            if item.get("type") in _RESULT_TYPES:
                log.note_result(item)
                continue
            call = _first(item, _IDS, str) or call
            operation = _operation(item, tool, line)
            if operation is not None:
                operations.append(operation)
                log.note_call(operation, call)
            else:
                pending += [(inner, of, call, depth + 1) for inner, of in _inner(item)][::-1]
    return operations


def envelopes_in(value: object) -> list[str]:
    """The strings in a value that have an envelope, also those inside of JSON strings."""
    envelopes: list[str] = []
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, str) and BEGIN in item:
            inner = _loads(item)
            if isinstance(inner, dict | list) and depth < _DEEPEST_LOG:
                pending.append((inner, depth + 1))
            else:
                envelopes.append(item)
        elif depth < _DEEPEST_LOG and isinstance(item, dict | list):
            pending += [(inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item)]
    return envelopes


def _inner(item: Mapping[str, Any]) -> Iterator[tuple[object, str]]:
    """What is inside an object that is no edit itself, each with the name of the tool that it is an argument of."""
    tool = _first(item, _NAMES, str) or ""
    for key, inner in item.items():
        if key in _RESULTS:
            continue
        is_input = key in _INPUTS
        if is_input and isinstance(inner, str):
            inner = _loads(inner)  # noqa: PLW2901 - the arguments of a function call are JSON in a string
        if isinstance(inner, dict | list):
            yield inner, tool if is_input else ""


def _operation(item: Mapping[str, Any], tool: str, line: int) -> Operation | None:
    """The operation that an object with arguments stands for; None if it is no edit."""
    path = (_first(item, (*_PATHS, "notebook_path"), str) or "").strip()
    if not path:
        return None
    act = "".join(tool.rpartition(".")[2].lower().replace("-", "_").split("_"))
    command = item.get("command")
    edits = _first(item, _EDITS, list | str)
    edits = _loads(edits) if isinstance(edits, str) else edits
    if isinstance(edits, list) and edits and all(isinstance(edit, dict) for edit in edits):
        return _edit_file(path, [_edit(edit, path, number) for number, edit in enumerate(edits, 1)], line)
    # A tool with several commands may be called with the empty arguments of the others.
    is_edit = command not in _OTHER_COMMANDS
    if is_edit and _first(item, _OLD, str) is not None and _first(item, _NEW, str) is not None:
        return _edit_file(path, [_edit(item, path, 1)], line)
    if command == "insert" or (command is None and "insert_line" in item):
        message = f"The call inserts into {path} by a line number alone, which may be out of date."
        hint = "Use an edit instead: a line next to the place as the text to find, and both lines as the new text."
        raise CallError(message, hint)
    content = _first(item, _CONTENT, str)
    if content is not None and (act in _WRITE or command in ("create", "write")):
        return WriteFile(path, content, line)
    if command == "str_replace" and _first(item, _OLD, str) is not None:
        # The new text may be left out, which deletes the old one.
        return _edit_file(path, [StringEdit(_agreed(item, _OLD, path) or "", "")], line)
    if is_edit and any(item.get(name) is not None for name in (*_OLD[:6], *_NEW[:6])):
        _edit(item, path, 1)
    _refuse_unreadable(item, act, path)
    target = _first(item, _TARGETS, str)
    if act in _MOVE and target:
        return UpdateFile(path, (), target, line)
    return DeleteFile(path, line) if act in _DELETE else None


def _refuse_unreadable(item: Mapping[str, Any], act: str, path: str) -> None:
    """Refuse a call that changes a file in a way that can't be read: leaving it out could leave a change half done."""
    if item.get("command") == "undo_edit":
        message = f"The call takes back an earlier edit of {path}."
        raise CallError(message, "Leave it out together with that edit.")
    what = _UNREADABLE_TOOLS.get(act) or next((w for n, w in _UNREADABLE.items() if isinstance(item.get(n), str)), "")
    if isinstance(item.get("diff"), str) and (act or item.get("type") in ("update_file", "create_file")):
        # Without the name of a tool, it may be a report of what was changed.
        what = "a diff without its frame"
    if what:
        message = f"The call for {path} has {what}, which can't be read as an edit."
        raise CallError(
            message, "Use an edit with the text to find and its replacement instead, or leave the call out."
        )


def _edit(item: Mapping[str, Any], path: str, number: int) -> StringEdit:
    old, new = _agreed(item, _OLD, path), _agreed(item, _NEW, path)
    every = next((item[key] for key in _EVERY if item.get(key) is not None), False)
    if isinstance(every, str) and every.lower() in ("true", "false"):
        every = every.lower() == "true"
    if old is None or new is None:
        message = f"Edit {number} of the call for {path} has no text to find or no replacement."
        raise CallError(message)
    if not isinstance(every, bool):
        message = f"Edit {number} of the call for {path} has {every!r} where true or false is needed."
        raise CallError(message)
    count = next((item[key] for key in _COUNTS if item.get(key) is not None), 1)
    if str(count) != "1":
        message = f"Edit {number} of the call for {path} expects {count} replacements, and that can't be checked."
        hint = (
            'To change every occurrence, whatever their number, put "replace_all": true in its place. To change some '
        )
        hint += "of them, use an edit for each, with the lines around it."
        raise CallError(message, hint)
    return StringEdit(old, new, every)


def _agreed(item: Mapping[str, Any], names: tuple[str, ...], path: str) -> str | None:
    """The argument that is there under one of some names.

    Raises:
        CallError: it is there under two names, with different values.
    """
    given = {name: item[name] for name in names if isinstance(item.get(name), str)}
    first = next(iter(given), "")
    other = next((name for name in given if given[name] != given[first]), "")
    if other:
        message = f"The call for {path} has both {first} and {other}, with different values."
        raise CallError(message, "Keep the one that is meant.")
    return given.get(first)


def _edit_file(path: str, edits: list[StringEdit], line: int) -> Operation:
    if len(edits) == 1 and not edits[0].old:
        return AddFile(path, edits[0].new, line)
    return EditFile(path, tuple(edits), line)


def _first(item: Mapping[str, Any], names: tuple[str, ...], kind: Any) -> Any:  # noqa: ANN401 - of that kind
    """The first of some arguments that is there and of this kind."""
    return next((item[name] for name in names if isinstance(item.get(name), kind)), None)


def _loads(text: str) -> object:
    """A JSON text as a value; None if it is not JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    from json import loads

    try:
        return loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
