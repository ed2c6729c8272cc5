"""The scope of an anchor: which lines a hunk below `@@ text` may be placed in."""

from __future__ import annotations

import pytest

from suture import DIALECTS, Hunk, PatchRejectedError, update
from suture.place.scopes import ScopeReader

#: What it is about, the path, the text, and the lines that belong to its line with `<`, which is the anchor.
SCOPES = [
    ("a block", "a.py", "class A:<\n|    x = 1\n|\n|    y = 2\n\nclass B:\n    x = 1\n"),
    (
        "parts of a block",
        "a.py",
        "    try:<\n|        x\n|#   old\n|    except E:\n|        y\n|    else:\n|        z\n    w\n",
    ),
    ("a comment above the next block", "a.py", "def f():<\n|    x\n\n# About g.\ndef g():\n    y\n"),
    ("a signature of several lines", "a.py", "def f(<\n|    a,\n|):\n|    b\n\ndef g():\n    c\n"),
    ("a decorator", "a.py", "@mark(<\n|    1,\n|)\n|# Why.\n|def f():\n|    x\n\ndef g():\n    x\n"),
    ("a comment", "a.py", "# About f.<\n|def f():\n|    x\n\ndef g():\n    x\n"),
    ("a comment about more than a line", "a.py", "# Tools.<\n|\n|def f():\n|    x\n|\n|def g():\n|    x\n"),
    (
        "a line that opens nothing",
        "a.py",
        "def f():\n    a = 1<\n|    b = 2\n|    if c:\n|        d\n\ndef g():\n    b = 2\n",
    ),
    ("a line at the top", "a.py", "import a<\n|x = 1\n|def f():\n|    y\n"),
    ("a block that has lost its lines", "a.py", "class A:<\n\nclass B:\n    x = 1\n"),
    ("text at column 0", "a.py", 'def f():<\n|    return """\n|text\n|"""\n|    x\n\ndef g():\n    x\n'),
    ("text at column 0 in a file that does not parse", "a.py", 'def f(:<\n|    return """\ntext\n"""\n    x\n'),
    ("a template at column 0", "a.ts", "function f() {<\n|  return `\n|text\n|`;\n|}\n\nfunction g() {\n}\n"),
    ("a quote that is missing", "a.kt", 'fun f() {<\n|  """.trim()\n|}\n\nfun g() {\n  x = """\n"""\n}\n'),
    (
        "a bracket on its own line",
        "a.c",
        "int f(void)<\n|{\n|#ifdef X\n|    a();\n|#endif\n|    b();\n|}\n\nint g(void)\n{\n}\n",
    ),
    ("labels", "a.h", "class A {<\n|public:\n|  int x;\n|private:\n|  int y;\n|};\nclass B {\n};\n"),
    ("cases", "a.go", "switch x {<\n|case 1:\n|\tfoo()\n|case 2:\n|\tbar()\n|}\nbaz()\n"),
    ("one case", "a.go", "switch x {\ncase 1:<\n|\tfoo()\ncase 2:\n\tbar()\n}\n"),
    ("where", "a.rs", "fn f<T>(x: T)\nwhere<\n|    T: Copy,\n|{\n|    x\n|}\n\nfn g() {\n}\n"),
    ("an attribute", "a.rs", "#[test]<\n|fn f() {\n|    x();\n|}\n\nfn g() {\n}\n"),
    ("end", "a.rb", "def f<\n|  x\n|rescue E\n|  y\n|end\n\ndef g\n  x\nend\n"),
    ("a shell", "a.sh", "if x<\n|then\n|  y\n|else\n|  z\n|fi\nfoo\n"),
    ("a here document", "a.sh", "f() {<\n|  cat <<EOF\n|text\n|EOF\n|}\ng() {\n}\n"),
    ("tags", "a.html", "<ul><\n|  <li>\n|</ul>\n<ul>\n  <li>\n</ul>\n"),
    ("a rule of CSS", "a.css", "#a {<\n|  x: y;\n|}\n#b {\n  x: y;\n}\n"),
    ("a block of CSS", "a.css", "@media x {<\n|  .a {\n|  }\n|}\n.b {\n}\n"),
    (
        "a decorator with a bracket",
        "a.ts",
        "@Component({<\n|  a: 1,\n|})\n|export class X {\n|  y = 1;\n|}\nclass Y {\n}\n",
    ),
    ("a list of YAML", "a.yml", "steps:<\n|- run: x\n|- run: y\nenv: z\n"),
    ("a key of YAML without a value", "a.yml", "one:<\ntwo:\n  x: 1\n"),
    ("a heading", "a.md", "# A\n## B<\n|x\n|```\n|# no heading\n|```\n|### C\n|y\n## D\nz\n"),
    ("a line below a heading", "a.md", "# A\nx<\n|y\n## B\nz\n"),
    ("code in Markdown", "a.md", "# A\n```\nif x {<\n|  y\n|}\nif z {\n}\n```\n"),
    ("a section", "a.toml", "[a]<\n|x = 1\n|[a.b]\n|y = 2\n[c]\nx = 1\n"),
    ("a key of a section", "a.ini", "[a]\nx = 1<\n|y = 2\n[b]\nx = 1\n"),
    ("a definition without lines", "a.rb", "class A < B<\n|end\n\nclass C < B\n  x\nend\n"),
    ("a constructor below the name", "a.kt", "class A<\n|private constructor(\n|  x: Int,\n|) {\n|  y\n|}\n"),
    ("two signatures", "a.ts", "function f(x: A): B<\n|function f(x: any) {\n|  y\n|}\n"),
    ("a comment about one line", "a.proto", "// Ping.<\n|message Ping {}\n\nmessage Pong {\n  x\n}\n"),
    ("a comment about two lines", "a.py", "# Errors.<\n|class A(E): ...\n|class B(E): ...\n"),
    ("a line in a text", "a.py", 'def f():\n    a = """\n  x<\n|"""\n|    b\n\ndef g():\n    b\n'),
    ("a heading with a line below it", "a.md", "A\n===\n\nB<\n|---\n|x\n|\n|### C\n\nD\n---\nx\n"),
    ("a section that such a heading ends", "a.md", "## A<\n|x\n\nB\n---\nx\n"),
    ("rules and tables", "a.md", "# A<\n|x\n|\n|---\n|\n|- y\n|---\n|\n|a | b\n|--- | ---\n|1 | 2\n# C\n"),
    ("front matter", "a.md", "---\ntitle: x\n\ntags: y<\n|---\n|z\n# B\n"),
    ("a heading in code", "a.md", "# A<\n|```\n|\n|B\n|---\n|```\n|x\n# C\n"),
    ("a title of reStructuredText", "a.rst", "A\n=\n\nB\n--<\n|x\n|\n|C\n|~~\n|y\n\nD\n--\nx\n"),
    ("a title", "a.rst", "==\nAB\n==\n\nCD<\n|--\n|x\n|\n|EF\n|~~\n|y\n\nGH\n--\nx\n"),
    ("a title with two lines", "a.rst", "==\nAB\n==\n\nCD<\n|--\n|x\n\n==\nEF\n==\nx\n"),
    ("a directive", "a.rst", ".. note::<\n|\n|   x\n\ny\n"),
    ("a title of AsciiDoc", "a.adoc", "= A\n== B<\n|x\n|----\n|== no title\n|----\n|=== C\n== D\nx\n"),
    ("a title of Org", "a.org", "* A<\n|x\n|** B\n|y\n* C\nx\n"),
    ("a file that is Markdown by its name", "docs/README", "# A<\n|x\n|## B\n|y\n# C\nx\n"),
    ("sections with dots", ".editorconfig", "[*]<\n|x = 1\n[*.md]\nx = 1\n"),
    ("sections with brackets", ".editorconfig", "[*.{a,b}]<\n|x = 1\n[*.[ch]]\nx = 1\n"),
    ("a table of a lock", "Cargo.lock", '[[package]]<\n|name = "a"\n|[package.b]\n|x = 1\n[[package]]\nname = "b"\n'),
    (
        "a key of a table",
        "uv.lock",
        '[[package]]\nname = "a"<\n|x = 1\n|[package.b]\n|y = 1\n[[package]]\nname = "b"\nx = 1\n',
    ),
    ("a header in a text", "a.toml", '[a]<\n|x = """\n|[b]\n|"""\n|y = 1\n[c]\ny = 1\n'),
    ("a label", "a.c", "int f(void)<\n|{\n|    a();\n|out:\n|    b();\n|}\n\nint g(void)\n{\n    b();\n}\n"),
    ("a line above a label", "a.go", "func f() {\n\ta()<\n|Loop:\n|\tb()\n}\n\nfunc g() {\n\tb()\n}\n"),
    ("a label of a class", "a.h", "class A {\n  int x;<\npublic:\n  int y;\n};\n"),
    ("cases with braces", "a.c", "switch (x) {<\n|case 1: {\n|  a();\n|}\n|case 2:\n|  b();\n|}\nc();\n"),
    ("a case with braces", "a.c", "switch (x) {\ncase 1: {<\n|  a();\n|}\ncase 2:\n  b();\n}\nc();\n"),
    ("a line above a label of Swift", "a.swift", "switch x {\ncase .a:\n  a<\n@unknown default:\n  b\n}\n"),
    ("a branch", "a.sh", 'case "$1" in\na)<\n|  x\n|  ;;\nb) y ;;\n*)\n  x\n  ;;\nesac\n'),
    ("a line of one branch", "a.rb", "if x\n  a<\n|  b\nelse\n  b\nend\n"),
    ("a string of Rust", "a.rs", 'fn f() {<\n|    a("\n|text\n|");\n|    b();\n|}\n\nfn g() {\n    b();\n}\n'),
    (
        "code in a string of Rust",
        "a.rs",
        '    fn f<\'a>() {<\n|        a(r#"\n|fn h() {\n|}\n|"#);\n|        b();\n|    }\n\n    fn g() {\n    }\n',
    ),
    (
        "code in a string of C++",
        "a.cpp",
        'void f() {<\n|  a(R"x(\n|void h() {\n|}\n|)x");\n|  b();\n|}\n\nvoid g() {\n}\n',
    ),
    ("a string of C#", "a.cs", 'void F() {<\n|  a(@"\n|text ""x""\n|}\n|");\n|  b();\n|}\n\nvoid G() {\n}\n'),
    (
        "a string of PHP",
        "a.php",
        "function f() {<\n|  a(<<<EOT\n|text\n|}\n|EOT);\n|  b('\n|text\n|  ');\n|}\n\nfunction g() {\n}\n",
    ),
    ("a string of Lua", "a.lua", "function f()<\n|  a([[\n|text\n|end\n|]])\n|  b()\n|end\n\nfunction g()\nend\n"),
    ("a string of Elixir", "a.ex", 'def f do<\n|  a("""\n|text\n|end\n|""")\n|end\n\ndef g do\nend\n'),
    ("a string of a shell", "a.sh", "f() {<\n|  a '\n|text\n|'\n|  b\n|}\n\ng() {\n  b\n}\n"),
    ("a string in a loop", "a.sh", "for x in y; do<\n|  a '\n|text\n|'\n|  b\n|done\nb\n"),
    ("a template of Vue", "a.vue", "function f() {<\n|  a(`\n|text\n|`)\n|  b()\n|}\n\nfunction g() {\n}\n"),
    ("else", "a.js", "if (x) {<\n|  a(\n|out:\n|  b\n|} else {\n|  c\n|text\n|}\nd();\n"),
    ("a brace that is missing", "a.go", "func f() {<\n|\ta()\n\nvar x = 1\n\nfunc g() {\n\tb()\n}\n"),
    ("a brace on its own line that is missing", "a.c", "int f()<\n|{\n|  a();\n\nint g()\n{\n  b();\n}\n"),
    ("a function below a missing brace", "a.cpp", "int f() {<\n|  a();\n\nint g() { return 1; }\nint x;\n}\n"),
    (
        "an inner brace that is missing",
        "a.java",
        "class A {\n  void f() {<\n|    a();\n\n  int x;\n}\n\nclass B {\n  void g() {\n  }\n}\n",
    ),
    ("an end that is missing", "a.rb", "def f<\n|  a\n\nx = 1\n\ndef g\n  b\nend\n"),
    ("a one-line block below a missing brace", "a.proto", "message A {<\n|  x\n\nmessage B {}\n}\n"),
]


