"""Calls of known shapes as operations: what each act of the table of call shapes means."""

from __future__ import annotations

from ..core.patch import AddFile, ChangeFile, DeleteFile, EditFile, UpdateFile, WriteFile
from ..core.string_edits import StringEdit
from ..core.text_changes import (
    AppendText,
    ChangeCell,
    InsertDefinition,
    InsertLines,
    ReplaceDefinition,
    ReplaceLines,
    Sketch,
)
from .anchor_calls import read_anchored
from .call_arguments import CallArguments, CallError, are_one_path, load_json
from .call_fit import listed_edits, shape_of
from .call_shapes import shapes_of
from .diff_argument import joined_diffs, read_diff_argument
from .numbered_order import from_last_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from ..core.patch import Operation
    from .call_shape import CallShape
    from .diff_argument import TextReader

#: Texts that stand for lines that a call leaves out of the text that confirms a range of lines.
_ELLIPSES = ("...", "…")
#: Arguments that name a cell of a notebook by its number.
_CELL_NUMBERS = ("cell_idx", "cell_number")


def read_call(tool: str, given: Mapping[str, Any], line: int, read_text: TextReader) -> list[Operation] | None:
    """The operations of a call of a tool that the table has; None if it has none that fits.

    `read_text` reads an argument that is a diff or the like.

    Raises:
        CallError: the call is an edit that can't be read.
    """
    shape = shape_of(tool, given)
    if shape is None:
        return None
    _check_parts(shape, tool, given)
    return READERS[shape.act](ShapedCall(shape, tool, given, line, read_text))


def _check_parts(shape: CallShape, tool: str, given: Mapping[str, Any]) -> None:
    """Refuse a call that has edits in two places, of which one would be left out.

    Raises:
        CallError: it has.
    """
    arguments = CallArguments(given, shape.names, "?")
    own = shape.names.get("edits", "")
    takes_edits_alone = bool(own) and shape.act == "replace" and "content" not in shape.names
    if takes_edits_alone and arguments.text("content"):
        extra = "the content of a file"
    elif shape.act == "diff" and arguments.text("old") and arguments.text("new"):
        extra = "a text to find and its replacement"
    else:
        extra = _other_list(tool, given, own) if own else ""
    if extra:
        message = f"The call of {tool} has {own or 'a diff'} and also {extra}: one of them would be left out."
        raise CallError(message, "Send a call for each.")


def _other_list(tool: str, given: Mapping[str, Any], own: str) -> str:
    """The argument with a list of edits that another shape of the tool takes; empty if there is none."""
    names = {shape.names["edits"] for shape in shapes_of(tool) if "edits" in shape.names}
    for name in sorted(names - {own}):
        if isinstance(given.get(name), list) and given[name]:
            return name
    return ""


