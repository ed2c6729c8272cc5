"""Ways to a text that is merged cleanly and wrong. Each of them is refused."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from suture.place.merge_checks import RULES
from suture.place.rebase import MergedText, merge_texts
from suture.place.rule import without
from suture.words.merge_conflict import MergeConflict

FOLDER = Path(__file__).parent

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
    """A text, what two sides make of it, and the rule that refuses the merge; empty where the changes meet.

    `also` is a rule that would refuse it without that one.
    """

    path: str
    base: str
    current: str
    edited: str
    rule: str
    also: str = ""


def cases(name: str) -> dict[str, dict[str, str]]:
    """The cases of a file: by their sentences, their fields and texts."""
    found: dict[str, dict[str, str]] = {}
    for case in (FOLDER / name).read_text("utf-8").split("=== ")[1:]:
        head, *texts = case.removesuffix("\n\n").rstrip("\n").split("\n--- ")
        sentence, *fields = head.split("\n")
        found[sentence] = dict(field.split(": ") for field in fields)
        found[sentence] |= {key: f"{text}\n" for key, _, text in [text.partition("\n") for text in texts]}
    return found


def python(current: tuple[str, str], edited: tuple[str, str], rule: str) -> Attack:
    """An attack on a Python file, by the replacement that each side makes."""
    return Attack("a.py", PYTHON, PYTHON.replace(*current), PYTHON.replace(*edited), rule)


FOURTH = "def fourth(text):\n    return text.lower() or text\n\n\n"
JSON = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n'
YAML = "on:\n  push: main\n  tag: v1\n\nenv:\n  a: 1\n  b: 2\n"
GO = 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc A() {\n\tfmt.Println(1)\n}\n\nfunc B() {\n\tfmt.Println(2)\n}\n'
NAMELESS = GO.replace("fmt.Println(1)", "x: func() {\n\t\tx()\n\t}")
NUMBERS = [f"{number}\n" for number in range(24)]
BLOCK = "the first line of a block\nthe second line of it\nand the last one\n"
STANZAS = "[{\n  id: 1,\n  on: true\n}, {\n  id: 2,\n  on: true\n}]\n"

TESTS = """\
describe('a', () => {
  it('one', () => {
    one();
  });

  it('two', () => {
    two();
  });
});
"""
CELL = '  {\n   "id": "n",\n   "source": "n = 1"\n  },\n'
NOTEBOOK = (
    '{\n "cells": [\n  {\n   "id": "a",\n   "source": ""\n  },\n  {\n   "id": "b",\n   "source": ""\n  }\n ]\n}\n'
)
PARAMETERS = "func f(a int, b int) {\n\tone()\n\ttwo()\n\tthree()\n}\n\nfunc g(c int) {\n}\n"
TABLE = "[a]\nx = 1\ny = 2\nz = 3\nw = 4\n"
CHANGELOG = "# Changes\n\n## Unreleased\n\n- a\n\n## 1.0\n\n- b\n"
CHECKED = """\
func A() error {
\tif err := a(); err != nil {
\t\treturn fmt.Errorf("it failed: %w", err)
\t}
\treturn nil
}

func B() error {
\treturn b()
}