@pytest.mark.parametrize(("path", "marked"), [row[1:] for row in SCOPES], ids=[row[0] for row in SCOPES])
def test_a_scope_has_these_lines(path: str, marked: str) -> None:
    lines = marked.split("\n")
    anchor = next(number for number, line in enumerate(lines) if line.endswith("<"))
    inside = [number for number, line in enumerate(lines) if line.startswith("|")]
    plain = [
        line.removeprefix("|").removesuffix("<" if number == anchor else "\0") for number, line in enumerate(lines)
    ]
    body = "\n".join(plain)
    spot = len("\n".join([*plain[:anchor], ""]))
    [scope] = ScopeReader(body, path).scopes([spot])
    assert body[scope.start : scope.end].rstrip("\n").split("\n") == [plain[number] for number in (anchor, *inside)]


#: Lines that define something all by themselves, and lines that do not, by the path.
WHOLE = [
    ("a.py", "class NotFound(Error): ...", "class Conflict(Error):\n    x\n"),
    ("a.py", "def dev(): return 0", "def prod():\n    x\n"),
    ("a.py", "async def dev(): return 0", "def prod():\n    x\n"),
    ("a.py", "@overload\ndef f(x: int) -> int: ...", "@overload\ndef f(x: str) -> str: ...\n"),
    ("a.proto", "message Ping {}", "message Pong {\n  x\n}\n"),
    ("a.proto", "rpc Get(A) returns (B);", "rpc Put(A) returns (B) {\n  x\n}\n"),
    ("a.sh", "dev() { DEBUG=0; }", "prod() {\n  DEBUG=0\n}\n"),
    ("a.kt", "fun a() = 1", "fun b() {\n  x\n}\n"),
    ("a.kt", "data class A(val x: Int)", "data class B(\n  val x: Int\n)\n"),
    ("a.ex", "  def a, do: 1", "  def b do\n    x\n  end\n"),
    ("a.js", "  a: { x: 1 },", "  b: {\n    x: 1,\n  },\n"),
    ("a.json", '  "a": {"x": 1},', '  "b": {\n    "x": 1\n  }\n'),
    ("a.ts", "  get(x: string) { return x; }", "  set(x) {\n    y\n  }\n"),
    ("a.rs", "pub(crate) struct A;", "pub struct B {\n    x: u8,\n}\n"),
    ("a.rs", "impl<T> A for B<T> {}", "impl<T> A for C<T> {\n    x\n}\n"),
    ("a.go", "func (a A) Name() string { return a.name }", "func (b B) Name() string {\n\tx\n}\n"),
    ("a.c", "static int a(void) { return 1; }", "static int b(void) {\n    x\n}\n"),
    ("a.c", "struct a { int x; };", "struct b {\n    int x;\n};\n"),
    ("a.css", ".a { x: y; }", ".b {\n  x: y;\n}\n"),
    ("a.tf", 'variable "a" {}', 'variable "b" {\n  x = 1\n}\n'),
    ("a.lua", "local function a() return 1 end", "local function b()\n  x\nend\n"),
    ("a.cs", "public record A(int X);", "public record B\n{\n    int X;\n}\n"),
]
NOT_WHOLE = [
    ("a.py", "type = 1"),
    ("a.py", "import a"),
    ("a.js", "import { a } from 'a';"),
    ("a.js", "const a = { x: 1 };"),
    ("a.js", "if (x) { return; }"),
    ("a.js", "module.exports = { a };"),
    ("a.js", "} catch (e) { }"),
    ("a.rb", "let(:x) { 1 }"),
    ("a.kt", "xs.forEach { x(it) }"),
    ("a.kt", "run(x) { y }"),
    ("a.rs", "use a::{b, c};"),
    ("a.c", "struct a *x = f();"),
    ("a.c", "struct a x = {0};"),
    ("a.cpp", "class A;"),
    ("a.php", "namespace App;"),
    ("a.sh", "module load gcc"),
    ("a.yml", "type: x"),
    ("a.gradle", "def x = 1"),
    ("a.txt", "type your name"),
    ("a.go", "x := T{a: 1}"),
]


