"""The text by which the history keeps a patch or an edit; one that does nothing is refused."""

from __future__ import annotations

from contextlib import suppress

from ..core.json_values import to_data
from ..core.patch import Patch
from ..core.problems import PatchInvalidError, Problem
from ..format.patch_parser import parse
from .globs import excluder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.dialect import Dialect


def parse_patch(
    patch: str | Patch, dialect: Dialect, text: str | None = None, exclude: Iterable[str] = (), path: str = ""
) -> tuple[Patch, str]:
    """A patch as a value without the files that globs exclude, and its text: `text`, or as it was sent, or rendered.

    `path` is the file of edits that name none.

    Raises:
        PatchInvalidError: it can't be read, or it has no sections.
    """
    is_excluded = excluder(exclude)
    if not isinstance(patch, Patch):
        return parse(patch, dialect, exclude=is_excluded, path=path), patch if text is None else text
    if not patch.operations:
        raise PatchInvalidError([Problem("patch_parse_error", "The patch has no sections, so it does nothing.")])
    if is_excluded is not None:
        from ..format.stream_parser import without_excluded

        patch = without_excluded(patch, is_excluded)
    if text is not None:
        return patch, text
    from ..format.writer import render

    try:
        return patch, render(patch)
    except ValueError:
        # No envelope can express it.
        from ..words.conversion import convert

    for form in ("unified", "json"):
        with suppress(ValueError):
            return patch, convert(patch, form, is_checked=True)
    return patch, repr(patch)


def edit_text(path: str, edits: Sequence[object]) -> str:
    """String edits of one file as text."""
    from json import dumps

    return dumps({"path": path, "edits": to_data(edits)}, ensure_ascii=False, default=str)


def check_edits(edits: Sequence[object], path: str) -> None:
    """Refuse edits that can't change anything, such as one with two equal texts, before their path is looked at.

    Raises:
        PatchRejectedError: there are none, one of them is not an edit, or one can't change anything.
    """
    from ..place.replace import read_edits

    read_edits(edits, path)
