"""Calls that look like an edit and are not read as one: to skip them could leave a change half done.

A call looks like an edit if a word of its tool says that it changes a file, or if it has a path together with a text.
Tools and arguments that many agents have for something else are in tables, and no edits.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..core.value import Value
from .call_arguments import COMMON
from .call_shape import normal
from .call_shapes import shapes_of
from .format_limits import MOST_KNOWN_TOOLS
from .parse_fault import ParseFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from ..core.problems import Problem

#: How words of tools begin that change files.
_EDIT_WORDS = (
    *("edit", "write", "rewrite", "overwrite", "replace", "patch", "insert", "append", "prepend", "apply", "modify"),
    *("substitut", "reapply"),
)
#: Words that do so together with one for a file.
_FILE_ACTS = frozenset(
    {"create", "delete", "remove", "move", "rename", "copy", "save", "update", "change", "put", "new", "make", "set"}
)
_FILE_WORDS = frozenset({"file", "files", "text", "textdoc", "code", "content", "contents", "line", "lines"})
#: What tools write to that is no file of a project.
_OTHER_TARGETS = frozenset(
    {
        *("todo", "todos", "task", "tasks", "plan", "plans", "memory", "memories", "stdin", "terminal", "console"),
        *("process", "clipboard", "issue", "issues", "ticket", "comment", "comments", "message", "messages", "email"),
        *("mail", "event", "events", "calendar", "query", "sql", "migration", "row", "rows", "record", "records"),
        *("table", "database", "branch", "commit", "pull", "pr", "review", "release", "label", "labels", "page"),
        *("wiki", "thread", "conversation", "chat", "session", "mode", "settings", "config", "agent", "thought"),
        *("thoughts", "thinking", "project", "folder", "directory", "dir", "image", "diagram", "dispatch"),
    }
)
#: Words that tools begin with that only look, or that run something.
_LOOKING = frozenset(
    {
        *("read", "list", "ls", "view", "get", "show", "open", "cat", "fetch", "web", "browser", "run", "think", "ask"),
        *("bash", "shell", "exec", "execute", "check", "describe", "explain", "preview", "validate", "undo", "git"),
    }
)
#: Words of tools that have a path and a text without an edit.
_HARMLESS = frozenset(
    {
        *_LOOKING,
        *("grep", "glob", "search", "find", "query", "lookup", "command", "cmd", "powershell", "terminal", "repl"),
        *("python", "ipython", "test", "tests", "lint", "build", "compile", "debug", "diagnostics", "outline", "skill"),
        *("completion", "attempt", "finish", "submit", "answer", "report", "notify", "send", "post", "upload"),
        *("download", "screenshot", "click", "type", "navigate", "analyze", "summarize", "agent", "subagent", "goto"),
    }
)
#: Commands of tools that have several, and only look.
_LOOKING_COMMANDS = frozenset(
    {"view", "read", "open", "list", "find", "search", "show", "goto", "scroll_up", "scroll_down", "undo_edit"}
)
#: Words of arguments whose text is none of a file.
_OTHER_TEXTS = frozenset(
    {
        *("query", "pattern", "regex", "glob", "command", "cmd", "script", "description", "explanation", "question"),
        *("message", "prompt", "reason", "reasoning", "thought", "thoughts", "url", "uri", "title", "summary", "goal"),
        *("instruction", "instructions", "language", "cwd", "workdir", "directory", "dir", "folder", "include"),
        *("exclude", "filter", "symbol", "name", "id", "date", "time", "sql", "expression", "task", "note", "error"),
        *("output", "result", "status", "mode", "type", "kind", "args", "search", "keyword", "keywords", "purpose"),
        *("justification", "comment", "format", "encoding", "range", "tool", "timestamp", "version", "schema"),
    }
)
_OLD_TEXTS = ("oldstring", "oldstr", "oldtext", "oldcode")
_NEW_TEXTS = ("newstring", "newstr", "newtext", "newcode")
_TOOL = re.compile(r"[\w.:/-]{1,100}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PATH = re.compile(r"(?!-|\w+://)[^\s\"'<>|*?(){}=;,]{0,500}(?:\.\w{1,10}|/[\w.-]{1,100})")
_IDENTIFIER = re.compile(r"[\w.:-]*")
#: A call in the middle of a line.
_CALL_IN_LINE = re.compile(
    r"(?<![`'\"\\])\{\s*[\"']?(?:name|tool|tool_name|function|action)[\"']?\s*:\s*[\"']([\w.:/-]{1,100})[\"']\s*,"
    r"\s*[\"']?(?:input|arguments|args|parameters|params|action_input)[\"']?\s*:"
)
#: A call by the name of its tool at the start of a line, before its arguments in JSON.
_CALL_BEFORE_JSON = re.compile(
    r"\s*+(?:[@>*-]\s*+)?([\w.:/-]{1,100})\s*+(?:\([\w-]{0,60}\)\s*+:\s*+)?\(?\s*+\{\s*+[\"'](\w{1,40})[\"']\s*+:"
)
#: A tag that may be a call: lower case, as tools are written.
_TAG = re.compile(
    r"(?<!`)<([a-z]+(?:[A-Z_][a-z]*)*|[a-z]+(?:-[a-z]+)+(?<!or)|[A-Z]+(?:_[A-Z]+)*)((?:\s+\w+=(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>"
)
#: A tag around another one.
_AROUND = re.compile(r"<[\w:-]{1,40}(?:\s[^<>]{0,300})?>")
#: A tag for all tools, with the name of the one that is called.
_NAMING_TAG = re.compile(r"(?<!`)<(tool|call|action|tool_call|tool_use)\s+(?:name|tool)=[\"']([\w.:/-]{1,100})[\"']")
#: A tag with that name, and what is around the arguments below it.
_NAME_TAG = re.compile(r"<(?:tool_)?name>\s*([\w.:/-]{1,100})\s*</(?:tool_)?name>")
_ARGUMENT_TAGS = ("arguments", "parameters", "input", "args")
_PATH_TAG = re.compile(
    r"\sname=[\"'](\w{1,40})[\"']>\s*[^<\s]|[<\s](\w{1,40})(?:=[\"'][^\"']|>\s*[^<\s])|\"(\w{1,40})\"\s*:\s*\"[^\"]"
)
#: What names a tool, and what its arguments are called, in JSON that is broken or cut off.
_NAMED = re.compile(r"\"(?:name|tool|tool_name|toolName|recipient_name)\"\s*:\s*\"([\w.:/-]{1,100})\"")
_GIVEN = re.compile(r"\"(?:input|arguments|args|parameters|params)\"\s*:")
_DEFINITION = re.compile(r"\"(?:description|properties|input_schema)\"\s*:")
_HINT = "Use an edit with the text to find and its replacement instead, or leave the call out."


class UnreadCall(Value):
    """A call that looks like an edit and was not read: its line, its tool, and the file that it seems to be for.

    Data that names no tool has an empty one.
    """

    line: int
    tool: str
    path: str
    #: Its id in a log.
    call: str = ""

    def problem(self, form: str) -> Problem:
        """The problem that it is, in the form of the block that it is in."""
        where = f" for {self.path}" if self.path else ""
        if self.tool:
            message, hint = f"The call of {self.tool}{where} looks like an edit, but can't be read as one.", _HINT
        else:
            message = f"The data{where} looks like an edit, but names no tool, so it can't be read as one."
            hint = _HINT.replace("the call", "the data")
        return ParseFault(self.line, message, hint, form=form, repeats=[self.line]).problem()


def changes_files(tool: str) -> bool:
    """Whether the name of a tool says that it changes files."""
    return _meaning(tool) == "edit"


def looks_like_edit(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call that was not read looks like an edit."""
    meaning = _meaning(tool)
    if meaning == "harmless" or (meaning == "unknown" and len(arguments) < 2):
        return False
    if _is_definition(arguments) or _only_looks(arguments):
        return False
    return meaning == "edit" or has_path_and_text(arguments) or _has_old_and_new(arguments)


