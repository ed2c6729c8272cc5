"""Whole definitions by name: replaced or added where the name is unique, and refused otherwise."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.place.change_definitions import insert_definition, replace_definition
from suture.place.definitions import definitions_in

PYTHON = """\
import os


# Reads.
class Loader:
    @property
    def path(self):
        return self._path

    def read(self):
        return open(self.path).read()


class Writer:
    def read(self):
        return None


if os.name == "posix":

    def main():
        pass
"""


def test_the_names_of_a_file_are_qualified() -> None:
    names = [one.name for one in definitions_in("a.py", PYTHON) or []]
    assert names == ["Loader", "Loader.path", "Loader.read", "Writer", "Writer.read", "main"]


def test_a_method_is_replaced_at_its_own_indentation() -> None:
    after = replace_definition(PYTHON, "Loader.read", "def read(self):\n    return 1\n", path="a.py")
    assert after == PYTHON.replace("return open(self.path).read()", "return 1")


@pytest.mark.parametrize("name", ["path", "Loader.path", "Loader/path", "path()"])
def test_decorators_stay_unless_the_text_has_some(name: str) -> None:
    kept = replace_definition(PYTHON, name, "def path(self):\n    return 1", path="a.py")
    assert kept == PYTHON.replace("return self._path", "return 1")
    other = replace_definition(PYTHON, name, "@cached\ndef path(self):\n    return 1", path="a.py")
    assert other == kept.replace("@property", "@cached")


def test_a_comment_above_is_replaced_by_one_of_the_text() -> None:
    after = replace_definition(PYTHON, "Writer", "# Writes.\nclass Writer:\n    pass", path="a.py")
    assert "\n\n\n# Writes.\nclass Writer:\n    pass\n\n\nif" in after
    after = replace_definition(PYTHON, "Loader", "# Other.\nclass Loader:\n    pass", path="a.py")
    assert after.startswith("import os\n\n\n# Other.\nclass Loader:\n    pass\n\n\nclass Writer")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("read", "def read(self):\n    pass", "several_definitions"),
        ("nothing", "def nothing():\n    pass", "no_definition"),
        ("main", "def other():\n    pass", "other_name"),
        ("main", "x = 1", "not_a_definition"),
        ("main", "def main(:\n    pass", "syntax_error"),
        ("main", "def main():\n    # ... existing code ...\n    return 1", "placeholder"),
    ],
)
def test_what_is_not_certain_is_refused(name: str, text: str, reason: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        replace_definition(PYTHON, name, text, path="a.py")
    assert raised.value.problems[0].details["reason"] == reason
    if reason == "no_definition":
        assert "Loader.path" in str(raised.value)


def test_a_rename_has_to_be_said() -> None:
    after = replace_definition(PYTHON, "main", "def run():\n    pass", path="a.py", renames=True)
    assert after == PYTHON.replace("def main", "def run")


def test_a_definition_is_added_with_the_space_that_its_neighbors_have() -> None:
    after = insert_definition(PYTHON, "Loader.read", "def close(self):\n    pass", path="a.py")
    assert ".read()\n\n    def close(self):\n        pass\n\n\nclass Writer" in after
    before = insert_definition(PYTHON, "Loader", "class First:\n    pass", path="a.py", before=True)
    assert before == PYTHON.replace("# Reads.", "class First:\n    pass\n\n\n# Reads.")


def test_a_definition_is_not_added_twice() -> None:
    text = "def close(self):\n    pass"
    after = insert_definition(PYTHON, "Loader.read", text, path="a.py")
    with pytest.raises(PatchRejectedError) as raised:
        insert_definition(after, "Loader.read", text, path="a.py")
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_line_endings_are_kept() -> None:
    crlf = PYTHON.replace("\n", "\r\n")
    after = replace_definition(crlf, "main", "def main():\n    return 1", path="a.py")
    assert after == crlf.replace("def main():\r\n        pass", "def main():\r\n        return 1")


def test_a_language_without_a_parser_is_refused() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        replace_definition("x\n", "x", "y", path="a.unknown")
    assert raised.value.problems[0].details["reason"] == "no_parser"


#: A file, a name in it, a new definition, and what of the file becomes what.
LANGUAGES = {
    "a.js": (
        "export function load(x) {\n  return 1;\n}\n\nconst save = (x) => {\n  return 2;\n};\n",
        [("load", "export function load(x) {\n  return 3;\n}", "return 1", "return 3")],
    ),
    "a.ts": (
        "class A {\n  run(): number {\n    return 1;\n  }\n\n  stop(): void {}\n}\n",
        [("A.run", "run(): number {\n  return 3;\n}", "return 1", "return 3")],
    ),
    "a.go": (
        "package a\n\nfunc (l *Loader) Read() int {\n\treturn 1\n}\n\nfunc Read() int {\n\treturn 2\n}\n",
        [("Loader.Read", "func (l *Loader) Read() int {\n\treturn 3\n}", "return 1", "return 3")],
    ),
    "a.rs": (
        "impl Loader {\n    fn read(&self) -> i32 {\n        1\n    }\n}\n\nfn main() {\n    run();\n}\n",
        [("main", "fn main() {\n    stop();\n}", "run()", "stop()")],
    ),
    "a.c": (
        "int one(void) {\n    return 1;\n}\n\nint *two(void) {\n    return 0;\n}\n",
        [("one", "int one(void) {\n    return 3;\n}", "return 1", "return 3")],
    ),
}


@pytest.mark.parametrize("path", LANGUAGES)
def test_other_languages_are_parsed_by_tree_sitter(path: str) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    content, cases = LANGUAGES[path]
    for name, text, old, new in cases:
        assert replace_definition(content, name, text, path=path) == content.replace(old, new)
