"""Scenarios pin every choice of docs/dialects.md in every dialect, and end as the page says."""

from __future__ import annotations

import re

import pytest
from tests.shared.conformance import DIALECTS_PAGE, PAGE, Outcome, outcomes, page, pinning, read_choices
from tests.shared.scenario import SCENARIOS

from suture import DIALECTS

TOLD = read_choices(DIALECTS_PAGE.read_text("utf-8"))
PINNED = [*TOLD.choices, *TOLD.rules]
CELLS = [pytest.param(choice, dialect, id=f"{choice}-{dialect}") for choice in TOLD.choices for dialect in DIALECTS]
#: Codes and reasons, where a cell names any.
_NAMED = re.compile(r"`(\w+_\w+)`")


def observed(what: str, dialect: str) -> dict[str, Outcome]:
    """How the scenarios that pin a choice or a clause end in a dialect, by their names."""
    ends = {scenario.name: outcomes(scenario) for scenario in pinning(what)}
    return {name: outcome[dialect] for name, outcome in ends.items() if dialect in outcome}


def is_refusal(outcome: Outcome) -> bool:
    return outcome.words.startswith("`")


def test_the_page_of_scenarios_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "tests/scenarios/README.md is out of date: run `make conformance`"


def test_the_tables_of_the_dialects_are_complete() -> None:
    assert len(TOLD.choices) >= 22
    assert len(TOLD.rules) >= 4
    assert all(all(words.values()) for words in TOLD.choices.values())


def test_what_scenarios_pin_is_on_the_page() -> None:
    assert {what for scenario in SCENARIOS for what in scenario.pins} == set(PINNED)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("what", PINNED)
def test_every_choice_and_every_rule_is_pinned_in_every_dialect(what: str, dialect: str) -> None:
    assert observed(what, dialect)


@pytest.mark.parametrize(("choice", "dialect"), CELLS)
def test_what_a_cell_says_is_observed(choice: str, dialect: str) -> None:
    """Where a cell names a code, an error, a note or another dialect a scenario ends so; elsewhere one succeeds."""
    words, seen = TOLD.choices[choice][dialect], observed(choice, dialect)
    for code in _NAMED.findall(words):
        assert any(f"`{code}`" in outcome.words for outcome in seen.values())
    if re.search(r"\berror\b", words):
        assert any(is_refusal(outcome) for outcome in seen.values())
    if re.search(r"\bnoted\b", words):
        assert any("noted: " in outcome.words for outcome in seen.values())
    as_another = re.fullmatch(r"as (\w+)", words)
    if as_another:
        other = observed(choice, as_another[1])
        assert seen.keys() & other.keys()
        assert [name for name in seen.keys() & other.keys() if seen[name].words != other[name].words] == []
    elif not _NAMED.search(words) and "error" not in words and words not in {"none", "–"}:
        assert any(not is_refusal(outcome) for outcome in seen.values())
