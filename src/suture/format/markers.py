"""The marker lines of an envelope, as they should be written and as models write them.

A marker is a line of stars and words: `*** Begin Patch`, `*** Update File: path`. Those that end in a colon have a text
behind it. The headers of sections are in `dialect`, because dialects differ in them.
"""

from __future__ import annotations

from ..core.dialect import ADD, DELETE, MOVE, MOVE_TO, UPDATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    Marker = tuple[str, str, str]

BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
ENVIRONMENT = "*** Environment ID: "
NO_NEWLINE = "\\ No newline at end of file"

#: Markers without a text, and the beginnings of those with one.
_WHOLE = (BEGIN, END, END_OF_FILE)
_WITH_TEXT = (UPDATE, ADD, DELETE, MOVE_TO, MOVE, ENVIRONMENT)
_BY_WORDS = {marker.strip("* ").lower(): marker for marker in (*_WHOLE, *_WITH_TEXT)}


def read_marker(line: str, *, padded: bool, lenient: bool) -> Marker | None:
    """The marker that a line is, if it is one: its name, the text behind it, and the concession it took to read it.

    `padded` lets white space stand around it, `lenient` lets it have other capitals, no blank behind the stars, or
    stars behind it.
    """
    found = _as_written(line)
    if found is not None or not padded:
        return found
    text = line.strip()
    if not text.startswith("***"):
        return None
    found = _as_written(text) or _as_written(text + " ")
    if found is not None:
        # White space at the end of a line is nothing that anybody sees.
        return found if line[0] == "*" else (found[0], found[1], "padded_marker")
    if not lenient:
        return None
    words, colon, argument = text.strip("* \t").partition(":")
    name = _BY_WORDS.get(" ".join(words.lower().split()) + colon)
    return None if name is None else (name, argument, "marker_spelling")


def unified_header(text: str) -> tuple[int | None, str] | None:
    """The line number and the anchor of `-1,3 +1,4 @@ anchor` or of `anchor @@`; None for any other text."""
    if not text or (text[0] != "-" and text[-1] != "@"):
        return None
    from re import fullmatch

    found = fullmatch(r"-(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@ ?(.*))?", text)
    if found is not None:
        return int(found[1]), found[2] or ""
    return (None, text[:-3].rstrip()) if text.endswith(" @@") else None


def _as_written(line: str) -> Marker | None:
    for marker in _WITH_TEXT:
        if line.startswith(marker):
            return marker, line[len(marker) :], ""
    return (line, "", "") if line in _WHOLE else None