func C() error {
\treturn c()
}
"""
CHECK = '\tif err := a(); err != nil {\n\t\treturn fmt.Errorf("it failed: %w", err)\n\t}\n'

LOOP = "def f(a):\n    x = 1\n    y = 2\n    z = 3\n    return a\n"
DECORATED = "def f():\n    pass\n\n\ny = 1\n"
LIST = "a:\n  - one\n  - two\n  - three\nb:\n  - four\n  - five\n"
SCRIPT = "const a = 1;\n\nfunction f() {\n  return 2;\n}\n\nfunction g() {\n  return 3;\n}\n"

SORTED = "const b = 1;\nconst a = 2;\n\nfunction first() {\n  return call(a, b);\n}\n"
LAID_OUT = "const a = 2;\nconst b = 1;\n\nfunction first() {\n  return call(\n    a,\n    b,\n  );\n}\n"
HELPER = "function helper() {\n  return 1;\n}\n\n"

USES = "use b;\nuse a;\nuse c;\n\nfn f() {}\n"
SORTED_USES = USES.replace("use b;\nuse a;", "use a;\nuse b;")
MORE_USES = USES.replace("use a;", "use a;\nuse d;")
IMPORTS = "from b import x\nfrom a import y\nimport os\n\nprint(x)\n"
SORTED_IMPORTS = "from a import y\nfrom b import x\nimport os\n\nprint(x)\n"

ATTACKS = {
    "imports are sorted, and one that is added gives another meaning to a name": Attack(
        "a.py", IMPORTS, SORTED_IMPORTS, IMPORTS.replace("import os", "from c import x\nimport os"), ""
    ),
    "imports are sorted, and the file adds one as well": Attack(
        "a.rs", USES, SORTED_USES.replace("use c;", "use c;\nuse e;"), MORE_USES, ""
    ),
    "imports are sorted, and the first one gets an attribute": Attack(
        "a.rs", USES, SORTED_USES, f"#[cfg(x)]\n{MORE_USES}", ""
    ),
    "both put imports in another order": Attack(
        "a.rs", USES, SORTED_USES, "use c;\nuse b;\nuse a;\nuse d;\n\nfn f() {}\n", ""
    ),
    "lines of a text are sorted that look like imports": Attack(
        "a.py",
        f'TEXT = """\n{IMPORTS}"""\n',
        f'TEXT = """\n{SORTED_IMPORTS}"""\n',
        f'TEXT = """\n{IMPORTS}"""\n'.replace("import os", "import os\nimport re").replace("from a", "from aa"),
        "",
    ),
    "texts are sorted that look like imports of Go": Attack(
        "a.go",
        'var x = f(\n\t"os"\n\t"fmt"\n)\n',
        'var x = f(\n\t"fmt"\n\t"os"\n)\n',
        'var x = f(\n\t"os"\n\t"io"\n\t"fmt"\n)\n',
        "",
    ),
    "a parameter is renamed, and a new line uses its old name": Attack(
        "a.py",
        LOOP,
        LOOP.replace("f(a)", "f(b)").replace("return a", "return b"),
        LOOP.replace("y = 2", "y = a"),
        "names-stay",
    ),
    "an import gets another name, and a new line uses the old one": python(
        ("import re\n", "import re as regex\n"), ("return text.strip()", 'return re.escape("x")'), "names-stay"
    ),
    "a constant of a script is renamed, and a new line uses its old name": Attack(
        "a.js", SCRIPT, SCRIPT.replace("const a", "const aa"), SCRIPT.replace("return 3", "return a"), "names-stay"
    ),
    "a decorator comes above a function, and another function between the two": Attack(
        "a.py", DECORATED, f"@wraps\n{DECORATED}", f"def e():\n    pass\n\n\n{DECORATED}", ""
    ),
    "items of a list are put in another order, and one of them is changed": Attack(
        "a.yaml",
        LIST,
        LIST.replace("  - one\n  - two\n  - three\n", "  - three\n  - one\n  - two\n"),
        LIST.replace("- two", "- second"),
        "",
    ),
    "a list is indented, and an item is added to it": Attack(
        "a.yaml", LIST, LIST.replace("  - ", "    - "), f"{LIST}  - six\n", ""
    ),
    "the last entry is removed with its comma, and another is added after it": Attack(
        "a.json",
        JSON,
        JSON.replace('  "d": 4\n', '  "d": 4,\n  "e": 5\n'),
        JSON.replace('"c": 3,\n  "d": 4\n', '"c": 3\n'),
        "",
    ),
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
    "a test with the same title is added twice to one block": Attack(
        "a.js",
        TESTS,
        TESTS.replace("  it('one'", "  it('new', () => {\n    a();\n  });\n\n  it('one'"),
        TESTS.replace("  it('two'", "  it('new', () => {\n    b();\n  });\n\n  it('two'"),
        "one-definition",
    ),
    "a cell of a notebook is added twice": Attack(
        "a.ipynb",
        NOTEBOOK,
        NOTEBOOK.replace('  {\n   "id": "a"', f'{CELL}  {{\n   "id": "a"'),
        NOTEBOOK.replace('  {\n   "id": "b"', f'{CELL.replace("1", "2")}  {{\n   "id": "b"'),
        "one-definition",
    ),
    "a parameter goes that a new line uses": Attack(
        "a.go",
        PARAMETERS,
        PARAMETERS.replace(", b int", ""),
        PARAMETERS.replace("three()", "three(b)"),
        "names-stay",
    ),
    "a header comes in above the end of a table, where a key is added": Attack(
        "a.toml", TABLE, TABLE.replace("y = 2\n", "\n[b]\ny = 2\n"), f"{TABLE}v = 5\n", "same-section"
    ),
    "a release is made, and an entry is added to what was not released": Attack(
        "CHANGELOG.md",
        CHANGELOG,
        CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n## 1.1\n"),
        CHANGELOG.replace("- a\n", "- a\n- d\n"),
        "same-section",
    ),
    "both add the same block, one of them with a line more": Attack(
        "a.txt",
        "".join(NUMBERS),
        "".join([*NUMBERS[:2], BLOCK, *NUMBERS[2:]]),
        "".join([*NUMBERS[:22], BLOCK, "more\n", *NUMBERS[22:]]),
        "one-block",
    ),
    "lines are quoted on one side, and one of them is edited": Attack(
        "a.py",
        "p = 1\nq = 2\nr = 3\ns = 4\nt = 5\n",
        'p = 1\n"""\nq = 2\nr = 3\ns = 4\n"""\nt = 5\n',
        "p = 1\nq = 2\nr = 5\ns = 4\nt = 5\n",
        "no-comment",
    ),
    "a key comes in above, and a table of the same name below": Attack(
        "a.toml", TABLE, f"b = 1\n{TABLE}", f"{TABLE}\n[b]\nx = 1\n", "still-parses"
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
    "lines are sorted, and a call gets another layout and another word, and the edit changes it": Attack(
        "a.js", SORTED, LAID_OUT.replace("    b,", "    c,"), SORTED.replace("a, b)", "a, b, 1)"), ""
    ),
    "a function goes and a call gets another layout, to which the edit adds that function": Attack(
        "a.js",
        f"{HELPER}{SORTED}",
        LAID_OUT,
        f"{HELPER}{SORTED}".replace("a, b)", "a, b, helper())"),
        "",
    ),
    **{name: Attack(**fields) for name, fields in cases("merge_attacks.txt").items()},
    **{name: Attack(**fields) for name, fields in cases("merge_uses_attacks.txt").items()},
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
    with without(attack.rule, attack.also):
        assert isinstance(merge_texts(attack.base, attack.current, attack.edited, attack.path), MergedText)


def test_every_rule_has_an_attack() -> None:
    assert {attack.rule for attack in ATTACKS.values() if attack.rule} == {rule.name for rule in RULES}


def test_a_side_that_does_not_parse_is_not_a_fault_of_the_merge() -> None:
    base = "a = 1\n\nb = 2\n\nc = 3\n\nd = 4\n"
    current = base.replace("a = 1", "a = (1 +")
    assert isinstance(merge_texts(base, current, base.replace("d = 4", "d = 5"), "a.py"), MergedText)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in cases("merge_harmless.txt").items()])
def test_a_merge_that_a_careful_person_would_make_is_made(case: dict[str, str]) -> None:
    merged = merge_texts(case["base"], case["current"], case["edited"], case["path"])
    assert isinstance(merged, MergedText), merged
    assert merged.text == case["merged"]


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
        # An entry of a section whose header is renamed, and one of a section that another one comes after.
        Attack("a.toml", TABLE, TABLE.replace("[a]", "[aa]"), f"{TABLE}v = 5\n", ""),
        Attack("a.md", CHANGELOG, f"{CHANGELOG}\n## 0.9\n\n- z\n", CHANGELOG.replace("- a\n", "- a\n- d\n"), ""),
        # A text that only looks like code, a version that both raise, and a parameter with a default.
        python(("    total = 0\n", ""), ("return text.strip()", "return '{total}'"), ""),
        Attack(
            "a.py",
            f'version = "1.2"\n\n{PYTHON}',
            f'version = "1.3"\n\n{PYTHON}'.replace("import re\n", "import re\nimport sys\n"),
            f'version = "1.3"\n\n{PYTHON}\n\nprint(1)\n',
            "",
        ),
        python(("def first(values)", "def first(values, start=0)"), ("return text.strip()", "return first(text)"), ""),
        # A function without a name gets a parameter.
        Attack(
            "a.go",
            NAMELESS,
            NAMELESS.replace("func() {", "func(a int) {"),
            NAMELESS.replace("fmt.Println(2)", "y: func() {\n\t\ty()\n\t}"),
            "",
        ),
        # Tests of different titles in one block; lines that the file has already; a function that one side renames and
        # the other defines; a name for what nobody needs.
        Attack(
            "a.js",
            TESTS,
            TESTS.replace("  it('one'", "  it('zero', () => {\n    zero();\n  });\n\n  it('one'"),
            TESTS.replace("  it('two'", "  it('three', () => {\n    three();\n  });\n\n  it('two'"),
            "",
        ),
        Attack(
            "a.go",
            CHECKED,
            CHECKED.replace("\treturn b()", f"{CHECK}\treturn b()"),
            CHECKED.replace("\treturn c()", f"{CHECK}\treturn c()"),
            "",
        ),
        python(
            (
                "def first(",
                "def total(",
            ),
            ("return text.strip()", "def first():\n        return 1\n\n    return text"),
            "",
        ),
        Attack(
            "a.go",
            CHECKED,
            CHECKED.replace("return b()", "x, _ := b()"),
            CHECKED.replace("\treturn c()", "\t_ = c"),
            "",
        ),
    ]
    for case in harmless:
        assert isinstance(merge_texts(case.base, case.current, case.edited, case.path), MergedText), case
