"""Places → new text: only removed and added lines change.

Context comes from the file, even where it matched loosely. Added lines get the file's line ending and the shift in
indentation of the match. The file keeps its final newline, or the lack of one, unless the patch
or the dialect says otherwise.
"""

from __future__ import annotations

from ..core.splices import Splice, in_order, splice
from ..locate.indentation import fit_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.text import Text
    from ..locate.place import Place

    #: Names of concessions.
    Notes = tuple[str, ...]

_SHIFTING = frozenset({"indent", "punctuation", "whitespace", "similar"})


def rewrite(text: Text, places: Sequence[Place], dialect: Dialect) -> tuple[str, list[Notes]]:
    """The raw text with all places changed, and for each place the notes on how its added lines were fitted."""
    changes = [place_splices(text, place) for place in places]
    ends_open = text.body != "" and text.body[-1] != "\n"
    splices = in_order([one for splices, _ in changes for one in splices])
    raw = splice(text.raw + text.newline if ends_open else text.raw, splices)
    raw = _with_final_newline(raw, places, dialect, text.newline, ends_open=ends_open)
    return raw, [notes for _, notes in changes]


def place_splices(text: Text, place: Place) -> tuple[list[Splice], Notes]:
    """What a place changes in the raw text as if its last line ended in a newline, with notes on the added lines."""
    raw, body = text.raw, text.body
    notes: Notes = ()
    if place.tier in _SHIFTING and not place.fitted:
        known = place.notes
        place = fit_place(place, body, as_hunk=True)
        notes = place.notes[len(known) :]
    splices = place.splices(body)
    if raw is body:
        return splices, notes
    newline = text.newline

    def raw_offset(offset: int) -> int:
        return len(raw) + len(newline) if offset > len(body) else text.raw_offset(offset)

    return [
        Splice(raw_offset(one.start), raw_offset(one.end), one.text.replace("\n", newline)) for one in splices
    ], notes


def _with_final_newline(raw: str, places: Sequence[Place], dialect: Dialect, newline: str, *, ends_open: bool) -> str:
    """The text with or without a final newline, as the patch, the dialect, or else the file has it."""
    has_newline = not ends_open or dialect.final_newline == "added"
    for place in places:
        if place.hunk.no_newline:
            has_newline = place.hunk.no_newline == "old"
    if not raw or has_newline == (raw[-1] in "\n\r"):
        return raw
    if has_newline:
        return raw + newline
    return raw[:-2] if raw.endswith("\r\n") else raw[:-1]
