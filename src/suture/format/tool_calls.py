"""Finding the edits in data: which objects of an answer, a transcript or a stream are calls that change files.

A call is read from data, wherever it came from: JSON, or markup. A tool of the table of call shapes is read by its row;
any other call is an edit if it has the arguments of one under names that many tools share. A call that does not change
files, such as `read` or `bash`, is no edit and is left out; one that changes files in a way that can't be read is an
error, and so is one that only looks like an edit (see `unread_calls`).
"""

from __future__ import annotations

from ..core.dialect import BEGIN
from ..core.patch import ChangeFile, DeleteFile, UpdateFile, WriteFile
from ..core.string_edits import StringEdit
from ..core.text_changes import InsertLines
from ..core.value import Value
from .call_acts import check_listed, edit_file, path_of_item, read_call, string_edit
from .call_arguments import CallArguments, CallError, load_json
from .call_shape import bare_tool
from .call_shapes import shapes_of
from .diff_argument import read_diff_argument
from .format_limits import DEEPEST_LOG, MOST_BLOCK_PROBLEMS, MOST_OF_CALL
from .spoken_edits import spoken_texts
from .stream_events import StreamAssembler
from .transcript_roles import RESULT_TYPES, has_failed, is_of_others, results_of, said_by_model, says_failed
from .unread_calls import UnreadCall, changes_files, has_path_and_text, looks_like_edit, path_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..core.patch import Operation
    from ..core.problems import Problem
    from .diff_argument import TextReader

_INPUTS = ("input", "arguments", "args", "parameters", "params", "action_input")
#: Arguments with what a call does to each of several files.
_OPERATIONS = ("operation", "operations", "files")
#: How keys end under which the events of Cursor's command line have the arguments and the result of a call.
_CURSOR_CALL = "ToolCall"
#: What has the arguments and the outcome of a call in a message of OpenCode.
_STATE = "state"
_NAMES = ("name", "tool", "tool_name", "toolName", "recipient_name", "function_name")
#: Names of tools, as they are compared, by what they do.
_WRITE = frozenset({"write", "writefile", "writetofile", "createfile", "create", "savefile", "newfile"})
_DELETE = frozenset({"delete", "deletefile", "remove", "removefile"})
_MOVE = frozenset({"move", "movefile", "rename", "renamefile"})
#: What OpenAI's hosted tool does to a file.
_FILE_OPERATIONS = ("update_file", "create_file", "delete_file")
#: Commands of tools that have several, other than to replace text.
_OTHER_COMMANDS = ("create", "write", "view", "insert", "undo_edit", "append")
#: Arguments that make a call an edit, even if others are missing.
_EDIT_NAMES = ("old_string", "old_str", "old_text", "new_string", "new_str", "new_text")
#: Arguments of calls that change files in a way that can't be read, with what they are.
_UNREADABLE = {"code_edit": "a sketch of the new code", "new_source": "a cell of a notebook"}
#: Tools that do so, whatever their arguments are called.
_UNREADABLE_TOOLS = {
    "inserteditintofile": "a sketch of the new code",
    "appendfile": "text for the end of the file",
    "appendtofile": "text for the end of the file",
}
#: What a log calls the id of a call, in the call and in its result.
_IDS = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "call_id", "callId", "callID", "id")


class CallLog:
    """The calls of a text, by the ids that they have in a log: a call that failed there was no edit."""

    def __init__(self, read_text: TextReader) -> None:
        #: Reads the diffs and texts inside of calls and transcripts.
        self.read_text = read_text
        #: Texts of the model that may have edits, with their lines.
        self.spoken: list[tuple[str, int]] = []
        #: The events of streams so far.
        self.streams = StreamAssembler()
        self._unread: dict[UnreadCall, str] = {}
        self._calls: list[tuple[Operation, str]] = []
        self._failed: set[str] = set()
        #: The operations of each call, and those that a log has once more under the id of the same call.
        self._of_call: dict[str, list[list[Operation]]] = {}
        self._repeated: list[Operation] = []

    def note_call(self, operations: list[Operation], call: str) -> None:
        """Note the call that some operations are from."""
        if not call:
            return
        self._calls += [(operation, call) for operation in operations]
        known = self._of_call.setdefault(call, [])
        if operations in known and not any(isinstance(one, ChangeFile) for one in operations):
            self._repeated += operations
        elif len(known) < MOST_OF_CALL:
            known.append(operations)

    def note_result(self, result: Mapping[str, Any]) -> None:
        """Note the result of a call."""
        if has_failed(result):
            self.note_failed(result)

    def note_failed(self, item: Mapping[str, Any]) -> None:
        """Note that the call that an object of a log names has failed."""
        self._failed.add(_first(item, _IDS, str) or "")

    def note_unread(self, unread: UnreadCall, form: str) -> None:
        """Note a call that looks like an edit and was not read, in a block of this form."""
        if len(self._unread) < MOST_BLOCK_PROBLEMS:
            self._unread.setdefault(unread, form)

    @property
    def unread(self) -> list[Problem]:
        """The problems with calls that look like edits and were not read. One that failed was no edit."""
        failed = self._failed - {""}
        return [unread.problem(form) for unread, form in self._unread.items() if unread.call not in failed]

    @property
    def left_out(self) -> list[tuple[str, Operation]]:
        """The operations that are no edits, with why: the call failed, or the log repeats it."""
        failed = [operation for operation, call in self._calls if call in self._failed] if self._failed else []
        repeated = [("repeated_call", operation) for operation in self._repeated]
        return [*[("failed_call", operation) for operation in failed], *repeated]


