"""Files that have moved on, so that only a refusal is right.

Each way takes a draft and chance and gives the lines of a file to which the patch no longer belongs, or nothing where
it does not apply. A success on such a file is wrong, unless every hunk still fits exactly somewhere in it: then no
text can tell, and the case is listed as undecidable. `fits` decides that by plain code. An insertion that is sent again
fits where its context is on one side; since its lines are right there, that is no excuse.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .ambiguity import places, telling
from .change import applied
from .spoil_lines import trimmed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .change import Draft, Piece
    from .corpus import Change

    #: Lines of the file, by index, and what takes their place.
    Edits = dict[int, list[str]]
    Edit = Callable[[Draft, Piece, random.Random], "Edits | None"]
    #: A draft, the name of a way to spoil it, and a seed → the draft spoilt.
    Spoiling = Callable[[Draft, str, str], "Draft | None"]

CODE = frozenset(".py .pyi .js .mjs .ts .sh .go".split())
OPERATORS = (
    (" == ", " != "), (" != ", " == "), (" <= ", " > "), (" >= ", " < "), (" < ", " >= "), (" > ", " <= "),
    (" + ", " - "), (" - ", " + "), (" += ", " -= "), (" and ", " or "), (" or ", " and "), (" && ", " || "),
    (" || ", " && "), (" is not ", " is "), (" is ", " is not "), (" not in ", " in "), (" in ", " not in "),
    ("True", "False"), ("False", "True"), ("true", "false"), ("false", "true"), ("===", "!=="), (" * ", " / "),
    (" not ", " "),
)  # fmt: skip
WORDS = ("registry", "payload", "threshold", "snapshot", "ledger", "resolver", "quota", "beacon")


def _deleted_place(_draft: Draft, piece: Piece, _chance: random.Random) -> Edits | None:
    return {piece.start + i: [] for i in range(len(piece.old))}


def _removed_at(piece: Piece) -> list[tuple[int, str]]:
    """Index in the file and text of each removed line."""
    old = [line for line in piece.lines if line[0] != "+"]
    return [(piece.start + i, line[1:]) for i, line in enumerate(old) if line[0] == "-"]


def _deleted_removed(_draft: Draft, piece: Piece, _chance: random.Random) -> Edits | None:
    removed = _removed_at(piece)
    return {i: [] for i, _ in removed} if any(line.strip() for _, line in removed) else None


def _changed(piece: Piece, chance: random.Random, change: Callable[[str], str | None]) -> Edits | None:
    removed = _removed_at(piece)
    for i, line in chance.sample(removed, len(removed)):
        other = change(line)
        if other is not None and other != line:
            return {i: [other]}
    return None


def _number(_draft: Draft, piece: Piece, chance: random.Random) -> Edits | None:
    def change(line: str) -> str | None:
        found = list(re.finditer(r"\d+", line))
        if not found:
            return None
        spot = chance.choice(found)
        other = str(int(spot[0]) + chance.choice((1, 2, 7, 10)))
        return line[: spot.start()] + other + line[spot.end() :]

    return _changed(piece, chance, change)


def _name(_draft: Draft, piece: Piece, chance: random.Random) -> Edits | None:
    def change(line: str) -> str | None:
        found = list(re.finditer(r"[A-Za-z_]\w{2,}", line))
        if not found:
            return None
        spot = chance.choice(found)
        word = chance.choice(WORDS)
        other = chance.choice((word, f"{spot[0]}_{word}", f"{word}_{spot[0]}", f"old_{spot[0]}", f"{spot[0]}_v2"))
        return line[: spot.start()] + other + line[spot.end() :]

    return _changed(piece, chance, change)


def _operator(draft: Draft, piece: Piece, chance: random.Random) -> Edits | None:
    if PurePosixPath(draft.path).suffix not in CODE:
        return None

    def change(line: str) -> str | None:
        found = [(old, new) for old, new in OPERATORS if old in line]
        return line.replace(*chance.choice(found), 1) if found else None

    return _changed(piece, chance, change)


EDITS: dict[str, Edit] = {
    "place_deleted": _deleted_place,
    "removed_deleted": _deleted_removed,
    "number_changed": _number,
    "name_changed": _name,
    "operator_changed": _operator,
}
#: Insertions that are sent again after they were applied: of one line, of two, and of more.
RESENT = {"resent_1_line": (1, 1), "resent_2_lines": (2, 2), "resent_3_lines": (3, 80)}
KINDS = (*EDITS, "already_applied", "applied_then_edited", "two_at_once", "other_file", "stale_and_spoilt", *RESENT)


def _edited(before: Sequence[str], edits: Edits) -> list[str]:
    lines: list[str] = []
    for i, line in enumerate(before):
        lines += edits.get(i, [line])
    return lines


def _one_edit(draft: Draft, edit: Edit, chance: random.Random) -> Edits | None:
    for piece in chance.sample(draft.truth, len(draft.truth)):
        edits = edit(draft, piece, chance)
        if edits:
            return edits
    return None


def _two_edits(draft: Draft, chance: random.Random) -> Edits | None:
    first, second = chance.choices(list(EDITS.values()), k=2)
    one, two = _one_edit(draft, first, chance), _one_edit(draft, second, chance)
    if not one or not two or one.keys() & two.keys():
        return None
    return one | two


def stale(draft: Draft, kind: str, chance: random.Random) -> list[str] | None:
    """The lines of a file that has changed in the way of that name."""
    if kind == "already_applied":
        return applied(draft.before, draft.truth)
    if kind == "applied_then_edited":
        return _applied_then_edited(draft, chance)
    edits = _two_edits(draft, chance) if kind == "two_at_once" else _one_edit(draft, EDITS[kind], chance)
    return None if edits is None else _edited(draft.before, edits)


def _applied_then_edited(draft: Draft, chance: random.Random) -> list[str] | None:
    """The patch is in the file, and one of the lines that it added was changed since."""
    after = applied(draft.before, draft.truth)
    added = {line for piece in draft.truth for line in piece.added if re.search(r"[A-Za-z_]\w{2,}", line)}
    spots = [i for i, line in enumerate(after) if line in added]
    if not spots:
        return None
    at = chance.choice(spots)
    after[at] = re.sub(r"[A-Za-z_]\w{2,}", chance.choice(WORDS), after[at], count=1)
    return after


def fits(lines: Iterable[str], pieces: Iterable[Piece], *, resent: bool = False) -> bool:
    """Whether every hunk, as written, occurs somewhere in the file, trailing whitespace aside.

    Of a `resent` insertion a place does not count where the added lines are there already.
    """
    file = [line.rstrip() for line in lines]
    return all(
        any(
            not (resent and _is_there(file, piece, place))
            for place in places(file, [line.rstrip() for line in piece.old])
        )
        for piece in pieces
    )


def _is_there(file: list[str], piece: Piece, place: int) -> bool:
    """Whether the lines that a hunk inserts are right before or after the point of the insertion."""
    added = [line.rstrip() for line in piece.added]
    at = place + piece.lead()
    return added in (file[at : at + len(added)], file[max(0, at - len(added)) : at])


def _resent(draft: Draft, kind: str, chance: random.Random) -> tuple[Draft, list[str], str] | None:
    """One insertion of a draft with some of its context, and the file that has it already."""
    least, most = RESENT[kind]
    before = {line.strip() for line in draft.before}
    for piece in chance.sample(draft.truth, len(draft.truth)):
        new = [line for line in piece.added if telling(line) and line.strip() not in before]
        inner = piece.lines[piece.lead() : len(piece.lines) - piece.tail()]
        if new and least <= len(piece.added) <= most and all(line[0] == "+" for line in inner):
            lead, tail = chance.choice(((3, 3), (3, 3), (1, 1), (3, 0), (1, 0), (0, 3), (0, 1)))
            narrow = trimmed(piece, lead, tail)
            if any(map(telling, narrow.old)):
                detail = "context on both sides" if narrow.lead() and narrow.tail() else "context on one side"
                one = replace(draft, truth=(narrow,), written=(narrow,))
                return one, applied(draft.before, one.truth), detail
    return None


def stale_case(
    change: Change, kind: str, others: Sequence[Change], spoil: Spoiling, spoilt_too: Sequence[str]
) -> tuple[Draft, list[str], str] | None:
    """The draft as written, the lines of the file that moved on, and a word on how.

    `spoil` spoils a draft in a way by name; `spoilt_too` are the ways that make a stale edit harder to tell.
    """
    chance = random.Random(f"{change.name}/{kind}")
    draft = change.draft
    if kind == "other_file":
        fitting = [
            other
            for other in others
            if other.source == change.source
            and other.draft.path != draft.path
            and PurePosixPath(other.draft.path).suffix == PurePosixPath(draft.path).suffix
        ]
        if not fitting:
            return None
        other = chance.choice(fitting)
        return draft, list(other.draft.before), other.draft.path
    if kind in RESENT:
        return _resent(draft, kind, chance)
    if kind != "stale_and_spoilt":
        lines = stale(draft, kind, chance)
        return None if lines is None or tuple(lines) == draft.before else (draft, lines, "")
    how, spoilt_by = chance.choice((*EDITS, "already_applied")), chance.choice(spoilt_too)
    spoilt = spoil(draft, spoilt_by, change.name)
    if spoilt is None:
        return None
    lines = stale(spoilt, how, chance)
    if lines is None or tuple(lines) == spoilt.before:
        return None
    return spoilt, lines, f"{how} + {spoilt_by}"
