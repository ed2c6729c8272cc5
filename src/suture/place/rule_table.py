"""All rules that forbid, as one table, from which docs/matching.md is made."""

from __future__ import annotations

from . import align, evidence, loose, refusals, replacers, syntax

#: Every rule, in the order in which they are asked.
RULES = (
    *align.RULES,
    *evidence.RULES,
    *loose.CONTEST_RULES,
    *refusals.CANDIDATE_RULES,
    *refusals.PLACE_RULES,
    *replacers.RULES,
    *syntax.RULES,
)
