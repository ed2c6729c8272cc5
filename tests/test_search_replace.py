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
