"""Anchored hunks of real commits: sent once, sent twice, and sent after their block has lost the lines.

A hunk is `@@` with the line that opens the block around its first changed line, the innermost one or the one that
`git diff` names, and up to three lines of context. `line_blocks` says where a block ends. The ways:

- `placed_alone`: the old lines occur once in the file;
- `placed_twin`: they occur elsewhere too, but only once in the blocks of the anchor;
- `placed_twin_inside`: they occur several times in the blocks of the anchor; a refusal is right too;
- `sent_twice_alone`, `sent_twice`: the hunk is in the file, and the old lines occur nowhere, or only outside of its
  block; a second application is wrong;
- `sent_twice_inside`: the same where the block still has the old lines, such as the context of an insertion;
- `line_gone`: the old lines were removed from the block, and occur outside of it.

Undecidable: another line of the file begins with the text of the anchor, and its block has the old lines; or a hunk of
nothing but removed lines, which its block still has elsewhere.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.accuracy import repositories
from benchmarks.accuracy.ambiguity import places, telling
from benchmarks.accuracy.cases import PatchCase
from benchmarks.accuracy.change import CONTEXT, Draft, applied, body, envelope, unified
from benchmarks.accuracy.line_blocks import block_end, git_heading, section_above
from benchmarks.accuracy.peers import Answer
from benchmarks.accuracy.spoil_headers import openings
from benchmarks.accuracy.spoil_lines import trimmed

from .family import Family, Quota

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from benchmarks.accuracy.change import Piece
    from benchmarks.accuracy.corpus import Change
    from benchmarks.accuracy.spoil import Expectation

#: Few hunks have twins, so this family looks at so many times as many changes.
MORE_CHANGES = 4
DIALECTS = ("standard", "codex", "opencode")
WAYS = (
    "placed_alone",
    "placed_twin",
    "placed_twin_inside",
    "sent_twice_alone",
    "sent_twice",
    "sent_twice_inside",
    "line_gone",
)


@dataclass(frozen=True, slots=True)
class AnchoredHunk:
    """One hunk of a change with an anchor; `block` are the lines of the block that the anchor opens."""

    name: str
    draft: Draft
    piece: Piece
    block: range
    detail: str


def anchored_hunks(changes: Sequence[Change]) -> Iterator[AnchoredHunk]:
    """Every hunk of the changes that has a line to name, with none to three lines of context."""
    for change in changes:
        draft = change.draft
        for number, piece in enumerate(draft.truth):
            for context in range(CONTEXT + 1):
                narrow = trimmed(piece, context, context)
                name = f"{change.name}.{number}/{context}"
                anchor = _anchor(draft, narrow, random.Random(name))
                if anchor is None or not any(map(telling, narrow.old)):
                    continue
                opening, kind = anchor
                end = block_end(draft.before, opening, draft.path)
                block = range(opening, max(end, narrow.start + len(narrow.old)))
                anchored = replace(narrow, anchors=(draft.before[opening].strip(),))
                one = replace(draft, truth=(anchored,), written=(anchored,))
                yield AnchoredHunk(name, one, anchored, block, f"{context} context lines, {kind}")


def _anchor(draft: Draft, piece: Piece, chance: random.Random) -> tuple[int, str] | None:
    """The line above the hunk that opens a block around its first changed line, and a word on which one it is."""
    changed, _ = piece.span()
    candidates = []
    inner = openings(draft, trimmed(piece, 0, piece.tail()))
    if inner:
        candidates.append((inner[-1], "innermost block"))
    heading = git_heading(draft.before, changed)
    if heading is not None and block_end(draft.before, heading, draft.path) > changed:
        candidates.append((heading, "heading of git"))
    section = section_above(draft.before, changed, draft.path)
    if section is not None:
        candidates.append((section, "section"))
    above = [candidate for candidate in candidates if candidate[0] < piece.start]
    return chance.choice(above) if above else None


def _occurrences(lines: Sequence[str], piece: Piece) -> list[int]:
    """Where the old lines of a hunk occur, whitespace at the ends of lines aside."""
    return places([line.rstrip() for line in lines], [line.rstrip() for line in piece.old])


def _is_in_an_anchored_block(lines: Sequence[str], place: int, anchor: str, path: str) -> bool:
    """Whether a place is in the block of any line that begins with the text of the anchor."""
    openings_above = [i for i, line in enumerate(lines[:place]) if line.strip().startswith(anchor)]
    return any(place < block_end(lines, opening, path) for opening in openings_above)


def cases_of(hunk: AnchoredHunk) -> Iterator[PatchCase]:
    """The hunk sent once, sent twice and, where other lines of the file are equal, sent after its lines are gone."""
    yield _placed(hunk)
    yield _sent_twice(hunk)
    gone = _gone(hunk)
    if gone is not None:
        yield gone


def _placed(hunk: AnchoredHunk) -> PatchCase:
    before = hunk.draft.before
    [anchor] = hunk.piece.anchors
    twins = [place for place in _occurrences(before, hunk.piece) if place != hunk.piece.start]
    is_inside = any(
        place in hunk.block or _is_in_an_anchored_block(before, place, anchor, hunk.draft.path) for place in twins
    )
    if is_inside:
        return _case(hunk, "placed_twin_inside", before, hunk.draft.after(), "either")
    return _case(hunk, "placed_twin" if twins else "placed_alone", before, hunk.draft.after(), "after")


def _sent_twice(hunk: AnchoredHunk) -> PatchCase:
    lines = applied(hunk.draft.before, [hunk.piece])
    grown = len(lines) - len(hunk.draft.before)
    block = range(hunk.block.start, hunk.block.stop + grown)
    left = _occurrences(lines, hunk.piece)
    if not left:
        return _stale(hunk, "sent_twice_alone", lines, block, left)
    way = "sent_twice_inside" if any(place in block for place in left) else "sent_twice"
    return _stale(hunk, way, lines, block, left)


def _gone(hunk: AnchoredHunk) -> PatchCase | None:
    before, piece = hunk.draft.before, hunk.piece
    lines = [*before[: piece.start], *before[piece.start + len(piece.old) :]]
    block = range(hunk.block.start, hunk.block.stop - len(piece.old))
    left = _occurrences(lines, piece)
    if not left or any(place in block for place in left):
        return None
    return _stale(hunk, "line_gone", lines, block, left)


def _stale(hunk: AnchoredHunk, way: str, lines: Sequence[str], block: range, left: Sequence[int]) -> PatchCase:
    """The hunk and a file that it no longer belongs to; `left` are the places where its old lines still occur."""
    [anchor] = hunk.piece.anchors
    outside = [place for place in left if place not in block]
    is_undecidable = any(_is_in_an_anchored_block(lines, place, anchor, hunk.draft.path) for place in outside)
    if len(outside) < len(left) and len(hunk.piece.removed) == len(hunk.piece.lines):
        is_undecidable = True
    case = _case(hunk, way, lines, hunk.draft.text(lines), "refuse")
    return replace(case, safety=True, fits=is_undecidable)


def _case(hunk: AnchoredHunk, way: str, lines: Sequence[str], after: str, expectation: Expectation) -> PatchCase:
    draft = hunk.draft
    return PatchCase(
        name=hunk.name,
        way=way,
        detail=hunk.detail,
        path=draft.path,
        before=draft.text(lines),
        after=after,
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation=expectation,
        anchored=True,
    )


def ask(case: PatchCase, dialect: str) -> Answer:
    """Suture in a dialect."""
    from suture import UpdateFile, parse, update

    [operation] = parse(case.patch, dialect=dialect).operations
    assert isinstance(operation, UpdateFile), "BUG: every case is an update"
    done = update(case.before.encode(), operation.hunks, dialect=dialect, path=case.path)
    return Answer(done.text, tuple(match.tier for match in done.matches))


def make(paths: Iterable[Path], each: int, only: Collection[str]) -> Iterator[PatchCase]:
    """At most so many cases of each way."""
    hunks = anchored_hunks(repositories.load(paths, MORE_CHANGES))
    cases = (case for hunk in hunks for case in cases_of(hunk))
    return Quota(each, only or WAYS).take(cases)


def _tool_name(dialect: str) -> str:
    return "suture" if dialect == "standard" else f"suture, {dialect}"


FAMILY = Family(
    "hunks with an anchor, sent once, twice, and after their block has lost the lines",
    WAYS,
    make,
    {
        "suture" if dialect == "standard" else f"suture, {dialect}": partial(ask, dialect=dialect)
        for dialect in DIALECTS
    },
    cases_of_each=2_000,
)
