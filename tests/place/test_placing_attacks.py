"""Edits by which fresh readers got a change to a wrong place, each of which must be refused or go where it belongs."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, apply_in_memory, parse, replace, update

JOB = "  {}:\n    runs-on: ubuntu\n    steps:\n      - run: make\n"
JOBS = "jobs:\n" + JOB.format("build") + JOB.format("test") + JOB.format("deploy")
TWO_JOBS = """--- a/ci.yml
+++ b/ci.yml
@@ -5,3 +5,3 @@ jobs:
       - run: make
-  test:
+  unit:
     runs-on: ubuntu
@@ -12,2 +12,2 @@ jobs:
     steps:
-      - run: make
+      - run: make deploy
"""


def hunks_of(*lines: str) -> tuple[Hunk, ...]:
    """The hunks of a patch of one file, from the lines behind its header."""
    body = "\n".join(lines)
    [operation] = parse(f"*** Begin Patch\n*** Update File: f\n{body}\n*** End Patch").operations
    return operation.hunks  # type: ignore[union-attr]


def is_refused(content: str, hunks: tuple[Hunk, ...], path: str = "", **settings: bool) -> bool:
    """Whether an update is refused."""
    try:
        update(content, hunks, path=path, **settings)  # type: ignore[arg-type]
    except PatchRejectedError:
        return True
    return False


def test_numbers_of_a_diff_are_not_overruled_by_the_block_of_the_hunk_before() -> None:
    with pytest.raises(PatchRejectedError):
        apply_in_memory(TWO_JOBS, {"ci.yml": "# CI\n" + JOBS})


def test_a_diff_of_which_one_hunk_is_applied_does_not_put_it_into_another_block() -> None:
    half = JOBS.removesuffix("      - run: make\n") + "      - run: make deploy\n"
    with pytest.raises(PatchRejectedError) as refused:
        apply_in_memory(TWO_JOBS, {"ci.yml": half})
    assert refused.value.problems[0].details["reason"] == "already_applied"


def test_skipped_hunks_take_their_block_along() -> None:
    hunks = hunks_of("@@ class A:", "-    x = 1", "+    x = 9", "@@", "-    y = 2", "+    y = 8")
    text = "class A:\n    x = 1\n    y = 2\n\nclass B:\n    x = 1\n    y = 2\n"
    once = update(text, hunks).text
    assert once == "class A:\n    x = 9\n    y = 8\n\nclass B:\n    x = 1\n    y = 2\n"
    again = update(once, hunks, skip_applied=True)
    assert again.text == once


ROUTE = (
    "app.post('/api/users/@')\ndef view(request):\n    row = find(request)\n    row.check()\n    return row.render()\n"
)
TITLE = "it('should @ the record when called', () => {\n  const row = make();\n  row.check();\n  expect(row.ok);\n});\n"
IMPORT = "import { useForm } from '../components/forms/@';\nconst form = useForm();\nform.check();\nform.submit();\n"
SELECTOR = (
    "$('.panel .header .@').on('click', function () {\n  panel.toggle();\n  panel.check();\n  panel.save();\n});\n"
)
CONDITION = '    if mode == "users @ table":\n        row = cur.fetchone()\n        row.check()\n        row.close()\n'
QUERY = 'rows = db.query("SELECT name FROM @ WHERE active")\nfirst(rows)\nrows.check()\nlast(rows)\n'
DEFINITION = "def @(matrix):\n    rows = matrix.rows\n    rows.check()\n    return build(rows)\n"
CLASS = 'class @Handler(Base):\n    name = "x"\n    check()\n    timeout = 10\n'
SETEXT = (
    "How to @ the service\n====================\n\nRun the tool first.\nThen check() it.\nFinally, look at the log.\n"
)
HEADING = "# Title\n\n## How to @ the service\n\nRun the tool first.\nThen check() it.\nFinally, look at the log.\n"


@pytest.mark.parametrize(
    ("template", "path", "there", "meant"),
    [
        (ROUTE, "a.py", "disable", "enable"),
        (TITLE, "a.test.js", "not accept", "accept"),
        (TITLE, "a.test.js", "disable", "enable"),
        (TITLE, "", "disable", "enable"),
        (IMPORT, "a.ts", "login", "logout"),
        (SELECTOR, "a.js", "buttons", "button"),
        (CONDITION, "a.py", "lock", "unlock"),
        (QUERY, "a.py", "orders", "users"),
        (DEFINITION, "a.py", "invert", "insert"),
        (CLASS, "a.py", "Context", "Content"),
        (SETEXT, "a.md", "disable", "enable"),
        (HEADING, "", "disable", "enable"),
        (HEADING, "README", "disable", "enable"),
        (HEADING, "a.md", "disable", "enable"),
    ],
)
def test_an_edit_whose_name_is_gone_does_not_go_to_its_opposite(
    template: str, path: str, there: str, meant: str
) -> None:
    content, old = template.replace("@", there), template.replace("@", meant)
    with pytest.raises(PatchRejectedError):
        replace(content, old, old.replace("check()", "check(1)"), path=path)


SETTINGS = (
    "class Development:\n    debug = True\n    workers = 1\n\n\nclass Production:\n    debug = True\n    workers = 8\n"
)


@pytest.mark.parametrize(
    "lines",
    [
        ("@@", " class Development:", "@@", "-debug = True", "+debug = False"),
        ("@@", " class Development:", "@@", "-    debug = True", "+    debug = False"),
        ("@@", " class Development:", "@@", "-    debug = True"),
    ],
)
def test_a_hunk_of_context_holds_the_next_hunk_in_its_block(lines: tuple[str, ...]) -> None:
    hunks = hunks_of(*lines)
    once = update(SETTINGS, hunks, path="s.py").text
    assert once.endswith(SETTINGS[SETTINGS.index("class Production") :])
    assert is_refused(once, hunks, "s.py")


def test_a_bracket_one_tab_off_is_another_bracket() -> None:
    text = (
        "func Load() {\n\tfor _, h := range hooks {\n\t\tif h.Active {\n\t\t\th.Run(id)\n\t\t}\n\t}\n\tfinish(s)\n}\n"
    )
    lines = (" \tfor _, h := range hooks {", " \t\tif h.Active {", " \t\t\th.Run(id)", " \t}", "+\thooks = nil")
    assert is_refused(text, hunks_of("@@", *lines), "a.go")


def test_a_blank_last_line_is_not_left_out_if_lines_are_added_behind_it() -> None:
    content = (
        "class Store {\n  load(id) {\n    const row = this.find(id);\n    return row;\n  }\n\n  save(row) {\n  }\n}\n"
    )
    old = "    const row = this.find(id);\n    return row;\n\n"
    with pytest.raises(PatchRejectedError):
        replace(content, old, old + "  reload(id) {\n    return this.load(id);\n  }\n\n", path="a.js")


THREE = (
    "def a():\n    one_thing()\n    two_things()\n\ndef b():\n    three_things()\n    four_things()\n"
    "\ndef c():\n    five_things()\n"
)


@pytest.mark.parametrize("line", ["pass", "return", "try:", "x", "b()", "return None", "}"])
def test_a_line_of_context_that_the_file_lacks_is_never_dropped(line: str) -> None:
    hunks = hunks_of(
        *("@@", "-    one_thing()", "+    one_thing(1)"),
        *("@@", " def b():", f"     {line}", "     three_things()"),
        *("@@", " def c():", "-    five_things()", "+    five_things(5)"),
    )
    with pytest.raises(PatchRejectedError) as refused:
        update(THREE, hunks, path="f.py")
    assert [problem.hunk.number for problem in refused.value.problems if problem.hunk] == [2]
    assert f"|    {line}|" in refused.value.problems[0].message


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_where_any_place_below_an_anchor_counts_a_result_such_as_pass_is_recognized(dialect: str) -> None:
    text = "def f():\n    raise NotImplementedError\n\n\ndef g():\n    raise NotImplementedError\n"
    hunks = hunks_of("@@ def f():", "-    raise NotImplementedError", "+    pass")
    once = update(text, hunks, dialect=dialect).text
    with pytest.raises(PatchRejectedError):
        update(once, hunks, dialect=dialect)


@pytest.mark.parametrize(
    ("content", "lines", "right"),
    [
        ("# Setup\nx = 1\ny = 2\n", ("-x = 1", "+# Setup", "+x = 10"), "# Setup\n# Setup\nx = 10\ny = 2\n"),
        ("x = 1\nlog(done)\n", ("-x = 1", "+x = 10", "+log(done)"), "x = 10\nlog(done)\nlog(done)\n"),
    ],
)
def test_a_hunk_that_is_exact_and_unique_is_applied_unless_all_of_its_result_is_there(
    content: str, lines: tuple[str, ...], right: str
) -> None:
    assert update(content, hunks_of("@@", *lines)).text == right


@pytest.mark.parametrize(
    ("content", "lines", "right"),
    [
        (
            "import os\n\n# "
            + "-" * 40
            + "\n# Helpers for reading\n# "
            + "-" * 40
            + "\n\ndef read(path):\n    return load(path)\n",
            (
                " # " + "-" * 38,
                " # Helpers for reading",
                " # " + "-" * 38,
                " ",
                "-def read(path):",
                "+def read(path, mode):",
            ),
            "import os\n\n# "
            + "-" * 40
            + "\n# Helpers for reading\n# "
            + "-" * 40
            + "\n\ndef read(path, mode):\n    return load(path)\n",
        ),
    ],
)
def test_rules_of_dashes_have_any_length(content: str, lines: tuple[str, ...], right: str) -> None:
    assert update(content, hunks_of("@@", *lines), path="f.py").text == right


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("more", ["", "\n"])
def test_an_edit_at_the_end_of_a_file_that_has_fewer_newlines_is_not_made_again(end: str, more: str) -> None:
    old = "    second()\n}\n\n"
    new = f"{old}third()\n{more}"
    once = f"first {{\n{old}third(){end}"
    with pytest.raises(PatchRejectedError):
        replace(once, old, new)
    lines = [f" {line}" for line in old.splitlines()]
    with pytest.raises(PatchRejectedError):
        update(once, hunks_of("@@", *lines, "+third()", *(["+"] if more else [])))


def test_a_rename_that_was_made_is_not_made_again_without_its_first_directory() -> None:
    diff = (
        "diff --git a/samples/web/web/a.txt b/web/web/a.txt\nsimilarity index 100%\n"
        "rename from samples/web/web/a.txt\nrename to web/web/a.txt\n"
    )
    with pytest.raises(PatchRejectedError):
        apply_in_memory(diff, {"web/web/a.txt": "one\n"})


def test_a_word_that_closes_a_block_at_another_depth_closes_another_block() -> None:
    text = "describe 'one' do\n  it 'works' do\n    run(1)\n    check(2)\n    call do\n      go\n    end\n  end\nend\n"
    lines = ("     run(1)", "     check(2)", "     call do", "       go", "   end", "+  it 'fails' do", "+  end")
    assert is_refused(text, hunks_of("@@", *lines), "a.rb")


def test_a_left_out_bracket_is_not_taken_for_a_blank_line_that_comes_in() -> None:
    text = "const load = (first) => {\n\tcheck(first);\n\treturn run(first);\n};\n\n// Saves all of it.\nsave(all);\n"
    lines = (" const load = (first) => {", " \tcheck(first);", "-\treturn run(first);", "+", "+\treturn run(1);", " ")
    hunks = hunks_of("@@", *lines, " // Saves all of it.", " save(all);")
    right = text.replace("\treturn run(first);", "\n\treturn run(1);")
    assert update(text, hunks, path="a.js").text == right


class TestContextThatIsOff:
    """A context line that differs from the file's line is not kept in silence where that makes the edit another one."""

    KEPT = "// See github.com/spring/zustand/pull/34"
    ADDED = "// See github.com/pmndrs/zustand/pull/34"
    FILE = f"export * from './vanilla'\n\n{ADDED}\n// See issue 347\nconst isSSR =\n  typeof window\n"

    @pytest.mark.parametrize("lines", [(f" {KEPT}", f"+{ADDED}"), (f"+{ADDED}", f" {KEPT}")], ids=["below", "above"])
    def test_an_added_line_is_not_put_beside_itself(self, lines: tuple[str, str]) -> None:
        hunk = Hunk(
            (" export * from './vanilla'", " ", *lines, " // See issue 347", " const isSSR =", "   typeof window")
        )
        with pytest.raises(PatchRejectedError) as refused:
            update(self.FILE, [hunk], path="a.ts")
        assert refused.value.problems[0].reason == "already_applied"
        with pytest.raises(PatchRejectedError) as refused:
            replace(self.FILE, "\n".join(hunk.old), "\n".join(hunk.new), path="a.ts")
        assert refused.value.problems[0].reason == "already_applied"

    def test_another_added_line_is_put_there(self) -> None:
        lines = (
            " export * from './vanilla'",
            " ",
            f" {self.KEPT}",
            "+// See more",
            " // See issue 347",
            " const isSSR =",
        )
        done = update(self.FILE, [Hunk(lines)], path="a.ts")
        assert done.text == self.FILE.replace("34\n", "34\n// See more\n")

    def test_a_rule_of_dashes_that_lost_its_space_is_not_removed(self) -> None:
        patch = "*** Begin Patch\n*** Update File: a.md\n@@\n }\n \n------\n \n+New\n Contributing\n*** End Patch\n"
        for before in ("}\n\n------\n\nContributing\n", "}\n\n------\n\nContributing\n============\n\nMore\n"):
            with pytest.raises(PatchRejectedError):
                apply_in_memory(patch, {"a.md": before})

    @pytest.mark.parametrize("closing", ["```", "}", "});"])
    def test_lines_that_come_in_are_not_put_before_a_closing_line_that_the_edit_leaves_out(self, closing: str) -> None:
        before = f"install it:\nopen here\n$ composer require\n{closing}\n\nBasic usage\n===========\n"
        added = ("+$ composer require:1", "+", "+See the page about versions.")
        lines = (" install it:", " open here", "-$ composer require", *added, " ", " Basic usage", " ===========")
        with pytest.raises(PatchRejectedError):
            update(before, [Hunk(lines)], path="a.md")
        done = update(before, [Hunk(tuple(line for line in lines if line not in added[1:]))], path="a.md")
        assert done.text == before.replace("require", "require:1")

    def test_lines_that_have_the_new_depth_are_not_moved_further(self) -> None:
        before = "### Fixed\n\n - Fixed the first\n\n## Older\n\n - Fixed the third\n - Fixed the fourth\n"
        lines = [" ### Fixed", " ", "-- Fixed the first", "+ - Fixed the first one", " ", " ## Older", " "]
        lines += ["-- Fixed the third", "-- Fixed the fourth", "+ - Fixed the third", "+ - Fixed the fourth"]
        with pytest.raises(PatchRejectedError):
            update(before, [Hunk(tuple(lines))], path="a.md")
