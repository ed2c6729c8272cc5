"""Habits of models that are no mistakes in any one line: hunks that change nothing, change too much, or come again.

Each takes a draft and chance, and gives the draft as written so, or nothing where it does not apply. Those that name a
place by other means than their own lines make sure of it themselves (`Way.sure`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .ambiguity import places, telling
from .change import Piece
from .spoil_headers import openings
from .spoil_lines import each_line, in_the_file, indent_of, one_piece, trimmed, unit_of

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from .change import Draft

NARROW = ((0, 0), (1, 0), (0, 1), (1, 1))
MOST_TIMES = 4


# Hunks that change nothing


def context_anchor(draft: Draft, _chance: random.Random) -> Draft | None:
    """Before a hunk one of context alone: the line that opens the block around it."""
    written: list[Piece] = []
    end = 0
    for piece in draft.written:
        head = openings(draft, piece)[-1:]
        if head and head[0] >= end and _count(draft, draft.before[head[0]]) == 1:
            written.append(Piece(head[0], (" " + draft.before[head[0]],), extra=True))
        written.append(piece)
        end = piece.start + len(piece.old)
    return draft.with_written(written) if len(written) > len(draft.written) else None


def context_anchor_decides(draft: Draft, chance: random.Random) -> Draft | None:
    """A hunk that fits several times, and before it a line of context that occurs once and opens the block it is in."""
    for piece in chance.sample(draft.truth, len(draft.truth)):
        head = openings(draft, piece)[-1:]
        if not head or _count(draft, draft.before[head[0]]) != 1:
            continue
        end = _block_end(draft, head[0])
        for narrow in (trimmed(piece, *widths) for widths in NARROW):
            found = places(draft.before, narrow.old)
            inside = [place for place in found if head[0] < place < end]
            if any(map(telling, narrow.removed)) and len(found) > 1 and inside == [narrow.start]:
                anchor = Piece(head[0], (" " + draft.before[head[0]],), extra=True)
                return replace(draft, truth=(narrow,), written=(anchor, narrow))
    return None


def _count(draft: Draft, line: str) -> int:
    return sum(other.strip() == line.strip() for other in draft.before)


def _block_end(draft: Draft, head: int) -> int:
    """Where the block that a line opens ends: at the next line indented no deeper."""
    depth = len(indent_of(draft.before[head]))
    rest = range(head + 1, len(draft.before))
    return next((i for i in rest if draft.before[i].strip() and len(indent_of(draft.before[i])) <= depth), rest.stop)


def no_op_hunk(draft: Draft, chance: random.Random) -> Draft | None:
    """Beside the real hunks one that removes a line and adds it again."""
    taken = {piece.start + i for piece in draft.written for i in range(-1, len(piece.old) + 1)}
    stripped = [line.strip() for line in draft.before]
    counts = {line: stripped.count(line) for line in set(chance.sample(stripped, min(40, len(stripped))))}
    spots = [i for i, line in enumerate(stripped) if counts.get(line) == 1 and telling(line) and i not in taken]
    if not spots:
        return None
    at = chance.choice(spots)
    again = Piece(at, ("-" + draft.before[at], "+" + draft.before[at]), extra=True)
    return draft.with_written(sorted((*draft.written, again), key=lambda piece: piece.start))


def no_op_lines(draft: Draft, chance: random.Random) -> Draft | None:
    """A context line of a hunk is removed and added again."""

    def again(piece: Piece, chance: random.Random) -> Piece | None:
        spots = [i for i, line in enumerate(piece.lines) if line[0] == " " and telling(line)]
        if not spots:
            return None
        at = chance.choice(spots)
        line = piece.lines[at][1:]
        return replace(piece, lines=(*piece.lines[:at], "-" + line, "+" + line, *piece.lines[at + 1 :]))

    return one_piece(draft, chance, again)


# Hunks that change more than they have to, or come again


def whole_block(draft: Draft, _chance: random.Random) -> Draft | None:
    """Each hunk removes all of its lines and adds most of them again."""
    written = [
        replace(piece, lines=(*("-" + line for line in piece.old), *("+" + line for line in _new(piece))))
        for piece in draft.written
    ]
    return None if tuple(written) == draft.written else draft.with_written(written)


def _new(piece: Piece) -> list[str]:
    return [line[1:] for line in piece.lines if line[0] != "-"]


def same_hunk_again(draft: Draft, chance: random.Random) -> Draft | None:
    """The same hunk as often as its lines occur in the file."""
    for piece in chance.sample(draft.truth, len(draft.truth)):
        for narrow in (trimmed(piece, *widths) for widths in NARROW):
            found = places(draft.before, narrow.old)
            apart = all(b - a >= len(narrow.old) for a, b in pairwise(found))
            if any(map(telling, narrow.removed)) and 1 < len(found) <= MOST_TIMES and apart:
                times = tuple(replace(narrow, start=place, anchors=()) for place in found)
                return replace(draft, truth=times, written=times)
    return None


# Lines


def first_line_bare(draft: Draft, _chance: random.Random) -> Draft | None:
    """The first line of each hunk lost its indentation, and what is put in its place did too."""
    written = []
    for piece in draft.written:
        lines = list(piece.lines)
        firsts = [0]
        if lines[0][0] == "-":
            firsts += [next((i for i, line in enumerate(lines) if line[0] == "+"), 0)]
        for i in firsts:
            lines[i] = lines[i][0] + lines[i][1:].lstrip(" \t")
        kept = [line for line in lines[1:] if line[0] != "+" and telling(line) and indent_of(line[1:])]
        if not kept:
            return None
        written.append(replace(piece, lines=tuple(lines)))
    return None if tuple(written) == draft.written else draft.with_written(written)


ESCAPES = re.compile(r"""\\(["'\\t]|u[0-9a-fA-F]{4})""")


def unescaped(draft: Draft, _chance: random.Random) -> Draft | None:
    r"""Text was unescaped once too often: `"` for `\"`, a character for its `\u` escape; no added line has any.

    An escaped line break would be one in the patch, too: another mistake.
    """
    if any(re.search(r"\\[nr]", line) for piece in draft.written for line in piece.old):
        return None
    if any("\\" in line for piece in draft.written for line in piece.added):
        return None
    return each_line(draft, " -", lambda line: ESCAPES.sub(_character, line))


def unescaped_quotes(draft: Draft, _chance: random.Random) -> Draft | None:
    """The file has a backslash before each quote, as inside a string; the edit has none, and adds no quotes."""
    texts = [line for piece in draft.written for line in piece.lines]
    if any("\\" in line or (line[0] == "+" and '"' in line) for line in texts):
        return None
    return in_the_file(draft, lambda line: line.replace('"', '\\"'))


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u":
        character = chr(int(code[1:], 16))
        return character if character.isprintable() else match[0]
    return "\t" if code == "t" else code


#: How a language puts lines under a condition, by suffix: what opens the block and what closes it.
WRAPPERS = {
    **dict.fromkeys((".py", ".pyi"), ("if ready:", "")),
    **dict.fromkeys(
        ".js .jsx .mjs .ts .tsx .java .kt .c .cc .cpp .h .hpp .php .cs .dart".split(),
        ("if (ready) {", "}"),
    ),
    **dict.fromkeys((".go", ".rs", ".swift"), ("if ready {", "}")),
    **dict.fromkeys((".rb", ".jl"), ("if ready", "end")),
    ".lua": ("if ready then", "end"),
}  # fmt: skip


def wrapped_too_shallow(draft: Draft, chance: random.Random) -> Draft | None:
    """Lines are put under a condition, and all of the edit is one level too shallow."""
    wrapper = WRAPPERS.get(PurePosixPath(draft.path).suffix)
    piece = chance.choice(draft.truth)
    unit = " " * unit_of(piece.old) or "\t"
    start, block = next(_runs(draft, piece), (0, ()))
    if wrapper is None or not block or not block[0].startswith(unit):
        return None
    indent = indent_of(block[0])
    opening, closing = wrapper
    outer = indent.removesuffix(unit)
    deep = [indent + opening, *(unit + line for line in block), *([indent + closing] if closing else [])]
    shallow = [outer + opening, *block, *([outer + closing] if closing else [])]
    old = tuple("-" + line for line in block)
    written = tuple("-" + outer + line.removeprefix(indent) for line in block)
    right = Piece(start, (*old, *("+" + line for line in deep)))
    return replace(draft, truth=(right,), written=(Piece(start, (*written, *("+" + line for line in shallow))),))


def _runs(draft: Draft, piece: Piece) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Two to four lines of a hunk at one depth, and their index in the file; none of them opens a block."""
    end = piece.start + len(piece.old)
    for start in range(piece.start, end):
        indent = indent_of(draft.before[start])
        stop = start
        while stop < min(end, start + 4) and telling(draft.before[stop]) and indent_of(draft.before[stop]) == indent:
            stop += 1
        after = draft.before[stop] if stop < len(draft.before) else ""
        if stop - start > 1 and len(indent_of(after)) <= len(indent):
            yield start, draft.before[start:stop]
