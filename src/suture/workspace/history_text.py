"""The text by which the history keeps a patch or an edit."""

from __future__ import annotations

from ..core.patch import Patch
from ..core.problems import PatchInvalidError, Problem
from ..format.patch_parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect


def parse_patch(patch: str | Patch, dialect: Dialect, text: str | None = None) -> tuple[Patch, str]:
    """A patch as a value, and its text: `text`, or the patch as it was sent, or rendered.

    Raises:
        PatchInvalidError: it can't be read, or it has no sections.
    """
    if not isinstance(patch, Patch):
        return parse(patch, dialect), patch if text is None else text
    if not patch.operations:
        raise PatchInvalidError([Problem("patch_parse_error", "The patch has no sections, so it does nothing.")])
    if text is not None:
        return patch, text
    from ..format.writer import render

    try:
        return patch, render(patch)
    except ValueError:
        # No envelope can express it.
        from ..format.write_forms import write_json

        try:
            return patch, write_json(patch)
        except ValueError:
            return patch, repr(patch)


def edit_text(path: str, edits: Sequence[object]) -> str:
    """String edits of one file as text."""
    from json import dumps

    from ..core.json_values import to_data

    return dumps({"path": path, "edits": to_data(edits)}, ensure_ascii=False, default=str)
