"""Twins: the block of an edit is gone, and in its place is one that differs in one word, number, line or depth.

Nothing may ever be placed. The blocks are the old lines of real hunks, three to twelve of them; one line is changed in
the file, and the edit stays as it was or has other whitespace. What no text can tell from a mistake that models make is
left out, by construction:

- a word that differs by one or two letters, unless it has fewer than four: a typo;
- a word of a comment, of a quoted text or of prose, in a line that is kept: worded otherwise (see `one_line_off`);
- the number of a list item: counted wrongly;
- a line more or less in context away from the change: skipped, or made up; and next to blank lines or brackets that
  change, or in a hunk that removes a line and adds it again, since another diff of the same texts has the change
  elsewhere;
- the same depth for all lines of a block, or a first line alone: indentation that was lost; depth in languages where it
  means nothing; and depth in an edit with tabs for spaces, because a tab may be any number of them;
- a file that still has the lines of the edit somewhere, whitespace aside, or has a line that the edit itself adds.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from . import spoil_strings
from .ambiguity import places, spoken, squeezed, telling
from .cases import Case, PatchCase, of_each
from .change import body, envelope, unified
from .line_parts import WORD, code_words
from .spoil_headers import enclosing
from .spoil_lines import added_trailing, indent_of, outdented, tabs_for_spaces, too_deep, trimmed, unit_of
from .strings import StringCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .change import Draft, Piece
    from .corpus import Change

    #: The file's lines of the block, the index of one of them, the draft, and chance → the block's twin.
    Twin = Callable[[Sequence[str], int, Draft, random.Random], "list[str] | None"]

LEAST, MOST = 3, 12
#: Where the line that differs is: removed, kept right next to a change, or kept elsewhere.
POSITIONS = ("removed", "beside", "context")
#: Languages in which one level of depth is another program.
INDENTED = frozenset(".py .pyi .yaml .yml .sass .nim .pug .haml".split())
#: Ways to spoil the whitespace of the edit, so that it matches at no strict tier.
WHITESPACE = (outdented, too_deep, tabs_for_spaces, added_trailing, spoil_strings.spread_spaces)
ITEM = re.compile(r"\s*(?:[-*>#] ?)*\d+[.)]")


@dataclass(frozen=True, slots=True)
class Block:
    """A hunk of a change, narrowed to a few lines."""

    change: Change
    piece: Piece
    number: int

    @property
    def name(self) -> str:
        """The change and the hunk's number in it."""
        return f"{self.change.name}.{self.number}"


def word(block: Sequence[str], at: int, draft: Draft, chance: random.Random) -> list[str] | None:
    """Another word of the file, written in the same case."""
    spots = list(WORD.finditer(block[at]))
    if not _is_removed(draft.written[0], at):
        spots = code_words(block[at], draft.path)
    if not spots:
        return None
    spot = chance.choice(spots)
    some = chance.sample(draft.before, min(60, len(draft.before)))
    words = sorted({other for line in some for other in WORD.findall(line) if _is_other_word(spot[0], other)})
    return _changed(block, at, spot, chance.choice(words)) if words else None


def _is_removed(piece: Piece, at: int) -> bool:
    """Whether the old line of that index is removed."""
    old = [line for line in piece.lines if line[0] != "+"]
    return old[at][0] == "-"


def _is_other_word(one: str, other: str) -> bool:
    if one.lower() == other.lower() or [part.isupper() for part in (one, one[0])] != [
        part.isupper() for part in (other, other[0])
    ]:
        return False
    return max(len(one), len(other)) < 4 or _distance(one, other) > 2


