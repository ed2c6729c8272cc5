"""Calls as FunctionGemma and Gemma 4 write them: names without quotes, and texts between marks of their own::

    <start_function_call>call:edit{path:<escape>src/app.py<escape>,replace_all:true}<end_function_call>
    <|tool_call>call:edit{path:<|"|>src/app.py<|"|>,replace_all:true}<tool_call|>

A text is taken as it is, up to the next mark.
"""

from __future__ import annotations

import re

from .call_arguments import CallError, put_argument
from .format_limits import DEEPEST_ARGUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: The ends of calls, by how these begin.
_ENDS = {"<start_function_call>": "<end_function_call>", "<|tool_call>": "<tool_call|>"}
_CALL = re.compile(rf"(?<!`)({'|'.join(map(re.escape, _ENDS))})\s*call:([\w.:/-]{{1,100}})\{{(?!\s*\")")
_MARK = re.compile(r'<escape>|<\|"\|>')
_NAME = re.compile(r"\s*([\w.-]{1,100})\s*:\s*")
_WORD = re.compile(r"[^,\[\]{}<>\s][^,\[\]{}<>]{0,1000}")
_SPACE = re.compile(r"\s*")
_LITERALS = {"true": True, "false": False, "null": None, "none": None}


def gemma_call(line: str) -> tuple[str, str] | None:
    """The tool that a line calls, and the end of the call."""
    call = _CALL.search(line) if "call:" in line else None
    return (call[2], _ENDS[call[1]]) if call else None


def gemma_calls(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls in a text: the name of each tool and its arguments.

    Raises:
        CallError: a text is not closed, or something else is where an argument is needed.
    """
    at = 0
    while call := _CALL.search(text, at):
        arguments, at = _object(text, call.end(), 0)
        yield call[2], arguments


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    """An object whose opening bracket is before a place, and the place behind it."""
    members: dict[str, Any] = {}
    while not _is_at("}", text, at):
        name = _NAME.match(text, at)
        if name is None:
            raise _unreadable(text, at)
        value, at = _value(text, name.end(), depth)
        put_argument(members, name[1], value)
        at = _behind_comma(text, at)
    return members, text.index("}", at) + 1


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    """A list whose opening bracket is before a place, and the place behind it."""
    items: list[Any] = []
    while not _is_at("]", text, at):
        value, at = _value(text, at, depth)
        items.append(value)
        at = _behind_comma(text, at)
    return items, text.index("]", at) + 1


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """A value from a place on, and the place behind it."""
    at = _behind_space(text, at)
    if depth > DEEPEST_ARGUMENT:
        raise _unreadable(text, at)
    if text[at : at + 1] == "{":
        return _object(text, at + 1, depth + 1)
    if text[at : at + 1] == "[":
        return _list(text, at + 1, depth + 1)
    if mark := _MARK.match(text, at):
        end = text.find(mark[0], mark.end())
        if end < 0:
            raise _unreadable(text, at)
        return text[mark.end() : end], end + len(mark[0])
    word = _WORD.match(text, at)
    if word is None:
        raise _unreadable(text, at)
    plain = word[0].strip()
    if plain.removeprefix("-").isdecimal() and len(plain) < 12:
        return int(plain), word.end()
    return _LITERALS.get(plain.lower(), plain), word.end()


def _behind_comma(text: str, at: int) -> int:
    at = _behind_space(text, at)
    return at + 1 if text[at : at + 1] == "," else at


def _behind_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None, "BUG: it matches any text"
    return space.end()


def _is_at(bracket: str, text: str, at: int) -> bool:
    """Whether a bracket is at a place, maybe behind space."""
    return text.startswith(bracket, _behind_space(text, at))


def _unreadable(text: str, at: int) -> CallError:
    where = text[at : at + 40].strip()
    return CallError(f"The call has something that can't be read as an argument, at {where!r}.")