@pytest.mark.parametrize(("path", "line", "rest"), WHOLE)
def test_a_definition_on_one_line_has_only_itself_as_its_scope(path: str, line: str, rest: str) -> None:
    [scope] = ScopeReader(f"{line}\n{rest}", path).scopes([0])
    assert (scope.end, scope.below in scope) == (len(line) + 1, True)


@pytest.mark.parametrize(("path", "line"), NOT_WHOLE)
def test_an_ordinary_line_has_the_rest_of_its_block_as_its_scope(path: str, line: str) -> None:
    body = f"{line}\nx\ny\n"
    assert ScopeReader(body, path).scopes([0])[0].end > len(body)


def test_an_edit_of_a_definition_on_one_line_does_not_go_to_its_sibling() -> None:
    text = "class NotFound(Error): ...\n\n\nclass Conflict(Error):\n    status = 404\n"
    hunk = Hunk(("-    status = 404", "+    status = 410"), ("class NotFound(Error): ...",))
    assert refusal(text, hunk, path="errors.py")[1] == "context_not_found"


@pytest.mark.parametrize("heading", ["int a(void)", "int a(void) {"])
def test_a_place_below_a_label_is_below_the_heading_of_its_function(heading: str) -> None:
    brace = "\n{" if heading.endswith(")") else ""
    body = f"{heading}{brace}\n    x();\nout:\n    y();\n}}\n\nint b(void) {{\n    z();\n}}\n"
    reader = ScopeReader(body, "a.c")
    assert reader.is_below_heading(body.index("    y();"), heading)
    assert not reader.is_below_heading(body.index("    z();"), heading)


