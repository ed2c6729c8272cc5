"""Every rule of the engine has a name, a sentence, and a case that goes wrong without it.

A file in `tests/rules` is the case of the rule of that name: a content, hunks or a string edit that it refuses, and a
sentence about it for docs/matching.md.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import Hunk, SutureError, replace, update
from suture.place.rule import without
from suture.place.rule_table import RULES

if TYPE_CHECKING:
    from typing import Any

#: Whether the page is written anew.
WRITES = os.environ.get("SUTURE_GOLDEN") == "write"
FOLDER = Path(__file__).parents[1] / "rules"
PAGE = Path(__file__).parents[2] / "docs" / "matching.md"
EFFECTS = Path(__file__).parents[2] / "benchmarks" / "accuracy" / "rule_effects.json"
NAMES = [rule.name for rule in RULES]


def result_of(case: dict[str, Any]) -> str | None:
    """The text after the edit of a case; None where it is refused."""
    try:
        if "old" in case:
            return str(replace(case["content"], case["old"], case["new"], path=case["path"]).text)
        hunks = [
            Hunk(
                tuple(hunk["lines"]),
                tuple(hunk.get("anchors", ())),
                hunk.get("at_end", False),
                bare=tuple(hunk.get("bare", ())),
            )
            for hunk in case["hunks"]
        ]
        return str(update(case["content"], hunks, path=case["path"]).text)
    except SutureError:
        return None


def test_rules_have_names_of_their_own() -> None:
    assert len(NAMES) == len(set(NAMES))


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_refused_because_of_its_rule(name: str) -> None:
    """STYLE: "a scenario that fails when the row is switched off"."""
    case = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    assert result_of(case) is None
    with without(name):
        assert result_of(case) is not None
    assert result_of(case) is None


def test_the_page_about_matching_lists_the_rules() -> None:
    examples = {name: tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))["example"] for name in NAMES}
    measured = json.loads(EFFECTS.read_text("utf-8"))
    assert list(measured["rules"]) == NAMES, "run benchmarks.accuracy.rule_effects"
    effects = {
        name: f"{effect.get('wrong', 0)} / {effect.get('exact', 0)}" for name, effect in measured["rules"].items()
    }
    table = "".join(
        [f"| `{rule.name}` | {rule.sentence} | {examples[rule.name]} | {effects[rule.name]} |\n" for rule in RULES]
    )
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition("<!-- rules -->\n")
    after = rest.partition("<!-- /rules -->")[2]
    head = "| rule | says | refused, for example | prevents / costs |\n| --- | --- | --- | ---: |\n"
    expected = f"{before}<!-- rules -->\n{head}{table}<!-- /rules -->{after}"
    if WRITES:
        PAGE.write_text(expected, "utf-8")
    assert page == expected or WRITES
    assert f"{measured['cases']:,} edits" in page
