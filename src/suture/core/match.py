"""Where a hunk was placed, as a value. Light, because plans and receipts contain it."""

from __future__ import annotations

from .patch import Concession  # noqa: TC001 - `from_json` looks it up by its name
from .value import Value


class Match(Value):
    """Where a hunk went: the lines it covers (from 1; `end` is the last one, `start - 1` for an insertion), its tier,
    what was conceded, its score (1 if all lines are equal, less at `similar`), and the first lines of the rivals that
    constraints ruled out.

    Line numbers are those of the text that the hunk was matched against.
    """

    hunk: int
    start: int
    end: int
    tier: str
    concessions: tuple[Concession, ...]
    score: float
    rivals: tuple[int, ...]
