"""Places → new text: only removed and added lines change.

Context comes from the file, also where it matched loosely. Added lines get the file's ending, and the shift in
indentation or the undone escapes that made the match. The file keeps whether its last line ends in a newline, unless
the patch or the dialect says otherwise.
"""

from __future__ import annotations

from .indentation import shift_between, split_indent, unchanged
from .locate.ladder import QUOTES, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dialect import Dialect
    from .locate.place import Edit, Place
    from .text import Text

_SHIFTING = frozenset({"indent", "punctuation", "whitespace", "similar"})


def rewrite(text: Text, places: Sequence[Place], dialect: Dialect) -> str:
    """The raw text with all places changed; what was done to added lines is noted on their places."""
    raw, body = text.raw, text.body
    edits: list[Edit] = []
    for place in places:
        if place.tier != "exact":
            _fit_added(place, body)
        edits += place.edits(body)
    edits.sort(key=_position)
    newline = "\n" if raw is body else text.newline
    ends_open = body != "" and body[-1] != "\n"
    if ends_open:
        raw += newline
    pieces: list[str] = []
    done = 0
    for edit in edits:
        if raw is body:
            start, end = edit.start, edit.end
        else:
            start = len(raw) if edit.start > len(body) else text.raw_offset(edit.start)
            end = len(raw) if edit.end > len(body) else text.raw_offset(edit.end)
        pieces.append(raw[done:start])
        if edit.added:
            pieces += (newline.join(edit.added), newline)
        done = end
    pieces.append(raw[done:])
    return _with_final_newline("".join(pieces), places, dialect, newline, ends_open=ends_open)


def _position(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


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
    if not any(edit.added for edit in edits):
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
                fitted = [_shifted(line, shift) for line in edit.added]
                if fitted != edit.added:
                    edit.added = fitted
                    _note(place, "indentation_shifted")


def _shifted(line: str, shift: object) -> str:
    assert callable(shift), "BUG: a shift is a function"
    indent, rest = split_indent(line)
    return f"{shift(indent)}{rest}" if rest else line


def _note(place: Place, name: str) -> None:
    if name not in place.notes:
        place.notes = (*place.notes, name)
