"""Why an edit has no place, as a value: what refused it, and the evidence. `explain` puts it into words."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from .placement import Candidates

    Kind: TypeAlias = Literal[
        "already_applied",
        "anchor_missing",
        "changed_before",
        "disproportionate",
        "ends_with_newline",
        "indented_twice",
        "misplaced",
        "no_context",
        "not_found",
        "not_unique_reading",
        "out_of_time",
        "overlapping",
        "several",
        "unclear_escapes",
    ]


class Refusal(Value):
    """One hunk or edit that has no place."""

    kind: Kind
    #: The number of the hunk, from 0.
    number: int = 0
    #: The offsets of its places, of what is there already, or of the two ends of a place that is too long.
    starts: tuple[int, ...] = ()
    #: The tier or the replacer that found them.
    tier: str = ""
    #: The name of the rule that forbids the place.
    rule: str = ""
    #: The anchor that is missing, or the reading of an edit that is not unique.
    text: str = ""
    #: The number of another hunk that is in the way.
    other: int = -1
    #: The offsets of places that speak against those, and whether there may be more of both.
    others: tuple[int, ...] = ()
    cut_short: bool = False


def several_places(option: Candidates, rule: str = "") -> Refusal:
    """The refusal of a hunk that has several places, or one that the rule forbids."""
    starts = tuple([place.start for place in option.places])
    tier, others = option.places[0].tier, tuple(option.left_out)
    return Refusal("several", option.number, starts, tier, rule, others=others, cut_short=option.cut_short)
