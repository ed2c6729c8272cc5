"""Edits that a careful person would place, each beside one that is nearly the same and must be refused."""

from __future__ import annotations

import pytest

from suture import PatchInvalidError, PatchRejectedError, apply_in_memory, parse, replace, update
from suture.batch import score
from suture.core.patch import Hunk

MANY = [f"statement_{number}(first, second)" for number in range(20)]


def block(path: str, old: str, new: str) -> str:
    """A SEARCH/REPLACE block with a path above it, or none."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n".lstrip("\n")


def applied(text: str, old: str, new: str, path: str = "app.py") -> str | bytes:
    """A file after one SEARCH/REPLACE block."""
    return apply_in_memory(block(path, old, new), {path: text}).texts[path]


def refused(text: str, old: str, new: str, path: str = "app.py") -> str:
    """The rule or reason for which a block is refused."""
    with pytest.raises(PatchRejectedError) as raised:
        applied(text, old, new, path)
    details = raised.value.problems[0].details
    return str(details.get("rule") or details.get("reason"))


def indented(lines: list[str], depth: int) -> str:
    return "".join(" " * depth + line + "\n" for line in lines)


# Depth.


def test_among_many_lines_a_comment_may_be_at_another_depth() -> None:
    file = "def f():\n" + indented([*MANY[:7], "# Why it is so.", *MANY[7:14]], 4)
    old = indented(MANY[:7], 4) + indented(["# Why it is so."], 8) + indented(MANY[7:14], 4)
    assert applied(file, old, "    first()\n" + old) == file.replace("def f():\n", "def f():\n    first()\n")


def test_among_few_lines_a_comment_at_another_depth_is_another_one() -> None:
    file = "def f():\n" + indented([*MANY[:3], "# Why it is so.", *MANY[3:6]], 4)
    old = indented(MANY[:3], 4) + indented(["# Why it is so."], 8) + indented(MANY[3:6], 4)
    assert refused(file, old, "    first()\n" + old) == "uneven-depth"


def test_statements_at_different_depths_are_another_block_however_many() -> None:
    file = "def f():\n    if x:\n" + indented(MANY[:14], 8) + "    last(1)\n"
    old = indented(MANY[:14], 8) + "        last(1)\n"
    assert refused(file, old, old.replace("last(1)", "last(2)")) == "uneven-depth"


def test_a_flattened_edit_tells_no_depth() -> None:
    file = "def f():\n    if x:\n" + indented(MANY[:14], 8) + "    last(1)\n"
    old = indented([line.strip() for line in file.splitlines()], 0)
    assert refused(file, old, old.replace("last(1)", "more()\nlast(1)")) == "uneven-depth"


def test_lines_inside_of_brackets_say_nothing_about_depth() -> None:
    head = "class A:\n    def f(self):\n        if x:\n"
    file = f"{head}            base -= d - (height(form) -\n                    form.base)\n"
    old = "    base -= d - (height(form) -\n                    form.base)\n"
    assert applied(file, old, "    base = max(form.base, d)\n") == f"{head}            base = max(form.base, d)\n"


def test_the_inside_of_a_text_stays_where_the_code_around_it_is_off() -> None:
    file = '        ask("""Please extract\n\n    the title of the page\n    and be concise.""")\n'
    file = "class A:\n    def f(self):\n" + file
    old = '    ask("""Please extract\n\n    the title of the page\n    and be concise.""")\n'
    assert applied(file, old, old.replace("be concise.", "be brief.")) == file.replace("be concise.", "be brief.")


def test_a_new_text_at_the_depth_of_the_file_stays_there() -> None:
    text = "      matrix:\n        python: [10]\n    steps:\n      - uses: checkout\n      - name: Set up\n"
    old = text.replace("  ", "    ").lstrip()
    file, new = "    strategy:\n" + text, text.replace("[10]", "[11]")
    assert replace(file, old, new, path="ci.yml").text == file.replace("[10]", "[11]")


# One line off.


def far_off(count: int, line: str = "self.anchor(box)", other: str = "self.update_anchor(box)") -> tuple[str, str]:
    """A file of many lines, and an old text in which the third one is another."""
    lines = ["def place_all(self):", *MANY[:count]]
    old, file = ([*lines[:2], third, *lines[2:], ""] for third in (line, other))
    return "\n".join(file), "\n".join(old)


def test_of_very_many_lines_a_kept_one_away_from_the_change_may_be_another() -> None:
    file, old = far_off(16)
    result = applied(file, old, old.replace(MANY[15], "changed()"), "app.js")
    assert result == file.replace(MANY[15], "changed()")


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("lock_rows(box):", "unlock_rows(box):"),
        ("if (ready) go(box)", "if (!ready) go(box)"),
        ("def lock_rows(box):", "def unlock_rows(box):"),
        ("describe('GET /rows', () => {", "describe('DELETE /rows', () => {"),
    ],
)
def test_a_line_that_names_something_is_never_another(line: str, other: str) -> None:
    file, old = far_off(16, line, other)
    assert refused(file, old, old.replace(MANY[15], "changed()"), "app.js") is not None


def test_without_a_name_of_its_own_the_block_may_be_a_twin() -> None:
    """An edit that was applied, and whose block was edited then, must not go to a block that is nearly the same."""
    head = "def place_all(self):\n"
    file, old = (text.removeprefix(head) for text in far_off(16))
    assert refused(file, old, old + "more()\n", "app.js") == "twin"


def test_of_fewer_lines_a_kept_one_with_another_name_is_another_block() -> None:
    file, old = far_off(8)
    assert refused(file, old, old.replace(MANY[7], "changed()"), "app.js") == "twin"


def test_next_to_the_change_a_line_is_never_another() -> None:
    file, old = far_off(16)
    assert refused(file, old, old.replace(MANY[1], "changed()"), "app.js") in ("twin", "changed-lines")


def test_a_heading_with_a_sign_in_front_is_a_name() -> None:
    file = "# Suite\n\nThis directory contains all of the tests of the robot.\n\n## 🚀 Quick Start\n\nRun them.\n"
    old = "This directory contains all of the tests of the robot.\n\n## 🚀 Quicks Start\n"
    new = old.replace("\n\n", "\n\nThey are quick.\n\n")
    assert refused(file, old, new, "README.md") is not None


def test_a_bracket_that_was_left_out_beside_lines_that_repeat_it_has_no_side() -> None:
    """The lines that come in end like those above them, so that the file's `}` may belong before or behind them."""
    head = "fn main() {\n    first(alpha);\n    if one(alpha) {\n        set(alpha);\n    }\n"
    file = f"{head}}}\n\nfn probe() {{\n    second(beta);\n}}\n"
    old = file.replace("    }\n}\n\nfn", "    }\n\nfn").removesuffix("}\n")
    new = old.replace("    }\n\nfn", "    }\n\n    if two(alpha) {\n        unset(alpha);\n    }\n\nfn")
    with pytest.raises(PatchRejectedError):
        replace(file, old, new, path="build.rs")


