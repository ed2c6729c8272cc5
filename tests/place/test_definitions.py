"""Whole definitions by name: replaced or added where the name is unique, and refused otherwise."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError
from suture.place import definitions, limits
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


def reason(path: str, content: str, name: str, text: str) -> str:
    """Why a replacement is refused; empty if it is made."""
    if not path.endswith(".py"):
        pytest.importorskip("tree_sitter_language_pack")
    try:
        replace_definition(content, name, text, path=path)
    except PatchRejectedError as refused:
        return str(refused.problems[0].details["reason"])
    return ""


@pytest.mark.parametrize(
    ("path", "content", "name", "text"),
    [
        ("a.js", "function a() { return 1 } function b() { return 2 }\n", "a", "function a() { return 9 }"),
        ("a.js", "start(); function a() {\n  return 1\n}\n", "a", "function a() {\n  return 9\n}"),
        ("a.js", "function a() {\n  return 1\n} finish();\n", "a", "function a() {\n  return 9\n}"),
        ("a.js", "function a() {\n  return 1\n}\n", "a", "start(); function a() {\n  return 9\n}"),
        ("A.java", "class A { int a() { return 1; } int b() { return 2; } }\n", "A.a", "int a() { return 9; }"),
        ("a.rs", "struct A;\nimpl A { fn new() -> A { A } }\n", "new", "fn new() -> A { B }"),
        ("a.js", "class A { a() { return 1 } /* x */ #b = 2 }\n", "A.a", "a() { return 9 }"),
    ],
)
def test_other_code_on_a_line_of_a_definition_is_not_lost(path: str, content: str, name: str, text: str) -> None:
    assert reason(path, content, name, text) == "shared_line"
    with pytest.raises(PatchRejectedError):
        insert_definition(content, name, text.replace("a()", "c()").replace("new", "c"), path=path)


def test_what_follows_the_last_bracket_stays() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    content = "const all = {\n  a() {\n    return 1\n  }, // first\n  b() {\n    return 2\n  },\n}\n"
    for name, old, new in (("a", "return 1", "return 3"), ("b", "return 2", "return 4")):
        after = replace_definition(content, name, f"{name}() {{\n  {new}\n}}", path="a.js")
        assert after == content.replace(old, new)
        assert replace_definition(content, name, f"{name}() {{\n  {new}\n}},", path="a.js") == after


@pytest.mark.parametrize(
    ("path", "content", "name", "text"),
    [
        ("a.go", "package a\n\nfunc (a *A) Run() int { return 1 }\n", "Run", "func (b *B) Run() int { return 9 }"),
        ("a.go", "package a\n\nfunc (a *A) Run() int { return 1 }\n", "A.Run", "func (b *B) Run() int { return 9 }"),
        ("a.go", "package a\n\nfunc (a *A) Run() int { return 1 }\n", "A.Run", "func Run() int { return 9 }"),
        ("a.go", "package a\n\nfunc Run() int { return 1 }\n", "Run", "func (a *A) Run() int { return 9 }"),
        ("a.cpp", "int A::run() {\n  return 1;\n}\n", "A::run", "int B::run() {\n  return 9;\n}"),
        ("a.rs", "impl A {\n    fn a() {}\n}\n", "A", "impl Display for A {\n    fn b() {}\n}"),
        ("a.rs", "impl A {\n    fn a() {}\n}\n", "A", "struct A {\n    a: i32,\n}"),
        ("a.swift", "extension A {\n  func a() {}\n}\n", "A", "struct A {\n  var a = 1\n}"),
        ("a.js", "class A {\n  get a() {\n    return 1\n  }\n}\n", "A.a", "set a(value) {\n  this.b = value\n}"),
        ("a.js", "class A {\n  a() {\n    return 1\n  }\n}\n", "A.a", "static a() {\n  return 9\n}"),
        (
            "a.py",
            "class A:\n    @property\n    def a(self):\n        return 1\n",
            "A.a",
            "@a.setter\ndef a(self, value):\n    self.b = value\n",
        ),
        ("a.py", "def a(b):\n    return b\n", "a", "@overload\ndef a(b: int) -> int: ...\n"),
    ],
)
def test_another_definition_of_the_same_name_is_refused(path: str, content: str, name: str, text: str) -> None:
    assert reason(path, content, name, text) in ("other_name", "not_a_definition")


def test_a_receiver_may_become_a_pointer() -> None:
    content = "package a\n\nfunc (a A) Run() int { return 1 }\n"
    assert reason("a.go", content, "A.Run", "func (a *A) Run() int { return 9 }") == ""


@pytest.mark.parametrize("export", ["export", "export default"])
def test_an_export_is_not_lost(export: str) -> None:
    content = f"{export} function a() {{\n  return 1\n}}\n"
    assert reason("a.js", content, "a", "function a() {\n  return 9\n}") == "not_exported"
    assert reason("a.js", content, "a", f"{export} function a() {{\n  return 9\n}}") == ""


def test_definitions_in_the_cases_of_a_match_count() -> None:
    content = "match x:\n    case 1:\n        def a(): return 1\n    case _:\n        def a(): return 2\n"
    assert reason("a.py", content, "a", "def a(): return 3") == "several_definitions"


STRINGS = '''\
class A:
    def f(self):
        """Say.

        More.
        """
        x = """
