"""The work of a merge, and of a new definition: it grows with the texts, whatever their lines are made of.

Lines that run are counted, because a time depends on the machine.
"""

from __future__ import annotations

import random
from math import isqrt
from typing import TYPE_CHECKING

import pytest
from tests.shared.counted_calls import lines_of

from suture import PatchRejectedError
from suture.core.python_source import parse_python
from suture.place import merge_names, python_text
from suture.place.block_lines import width_of
from suture.place.change_definitions import replace_definition
from suture.place.merge_blocks import BlockTable, LineShapes
from suture.place.merge_heads import arguments_of, head_of
from suture.place.merge_imported_names import names_of_import, names_of_list
from suture.place.merge_pairs import opened
from suture.place.merge_uses import given_names, used_names
from suture.place.quiet_parts import without_quiet_parts
from suture.place.rebase import MergedText, merge_texts
from suture.place.token_kinds import token_keys, token_kind, token_spans
from suture.words.merge_conflict import MergeConflict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def every(count: int, line: str) -> list[str]:
    return [line.format(number) for number in range(count)]


def meeting(count: int) -> tuple[str, str, str, str]:
    """Both sides change every second line."""
    base, current, edited = (every(count, f"k{{0}}\nl{{0}}{more}") for more in ("", "0", "1"))
    return "a.txt", "\n".join(base), "\n".join(current), "\n".join(edited)


def defined_twice(count: int) -> tuple[str, str, str, str]:
    """Both sides add methods of the same names, which are in every line, and no line has less indentation."""
    base = every(count, "  line {0}")
    added = [f"  def {name}(self):\n      return 1" for name in "line"]
    return "a.php", "\n".join(base), "\n".join([*added, *base]), "\n".join([*base, *added])


def sections(count: int) -> tuple[str, str, str, str]:
    """Both sides add lines to a document without any section."""
    base = every(4 * count, "line {0}")
    current = [f"{line}\nnew {line}" if at % 4 == 0 else line for at, line in enumerate(base)]
    edited = [f"{line}\nmore {line}" if at % 4 == 2 else line for at, line in enumerate(base)]
    return "a.md", "\n".join(base), "\n".join(current), "\n".join(edited)


def deep(count: int) -> tuple[str, str, str, str]:
    """Lines in many blocks, of which one side changes the outer ones, and comments that belong to any of them."""
    depth = 2 * isqrt(count)
    outside = [f"{' ' * at}block{at}:" for at in range(depth)]
    inside = [f"{' ' * depth}x{at} = 1" for at in range(depth)] + every(count, "  # note {0}")
    current = [line.replace("block", "blok") if at % 7 == 3 else line for at, line in enumerate(outside)]
    edited = [line.replace("= 1", "= 2").replace("note", "word") if at % 3 else line for at, line in enumerate(inside)]
    return "a.jl", "\n".join(outside + inside), "\n".join(current + inside), "\n".join(outside + edited)


def unnamed(count: int) -> tuple[str, str, str, str]:
    """Lines in a block that only its first line could name, behind a line that may name blocks."""
    base = ["{", *every(count, "  a{0}\n  b{0}")]
    return "a.x", "\n".join(base), "\n".join(["id: 3", *base]), "\n".join(base).replace("b", "c")


def inserted_twice(count: int) -> tuple[str, str, str, str]:
    """Both sides insert the same lines, into other blocks."""
    base = every(2 * count, "block{0}:\n  first\n  last")
    added = [line.replace("first", f"the same line {at % count}\n  first") for at, line in enumerate(base)]
    current, edited = [*added[:count], *base[count:]], [*base[:count], *added[count:]]
    return "a.x", "\n".join(base), "\n".join(current), "\n".join(edited)


def in_comments(count: int) -> tuple[str, str, str, str]:
    """One side puts many lines into comments, and the other changes many that are in none."""
    base, current, edited = (
        "\n".join(every(count, f"a{{0}}\nb{{0}}\n{start}c{{0}}\nd{{0}}\n{end}e{{0}}\nf{{0}}\n{last}{{0}}\nh{{0}}"))
        for start, end, last in (("", "", "g"), ("/*\n", "*/\n", "g"), ("", "", "gg"))
    )
    return "a.c", base, current, edited