# Blank lines.


def test_an_added_blank_line_stands_for_one_that_the_edit_skipped() -> None:
    file = "}, [isReady, session, images])\n\n\n// Load the state of the viewer\nload()\n"
    lines = (" }, [isReady, session, images])", " ", "+useEffect(fix)", "+", " // Load the state of the viewer")
    result = update(file, [Hunk(lines)], path="page.tsx").text
    assert result == file.replace("\n\n\n", "\n\nuseEffect(fix)\n\n")


def test_a_blank_last_context_line_that_the_file_lacks_at_its_end_is_added() -> None:
    hunk = Hunk((" #root {", "   width: 100%;", " }", " ", "+table {", "+}"))
    done = update("#root {\n  width: 100%;\n}\n", [hunk], path="index.css")
    assert done.text == "#root {\n  width: 100%;\n}\n\ntable {\n}\n"
    assert [one.name for match in done.matches for one in match.concessions] == ["blank_line_added"]


def test_in_the_middle_of_a_file_such_a_line_is_refused() -> None:
    hunk = Hunk((" #root {", "   width: 100%;", " }", " ", "+table {", "+}"))
    with pytest.raises(PatchRejectedError):
        update("#root {\n  width: 100%;\n}\nmain {\n}\n", [hunk], path="index.css")


def test_a_blank_line_removed_from_an_empty_file_is_no_line_of_it() -> None:
    done = update("", [Hunk(("-", "+mkdocs>=1.5"))], path="requirements.txt")
    assert done.text == "mkdocs>=1.5\n"
    assert [one.name for match in done.matches for one in match.concessions] == ["last_blank_left_out"]


def test_beside_blank_lines_that_the_file_lacks_nothing_comes_in() -> None:
    """The file has an import between the last line of the edit and the blank lines: before it, or behind?"""
    file = "from x import y\nfrom r import Risk, Limits\nfrom b import Back\n\n\n@mark\n"
    old = "from x import y\nfrom r import Risk, Limits\n\n"
    with pytest.raises(PatchRejectedError):
        replace(file, old, old.replace("Limits\n", "Limits\nfrom d import Data\n"), path="t.py")


