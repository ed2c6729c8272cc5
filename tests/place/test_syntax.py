"""The parse check: a loose match never turns a file that parses into one that does not."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from suture import Hunk, PatchRejectedError, Workspace, multiedit, replace, update
from suture.place import syntax
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable

PYTHON = "def f(x):\n    if x:\n        return 1\n    return 2\n"
#: Texts, and an old line that needs a loose match, with a new line that does not parse and one that does.
LANGUAGES = {
    "a.py": (PYTHON, "return 2", "return (2", "return 3"),
    "a.json": ('{\n  "a": 1,\n  "b": 2\n}\n', '"b":  2', '"b": 2,', '"b": 3'),
    "a.toml": ("[tool]\n  name = 1\n  line = 2\n", "line =  2", "line = ", "line = 3"),
    "a.js": ("function f() {\n  return 1;\n}\n", "return  1;", "return (1;", "return 2;"),
    "a.go": ("package a\n\nfunc f() int {\n\treturn 1\n}\n", "return  1", "return (1", "return 2"),
}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> tuple[str, str, str, str, str]:
    """A path with its text, an old line, a new line that breaks the file, and one that does not."""
    path: str = request.param
    if path in ("a.js", "a.go"):
        pytest.importorskip("tree_sitter_language_pack")
    return path, *LANGUAGES[path]


def reasons(raised: pytest.ExceptionInfo[PatchRejectedError]) -> list[object]:
    """The code and reason of each problem."""
    return [(problem.code, problem.details["reason"]) for problem in raised.value.problems]


def test_a_loose_match_that_breaks_a_file_is_refused(language: tuple[str, str, str, str, str]) -> None:
    path, text, old, broken, right = language
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk((f"-{old}", f"+{broken}"))], path=path)
    assert reasons(raised) == [("patch_apply_error", "syntax_error")]
    assert raised.value.problems[0].hunk is not None
    with pytest.raises(PatchRejectedError) as raised:
        replace(text, f"{old}  ", broken, path=path)
    assert reasons(raised) == [("invalid_arguments", "syntax_error")]
    assert right in update(text, [Hunk((f"-{old}", f"+{right}"))], path=path).text
    assert broken in update(text, [Hunk((f"-{old}", f"+{broken}"))], path=path, allow_syntax_errors=True).text


def test_the_edit_of_a_list_that_was_found_loosely_is_named() -> None:
    edits = [("def f(x):", "def f(x, y):"), ("    return 2  ", "    return (2")]
    with pytest.raises(PatchRejectedError) as raised:
        multiedit(PYTHON, edits, path="a.py")
    assert raised.value.problems[0].details["editIndex"] == 1
    assert "return (2" in multiedit(PYTHON, edits, path="a.py", allow_syntax_errors=True).text


def test_a_later_edit_of_a_list_may_complete_an_earlier_one() -> None:
    edits = [("    return 2  ", "    return (2"), ("return (2", "return (2)")]
    assert multiedit(PYTHON, edits, path="a.py").text.endswith("return (2)\n")


@pytest.mark.parametrize("path", ["", "a.txt", "a.unknown", "py"])
def test_a_file_of_an_unknown_language_is_not_checked(path: str) -> None:
    assert update(PYTHON, [Hunk(("-return 2", "+return (2"))], path=path).text.endswith("return (2\n")


def test_an_exact_match_is_not_checked() -> None:
    assert update(PYTHON, [Hunk(("-    return 2", "+    return (2"))], path="a.py").text.endswith("return (2\n")
    assert replace(PYTHON, "return 2", "return (2", path="a.py").text.endswith("return (2\n")


def test_a_file_that_did_not_parse_before_is_not_checked() -> None:
    text = "print 'old'\n" + PYTHON
    assert update(text, [Hunk(("-return 2", "+return (2"))], path="a.py").text.endswith("return (2\n")


@pytest.mark.parametrize("tail", ["x = " + "(" * 500 + ")" * 500 + "\n", "x = '\udcff'\n", "x = '\\d'\n"])
def test_what_the_parser_cannot_take_is_no_fault_of_the_edit(tail: str) -> None:
    """Too deep, not a character, and a warning, which is an error in this suite."""
    done = update((PYTHON + tail).encode("utf-8", "surrogateescape"), [Hunk(("-return 2", "+return 3"))], path="a.py")
    assert b"return 3" in done.text


def test_other_programs_do_not_check() -> None:
    done = update(PYTHON, [Hunk(("-return 2", "+return (2"))], path="a.py", dialect="codex")
    assert "return (2" in done.text


def test_a_workspace_checks_unless_it_is_told_not_to() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-return 2\n+return (2\n*** End Patch\n"
    [problem] = Workspace(MemoryFiles({"a.py": PYTHON})).plan(patch).problems
    assert problem.details["reason"] == "syntax_error"
    assert "> 4 |    return (2|" in problem.message
    assert not Workspace(MemoryFiles({"a.py": PYTHON}), allow_syntax_errors=True).plan(patch).problems


@pytest.mark.parametrize(("longest", "is_checked"), [(9, False), (10, True)])
def test_a_long_text_is_not_parsed(longest: int, is_checked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "LONGEST_PARSED", longest)
    fault = syntax.parses.against(("a.json", "[1]", "[1        "))
    assert (fault is not None) == is_checked


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = ]\n", 2), ("a = [", 0)])
def test_a_fault_in_toml_has_a_line_if_the_parser_names_one(text: str, line: int) -> None:
    fault = syntax.parses.against(("a.toml", "", text))
    assert isinstance(fault, syntax.SyntaxFault)
    assert fault.line == line


def test_a_fault_in_python_may_have_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse_nothing(_: str) -> None:
        raise SyntaxError("odd")

    monkeypatch.setitem(syntax._LOADERS, "py", parse_nothing)
    assert syntax._fault("py", "x") == syntax.SyntaxFault(0, "odd")


class Node:
    """What the check sees of a node of tree-sitter."""

    def __init__(self, line: int, *children: Node, kind: str = "") -> None:
        self.start_point, self.children = (line - 1, 0), children
        self.is_error, self.is_missing = kind == "error", kind == "missing"
        self.has_error: bool = bool(kind) or any(child.has_error for child in children)


def use_parser(grammar: str, parse: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function be the only parser of tree-sitter."""
    pack = SimpleNamespace(get_parser={grammar: SimpleNamespace(parse=parse)}.__getitem__)
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", pack)


