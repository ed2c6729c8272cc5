"""Cases: a file, a patch text, and what a perfect tool would do with them.

A spoilt case expects the release's own bytes (`after`), a refusal, or allows either; `ambiguity` says which, by plain
code. A safety case expects a refusal. The same changes always make the same cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import safety, spoil
from .ambiguity import verdict
from .change import body, envelope, unified

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from .corpus import Change


@dataclass(frozen=True, slots=True)
class Case:
    """One file and one patch.

    `way` is the way to spoil, or the way in which the file moved on (`safety` is true then). `unified` and `body` are
    the same hunks for peers that do not read envelopes. `fits`: a stale patch still stands somewhere in the file.
    """

    name: str
    way: str
    detail: str
    path: str
    before: str
    after: str
    patch: str
    body: str
    unified: str
    expectation: spoil.Expectation
    safety: bool = False
    fits: bool = False


def spoilt(change: Change, way: str) -> Case | None:
    """The change spoilt in that way; nothing where it does not apply or says too little."""
    result = spoil.spoil(change.draft, way, change.name)
    if result is None:
        return None
    found = verdict(result.draft)
    if found == "drop":
        return None
    draft = result.draft
    return Case(
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
    )


def stale(change: Change, kind: str, others: Sequence[Change]) -> Case | None:
    """The change against a file that has moved on; nothing where that does not apply."""
    result = safety.stale_case(change, kind, others)
    if result is None:
        return None
    draft, lines, detail = result
    text = draft.text(lines)
    return Case(
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
        fits=safety.fits(lines, draft.written),
    )


def make(changes: Sequence[Change], spoilt_each: int, stale_each: int, only: Collection[str] = ()) -> Iterator[Case]:
    """At most so many cases of each way; every way starts at another change, so that together they use them all."""
    ways = spoil.names()
    for number, way in enumerate(ways):
        if not only or way in only:
            turned = _turned(changes, number / len(ways))
            yield from _first(spoilt_each, (spoilt(change, way) for change in turned))
    for number, kind in enumerate(safety.KINDS):
        if not only or kind in only:
            turned = _turned(changes, number / len(safety.KINDS))
            yield from _first(stale_each, (stale(change, kind, changes) for change in turned))


def _turned(changes: Sequence[Change], share: float) -> list[Change]:
    start = int(len(changes) * share)
    return [*changes[start:], *changes[:start]]


def _first(limit: int, cases: Iterator[Case | None]) -> Iterator[Case]:
    for case in cases:
        if limit <= 0:
            return
        if case is not None:
            limit -= 1
            yield case
