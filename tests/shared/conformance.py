"""tests/scenarios/README.md: the choices of docs/dialects.md, each with the scenarios that pin it.

`python -m tests.shared.conformance` writes the page. Nothing is run for it: `test_scenarios.py` proves that the
scenarios are true, and `test_conformance.py` that they pin every choice and that the page is up to date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests.shared.scenario import FOLDER, SCENARIOS, Scenario, Table

from suture import DIALECTS

DIALECTS_PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"
PAGE = FOLDER / "README.md"
INTRODUCTION = """\
# Scenarios

Each folder is one sentence of behavior: a patch, the files before, and the files after or the problems. The tests run
all of them; `tests/shared/scenario.py` describes the files in a folder.

This page lists the scenarios that pin a choice of [docs/dialects.md](../../docs/dialects.md). Those in which the
dialects differ come first. `make conformance` writes it; don't edit it.

- *read*: the text is a patch. *applied*: it was applied. A code is a problem: nothing was changed.
- *noted*: the concessions that were used, and tiers looser than `exact`.
- `→` shows the result where dialects differ in it.
- *same*: as in `standard`. A cell is empty if the patch uses a header that the dialect doesn't have.
"""


class Choices(NamedTuple):
    """What docs/dialects.md says: for each choice the words for each dialect, and the other rules."""

    choices: dict[str, dict[str, str]]
    rules: list[str]


class Outcome(NamedTuple):
    """How a scenario ends in a dialect: in words, and what comes out where the dialects differ in it."""

    words: str
    result: str = ""

    def __str__(self) -> str:
        return self.words + (f" → {self.result}" if self.result else "")


def read_choices(page: str) -> Choices:
    """What a text of docs/dialects.md says in "What differs"."""
    section = page.split("\n## What differs\n")[1].split("\n## ", maxsplit=1)[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section.splitlines()
        if line.startswith("| ") and not line.startswith(("| choice |", "| --- |"))
    ]
    choices = {row[0]: dict(zip(DIALECTS, row[1:], strict=True)) for row in rows}
    rules = re.findall(r"^- (.+(?:\n  .+)*)$", section, re.MULTILINE)
    return Choices(choices, [" ".join(rule.split()) for rule in rules])


def pinning(what: str) -> list[Scenario]:
    """The scenarios that pin a choice or a rule."""
    return [scenario for scenario in SCENARIOS if what in scenario.pins]


def outcomes(scenario: Scenario) -> dict[str, Outcome]:
    """How a scenario ends in each of its dialects."""
    results = {
        dialect: _results(scenario, expected)
        for dialect in scenario.dialects
        if "problem" not in (expected := scenario.expected(dialect))
    }
    keys = {key for result in results.values() for key in result}
    differing = {key for key in keys if len({result.get(key) for result in results.values()}) > 1}
    return {
        dialect: Outcome(
            _words(scenario, scenario.expected(dialect)),
            ", ".join(_code(text) for key, text in results.get(dialect, {}).items() if key in differing),
        )
        for dialect in scenario.dialects
    }


def _words(scenario: Scenario, expected: Table) -> str:
    if "problem" in expected:
        told = [(problem["code"], problem.get("reason", "")) for problem in scenario.problems(expected)]
        return ", ".join(f"`{code}`{_because(code, reason)}" for code, reason in dict.fromkeys(told))
    matches = expected.get("matches", ())
    noted = [concession["name"] for concession in expected.get("concessions", ())]
    noted += [match["tier"] for match in matches if "tier" in match]
    noted += [name for match in matches for name in match.get("concessions", ())]
    done = "read" if "operations" in expected else "applied"
    changes = "".join(f": {change}" for change in [", ".join(map(_code, expected.get("changes", ())))] if change)
    notes = ", ".join(f"`{name}`" for name in dict.fromkeys(noted))
    return f"{done}{changes}" + (f", noted: {notes}" if notes else "")


def _because(code: str, reason: str) -> str:
    return f" (`{reason}`)" if code == "patch_apply_error" else ""


def _results(scenario: Scenario, expected: Table) -> dict[str, str]:
    """What comes out, piece by piece: files, or what was read."""
    if "operations" in expected:
        told = expected["operations"]
        return {str(number): _read(operation) for number, operation in enumerate(told)}
    if scenario.is_tree:
        return {path: f"{path}: {_shown(data)}" for path, data in scenario.tree(expected["after"]).items()}
    return {"": _shown((scenario.folder / expected["after"]).read_bytes())}


def _read(operation: Table) -> str:
    if "add" in operation:
        return json.dumps(operation["content"], ensure_ascii=False)
    return str(operation.get("delete") or operation["update"])


def _shown(data: bytes) -> str:
    return json.dumps(data.decode("utf-8", "backslashreplace"), ensure_ascii=False)


def _code(text: str) -> str:
    plain = text.replace("|", "\\|")
    return f"`` {plain} ``" if "`" in text else f"`{plain}`"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _pinned(what: str) -> str:
    differing: list[str] = []
    equal: list[str] = []
    for scenario in pinning(what):
        ends = {dialect: str(outcome) for dialect, outcome in outcomes(scenario).items()}
        cells = [ends.get("standard", "")]
        for dialect in list(DIALECTS)[1:]:
            cells.append("same" if ends.get(dialect) == cells[0] else ends.get(dialect, ""))
        rows = equal if set(cells[1:]) == {"same"} else differing
        rows.append(_row(f"[{scenario.name.replace('-', ' ')}]({scenario.name})", *cells))
    return "".join(differing + equal)


def page() -> str:
    """The whole page as Markdown."""
    text = INTRODUCTION
    told = read_choices(DIALECTS_PAGE.read_text("utf-8"))
    for what in (*told.choices, *told.rules):
        text += f"\n## {what.split('. ')[0].removesuffix('.')}\n\n"
        text += _row("scenario", *(f"`{dialect}`" for dialect in DIALECTS)) + _row(*["---"] * 5) + _pinned(what)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
