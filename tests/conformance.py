"""The table of docs/dialects.md: the choices of SPEC §2 in its words, each with the scenarios that pin it.

`python -m tests.conformance` writes it between its two marks. Nothing is run for it: `test_scenarios.py` proves that
the folders tell the truth, and `test_conformance.py` that the page has what they tell.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests.scenario import SCENARIOS, Scenario, Table

from suture import DIALECTS

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "dialects.md"
BEGIN = "<!-- Written by `make conformance` from docs/spec.md and tests/scenarios; changes are lost. -->\n"
END = "<!-- The end of what `make conformance` writes. -->\n"

_SECTION = re.compile(r"^## 2\. .*?\n(?P<text>.*?)^## ", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (?P<number>\d+)\. (?P<title>.+)$", re.MULTILINE)


class Spec(NamedTuple):
    """SPEC §2 as far as it is pinned: the choices with their words for each dialect, and the sentences below them."""

    choices: dict[str, dict[str, str]]
    sentences: str
    #: The sections of the page by their numbers, as links name them.
    sections: dict[str, str]


class Outcome(NamedTuple):
    """How a scenario ends in a dialect: in words, and what comes out where the dialects differ in it."""

    words: str
    result: str = ""

    def __str__(self) -> str:
        return self.words + (f" → {self.result}" if self.result else "")


def read_spec(page: str) -> Spec:
    """What a text of docs/spec.md says in §2."""
    section = _SECTION.search(page)
    assert section is not None, "docs/spec.md has no section 2"
    lines = section["text"].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    names = [cell.strip("`") for cell in rows[0][1:]]
    choices = {row[0]: dict(zip(names, row[1:], strict=True)) for row in rows[2:]}
    last = max(number for number, line in enumerate(lines) if line.startswith("|"))
    titles = {found["number"]: found["title"] for found in _HEADING.finditer(page)}
    links = {number: f"{number}-{title.lower().replace(' ', '-')}" for number, title in titles.items()}
    return Spec(choices, " ".join(" ".join(lines[last + 1 :]).split()), links)


def pinning(what: str) -> list[Scenario]:
    """The scenarios that pin a choice or a clause."""
    return [scenario for scenario in SCENARIOS if what in scenario.pins]


def clauses_of(spec: Spec) -> list[str]:
    """What scenarios pin of the sentences, in their order."""
    pinned = {what for scenario in SCENARIOS for what in scenario.pins} - spec.choices.keys()
    return sorted(pinned, key=spec.sentences.find)


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
    rows = []
    for scenario in pinning(what):
        ends = outcomes(scenario)
        link = f"[{scenario.name.replace('-', ' ')}](../tests/scenarios/{scenario.name})"
        rows.append(_row(link, *(str(ends.get(dialect, "")) for dialect in DIALECTS)))
    return "".join(rows)


def table(spec: Spec) -> str:
    """All of it as Markdown: the choices, and what else holds."""

    def linked(text: str) -> str:
        return re.sub(r"§(\d+)", lambda found: f"[{found[0]}](spec.md#{spec.sections[found[1]]})", text)

    head = [f"`{dialect}`" for dialect in DIALECTS]
    text = _row("choice", *head) + _row(*["---"] * 5)
    for choice, words in spec.choices.items():
        text += _row(f"**{linked(choice)}**", *(linked(words[dialect]) for dialect in DIALECTS)) + _pinned(choice)
    text += "\nWhat else it says there:\n\n" + _row("rule", *head) + _row(*["---"] * 5)
    for clause in clauses_of(spec):
        text += _row(f"**{linked(clause[0].upper() + clause[1:])}**", *[""] * 4) + _pinned(clause)
    return text


def renewed(page: str) -> str:
    """The page with the table as it is now."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, f"docs/dialects.md has no line {BEGIN!r}"
    assert end, f"docs/dialects.md has no line {END!r}"
    return f"{before}{BEGIN}\n{table(read_spec((DOCS / 'spec.md').read_text('utf-8')))}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
