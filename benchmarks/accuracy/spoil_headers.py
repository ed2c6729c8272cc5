"""Ways to write `@@` lines and to order hunks, as models do.

Each takes a draft and chance, and gives the draft with other headers, or nothing where the file has no fitting line.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .spoil_lines import indent_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable

    from .change import Draft, Piece

BLOCK = re.compile(
    r"\s*(?:(?:async |export |default |public |private |static |pub |override )*"
    r"(?:def|class|function|func|fun|fn|impl|struct|enum|trait|module|interface|type|const|describe)\b"
    r"|#{1,6} \S|[\w.#&:@-][^;]*\{$|[\w.-]+:$|\[[\w.:-]+\]$)"
)


def enclosing(draft: Draft, piece: Piece) -> list[str]:
    """The lines that open the blocks around a hunk's first telling line, outermost first, trimmed."""
    return [draft.before[i].strip() for i in openings(draft, piece)]


def openings(draft: Draft, piece: Piece) -> list[int]:
    """The indices of those lines in the file."""
    first = next((i for i, line in enumerate(piece.old) if line.strip()), 0)
    here = piece.start + first
    if not piece.old or here >= len(draft.before):
        return []
    depth = len(indent_of(draft.before[here]))
    found: list[int] = []
    for i in range(piece.start - 1, -1, -1):
        line = draft.before[i]
        width = len(indent_of(line))
        heading = line.startswith("#") and draft.path.endswith(".md") and not found
        if line.strip() and (width < depth or heading):
            if BLOCK.match(line):
                found.append(i)
            depth = width
            if width == 0:
                break
    return found[::-1]


def _headed(draft: Draft, header: Callable[[Piece], Iterable[str]]) -> Draft | None:
    written = [replace(piece, anchors=tuple(header(piece))) for piece in draft.written]
    return draft.with_written(written) if any(piece.anchors for piece in written) else None


def header_enclosing(draft: Draft, _chance: random.Random) -> Draft | None:
    """`@@ def f(a, b):`, the line that opens the block around the hunk."""
    return _headed(draft, lambda piece: enclosing(draft, piece)[-1:])


def header_repeated(draft: Draft, _chance: random.Random) -> Draft | None:
    """Two or more hunks that name the same outer block."""
    outer = [enclosing(draft, piece)[:1] for piece in draft.written]
    if not any(head and outer.count(head) > 1 for head in outer):
        return None
    return draft.with_written(
        replace(piece, anchors=tuple(head)) for piece, head in zip(draft.written, outer, strict=True)
    )


def header_shortened(draft: Draft, _chance: random.Random) -> Draft | None:
    """`@@ def f`, the name without the rest of the signature."""

    def short(piece: Piece) -> list[str]:
        head = enclosing(draft, piece)[-1:]
        cut = [re.split(r"[({:=]", text, maxsplit=1)[0].rstrip() for text in head]
        return [text for text in cut if len(text) > 3 and text not in head]

    return _headed(draft, short)


def header_stacked(draft: Draft, _chance: random.Random) -> Draft | None:
    """`@@ class A` and below it `@@ def f(self):`."""

    def stack(piece: Piece) -> list[str]:
        heads = enclosing(draft, piece)
        return heads[-2:] if len(heads) > 1 else []

    return _headed(draft, stack)


def header_is_first_line(draft: Draft, _chance: random.Random) -> Draft | None:
    """The header repeats the hunk's first line."""
    return _headed(draft, lambda piece: [line for line in piece.old[:1] if line.strip() and piece.lines[0][0] == " "])


def header_takes_first_line(draft: Draft, _chance: random.Random) -> Draft | None:
    """The first context line moved up into the header."""
    written = [
        replace(piece, start=piece.start + 1, lines=piece.lines[1:], anchors=(piece.lines[0][1:].strip(),))
        if piece.lead() > 1 and piece.lines[0].strip()
        else piece
        for piece in draft.written
    ]
    return draft.with_written(written) if any(piece.anchors for piece in written) else None


def header_missing(draft: Draft, _chance: random.Random) -> Draft | None:
    """The first hunk has no `@@` line."""
    return draft.with_written((replace(draft.written[0], marked=False), *draft.written[1:]))


def _numbered(draft: Draft, number: Callable[[Piece, int], tuple[int, int]], *, text: bool) -> Draft | None:
    grown = 0
    written = []
    for piece in draft.written:
        anchors = tuple(enclosing(draft, piece)[-1:]) if text else ()
        written.append(replace(piece, numbers=number(piece, grown), anchors=anchors))
        grown += len(piece.added) - len(piece.removed)
    if text and not any(piece.anchors for piece in written):
        return None
    return draft.with_written(written)


def _right(piece: Piece, grown: int) -> tuple[int, int]:
    return piece.start + 1, piece.start + 1 + grown


def unified_right(draft: Draft, _chance: random.Random) -> Draft | None:
    """`@@ -10,7 +10,8 @@` with the right numbers."""
    return _numbered(draft, _right, text=False)


def unified_right_text(draft: Draft, _chance: random.Random) -> Draft | None:
    """`@@ -10,7 +10,8 @@ def f():` with the right numbers."""
    return _numbered(draft, _right, text=True)


def _wrong(draft: Draft, chance: random.Random) -> Callable[[Piece, int], tuple[int, int]]:
    def wrong(piece: Piece, _grown: int) -> tuple[int, int]:
        line = chance.choice((1, piece.start + chance.choice((-9, -2, 0, 3, 12, 40)), 2 * len(draft.before)))
        return max(1, line), max(1, line)

    return wrong


def unified_wrong(draft: Draft, chance: random.Random) -> Draft | None:
    """`@@ -1,7 +1,8 @@` with made-up numbers."""
    return _numbered(draft, _wrong(draft, chance), text=False)


def unified_wrong_text(draft: Draft, chance: random.Random) -> Draft | None:
    """`@@ -1,7 +1,8 @@ def f():` with made-up numbers."""
    return _numbered(draft, _wrong(draft, chance), text=True)


def reordered(draft: Draft, chance: random.Random) -> Draft | None:
    """The hunks stand in another order than in the file."""
    shuffled = list(draft.written)
    chance.shuffle(shuffled)
    return None if tuple(shuffled) == draft.written else draft.with_written(shuffled)


def end_of_file(draft: Draft, _chance: random.Random) -> Draft | None:
    """The hunk that reaches the end of the file says so."""
    last = draft.written[-1]
    if last.start + len(last.old) != len(draft.before):
        return None
    return draft.with_written((*draft.written[:-1], replace(last, at_end=True)))
