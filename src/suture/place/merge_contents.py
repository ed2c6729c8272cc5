"""Three contents of a file, merged: what `rebase` does with texts, for bytes in any encoding."""

from __future__ import annotations

from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..words.merge_conflict import MergeConflict, conflict_problem
from .limits import MOST_RANGES
from .rebase import merge_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..core.string_edits import StringEdit
    from .merge_lines import LineRange


class MergedContent(Value):
    """A merged content, of the type that was given, and the lines of it that each side has written.

    Ranges are of line numbers from 1, inclusive; where lines were removed, it is the line that is there now.
    """

    content: Any
    file_lines: tuple[tuple[int, int], ...]
    edit_lines: tuple[tuple[int, int], ...]
    #: Whether the file's change is one of layout alone.
    is_layout: bool


def merge_contents(
    base: str | bytes,
    current: str | bytes,
    edited: str | bytes,
    path: str = "",
    encoding: str | None = None,
    replaced: Iterable[str] = (),
) -> MergedContent:
    """What `edited` does to `base`, done to `current`. All three are str, or all are bytes.

    `replaced` are texts of which the edit replaces every occurrence.

    Raises:
        PatchRejectedError: the two changes of the base meet or do not fit together (`conflict`), or it is not text.
    """
    base_text, current_text, edited_text = [Text(content, encoding, path) for content in (base, current, edited)]
    if edited in (current, base):
        return MergedContent(current, (), (), is_layout=False)
    if current == base:
        return MergedContent(edited, (), (), is_layout=False)
    # A byte order mark that one side has added or removed is no part of any line.
    edit_keeps_mark = bool(edited_text.bom) == bool(base_text.bom)
    target = current_text if edit_keeps_mark else edited_text
    merged = merge_texts(base_text.raw, current_text.raw, edited_text.raw, path, replaced)
    if isinstance(merged, MergeConflict):
        raise PatchRejectedError([conflict_problem(merged, path)])
    count = merged.text.count("\n") + 1
    file_lines, edit_lines = _numbered(merged.current, count), _numbered(merged.edited, count)
    return MergedContent(target.content(merged.text), file_lines, edit_lines, merged.is_layout)


def _numbered(ranges: Iterable[LineRange], count: int) -> tuple[tuple[int, int], ...]:
    """Ranges of indices as line numbers, in a text of so many lines. An empty one is the line that is there now."""
    numbered: list[tuple[int, int]] = []
    for start, end in ranges:
        first = min(start + 1, count)
        numbered.append((first, max(first, end)))
    return tuple(numbered)


def rebased_concession(merged: MergedContent) -> Concession:
    """The concession for a merge, with the lines of both sides."""
    sides = ("file", ranges_text(merged.file_lines)), ("edit", ranges_text(merged.edit_lines))
    # A change of all line endings, or of a byte order mark, is one of no line.
    return Concession("rebased", about=", ".join([f"of the {side} {lines or 'none'}" for side, lines in sides]))


def replaced_texts(edits: Iterable[StringEdit]) -> tuple[str, ...]:
    """The texts of which edits replace every occurrence."""
    return tuple([edit.old for edit in edits if edit.replace_all])


def ranges_text(ranges: Iterable[tuple[int, int]]) -> str:
    """Ranges in words: `3-5, 9`; of many, the first."""
    texts = [f"{first}-{last}" if first < last else f"{first}" for first, last in ranges]
    return ", ".join(texts[:MOST_RANGES]) + (" and more" if len(texts) > MOST_RANGES else "")