SETTINGS = (
    "class Development:\n    debug = True\n    workers = 1\n\n\nclass Production:\n    debug = True\n    workers = 8\n"
)
TURN_OFF = ("-    debug = True", "+    debug = False")


def refusal(text: str, *hunks: Hunk, path: str = "settings.py", dialect: str = "standard") -> tuple[str, object, str]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, path=path, dialect=dialect)
    problem = raised.value.problems[0]
    return problem.code, problem.details.get("reason"), problem.message


def test_a_place_outside_of_the_block_is_refused_and_both_are_shown() -> None:
    """SPEC §14: "A place outside is refused, with the place and the anchor's block shown." """
    text = SETTINGS.replace("    debug = True\n    workers = 1", "    workers = 1")
    code, reason, message = refusal(text, Hunk(TURN_OFF, ("class Development:",)))
    assert (code, reason) == ("patch_apply_error", "context_not_found")
    assert "line 6" in message
    assert "|class Development:| (lines 1-4)" in message
    assert "2 |    workers = 1|" in message


def test_stacked_anchors_nest() -> None:
    text = "class A:\n    def stop(self):\n        x = 1\n\nclass B:\n    def run(self):\n        x = 1\n"
    _, reason, message = refusal(text, Hunk(("-        x = 1", "+        x = 2"), ("class A:", "def run(self):")))
    assert reason == "anchor_not_found"
    assert "in the block of |class A:|" in message


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_where_the_first_place_counts_a_hunk_may_be_anywhere_below_its_anchor(dialect: str) -> None:
    text = SETTINGS.replace("    debug = True\n    workers = 1", "    workers = 1")
    done = update(text, [Hunk(TURN_OFF, ("class Development:",))], dialect=dialect)
    assert done.text == text.replace("True", "False")


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_a_result_in_the_block_of_an_equal_anchor_is_applied(dialect: str) -> None:
    text = "class A:\n    def f(self):\n        x = 2\n\nclass B:\n    def f(self):\n        x = 1\n"
    hunk = Hunk(("-        x = 1", "+        x = 2"), ("def f(self):",))
    assert refusal(text, hunk, dialect=dialect)[1] == "already_applied"