def given_twice(kept: str, removed: str, use: str, path: str) -> Callable[[int], tuple[str, str, str, str]]:
    """One side removes many names that the other uses, and that are given elsewhere too."""

    def texts(count: int) -> tuple[str, str, str, str]:
        base, current, edited = (
            "\n".join(every(count, f"{kept}\na{{0}}: b\nb{{0}}: b{line}\nc{{0}}: b\nd{{0}}: {value}\ne{{0}}: b"))
            for line, value in ((f"\n{removed}", "b"), ("", "b"), (f"\n{removed}", use))
        )
        return path, base, current, edited

    return texts


def on_one_line(count: int) -> tuple[str, str, str, str]:
    """A line uses many names, one of which the other side removes and something else gives."""
    names = every(count, "n{0}")
    given = [f"const {name} = 1;" for name in names]
    base = [*given, "one();", f"keep({', '.join(names)});", "two();"]
    current = [*given[: count // 2], *given[count // 2 + 1 :], *base[count:]]
    return "a.js", "\n".join(base), "\n".join(current), "\n".join([*base, f"more({', '.join(names)});"])


def one_statement(count: int) -> tuple[str, str, str, str]:
    """The arguments of one call get a line each, and the edit changes many of them."""
    names = every(count, "a{0}")
    edited = [f"b{at}" if at % 3 else name for at, name in enumerate(names)]
    return "a.js", f"f({', '.join(names)})", "f(\n" + ",\n".join(names) + ",\n)", f"f({', '.join(edited)})"


def parentheses(count: int) -> tuple[str, str, str, str]:
    """A formatter removes many parentheses around one another, and the edit changes what is in them."""
    base = f"a = {'(' * count}x{')' * count};\nb = 1;\n"
    return "a.js", base, "a = x;\nb = 1;\n", base.replace("x", "y")


def imports(count: int) -> tuple[str, str, str, str]:
    """The file sorts many imports, and the edit adds many."""
    base = [f"import b{number}\nimport a{number}" for number in range(count)]
    current = sorted("\n".join(base).split("\n"))
    edited = [f"{line}\nimport c{at}" for at, line in enumerate(base)]
    return "a.py", "\n".join(base), "\n".join(current), "\n".join(edited)


def import_blocks(count: int) -> tuple[str, str, str, str]:
    """Many blocks of imports, in each of which both sides change something."""
    base, current, edited = (
        "\n".join(every(count, f"import {one}{{0}}\nimport {other}{{0}}\n{more}\nx = {{0}}"))
        for one, other, more in (("b", "a", ""), ("a", "b", ""), ("b", "a", "import c{0}\n"))
    )
    return "a.py", base, current, edited


def branches(count: int) -> tuple[str, str, str, str]:
    """Both sides add branches to a long chain of conditions."""
    base = ["if a:\n  b()", *every(2 * count, "elif c{0}:\n  d{0}()\n  e{0}()")]
    current = [f"{line}\nelif f{at}:\n  g()" if at % 4 == 0 else line for at, line in enumerate(base)]
    edited = [f"{line}\nelif h{at}:\n  g()" if at % 4 == 2 else line for at, line in enumerate(base)]
    return "a.rb", "\n".join(base), "\n".join(current), "\n".join(edited)


WORK = [
    branches,
    imports,
    import_blocks,
    meeting,
    defined_twice,
    sections,
    deep,
    unnamed,
    inserted_twice,
    in_comments,
    given_twice("const n{0} = 1;", "let n{0} = 2;", "n{0}", "a.js"),
    given_twice("n{0}: 1", "n{0}: 2", "n{0}", "a.yaml"),
    given_twice("--n{0}: 1;", "--n{0}: 2;", "var(--n{0})", "a.css"),
    on_one_line,
    one_statement,
    parentheses,
]


@pytest.mark.parametrize("texts", WORK)
def test_four_times_the_texts_cost_at_most_eight_times(texts: Callable[[int], tuple[str, str, str, str]]) -> None:
    def merging(count: int) -> Callable[[], object]:
        path, base, current, edited = texts(count)
        return lambda: merge_texts(base, current, edited, path)

    merging(2)()
    assert lines_of(merging(800)) <= 8 * lines_of(merging(200))


def test_only_lines_with_a_name_of_both_sides_are_read_for_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def names_of_block(text: Sequence[str], number: int, ending: str) -> tuple[str, ...]:
        read.append(text[number])
        return merge_names.names_of_block(text, number, ending)

    monkeypatch.setattr("suture.place.merge_name_checks.names_of_block", names_of_block)
    base = every(1000, "def work_{0}():\n    a = {0}\n")
    added = "def more():\n    c = {0}\n\n\ndef less():\n    return {0}\n"
    current, edited = [added.format(1), *base], [*base, added.format(2)]
    refused = merge_texts("\n".join(base), "\n".join(current), "\n".join(edited), "a.py")
    assert isinstance(refused, MergeConflict)
    assert refused.rule == "one-definition"
    assert len(read) < 40


DEFINING = {
    "py": ["class A:", "    x.y = 1", "    async def f(self, a):", "    'key word': 1,", "    NAME,"],
    "go": ["func (s *Server) Run(a int) error {", "\tName string", "\tcase a, b:", "type A struct {"],
    "rs": ["    pub(crate) fn f(&self) {", "impl<T: A> B<T> for C {", "    field: u32,"],
    "js": ["  it('has `a` (b) \\'c\\'', () => {", "  $a$: 1,", "  a.b = 2;", "function f()", "{"],
    "c": ["#define A 1", "static int f(int a)", "{", "  struct b c[3];"],
    "rb": ['gem "a-b"', "  def self.f?", "  attr = 1", "  it 'does' do"],
    "md": ["# A title", "{", "## [é] ü"],
    "toml": ["[a.b]", '"c d" = 1', "e-f = 2"],
    "yaml": ["a b: 1", "-x: 2", "  'c': 3"],
    "css": [".a > b {", "  --c: 1;", "  $d: 2"],
    "proto": ["  optional string a = 1;", "  B b = 2 [c = d];"],
    "html": ['<a id="b c">', "<p>"],
    "makefile": ["a/b.o: c", "D ?= e"],
    "requirements": ["Django>=3", "a.b"],
    "sql": ["  user_id integer,"],
    "ipynb": ['   "id": "a1",'],
    "kt": ["    is A -> 1", "    in 1..2 -> 3"],
    "xml": ['  <string name="a b">c</string>', '<a x="1" id="b">'],
    "tf": ['resource "a" "b" {', 'variable "c" {'],
    "dockerfile": ["FROM a AS b", "ENV C=1", 'CMD ["d"]'],
    "po": ['msgid "a b"'],
    "mod": ["\texample.com/a/b v1.2.3"],
    "bib": ["@book{a:b,"],
    "tex": ["See \\label{a:b}."],
    "rst": [".. _a b:"],
}


@pytest.mark.parametrize("ending", DEFINING)
def test_lines_that_define_a_name_are_among_those_with_its_words(ending: str) -> None:
    text = [f"{line}\n" for line in (*DEFINING[ending], *DEFINING["py"], *DEFINING["js"])]
    table = BlockTable(text, ending, LineShapes(ending))
    for number in range(len(text)):
        for name in merge_names.names_of_block(text, number, ending):
            # One of a requirement is lower case, however it is written.
            written = name if ending != "requirements" else text[number]
            assert number in table.lines_with_names([written])


def test_lines_with_one_of_some_texts_are_found() -> None:
    table = BlockTable(["a\n", "ab c\n", "\n", "b"], "x", LineShapes("x"))
    assert list(table.lines_with(["b"])) == [1, 3]
    assert list(table.lines_with(["a", "b"])) == [0, 1, 3]
    assert list(table.lines_with([])) == []
    assert list(table.lines_with([""])) == [0, 1, 2, 3]
    assert list(table.lines_with_names(["a", "(c)"])) == [0, 1]
    assert list(table.lines_with_names(["b", "?"])) == [0, 1, 2, 3]
    assert list(table.lines_with([f"b{number}" for number in range(99)])) == [0, 1, 2, 3]


def test_blocks_are_the_same_however_they_are_looked_for() -> None:
    codes = ["a", "}", ") {", ") -> b:", "# b", "", "}, {", "c ("]
    for seed in range(200):
        chosen = random.Random(seed)
        text = [f"{' ' * chosen.randrange(5)}{chosen.choice(codes)}\n" for _ in range(30)]
        shapes = LineShapes("x")
        asked_often = BlockTable(text, "x", shapes)
        for _ in range(40):
            # That is more than are searched for one by one.
            asked_often.headers(len(text), 9)
        known = [asked_often.opener(number) for number in range(len(text))]
        assert known == [BlockTable(text, "x", shapes).opener(number) for number in range(len(text))]
        in_turn = BlockTable(text, "x", shapes)
        assert known[::-1] == [in_turn.opener(number) for number in reversed(range(len(text)))]
        in_order = BlockTable([*text, *["d\n"] * 999], "x", shapes)
        assert known == [in_order.opener(number) for number in range(len(text))]


@pytest.mark.parametrize("quote", "\"'`")
def test_a_title_that_has_no_end_is_told_at_once(quote: str) -> None:
    """It took twice the time for every two backslashes."""
    base = "\n".join(every(9, "line({0});"))
    titled = f"it({quote}" + "\\" * 90 + "{"
    assert isinstance(merge_texts(base, f"{titled}\n{base}", f"{base}\nother();", "a.js"), MergedText)


@pytest.mark.parametrize("piece", ["/*", '"\\', "'\\", "`\\", "/*\"'`"])
def test_parts_without_an_end_are_looked_for_once(piece: str) -> None:
    # It would take minutes to look for the end of each of them.
    line = "name" + piece * 200_000
    assert without_quiet_parts(line).startswith("name")


@pytest.mark.parametrize("piece", ["/*", '"\\', "'\\", "`\\", "<a", "<", "do |", " ", "`", "{%"])
@pytest.mark.parametrize("ending", ["html", "js", "rb"])
def test_what_a_long_line_opens_is_read_once(piece: str, ending: str) -> None:
    assert sum(opened([f"({piece * 100_000}"], ending).values()) >= 0


@pytest.mark.parametrize("ending", ["js", "css", "go", "rs", "php", "py"])
@pytest.mark.parametrize("piece", ["/*", '"\\', "'\\", "`\\", "=/[", "=/\\", 'r#"', "(,"])
def test_texts_without_an_end_are_looked_for_once(piece: str, ending: str) -> None:
    kind = token_kind(ending)
    spans = token_spans(kind, piece * 100_000)
    assert len(token_keys(kind, piece * 100_000, spans)) == len(spans) <= 3 * 100_000


@pytest.mark.parametrize(
    "piece",
    [
        "[^",
        "][",
        "import ",
        "import a,",
        "use a::",
        "for (",
        "const {",
        "|a",
        "a => ",
        "{{",
        "a<",
        "f(",
        "f(a,",
        "${{",
        "x=",
    ],
)
@pytest.mark.parametrize(
    "ending",
    [
        "md",
        "js",
        "go",
        "rs",
        "java",
        "yaml",
        "dockerfile",
        "vue",
        "json",
        "toml",
        "tex",
        "rst",
        "cmake",
        "env",
        "ts",
        "sql",
    ],
)
def test_the_names_of_a_long_line_are_looked_for_once(piece: str, ending: str) -> None:
    line = f"import {piece * 100_000}\n"
    used_names(line, ending)
    given_names(line, ending)
    names_of_import(line, ending)
    names_of_list(line)
    head_of(line, ending)
    arguments_of(line, "f")


def test_quoted_texts_and_comments_are_left_out() -> None:
    assert without_quiet_parts("a = \"b'\" + 'c' /* d */ + `e` // f") == "a =   +     +    "
    assert without_quiet_parts("  * a line of a comment") == " "
    assert without_quiet_parts("ls dir/* # all") == "ls dir/*  "
    assert without_quiet_parts("it's a 'word'") == "it word'"


def test_the_blocks_around_a_line_are_those_with_less_indentation() -> None:
    text = ["class A", "{", "  def f", "", "      x", "    y", "z"]
    table = BlockTable(text, "py", LineShapes("py"))
    inside = ["def f", "class A"]
    headers = [table.headers(number, width_of(line)) for number, line in enumerate(text)]
    assert headers == [[], [], ["class A"], [], inside, inside, []]
    assert [table.opener(number) for number in range(len(text))] == [-1, -1, 1, -1, 2, 2, -1]
    assert [table.headers(len(text), width) for width in (0, 1)] == [[], ["z"]]


def test_functions_inside_of_one_another_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of ninety nested classes was parsed with all that is inside of it."""
    parsed = 0

    def count(text: str, mode: str = "exec") -> object:
        nonlocal parsed
        parsed += len(text)
        return parse_python(text, mode)

    monkeypatch.setattr("suture.place.python_text.parse_python", count)
    depth = 90
    heads = [f"{' ' * at}class C{at}:\n{' ' * at} a = 1\n{' ' * at} b = 2\n{' ' * at} c = 3\n" for at in range(depth)]
    body = "".join(f"{' ' * depth}x{number} = 1\n" for number in range(500))
    base = "".join([*heads, body])
    current, edited = base.replace("a = 1", "a = 5"), base.replace("c = 3", "c = 7")
    assert isinstance(merge_texts(base, current, edited, "a.py"), MergedText)
    assert 0 < parsed < 3 * len(base)


def test_a_python_text_that_is_too_long_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree of a text takes a hundred times its memory."""
    monkeypatch.setattr("suture.place.python_text.LONGEST_PARSED", 1000)
    monkeypatch.setattr("suture.place.python_text.parse_python", None)
    monkeypatch.setattr("symtable.symtable", None)
    base = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(100))
    edited = base.replace("    return 90\n", "    return q\n").replace("def f91():\n    return 91\n", "")
    assert python_text.unbound_names(base) == frozenset()
    assert not python_text.parts_parse(base.splitlines(keepends=True), [(0, 300)])
    assert isinstance(merge_texts(base, base.replace("return 9\n", "return 1\n"), edited, "a.txt"), MergedText)


def test_names_of_python_are_compared_with_so_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The standard library looks through all functions of a module for each of its names."""
    base = "".join(every(20, "def f{0}():\n    a = 1\n    b = 2\n    return 1\n\n"))
    texts = base, base.replace("a = 1", "a = 3"), base.replace("return 1", "return a")
    assert isinstance(merge_texts(*texts, "a.py"), MergedText)
    monkeypatch.setattr("suture.place.python_text.MOST_SYMBOL_PAIRS", 300)
    refused = merge_texts(*texts, "a.py")
    assert isinstance(refused, MergeConflict)
    assert refused.rule == "names-stay"


def strings(count: int) -> Callable[[], object]:
    """A new definition with many strings of several lines, for an old one of many lines."""
    old = "def f():\n" + "".join(every(count, "    x{0} = 1\n"))
    new = "def f():\n" + "".join(every(count, '    a = """\n b{0}\n"""\n'))
    return lambda: replace_definition(old, "f", new, path="a.py")


def test_the_strings_of_a_new_definition_are_looked_for_by_counted_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.place.change_definitions.MOST_STRING_WORK", 100_000)
    assert strings(20)()
    with pytest.raises(PatchRejectedError) as raised:
        strings(200)()
    assert raised.value.problems[0].details["reason"] == "search_budget"
