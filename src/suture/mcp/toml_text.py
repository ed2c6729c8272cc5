"""Changes to the text of a TOML file: our tables and settings are added or removed, every other line stays."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_HEADER = re.compile(r"^[ \t]*\[")


def write_toml(content: Mapping[str, Any]) -> str:
    """Settings, then tables. Strings, numbers, truth values and lists of strings are written as in JSON."""
    settings = [f"{key} = {_plain(value)}\n" for key, value in content.items() if not isinstance(value, dict)]
    tables = [_table(key, value) for key, value in content.items() if isinstance(value, dict)]
    return "\n".join([*(["".join(settings)] if settings else []), *tables])


def _table(name: str, table: Mapping[str, Any]) -> str:
    """A table; one that has only tables is left out itself."""
    rows = [f"{key} = {_plain(value)}\n" for key, value in table.items() if not isinstance(value, dict)]
    inner = [_table(f"{name}.{key}", value) for key, value in table.items() if isinstance(value, dict)]
    return "\n".join([*([f"[{name}]\n{''.join(rows)}"] if rows else []), *inner])


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a text.

    Raises:
        ValueError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        message = "it is nested too deeply"
        raise ValueError(message) from None


def without(text: str, settings: Collection[str], tables: Collection[str]) -> str:
    """A text without some settings of the top, and without some tables and what is below them."""
    kept: list[str] = []
    table = ""
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line):
            table = line.strip().lstrip("[").partition("]")[0].strip()
        is_ours = any(table == one or table.startswith(f"{one}.") for one in tables)
        if not table and line.partition("=")[0].strip() in settings:
            is_ours = True
        if not is_ours:
            kept.append(line)
    return "".join(kept)


def with_added(text: str, content: Mapping[str, Any]) -> str:
    """A text with settings before its first table, and with tables at its end."""
    lines = text.splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    head, tail = "".join(lines[:first]), "".join(lines[first:])
    settings = write_toml({key: value for key, value in content.items() if not isinstance(value, dict)})
    tables = write_toml({key: value for key, value in content.items() if isinstance(value, dict)})
    if settings:
        head = f"{head.rstrip()}\n{settings}".lstrip() + "\n"
    parts = [part for part in ((head + tail).strip("\n"), tables.strip("\n")) if part]
    return "\n\n".join(parts) + "\n"
