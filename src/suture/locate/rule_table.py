"""All rules that forbid, as one table: what a slip is not, what a loose place needs, what no place may be.

`without` switches rules off, for tests and measurements. docs/matching.md is made from this table.
"""

from __future__ import annotations

from . import evidence, loose, refusals, syntax, typos
from .rule import without

__all__ = ["RULES", "without"]

#: Every rule, in the order in which they are asked.
RULES = (
    *typos.RULES,
    *evidence.RULES,
    *loose.CONTEST_RULES,
    *refusals.CANDIDATE_RULES,
    *refusals.PLACE_RULES,
    *syntax.RULES,
)
