"""A change that carries no text to find × a content → the content after it. One function for each kind of change."""

from __future__ import annotations

from ..core.text_changes import ChangeCell, InsertDefinition, ReplaceDefinition, Sketch
from .change_cells import change_cell
from .change_definitions import change_definition
from .change_lines import ChangedText, change_lines
from .limits import LONGEST_PARSED, READS_PER_NOTEBOOK, READS_PER_PARSE
from .sketch_parts import has_marker
from .sketches import apply_sketch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.edit_options import EditOptions
    from ..core.text_changes import TextChange


def reads_of(change: TextChange, length: int) -> int:
    """As how many characters that are read a change of a content of this length counts."""
    if isinstance(change, ChangeCell):
        return READS_PER_NOTEBOOK * length
    if isinstance(change, ReplaceDefinition | InsertDefinition | Sketch):
        return READS_PER_PARSE * min(length, LONGEST_PARSED)
    return length


def change_text(content: bytes, change: TextChange, *, path: str, options: EditOptions, is_known: bool) -> ChangedText:
    """The content after a change. With `is_known`, line numbers and the like are about this very content.

    Raises:
        PatchRejectedError: it has no certain place.
    """
    file: dict[str, Any] = {"path": path, "encoding": options.encoding, "max_size": options.max_size}
    if isinstance(change, ChangeCell):
        return ChangedText(change_cell(content, change, is_known=is_known, **file))
    if isinstance(change, Sketch):
        return ChangedText(apply_sketch(content, change.text, allow_control=options.allow_control, **file))
    allowed: dict[str, Any] = {
        "allow_control": options.allow_control,
        "allow_placeholders": options.allow_placeholders,
    }
    if isinstance(change, ReplaceDefinition | InsertDefinition):
        return ChangedText(change_definition(content, change, **file, **allowed))
    skip_applied = options.skip_applied
    return change_lines(content, change, is_known=is_known, skip_applied=skip_applied, **file, **allowed)


def is_whole_file(change: TextChange, path: str) -> bool:
    """Whether a change is all of a file that does not exist yet: code without a marker for lines that stay."""
    return isinstance(change, Sketch) and not has_marker(change.text, path)
