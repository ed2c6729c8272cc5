"""Escapes that were written once too often or once too little: ways to read a text, and what follows for the new one.

A way is a mapping. Its keys are escapes that the text has where the file has the character, or, for a text that was
decoded once too often, characters where the file has the escape. What made the match is done to the new text as well;
where it can't be told which of its escapes are meant, there is no new text.
"""

from __future__ import annotations

from .tiers import ESCAPES, unescape, unescapings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..core.patch import Hunk

    Way = Mapping[str, str]

#: What a text has that was decoded once too often, where the file has the escape.
_ENCODINGS: tuple[Way, ...] = ({"\\": "\\\\"}, {"\t": "\\t"}, {"\\": "\\\\", "\t": "\\t"})


def _is_encoding(way: Way) -> bool:
    """Whether characters become escapes."""
    return all(len(key) == 1 for key in way)


def line_ways(text: str) -> Iterator[Way]:
    """The ways to read lines of a text other than as they are: decoded, the fewest escapes first, then encoded."""
    if "\\" in text:
        yield from unescapings((text,))
    inner = "\n".join([line.strip() for line in text.split("\n")]) if "\t" in text else text
    for way in _ENCODINGS:
        if all(character in inner for character in way):
            yield way


def decode(text: str, way: Way) -> str:
    """A text read in one of the ways. Tabs that indent a line are never escapes."""
    if not _is_encoding(way):
        return unescape(text, way)
    lines: list[str] = []
    for line in text.split("\n"):
        rest = line.lstrip()
        inner = "".join([way.get(character, character) for character in rest])
        lines.append(line[: len(line) - len(rest)] + inner)
    return "\n".join(lines)


def decode_notes(before: str, after: str, way: Way) -> tuple[str, ...]:
    """The name of what was done to the new text, if anything was."""
    return () if before == after else ("escapes_added",) if _is_encoding(way) else ("escapes_undone",)


_NEWLINE = {"\\n": "\n", "\\r": ""}
_INNER = (*(escape for escape, _ in ESCAPES), "\\\\")
_ESCAPED = (*_INNER, *_NEWLINE)


def text_ways(old: str) -> Iterator[Way]:
    """The ways to read a text, those of lines first: newlines that were escaped too."""
    ways = list(line_ways(old))
    yield from ways
    if "\\n" in old:
        # Who escapes newlines has escaped everything.
        for way in ({}, *[way for way in ways if not _is_encoding(way)]):
            yield {**way, **_NEWLINE}


def decode_added(hunk: Hunk, way: Way) -> tuple[Hunk, tuple[str, ...]] | None:
    """The hunk with what made it match done to its added lines, and the name of that; None where that is unclear."""
    added = "\n".join(hunk.added)
    decoded = decode_new(added, "\n".join(hunk.old), way) if added else added
    if decoded is None:
        return None
    lines = iter(decoded.split("\n"))
    fitted = tuple(["+" + next(lines) if line[0] == "+" else line for line in hunk.lines])
    return hunk.replace(lines=fitted), decode_notes(added, decoded, way)


def _bare(old: str) -> str:
    """A text without its escapes."""
    from re import sub

    return sub(r"\\.", "", old)


def decode_new(new: str, old: str, way: Way) -> str | None:
    """The new text with the escapes undone that made the match; None where it can't be told which were meant.

    Where newlines were escaped everything was, but for characters that the old text has as they are. A new text that
    has a character both ways, where the old one has it escaped alone, may mean either.
    """
    if _is_encoding(way):
        # What has the escape already was not decoded.
        return None if any(escape in new for escape in way.values()) else decode(new, way)
    bare, bare_new = _bare(old), _bare(new)
    is_whole = "\\n" in way and "\n" not in new
    if is_whole:
        lines = [_without_tabs(line) for line in new.split("\\n")]
        fresh = any(escape in line and escape not in old for escape in _INNER for line in lines)
        if fresh and '"' in bare + bare_new and way.keys() <= _NEWLINE.keys():
            # Quotes that are bare say that not everything was escaped.
            return None
        # What the old text has and the match did not need is literal.
        everything = {**dict(ESCAPES), "\\\\": "\\"}
        kept = {e: plain for e, plain in everything.items() if plain not in bare and (e in way or e not in old)}
        kept |= way
    elif any(escape in new and escape not in old for escape in _ESCAPED):
        # Was it escaped like the rest, or is it the text's own?
        return None
    else:
        kept = {escape: plain for escape, plain in way.items() if escape not in _NEWLINE}
    if any(
        escape in new and plain in bare_new and plain not in bare for escape, plain in kept.items() if plain.strip()
    ):
        return None
    if is_whole:
        return unescape(new, kept)
    tabs = {"\\t": "\t"} if "\\t" in way else {}
    if tabs and not any("\\t" in _without_tabs(line) for line in old.split("\n")):
        # Tabs that indent say nothing of those in a string.
        del kept["\\t"]
    written: list[str] = []
    for line in new.split("\n"):
        rest = _without_tabs(line)
        written.append(unescape(line[: len(line) - len(rest)], tabs) + unescape(rest, kept))
    return "\n".join(written)


def _without_tabs(line: str) -> str:
    """A line without the blanks and escaped tabs that it begins with."""
    while line.startswith((" ", "\t", "\\t")):
        line = line[2 if line[0] == "\\" else 1 :]
    return line