a

  b
"""
        y = f"""
        {x}
        """
        return x + y
'''


def test_lines_inside_of_strings_keep_their_indentation() -> None:
    text = 'def f(self):\n    """Say.\n\n    More.\n    """\n    x = """\na\n\n  b\n"""\n'
    text += '    y = f"""\n    {x}\n    """\n    z = """\n    new\n   \n"""\n    return x + y + z'
    after = replace_definition(STRINGS, "A.f", text, path="a.py")
    expected = STRINGS.replace(
        "        return x + y\n", '        z = """\n    new\n   \n"""\n        return x + y + z\n'
    )
    assert after == expected


@pytest.mark.parametrize(
    ("path", "content", "name", "text"),
    [
        ("a.js", "class A {\n  a() {\n    return `\nx\n  y`\n  }\n}\n", "A.a", "a() {\n  return `\nx\n  y` + 1\n}"),
        (
            "A.java",
            'class A {\n  String a() {\n    return """\n  x\n""";\n  }\n}\n',
            "A.a",
            'String a() {\n  return 1 + """\n  x\n""";\n}',
        ),
        (
            "a.rs",
            'impl A {\n    fn a() -> String {\n        "\nx\n".into()\n    }\n}\n',
            "A.a",
            'fn a() -> String {\n    "\nx\n".to_string()\n}',
        ),
    ],
)
def test_other_languages_keep_their_strings(path: str, content: str, name: str, text: str) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    after = replace_definition(content, name, text, path=path)
    quoted = "x\n"
    assert [row for row in after.split("\n") if "x" in row] == [row for row in content.split("\n") if "x" in row]
    assert quoted in after
    assert after != content


def test_what_is_behind_definitions_on_one_long_line_is_not_copied_for_each() -> None:
    """A file of half a megabyte on one line, as a bundler writes it, took gigabytes."""
    pytest.importorskip("tree_sitter_language_pack")
    found = definitions_in("a.js", "".join(f"function a{number}(){{}}" for number in range(2000)))
    assert found is not None
    assert len(found) == 2000
    assert sum(len(one.behind) for one in found) <= 60 * limits.LONGEST_BEHIND
    assert [one.shares_lines for one in found] == [True] * 2000
    long_tail = "class A {\n  a() {\n    return 1\n  } // " + "x" * limits.LONGEST_BEHIND + "\n}\n"
    assert reason("a.js", long_tail, "A.a", "a() {\n  return 2\n}") == "shared_line"
    long_tail = "function a() {\n  return 1\n} // " + "x" * limits.LONGEST_BEHIND + "\n"
    assert reason("a.js", long_tail, "a", "function a() {\n  return 2\n}") == "shared_line"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "function a() {\n  return 1\n} // why"),
        ("a.js", "const a = () => {\n  return 1\n} // why"),
        ("a.js", "class C {\n  f = 1\n} // why"),
        ("a.js", "export default function a() {\n  return 1\n} /* why */"),
        ("a.ts", "export function a(): number {\n  return 1\n} // why"),
        ("a.ts", "interface C {\n  f: 1\n} // why"),
        ("a.go", "package p\n\nfunc a() int {\n\treturn 1\n} // why"),
        ("a.rs", "fn a() -> u8 {\n    1\n} // why"),
        ("a.c", "int a(void) {\n    return 1;\n} // why"),
        ("A.java", "class C {\n  int f = 1;\n} // why"),
        ("a.rb", "def a\n  1\nend # why"),
        ("a.lua", "function a()\n  return 1\nend -- why"),
    ],
)
def test_a_comment_behind_a_definition_stays(path: str, text: str) -> None:
    """Where a semicolon is left out, the parser counts the comment to the definition."""
    pytest.importorskip("tree_sitter_language_pack")
    name = "C" if "C {" in text else "a"
    content = f"{text}\n"
    lines = text.removeprefix("package p\n\n").split("\n")
    new = "\n".join([*lines[:-1], lines[-1].split()[0]]).replace("1", "2")
    assert replace_definition(content, name, new, path=path) == content.replace("1", "2")


def test_of_too_many_definitions_none_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is left out may have the same name."""
    monkeypatch.setattr(definitions, "MOST_FILE_DEFINITIONS", 2)
    text = "def a(): pass\ndef b(): pass\n"
    assert len(definitions_in("a.py", text) or []) == 2
    assert definitions_in("a.py", f"{text}def a(): pass\n") is None
    assert reason("a.py", f"{text}def a(): pass\n", "a", "def a(): return 1") == "no_parser"
    monkeypatch.setattr(definitions, "MOST_NAME_CHARACTERS", 9)
    assert definitions_in("a.py", "class Long:\n    def name(self): pass\n") is None