def _distance(one: str, other: str) -> int:
    """How many letters have to be put in, taken out or replaced."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def number(block: Sequence[str], at: int, _draft: Draft, chance: random.Random) -> list[str] | None:
    """Another number, but not that of a list item."""
    item = ITEM.match(block[at])
    spots = [spot for spot in re.finditer(r"\d+", block[at]) if item is None or spot.start() >= item.end()]
    if not spots:
        return None
    spot = chance.choice(spots)
    return _changed(block, at, spot, str(int(spot[0]) + chance.choice((1, 2, 7, 10))))


def _changed(block: Sequence[str], at: int, spot: re.Match[str], other: str) -> list[str]:
    line = block[at][: spot.start()] + other + block[at][spot.end() :]
    return [*block[:at], line, *block[at + 1 :]]


def other_line(block: Sequence[str], at: int, draft: Draft, chance: random.Random) -> list[str] | None:
    """Another line of the file at the same depth, nothing like the one it stands for."""
    line = _line_unlike(block, at, draft, chance)
    return None if line is None else [*block[:at], line, *block[at + 1 :]]


def more_lines(block: Sequence[str], at: int, draft: Draft, chance: random.Random) -> list[str] | None:
    """One line more between this one and the change, or between two removed ones."""
    line = _line_unlike(block, at, draft, chance)
    old = [i for i, text in enumerate(draft.written[0].lines) if text[0] != "+"]
    after = draft.written[0].lines[old[at] + 1 : old[at] + 2]
    at += bool(after) and after[0][0] != " "
    return None if line is None or at in (0, len(block)) else [*block[:at], line, *block[at:]]


def fewer_lines(block: Sequence[str], at: int, _draft: Draft, _chance: random.Random) -> list[str] | None:
    """One line fewer."""
    return [*block[:at], *block[at + 1 :]] if telling(block[at]) else None


def _line_unlike(block: Sequence[str], at: int, draft: Draft, chance: random.Random) -> str | None:
    words = set(WORD.findall(block[at]))
    inside = {line.strip() for line in block}
    fitting = [
        line
        for line in chance.sample(draft.before, min(60, len(draft.before)))
        if telling(line) and line.strip() not in inside and 2 * len(words & set(WORD.findall(line))) <= len(words)
    ]
    return indent_of(block[at]) + chance.choice(fitting).strip() if fitting and telling(block[at]) else None


def depth(block: Sequence[str], at: int, draft: Draft, chance: random.Random) -> list[str] | None:
    """One level deeper or shallower than the other lines say; not the first, and with at least two that agree."""
    says = [i for i, line in enumerate(block) if telling(line)]
    unit = " " * unit_of(draft.before)
    if PurePosixPath(draft.path).suffix not in INDENTED or at not in says[1:] or len(says) < 4 or not unit:
        return None
    line = block[at]
    other = line.removeprefix(unit) if line.startswith(unit) and chance.random() < 0.5 else unit + line
    return [*block[:at], other, *block[at + 1 :]]


KINDS: dict[str, Twin] = {
    "word": word,
    "number": number,
    "other_line": other_line,
    "more_lines": more_lines,
    "fewer_lines": fewer_lines,
    "depth": depth,
}
#: Kind and position of each way; away from the change a line more or less is a mistake that models make.
WAYS = tuple(
    f"{kind}_{position}"
    for kind in KINDS
    for position in POSITIONS
    if position != "context" or not kind.endswith(("line", "lines"))
)


def blocks(changes: Sequence[Change]) -> list[Block]:
    """Every hunk of the changes that can be narrowed to a block, with as much context as chance leaves it."""
    found = []
    for change in changes:
        for count, piece in enumerate(change.draft.truth):
            chance = random.Random(f"{change.name}.{count}")
            narrow = trimmed(piece, *(chance.choice((0, 1, 2, 3, 3)) for _ in "lt"))
            if LEAST <= len(narrow.old) <= MOST and not spoil_strings.moves_lines(narrow):
                found.append(Block(change, narrow, count))
    return found


def position(piece: Piece, at: int) -> str:
    """Where the line of that index among all lines of a hunk is; unclear next to changed blank lines or brackets."""
    if piece.lines[at][0] == "-":
        return "removed"
    changed = [line[1:] for line in piece.lines[max(0, at - 1) : at + 2] if line[0] != " "]
    if not changed:
        return "context"
    return "beside" if all(map(telling, changed)) else "unclear"


def twin_of(block: Block, way: str) -> Draft | None:
    """The file with a twin of the block, and the edit for the block; nothing where no text could tell."""
    kind, _, where = way.rpartition("_")
    chance = random.Random(f"{block.name}/{way}")
    piece = block.piece
    draft = replace(block.change.draft, truth=(), written=(piece,))
    old = [i for i, line in enumerate(piece.lines) if line[0] != "+"]
    spots = [at for at, i in enumerate(old) if position(piece, i) == where]
    for at in chance.sample(spots, len(spots)):
        twin = KINDS[kind](piece.old, at, draft, chance)
        if twin is None:
            continue
        found = _has_words(draft.before, twin, piece) if kind != "depth" else _has_depth(draft.before, twin, piece)
        if not found and not _adds(piece, twin):
            return replace(draft, before=_with(draft.before, twin, piece))
    return None


def _adds(piece: Piece, twin: Sequence[str]) -> bool:
    """Whether the twin has a line that the edit adds: it may be half applied."""
    added = {squeezed(line) for line in piece.added if line.strip()}
    return any(squeezed(line) in added and line not in piece.old for line in twin)


def _with(before: tuple[str, ...], twin: Sequence[str], piece: Piece) -> tuple[str, ...]:
    """The file with the twin instead of the block."""
    return (*before[: piece.start], *twin, *before[piece.start + len(piece.old) :])


@lru_cache(maxsize=256)
def _squeezed_lines(before: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(squeezed, before))


def _has_words(before: tuple[str, ...], twin: Sequence[str], piece: Piece) -> bool:
    """Whether the file with the twin still has the lines of the edit, whitespace aside."""
    file = _with(_squeezed_lines(before), [squeezed(line) for line in twin], piece)
    return "".join(map(squeezed, piece.old)) in "".join(file)


def _has_depth(before: tuple[str, ...], twin: Sequence[str], piece: Piece) -> bool:
    """Whether the file with the twin still has the lines of the edit, all of them moved by as much."""
    file = _with(before, twin, piece)
    lines = [line.strip() for line in file]
    found = places(lines, [line.strip() for line in piece.old])
    return any(len({len(indent_of(a)) - len(indent_of(b)) for a, b in _pairs(file, piece, at)}) == 1 for at in found)


def _pairs(file: Sequence[str], piece: Piece, at: int) -> Iterator[tuple[str, str]]:
    return ((a, b) for a, b in zip(file[at:], piece.old, strict=False) if a.strip())


def _spoilt(draft: Draft, way: str, chance: random.Random) -> tuple[Draft, str]:
    """Half of the edits have other whitespace than the block had."""
    if chance.random() < 0.5:
        steps = [step for step in WHITESPACE if step is not tabs_for_spaces or not way.startswith("depth")]
        for step in chance.sample(steps, len(steps)):
            spoilt = step(draft, chance)
            if spoilt is not None:
                return spoilt, step.__name__
    return draft, "as it was"


def patch(block: Block, way: str) -> PatchCase | None:
    """The edit as a patch, with or without an anchor."""
    draft = twin_of(block, way)
    if draft is None:
        return None
    chance = random.Random(f"{block.name}/{way}/patch")
    draft, detail = _spoilt(draft, way, chance)
    if chance.random() < 0.5:
        head = tuple(enclosing(draft, draft.written[0])[-1:])
        draft = draft.with_written([replace(draft.written[0], anchors=head)])
    text = draft.text(draft.before)
    return PatchCase(
        name=block.name,
        way=way,
        detail=f"patch, {detail}",
        path=draft.path,
        before=text,
        after=text,
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="refuse",
        safety=True,
        anchored=bool(draft.written[0].anchors),
    )


def string_edit(block: Block, way: str) -> StringCase | None:
    """The edit as a string edit."""
    draft = twin_of(block, way)
    if draft is None:
        return None
    chance = random.Random(f"{block.name}/{way}/string")
    draft, detail = _spoilt(draft, way, chance)
    pair = spoil_strings.pair_of(draft.written[0], ends=chance.random() < 0.5)
    text = draft.text(draft.before)
    if not pair.old.strip() or spoken(text, pair.old):
        return None
    return StringCase(
        name=block.name,
        way=way,
        detail=f"string edit, {detail}",
        path=draft.path,
        before=text,
        after=text,
        old=pair.old,
        new=pair.new,
        expectation="refuse",
        safety=True,
    )


def make(changes: Sequence[Change], limit: int, only: Sequence[str] = ()) -> Iterator[Case]:
    """At most so many twins in all, as patches and as string edits, as many of each way as there are."""
    every = blocks(changes)
    each = max(1, limit // (2 * (len(only) or len(WAYS))))
    yield from of_each(every, WAYS, each, patch, only)
    yield from of_each(every, WAYS, each, string_edit, only)
