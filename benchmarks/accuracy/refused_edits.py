"""Edits that Suture refuses, each with its true place: what `answers` holds the refusals against.

They are the damaged and the stale edits of the benchmark, and more: stale edits of which several lines have changed,
and hunks with a wrong anchor, at the wrong end of a file, or in the wrong order. What the text of an edit says is never
used to know where it belongs.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from suture import PatchRejectedError, SutureError, UpdateFile, Workspace, parse, replace as replace_text
from suture.words.uncertain_place import Several
from suture.workspace import MemoryFiles

from . import cases, safety, spoil, spoil_strings, strings
from .ambiguity import places, squeezed, string_verdict, telling, verdict
from .change import envelope
from .spoil_habits import NARROW
from .spoil_headers import enclosing
from .spoil_lines import indent_of, one_piece, trimmed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture import Hunk, Problem

    from .change import Draft, Piece
    from .corpus import Change

    #: A draft and chance → the draft as it is written, and the lines of the file that it is sent for.
    Way = Callable[[Draft, random.Random], "tuple[Draft, Sequence[str]] | None"]


@dataclass(frozen=True, slots=True)
class SentHunk:
    """A hunk or string edit that was refused: the row of its answer, its lines, and the rows that it belongs to.

    Rows are counted from 0. A place without rows is gone from the file. `is_applied`: the file has its new lines there.
    """

    row: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    place: range
    is_applied: bool


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """An edit that was refused, the file it was sent for, and the answer."""

    name: str
    way: str
    form: str
    file: tuple[str, ...]
    edit: str
    answer: str
    hunks: tuple[SentHunk, ...]


# Files that have changed more than once, and hunks that name the wrong place.


def _several_lines_changed(draft: Draft, chance: random.Random) -> tuple[Draft, list[str]] | None:
    """Two to eight lines of a hunk have another word in the file."""
    lines = list(draft.before)
    piece = max(draft.truth, key=lambda piece: len(piece.old))
    rows = [row for row in range(piece.start, piece.start + len(piece.old)) if re.search(r"[a-z]{4}", lines[row])]
    if len(rows) < 4:
        return None
    for row in chance.sample(rows, min(len(rows) // 2, chance.randint(2, 8))):
        words = list(re.finditer(r"[A-Za-z_]{4,}", lines[row]))
        word = chance.choice(words)
        lines[row] = lines[row][: word.start()] + chance.choice(safety.WORDS) + lines[row][word.end() :]
    return draft, lines


def _lines_inserted(draft: Draft, chance: random.Random) -> tuple[Draft, list[str]] | None:
    """The file has one to six lines more in the middle of a hunk."""
    lines = list(draft.before)
    piece = chance.choice(draft.truth)
    if len(piece.old) < 2:
        return None
    at = piece.start + chance.randrange(1, len(piece.old))
    indent = indent_of(lines[at]) or indent_of(lines[at - 1])
    names = [f"{indent}{chance.choice(safety.WORDS)}_{number} = {number}" for number in range(chance.randint(1, 6))]
    lines[at:at] = names
    return draft, lines


def _lines_gone(draft: Draft, chance: random.Random) -> tuple[Draft, list[str]] | None:
    """The file has lost one to four lines in the middle of a hunk."""
    lines = list(draft.before)
    piece = chance.choice(draft.truth)
    size = chance.randint(1, 4)
    if len(piece.old) < size + 2:
        return None
    at = piece.start + chance.randrange(1, len(piece.old) - size)
    if not any(line.strip() for line in lines[at : at + size]):
        return None
    del lines[at : at + size]
    return draft, lines


def _too_little_context(draft: Draft, chance: random.Random) -> tuple[Draft, Sequence[str]] | None:
    """A hunk has so little context that its old lines occur two to nine times."""
    for piece in chance.sample(draft.truth, len(draft.truth)):
        for narrow in (trimmed(piece, *widths) for widths in NARROW):
            if any(map(telling, narrow.old)) and 1 < len(places(draft.before, narrow.old)) < 10:
                return replace(draft, truth=(narrow,), written=(narrow,)), draft.before
    return None


def _with_anchor(draft: Draft, chance: random.Random, anchor_of: Callable[[Piece], str]) -> Draft | None:
    def change(piece: Piece, _chance: random.Random) -> Piece | None:
        anchor = anchor_of(piece)
        return replace(piece, anchors=(anchor,), numbers=None, marked=True) if anchor else None

    return one_piece(draft, chance, change)


def _anchor_renamed(draft: Draft, chance: random.Random) -> tuple[Draft, Sequence[str]] | None:
    """The line that a hunk names after `@@` has another name in the file."""

    def anchor_of(piece: Piece) -> str:
        heads = enclosing(draft, piece)[-1:]
        words = [word for head in heads for word in re.finditer(r"[A-Za-z_]{5,}", head)]
        if not words:
            return ""
        word = words[-1]
        return heads[0][: word.start()] + chance.choice(safety.WORDS) + heads[0][word.end() :]

    written = _with_anchor(draft, chance, anchor_of)
    return None if written is None else (written, draft.before)


def _anchor_below(draft: Draft, chance: random.Random) -> tuple[Draft, Sequence[str]] | None:
    """A hunk names a line after `@@` that opens a block below its place."""

    def anchor_of(piece: Piece) -> str:
        below = draft.before[piece.start + len(piece.old) :]
        known = [line.strip() for line in draft.before[: piece.start + len(piece.old)]]
        heads = [line.strip() for line in below if re.match(r"\s*(?:def|class|func|function|fn|pub fn|#+) \w", line)]
        heads = [head for head in heads if not any(line.startswith(head) for line in known)]
        return chance.choice(heads) if heads else ""

    written = _with_anchor(draft, chance, anchor_of)
    return None if written is None else (written, draft.before)


def _wrong_end(draft: Draft, chance: random.Random) -> tuple[Draft, Sequence[str]] | None:
    """A hunk in the middle of the file says that it is at the end."""

    def mark(piece: Piece, _chance: random.Random) -> Piece | None:
        return replace(piece, at_end=True) if piece.start + len(piece.old) < len(draft.before) else None

    written = one_piece(draft, chance, mark)
    return None if written is None else (written, draft.before)


#: More ways in which an edit is refused.
STALE_WAYS: dict[str, Way] = {
    "several_lines_changed": _several_lines_changed,
    "lines_inserted": _lines_inserted,
    "lines_gone": _lines_gone,
    "too_little_context": _too_little_context,
}
HEADER_WAYS: dict[str, Way] = {
    "anchor_renamed": _anchor_renamed,
    "anchor_below": _anchor_below,
    "wrong_end": _wrong_end,
}


def refused_patches(changes: Sequence[Change], each: int) -> Iterator[RefusedEdit]:
    """The patches that are refused, at most so many edits of each way tried."""
    for way, change, draft, lines, text in cases.of_each(changes, spoil.names(), each, _spoilt_patch, ()):
        yield from _refused_patch(way, change, draft, lines, text)
    for way, change, draft, lines, text in cases.of_each(
        changes,
        (*safety.KINDS, *STALE_WAYS, *HEADER_WAYS),
        3 * each,
        lambda one, way: _stale_patch(one, way, changes),
        (),
    ):
        yield from _refused_patch(way, change, draft, lines, text)


def refused_strings(changes: Sequence[Change], each: int) -> Iterator[RefusedEdit]:
    """The string edits that are refused, at most so many edits of each way tried."""
    edits = [edit for edit in map(strings.edit_of, changes) if edit is not None]
    for way, edit, draft, lines, pair in cases.of_each(edits, spoil_strings.names(), each, _spoilt_string, ()):
        yield from _refused_string(way, edit, draft, lines, pair)
    for way, edit, draft, lines, pair in cases.of_each(
        edits, (*safety.KINDS, *STALE_WAYS), 3 * each, lambda one, way: _stale_string(one, way, edits), ()
    ):
        yield from _refused_string(way, edit, draft, lines, pair)


def _spoilt_patch(change: Change, way: str) -> tuple[str, Change, Draft, Sequence[str], str] | None:
    result = spoil.spoil(change.draft, way, change.name)
    if result is None or (not result.sure and verdict(result.draft) == "drop"):
        return None
    return way, change, result.draft, result.draft.before, result.text


def _stale_patch(
    change: Change, way: str, others: Sequence[Change]
) -> tuple[str, Change, Draft, Sequence[str], str] | None:
    if way in safety.KINDS:
        found = safety.stale_case(change, way, others, cases._spoilt_draft, cases.SPOILT_TOO)  # noqa: SLF001
    else:
        made = {**STALE_WAYS, **HEADER_WAYS}[way](change.draft, random.Random(f"{change.name}/{way}"))
        found = None if made is None else (made[0], list(made[1]), "")
    if found is None:
        return None
    draft, lines, _ = found
    return way, change, draft, lines, envelope(draft)


def _spoilt_string(
    edit: strings.Edit, way: str
) -> tuple[str, strings.Edit, Draft, Sequence[str], spoil_strings.Pair] | None:
    result = spoil_strings.spoil(edit.draft, way, edit.name, ends=edit.ends)
    if result is None or result.pair.old == result.pair.new:
        return None
    if string_verdict(result.draft, result.pair.old, result.pair.new, slips=result.slips) == "drop":
        return None
    return way, edit, result.draft, result.draft.before, result.pair


def _stale_string(
    edit: strings.Edit, way: str, others: Sequence[strings.Edit]
) -> tuple[str, strings.Edit, Draft, Sequence[str], spoil_strings.Pair] | None:
    def spoilt_draft(draft: Draft, how: str, seed: str) -> Draft | None:
        result = spoil_strings.spoil(draft, how, seed, ends=edit.ends)
        return None if result is None else result.draft

    if spoil_strings.moves_lines(edit.draft.written[0]):
        return None
    if way in safety.KINDS:
        found = safety.stale_case(edit, way, others, spoilt_draft, spoil_strings.SPOILT_TOO)
    else:
        made = STALE_WAYS[way](edit.draft, random.Random(f"{edit.name}/{way}"))
        found = None if made is None else (made[0], list(made[1]), "")
    if found is None:
        return None
    draft, lines, _ = found
    return way, edit, draft, lines, spoil_strings.pair_of(draft.written[0], ends=edit.ends)


def _refused_patch(way: str, change: Change, draft: Draft, lines: Sequence[str], text: str) -> Iterator[RefusedEdit]:
    files = MemoryFiles({draft.path: draft.text(lines)})
    try:
        Workspace(files).apply(text)
    except PatchRejectedError as refused:
        error = refused
    except SutureError:
        return
    else:
        return
    hunks = [
        hunk for operation in parse(text).operations if isinstance(operation, UpdateFile) for hunk in operation.hunks
    ]
    sent = [
        _sent_hunk(_row_of(problem), _hunk_of(problem, hunks), draft, lines, is_gone=way == "other_file")
        for problem in error.problems
    ]
    yield RefusedEdit(change.name, way, "patch", tuple(lines), text, error.for_model(), tuple(sent))


def _refused_string(
    way: str, edit: strings.Edit, draft: Draft, lines: Sequence[str], pair: spoil_strings.Pair
) -> Iterator[RefusedEdit]:
    try:
        replace_text(draft.text(lines), pair.old, pair.new, path=draft.path)
    except PatchRejectedError as refused:
        error = refused
    else:
        return
    old, new = (tuple(some.removesuffix("\n").split("\n")) for some in (pair.old, pair.new))
    piece = draft.written[0]
    place = range(0) if way == "other_file" else _true_place(draft, piece, lines)
    if pair.old.endswith("\n") and len(old) < len(place) and not lines[place.stop - 1].strip():
        # The newline at the end is that of the last line, or a blank line of its own: both say the same.
        place = place[:-1]
    hunk = SentHunk(_row_of(error.problems[-1]), old, new, place, _is_applied(lines, new, place))
    text = f"<<<<<<< old\n{pair.old}\n======= new\n{pair.new}\n>>>>>>>"
    yield RefusedEdit(edit.name, way, "string", tuple(lines), text, error.for_model(), (hunk,))


def _row_of(problem: Problem) -> str:
    """The name of the answer that a problem gets; `several_blocks` if an `@@` line can tell several places apart."""
    cause = problem.cause
    if isinstance(cause, Several) and cause.has_anchors and cause.places.has_blocks:
        return "several_blocks"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(cause).__name__).lower()


def _hunk_of(problem: Problem, hunks: Sequence[Hunk]) -> Hunk:
    """The hunk that a problem is about; where it names none, the first."""
    if problem.hunk is None:
        return hunks[0]
    line = problem.hunk.line
    return next((hunk for hunk in hunks if hunk.line == line), hunks[min(problem.hunk.number, len(hunks)) - 1])


def _sent_hunk(row: str, hunk: Hunk, draft: Draft, lines: Sequence[str], *, is_gone: bool) -> SentHunk:
    piece = max(draft.written, key=lambda piece: len(set(_stripped(piece.lines)) & set(_stripped(hunk.lines))))
    place = range(0) if is_gone else _true_place(draft, piece, lines)
    return SentHunk(row, tuple(hunk.old), tuple(hunk.new), place, _is_applied(lines, hunk.new, place))


def _is_applied(lines: Sequence[str], new: Sequence[str], place: range) -> bool:
    """Whether the new lines are at a place, or begin or end beside it."""
    near = lines[max(0, place.start - len(new)) : place.stop + len(new)]
    return bool(places([squeezed(line) for line in near], [squeezed(line) for line in new]))


def _stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


def _true_place(draft: Draft, piece: Piece, lines: Sequence[str]) -> range:
    """The rows of a file that a hunk of a draft belongs to; an empty range where they are gone.

    An insertion without any context belongs to the two lines around it.
    """
    end = piece.start + len(piece.old)
    true = [other for other in draft.truth if other.start < max(end, piece.start + 1)]
    true = [other for other in true if other.start + len(other.old) > piece.start]
    first = piece.start
    if true:
        changed = max(other.span()[1] for other in true)
        first = min(first, *(other.span()[0] for other in true))
        # A line that the edit made up is no line of the file.
        end = min(max(changed, end), max(other.start + len(other.old) for other in true))
    if first == end:
        first, end = max(0, first - 1), end + 1
    if tuple(lines) == draft.before:
        return range(first, min(end, len(lines)))
    place = range(_moved(draft.before, lines, first), _moved(draft.before, lines, end))
    # What is left of a place that was deleted are lines that are everywhere, or lines of its neighbors.
    left = [line for line in lines[place.start : place.stop] if telling(line)]
    is_deleted = len(place) < end - first and not set(left) & set(draft.before[first:end])
    return range(0) if is_deleted or not left else place


def _moved(before: Sequence[str], after: Sequence[str], row: int) -> int:
    """Where a row is after a file has changed: that of its line, or of what is there instead."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    if row <= head:
        return row
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    if row >= len(before) - tail:
        return row + len(after) - len(before)
    matcher = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if a + head <= row <= b + head and tag == "equal":
            return row + c - a
        if a + head <= row < b + head:
            return min(row + c - a, d + head)
    return row + len(after) - len(before)
