"""A few hundred cases of each kind from small files that the project wrote itself: no network, fast for tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from . import cases, corpus, strings, twins

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).parent / "data"
SPOILT_OF_EACH = 7
STALE_OF_EACH = 12
TWINS = 600


def changes() -> Iterator[corpus.Change]:
    """The changes between `data/<name>.before` and `data/<name>.after`, suffixes that no linter claims."""
    for before in sorted(DATA.glob("*.before")):
        texts = [path.read_bytes().decode() for path in (before, before.with_suffix(".after"))]
        yield from corpus.split_up("data", before.stem, *texts)


@cache
def quick_cases() -> list[cases.PatchCase]:
    """The patches, always the same ones."""
    return list(cases.make(list(changes()), SPOILT_OF_EACH, STALE_OF_EACH))


@cache
def quick_strings() -> list[strings.StringCase]:
    """The string edits, always the same ones."""
    return list(strings.make(list(changes()), SPOILT_OF_EACH, STALE_OF_EACH))


@cache
def quick_twins() -> list[cases.Case]:
    """The twins, always the same ones."""
    return list(twins.make(list(changes()), TWINS))
