"""SEARCH/REPLACE blocks as Aider, Cline and Roo Code define them and as models write them."""

from __future__ import annotations

import pytest

from suture import AddFile, Hunk, PatchInvalidError, PatchRejectedError, UpdateFile, apply_in_memory, parse


def block(
    search: str, replace: str, *, markers: tuple[str, str, str] = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE")
) -> str:
    return f"{markers[0]}\n{search}{markers[1]}\n{replace}{markers[2]}\n"


ONE = block("a\nb\n", "a\nc\n")
UPDATE = UpdateFile("app.py", (Hunk((" a", "-b", "+c")),))


@pytest.mark.parametrize(
    "markers",
    [
        ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
        ("<<<<<<< SEARCH", "=====", ">>>>>>> REPLACE"),
        ("<<<<< SEARCH", "=======", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
        ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
        ("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE "),
    ],
)
def test_markers_in_every_spelling(markers: tuple[str, str, str]) -> None:
    assert parse("app.py\n" + block("a\nb\n", "a\nc\n", markers=markers)).operations == (UPDATE,)


@pytest.mark.parametrize(
    "above",
    [
        "app.py\n",
        "`app.py`\n",
        "**app.py**\n",
        "### app.py\n",
        "File: app.py\n",
        "**File: `app.py`**\n",
        "1. app.py:\n",
        "Update the file app.py:\n",
        "app.py\n```python\n",
        "```python app.py\n",
        "```python:app.py\n",
        '```python title="app.py"\n',
        "```app.py\n",
        "```python\napp.py\n",
        "```python\n# app.py\n",
        "```ts\n// app.py\n",
        "<path>app.py</path>\n<diff>\n",
        "app.py\n\nReplace this:\n\n```\n",
    ],
)
def test_the_path_is_found_near_the_block(above: str) -> None:
    assert parse(above + ONE).operations == (UPDATE,)


#: Paths that begin or end with what also marks bold text, lists, headings and links.
ODD_PATHS = (
    "_config.yml",
    "__init__.py",
    "src/__init__.py",
    "__tests__/a.ts",
    "_a_/b_",
    "_x_.py",
    "a.py_",
    "~a.py",
    "#a.py",
    "-a.py",
    "+page.svelte",
    "1.md",
    "@scope/x.ts",
    "$id.tsx",
    "[id].tsx",
    "[[...slug]].tsx",
    "(group)/page.tsx",
    "app/(group)/(..)x/page.tsx",
    "{{cookiecutter.name}}/setup.py",
    ".github/ci.yml",
)


@pytest.mark.parametrize("path", ODD_PATHS)
@pytest.mark.parametrize(
    "line",
    "{} | `{}` | **{}** | *{}* | ### {} | File: {} | **File:** {} | **{}:** | {}: | - {} | 1. {} | Update {}: | # {} | "
    '// {} | <!-- {} --> | ({}): | "{}" | ```python {} | ```{} | ```python:{}'.split(" | "),
)
def test_marks_around_a_path_are_no_part_of_it_and_parts_of_it_are_no_marks(path: str, line: str) -> None:
    written = line.format(path)
    text = f"{written}\n{ONE}" + ("```\n" if written.startswith("```") else "")
    assert [operation.path for operation in parse(text).operations] == [path]


@pytest.mark.parametrize("path", ["src/a.py", "__init__.py", "_config.yml", "__tests__/a.ts", "my/Makefile"])
@pytest.mark.parametrize("line", ["_{}_", "__{}__", "_{}_:", "_{}:_", "_File: {}_", "***{}***", "__Update {}__"])
def test_underscores_around_a_path_with_an_extension_make_it_italic_or_bold(path: str, line: str) -> None:
    if "Makefile" in path and "Update" in line:
        pytest.skip("in a sentence, a name without an extension is no path")
    assert [operation.path for operation in parse(f"{line.format(path)}\n{ONE}").operations] == [path]


@pytest.mark.parametrize("above", ["`my file.py`", "File: `my file.py`", "File: my file.py", '```py file="my file.py"'])
def test_a_path_with_spaces_is_read_in_backticks_and_after_a_label(above: str) -> None:
    text = f"{above}\n{ONE}" + ("```\n" if above.startswith("```") else "")
    assert [operation.path for operation in parse(text).operations] == ["my file.py"]


@pytest.mark.parametrize(
    "line", ["*.py", "**/a.py", "src/*.ts", "In *.py:", "self.run():", "` `", "```py my file.py", "```py file=a/b c.py"]
)
def test_a_glob_a_call_and_a_part_of_a_path_name_no_file(line: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(f"{line}\n{ONE}")
    assert raised.value.problems[0].details["reason"] == "no_path"


@pytest.mark.parametrize("line", ["my file.py", "docs/my file.md", "Now update lib.py"])
def test_a_block_below_the_name_of_another_file_does_not_belong_to_the_file_before(line: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(f"app.py\n{ONE}\n{line}\n{ONE}")
    assert raised.value.problems[0].details["reason"] == "no_path"
    (operation,) = parse(f"app.py\n{ONE}\nAnd again app.py\n{ONE}").operations
    assert operation.path == "app.py"


@pytest.mark.parametrize(
    "above", ["", "Use app.py or lib.py:\n", "Do it like this:\n", "a.py\nx\ny\nz\n", "https://a.b/c.py\n"]
)
def test_a_block_without_a_certain_path_is_refused(above: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(above + ONE)
    assert raised.value.problems[0].details["reason"] == "no_path"


def test_a_block_without_a_path_belongs_to_the_file_of_the_block_before() -> None:
    (operation,) = parse(f"app.py\n{ONE}\nAlso:\n\n{ONE}").operations
    assert operation == UpdateFile("app.py", UPDATE.hunks * 2)


def test_a_merge_conflict_is_no_block() -> None:
    with pytest.raises(PatchInvalidError):
        parse("app.py\n" + block("a\n", "b\n", markers=("<<<<<<< HEAD", "=======", ">>>>>>> branch")))


def test_an_empty_part_adds_a_file_or_deletes_lines() -> None:
    assert parse("x/new.py\n" + block("", "a\n\nb\n")).operations == (AddFile("x/new.py", "a\n\nb\n"),)
    assert parse("app.py\n" + block("a\n", "")).operations == (UpdateFile("app.py", (Hunk(("-a",)),)),)


def test_parts_are_whole_lines() -> None:
    text = "app.py\n" + block("x = 1\n", "x = 2\n")
    with pytest.raises(PatchRejectedError):
        apply_in_memory(text, {"app.py": "max = 1\n"})
    assert apply_in_memory(text, {"app.py": "max = 1\nx = 1"}).texts["app.py"] == "max = 1\nx = 2"


def test_a_hint_chooses_between_equal_places() -> None:
    text = (
        "app.py\n<<<<<<< SEARCH\n:start_line:3\n:end_line:3\n-------\nvalue = 1\n=======\nvalue = 2\n>>>>>>> REPLACE\n"
    )
    after = apply_in_memory(text, {"app.py": "value = 1\nother\nvalue = 1\n"}).texts
    assert after["app.py"] == "value = 1\nother\nvalue = 2\n"


def test_an_escaped_marker_is_a_line_of_the_file() -> None:
    (operation,) = parse("a.rst\n" + block("Title\n\\=======\n", "Name\n\\=======\n")).operations
    assert operation == UpdateFile("a.rst", (Hunk(("-Title", "+Name", " =======")),))


def test_problems_of_all_blocks_are_reported_at_once() -> None:
    text = "app.py\n" + block("none\n", "x\n") + block("nothing\n", "y\n")
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(text, {"app.py": "a\nb\n"})
    assert len(raised.value.problems) == 2


def test_a_line_in_dots_that_the_file_has_is_a_line() -> None:
    before = "class P:\n    def f(self):\n        ...\n\n    def g(self):\n        ...\n"
    text = "app.py\n" + block("    def g(self):\n        ...\n", "    def g(self, x):\n        ...\n")
    assert apply_in_memory(text, {"app.py": before}).texts["app.py"] == before.replace("g(self)", "g(self, x)")
