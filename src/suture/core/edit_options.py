"""How texts are read and what an edit may bring into them: one value for everything that makes edits.

The functions on texts, `Workspace` and `apply_in_memory` take an `EditOptions`, or its fields as keywords.
"""

from __future__ import annotations

from .common_limits import LARGEST_CONTENT
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class EditSettings(TypedDict, total=False):
        """The fields of `EditOptions` as keywords."""

        encoding: str | None
        max_size: int
        allow_control: bool
        allow_placeholders: bool
        allow_syntax_errors: bool
        skip_applied: bool


class EditOptions(Value):
    """How an edit is made: the encoding of the text, and what the result may have.

    Args:
        encoding: The encoding of bytes without a BOM; by default UTF-8. It is never guessed.
        max_size: The size in bytes of the largest text that is read or written.
        allow_control: Whether an edit may add control characters.
        allow_placeholders: Whether an edit may add comments that stand for code left out.
        allow_syntax_errors: Whether an edit that was found loosely may leave a text that no longer parses.
        skip_applied: Whether hunks, edits of a list and files that have already been applied are skipped, with a note.
    """

    encoding: str | None = None
    max_size: int = LARGEST_CONTENT
    allow_control: bool = False
    allow_placeholders: bool = False
    allow_syntax_errors: bool = False
    skip_applied: bool = False


#: What is used where nothing is set.
DEFAULT_OPTIONS = EditOptions()