@pytest.mark.parametrize(
    ("root", "line"),
    [
        (Node(1, Node(2)), None),
        (Node(1, Node(2), Node(3, Node(4, kind="missing"))), 4),
        (Node(1, Node(2), Node(3, Node(4, kind="error"), kind="error")), 3),
        (Node(1, Node(2), Node(3, Node(4, kind="error"), kind="missing")), 3),
        (Node(1, Node(2), Node(3, kind="other")), 3),
    ],
)
def test_the_first_node_that_is_wrong_itself_is_the_fault(
    root: Node, line: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_parser("go", lambda _read, progress_callback: SimpleNamespace(root_node=root), monkeypatch)  # noqa: ARG005
    assert syntax._fault("go", "") == (None if line is None else syntax.SyntaxFault(line, "syntax error"))
    assert syntax._fault("js", "") is None
    assert syntax._fault("unknown", "") is None


def test_a_language_without_a_parser_of_its_own_is_parsed_by_tree_sitter(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = syntax.SyntaxFault(1, "odd")
    monkeypatch.setattr(syntax, "_tree_fault", lambda _ending, text: fault if text else None)
    assert syntax.parses.against(("a.go", "", "x")) == fault


#: Texts that are nested more deeply than their grammars have memory for, each with an ending of files.
DEEP = {
    "kt": 'fun f() { "${' * 1500,
    "yml": "- " * 1500,
    "yaml": "".join([" " * depth + "a:\n" for depth in range(600)]),
}
#: A program that edits such a text loosely: the parser that fails ends a process, so it is one of its own.
EDIT = """
import sys
from suture import replace
from suture.place.definitions import definitions_in
from suture.place.string_rows import inside_strings

path, text = sys.argv[1], sys.stdin.read()
assert replace(text + "last  =  1", "last = 1", "last = 2", path=path).text == text + "last = 2"
assert definitions_in(path, text) is None
assert inside_strings(path, text) == []
"""


@pytest.mark.parametrize("ending", DEEP)
def test_a_text_that_is_nested_too_deeply_for_its_grammar_does_not_end_the_process(ending: str) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    done = subprocess.run(
        [sys.executable, "-c", EDIT, f"a.{ending}"],
        input=DEEP[ending] + "\n",
        text=True,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_what_may_be_nested_too_deeply_is_not_given_to_its_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[bytes] = []

    def parse(read: Callable[[int, object], bytes], progress_callback: object) -> object:
        del progress_callback
        texts.append(read(0, None))
        return SimpleNamespace(root_node="root")

    use_parser("yaml", parse, monkeypatch)
    ordinary = [b"", b"a: - [b, c]\n" * 500, b" " * 180 + b"- - - a: b\n", b"word - word: word " * 5]
    assert [syntax.tree_root("yml", raw) for raw in ordinary] == ["root"] * 4
    assert [syntax.tree_root("yml", DEEP[ending].encode()) for ending in ("yml", "yaml")] == [None, None]
    assert texts == [raw[:512] for raw in ordinary]
    use_parser("kotlin", parse, monkeypatch)
    assert syntax.tree_root("kt", b'val a = "b"\n' * 512) == "root"
    assert syntax.tree_root("kt", b'val a = "b"\n' * 513) is None


def test_a_text_that_takes_tree_sitter_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(_read: object, progress_callback: Callable[[int, bool], bool]) -> object:
        steps = next(step for step in range(10_000_000) if progress_callback(step, True))
        message = f"Parsing failed after {steps} steps"
        raise ValueError(message)

    use_parser("bash", parse, monkeypatch)
    monkeypatch.setattr(syntax, "PARSE_SECONDS", 0.01)
    assert syntax.tree_root("sh", b"<x-y>" * 1000) is None


def test_the_parsers_of_tree_sitter_keep_to_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    text = b"echo a\n" * 2000
    assert syntax.tree_root("sh", text).end_byte == len(text)
    for limit in ("PARSE_SECONDS", "PARSE_SECONDS_PER_BYTE"):
        monkeypatch.setattr(syntax, limit, 0.0)
    assert syntax.tree_root("sh", text) is None
