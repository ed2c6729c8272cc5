"""What a rule is: a row with a name, a sentence and a condition, which can be switched off to see what it is good for.

Rules forbid, and what no rule forbids is allowed. They are where their evidence is made; `rule_table` has all of them.
"""

from __future__ import annotations

from contextlib import contextmanager

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

#: The names of the rules that are switched off.
_off: set[str] = set()
#: The names of the rules that have refused anything, for measurements.
spoken: set[str] = set()


class MatchRule(Value):
    """One reason to refuse: its name, the sentence that says it, and what gives something that speaks against."""

    name: str
    sentence: str
    against: Callable[[Any], object]


def rule(against: Callable[[Any], object]) -> MatchRule:
    """A condition as a rule: it has the condition's name, and what its docstring says."""
    return MatchRule(against.__name__.replace("_", "-"), " ".join((against.__doc__ or "").split()), against)


def first_refusal(rules: Sequence[MatchRule], evidence: object) -> tuple[MatchRule, Any] | None:
    """The first rule that forbids this evidence, and what it has against it."""
    for rule in rules:
        if rule.name in _off:
            continue
        against = rule.against(evidence)
        if against:
            spoken.add(rule.name)
            return rule, against
    return None


@contextmanager
def without(*names: str) -> Iterator[None]:
    """A context in which these rules are switched off; for tests and measurements, not for users."""
    _off.update(names)
    try:
        yield
    finally:
        _off.difference_update(names)
