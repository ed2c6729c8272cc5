"""Whether a context line that differs from the file's line shows that the edit was applied already."""

from __future__ import annotations

from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place import Place


def has_added_line_for_kept_one(place: Place, body: str) -> bool:
    """Whether the file has an added line in place of a context line right beside it, which it has otherwise.

    The context line should have been a removed one, which was replaced already.
    """
    fold = FOLDS["whitespace"]
    file_lines = iter(place.file_lines(body))
    # The file's version of the context line above, if it is another one, and the lines added since then.
    above: str | None = None
    added: set[str] = set()
    for line in place.hunk.lines:
        if line.startswith("+"):
            added.add(line[1:].strip())
            continue
        there = next(file_lines) or ""
        if line.startswith("-"):
            continue
        is_other = is_distinctive(there) and fold(there) != fold(line[1:])
        below = there.strip() if is_other else None
        if above in added or below in added:
            return True
        above, added = below, set()
    return above in added