def streamed_operations(value: object, line: int, log: CallLog) -> list[Operation]:
    """The operations of all edit calls in a value, or those that it completes if it is an event of a stream.

    Raises:
        CallError: a call is an edit that can't be read.
    """
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        # It may be the events of a stream as a list, as Gemini sends them.
        values: list[object] = []
        for one in value:
            completed = log.streams.take(one)
            if completed is None:
                # It is no event.
                values.append(one)
            else:
                values += completed
        return operations_in(values, line, log)
    completed = log.streams.take(value)
    if completed is None:
        return operations_in(value, line, log)
    return operations_in(completed, line, log)


class _CallEnd(Value):
    """The end of a call that was not read itself and looks like an edit, with what had been read before it."""

    unread: UnreadCall
    changes: int
    noted: int


def operations_in(value: object, line: int, log: CallLog, form: str = "json") -> list[Operation]:
    """The operations of all edit calls in a value, in order; envelopes inside of strings are not looked at.

    Calls that look like an edit and are not read are noted in the log, as part of a block of this form.

    Raises:
        CallError: a call is an edit that can't be read.
    """
    changes: list[Operation] = []
    unread: list[UnreadCall] = []
    # Depth first, in order: the last item of the list is the next.
    pending: list[tuple[object, str, str, int]] = [(value, "", "", 0)]
    while pending:
        item, tool, call, depth = pending.pop()
        if depth > DEEPEST_LOG:
            continue
        if isinstance(item, list):
            pending += [(inner, tool, call, depth + 1) for inner in reversed(item)]
        elif isinstance(item, dict):
            if item.get("type") in RESULT_TYPES:
                log.note_result(item)
                continue
            call = _first(item, _IDS, str) or call
            if says_failed(item):
                log.note_failed(item)
            if is_of_others(item):
                _note_results(item, log)
                continue
            log.spoken += [(text, line) for text in spoken_texts(item)]
            operations = _operations(item, tool, line, log)
            if operations is not None:
                changes += operations
                log.note_call(operations, call)
            else:
                if named := _unread_call(item, tool, line, call):
                    pending.append((_CallEnd(named, len(changes), len(unread)), "", "", depth))
                pending += [(inner, of, call, depth + 1) for inner, of in _inner(item, tool)][::-1]
        elif isinstance(item, _CallEnd) and (len(changes), len(unread)) == (item.changes, item.noted):
            unread.append(item.unread)
    for one in unread:
        log.note_unread(one, form)
    return changes


def _unread_call(item: Mapping[str, Any], tool: str, line: int, call: str) -> UnreadCall | None:
    """The call that an object stands for, if it looks like an edit; `tool` is the one whose arguments it is."""
    arguments = item
    if tool:
        is_edit = looks_like_edit(tool, item)
    else:
        tool = _tool_of(item) or _first(item, ("action", "function"), str) or ""
        if not changes_files(tool):
            return None
        inputs = [item[name] for name in _INPUTS if name in item]
        if inputs:
            # Arguments that are objects are looked at by themselves.
            is_edit = not any(map(_has_objects, inputs))
        else:
            # The arguments are beside the name of the tool.
            arguments = {name: value for name, value in item.items() if value != tool}
            is_edit = looks_like_edit(tool, arguments) and has_path_and_text(arguments)
    if not is_edit or envelopes_in(arguments):
        return None
    path_name = path_argument(arguments)
    path = arguments[path_name].strip() if path_name else ""
    return UnreadCall(line, tool, path, call)


