"""The difference of two notebooks as a reader sees it: the source of cells, not the JSON.

Where both texts are at hand, `notebook_diff` has the cells with their names. Where there are only the hunks of a file,
as in a request or in the history, `cell_hunks` has the same lines with the source as it is in a cell.

It is used only where it hides nothing: where anything but sources changes in a cell that stays, or a new cell has more
than a source, the difference of the JSON is the one to show.
"""

from __future__ import annotations

import re
from json import dumps, loads

from ..core.line_diff import changed_blocks
from ..core.notebook import Notebook, render_cells, rule_of
from ..core.paths import NOTEBOOK
from ..core.write_diff import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from ..core.line_hunks import LineHunk

    Cell: TypeAlias = dict[str, Any]

#: What the header of a hunk says if it shows the source of cells.
SOURCE_LABEL = "source of a cell"
#: A line of a list of strings, and one that begins a list.
_ITEM = re.compile(r'[ \t]*("(?:[^"\\]|\\.)*"),?\r?\n?')
_LIST = re.compile(r'[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*:[ \t]*\[\s*$')
#: What a new cell may have besides its source, and the values that say nothing.
_NEW_CELL: dict[str, tuple[Any, ...]] = {"metadata": ({},), "outputs": ([],), "execution_count": (None,)}


def notebook_diff(before: str, after: str, path: str) -> str:
    """A unified diff of the cells of two notebooks; empty if a text is none, or if more than their sources differ."""
    try:
        old, new = Notebook(before), Notebook(after)
        was, is_now = (loads(text, object_pairs_hook=_without_doubles) for text in (before, after))
        if not _differ_in_sources_alone(was, is_now):
            return ""
    except (ValueError, RecursionError):
        return ""
    rule = rule_of(old, new)
    return unified_diff(render_cells(old, rule), render_cells(new, rule), path)


def _without_doubles(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two members with one name, a reader would see only the last.

    Raises:
        ValueError: there are such.
    """
    if len(dict(members)) < len(members):
        message = "a name occurs twice"
        raise ValueError(message)
    return dict(members)


def _differ_in_sources_alone(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether all else is the same: cells that stay, and what is around the cells."""
    if _written({**before, "cells": []}) != _written({**after, "cells": []}):
        return False
    old, new = before["cells"], after["cells"]
    blocks = changed_blocks([*map(_written, old)], [*map(_written, new)])
    changed = [(old[start:end], new[new_start:new_end]) for start, end, new_start, new_end in blocks]
    if _have_names(old) and _have_names(new):
        return all(_is_told_by_name(gone, added) for gone, added in changed)
    return all(_is_told_in_order(gone, added) for gone, added in changed)


def _have_names(cells: list[Cell]) -> bool:
    """Whether each cell has an id of its own, which is shown: what is not shown of it goes where it goes."""
    names = [cell.get("id") for cell in cells]
    return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)


def _is_told_by_name(gone: list[Cell], added: list[Cell]) -> bool:
    """Whether ids and sources tell how some cells became others."""
    known = {*map(_without_source, gone)}
    return all(_without_source(cell) in known or _is_plain(cell) for cell in added)


def _is_told_in_order(gone: list[Cell], added: list[Cell]) -> bool:
    """Whether sources alone tell how some cells became others: nothing but its place says which cell is which."""
    if not added or [*map(_without_source, gone)] == [*map(_without_source, added)]:
        return True
    return all(map(_is_plain, [*gone, *added]))


def _is_plain(cell: Cell) -> bool:
    """Whether a new cell has nothing but a source, a kind and an id, which are shown."""
    rest = {name: value for name, value in cell.items() if name not in ("source", "cell_type", "id")}
    return all(name in _NEW_CELL and value in _NEW_CELL[name] for name, value in rest.items())


def _without_source(cell: Cell) -> str:
    return _written({name: value for name, value in cell.items() if name != "source"})


def _written(value: dict[str, Any]) -> str:
    """A value as a text: in Python, `1` and `true` are equal."""
    return dumps(value, sort_keys=True)


def cell_hunks(path: str, hunks: Sequence[LineHunk]) -> tuple[LineHunk, ...]:
    """The hunks of a file as people see them: in a notebook, lines of a source as they are in the cell.

    Each line stays the one that it is in the file. A line of a source that has no newline is shown like the end of a
    file that has none.
    """
    return tuple(map(_cell_hunk, hunks)) if path.endswith(NOTEBOOK) else tuple(hunks)


def _cell_hunk(hunk: LineHunk) -> LineHunk:
    """A hunk of a notebook with the lines of sources as they are in their cells."""
    lines: list[str] = []
    # The name of the list that a line is in; a hunk that begins inside of one is most likely in a source.
    list_name = "source"
    for line in hunk.lines:
        sign, text = line[0], line[1:]
        opened = _LIST.match(text)
        if opened is not None:
            list_name = opened[1]
        elif text.strip().startswith(("]", "}")):
            list_name = ""
        source_line = _source_line(text) if list_name == "source" else None
        lines.append(line if source_line is None else sign + source_line)
    if tuple(lines) == hunk.lines:
        return hunk
    return hunk.replace(lines=tuple(lines), heading=SOURCE_LABEL)


def _source_line(line: str) -> str | None:
    """A line of a source as it is in its cell; None if it is something else, or not one line."""
    item = _ITEM.fullmatch(line)
    if item is None:
        return None
    try:
        text = loads(item[1])
    except ValueError:
        return None
    is_plain = not any("\ud800" <= character <= "\udfff" for character in text)
    return text if is_plain and len(text.splitlines()) <= 1 and "\n" not in text[:-1] else None
