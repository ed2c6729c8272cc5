"""The difference of two notebooks as a reader sees it: the source of cells, not the JSON.

It is used only where it hides nothing: where metadata or outputs of a cell that stays change, the difference of the
JSON is the one to show.
"""

from __future__ import annotations

from json import loads

from ..core.notebook import Notebook, render_cells
from .write_diff import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def notebook_diff(before: str, after: str, path: str) -> str:
    """A unified diff of the cells of two notebooks; empty if a text is none, or if more than their sources differ."""
    try:
        old, new = Notebook(before), Notebook(after)
    except ValueError:
        return ""
    if not _differ_in_sources_alone(loads(before), loads(after)):
        return ""
    return unified_diff(render_cells(old), render_cells(new), path)


def _differ_in_sources_alone(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether all else is the same: cells that stay, by their ids or numbers, and what is around the cells."""
    if {**before, "cells": []} != {**after, "cells": []}:
        return False
    known = [_without_source(cell) for cell in before["cells"]]
    for cell in map(_without_source, after["cells"]):
        is_new = cell.get("metadata") == {} and not cell.get("outputs")
        if cell in known:
            known.remove(cell)
        elif not is_new:
            return False
    return True


def _without_source(cell: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name != "source"}
