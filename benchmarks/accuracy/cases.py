"""Cases: a file, an edit as a model wrote it, and what a perfect tool would do with them.

A spoilt case expects the release's own bytes (`after`), a refusal, or allows either; `ambiguity` says which, by plain
code. A safety case expects a refusal. The same changes always make the same cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from . import safety, spoil
from .ambiguity import verdict
from .change import body, envelope, unified

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from .change import Draft
    from .corpus import Change

_C = TypeVar("_C")
_T = TypeVar("_T")
#: Ways to spoil that make a stale patch harder to tell from a spoilt one.
SPOILT_TOO = (
    "outdented", "too_deep", "lost_trailing", "curly_old", "one_context_line", "wrong_character", "skipped_line",
    "invented_line", "no_context_after", "header_enclosing", "unified_wrong", "tabs_for_spaces",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One file and one edit of it.

    `way` is the way to spoil, or the way in which the file moved on (`safety` is true then). `fits`: a stale edit still
    occurs somewhere in the file. `is_twin`: it occurs there once, but for whitespace. `anchored`: a hunk has text after
    its `@@`.
    """

    name: str
    way: str
    detail: str
    path: str
    before: str
    after: str
    expectation: spoil.Expectation
    safety: bool = False
    fits: bool = False
    is_twin: bool = False
    anchored: bool = False

    def shown(self) -> str:
        """The edit as it was written, for a listing."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchCase(Case):
    """One file and one patch; `unified` and `body` are the same hunks for peers that do not read envelopes."""

    patch: str
    body: str
    unified: str

    def shown(self) -> str:
        """The envelope."""
        return self.patch


def spoilt(change: Change, way: str) -> PatchCase | None:
    """The change spoilt in that way; nothing where it does not apply or is not distinctive enough."""
    result = spoil.spoil(change.draft, way, change.name)
    if result is None:
        return None
    found = "clear" if result.sure else verdict(result.draft)
    if found == "drop":
        return None
    draft = result.draft
    return PatchCase(
        name=change.name,
        way=way,
        detail=result.detail,
        path=draft.path,
        before=draft.text(draft.before),
        after=draft.after(),
        patch=result.text,
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="refuse" if found == "refuse" else result.expectation,
        anchored=any(piece.anchors for piece in draft.written),
    )


def stale(change: Change, kind: str, others: Sequence[Change]) -> PatchCase | None:
    """The change against a file that has changed since; nothing where that does not apply."""
    result = safety.stale_case(change, kind, others, _spoilt_draft, SPOILT_TOO)
    if result is None:
        return None
    draft, lines, detail = result
    text = draft.text(lines)
    return PatchCase(
        name=change.name,
        way=kind,
        detail=detail,
        path=draft.path,
        before=text,
        after=text,
        patch=envelope(draft),
        body="\n".join(body(draft.written)),
        unified=unified(draft),
        expectation="refuse",
        safety=True,
        fits=safety.fits(lines, draft.written, resent=kind in safety.RESENT),
        anchored=any(piece.anchors for piece in draft.written),
    )


def _spoilt_draft(draft: Draft, way: str, seed: str) -> Draft | None:
    result = spoil.spoil(draft, way, seed)
    return result.draft if result is not None else None


def make(
    changes: Sequence[Change], spoilt_each: int, stale_each: int, only: Collection[str] = ()
) -> Iterator[PatchCase]:
    """At most so many cases of each way."""
    yield from of_each(changes, spoil.names(), spoilt_each, spoilt, only)
    yield from of_each(changes, safety.KINDS, stale_each, lambda change, kind: stale(change, kind, changes), only)


def of_each(
    changes: Sequence[_T],
    names: Sequence[str],
    each: int,
    make_one: Callable[[_T, str], _C | None],
    only: Collection[str],
) -> Iterator[_C]:
    """At most so many cases of each name; every one starts at another change, so that together they use them all."""
    for number, name in enumerate(names):
        if only and name not in only:
            continue
        start = int(len(changes) * number / len(names))
        left = each
        for change in chain(changes[start:], changes[:start]):
            if left <= 0:
                break
            case = make_one(change, name)
            if case is not None:
                left -= 1
                yield case
