"""Escapes that were written once too often or once too little: ways to read a text, and what follows for the new one.

A way is a mapping. Its keys are escapes that the text has where the file has the character, or, for a text that was
decoded once too often, characters where the file has the escape. What made the match is done to the new text as well;
where it can't be told which of its escapes are meant, there is no new text.
"""

from __future__ import annotations

from re import sub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.patch import Hunk

    Way = Mapping[str, str]

#: The escapes that models write out where the file has the character.
_ESCAPES = {'\\"': '"', "\\'": "'", "\\`": "`", "\\/": "/", "\\$": "$", "\\t": "\t"}
_BACKSLASH = {"\\\\": "\\"}
_NEWLINE = {"\\n": "\n", "\\r": ""}
#: What a text has that was decoded once too often, where the file has the escape.
_ENCODINGS: tuple[Way, ...] = ({"\\": "\\\\"}, {"\t": "\\t"}, {"\\": "\\\\", "\t": "\\t"}, {'"': '\\"'})


def line_ways(text: str) -> list[Way]:
    """The ways to read lines of a text other than as they are: decoded, the fewest escapes first, then encoded.

    Quotes alone; then all of the escapes that are there; each also with the backslash itself, which a writer who
    escapes consistently has doubled.
    """
    there = {escape: plain for escape, plain in _ESCAPES.items() if escape in text}
    quotes = {escape: plain for escape, plain in there.items() if plain in "\"'`"}
    doubled = _BACKSLASH if "\\\\" in text else {}
    ways: list[Way] = []
    for way in (quotes, doubled, quotes | doubled, there, there | doubled):
        ways += [way] if way and way not in ways else []
    inner = sub(r"(?m)^[ \t]+|[ \t]+$", "", text)
    return [*ways, *(way for way in _ENCODINGS if all(character in inner for character in way))]


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
    has a character both ways, where the old one has it escaped alone, may mean either.
    """
    if way in _ENCODINGS:
        # What has the escape already was not decoded.
        return None if any(escape in new for escape in way.values()) else decode(new, way)
    bare, bare_new = (sub(r"\\.", "", text) for text in (old, new))
    kept: dict[str, str] = {escape: plain for escape, plain in way.items() if escape not in _NEWLINE}
    if "\\n" in way and "\n" not in new:
        old, new = (_with_tabs(decode(text, _NEWLINE)) for text in (old, new))
        # What the old text has and the match did not need is literal.
        fresh = {e: plain for e, plain in (_ESCAPES | _BACKSLASH).items() if e in new and e not in old}
        if fresh and not kept and '"' in bare + bare_new:
            # Quotes that are bare say that not everything was escaped.
            return None
        kept |= {escape: plain for escape, plain in fresh.items() if plain not in bare}
    else:
        if any(escape in new and escape not in old for escape in _ESCAPES | _BACKSLASH | _NEWLINE):
            # Was it escaped like the rest, or is it the text's own?
            return None
        if "\\t" in way:
            old, new = _with_tabs(old), _with_tabs(new)
        # Tabs that indent say nothing of those in a string.
        kept = {escape: plain for escape, plain in kept.items() if escape in old}
    is_unclear = any(
        e in new and plain.strip() and plain in bare_new and plain not in bare for e, plain in kept.items()
    )
    return None if is_unclear else decode(new, kept)


def _with_tabs(text: str) -> str:
    """A text with tabs for the escaped ones that its lines begin with."""
    return sub(r"(?m)^(?:[ \t]|\\t)+", lambda indent: indent[0].replace("\\t", "\t"), text)