class ShapedCall:
    """One call of a shape."""

    def __init__(self, shape: CallShape, tool: str, given: Mapping[str, Any], line: int, read_text: TextReader) -> None:
        self.shape = shape
        self.read_text = read_text
        self.tool = tool
        self.line = line
        self.given = given
        self.arguments = CallArguments(given, shape.names)
        listed = self.arguments.own(shape.lists) if shape.lists else None
        if isinstance(listed, str) and isinstance(value := load_json(listed), list):
            self.arguments = CallArguments({**given, shape.names[shape.lists]: value}, shape.names)

    @property
    def path(self) -> str:
        """The path of the only file.

        Raises:
            CallError: there is none.
        """
        if not self.arguments.path:
            message = f"The call of {self.tool} names no file."
            raise CallError(message)
        return self.arguments.path

    @property
    def paths(self) -> list[str]:
        """The paths of all files."""
        value = self.arguments.own("path")
        if isinstance(value, list):
            return [path for path in value if isinstance(path, str) and path.strip()]
        return [self.path]

    def items(self) -> Sequence[CallArguments]:
        """The edits of the call: the items of its list, those with numbered names, or itself.

        Raises:
            CallError: its list has something else.
        """
        names = self.shape.names
        if "edits" in names:
            listed = self.listed()
            check_listed(self.arguments, listed)
            return [CallArguments(one, names, self._path_of(one)) for one in listed]
        if any(name.endswith("_1") for name in names.values()):
            return [CallArguments(self.given, one, self.arguments.path) for one in self._numbered_names()]
        return [self.arguments]

    def _path_of(self, item: Mapping[str, Any]) -> str:
        return path_of_item(CallArguments(item, self.shape.names).path, self.arguments.path)

    def listed(self) -> list[Mapping[str, Any]]:
        """The items of the list of edits.

        Raises:
            CallError: it is no list of objects.
        """
        value = listed_edits(self.arguments)
        items = [value] if isinstance(value, dict) else value
        if not isinstance(items, list) or not items or not all(isinstance(one, dict) for one in items):
            message = f"The call of {self.tool} has {self.shape.names['edits']}, but it is not a list of edits."
            raise CallError(message)
        return items

    def _numbered_names(self) -> Iterator[dict[str, str]]:
        """The names of the arguments of each edit, where they end with its number."""
        number = 1
        while True:
            names = {
                role: f"{name.removesuffix('_1')}_{number}" if name.endswith("_1") else name
                for role, name in self.shape.names.items()
            }
            first = next(name for role, name in names.items() if role != "path")
            if CallArguments(self.given, {}, "?").named(first) is None:
                self._check_numbers(number)
                return
            yield names
            number += 1

    def _check_numbers(self, end: int) -> None:
        """Refuse arguments of edits with higher numbers than the first that is missing: they would be left out.

        Raises:
            CallError: there are some.
        """
        starts = [name.removesuffix("1") for name in self.shape.names.values() if name.endswith("_1")]
        for name in self.given:
            start = name.rstrip("0123456789")
            if start in starts and start != name and int(name[len(start) :]) >= end:
                message = f"The call of {self.tool} has {name}, but no complete edit {end}."
                raise CallError(message, "Number the edits from 1 on, without a gap.")


def path_of_item(own: str, outer: str) -> str:
    """The path of an edit of a list: its own one, or that of the call.

    Raises:
        CallError: it has both, and they differ.
    """
    if own and outer and not are_one_path(own, outer):
        message = f"The call is for {outer}, but an edit in its list is for {own}."
        raise CallError(message, "Send a call for each file.")
    return own or outer


