"""Changes to the text of a JSON file that leave everything else as it is: order, indentation and comments.

Settings of editors have comments and trailing commas, which `json` does not read and would not write back. So the text
is parsed into nodes that know their places, and a change is a replacement of a few characters.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..core.value import Value
from .server_limits import MOST_NESTED_VALUES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

#: White space and comments between the tokens of a file.
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null')
#: The end of a line, maybe behind another comment.
_END_OF_LINE = re.compile(r"[ \t,]*(?://[^\n]*|\r?)\n")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
#: A string, or the beginning of a comment in the group.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|(//|/\*)')


class JsonTextError(ValueError):
    """The text is not JSON, not even with comments."""


class Node(Value):
    """A value in a text, from `start` to `end`, and the nodes inside it."""

    start: int
    end: int
    #: The value without comments: an object, a list, or a scalar.
    value: Any
    #: The members of an object, each with the start of its key.
    members: Mapping[str, tuple[int, Node]] = {}
    #: The items of a list.
    items: tuple[Node, ...] = ()

    def __hash__(self) -> int:
        return hash((self.start, self.end))

    @property
    def is_object(self) -> bool:
        """Whether it is an object."""
        return isinstance(self.value, dict)

    @property
    def inner(self) -> list[tuple[int, Node]]:
        """What is inside, each with its start: the key of a member, or the item."""
        return list(self.members.values()) if self.is_object else [(item.start, item) for item in self.items]


class TextChange(Value):
    """A replacement of a part of a text."""

    start: int
    end: int
    text: str


def change_text(text: str, changes: Sequence[TextChange]) -> str:
    """A text with these changes, which do not overlap."""
    pieces, done = [], 0
    for change in sorted(changes, key=lambda one: (one.start, one.end)):
        pieces += [text[done : change.start], change.text]
        done = change.end
    return "".join([*pieces, text[done:]])


def parse_json_text(text: str) -> Node:
    """The value of a text that may have comments and trailing commas.

    Raises:
        JsonTextError: it is something else, or has a key twice.
    """
    start = _skip(text, 0)
    node = _value(text, start, 0)
    end = _skip(text, node.end)
    if end < len(text):
        raise _error(text, end, "the end")
    return node


def _skip(text: str, start: int) -> int:
    space = _SPACE.match(text, start)
    assert space, "BUG: the pattern matches nothing as well"
    return space.end()


def _skip_space(text: str, start: int) -> int:
    """Where the white space ends; a comment is none."""
    while text[start : start + 1] in (" ", "\t", "\r", "\n"):
        start += 1
    return start


def _error(text: str, at: int, expected: str) -> JsonTextError:
    line = text.count("\n", 0, at) + 1
    return JsonTextError(f"expected {expected} in line {line}")


def _value(text: str, start: int, depth: int) -> Node:
    """The value that starts at a position: an object, a list, or anything without parts."""
    if depth > MOST_NESTED_VALUES:
        raise _error(text, start, f"at most {MOST_NESTED_VALUES} levels")
    if text[start : start + 1] == "{":
        return _object(text, start, depth)
    if text[start : start + 1] == "[":
        return _list(text, start, depth)
    scalar = _SCALAR.match(text, start)
    if scalar is None:
        return _no_value(text, start)
    try:
        return Node(start, scalar.end(), json.loads(scalar[0]))
    except ValueError:
        # Also a number that is too long.
        return _no_value(text, start)


def _no_value(text: str, start: int) -> Node:
    raise _error(text, start, "a value")


def _object(text: str, start: int, depth: int) -> Node:
    """The object that starts at a position, with the positions of its members."""
    members: dict[str, tuple[int, Node]] = {}
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        key = _value(text, at, depth + 1)
        if not isinstance(key.value, str) or key.value in members:
            raise _error(text, at, "a key that occurs once")
        colon = _skip(text, key.end)
        if text[colon : colon + 1] != ":":
            raise _error(text, colon, "':'")
        node = _value(text, _skip(text, colon + 1), depth + 1)
        members[key.value] = (at, node)
        at = _next(text, node.end, "}")
    return Node(start, at + 1, {name: node.value for name, (_, node) in members.items()}, members)


def _list(text: str, start: int, depth: int) -> Node:
    items: list[Node] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        items.append(_value(text, at, depth + 1))
        at = _next(text, items[-1].end, "]")
    return Node(start, at + 1, [item.value for item in items], {}, tuple(items))


def _next(text: str, end: int, closing: str) -> int:
    """Where the next value begins, or the closing bracket is."""
    at = _skip(text, end)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise _error(text, at, f"',' or '{closing}'")
    return at


def insert(text: str, node: Node, added: Mapping[str, Any] | Sequence[Any]) -> TextChange:
    """The change that adds members to an object, or items to a list, after those that are there and their comments."""
    newline = _newline(text)
    outer = _indent(text, node.start)
    inner = node.inner
    has_own_lines = bool(inner) and "\n" in text[node.start : inner[0][0]]
    indent = _indent(text, inner[0][0]) if has_own_lines else outer + _step(text)
    if isinstance(added, dict):
        rows = [f"{json.dumps(key, ensure_ascii=False)}: {_write(text, value, indent)}" for key, value in added.items()]
    else:
        rows = [_write(text, value, indent) for value in added]
    new = f"{newline}{indent}" + f",{newline}{indent}".join(rows)
    closing = node.end - 1
    if not inner:
        comments = text[node.start + 1 : closing].rstrip()
        return TextChange(node.start + 1, closing, f"{comments}{new}{newline}{outer}")
    last = inner[-1][1].end
    is_list_on_one_line = "\n" not in text[node.start : node.end] and not node.is_object
    if is_list_on_one_line:
        return TextChange(last, last, "".join(f", {row}" for row in rows))
    has_comma = text[_skip(text, last)] == ","
    tail = text[last:closing]
    comments = tail.rstrip()
    space = tail[len(comments) :]
    end = space if "\n" in space else f"{newline}{outer}"
    # The style of a comma at the end is kept.
    return TextChange(last, closing, f"{comments}{new},{end}" if has_comma else f",{comments}{new}{end}")


def replace(text: str, node: Node, value: object) -> TextChange:
    """The change that puts another value in the place of a node."""
    return TextChange(node.start, node.end, _write(text, value, _indent(text, node.start)))


def remove(text: str, node: Node, gone: Collection[int]) -> list[TextChange]:
    """The changes that remove the members or items with these positions. Comments beside them stay."""
    inner = node.inner
    positions = set(gone)
    # From here on, all go.
    last = len(inner)
    while last - 1 in positions:
        last -= 1
    changes = []
    for position in sorted(positions):
        start, end = inner[position][0], inner[position][1].end
        if position < last:
            comma = _skip(text, end)
            changes += [TextChange(start, end, ""), TextChange(comma, _skip_space(text, comma + 1), "")]
            continue
        before = inner[position - 1][1].end if position else node.start + 1
        kept = before + len(text[before:start].rstrip())
        # What follows must not become a part of a comment.
        is_open = _ends_with_line_comment(text, before, kept) and _END_OF_LINE.match(text, end) is None
        changes.append(TextChange(kept, end, _newline(text) if is_open else ""))
        # Of the commas around the last ones, one stays if the last value had one behind it.
        comma = _skip(text, end)
        if text[comma] == ",":
            changes.append(TextChange(comma, comma + 1, ""))
    if 0 < last < len(inner) and text[_skip(text, inner[-1][1].end)] != ",":
        comma = _skip(text, inner[last - 1][1].end)
        changes.append(TextChange(comma, comma + 1, ""))
    return changes


def has_comments(text: str, node: Node) -> bool:
    """Whether there is a comment inside of a value."""
    return any(match[1] for match in _STRING_OR_COMMENT.finditer(text, node.start, node.end))


def _ends_with_line_comment(text: str, start: int, end: int) -> bool:
    """Whether a range without strings ends with a comment that only the end of its line ends."""
    comments = [(comment[0], comment.end()) for comment in _COMMENT.finditer(text, start, end)]
    return bool(comments) and comments[-1][1] == end and comments[-1][0].startswith("//")


def _write(text: str, value: object, indent: str) -> str:
    """A value as a part of this text, at an indentation."""
    lines = json.dumps(value, indent=_step(text), ensure_ascii=False)
    return lines.replace("\n", f"{_newline(text)}{indent}")


def _newline(text: str) -> str:
    """The line ending of a file."""
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str, at: int) -> str:
    """The white space at the beginning of a line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _step(text: str) -> str:
    """By how much a level is indented in a file."""
    indented = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return indented[1] if indented else "  "
