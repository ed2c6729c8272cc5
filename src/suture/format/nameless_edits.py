"""Data that looks like an edit without the name of a tool: in JSON, also records of logs, and in YAML and TOML.

Nothing of it is read: nobody has published what it means. To skip it beside other edits could leave a change half done.
"""

from __future__ import annotations

import json
import re

from .call_arguments import COMMON
from .call_shape import normal
from .format_limits import DEEPEST_LOG
from .transcript_roles import RESULT_TYPES, is_of_others, results_of
from .unread_calls import UnreadCall, changes_files, is_file_text, is_path_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..core.problems import Problem

_PATHS = frozenset((*COMMON["path"], "relevantfile"))
_OLD = frozenset(
    {
        *(*COMMON["old"], "before", "find", "from", "original", "existingcode", "searchtext", "searchstring"),
        "codesnippettobemodified",
    }
)
_NEW = frozenset(
    {
        *(*COMMON["new"], "after", "replacement", "with", "to", "updated", "improvedcode", "replacetext"),
        *("editedcodesnippet", "replacewith"),
    }
)
_CONTENTS = frozenset((*COMMON["content"], "code", "text", "body", "source", "newcontents"))
#: What may be beside the path and the text of a file without telling that they are something else.
_BESIDE = frozenset({"language", "lang", "action", "description", "explanation", "reason", "summary", "encoding"})
#: What says what becomes of a file.
_ACT_KEYS = ("op", "operation", "action")
#: What data has its edits in.
_LISTS = frozenset(
    {
        *(
            "files",
            "edits",
            "changes",
            "documentchanges",
            "edit",
            "filechanges",
            "codechanges",
            "modifications",
            "patches",
            "updates",
        ),
        *("replacements", "codesuggestions", "suggestions", "result", "answer", "response"),
    }
)
#: What an item of a JSON Patch does, and a path of one that is that of a file.
_PATCH_ACTS = ("add", "remove", "replace", "move", "copy", "test")
_FILE_POINTER = re.compile(r"/[\w./-]{0,500}\.\w{1,10}")
#: What SWE-agent has as the action of a step that edits, and Cline as the tools that edit, in what it shows.
_EDIT_ACTION = re.compile(
    r"\s*(?:edit\s+(?:\d+:\d+|[\"'])|str_replace_editor\s+(?:str_replace|insert|create)\s+(\S{1,500}))"
)
_SHOWN_EDITS = ("editedExistingFile", "newFileCreated", "appliedDiff", "fileDeleted")
#: Languages of fences with keys and values.
_LANGUAGES = ("yaml", "yml", "toml", "")
#: A key at the start of a line of YAML or TOML, and its value.
_KEY = re.compile(r"\s*(?:-\s+)?[\"']?([A-Za-z_][\w-]{0,40})[\"']?\s*[:=](?:\s+(\S.*)?)?$")
_TABLE = re.compile(r"\[{1,2}([\w.-]{1,100})\]{1,2}\s*$")
#: A list of tables of TOML.
_EDIT_TABLE = re.compile(r"\[\[(\w{1,100})\]\]\s*")
_TOOL_KEYS = ("tool", "toolname", "name", "action", "function")
#: A text on the lines below its key, in YAML and in TOML.
_BELOW = ("|", ">", '"""', "'''")


def nameless_edits(value: object) -> list[str]:
    """The paths of what looks like edits in a value of JSON, where no tool is named."""
    paths: list[str] = []
    pending: list[tuple[object, bool, int]] = [(value, False, 0)]
    while pending:
        item, is_listed, depth = pending.pop()
        if depth > DEEPEST_LOG:
            continue
        if isinstance(item, list):
            if path := _patched_path(item):
                paths.append(path)
            else:
                pending += [(inner, is_listed, depth + 1) for inner in reversed(item)]
        elif isinstance(item, dict) and not is_of_others(item) and item.get("type") not in RESULT_TYPES:
            path = _edited_path(item) or _mapped_path(item, is_listed=is_listed) or _path_of_ranges(item)
            path = path or _path_codex_changed(item) or _path_of_step(item) or _path_cline_showed(item)
            if path or _is_canvas_update(item):
                paths.append(path)
            else:
                pending += [(inner, True, depth + 1) for inner in _listed(item)][::-1]
    return paths


