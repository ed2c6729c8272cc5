"""Where an edit belongs, and the new text, in memory. Pure: texts in, places, refusals and new texts out."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.match import Match as Match
    from ..core.string_edits import AppliedEdit as AppliedEdit, Span as Span
    from .change_definitions import (
        insert_definition as insert_definition,
        replace_definition as replace_definition,
    )
    from .replace import MultiEdit as MultiEdit, Replacement as Replacement
    from .update import Update as Update

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            ".core.string_edits": "AppliedEdit Span",
            "change_definitions": "insert_definition replace_definition",
            "replace": "MultiEdit Replacement",
            ".core.match": "Match",
            "update": "Update",
        },
    )
