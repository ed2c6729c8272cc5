"""Ways to a text that is merged cleanly and wrong. Each of them is refused."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from suture.place.merge_checks import RULES
from suture.place.rebase import MergedText, merge_texts
from suture.place.rule import without
from suture.words.merge_conflict import MergeConflict

PYTHON = """\
import os
import re


def first(values):
    total = 0
    for value in values:
        total += value
    return total


def second(text):
    return text.strip()


def third(text):
    return re.sub("a", "b", text)
"""


class Attack(NamedTuple):
    """A text, what two sides make of it, and the rule that refuses the merge; empty where the changes meet."""

    path: str
    base: str
    current: str
    edited: str
    rule: str


def python(current: tuple[str, str], edited: tuple[str, str], rule: str) -> Attack:
    """An attack on a Python file, by the replacement that each side makes."""
    return Attack("a.py", PYTHON, PYTHON.replace(*current), PYTHON.replace(*edited), rule)


FOURTH = "def fourth(text):\n    return text.lower() or text\n\n\n"
JSON = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n'
YAML = "on:\n  push: main\n  tag: v1\n\nenv:\n  a: 1\n  b: 2\n"
GO = 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc A() {\n\tfmt.Println(1)\n}\n\nfunc B() {\n\tfmt.Println(2)\n}\n'
NUMBERS = [f"{number}\n" for number in range(24)]
BLOCK = "the first line of a block\nthe second line of it\nand the last one\n"
STANZAS = "[{\n  id: 1,\n  on: true\n}, {\n  id: 2,\n  on: true\n}]\n"

ATTACKS = {
    "the same function is added at two places": python(
        ("def first", FOURTH + "def first"),
        ("def third", FOURTH.replace("lower", "upper") + "def third"),
        "one-definition",
    ),
    "the same import is added at two places": python(
        ("import os\n", "import json\nimport os\n"), ("import re\n", "import re\nimport json\n"), "one-block"
    ),
    "an import goes that the edit uses": python(
        ("import os\n", ""), ("return text.strip()", "return os.path.join(text)"), "names-stay"
    ),
    "the edit removes an import that the file uses by now": python(
        ("return text.strip()", "return os.path.join(text)"), ("import os\n", ""), "names-stay"
    ),
    "a function is renamed that the edit calls": python(
        ("def second(text)", "def trim(text)"), ('return re.sub("a", "b", text)', "return second(text)"), "names-stay"
    ),
    "a variable is renamed that the edit uses": Attack(
        "a.py",
        PYTHON + "\n\ndef last():\n    total = 1\n    print(1)\n    print(2)\n    return 3\n",
        PYTHON + "\n\ndef last():\n    count = 1\n    print(1)\n    print(2)\n    return 3\n",
        PYTHON + "\n\ndef last():\n    total = 1\n    print(1)\n    print(2)\n    return total\n",
        "names-stay",
    ),
    "an import goes in a language without a parser": Attack(
        "a.go", GO, GO.replace('\t"os"\n', ""), GO.replace("Println(2)", "Println(os.Args)"), "names-stay"
    ),
    "a key is added twice": Attack(
        "a.json",
        JSON,
        JSON.replace('"a"', '"new": 1,\n  "a"'),
        JSON.replace('"d"', '"new": 2,\n  "d"'),
        "one-definition",
    ),
    "a key of YAML is added twice in one mapping": Attack(
        "a.yml",
        YAML,
        YAML.replace("  push", "  cron: 1\n  push"),
        YAML.replace("  tag: v1", "  tag: v1\n  cron: 2"),
        "one-definition",
    ),
    "both move the same block to different places": Attack(
        "a.txt",
        "".join([*NUMBERS[:12], BLOCK, *NUMBERS[12:]]),
        "".join([*NUMBERS[:2], BLOCK, *NUMBERS[2:]]),
        "".join([*NUMBERS[:22], BLOCK, *NUMBERS[22:]]),
        "one-block",
    ),
    "lines are quoted on one side, and a quoted text comes in among them": Attack(
        "a.py",
        "p = 1\nq = 2\nr = 3\ns = 4\nt = 5\n",
        'p = 1\n"""\nq = 2\nr = 3\ns = 4\n"""\nt = 5\n',
        'p = 1\nq = 2\nr = """x"""\ns = 4\nt = 5\n',
        "still-parses",
    ),
    "neighboring lines are changed": python(
        ("    total = 0\n", "    total = 1\n"), ("    for value in values:\n", "    for value in sorted(values):\n"), ""
    ),
    "a copy is inserted before the entry that the edit is about": Attack(
        "a.js",
        STANZAS,
        STANZAS.replace("[{\n  id: 1,\n", "[{\n  id: 0,\n  on: true\n}, {\n  id: 9,\n"),
        STANZAS.replace("id: 1,\n  on: true", "id: 1,\n  on: false"),
        "",
    ),
    "lines come in among equal lines of which one is changed": Attack(
        "a.txt", "go\ngo\ngo\nend\n", "go\nstop\ngo\nend\n", "go\ngo\ngo\ngo\nend\n", ""
    ),
    "layout changes, and something else too": Attack(
        "a.js",
        "call(a, b, c);\nother(1);\n",
        "call(\n  a,\n  b,\n  c\n);\nother(2);\n",
        "call(a, b, d);\nother(1);\n",
        "",
    ),
    "parentheses are set in another way": Attack(
        "a.py", "x = (a + b) * c\n", "x = a + (b * c)\n", "x = (a + b) * d\n", ""
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_merge_that_would_be_wrong_is_refused(name: str) -> None:
    attack = ATTACKS[name]
    assert len({attack.base, attack.current, attack.edited}) == 3, "both sides change the text"
    merged = merge_texts(attack.base, attack.current, attack.edited, attack.path)
    assert isinstance(merged, MergeConflict), merged
    assert merged.rule == attack.rule


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.rule])
def test_without_its_rule_the_wrong_text_would_be_merged(name: str) -> None:
    attack = ATTACKS[name]
    with without(attack.rule):
        assert isinstance(merge_texts(attack.base, attack.current, attack.edited, attack.path), MergedText)


def test_every_rule_has_an_attack() -> None:
    assert {attack.rule for attack in ATTACKS.values() if attack.rule} == {rule.name for rule in RULES}


def test_a_side_that_does_not_parse_is_not_a_fault_of_the_merge() -> None:
    base = "a = 1\n\nb = 2\n\nc = 3\n\nd = 4\n"
    current = base.replace("a = 1", "a = (1 +")
    assert isinstance(merge_texts(base, current, base.replace("d = 4", "d = 5"), "a.py"), MergedText)


def test_changes_that_only_look_like_these_are_merged() -> None:
    """The same names in other blocks, an import that stays, a word in a comment."""
    harmless = [
        python(("import os\n", "import os\nimport sys\n"), ("return text.strip()", "return os.path.join(text)"), ""),
        python(("import os\n", ""), ("return text.strip()", "return text.strip()  # not os"), ""),
        python(
            ("    total = 0\n", "    total = 0\n    name = 1\n"),
            ("    return text.strip()", "    name = 2\n    return name"),
            "",
        ),
        Attack(
            "a.yml", YAML, YAML.replace("  push", "  new: 1\n  push"), YAML.replace("  b: 2", "  b: 2\n  new: 2"), ""
        ),
    ]
    for case in harmless:
        assert isinstance(merge_texts(case.base, case.current, case.edited, case.path), MergedText), case