def _has_objects(arguments: object) -> bool:
    """Whether the arguments of a call are an object, or a list of some; they may be JSON in a string."""
    data = load_json(arguments) if isinstance(arguments, str) else arguments
    return isinstance(data, dict) or (isinstance(data, list) and any(isinstance(one, dict) for one in data))


def _note_results(message: object, log: CallLog) -> None:
    """Note the results of calls that a message of somebody else has."""
    pending: list[tuple[object, int]] = [(message, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, dict) and item.get("type") in RESULT_TYPES:
            log.note_result(item)
        elif isinstance(item, dict | list) and depth < DEEPEST_LOG:
            pending += [(inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item)]


def envelopes_in(value: object) -> list[str]:
    """The strings in a value that have an envelope, also those inside of JSON strings.

    Messages of others than the model and the results of calls are left out.
    """
    envelopes: list[str] = []
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, str) and BEGIN in item:
            inner = load_json(item)
            if isinstance(inner, dict | list) and depth < DEEPEST_LOG:
                pending.append((inner, depth + 1))
            elif f'"{BEGIN}' not in item:
                # Otherwise it is a call inside of a text.
                envelopes.append(item)
        elif depth < DEEPEST_LOG and isinstance(item, list):
            pending += [(inner, depth + 1) for inner in item]
        elif depth < DEEPEST_LOG and isinstance(item, dict):
            pending += [(inner, depth + 1) for inner in said_by_model(item)]
    return envelopes


def _inner(item: Mapping[str, Any], outer: str) -> Iterator[tuple[object, str]]:
    """What is inside an object that is no edit itself, each with the name of the tool that it is an argument of.

    `outer` is the tool that the object itself is an argument of.
    """
    tool = _tool_of(item) or outer
    left_out = results_of(item)
    for key, inner in item.items():
        if key in left_out:
            continue
        is_input = key in _INPUTS
        if is_input and isinstance(inner, str):
            inner = _load_arguments(inner, tool)  # noqa: PLW2901 - the arguments of a function call are JSON in a string
        elif tool and key in _OPERATIONS and isinstance(inner, str):
            inner = load_json(inner)  # noqa: PLW2901 - an argument in markup is JSON in a string
        if isinstance(inner, dict | list):
            if key == _STATE and tool and isinstance(inner, dict):
                inner = {_NAMES[1]: tool, **inner}  # noqa: PLW2901 - OpenCode has the tool beside the state
            is_of_cursor = key.endswith(_CURSOR_CALL) and isinstance(inner, dict)
            if is_of_cursor and isinstance(inner.get("args"), dict):
                yield inner["args"], key.removesuffix(_CURSOR_CALL)
            elif len(item) == 1 and _is_call_by_key(key, inner):
                yield inner, key
            else:
                yield inner, tool if is_input or key in _OPERATIONS else ""


def _is_call_by_key(key: str, value: object) -> bool:
    """Whether a key is the name of a tool that no row of the table has, and its value the arguments of an edit."""
    is_edit = isinstance(value, dict) and has_path_and_text(value) and changes_files(key)
    return is_edit and not shapes_of(key)


def _tool_of(item: Mapping[str, Any]) -> str:
    """The tool that an object calls; a hosted tool has its name in its type."""
    name = _first(item, _NAMES, str)
    kind = str(item.get("type", ""))
    if name is None and kind.endswith("_call"):
        name = kind
    if name is None and kind.startswith("tool-") and "toolCallId" in item:
        # A part of a message of the AI SDK.
        name = kind.removeprefix("tool-")
    is_action = isinstance(item.get("args"), dict) or "action_input" in item
    if name is None and is_action and isinstance(item.get("action"), str):
        # An event of OpenHands, or a call of LangChain.
        name = item["action"]
    if name is None and isinstance(item.get("function"), str) and any(key in item for key in _INPUTS):
        name = item["function"]
    return name or ""


def _load_arguments(text: str, tool: str) -> object:
    """The arguments of a call as data; None if the text is something else, such as a patch.

    Raises:
        CallError: they are JSON of an edit that is broken or cut off.
    """
    value = load_json(text)
    if value is None and text.lstrip()[:1] == "{" and (shapes_of(tool) or any(name in text for name in _EDIT_NAMES)):
        message = f"The arguments of the call of {tool} are not valid JSON; they may have been cut off."
        raise CallError(message)
    return value


