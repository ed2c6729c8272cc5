"""String edits from the same real changes: one hunk of each, as the text to find and the text to put there.

How much context an edit has is chance by its name, from none to three lines on either side, and more where the old text
would not be unique. Everything else is as for patches: the ways to spoil, the files that have moved on, what is right.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import safety, spoil_strings as spoil
from .ambiguity import places, spoken, squeezed, string_verdict
from .cases import Case, of_each
from .change import CONTEXT
from .corpus import Change
from .spoil_lines import trimmed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .change import Draft, Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class StringCase(Case):
    """One file, the text to find in it and the text to put there."""

    old: str
    new: str

    def shown(self) -> str:
        """Both texts."""
        return f"<<<<<<< old\n{self.old}\n======= new\n{self.new}\n>>>>>>>"


@dataclass(frozen=True, slots=True)
class Edit(Change):
    """A change of one hunk; `ends` tells whether its texts end in a newline."""

    ends: bool = False


def edit_of(change: Change) -> Edit | None:
    """One hunk of a change with some of its context, or nothing where no amount of it is unique."""
    chance = random.Random(f"{change.name}/string")
    piece = chance.choice(change.draft.truth)
    ends = chance.random() < 0.5
    blank_ends = chance.random() < 0.2
    widths = [chance.randrange(CONTEXT + 1), chance.randrange(CONTEXT + 1)]
    while True:
        narrow = trimmed(piece, *widths)
        if not blank_ends:
            narrow = _without_blank_ends(narrow)
        if _is_unique(change.draft, narrow, ends=ends):
            break
        if min(widths) >= CONTEXT:
            return None
        wider = widths.index(min(widths))
        widths[wider] += 1
    draft = replace(change.draft, truth=(narrow,), written=(narrow,))
    return Edit(change.package, change.number, draft, ends)


def _without_blank_ends(piece: Piece) -> Piece:
    """The hunk without blank context lines at its two ends: few would begin or end a quotation with one."""
    lead, tail = piece.lead(), piece.tail()
    while lead and not piece.lines[piece.lead() - lead].strip():
        lead -= 1
    while tail and not piece.lines[len(piece.lines) - 1 - (piece.tail() - tail)].strip():
        tail -= 1
    return trimmed(piece, lead, tail)


def _is_unique(draft: Draft, piece: Piece, *, ends: bool) -> bool:
    pair = spoil.pair_of(piece, ends=ends)
    one = replace(draft, truth=(piece,), written=(piece,))
    return bool(pair.old.strip()) and string_verdict(one, pair.old, pair.new) == "clear"


def spoilt(edit: Edit, way: str) -> StringCase | None:
    """The edit spoilt in that way; nothing where it does not apply or is not distinctive enough."""
    result = spoil.spoil(edit.draft, way, edit.name, ends=edit.ends)
    if result is None:
        return None
    draft, pair = result.draft, result.pair
    found = string_verdict(draft, pair.old, pair.new, slips=result.slips)
    if found == "drop" or pair.old == pair.new:
        return None
    return StringCase(
        name=edit.name,
        way=way,
        detail=result.detail,
        path=draft.path,
        before=draft.text(draft.before),
        after=draft.after(),
        old=pair.old,
        new=pair.new,
        expectation="refuse" if found == "refuse" else result.expectation,
    )


def stale(edit: Edit, kind: str, others: Sequence[Edit]) -> StringCase | None:
    """The edit against a file that has changed since; nothing where that does not apply."""

    def spoilt_draft(draft: Draft, way: str, seed: str) -> Draft | None:
        result = spoil.spoil(draft, way, seed, ends=edit.ends)
        return result.draft if result is not None else None

    if spoil.moves_lines(edit.draft.written[0]):
        return None
    result = safety.stale_case(edit, kind, others, spoilt_draft, spoil.SPOILT_TOO)
    if result is None:
        return None
    draft, lines, detail = result
    pair = spoil.pair_of(draft.written[0], ends=edit.ends)
    text = draft.text(lines)
    return StringCase(
        name=edit.name,
        way=kind,
        detail=detail,
        path=draft.path,
        before=text,
        after=text,
        old=pair.old,
        new=pair.new,
        expectation="refuse",
        safety=True,
        fits=_fits(text, lines, pair.old, draft.written, resent=kind in safety.RESENT),
        is_twin=spoken(squeezed(text), squeezed(pair.old)) == 1,
    )


def _fits(text: str, lines: Sequence[str], old: str, written: Sequence[Piece], *, resent: bool) -> bool:
    """Whether a stale edit still occurs in the file; see `safety.fits`."""
    inside_lines = spoken(text, old) - len(places(lines, written[0].old)) if resent else spoken(text, old) == 1
    return bool(inside_lines) or safety.fits(lines, written, resent=resent)


def make(
    changes: Sequence[Change], spoilt_each: int, stale_each: int, only: Collection[str] = ()
) -> Iterator[StringCase]:
    """At most so many cases of each way."""
    edits = [edit for edit in map(edit_of, changes) if edit is not None]
    yield from of_each(edits, spoil.names(), spoilt_each, spoilt, only)
    yield from of_each(edits, safety.KINDS, stale_each, lambda edit, kind: stale(edit, kind, edits), only)