def test_a_choice_of_the_dialect_lets_repeats_through() -> None:
    repeats = DIALECTS["codex"].replace(name="mine", refuse_repeats=False)
    hunk = Hunk(TURN_OFF, ("class Development:",))
    once = update(SETTINGS, [hunk], dialect=repeats).text
    assert update(once, [hunk], dialect=repeats).text == SETTINGS.replace("True", "False")


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_lines_that_only_come_in_below_an_anchor_come_in_once(dialect: str) -> None:
    hunk = Hunk(("+    level = 3",), ("class Development:",))
    once = update(SETTINGS, [hunk], dialect=dialect).text
    assert refusal(once, hunk, dialect=dialect)[1] == "already_applied"


def test_a_hunk_of_context_is_an_anchor_whose_block_may_have_the_result() -> None:
    hunks = [Hunk((" class Development:",)), Hunk(TURN_OFF)]
    once = update(SETTINGS, hunks).text
    assert once == SETTINGS.replace("True", "False", 1)
    assert refusal(once, *hunks)[1] == "already_applied"


def test_a_line_that_only_the_context_has_is_named() -> None:
    """SPEC §14: "A context-only hunk with a line that the file does not have is never dropped"."""
    first, last = Hunk(("-    workers = 1", "+    workers = 2")), Hunk(("-    workers = 8", "+    workers = 9"))
    code, reason, message = refusal(SETTINGS, first, Hunk((" class Production:", "     level = 3")), last)
    assert (code, reason) == ("patch_apply_error", "context_not_found")
    assert "Hunk 2 of 3 has only context" in message
    assert "|    level = 3|" in message


