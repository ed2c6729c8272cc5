"""Hunks of changes, written as in a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suture.core.stored_diff import read_stored_diff

if TYPE_CHECKING:
    from suture.core.line_hunks import LineHunk


def hunks_of(*texts: str) -> tuple[LineHunk, ...]:
    """The hunks of these texts, each with its `@@` line."""
    return read_stored_diff("".join(texts))