def check_listed(arguments: CallArguments, listed: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a call that has an edit of its own beside a list of edits, of which one would be left out.

    Raises:
        CallError: it has one, and the list does not have the same.
    """
    arguments.check_one("edits")
    old, new = arguments.text("old"), arguments.text("new")
    if not old and not new:
        return
    items = [arguments.of_item(item) for item in listed]
    if not any((item.text("old"), item.text("new")) == (old, new) for item in items):
        message = f"The call for {arguments.path} has an edit of its own beside its list of edits."
        raise CallError(message, "Put all edits into the list.")


def _check_no_list(arguments: CallArguments) -> None:
    """Refuse a call of one edit that has a list of edits, too, which would be left out."""
    value = arguments.value("edits")
    listed = load_json(value) if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(item, dict) for item in listed):
        for item in listed:
            check_listed(arguments, [item])


def _replace(call: ShapedCall) -> list[Operation]:
    """String edits, in one operation for each file."""
    edits: dict[str, list[StringEdit]] = {}
    can_delete = "new" not in call.shape.names
    if "edits" not in call.shape.names:
        _check_no_list(call.arguments)
    for number, item in enumerate(call.items(), 1):
        path = item.path or call.path
        edits.setdefault(path, []).append(string_edit(item, number, can_delete=can_delete))
    return [edit_file(path, every, call.line) for path, every in edits.items()]


def string_edit(item: CallArguments, number: int, *, can_delete: bool = False) -> StringEdit:
    """One string edit of a call; with `can_delete`, a call without a replacement deletes the text.

    Raises:
        CallError: it has no text to find, or no replacement.
    """
    old, new = item.text("old"), item.text("new")
    if new is None and can_delete:
        new = ""
    if old is None or new is None:
        message = f"Edit {number} of the call for {item.path} has no text to find or no replacement."
        raise CallError(message)
    every, count = item.flag("every"), item.number("count")
    if count is None and item.value("count") is not None:
        message = f"Edit {number} of the call for {item.path} has {item.value('count')!r} where a number is needed."
        raise CallError(message)
    if count is not None and count < 1:
        message = f"Edit {number} of the call for {item.path} expects {count} replacements."
        raise CallError(message, "Give the number of occurrences to change, or leave it out.")
    first, last = item.number("line"), item.number("last")
    within = None
    if first is not None and first > 0:
        within = (first, last if last is not None and last >= first else first + old.rstrip("\n").count("\n"))
    if count is not None and count > 1:
        return StringEdit(old, new, replace_all=True, count=count, within=within)
    return StringEdit(old, new, every, within=within)


def edit_file(path: str, edits: list[StringEdit], line: int) -> Operation:
    """String edits of a file; one without a text to find creates it."""
    if len(edits) == 1 and not edits[0].old:
        return AddFile(path, edits[0].new, line)
    return EditFile(path, tuple(edits), line)


def _content(call: ShapedCall, item: CallArguments) -> str:
    content = item.text("content")
    if content is None:
        if "content" not in call.shape.names:
            return ""
        message = f"The call of {call.tool} for {item.path} has no text."
        raise CallError(message)
    return content


def _write(call: ShapedCall) -> list[Operation]:
    """A whole file. A tool that makes files and folders alike, without content, makes nothing for a folder."""
    if "content" not in call.shape.names and call.path.endswith("/"):
        return []
    call.arguments.check_whole()
    content = _content(call, call.arguments)
    if call.shape.ends_file and content and str(call.arguments.named(call.shape.ends_file)).lower() != "false":
        content = content if content.endswith("\n") else f"{content}\n"
    return [WriteFile(call.path, content, call.line)]


def _append(call: ShapedCall) -> list[Operation]:
    return [ChangeFile(call.path, AppendText(_content(call, call.arguments)), call.line)]


def _delete(call: ShapedCall) -> list[Operation]:
    return [DeleteFile(path, call.line) for path in call.paths]


def _move(call: ShapedCall) -> list[Operation]:
    return [UpdateFile(call.path, (), call.arguments.text("target"), call.line)]


def _copy(call: ShapedCall) -> list[Operation]:
    return [UpdateFile(call.path, (), call.arguments.text("target"), call.line, is_copy=True)]


def _insert(call: ShapedCall) -> list[Operation]:
    """Insertions by line numbers, the last one first, because all numbers are about the file before the call."""
    inserted: list[Operation] = []
    for item in call.items():
        number, text = item.number("line"), _content(call, item)
        if number is None:
            message = f"The call of {call.tool} for {item.path} has no line number."
            raise CallError(message)
        if number == call.shape.end:
            inserted.append(ChangeFile(item.path, AppendText(text), call.line))
        else:
            inserted.append(ChangeFile(item.path, InsertLines(text, number + call.shape.offset), call.line))
    return from_last_line(inserted)


def _lines(call: ShapedCall) -> list[Operation]:
    """Replacements by line numbers, the last one first, because all numbers are about the file before the call."""
    replaced: list[Operation] = []
    for item in call.items():
        first, last, text = item.number("line"), item.number("last"), _content(call, item)
        if first is None or not item.path:
            message = f"The call of {call.tool} has no line number or names no file."
            raise CallError(message)
        first += call.shape.offset
        last = first if last is None else last + call.shape.offset
        replaced.append(_replaced_lines(call, item, first, last, text))
    return from_last_line(replaced)


def _replaced_lines(call: ShapedCall, item: CallArguments, first: int, last: int, text: str) -> Operation:
    """The replacement of lines; where the call also has their text, that is a string edit."""
    first_text, last_text = item.text("first_text"), item.text("last_text")
    old = item.text("old") if "old" in call.shape.names else None
    if old is not None:
        kept = old.strip("\n").split("\n")
        if not any(line.strip() in _ELLIPSES for line in kept):
            return EditFile(item.path, (StringEdit(old, text, within=(first, last)),), call.line)
        first_text, last_text = kept[0], kept[-1]
    return ChangeFile(item.path, ReplaceLines(text, first, last, first_text, last_text), call.line)


def _diff(call: ShapedCall) -> list[Operation]:
    text = joined_diffs(call.arguments.own("diff")) or call.arguments.text("diff")
    if text is None:
        message = f"The call of {call.tool} has no diff."
        raise CallError(message)
    is_new = str(call.given.get("type", "")) == "create_file"
    return read_diff_argument(text, call.arguments.path, call.line, call.read_text, is_new=is_new)


def _refuse(call: ShapedCall) -> list[Operation]:
    where = f" for {call.arguments.path}" if call.arguments.path else ""
    message = f"The call of {call.tool}{where} {call.shape.why}, which can't be read as an edit."
    raise CallError(message, call.shape.hint)


def _other(call: ShapedCall) -> list[Operation]:
    """Nothing: the call runs or looks at something."""
    del call
    return []


def _cell(call: ShapedCall) -> list[Operation]:
    """A change of a cell of a notebook."""
    arguments, act = call.arguments, call.shape.cell
    value = arguments.value("cell")
    name = str(value) if isinstance(value, str | int) else ""
    # `cell_idx` and `cell_number` are numbers, also where they were written as a text.
    is_number = name.isdecimal() and (isinstance(value, int) or call.shape.names.get("cell") in _CELL_NUMBERS)
    if act == "insert_at":
        # The number of the new cell: it goes after the one before.
        is_number = is_number and int(name) > 0
        act = "insert"
        if name in ("", "0"):
            name = "TOP"
        elif name.isdecimal():
            name = str(int(name) - 1)
    text, old, language = arguments.text("content"), arguments.text("old"), str(arguments.value("kind") or "")
    if act == "edit" and not old:
        act = "replace"
    if act == "replace" and not name:
        message = f"The call of {call.tool} for {call.path} names no cell."
        raise CallError(message)
    if text is None and act != "delete":
        message = f"The call of {call.tool} for {call.path} has no source for the cell."
        raise CallError(message)
    kind = "markdown" if language.lower() in ("markdown", "md") else "code"
    return [ChangeFile(call.path, ChangeCell(text or "", name, act, old or "", kind, is_number), call.line)]


def _define(call: ShapedCall) -> list[Operation]:
    """A whole definition by the name of one that the file has."""
    name, text = call.arguments.text("name"), _content(call, call.arguments)
    where = call.shape.cell or str(call.arguments.value("where") or "")
    if not name:
        message = f"The call of {call.tool} for {call.path} names no definition."
        raise CallError(message)
    if where in ("before", "after"):
        return [ChangeFile(call.path, InsertDefinition(text, name, where == "before"), call.line)]
    return [ChangeFile(call.path, ReplaceDefinition(text, name, call.arguments.flag("renames")), call.line)]


def _sketch(call: ShapedCall) -> list[Operation]:
    """New code with markers for what stays."""
    return [ChangeFile(call.path, Sketch(_content(call, call.arguments)), call.line)]


def _anchors(call: ShapedCall) -> list[Operation]:
    """Edits whose lines are named by a number and a short hash."""
    return read_anchored(call.listed(), call.path, call.line)


#: How each act is read.
READERS: Mapping[str, Callable[[ShapedCall], list[Operation]]] = {
    "replace": _replace,
    "write": _write,
    "append": _append,
    "delete": _delete,
    "move": _move,
    "copy": _copy,
    "insert": _insert,
    "lines": _lines,
    "diff": _diff,
    "cell": _cell,
    "define": _define,
    "sketch": _sketch,
    "anchors": _anchors,
    "refuse": _refuse,
    "other": _other,
}
