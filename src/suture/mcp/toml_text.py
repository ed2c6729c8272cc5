"""Changes to the text of a TOML file: our tables and settings are added or removed, every other line stays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..core.line_diff import split_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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


def without(text: str, settings: Collection[str], tables: Collection[str]) -> str:
    """A text without some settings of the top, and without some tables and what is below them.

    A blank line that `with_added` put beside them goes too. Comments below a table belong to what follows it.
    """
    kept: list[str] = []
    #: Blank lines and comments since the last row of a table of ours.
    beside: list[str] = []
    table = ""
    was_ours = False
    for line in split_lines(text):
        is_header = _HEADER.match(line) is not None
        if is_header:
            table = line.strip().lstrip("[").partition("]")[0].strip()
        is_ours = any(table == one or table.startswith(f"{one}.") for one in tables)
        if is_ours:
            if is_header and not was_ours and kept and not kept[-1].strip():
                kept.pop()
            if _is_beside(line):
                beside.append(line)
            else:
                beside.clear()
        elif not table and line.partition("=")[0].strip() in settings:
            was_ours = True
            continue
        elif not table and was_ours and not line.strip() and (not kept or not kept[-1].strip()):
            was_ours = False
            continue
        else:
            kept += [*beside, line]
            beside.clear()
        was_ours = is_ours
    return "".join([*kept, *beside])


def _is_beside(line: str) -> bool:
    """Whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def with_added(text: str, content: Mapping[str, Any]) -> str:
    """A text with settings behind those of its top, and with tables at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    settings = write_toml({key: value for key, value in content.items() if not isinstance(value, dict)})
    tables = write_toml({key: value for key, value in content.items() if isinstance(value, dict)})
    lines = split_lines(text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    if settings:
        place = _end_of_settings(lines)
        lines_above, lines_below = lines[:place], lines[place:]
        lines = [*lines_above, settings.replace("\n", newline), *lines_below]
        is_apart = not lines_above or not lines_above[-1].strip()
        if lines_below and is_apart:
            lines.insert(place + 1, newline)
    if lines and tables:
        lines.append(newline)
    return "".join([*lines, tables.replace("\n", newline)])


def _end_of_settings(lines: Sequence[str]) -> int:
    """The number of the line that a setting of the top is added before: comments of the first table stay with it."""
    end = next((number for number, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    settings = [number for number in range(end) if not _is_beside(lines[number])]
    if settings:
        return settings[-1] + 1
    if end == len(lines):
        return end
    return max([number + 1 for number in range(end) if not lines[number].strip()], default=0)
