"""Whether a context line that differs from the file's line shows that the edit was applied already."""

from __future__ import annotations

from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place import Place


def has_added_line_for_kept_one(place: Place, body: str) -> bool:
    """Whether a context line differs from the file's line, and that one is a line which the hunk adds right beside it.

    The context line should then have been a removed one, and the file already has its replacement.
    """
    fold = FOLDS["whitespace"]
    file_lines = iter(place.file_lines(body))
    # The file's line for the nearest context line above, if the two differ, and the lines that are added below it.
    different_above: str | None = None
    added: set[str] = set()
    for line in place.hunk.lines:
        kind, content = line[0], line[1:]
        if kind == "+":
            added.add(content.strip())
            continue
        file_line = next(file_lines) or ""
        if kind == "-":
            continue
        is_different = is_distinctive(file_line) and fold(file_line) != fold(content)
        different_below = file_line.strip() if is_different else None
        if different_above in added or different_below in added:
            return True
        different_above, added = different_below, set()
    return different_above in added
