"""Changes to the text of a JSON file that leave everything else as it is: order, indentation and comments.

Settings of editors have comments and trailing commas, which `json` does not read and would not write back. So the text
is parsed into nodes that know their places, and a change is a replacement of a few characters.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..core.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: White space and comments between the tokens of a file.
_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null')
#: How deep values may be nested. A deeper file is not a file of settings.
MOST_NESTED = 100


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
    for change in sorted(changes, key=lambda one: (one.start, one.end), reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


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
    found = _SPACE.match(text, start)
    assert found, "BUG: the pattern matches nothing as well"
    return found.end()


def _error(text: str, at: int, expected: str) -> JsonTextError:
    line = text.count("\n", 0, at) + 1
    return JsonTextError(f"expected {expected} in line {line}")


def _value(text: str, start: int, depth: int) -> Node:
    if depth > MOST_NESTED:
        raise _error(text, start, f"at most {MOST_NESTED} levels")
    if text[start : start + 1] == "{":
        return _object(text, start, depth)
    if text[start : start + 1] == "[":
        return _list(text, start, depth)
    found = _SCALAR.match(text, start)
    try:
        return Node(start, found.end(), json.loads(found[0])) if found else _no_value(text, start)
    except json.JSONDecodeError:
        return _no_value(text, start)


def _no_value(text: str, start: int) -> Node:
    raise _error(text, start, "a value")


def _object(text: str, start: int, depth: int) -> Node:
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
    """The change that adds members to an object, or items to a list, after those that are there."""
    outer = _indent(text, node.start)
    inner = node.inner
    step = _step(text)
    indent = _indent(text, inner[0][0]) if inner and "\n" in text[node.start : inner[0][0]] else outer + step
    if isinstance(added, dict):
        rows = [f"{json.dumps(key, ensure_ascii=False)}: {_write(value, indent, step)}" for key, value in added.items()]
    else:
        rows = [_write(value, indent, step) for value in added]
    new = f",\n{indent}".join(rows)
    if not inner:
        return TextChange(node.start + 1, node.end - 1, f"\n{indent}{new}\n{outer}")
    last = inner[-1][1].end
    if "\n" not in text[node.start : node.end] and not node.is_object:
        return TextChange(last, last, "".join(f", {row}" for row in rows))
    closing = "" if "\n" in text[last : node.end] else f"\n{outer}"
    comma = _skip(text, last)
    if text[comma] == ",":
        # There is a comma already, and its style is kept.
        return TextChange(comma + 1, comma + 1, f"\n{indent}{new},{closing}")
    return TextChange(last, last, f",\n{indent}{new}{closing}")


def replace(text: str, node: Node, value: object) -> TextChange:
    """The change that puts another value in the place of a node."""
    return TextChange(node.start, node.end, _write(value, _indent(text, node.start), _step(text)))


def remove(node: Node, gone: Sequence[int]) -> list[TextChange]:
    """The changes that remove the members or items with these positions. At least one has to stay."""
    inner = node.inner
    changes = []
    for position in gone:
        start, end = inner[position][0], inner[position][1].end
        if all(later in gone for later in range(position, len(inner))):
            # The last ones: the comma before them goes, and one after them stays.
            start = inner[position - 1][1].end
        else:
            end = inner[position + 1][0]
        changes.append(TextChange(start, end, ""))
    return changes


def _write(value: object, indent: str, step: str) -> str:
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"\n{indent}")


def _indent(text: str, at: int) -> str:
    """The white space at the beginning of a line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _step(text: str) -> str:
    """By how much a level is indented in a file."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else "  "