CACHE = """\
class Cache:
    def put(self, key):
        if key:
            self.add(key)

    def get(self):
        return 1
"""


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_definition_may_lack_the_indentation_of_its_first_line_alone(indent: str) -> None:
    """Serena asks for bodies that begin at the margin, while the other lines are as deep as in the file."""
    body = f"{indent}def put(self, key):\n        if key:\n            self.add(key)\n        return key"
    after = replace_definition(CACHE, "put", body, path="cache.py")
    assert after == CACHE.replace("self.add(key)\n", "self.add(key)\n        return key\n")


def test_a_definition_at_the_margin_is_moved_as_a_whole() -> None:
    body = "def put(self, key):\n    if key:\n        self.add(key)\n    return key"
    after = replace_definition(CACHE, "put", body, path="cache.py")
    assert after == CACHE.replace("self.add(key)\n", "self.add(key)\n        return key\n")


def test_a_definition_that_is_added_may_lack_the_indentation_of_its_first_line_alone() -> None:
    body = "def pop(self, key):\n        return self.take(key)"
    after = insert_definition(CACHE, "Cache.put", body, path="cache.py")
    assert "\n\n    def pop(self, key):\n        return self.take(key)\n\n    def get" in after


def test_a_string_at_the_margin_says_nothing_about_the_depth_of_a_definition() -> None:
    body = 'def put(self, key):\n        self.add("""\nkey\n""")'
    after = replace_definition(CACHE, "put", body, path="cache.py")
    assert '    def put(self, key):\n        self.add("""\nkey\n""")\n\n    def get' in after
