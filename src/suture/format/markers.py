"""Reading the marker lines of an envelope and the `@@` lines of hunks, in the spellings that models use.

A marker is a line of stars and words: `*** Begin Patch`, `*** Update File: path`. Markers that end in a colon take an
argument.
"""

from __future__ import annotations

import re

from ..core.dialect import ADD, BEGIN, DELETE, END, END_OF_FILE, ENVIRONMENT, MOVE, MOVE_TO, UPDATE
from ..core.hunk_header import read_hunk_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: The marker as it should be written, its argument, and the concession that reading it took ("" for none).
    Marker = tuple[str, str, str]

_PLAIN = (BEGIN, END, END_OF_FILE)
_WITH_ARGUMENT = (UPDATE, ADD, DELETE, MOVE_TO, MOVE, ENVIRONMENT)
#: Tokens of models that end a message or a call, behind the end of an envelope.
_END_TOKENS = re.compile(r"(?<=End Patch)\s*(?:<\|(?:call|end|return|im_end|eot_id|eom_id)\|>\s*)+$", re.IGNORECASE)
_BY_WORDS = {marker.strip("* ").lower(): marker for marker in (*_PLAIN, *_WITH_ARGUMENT)}


def read_marker(line: str, *, padded: bool, lenient: bool) -> Marker | None:
    """The marker on a line; None for any other line.

    `padded` allows whitespace around it. `lenient` also allows other capitals, no space after the stars, and stars or
    the tokens of a model at the end.
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
    words, colon, argument = _END_TOKENS.sub("", text).strip("* \t").partition(":")
    name = _BY_WORDS.get(" ".join(words.lower().split()) + colon)
    return None if name is None else (name, argument, "marker_spelling")


def _read_exactly(line: str) -> Marker | None:
    if not line.startswith(_WITH_ARGUMENT):
        return (line, "", "") if line in _PLAIN else None
    marker = next(marker for marker in _WITH_ARGUMENT if line.startswith(marker))
    return marker, line[len(marker) :], ""


def read_anchor(text: str) -> tuple[int | None, str] | None:
    """The line number and the anchor in the text after `@@`, where it is written as in a unified diff.

    That is `-1,3 +1,4 @@ anchor`, with or without its end, or `anchor @@`. None for any other text.
    """
    header = read_hunk_header(f"@@ {text}")
    if header is not None:
        return header.old_start, header.text
    return (None, text[:-3].rstrip()) if text.endswith(" @@") else None
