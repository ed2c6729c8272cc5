"""What a family of cases is: the names of its ways, how its cases are made, and the tools that are asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.accuracy import peers, string_peers
from benchmarks.accuracy.cases import Case
from benchmarks.accuracy.strings import StringCase

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from benchmarks.accuracy.cases import PatchCase
    from benchmarks.accuracy.peers import Answer

_C = TypeVar("_C", bound=Case)


@dataclass(frozen=True, slots=True)
class Family:
    """A family of cases.

    `make` takes the repositories, how many cases of each way it may make, and the names of the ways to make (all if
    there are none). The first of the `tools` is Suture, as the table of the ways has it; the others stand beside it.
    """

    about: str
    ways: tuple[str, ...]
    make: Callable[[Iterable[Path], int, Collection[str]], Iterable[Case]]
    tools: Mapping[str, Callable[[Any], Answer]]
    cases_of_each: int


class Quota:
    """How many cases of each way are still to be made."""

    def __init__(self, each: int, ways: Iterable[str]) -> None:
        self._left = Counter(dict.fromkeys(ways, each))

    def is_open(self, way: str) -> bool:
        """Whether another case of a way is asked for."""
        return self._left[way] > 0

    def take(self, cases: Iterable[_C]) -> Iterator[_C]:
        """The cases that are asked for; no more are made than are needed."""
        for case in cases:
            if self.is_open(case.way):
                self._left[case.way] -= 1
                yield case
            if not self._left.total():
                return


def ask_suture(case: PatchCase | StringCase) -> Answer:
    """Suture on a patch or on a string edit."""
    return string_peers.suture(case) if isinstance(case, StringCase) else peers.suture(case)
