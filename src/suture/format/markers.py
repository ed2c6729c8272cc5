"""Reading the marker lines of an envelope and the `@@` lines of hunks, in the spellings that models use.

A marker is a line of stars and words: `*** Begin Patch`, `*** Update File: path`. Markers that end in a colon take an
argument.
"""

from __future__ import annotations

from ..core.dialect import ADD, BEGIN, DELETE, END, END_OF_FILE, ENVIRONMENT, MOVE, MOVE_TO, UPDATE
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: The marker as it should be written, its argument, and the concession that reading it took ("" for none).
    Marker = tuple[str, str, str]

_PLAIN = (BEGIN, END, END_OF_FILE)
_WITH_ARGUMENT = (UPDATE, ADD, DELETE, MOVE_TO, MOVE, ENVIRONMENT)
_BY_WORDS = {marker.strip("* ").lower(): marker for marker in (*_PLAIN, *_WITH_ARGUMENT)}


def read_marker(line: str, *, padded: bool, lenient: bool) -> Marker | None:
    """The marker on a line; None for any other line.

    `padded` allows whitespace around it. `lenient` also allows other capitals, no space after the stars, and stars at
    the end.
    """
    marker = _read_exactly(line)
    if marker is not None or not padded:
        return marker
    text = line.strip()
    if not text.startswith("***"):
        return None
    marker = _read_exactly(text) or _read_exactly(text + " ")
    if marker is not None:
        # Trailing whitespace is invisible, so it takes no concession.
        return marker if line[0] == "*" else (marker[0], marker[1], "padded_marker")
    if not lenient:
        return None
    words, colon, argument = text.strip("* \t").partition(":")
    name = _BY_WORDS.get(" ".join(words.lower().split()) + colon)
    return None if name is None else (name, argument, "marker_spelling")


def _read_exactly(line: str) -> Marker | None:
    if not line.startswith(_WITH_ARGUMENT):
        return (line, "", "") if line in _PLAIN else None
    marker = next(marker for marker in _WITH_ARGUMENT if line.startswith(marker))
    return marker, line[len(marker) :], ""


class HunkHeader(Value):
    """The `@@` line of a hunk in a unified diff: `@@ -1,3 +1,4 @@ text`; `closed` tells if it has its second `@@`."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    text: str
    closed: bool


def read_hunk_header(line: str) -> HunkHeader | None:
    """The hunk header on a line of a unified diff; None for any other line."""
    if not line.startswith("@@ -"):
        return None
    old, _, rest = line[4:].partition(" +")
    new, closing, text = rest.partition(" @@")
    ranges = _read_range(old), _read_range(new)
    if ranges[0] is None or ranges[1] is None:
        return None
    return HunkHeader(*ranges[0], *ranges[1], text.removeprefix(" "), closing != "")


def _read_range(text: str) -> tuple[int, int] | None:
    """The two numbers of `1,3`; the second is 1 where it is left out."""
    start, comma, count = text.partition(",")
    count = count if comma else "1"
    valid = start.isdecimal() and count.isdecimal() and len(text) < 20
    return (int(start), int(count)) if valid else None


def read_anchor(text: str) -> tuple[int | None, str] | None:
    """The line number and the anchor in the text after `@@`, where it is written as in a unified diff.

    That is `-1,3 +1,4 @@ anchor`, with or without its end, or `anchor @@`. None for any other text.
    """
    header = read_hunk_header(f"@@ {text}")
    if header is not None:
        return header.old_start, header.text
    return (None, text[:-3].rstrip()) if text.endswith(" @@") else None