# Readings.


def test_the_gutter_of_an_editor_is_no_part_of_the_lines() -> None:
    old = "│import { a } from './a.ts';\n█// AI! Add docs\n│export function f(): void;\n"
    new = "│import { a } from './a.ts';\n/** Does it. */\n│export function f(): void;\n"
    file = "import { a } from './a.ts';\n// AI! Add docs\nexport function f(): void;\n"
    expected = file.replace("// AI! Add docs", "/** Does it. */")
    assert applied(file, old, new, "f.ts") == expected
    assert replace(file, old, new, path="f.ts").text == expected


def test_a_sign_in_front_of_some_lines_only_is_a_part_of_them() -> None:
    file = "import { a } from './a.ts';\nexport function f(): void;\n"
    old = "│import { a } from './a.ts';\nexport function f(): void;\n"
    assert refused(file, old, "export function f(): void;\n", "f.ts") is not None


def test_the_drawing_of_a_tree_is_no_gutter() -> None:
    file = "├── src\n│   ├── main.py\n│   └── util.py\n└── tests\n    ├── main.py\n    └── data\n"
    old = "│   ├── main.py\n│   └── data\n"
    assert refused(file, old, old.replace("main", "other"), "a.md") is not None


def test_a_shortened_docstring_is_that_of_the_file() -> None:
    file = 'def f():\n    """Do it.\n\n    Twice.\n    """\n    one()\n    two()\n'
    old = 'def f():\n    """Do it."""\n    one()\n'
    assert applied(file, old, old.replace("one()", "1()")) == file.replace("one()", "1()")


def test_a_shortened_docstring_with_other_words_is_another_one() -> None:
    file = 'def f():\n    """Do it.\n\n    Twice.\n    """\n    one()\n    two()\n'
    old = 'def f():\n    """Undo it."""\n    one()\n'
    assert refused(file, old, old.replace("one()", "1()")) is not None


def test_a_block_with_other_line_breaks_comes_in_once() -> None:
    file = "f(\n    key, cast,\n    default)\n"
    old = "    key,\n    cast,\n    default)\n"
    once = replace(file, old, "    self,\n" + old).text
    with pytest.raises(PatchRejectedError) as raised:
        replace(str(once), old, "    self,\n" + old)
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_a_block_may_break_its_lines_where_the_file_does_not() -> None:
    file = "def f():\n    return '%s^%s' % (self.bracket(base, PREC), self.bracket(power, PREC))\n"
    old = "    return '%s^%s' % (self.bracket(base, PREC),\n                      self.bracket(power, PREC))\n"
    assert applied(file, old, "    return self.bracket(base)\n") == "def f():\n    return self.bracket(base)\n"


def test_a_block_is_no_part_of_a_line() -> None:
    file = "from os import path, makedirs\nimport sys\n"
    assert refused(file, "from os import path\n", "import os\nfrom os import path\n") is not None


# The file of an edit that names none.


def test_an_edit_that_names_no_file_is_one_of_the_only_file() -> None:
    done = apply_in_memory(block("", "a = 1\n", "a = 2\n"), {"app.py": "a = 1\n"})
    assert done.texts == {"app.py": "a = 2\n"}
    assert [one.name for one in done.plan.concessions] == ["path_assumed"]


def test_among_two_files_an_edit_must_name_one() -> None:
    with pytest.raises(PatchInvalidError):
        apply_in_memory(block("", "a = 1\n", "a = 2\n"), {"app.py": "a = 1\n", "b.py": "a = 1\n"})


def test_a_line_that_may_name_another_file_is_not_passed_over() -> None:
    with pytest.raises(PatchInvalidError):
        apply_in_memory(block("My Notes.md", "a = 1\n", "a = 2\n"), {"app.py": "a = 1\n"})


def test_a_path_above_the_block_wins_over_the_one_that_is_assumed() -> None:
    assert parse(block("b.py", "a = 1\n", "a = 2\n"), path="app.py").operations[0].path == "b.py"


def test_a_row_with_a_text_needs_no_path() -> None:
    scored = score({"text": "a = 1\n", "edit": block("", "a = 1\n", "a = 2\n"), "wanted": "a = 2\n"})
    assert (scored["equal"], scored["concessions"]) == (True, ["path_assumed"])


# Hunks of context, and results that are there.


CHAPTERS = (
    "# Apples\n\nAbout the first one.\n\n# Berries\n\nAbout the second one.\n\n# Cherries\n\nAbout the third one.\n"
)


