"""Ways to spoil the lines of hunks: white space, quotes, slips, context that is missing or made up.

Each takes a draft and chance, and gives the spoilt draft, or nothing where it does not apply. What a perfect tool would
produce stays the same: where the file and not the patch has the odd character, the file and the truth change with it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .ambiguity import telling

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from .change import Draft, Piece

OLD, ALL = " -", " -+"


def each_line(draft: Draft, prefixes: str, change: Callable[[str], str]) -> Draft | None:
    """Every line with one of the prefixes changed; nothing where that makes no difference."""
    written = [
        replace(piece, lines=tuple(line[0] + change(line[1:]) if line[0] in prefixes else line for line in piece.lines))
        for piece in draft.written
    ]
    spoilt = draft.with_written(written)
    return None if spoilt.written == draft.written else spoilt


def in_the_file(draft: Draft, change: Callable[[str], str]) -> Draft | None:
    """The file's lines that the hunks name changed, while the patch stays as it was."""
    before = list(draft.before)
    for piece in draft.truth:
        for i in range(piece.start, piece.start + len(piece.old)):
            before[i] = change(before[i])
    spoilt = replace(draft, before=tuple(before))
    return None if spoilt.before == draft.before else spoilt


def one_piece(
    draft: Draft, chance: random.Random, change: Callable[[Piece, random.Random], Piece | None]
) -> Draft | None:
    """One hunk of the draft changed, the first in a random order that can be."""
    for i in chance.sample(range(len(draft.written)), len(draft.written)):
        spoilt = change(draft.written[i], chance)
        if spoilt is not None:
            return draft.with_written((*draft.written[:i], spoilt, *draft.written[i + 1 :]))
    return None


# White space


def lost_trailing(draft: Draft, chance: random.Random) -> Draft | None:
    """The file has trailing white space that the patch lost."""
    return in_the_file(draft, lambda line: line + chance.choice(("", " ", "  ", "\t", "    ")))


def added_trailing(draft: Draft, chance: random.Random) -> Draft | None:
    """Old lines of the patch end in white space that the file does not have."""
    return each_line(draft, OLD, lambda line: line + chance.choice(("", " ", "  ")))


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def unit_of(lines: tuple[str, ...]) -> int:
    """The file's step of indentation in spaces; 0 where it has none or uses tabs."""
    widths = {len(indent_of(line)) for line in lines if line.strip()}
    if any("\t" in indent_of(line) for line in lines):
        return 0
    return next((unit for unit in (4, 2) if widths - {0} and sum(w % unit for w in widths) == 0), 0)