def test_lines_of_context_that_the_file_has_apart_from_each_other_name_a_place() -> None:
    done = update(SETTINGS, [Hunk((" class Production:", "     workers = 8")), Hunk(TURN_OFF)])
    assert done.text == SETTINGS.replace("True", "False").replace("False", "True", 1)


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.c", "/*"),
        ("a.py", '"""'),
        ("a.py", '"\\'),
        ("a.sh", "<<A\n"),
        ("a.js", "`"),
        ("a.md", "```\n"),
        ("a.py", "#\n"),
        ("a.rs", 'r#"'),
        ("a.lua", "[["),
        ("a.go", "y {\n"),
        ("a.js", "{ /*"),
        ("a.rb", "do |"),
        ("a.lua", "function("),
        ("a.ex", "fn x "),
        ("a.rst", "==\n"),
        ("a.toml", "[a.a]\n"),
        ("a.c", "static "),
        ("a.c", "}"),
        ("a.ini", f"[{' ' * 9_998}\n"),
        ("a.toml", f"[{' ' * 9_998}\n"),
        ("a.lua", "[="),
        ("a.cs", '@"'),
        ("a.adoc", "----\n"),
        ("a.php", "<<<A\n"),
    ],
)
def test_a_hostile_text_is_read_once(path: str, unit: str) -> None:
    """Work is linear: a text that is ten times as long is read in about ten times as many steps, and this one ends."""
    body = "x:\n  y\n" + unit * (100_000 // len(unit)) + "\nz\n"
    assert ScopeReader(body, path).scopes([0])[0].start == 0


def test_a_hunk_may_begin_right_behind_the_block_of_its_anchor_with_the_line_that_opens_the_next() -> None:
    """Diffs name the last heading above a hunk, also if the hunk begins with the next one."""
    text = "def first():\n    run(1)\n\n\ndef second():\n    run(2)\n"
    change = ("-    run(2)", "+    run(3)")
    for context in ((" def second():",), (" ", " def second():")):
        hunk = Hunk((*context, *change), anchors=("def first():",))
        assert update(text, [hunk]).text == text.replace("run(2)", "run(3)")
    with pytest.raises(PatchRejectedError):
        update(text, [Hunk(change, anchors=("def first():",))])
