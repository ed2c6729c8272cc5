"""Calls in Python that look like an edit and are where no call is read: in prose, in a fence of code, or cut off.

A call has to name a file and to have a text for it, both as literals, as in `unread_calls`. Inside of a fence of code
only calls of known tools with named arguments count, because code that calls other functions may be an example.
"""

from __future__ import annotations

import ast
import re

from ..core.python_source import UNPARSABLE, parse_python
from .call_arguments import COMMON
from .call_shape import normal
from .call_shapes import shapes_of
from .format_limits import LONGEST_CALL, MOST_CALLS_IN_LINE, MOST_TRIES
from .unread_calls import UnreadCall, changes_files, has_path_and_text, looks_like_edit, path_argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from ..core.problems import Problem

#: A name that is called, outside of a word, a string and a definition.
_CALL = re.compile(
    r"(?<![\w.'\"`\\-])(?<!def )(?<!function )(?:default_api\.|functions\.|tools?\.)?([A-Za-z]\w{0,99})(?:\.call)?\("
)
#: What may be before a call at the start of its line: a list, a quote, a mark of a model, or the name of its result.
_BEFORE = re.compile(r"(?:[\s\[>*-]|<\|\w{1,40}\|>|<code>|\w{1,60}\s*=(?!=)|await\b|print\()*+")
#: What tells calls from other text: strings, brackets, and comments.
_TOKEN = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+("""|$)|\'\'\'(?:[^\'\\]++|\\.|\'(?!\'\'))*+(\'\'\'|$)'
    r"|\"(?:[^\"\\\n]++|\\.)*+(\"|$)|'(?:[^'\\\n]++|\\.)*+('|$)|[()\[\]{}]",
    re.DOTALL,
)
_NAMED = re.compile(r"\b(\w{1,40})\s*=\s*[rbf]?[\"']")
_OPEN_CALL = re.compile(r"\(\s*(?:$|\w{1,100}\s*=)")
#: Languages of fences whose code may have calls of tools among others.
_CODE = ("", "python", "py", "text", "plaintext")
#: Arguments that have a text for a file, however short it is.
_TEXTS = frozenset((*COMMON["new"], *COMMON["content"], "text"))
#: Languages of fences that have nothing but calls.
_CALLS = ("tool_code", "tool_call", "tool_calls")


class PythonCalls:
    """Follows calls in Python outside of all blocks."""

    def __init__(self) -> None:
        #: The lines of a call that is still open, the number of its first line, its tool, and how often it was parsed.
        self._lines: list[str] = []
        self._number = 0
        self._tool = ""
        self._tries = self._size = 0
        #: Whether the next line is inside of a tag `<code>`, which `_kind` asks for.
        self._is_in_code = False

    def note(self, line: str, number: int, language: str | None) -> Problem | None:
        """Read the next line. Returns the problem with the call that is complete with this line, if it edits a file.

        A call that goes on in the next line is kept until it is complete. `language` is that of the fence around the
        line, if any.
        """
        if "code>" in line:
            self._is_in_code = line.strip().startswith("<code>") and "</code>" not in line
        if self._lines:
            return self._continue(line)
        if "(" not in line:
            return None
        kind = self._kind(language)
        if kind == "other":
            return None
        start = _BEFORE.match(line)
        for count, call in enumerate(_CALL.finditer(line)):
            if count == MOST_CALLS_IN_LINE:
                break
            is_quoted = line.count("`", 0, call.start()) % 2 == 1
            if is_quoted or not changes_files(call[1]):
                continue
            is_first = start is not None and call.start() <= start.end()
            problem = self._look(line, number, call, is_first=is_first, kind=kind)
            goes_on = bool(self._lines)
            if problem is not None or goes_on:
                return problem
        return None

    def _kind(self, language: str | None) -> Literal["calls", "code", "other"]:
        if language is None or self._is_in_code or language in _CALLS:
            return "calls"
        return "code" if language in _CODE else "other"

    def _look(self, line: str, number: int, call: re.Match[str], *, is_first: bool, kind: str) -> Problem | None:
        """The problem with a call in a line; a call that is not complete is kept."""
        if kind == "code" and not (shapes_of(call[1]) and is_first and not line[0].isspace()):
            return None
        end = _end(line, call.end() - 1)
        if end < 0:
            if is_first and _OPEN_CALL.match(line, call.end() - 1):
                self._lines, self._number, self._tool = [line[call.start() :]], number, call[1]
                self._size = self._tries = 0
            return None
        is_alone = is_first and kind == "calls" and not line[end:].strip("]) \t;")
        arguments = _arguments(line[call.start() : end], with_places=is_alone)
        return _problem(call[1], arguments, number)

    def _continue(self, line: str) -> Problem | None:
        self._lines.append(line)
        self._size += len(line) + 1
        if ")" not in line or self._tries == MOST_TRIES or self._size > LONGEST_CALL:
            return None
        self._tries += 1
        text = "\n".join(self._lines)
        end = _end(text, text.index("("))
        if end < 0:
            return None
        tool, number = self._tool, self._number
        self._lines = []
        return _problem(tool, _arguments(text[:end], with_places=False), number)

    def close(self) -> Problem | None:
        """The problem with the call that is open, which was cut off, if it names a file."""
        names = _NAMED.findall("\n".join(self._lines))
        self._lines = []
        if any(normal(name) in COMMON["path"] for name in names):
            return UnreadCall(self._number, self._tool, "").problem("json")
        return None


def meant_in_python(text: str) -> bool:
    """Whether a text has a call in Python that looks like an edit, or such a call that is cut off."""
    calls = PythonCalls()
    return any(calls.note(line, 0, None) for line in text.split("\n")) or calls.close() is not None


def _problem(tool: str, arguments: dict[str, Any], number: int) -> Problem | None:
    has_text = any(normal(name) in _TEXTS for name in arguments)
    if not (has_path_and_text(arguments) or (has_text and path_argument(arguments))):
        return None
    if not looks_like_edit(tool, arguments):
        return None
    return UnreadCall(number, tool, "").problem("json")


def _end(text: str, start: int) -> int:
    """Where the call whose opening bracket is at a place ends; -1 if it is not complete."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in ("(", "[", "{"):
            depth += 1
        elif token[0] in (")", "]", "}"):
            depth -= 1
            if not depth:
                return token.end()
    return -1


def _arguments(text: str, *, with_places: bool) -> dict[str, Any]:
    """The arguments of a call that are literals, by their names, or by their places if these are wanted."""
    try:
        tree = parse_python(text, "eval")
    except UNPARSABLE:
        return {}
    call = tree.body if isinstance(tree, ast.Expression) else None
    if not isinstance(call, ast.Call):
        return {}
    named = [(keyword.arg or "", keyword.value) for keyword in call.keywords]
    placed = [(str(place), value) for place, value in enumerate(call.args)] if with_places else []
    return {name: value.value for name, value in (*named, *placed) if isinstance(value, ast.Constant)}
