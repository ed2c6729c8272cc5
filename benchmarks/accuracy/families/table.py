"""All families, by the name that `--family` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import anchored_hunks, one_line_off, opposites, pristine_diffs, quoted_escapes, resent_edits

if TYPE_CHECKING:
    from .family import Family

FAMILIES: dict[str, Family] = {
    "anchors": anchored_hunks.FAMILY,
    "diffs": pristine_diffs.FAMILY,
    "opposites": opposites.FAMILY,
    "one-line-off": one_line_off.FAMILY,
    "escapes": quoted_escapes.FAMILY,
    "resent": resent_edits.FAMILY,
}
