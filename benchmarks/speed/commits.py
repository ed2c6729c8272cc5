"""Hunks of commits of git repositories, bare and with an anchor: parse and update beside the Rust engine.

Only patches count that both apply rightly. The worst ratio is taken over files of more than 2 kB: below that a call of
either takes a few microseconds, and the ratio says little.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.accuracy.change import envelope
from benchmarks.accuracy.repositories import load, with_anchors
from benchmarks.speed.calls import codex, placed, right
from benchmarks.speed.clock import best, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.accuracy.corpus import Change

SMALL = 2_000
SIZES = (("all", 0, 1 << 30), ("up to 300 lines", 0, 300), ("over 1,000 lines", 1_001, 1 << 30))


@dataclass(frozen=True, slots=True)
class Timing:
    """The ratio to the Rust engine of one patch, and the size of its file."""

    ratio: float
    lines: int
    characters: int


def commits(repositories: Sequence[Path], *, quick: bool) -> dict[str, float]:
    """The same hunks with and without anchors."""
    changes = [with_anchors(change) for change in load(repositories)]
    chosen = [change for change in changes if any(piece.anchors for piece in change.draft.written)]
    del chosen[150 if quick else 600 :]
    figures: dict[str, float] = {}
    rows = []
    for name, selected in (("with an anchor", chosen), ("bare", [bare(change) for change in chosen])):
        timings = [timing for timing in (timed(change, quick=quick) for change in selected) if timing is not None]
        for size, least, most in SIZES:
            part = [timing for timing in timings if least <= timing.lines <= most]
            if not part:
                continue
            ratios = sorted(timing.ratio for timing in part)
            worst = max((timing.ratio for timing in part if timing.characters > SMALL), default=0.0)
            median, late = statistics.median(ratios), ratios[len(ratios) * 9 // 10]
            figures |= {f"commits {name}, {size} / codex": median, f"commits {name}, {size}, worst / codex": worst}
            rows.append((name, size, str(len(part)), f"{median:.2f}×", f"{late:.2f}×", f"{worst:.2f}×"))
    print("## Hunks of commits: parse + update, ratio to codex-apply-patch (Rust)\n")
    print(table(("hunks", "files", "cases", "median", "90%", "worst over 2 kB"), rows), end="\n\n")
    return figures


def bare(change: Change) -> Change:
    """The change without anchors."""
    draft = change.draft
    return replace(change, draft=draft.with_written(replace(piece, anchors=()) for piece in draft.written))


def timed(change: Change, *, quick: bool) -> Timing | None:
    """How long both take; nothing where one of them is not right."""
    draft = change.draft
    text, patch_text = draft.text(draft.before), envelope(draft)
    peer = codex(text, patch_text, draft.path)
    answer = peer()
    if not right(text, patch_text, draft.after()) or isinstance(answer, Exception):
        return None
    if getattr(answer, "files", {}).get(draft.path) != draft.after():
        return None
    calls = {"suture": lambda: placed(text, patch_text), "codex": peer}
    times = best(calls, rounds=3 if quick else 7, each=15 if len(text) < 100_000 else 3)
    return Timing(times["suture"] / times["codex"], len(draft.before), len(text))