def test_a_hunk_above_the_context_before_it_needs_an_exact_place_of_its_own() -> None:
    hunks = [
        Hunk((" # Cherries", " ", " About the third one.")),
        Hunk((" # Apples", " ", "+New.", " About the first one.")),
    ]
    assert update(CHAPTERS, hunks, path="a.md").text == CHAPTERS.replace("# Apples\n\n", "# Apples\n\nNew.\n")


def test_a_hunk_whose_context_is_in_the_block_of_the_context_before_it_stays_there() -> None:
    file = (
        "class First:\n    def run(self):\n        connect(alpha)\n        value = compute(alpha)\n\n\n"
        "class Second:\n    def run(self):\n        connect(alpha)\n        value = combine(alpha, 1)\n"
    )
    change = ("         connect(alpha)", "-        value = compute(alpha)", "+        value = combine(alpha)")
    with pytest.raises(PatchRejectedError):
        update(file, [Hunk((" class Second:", "     def run(self):")), Hunk(change)], path="a.py")


def test_one_line_above_the_context_before_it_is_too_little() -> None:
    hunks = [Hunk((" # Cherries", " ", " About the third one.")), Hunk(("-About the first one.", "+New."))]
    with pytest.raises(PatchRejectedError):
        update(CHAPTERS, hunks, path="a.md")


def test_lines_that_an_edit_repeats_around_themselves_are_not_applied() -> None:
    """The new text has the old one twice; the file has it once."""
    old = "if ready and done:\n    value = pop()\nelse:\n    raise Unsupported(kind)\n"
    file = "    def f():\n" + indented(old.splitlines(), 8)
    new = (
        "if ready:\n    if done:\n        value = pop()\n    else:\n        raise Unsupported(kind)\n"
        "else:\n    raise Unsupported(kind)\n"
    )
    assert applied(file, old, new) == "    def f():\n" + indented(new.splitlines(), 8)


def test_mere_brackets_below_an_anchor_come_in_once() -> None:
    file = "function f() {\n  return (\n    <div>\n      )}\n    </div>\n"
    hunk = Hunk(("       )}", "+      )}", "     </div>"), anchors=("function f() {",))
    once = update(file, [hunk], path="a.js").text
    with pytest.raises(PatchRejectedError) as raised:
        update(once, [hunk], path="a.js")
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_a_shortened_line_comes_into_a_block_once() -> None:
    """The new line is the beginning of the old one, which the block has twice."""
    file = "class Test\n  get('/a') do |env|\n  end\n  get('/a') do |env|\n  end\nend\n"
    hunk = Hunk(("-  get('/a') do |env|", "+  get('/a') do"), anchors=("class Test",))
    once = file.replace("do |env|", "do", 1)
    with pytest.raises(PatchRejectedError) as raised:
        update(once, [hunk], path="test.rb")
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_one_context_line_does_not_choose_the_block_of_the_hunk_before() -> None:
    file = (
        "class A:\n    first = 1\n\n    @property\n    def one(self):\n        pass\n\n\n"
        "class B:\n    second = 2\n\n    @property\n    def two(self):\n        pass\n"
    )
    hunks = [Hunk(("-    first = 1", "+    first = 2")), Hunk((" ", "+    def new(self): ...", "+", "     @property"))]
    with pytest.raises(PatchRejectedError):
        update(file, hunks, path="a.py")


def test_common_lines_at_another_depth_are_not_those_of_the_anchor() -> None:
    file = "int f(void) {\n    if (x) {\n\n        return NULL;\n    }\n}\n"
    hunk = Hunk((" ", "+    free(p);", "     return NULL;"), anchors=("int f(void) {",))
    with pytest.raises(PatchRejectedError):
        update(file, [hunk], path="f.c")


def test_two_hunks_may_rewrite_adjacent_lines_and_add_lines_between_them() -> None:
    hunks = [Hunk(("-one()", "+one()", "+more()")), Hunk(("-two()", "+again()", "+two()"))]
    assert update("one()\ntwo()\n", hunks, path="a.py").text == "one()\nmore()\nagain()\ntwo()\n"


def test_two_hunks_that_only_add_lines_at_one_point_overlap() -> None:
    """SPEC §4: "Removed lines and insertion points of two hunks may not coincide or overlap"."""
    hunks = [Hunk((" one()", "+more()")), Hunk(("+again()", " two()"))]
    with pytest.raises(PatchRejectedError) as raised:
        update("one()\ntwo()\n", hunks, path="a.py")
    assert raised.value.problems[0].code == "overlapping_edits"