def _listed(item: Mapping[str, Any]) -> Iterator[object]:
    """What may be edits in an object that is none itself."""
    left_out = results_of(item)
    for name, inner in item.items():
        if normal(name) in _LISTS and name not in left_out:
            yield inner
        elif name == "trajectory" and "history" not in item:
            # The history has the same calls.
            yield inner


def _edited_path(item: Mapping[str, Any]) -> str:
    """The path that an object has together with a text and its replacement, or with the text of a file."""
    named = {normal(name): value for name, value in item.items() if isinstance(value, str)}
    path = next((value.strip() for name, value in named.items() if name in _PATHS and is_path_text(value)), "")
    if not path:
        return ""
    old = [value for name, value in named.items() if name in _OLD]
    new = [value for name, value in named.items() if name in _NEW]
    if old and new:
        is_common = not named.keys().isdisjoint(COMMON["old"]) and not named.keys().isdisjoint(COMMON["new"])
        return path if not is_common and any(map(is_file_text, (*old, *new))) else ""
    content = [value for name, value in named.items() if name in _CONTENTS]
    acts = [value for name, value in named.items() if name in _ACT_KEYS]
    if any(map(changes_files, acts)) and any(map(is_file_text, content)):
        return path
    is_file = {normal(name) for name in item} <= _PATHS | _CONTENTS | _BESIDE
    return path if is_file and any("\n" in value for value in content) else ""


def _path_of_ranges(item: Mapping[str, Any]) -> str:
    """The path that an object has edits of a language server for, which are texts with ranges."""
    document = item.get("textDocument")
    path = document.get("uri") if isinstance(document, dict) else None
    for name, value in [(path, item.get("edits")), *item.items()]:
        first = value[0] if isinstance(value, list) and value else None
        if isinstance(first, dict) and isinstance(first.get("newText"), str) and isinstance(first.get("range"), dict):
            bare = str(name).removeprefix("file://")
            if is_path_text(bare):
                return bare
    return ""


def _patched_path(items: Sequence[object]) -> str:
    """The first path of a JSON Patch whose paths are those of files. Others are about the members of some data."""
    paths: list[str] = []
    has_text = False
    for item in items:
        if not isinstance(item, dict) or item.get("op") not in _PATCH_ACTS:
            return ""
        path, value = item.get("path"), item.get("value")
        if not isinstance(path, str) or _FILE_POINTER.fullmatch(path) is None:
            return ""
        paths.append(path)
        has_text = has_text or (isinstance(value, str) and "\n" in value)
    return paths[0] if has_text else ""


def _is_canvas_update(item: Mapping[str, Any]) -> bool:
    """Whether an object is a replacement in the document of a canvas, which has no path."""
    texts = (item.get("pattern"), item.get("replacement"))
    return isinstance(item.get("multiple"), bool) and all(isinstance(text, str) for text in texts)


def _path_codex_changed(item: Mapping[str, Any]) -> str:
    """The first path that a record of Codex says it has changed; the record does not say how."""
    recorded = item.get("item")
    if not isinstance(recorded, dict) or recorded.get("type") != "file_change" or recorded.get("status") != "completed":
        return ""
    changes = recorded.get("changes")
    first = changes[0] if isinstance(changes, list) and changes else None
    return str(first.get("path") or "") if isinstance(first, dict) else ""


def _path_of_step(item: Mapping[str, Any]) -> str:
    """The path that a step of SWE-agent has edited. Its command `edit` is about the open file."""
    action = item.get("action")
    if not isinstance(action, str) or not isinstance(item.get("observation"), str):
        return ""
    command = _EDIT_ACTION.match(action)
    if command is None:
        return ""
    return command[1] or "the open file"


def _path_cline_showed(item: Mapping[str, Any]) -> str:
    """The path of an edit in Cline's log of what it shows, where the call is a text."""
    text = item.get("text")
    if "tool" not in (item.get("say"), item.get("ask")) or not isinstance(text, str):
        return ""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    is_edit = isinstance(entry, dict) and entry.get("tool") in _SHOWN_EDITS
    return str(entry.get("path") or "") if is_edit else ""


def _mapped_path(item: Mapping[str, Any], *, is_listed: bool) -> str:
    """The first of the paths that an object has as its keys, if their values are texts of files."""
    if not item or not all(is_path_text(name) for name in item):
        return ""
    for value in item.values():
        text = value
        if isinstance(value, dict):
            text = next((one for name, one in value.items() if normal(name) in _CONTENTS), None)
        is_text = isinstance(text, str) and (is_file_text(text) if is_listed else "\n" in text)
        if not is_text:
            return ""
    return next(iter(item))