def _has_old_and_new(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments have a text and its replacement, under names that nothing else has."""
    names = {normal(name) for name, value in arguments.items() if isinstance(value, str)}
    return not names.isdisjoint(_OLD_TEXTS) and not names.isdisjoint(_NEW_TEXTS)


@lru_cache(MOST_KNOWN_TOOLS)
def _meaning(tool: str) -> Literal["edit", "harmless", "unknown"]:
    """What the words of the name of a tool say about it."""
    words = _words(tool) if _TOOL.fullmatch(tool) else ()
    if not words or words[0] in _LOOKING or not _OTHER_TARGETS.isdisjoint(words):
        return "harmless"
    if shapes_of(tool) or any(word.startswith(_EDIT_WORDS) for word in words):
        return "edit"
    if not _FILE_ACTS.isdisjoint(words) and not _FILE_WORDS.isdisjoint(words):
        return "edit"
    return "unknown" if _HARMLESS.isdisjoint(words) else "harmless"


def has_path_and_text(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments have a path together with a text for a file."""
    path = path_argument(arguments)
    return bool(path) and any(_is_text(name, value) for name, value in arguments.items() if name != path)


def path_argument(arguments: Mapping[str, Any]) -> str:
    """The argument that has a path; empty if none has."""
    texts = {name: value for name, value in arguments.items() if isinstance(value, str) and value.strip()}
    common = next((name for name in texts if normal(name) in COMMON["path"] and "\n" not in texts[name]), "")
    return common or next((name for name, value in texts.items() if _PATH.fullmatch(value.strip())), "")


def was_meant(text: str, tool: str) -> bool:
    """Whether JSON that is broken or cut off was meant as a call that changes files; `tool` is named before it."""
    if tool:
        return changes_files(tool)
    if _DEFINITION.search(text) or not _GIVEN.search(text):
        return False
    return any(changes_files(name) for name in _NAMED.findall(text))


def call_in_line(line: str, number: int) -> Problem | None:
    """The problem with a call in the middle of a line of prose, where no call is read."""
    if "{" not in line or _DEFINITION.search(line):
        return None
    call = _CALL_IN_LINE.search(line)
    if call is None:
        call = _CALL_BEFORE_JSON.match(line)
        if call is None or normal(call[2]) not in COMMON["path"]:
            return None
    return UnreadCall(number, call[1], "").problem("json") if changes_files(call[1]) else None


class MarkupTags:
    """Follows tags outside of all blocks that may be calls of tools that nobody knows."""

    def __init__(self) -> None:
        self._tag = ""
        #: The tool that it calls.
        self._tool = ""
        self._line = 0
        self._has_path = False

    def note(self, line: str, number: int) -> Problem | None:
        """The problem with the call that a line ends."""
        if "<" not in line:
            return None
        is_closed = not self._tag and self._open(line, number)
        if not self._tag:
            return None
        names = ["".join(groups) for groups in _PATH_TAG.findall(line)]
        self._has_path = self._has_path or any(normal(name) in COMMON["path"] for name in names)
        return self.close() if is_closed or f"</{self._tag}>" in line else None

    def _open(self, line: str, number: int) -> bool:
        """Note the tag that a line opens, if it may be a call. True if that tag closes itself, as `<a … />` does."""
        named = _NAMING_TAG.search(line)
        if named is not None and changes_files(named[2]):
            self._tag, self._tool, self._line = named[1], named[2], number
            return False
        name = _NAME_TAG.search(line)
        if name is not None and changes_files(name[1]):
            self._tag = next((tag for tag in _ARGUMENT_TAGS if f"<{tag}>" in line), _ARGUMENT_TAGS[0])
            self._tool, self._line = name[1], number
            return False
        opening = next((tag for tag in _TAG.finditer(line) if changes_files(tag[1])), None)
        if opening is None:
            return False
        closes_itself = bool(opening[3])
        before = _AROUND.sub("", line[: opening.start()]).strip()
        is_only_mentioned = before and not closes_itself and f"</{opening[1]}>" not in line
        if is_only_mentioned:
            return False
        self._tag = self._tool = opening[1]
        self._line = number
        return closes_itself

    def close(self) -> Problem | None:
        """The problem with the call that ends here, or is cut off, if it is for a file."""
        problem = UnreadCall(self._line, self._tool, "").problem("xml") if self._has_path else None
        self.forget()
        return problem

    def forget(self) -> None:
        """Forget the tag that is open: what it has inside is read."""
        self._tag, self._has_path = "", False


def _words(tool: str) -> Sequence[str]:
    """The words of the name of a tool, in lower case, without the server that it belongs to."""
    bare = tool.rpartition("__")[2].rpartition(".")[2].rpartition("/")[2].partition(":")[0]
    return [word.lower() for word in _WORD.findall(bare)]


def _is_definition(arguments: Mapping[str, Any]) -> bool:
    """Whether arguments are the schema of those of a tool."""
    return isinstance(arguments.get("properties"), dict) or "$schema" in arguments


def _only_looks(arguments: Mapping[str, Any]) -> bool:
    return any(str(arguments.get(name)).lower() in _LOOKING_COMMANDS for name in ("command", "action", "operation"))


def _is_text(name: str, value: object) -> bool:
    """Whether an argument is a text, or lines, that may belong into a file."""
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    return isinstance(value, str) and _OTHER_TEXTS.isdisjoint(_words(name)) and is_file_text(value)


def is_file_text(text: str) -> bool:
    """Whether a text may belong into a file: it is no name and no path."""
    return not _IDENTIFIER.fullmatch(text.strip()) and not is_path_text(text)


def is_path_text(text: str) -> bool:
    """Whether a text is nothing but a path."""
    return _PATH.fullmatch(text.strip()) is not None
