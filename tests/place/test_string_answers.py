"""The texts that models read when a string edit is refused: `tests/golden/string-<name>.txt`, word for word.

A change of wording shows as a change of the golden files, to be read as a model reads it that sees nothing else. To
write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/place/test_string_answers.py

and look at `git diff tests/golden` before you commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.shared.goldens import APP, FOLDER, PATH, TABBED, compare

from suture import PatchRejectedError, multiedit, replace
from suture.core.readers import TOOL

if TYPE_CHECKING:
    from typing import Literal


class Case(NamedTuple):
    """The edits that a model sent, and the text that they were sent for."""

    edits: tuple[tuple[str, str], ...]
    content: str | bytes = APP
    replace_all: bool = False
    against: Literal["result", "original"] = "result"
    encoding: str | None = None


def edit(
    old: str, new: str, content: str | bytes = APP, *, replace_all: bool = False, encoding: str | None = None
) -> Case:
    """One edit."""
    return Case(((old, new),), content, replace_all, encoding=encoding)


CASES = {
    "not-found-near-miss": edit(
        '        check(path)\n        with open(path, "rb") as file:\n            text = file.read()',
        "        check(path)\n        with path.open() as file:\n            text = file.read()",
    ),
    "not-found-one-line": edit("        with open(path) as handle:", "        with path.open() as handle:"),
    "not-found-part-of-a-line": edit("file.load()", "file.read().strip()"),
    "not-found-at-all": edit("def render(template):\n    return template", "def render(template):\n    return None"),
    "not-found-in-an-empty-file": edit("x = 1", "x = 2", ""),
    "not-found-line-missing": edit(
        "    def read(self, path):\n        with open(path) as file:",
        "    def read(self, path):\n        with path.open() as file:",
    ),
    "not-found-lines-left-out": edit(
        "    def read(self, path):\n        # ... existing code ...\n        return text",
        "    def read(self, path):\n        # ... existing code ...\n        return text.strip()",
    ),
    "not-found-white-space": edit("\tstart( 1 )\n\tif ready {", "\tstart(2)\n\tif ready {", TABBED),
    "not-found-curly-quotes": edit(
        'say("it’s done")\nsay("all")\nsay("end")',
        'say("it is done")\nsay("all")\nsay("end")',
        'say("it\'s gone")\nsay("all")\nsay("end")\n',
    ),
    "not-found-escaped": edit(
        'print(\\"hello\\")\\nprint(\\"world\\")', 'print(\\"hello\\")', 'print("hello")\nprint("moon")\n'
    ),
    "not-found-line-numbers": edit(
        "7|         with open(path) as handle:\n8|             text = file.read()",
        "7|         with path.open() as file:\n8|             text = file.read()",
    ),
    "several-places": edit("        check(path)", "        look(path)"),
    "several-places-in-one-line": edit("text", "body", "text = text.strip()\n"),
    "several-places-many": edit("value = 1", "value = 2", "value = 1\n" * 40),
    "several-places-loose": edit("\tcheck(path)", "\tlook(path)"),
    "several-blocks-alike": edit(
        "begin(1)\nbeta = the(six)\nalpha = compute()\nfinish(1)",
        "begin(1)\nbeta = the(six)\nalpha = compute()\nfinish(2)",
        "begin(1)\nbeta = one\nalpha = compute()\nfinish(1)\nbegin(1)\nbeta = two\nalpha = compute()\nfinish(1)\n",
    ),
    "already-applied": edit("        return text\n\n\nclass Reader:", "        return text\n\n\nclass Writer:"),
    "already-applied-one-line": edit("import sys", "import os"),
    "already-applied-insertion": edit(
        "class Loader:\n",
        "class Loader:\n    def read(self, path):\n        check(path)\n        with open(path) as file:\n",
    ),
    "lines-removed-at-other-depths": edit(
        "one()\ntwo()\nthree()",
        "one()\nthree()",
        "def f():\n    if a:\n        one()\n        two()\n    three()\n",
    ),
    "disproportionate": edit("call( first, second )", "call(second)", "call(\n    first,\n    second\n)\n"),
    "placeholder": edit(
        "        check(path)\n        with open(path) as file:",
        "        look(path)\n        # ... rest of the code ...",
    ),
    "control-character": edit("import os", "import os\nBELL = '\x07'"),
    "character-not-in-the-encoding": edit("price", "€", b"price = 1\n", encoding="latin-1"),
    "empty-old": edit("", "import re\n"),
    "old-is-new": edit("import os", "import os"),
    "no-difference": edit("import os\r\n", "import os\n"),
    "binary": edit("a", "b", b"a\0b"),
    "line-numbers-not-unique": edit("6|         check(path)", "6|         look(path)"),
    "html-entities-not-unique": edit("a &lt; b", "a &gt; b", "a < b\na < b\n"),
    "list-first-fails": Case((("import sys", "import re"), ("class Loader:", "class Reader:"))),
    "list-later-fails": Case(
        (("import os\n", "import os\nimport re\n"), ("        with open(path) as handle:", "        pass"))
    ),
    "list-several-places": Case((("import os\n", "import os\nimport re\n"), ("        check(path)", "        x()"))),
    "list-no-change": Case((("import os", "import re"), ("import re", "import re"))),
    "indented-twice": edit("text = file.read()", "            text = file.read()\n            check(text)"),
    "unclear-escapes": edit(r"open(path, \"w\")", r"open(path, \"w\", newline=\"\n\")"),
    "white-space-alone": edit("      \n", "x\n"),
    "list-placeholder": Case((("import os", "import re"), ("class Loader:", "class Loader:\n    # existing code"))),
    "list-of-nothing": Case(()),
    "original-several-fail": Case((("import sys", "x = 1"), ("class Reader:", "class R:")), against="original"),
    "original-overlapping": Case(
        (("import os\n\n\nclass Loader:", "class Reader:"), ("class Loader:", "class Input:")), against="original"
    ),
    "original-overlapping-part-of-a-line": Case(
        (("open(path) as file", "path.open() as file"), ("with open(path)", "with closing(path)")), against="original"
    ),
}


def apply(case: Case) -> None:
    if len(case.edits) == 1:
        [(old, new)] = case.edits
        replace(case.content, old, new, case.replace_all, path=PATH, encoding=case.encoding)
    else:
        multiedit(case.content, case.edits, against=case.against, path=PATH, encoding=case.encoding)


def answer(case: Case) -> PatchRejectedError:
    """The refusal of a case, as a model gets it."""
    with pytest.raises(PatchRejectedError) as caught:
        apply(case)
    return caught.value.told_to(TOOL)


@pytest.mark.parametrize("name", CASES)
def test_an_answer_reads_as_its_golden_file(name: str) -> None:
    """A model is told the same words each time: those of the golden file."""
    text = answer(CASES[name]).for_model() + "\n"
    compare(f"string-{name}.txt", text)


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_short_names_the_file_and_ends_with_the_state_of_the_disk(name: str) -> None:
    error = answer(CASES[name])
    text = error.for_model()
    assert len(text.encode()) <= 4096
    assert text.endswith("\n\nNo file was changed.")
    for problem in error.problems:
        assert (problem.path, problem.details["path"], problem.hunk) == (PATH, PATH, None)
        assert problem.message in text
        assert problem.hint
        assert problem.hint in text


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if len(case.edits) > 1])
def test_an_answer_to_a_list_names_the_edit_by_its_number_and_as_data(name: str) -> None:
    """SPEC §6: "an error names the index"."""
    for problem in answer(CASES[name]).problems:
        number = problem.details["editIndex"]
        assert isinstance(number, int)
        assert problem.message.startswith(f"Edit {number + 1} of {len(CASES[name].edits)}")


def test_every_golden_file_has_its_case() -> None:
    """No golden file is left behind."""
    assert {file.stem for file in FOLDER.glob("string-*.txt")} == {f"string-{name}" for name in CASES}


def test_a_string_edit_is_never_called_a_hunk() -> None:
    """Who sent oldString and newString knows nothing of hunks, patches or @@."""
    for name, case in CASES.items():
        text = answer(case).for_model()
        for word in ("hunk", "Hunk", "@@", "patch"):
            assert word not in text, name
