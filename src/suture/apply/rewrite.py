"""Places → new text: only removed and added lines change.

Context comes from the file, also where it matched loosely. Added lines get the file's ending, and the shift in
indentation or the undone escapes that made the match. The file keeps whether its last line ends in a newline, unless
the patch or the dialect says otherwise.
"""

from __future__ import annotations

from itertools import accumulate

from ..locate.indentation import shift_between, shifted, unchanged
from ..locate.tiers import QUOTES, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.text import Text
    from ..locate.place import Place

_SHIFTING = frozenset({"indent", "punctuation", "whitespace", "similar"})


class Piece:
    """Characters of the raw text from `start` up to `end`, and what comes in their stead."""

    __slots__ = ("end", "new", "start")

    def __init__(self, start: int, end: int, new: str) -> None:
        self.start = start
        self.end = end
        self.new = new


def rewrite(text: Text, places: Sequence[Place], dialect: Dialect) -> str:
    """The raw text with all places changed; what was done to added lines is noted on their places."""
    pieces = [piece for place in places for piece in pieces_of(text, place)]
    ends_open = text.body != "" and text.body[-1] != "\n"
    raw = spliced(text.raw + text.newline if ends_open else text.raw, pieces)
    return _with_final_newline(raw, places, dialect, text.newline, ends_open=ends_open)


def pieces_of(text: Text, place: Place) -> list[Piece]:
    """What a place changes, in the raw text as if its last line ended in a newline; noted on the place."""
    raw, body = text.raw, text.body
    if place.tier != "exact":
        _fit_added(place, body)
    newline = "\n" if raw is body else text.newline
    pieces: list[Piece] = []
    for edit in place.edits(body):
        start, end = edit.start, edit.end
        if raw is not body:
            start = len(raw) + len(newline) if start > len(body) else text.raw_offset(start)
            end = len(raw) + len(newline) if end > len(body) else text.raw_offset(end)
        pieces.append(Piece(start, end, newline.join((*edit.added, "")) if edit.added else ""))
    return pieces


def literal_pieces(text: Text, start: int, end: int, new: str, *, apart: bool = False) -> list[Piece]:
    """A new text for the characters from `start` up to `end` of the body, with the file's line endings.

    Lines that the new text keeps keep their own endings; with `apart` they are no part of the pieces either.
    """
    body = text.body
    if text.raw is body and not apart:
        return [Piece(start, end, new)]
    from ..core.line_diff import changed_blocks, split_lines

    lines, new_lines = split_lines(body[start:end]), split_lines(new)
    offsets = list(accumulate(map(len, lines), initial=start))
    return [
        Piece(
            text.raw_position(offsets[a]),
            text.raw_position(offsets[b]),
            "".join(new_lines[c:d]).replace("\n", text.newline),
        )
        for a, b, c, d in changed_blocks(lines, new_lines)
    ]


def spliced(raw: str, pieces: Sequence[Piece]) -> str:
    """A raw text with these pieces changed, none of which overlap."""
    parts: list[str] = []
    done = 0
    for piece in sorted(pieces, key=_position):
        parts += (raw[done : piece.start], piece.new)
        done = piece.end
    parts.append(raw[done:])
    return "".join(parts)


def _position(piece: Piece) -> tuple[int, int]:
    return piece.start, piece.end


def _with_final_newline(raw: str, places: Sequence[Place], dialect: Dialect, newline: str, *, ends_open: bool) -> str:
    """The text with a final newline or without, as the patch, the dialect or else the file has it."""
    wanted = not ends_open or dialect.final_newline == "added"
    for place in places:
        if place.hunk.no_newline:
            wanted = place.hunk.no_newline == "old"
    if not raw or wanted == (raw[-1] in "\n\r"):
        return raw
    if wanted:
        return raw + newline
    return raw[:-2] if raw.endswith("\r\n") else raw[:-1]


def _fit_added(place: Place, body: str) -> None:
    """Fit the added lines of a place that was found loosely, and note it on the place."""
    edits = place.edits(body)
    if place.fitted or not any(edit.added for edit in edits):
        return
    if place.tier == "escapes":
        way = {escape: plain for escape, plain in (place.undone or {}).items() if escape in QUOTES or escape == "\\\\"}
        for edit in edits:
            fitted = [unescape(line, way) for line in edit.added]
            if fitted != edit.added:
                edit.added = fitted
                _note(place, "escapes_undone")
    elif place.tier in _SHIFTING:
        pairs: dict[str, list[tuple[str, str]]] = {"-": [], " ": []}
        old = [line for line in place.hunk.lines if line[0] != "+"]
        for line, file_line in zip(old, place.file_lines(body), strict=True):
            if file_line is not None:
                pairs[line[0]].append((line[1:], file_line))
        shift = shift_between(pairs["-"], pairs[" "])
        if shift is None:
            _note(place, "indentation_as_written")
        elif shift is not unchanged:
            for edit in edits:
                fitted = [shifted(line, shift) for line in edit.added]
                if fitted != edit.added:
                    edit.added = fitted
                    _note(place, "indentation_shifted")


def _note(place: Place, name: str) -> None:
    if name not in place.notes:
        place.notes = (*place.notes, name)