class KeyedEdits:
    """Follows keys and values in YAML and TOML: in fences, and below a line such as `edit:`."""

    def __init__(self) -> None:
        #: How far the line is indented that has the edit below it, outside of fences.
        self._depth = 0
        #: The path of a line such as `file: app.py`, if the next one may have the edits of that file.
        self._path_above = ""
        self._is_path_above = False
        #: The last line of a table such as `[[edits]]` outside of fences, and whether a text is open in it.
        self._table_line = 0
        self._is_in_text = False
        self._forget()

    def _forget(self) -> None:
        self._is_open = self._has_edit = self._is_path_above = False
        self._path = ""
        #: What has been given of the old text, the new text, a text on lines of its own, and anything else.
        self._given: set[str] = set()
        #: Whether the next line has the path.
        self._path_follows = False

    def note(self, line: str, number: int, language: str | None, *, is_first: bool) -> Problem | None:
        """The problem with the edit that a line completes; `language` is that of the fence around it, if any."""
        if is_first:
            self._forget()
        if language is None:
            if not self._is_in_table(line, number) and not self._is_below(line):
                return None
        elif language not in _LANGUAGES:
            return None
        self._take(line)
        if not self._path or not self._is_edit():
            return None
        path = self._path
        self._forget()
        return UnreadCall(number, "", path).problem("json")

    def _is_in_table(self, line: str, number: int) -> bool:
        """Whether a line outside of fences is one of a table of TOML such as `[[edits]]`, up to a blank line."""
        table = _EDIT_TABLE.fullmatch(line)
        if table is not None and _is_edit_name(table[1]):
            self._forget()
            self._is_in_text = False
        elif not self._table_line or not (self._is_in_text or number == self._table_line + 1):
            self._table_line = 0
            return False
        self._table_line = number
        if (line.count('"""') + line.count("'''")) % 2:
            self._is_in_text = not self._is_in_text
        return True

    def _is_below(self, line: str) -> bool:
        """Whether a line outside of fences is below one such as `edit:`, which this line may be itself."""
        depth = len(line) - len(line.lstrip())
        if self._is_open and (depth > self._depth or line.lstrip().startswith("- ")):
            return True
        key = _KEY.match(line)
        above, self._path_above = self._path_above, ""
        self._forget()
        self._is_open = self._has_edit = key is not None and not key[2] and _is_edit_name(key[1])
        self._depth = depth
        # Prose has such lines too, but begins them with a capital letter.
        if key is None or not key[1].islower():
            return False
        if self._is_open:
            self._path, self._is_path_above = above, bool(above)
        elif normal(key[1]) in _PATHS and is_path_text(key[2] or ""):
            self._path_above = key[2].strip()
        return False

    def _is_edit(self) -> bool:
        if {"old", "new"} <= self._given:
            return True
        if self._is_path_above:
            return False
        has_text = not self._given.isdisjoint(("old", "new", "text"))
        return has_text and (self._has_edit or "other" not in self._given)

    def _take(self, line: str) -> None:
        if self._path_follows:
            self._path_follows = False
            self._path = line.strip() if is_path_text(line) else ""
            return
        table = _TABLE.match(line)
        key = _KEY.match(line)
        if table is not None:
            self._has_edit = self._has_edit or _is_edit_name(table[1].rpartition(".")[2])
        elif key is not None:
            self._take_key(key[1], (key[2] or "").strip())

    def _take_key(self, written: str, value: str) -> None:
        name, bare = normal(written), value.strip("\"'")
        is_edit = _is_edit_name(written) if not value else name in _TOOL_KEYS and changes_files(bare)
        self._has_edit = self._has_edit or is_edit
        if name in _PATHS:
            self._path_follows = value[:1] in ("|", ">")
            self._path = bare if is_path_text(bare) else self._path
        elif name in _OLD and value:
            self._given.add("old")
        elif name in _NEW and value:
            self._given.add("new")
        elif name in _CONTENTS and value.startswith(_BELOW):
            self._given.add("text")
        elif not is_edit and name not in _BESIDE:
            self._given.add("other")


def _is_edit_name(name: str) -> bool:
    return changes_files(name) or normal(name) in _LISTS
