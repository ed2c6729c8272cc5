"""The new text of a string edit, in the terms of the place that was found for it.

Where whole lines were found at another depth, the lines that come in are moved to the file's. That is decided by all
of the edit: a new text that is at the file's depth already stays as it is, and a first line that was written without
its indentation, as a quotation begins, says nothing of the others.
"""

from __future__ import annotations

from .indentation import shift_between, split_indent, unchanged
from .place import Place
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .edit_readings import EditReading


def fit_replacement(place: Place, wanted: EditReading, body: str) -> Place:
    """The place with the edit's added lines at the file's depth, where the edit itself says which that is."""
    theirs = place.file_lines(body)
    if any(line is None for line in theirs):
        return place
    lines = [line for line in theirs if line is not None]
    old, new = wanted.hunk.old, wanted.hunk.new
    if _is_at_depth(old, new, lines):
        return _with_added(place, unchanged, "")
    pairs = list(zip(old, lines, strict=True))
    if (
        shift_between(pairs, ()) is None
        and len(old) > 1
        and _is_slip(split_indent(old[0])[0], split_indent(lines[0])[0])
    ):
        rest = shift_between(pairs[1:], ())
        if rest is not None:
            return _with_added(place, rest, split_indent(lines[0])[0], old[0] if old else "")
    return place


def _is_slip(written: str, found: str) -> bool:
    """Whether the depth of a first line says nothing of the others: it was left out, or is one column off."""
    return not written or abs(len(written) - len(found)) == 1


def _is_at_depth(old: Sequence[str], new: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the new text has the file's indentation although the old one has not."""
    known, written = ({line.rstrip() for line in some} for some in (lines, old))
    telling = [line.rstrip() for line in new if is_distinctive(line)]
    as_file = sum(line in known and line not in written for line in telling)
    as_old = sum(line in written and line not in known for line in telling)
    if as_file or as_old:
        return not as_old
    first = [next((split_indent(line)[0] for line in some if line.strip()), "") for some in (old, new, lines)]
    depths = {split_indent(line)[0] for line in old if line.strip()}
    # A depth that the old text has too says nothing.
    return first[2] == first[1] and first[1] not in depths


def _with_added(place: Place, shift: Callable[[str], str], first: str, old_first: str | None = None) -> Place:
    """The place with its added lines shifted; the first line of the new text gets the indentation `first`."""
    lines: list[str] = []
    at_first = old_first is not None
    for line in place.hunk.lines:
        if line[0] == "+":
            indent, rest = split_indent(line[1:])
            as_first = at_first and indent == split_indent(old_first or "")[0]
            depth = first if as_first else shift(indent)
            lines.append("+" + (depth + rest if rest else line[1:]))
        else:
            lines.append(line)
        at_first = at_first and line[0] == "-"
    changed = tuple(lines) != place.hunk.lines
    notes = (*place.notes, "indentation_shifted") if changed else place.notes
    hunk = place.hunk.replace(lines=tuple(lines))
    return Place(hunk, place.start, place.tier, notes, place.rows, place.score, fitted=True)