def _operations(item: Mapping[str, Any], tool: str, line: int, log: CallLog) -> list[Operation] | None:
    """The operations that an object with arguments stands for; None if it is no edit."""
    if not tool and not any(name in item for name in _INPUTS):
        # The arguments may be beside the name of the tool.
        tool = _tool_of(item)
    if not tool and item.get("type") in _FILE_OPERATIONS:
        tool = "apply_patch_call"
    if tool and (known := read_call(tool, item, line, log.read_text)) is not None:
        return known
    if patch := _patch_of(item, tool):
        return read_diff_argument(patch, "", line, log.read_text)
    operation = _operation(item, tool, line)
    return None if operation is None else [operation]


def _patch_of(item: Mapping[str, Any], tool: str) -> str:
    """The envelope that is all of the input of a tool which takes no other arguments; empty if there is none."""
    tool = tool or _tool_of(item)
    text = next((item[name] for name in _INPUTS if isinstance(item.get(name), str)), "")
    return text if text.lstrip().startswith(BEGIN) and shapes_of(tool) else ""


def _operation(item: Mapping[str, Any], tool: str, line: int) -> Operation | None:
    """The operation of a call that no row of the table has, by the names of its arguments; None if it is no edit."""
    arguments = CallArguments(item, {})
    path = arguments.path
    if not path:
        return None
    act, command = bare_tool(tool), item.get("command")
    edits = arguments.value("edits")
    edits = load_json(edits) if isinstance(edits, str) else edits
    if isinstance(edits, list) and edits and all(isinstance(edit, dict) for edit in edits):
        check_listed(arguments, edits)
        for edit in edits:
            path_of_item(CallArguments(edit, {}).path, path)
        listed = [string_edit(CallArguments(edit, {}, path), number) for number, edit in enumerate(edits, 1)]
        return edit_file(path, listed, line)
    # A tool with several commands may be called with the empty arguments of the others.
    is_edit = command not in _OTHER_COMMANDS
    if is_edit and arguments.text("old") is not None and arguments.text("new") is not None:
        return edit_file(path, [string_edit(arguments, 1)], line)
    if command == "insert" or (command is None and "insert_line" in item):
        return _insertion(arguments, path, line)
    content = arguments.text("content")
    if content is not None and (act in _WRITE or command in ("create", "write")):
        arguments.check_whole()
        return WriteFile(path, content, line)
    if command == "str_replace" and (old := arguments.text("old")) is not None:
        # The new text may be left out, which deletes the old one.
        return edit_file(path, [StringEdit(old, "")], line)
    if is_edit and any(arguments.named(name) is not None for name in _EDIT_NAMES):
        string_edit(arguments, 1)
    _refuse_unreadable(arguments, command, act)
    target = arguments.text("target")
    if act in _MOVE and target:
        return UpdateFile(path, (), target, line)
    return DeleteFile(path, line) if act in _DELETE else None


def _insertion(arguments: CallArguments, path: str, line: int) -> Operation:
    """An insertion after a line number, as the text editor of Anthropic has it.

    Raises:
        CallError: it has no number, or no text.
    """
    after, text = arguments.named("insert_line"), arguments.named("insert_text")
    text = arguments.text("new") if text is None else text
    if isinstance(after, str) and after.isdecimal():
        after = int(after)
    if not isinstance(after, int) or not isinstance(text, str):
        message = f"The call inserts into {path}, but has no line number or no text."
        raise CallError(message)
    return ChangeFile(path, InsertLines(text, after), line)


def _refuse_unreadable(arguments: CallArguments, command: object, act: str) -> None:
    """Refuse a call that changes a file in a way that can't be read: leaving it out could leave a change half done."""
    path = arguments.path
    if command == "undo_edit":
        message = f"The call takes back an earlier edit of {path}."
        raise CallError(message, "Leave it out together with that edit.")
    what = _UNREADABLE_TOOLS.get(act) or ""
    for name, meaning in _UNREADABLE.items():
        if isinstance(arguments.named(name), str):
            what = what or meaning
    if isinstance(arguments.named("diff"), str) and (act or arguments.named("type") in ("update_file", "create_file")):
        # Without the name of a tool, it may be a report of what was changed.
        what = "a diff without its frame"
    if what:
        message = f"The call for {path} has {what}, which can't be read as an edit."
        raise CallError(
            message, "Use an edit with the text to find and its replacement instead, or leave the call out."
        )


def _first(item: Mapping[str, Any], names: tuple[str, ...], kind: Any) -> Any:  # noqa: ANN401 - of that kind
    """The first of some arguments that is there and of this kind."""
    return next((item[name] for name in names if isinstance(item.get(name), kind)), None)
