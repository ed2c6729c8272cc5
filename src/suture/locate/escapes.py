"""Escapes that were written once too often or once too little: ways to read a text, and what follows for the new one.

A way is a mapping: from escapes to the characters that the file has, or, for a text decoded once too often, back.
"""

from __future__ import annotations

from re import sub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.patch import Hunk

    Way = Mapping[str, str]

_BACKSLASH = {"\\\\": "\\"}
_NEWLINE = {"\\n": "\n", "\\r": ""}
#: The escapes that models write out where the file has the character.
_ESCAPES = {'\\"': '"', "\\'": "'", "\\`": "`", "\\/": "/", "\\$": "$", "\\t": "\t"}
#: What a text has that was decoded once too often, where the file has the escape.
_ENCODINGS: tuple[Way, ...] = ({"\\": "\\\\"}, {"\t": "\\t"}, {"\\": "\\\\", "\t": "\\t"}, {'"': '\\"'})


def line_ways(text: str) -> list[Way]:
    """The ways to read lines of a text other than as they are: decoded, the backslash itself last, then encoded."""
    there = {escape: plain for escape, plain in _ESCAPES.items() if escape in text}
    decodings = [there] * bool(there) + [there | _BACKSLASH] * ("\\\\" in text)
    return [*decodings, *(way for way in _ENCODINGS if all(character in text for character in way))]


def text_ways(old: str) -> list[Way]:
    """The ways to read a text, those of lines first: newlines that were escaped too."""
    ways = line_ways(old)
    if "\\n" in old:
        # Who escapes newlines has escaped everything.
        ways += [{**way, **_NEWLINE} for way in ({}, *ways) if way not in _ENCODINGS]
    return ways


def decode(text: str, way: Way) -> str:
    """A text read in one of the ways, from left to right. Tabs that indent a line are never escapes."""
    if way in _ENCODINGS:
        table = {ord(character): escape for character, escape in way.items()}
        return sub(r"(?m)^([ \t]*)(.*)", lambda line: line[1] + line[2].translate(table), text)
    return sub(r"(?s)\\.", lambda pair: way.get(pair[0], pair[0]), text)


def decode_notes(before: str, after: str | None, way: Way) -> tuple[str, ...]:
    """The name of what was done to the new text, if anything was."""
    return () if after in (before, None) else ("escapes_added",) if way in _ENCODINGS else ("escapes_undone",)


def decode_added(hunk: Hunk, way: Way) -> tuple[Hunk, tuple[str, ...]] | None:
    """The hunk with what made it match done to its added lines, and the name of that; None where that is unclear."""
    added = "\n".join(hunk.added)
    decoded = decode_new(added, "\n".join(hunk.old), way)
    if decoded is None:
        return None
    lines = iter(decoded.split("\n"))
    fitted = tuple(["+" + next(lines) if line[0] == "+" else line for line in hunk.lines])
    return hunk.replace(lines=fitted), decode_notes(added, decoded, way)


def decode_new(new: str, old: str, way: Way) -> str | None:
    """The new text with the escapes undone that made the match; None where it can't be told which were meant.

    Where newlines were escaped everything was, but for characters that the old text has as they are. A new text that
    has a character both ways, where the old one has it escaped alone, may mean either; so may an escape of its own.
    """
    if way in _ENCODINGS:
        # What has the escape already was not decoded.
        return None if any(escape in new for escape in way.values()) else decode(new, way)
    bare, bare_new = (sub(r"\\.", "", text) for text in (old, new))
    # Tabs that indent say nothing of those in a string.
    inner, inner_new = (sub(r"(?m)^(?:[ \t]|\\t)+", "", text) for text in (old, new))
    fresh = {e: plain for e, plain in (_ESCAPES | _BACKSLASH | _NEWLINE).items() if e in inner_new and e not in inner}
    is_whole = "\\n" in way and "\n" not in new
    if fresh and (not is_whole or '"' in bare + bare_new):
        # Quotes that are bare say that not everything was escaped.
        return None
    kept = {**way, **{escape: plain for escape, plain in fresh.items() if plain not in bare}}
    both = [plain for escape, plain in kept.items() if escape in new and plain in bare_new]
    return None if any(plain not in bare or plain == "\n" for plain in both) else decode(new, kept)
