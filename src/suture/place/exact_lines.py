"""Hunks of a diff that say how their lines end, applied byte for byte at their own line numbers, as git does.

This is for what the lines of a hunk alone can't say: that line endings or a byte order mark change, or that a file has
several kinds of line endings. A diff ends lines at LF only, so a CR is part of its line.
"""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk


class ExactHunk(Value):
    """The lines before and after a hunk as bytes with their ends, and the row, from 0, at which each side begins."""

    old: list[bytes]
    new: list[bytes]
    old_row: int
    new_row: int
    #: Whether the file ends with the hunk: it has less context below its changes than above them.
    is_at_end: bool


def apply_exactly(content: bytes, hunks: Sequence[Hunk], *, is_pristine: bool) -> bytes | None:
    """The content after the hunks, if the old lines of all are exactly at their numbers; None if not.

    Unless the content is known to be the one that the diff was made for, they must be nowhere else. A diff is UTF-8, so
    the content must be, too, unless the hunks are ASCII.
    """
    exact = _exact_hunks(hunks)
    if exact is None:
        return None
    if not is_pristine and not all(_is_only_place(content, hunk.old) for hunk in exact):
        return None
    adds_ascii_only = all(line.isascii() for hunk in exact for line in hunk.new)
    if not adds_ascii_only and not _is_utf8(content):
        return None
    lines = _lines(content)
    result: list[bytes] = []
    done = 0
    for hunk in exact:
        if hunk.old_row < done or not _is_at(lines, hunk.old, hunk.old_row, is_at_end=hunk.is_at_end):
            return None
        result += lines[done : hunk.old_row]
        result += hunk.new
        done = hunk.old_row + len(hunk.old)
    return b"".join([*result, *lines[done:]])


def is_applied_exactly(content: bytes, hunks: Sequence[Hunk]) -> bool:
    """Whether the new lines of all hunks are exactly at their new numbers."""
    exact = _exact_hunks(hunks)
    if exact is None:
        return False
    lines = _lines(content)
    return all(_is_at(lines, hunk.new, hunk.new_row, is_at_end=hunk.is_at_end) for hunk in exact if hunk.new)


def _exact_hunks(hunks: Sequence[Hunk]) -> list[ExactHunk] | None:
    """The hunks as bytes; None if one has no line number or no exact lines."""
    exact: list[ExactHunk] = []
    growth = 0
    for hunk in hunks:
        if hunk.line_hint is None or hunk.anchors or not hunk.exact:
            return None
        try:
            old, new = _sides(hunk.exact)
        except UnicodeEncodeError:
            return None
        # A hunk without old lines names the line before it.
        row = max(0, hunk.line_hint - 1) if old else hunk.line_hint
        kinds = "".join([line[0] for line in hunk.exact if line[0] != "\\"])
        context_above = len(kinds) - len(kinds.lstrip(" "))
        context_below = len(kinds) - len(kinds.rstrip(" "))
        exact.append(ExactHunk(old, new, row, row + growth, is_at_end=context_below < context_above))
        growth += len(new) - len(old)
    return exact


def _sides(lines: Sequence[str]) -> tuple[list[bytes], list[bytes]]:
    """The lines before and after, each with its end."""
    old: list[bytes] = []
    new: list[bytes] = []
    #: The sides that the line before belongs to.
    sides: list[list[bytes]] = []
    for line in lines:
        if line[0] == "\\":
            # `\ No newline at end of file` is about the line before.
            for side in sides:
                side[-1] = side[-1].removesuffix(b"\n")
            continue
        if line[0] == " ":
            sides = [old, new]
        elif line[0] == "-":
            sides = [old]
        else:
            sides = [new]
        for side in sides:
            side.append(line[1:].encode("utf-8", "surrogateescape") + b"\n")
    return old, new


def _lines(content: bytes) -> list[bytes]:
    """The lines of a content, each with its newline; the last one may have none."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1].removesuffix(b"\n")
    return lines if lines[-1] else lines[:-1]


def _is_at(lines: Sequence[bytes], block: Sequence[bytes], row: int, *, is_at_end: bool) -> bool:
    """Whether a file, given by its lines, has a block of lines at a row, and ends with it where it must."""
    end = row + len(block)
    if end > len(lines) or lines[row:end] != block:
        return False
    return end == len(lines) or not is_at_end


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_only_place(content: bytes, block: Sequence[bytes]) -> bool:
    """Whether some lines are nowhere else in a content."""
    text = b"".join(block)
    return bool(text.strip()) and (b"\n" + content).count(b"\n" + text) == 1
