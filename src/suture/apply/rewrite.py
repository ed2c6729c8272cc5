"""Places → new text: only removed and added lines change.

Context comes from the file, even where it matched loosely. Added lines get the file's line ending and the shift in
indentation of the match. The file keeps its final newline, or the lack of one, unless the patch or the dialect says
otherwise.
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

_SHIFTING = frozenset({"indent", "punctuation", "whitespace", "similar"})


def rewrite(text: Text, places: Sequence[Place], dialect: Dialect) -> tuple[str, list[Place]]:
    """The raw text with all places changed, and these with their added lines at the file's depth."""
    raw, body, newline = text.raw, text.body, text.newline
    fits = [fitted(place, body) for place in places]
    splices = [one for place in fits for one in place.splices(body)]
    ends_open = body != "" and body[-1] != "\n"
    if ends_open:
        raw += newline
    if text.raw is not body:
        edges = {edge for one in splices for edge in (one.start, one.end)}
        offsets = {edge: text.raw_offset(edge) if edge <= len(body) else len(raw) for edge in edges}
        splices = [Splice(offsets[one.start], offsets[one.end], one.text.replace("\n", newline)) for one in splices]
    raw = splice(raw, in_order(splices))
    has_newline = not ends_open or dialect.final_newline == "added"
    for place in places:
        if place.hunk.no_newline:
            has_newline = place.hunk.no_newline == "old"
    if raw and has_newline != (raw[-1] in "\n\r"):
        raw = raw + newline if has_newline else raw[: -2 if raw.endswith("\r\n") else -1]
    return raw, fits


def fitted(place: Place, body: str) -> Place:
    """The place with its added lines at the file's depth."""
    return fit_place(place, body, as_hunk=True) if place.tier in _SHIFTING and not place.fitted else place