def _tabbed(line: str, unit: int) -> str:
    width = len(indent_of(line))
    return "\t" * (width // unit) + line[width - width % unit :]


def _indented(pieces: tuple[Piece, ...]) -> bool:
    """Every hunk that adds an indented line has an indented old line to learn from."""
    return all(
        any(indent_of(line) and line.strip() for line in piece.old)
        for piece in pieces
        if any(indent_of(line) and line.strip() for line in piece.added)
    )


def tabs_for_spaces(draft: Draft, _chance: random.Random) -> Draft | None:
    """The patch is indented with tabs, the file with spaces."""
    unit = unit_of(tuple(line for piece in draft.written for line in (*piece.old, *piece.added)))
    if not unit or not _indented(draft.written):
        return None
    return each_line(draft, ALL, lambda line: _tabbed(line, unit))


def spaces_for_tabs(draft: Draft, _chance: random.Random) -> Draft | None:
    """The file is indented with tabs, the patch with spaces."""
    unit = unit_of(tuple(line for piece in draft.written for line in (*piece.old, *piece.added)))
    if not unit or not _indented(draft.written) or PurePosixPath(draft.path).suffix in {".yml", ".yaml"}:
        return None
    truth = [
        replace(piece, lines=tuple("+" + _tabbed(line[1:], unit) if line[0] == "+" else line for line in piece.lines))
        for piece in draft.truth
    ]
    spoilt = in_the_file(draft, lambda line: _tabbed(line, unit))
    return spoilt and replace(spoilt, truth=tuple(truth))


def spaces_in_tabbed_file(draft: Draft, chance: random.Random) -> Draft | None:
    """The file is indented with tabs as it comes, the patch with spaces."""
    indents = {indent_of(line) for piece in draft.written for line in (*piece.old, *piece.added) if line.strip()}
    if not any(indents) or set("".join(indents)) != {"\t"} or not _indented(draft.written):
        return None
    unit = " " * chance.choice((2, 4, 4, 8))

    def spaced(line: str) -> str:
        indent = indent_of(line)
        return unit * len(indent) + line[len(indent) :] if line.strip() else line

    return each_line(draft, ALL, spaced)


def outdented(draft: Draft, _chance: random.Random) -> Draft | None:
    """Each hunk is written without the indentation that all of its lines share."""
    return _shifted(draft, lambda shared: -shared)


def half_outdented(draft: Draft, chance: random.Random) -> Draft | None:
    """Each hunk lost a part of the indentation that all of its lines share."""
    return _shifted(draft, lambda shared: -chance.randrange(2, shared) if shared > 2 else 0)


def too_deep(draft: Draft, _chance: random.Random) -> Draft | None:
    """Each hunk is indented too deep, by four spaces or a tab."""
    return _shifted(draft, lambda _shared: 4)


def _shifted(draft: Draft, columns: Callable[[int], int]) -> Draft | None:
    """Each hunk moved by so many columns, four to a tab; `columns` gets what its lines share."""
    written = []
    for piece in draft.written:
        indents = [indent_of(line) for line in (*piece.old, *piece.added) if line.strip()]
        used = set("".join(indents))
        if not indents or len(used) > 1:
            return None
        fill = next(iter(used), " ")
        size = 4 if fill == "\t" else 1
        shift = columns(min(map(len, indents)) * size) // size
        written.append(replace(piece, lines=tuple(_moved(line, shift, fill) for line in piece.lines)))
    spoilt = draft.with_written(written)
    return None if spoilt.written == draft.written else spoilt


def _moved(line: str, shift: int, fill: str) -> str:
    if not line[1:].strip():
        return line
    return line[0] + (fill * shift + line[1:] if shift > 0 else line[1 - shift :])


# Characters


def _curly(line: str) -> str:
    line = re.sub(r'"([^"]*)"', "“\\1”", line)
    line = re.sub(r"'([^']*)'", "‘\\1’", line)
    return re.sub(r"(?<=\w)'(?=\w)", "’", line)


def curly_context(draft: Draft, _chance: random.Random) -> Draft | None:
    """Straight quotes became curly ones in context lines."""
    return each_line(draft, " ", _curly)


def curly_old(draft: Draft, _chance: random.Random) -> Draft | None:
    """Straight quotes became curly ones in context and removed lines."""
    return each_line(draft, OLD, _curly)


def straight_for_curly(draft: Draft, _chance: random.Random) -> Draft | None:
    """The file has curly quotes, the patch straight ones."""
    return in_the_file(draft, _curly)


def ascii_for_typography(draft: Draft, chance: random.Random) -> Draft | None:
    """The file has dashes, ellipses and hard spaces, the patch their ASCII look-alikes."""
    dash = chance.choice("–—‑")

    def typographic(line: str) -> str:
        line = re.sub(r"(?<=\w)-(?=\w)", dash, line).replace("...", "…")
        return re.sub(r"(?<=\w) (?=\w)", "\u00a0", line, count=1)

    return in_the_file(draft, typographic)


def escaped_quotes(draft: Draft, _chance: random.Random) -> Draft | None:
    """Quotes are written with a backslash, in old and added lines alike, as after one JSON encoding too many."""
    if any("\\" in line for piece in draft.written for line in piece.lines):
        return None
    if any('"' in "".join(piece.added) and '"' not in "".join(piece.old) for piece in draft.written):
        return None  # only the added lines have quotes: nothing in the file tells that they were escaped
    return each_line(draft, ALL, lambda line: line.replace('"', '\\"'))


def _slip(line: str, chance: random.Random) -> str | None:
    """One letter inside a word of the line replaced by another."""
    spots = [match.start() + 1 for match in re.finditer(r"[a-z]{4,}", line)]
    if len(line.strip()) < 10 or not spots:
        return None
    at = chance.choice(spots)
    letter = chance.choice([c for c in "aeioustnrl" if c != line[at]])
    return line[:at] + letter + line[at + 1 :]


def _slipped(piece: Piece, chance: random.Random, prefix: str) -> Piece | None:
    for i in chance.sample(range(len(piece.lines)), len(piece.lines)):
        if piece.lines[i][0] == prefix:
            line = _slip(piece.lines[i][1:], chance)
            if line is not None:
                return replace(piece, lines=(*piece.lines[:i], prefix + line, *piece.lines[i + 1 :]))
    return None


def wrong_character(draft: Draft, chance: random.Random) -> Draft | None:
    """One letter of one context line is wrong."""
    return one_piece(draft, chance, lambda piece, chance: _slipped(piece, chance, " "))


def wrong_character_removed(draft: Draft, chance: random.Random) -> Draft | None:
    """One letter of one removed line is wrong; SPEC §4 allows a tool to take it and to leave it."""
    return one_piece(draft, chance, lambda piece, chance: _slipped(piece, chance, "-"))


# Context


def _inner_context(piece: Piece) -> list[int]:
    """Indices of context lines with a context line on both sides."""
    lines = piece.lines
    return [i for i in range(1, len(lines) - 1) if all(line[0] == " " for line in lines[i - 1 : i + 2])]


REWORDED = ("entries", "result", "options", "current", "handler", "values", "target", "source", "default", "items")


def reworded(line: str, chance: random.Random) -> str | None:
    """A line written from memory: two of its words or more are others, a third at most; nothing where it has too few.

    With one word alone it would be the line of a twin (see `twins`), and a refusal would be right.
    """
    found = list(re.finditer(r"[A-Za-z_]{3,}", line))
    most = max(2, len(found) // 3)
    if len(found) < 4:
        return None
    for word in sorted(chance.sample(found, chance.randint(2, most)), key=lambda word: -word.start()):
        line = line[: word.start()] + chance.choice([w for w in REWORDED if w != word[0]]) + line[word.end() :]
    return line


def line_from_memory(draft: Draft, chance: random.Random) -> Draft | None:
    """One context line between two others is written from memory."""

    def remember(piece: Piece, chance: random.Random) -> Piece | None:
        inner = _inner_context(piece)
        for at in chance.sample(inner, len(inner)):
            line = reworded(piece.lines[at][1:], chance)
            if line is not None:
                return replace(piece, lines=(*piece.lines[:at], " " + line, *piece.lines[at + 1 :]))
        return None

    return one_piece(draft, chance, remember)


def skipped_line(draft: Draft, chance: random.Random) -> Draft | None:
    """One context line is left out, between two that are there."""

    def skip(piece: Piece, chance: random.Random) -> Piece | None:
        inner = _inner_context(piece)
        if not inner:
            return None
        at = chance.choice(inner)
        return replace(piece, lines=piece.lines[:at] + piece.lines[at + 1 :])

    return one_piece(draft, chance, skip)


def skipped_beside_change(draft: Draft, chance: random.Random) -> Draft | None:
    """The context line right beside a change is left out, between two old lines, so that the gap can be seen."""

    def skip(piece: Piece, chance: random.Random) -> Piece | None:
        lines = piece.lines
        old = [i for i, line in enumerate(lines) if line[0] != "+"]
        spots = [
            i
            for i in old[1:-1]
            if lines[i][0] == " " and telling(lines[i]) and (lines[i - 1][0] == " ") != (lines[i + 1][0] == " ")
        ]
        if not spots:
            return None
        at = chance.choice(spots)
        return replace(piece, lines=lines[:at] + lines[at + 1 :])

    return one_piece(draft, chance, skip)


INVENTED = (
    "handle the remaining entries below",
    "see the notes above for the reason",
    "keep this in step with the other side",
    "nothing else depends on this value",
)
COMMENTS = {".py": "# {}", ".js": "// {}", ".ts": "// {}", ".css": "/* {} */", ".scss": "// {}", ".html": "<!-- {} -->"}


def _invented(path: str, beside: str, chance: random.Random) -> str:
    form = COMMENTS.get(PurePosixPath(path).suffix, "# {}")
    return indent_of(beside) + form.format(chance.choice(INVENTED))


def invented_line(draft: Draft, chance: random.Random) -> Draft | None:
    """A context line that the file does not have, between two that it has."""

    def invent(piece: Piece, chance: random.Random) -> Piece | None:
        lines = piece.lines
        spots = [i for i in range(1, len(lines)) if lines[i - 1][0] == lines[i][0] == " "]
        if not spots:
            return None
        at = chance.choice(spots)
        return replace(piece, lines=(*lines[:at], " " + _invented(draft.path, lines[at][1:], chance), *lines[at:]))

    return one_piece(draft, chance, invent)


def invented_beside_change(draft: Draft, chance: random.Random) -> Draft | None:
    """A context line that the file does not have, right beside a change or at the hunk's edge."""

    def invent(piece: Piece, chance: random.Random) -> Piece | None:
        lines = piece.lines
        spots = [0, len(lines), *(i for i in range(1, len(lines)) if " " in (lines[i - 1][0], lines[i][0]))]
        spots = [i for i in spots if not (0 < i < len(lines) and lines[i - 1][0] == lines[i][0] == " ")]
        at = chance.choice(spots)
        beside = lines[min(at, len(lines) - 1)][1:]
        return replace(piece, lines=(*lines[:at], " " + _invented(draft.path, beside, chance), *lines[at:]))

    return one_piece(draft, chance, invent)


def trimmed(piece: Piece, lead: int, tail: int) -> Piece:
    """At most so many context lines before the first and after the last change."""
    off = max(0, piece.lead() - lead)
    end = len(piece.lines) - max(0, piece.tail() - tail)
    return replace(piece, start=piece.start + off, lines=piece.lines[off:end])


def _narrowed(draft: Draft, lead: int, tail: int) -> Draft | None:
    written = [trimmed(piece, lead, tail) for piece in draft.written]
    if not all(piece.old for piece in written):
        return None
    spoilt = draft.with_written(written)
    return None if spoilt.written == draft.written else spoilt


def one_context_line(draft: Draft, _chance: random.Random) -> Draft | None:
    """One line of context instead of three."""
    return _narrowed(draft, 1, 1)


def no_context_after(draft: Draft, _chance: random.Random) -> Draft | None:
    """No context after the last change of each hunk."""
    return _narrowed(draft, 3, 0)


def no_context_before(draft: Draft, _chance: random.Random) -> Draft | None:
    """No context before the first change of each hunk."""
    return _narrowed(draft, 0, 3)
