"""The page of dialects has what the scenarios tell, and they pin all that SPEC §2 says, as it says it."""

from __future__ import annotations

import re

import pytest
from tests.conformance import DOCS, PAGE, Outcome, clauses_of, outcomes, pinning, read_spec, renewed

from suture import DIALECTS

SPEC = read_spec((DOCS / "spec.md").read_text("utf-8"))
PINNED = [*SPEC.choices, *clauses_of(SPEC)]
CELLS = [pytest.param(choice, dialect, id=f"{choice}-{dialect}") for choice in SPEC.choices for dialect in DIALECTS]
#: Codes and reasons, where a cell names any.
_NAMED = re.compile(r"`(\w+_\w+)`")


def observed(what: str, dialect: str) -> dict[str, Outcome]:
    """How the scenarios that pin a choice or a clause end in a dialect, by their names."""
    ends = {scenario.name: outcomes(scenario) for scenario in pinning(what)}
    return {name: outcome[dialect] for name, outcome in ends.items() if dialect in outcome}


def is_refusal(outcome: Outcome) -> bool:
    return outcome.words.startswith("`")


def test_the_page_of_dialects_is_up_to_date() -> None:
    page = PAGE.read_text("utf-8")
    assert page == renewed(page), "docs/dialects.md is not what the scenarios tell: run `make conformance`"


def test_the_table_of_the_spec_is_read_as_it_stands() -> None:
    assert len(SPEC.choices) >= 22
    assert {tuple(words) for words in SPEC.choices.values()} == {tuple(DIALECTS)}
    assert all(words.values() for words in SPEC.choices.values())


def test_all_that_the_sentences_below_the_table_say_is_pinned() -> None:
    """A scenario quotes the clause that it pins, and nothing is left but the words between clauses."""
    rest = SPEC.sentences
    for clause in clauses_of(SPEC):
        assert clause in rest, "no choice and no sentence of SPEC §2"
        rest = rest.replace(clause, "")
    assert re.findall(r"\w+", rest.replace("In every dialect:", "")) == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("what", PINNED)
def test_every_choice_and_every_sentence_is_pinned_in_every_dialect(what: str, dialect: str) -> None:
    assert observed(what, dialect)


@pytest.mark.parametrize(("choice", "dialect"), CELLS)
def test_what_a_cell_of_the_spec_says_is_observed(choice: str, dialect: str) -> None:
    """Where a cell names a code, an error, a note or another dialect a scenario ends so; elsewhere one succeeds."""
    words, seen = SPEC.choices[choice][dialect], observed(choice, dialect)
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
