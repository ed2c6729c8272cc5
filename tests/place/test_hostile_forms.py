"""Definitions, sketches and notebooks that somebody wrote to do harm: no crash, no long wait, no other byte."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, apply_in_memory
from suture.core.patch import ChangeFile, Patch
from suture.core.text_changes import ReplaceDefinition, Sketch
from suture.place import limits, notebook_edits
from suture.place.definitions import definitions_in

if TYPE_CHECKING:
    from typing import Any

MARKER = "# ... existing code ...\n"
#: Expressions that are nested too deeply for the parser, which says so in several ways.
DEEP = [
    "-" * 50_000 + "1",
    "(" * 5000 + "1" + ")" * 5000,
    "not " * 30_000 + "1",
    "lambda:" * 30_000 + "1",
    "a if b else " * 20_000 + "1",
    "+".join("a" * 20_000),
]


def call(tool: str, **arguments: Any) -> str:
    return json.dumps({"name": tool, "input": arguments})


@pytest.mark.parametrize("deep", DEEP, ids=[deep[:4] for deep in DEEP])
def test_code_that_is_nested_too_deeply_has_an_answer(deep: str) -> None:
    function = "def f():\n    return 1\n"
    new = "def f():\n    return 2"
    for text, file in (
        (call("replace_definition", filePath="a.py", name="f", content=new), f"x = {deep}\n{function}"),
        (call("replace_definition", filePath="a.py", name="f", content=f"def f():\n    return {deep}"), function),
        (call("edit_file", target_file="a.py", code_edit=f"{MARKER}y = 1\nz = {deep}\n"), f"w = {deep}\ny = 1\n"),
    ):
        # How deep is too deep depends on the Python.
        with suppress(PatchRejectedError):
            apply_in_memory(text, {"a.py": file})


@pytest.mark.parametrize(
    "text",
    [
        call("replace_definition", filePath="a.py", name="g", content="def g():\n    return 3"),
        call("insert_definition", filePath="a.py", name="f", content="def h():\n    return 3"),
        call("edit_file", target_file="a.py", code_edit=f"{MARKER}def g():\n    return 3\n"),
    ],
)
def test_lines_that_stay_keep_their_own_endings(text: str) -> None:
    before = b"import os\r\nx = 1\ny = 2\r\ndef f():\n    return 1\r\n\r\ndef g():\n    return 2\n"
    after = apply_in_memory(text, {"a.py": before}).texts["a.py"]
    assert isinstance(after, bytes)
    assert after.startswith(b"import os\r\nx = 1\ny = 2\r\ndef f():\n    return 1\r\n")
    assert b"def g():\n" in after


def functions(count: int) -> str:
    return "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(count))


def test_many_definitions_in_one_call_are_refused_by_counted_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.core.search_budget.SEARCH_BUDGET", 20_000_000)
    text = functions(50)
    changes = [ChangeFile("a.py", ReplaceDefinition(f"def f{n}():\n    return -1", f"f{n}")) for n in range(50)]
    assert len(text) * limits.READS_PER_PARSE < 20_000_000
    assert apply_in_memory(Patch(tuple(changes[:2])), {"a.py": text}).texts["a.py"] != text
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(Patch(tuple(changes)), {"a.py": text})
    assert "search_budget" in [problem.details.get("reason") for problem in raised.value.problems]


def test_a_sketch_of_many_definitions_parses_the_file_a_limited_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = 0

    def count(path: str, text: str) -> Any:
        nonlocal parsed
        parsed += len(text)
        return definitions_in(path, text)

    for module in ("sketch_definitions", "change_definitions"):
        monkeypatch.setattr(f"suture.place.{module}.definitions_in", count)
    text = functions(400)
    sketch = MARKER + "".join(f"{part}\n{MARKER}" for part in text.replace("return ", "return 1 + ").split("\n\n\n"))
    with pytest.raises(PatchRejectedError):
        apply_in_memory(Patch((ChangeFile("a.py", Sketch(sketch)),)), {"a.py": text})
    assert parsed < 10 * limits.MOST_PARSED


@pytest.mark.parametrize("count", [200])
def test_many_edits_of_a_notebook_of_many_cells_are_one_search(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[str] = []

    def counted(name: str) -> Any:
        real = getattr(notebook_edits, name)

        def search(*arguments: Any, **more: Any) -> Any:
            searches.append(name)
            return real(*arguments, **more)

        return search

    for name in ("multiedit", "update"):
        monkeypatch.setattr(notebook_edits, name, counted(name))
    cells = [{"cell_type": "code", "metadata": {}, "source": f"u{n} = 1\n", "outputs": []} for n in range(count)]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    edits = [{"old_string": f"u{number} = 1", "new_string": f"w{number} = 1"} for number in range(count)]
    hunks = "".join(f"@@\n-u{number} = 1\n+w{number} = 1\n" for number in range(count))
    for patch in (
        call("MultiEdit", file_path="a.ipynb", edits=edits),
        f"*** Begin Patch\n*** Update File: a.ipynb\n{hunks}*** End Patch",
    ):
        searches.clear()
        after = apply_in_memory(patch, {"a.ipynb": text}).texts["a.ipynb"]
        assert after == text.replace("u", "w").replace("sowrce", "source").replace("owtpwts", "outputs").replace(
            "exection", "execution"
        )
        assert len(searches) == 1
