"""TOML as data, read like hostile input: a short text can't take long, and what can't be read is an error."""

from __future__ import annotations

from tomllib import loads

from .common_limits import MOST_KEY_WORK, MOST_NESTED_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a text.

    Raises:
        ValueError: it is not TOML, or can't be read in reasonable time.
    """
    if sum([line.count(".") ** 2 for line in text.split("\n")]) > MOST_KEY_WORK:
        message = "its keys have too many parts"
        raise ValueError(message)
    try:
        content = loads(text)
    except RecursionError:
        content = None
    if content is None or _is_too_deep(content):
        message = "it is nested too deeply"
        raise ValueError(message)
    return content


def _is_too_deep(content: dict[str, Any]) -> bool:
    """Whether tables are nested more than `MOST_NESTED` times: keys with dots nest without any bracket."""
    level: list[Any] = [content]
    for _ in range(MOST_NESTED_TABLES):
        level = [value for table in level for value in _values_of(table)]
        if not level:
            return False
    return True


def _values_of(value: object) -> Collection[object]:
    """What is inside a table or a list; nothing in any other value."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
