"""Notebooks by cell: what is changed is changed, and every other byte stays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.form_samples import NOTEBOOK

from suture import PatchRejectedError, apply_in_memory
from suture.core.notebook import Notebook, render_cells
from suture.core.patch import ChangeFile, EditFile, Patch
from suture.core.string_edits import StringEdit
from suture.core.text_changes import ChangeCell
from suture.words.notebook_diff import notebook_diff

if TYPE_CHECKING:
    from typing import Any

sources = st.text(st.sampled_from('ab é"\\\n{}[]'), max_size=20)
cells = st.lists(
    st.fixed_dictionaries(
        {"cell_type": st.sampled_from(["code", "markdown"]), "metadata": st.just({"a": [1]}), "source": sources},
        optional={"outputs": st.just([{"text": ["x\n"]}]), "id": st.text("ab", min_size=1, max_size=3)},
    ),
    min_size=1,
    max_size=4,
)
layouts: Any = st.sampled_from(
    [{"indent": 1}, {"indent": 2}, {"indent": None}, {"indent": 1, "ensure_ascii": True}, {"indent": "\t"}]
)


def write(every: list[dict[str, Any]], layout: dict[str, Any], *, as_list: bool) -> str:
    """A notebook in a layout, with sources as lists of lines or as strings."""
    listed = [{**cell, "source": cell["source"].splitlines(keepends=True)} for cell in every]
    value = {"cells": listed if as_list else every, "metadata": {}, "nbformat": 4}
    return json.dumps(value, **{"ensure_ascii": False, **layout}) + "\n"


@given(every=cells, layout=layouts, as_list=st.booleans(), source=sources, data=st.data())
def test_another_source_changes_that_source_alone(
    every: list[dict[str, Any]], layout: dict[str, Any], as_list: bool, source: str, data: st.DataObject
) -> None:
    text = write(every, layout, as_list=as_list)
    number = data.draw(st.integers(0, len(every) - 1))
    notebook = Notebook(text)
    after = notebook.with_source(notebook.cells[number], source)
    changed = [{**cell, "source": source} if index == number else cell for index, cell in enumerate(every)]
    assert [cell.source for cell in Notebook(after).cells] == [cell["source"] for cell in changed]
    cell = notebook.cells[number]
    assert after.startswith(text[: cell.source_start])
    assert after.endswith(text[cell.source_end :])
    if cell.source == source:
        assert after == text
    elif ((source and cell.source) or not as_list) and ("ensure_ascii" not in layout or "\\u" in text):
        assert after == write(changed, layout, as_list=as_list)


@pytest.mark.parametrize(
    ("items", "source", "after"),
    [
        (["a\n", "b\n", "c"], "a\n  b\nc", ["a\n", "  b\n", "c"]),
        (["a\n", "b"], "a\nb\nc", ["a\n", "b\n", "c"]),
        (["["], "[[", ["[["]),
        (["x"], "ax", ["ax"]),
        (["a", "b\n", "c"], "aX\nc", ["a", "X\n", "c"]),
    ],
)
def test_no_line_of_a_source_is_split_that_was_whole(items: list[str], source: str, after: list[str]) -> None:
    text = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": items}], "nbformat": 4})
    notebook = Notebook(text)
    assert json.loads(notebook.with_source(notebook.cells[0], source))["cells"][0]["source"] == after


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("A\nb\nc", r'[ "A\n",  "b\n" ,"c"]'),
        ("a\nB\nc", r'[ "a\n",  "B\n" ,"c"]'),
        ("a\nb\nC", r'[ "a\n",  "b\n" ,"C"]'),
        ("a\nc", r'[ "a\n",  "c"]'),
        ("b\nc", r'[ "b\n" ,"c"]'),
        ("a\nb\n", r'[ "a\n",  "b\n"]'),
        ("a\nb\nx\nc", r'[ "a\n",  "b\n" ,"x\n",  "c"]'),
        ("a\nb\nc\nd", r'[ "a\n",  "b\n" ,"c\n",  "d"]'),
    ],
)
def test_what_is_between_lines_that_stay_stays(source: str, after: str) -> None:
    text = '{"cells": [{"cell_type": "code", "source": [ "a\\n",  "b\\n" ,"c"]}]}'
    notebook = Notebook(text)
    assert notebook.with_source(notebook.cells[0], source) == text.replace(r'[ "a\n",  "b\n" ,"c"]', after)


@given(every=cells, layout=layouts, source=sources, data=st.data())
def test_a_cell_is_added_and_deleted_and_the_rest_stays(
    every: list[dict[str, Any]], layout: dict[str, Any], source: str, data: st.DataObject
) -> None:
    text = write(every, layout, as_list=True)
    number = data.draw(st.integers(0, len(every)))
    added = Notebook(text).with_cell(number, "code", source, "")
    written = json.loads(added)["cells"]
    assert [one for index, one in enumerate(written) if index != number] == json.loads(text)["cells"]
    assert "".join(written[number]["source"]) == source
    notebook = Notebook(added)
    assert notebook.without(notebook.cells[number]) == text


def apply(change: ChangeCell) -> str:
    after = apply_in_memory(Patch((ChangeFile("work.ipynb", change),)), {"work.ipynb": NOTEBOOK}).texts["work.ipynb"]
    assert isinstance(after, str)
    return after


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (ChangeCell("x", "1"), "cell_number_alone"),
        (ChangeCell("", "cell-0", "delete"), "cell_number_alone"),
        (ChangeCell("x", "nowhere"), "no_cell"),
        (ChangeCell("x", "7"), "no_cell"),
    ],
)
def test_a_cell_that_is_not_certain_is_refused(change: ChangeCell, reason: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        apply(change)
    assert raised.value.problems[0].details["reason"] == reason


def test_the_ends_of_a_notebook_have_names() -> None:
    assert Notebook(apply(ChangeCell("x", "TOP", "insert"))).cells[0].source == "x"
    last = Notebook(apply(ChangeCell("x", "BOTTOM", "insert", kind="markdown"))).cells[-1]
    assert (last.kind, last.source) == ("markdown", "x")


def test_an_edit_that_would_break_the_json_is_refused() -> None:
    edit = EditFile("work.ipynb", (StringEdit('"execution_count": 3,', '"execution_count": 3'),))
    with pytest.raises(PatchRejectedError, match="would no longer be a notebook"):
        apply_in_memory(Patch((edit,)), {"work.ipynb": NOTEBOOK})


def test_quotes_of_a_source_are_escaped() -> None:
    edit = EditFile("work.ipynb", (StringEdit('print("x", x)', 'print("a\\n", "b")'),))
    after = apply_in_memory(Patch((edit,)), {"work.ipynb": NOTEBOOK}).texts["work.ipynb"]
    assert isinstance(after, str)
    assert Notebook(after).cells[1].source == 'x = 1\nprint("a\\n", "b")'


def test_a_text_that_two_cells_have_is_refused() -> None:
    text = write([{"cell_type": "code", "metadata": {}, "source": "x = 1"}] * 2, {"indent": 1}, as_list=True)
    with pytest.raises(PatchRejectedError):
        apply_in_memory(Patch((EditFile("a.ipynb", (StringEdit("x = 1", "x = 2"),)),)), {"a.ipynb": text})


def test_a_reader_sees_cells() -> None:
    assert render_cells(Notebook(NOTEBOOK)) == (
        "--- cell 0 (markdown, id intro) ---\n# Títle\nText.\n"
        '--- cell 1 (code, id load), 1 output not shown ---\nx = 1\nprint("x", x)\n'
    )


def test_a_difference_shows_cells_unless_that_would_hide_something() -> None:
    assert "-x = 1\n+x = 2\n" in notebook_diff(
        NOTEBOOK, apply(ChangeCell('x = 2\nprint("x", x)', "load")), "work.ipynb"
    )
    assert notebook_diff(NOTEBOOK, NOTEBOOK.replace('"tags"', '"hidden"'), "work.ipynb") == ""
    assert notebook_diff(NOTEBOOK, "{}", "work.ipynb") == ""


def notebook(*sources: str | list[str], **more: Any) -> str:
    every: list[dict[str, Any]] = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": source, "outputs": []}
        for number, source in enumerate(sources)
    ]
    return json.dumps({"cells": every, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}, indent=1)


def edit(text: str, old: str, new: str, **more: Any) -> Any:
    patch = Patch((EditFile("a.ipynb", (StringEdit(old, new, **more),)),))
    return apply_in_memory(patch, {"a.ipynb": text})


BLOCK = "total = sum(values)\nprint(total)\nplot(total)"


def test_an_edit_that_one_cell_has_already_is_not_made_in_another() -> None:
    done, twin = BLOCK.replace("sum", "max"), "    " + BLOCK.replace("\n", "\n    ")
    with pytest.raises(PatchRejectedError) as raised:
        edit(notebook(done, twin), BLOCK, done)
    assert raised.value.problems[0].details["reason"] == "already_applied"


def test_what_was_forgiven_in_a_cell_is_told() -> None:
    after = edit(notebook("if x:\n    " + BLOCK.replace("\n", "\n    ")), BLOCK, BLOCK.replace("sum", "max"))
    assert after.plan.changes[0].notes()
    hunk = f"@@\n-{BLOCK.splitlines()[1]}  \n+print(0)\n"
    patch = f"*** Begin Patch\n*** Update File: a.ipynb\n{hunk}*** End Patch"
    assert apply_in_memory(patch, {"a.ipynb": notebook(BLOCK)}).plan.changes[0].notes()


def test_an_edit_of_all_occurrences_is_one_of_the_sources_alone() -> None:
    after = edit(notebook("x = 1\n", "y = x\n"), "x", "z", replace_all=True).texts["a.ipynb"]
    assert after == notebook("z = 1\n", "y = z\n")


def test_an_edit_over_two_cells_is_refused() -> None:
    with pytest.raises(PatchRejectedError):
        edit(notebook("alpha_one()\n", "beta_two()\n"), "alpha_one()\nbeta_two()\n", "gamma()\n")


@pytest.mark.parametrize(
    "source",
    [["a\u2028b\x0cc\r\n", "old\r\n", "d\x85e"], ["old", "\n", "half a ", "line\n"], "caf\u00e9 \u2028 old \u00fc"],
)
def test_how_the_rest_of_a_source_is_written_stays(source: str | list[str]) -> None:
    text = notebook(source).replace("caf\\u00e9", "caf\\u00E9")
    after = edit(text, "old", "new").texts["a.ipynb"]
    assert after == text.replace("old", "new")


def test_the_author_of_a_notebook_forges_no_line() -> None:
    text = notebook("x = 1\n--- cell 1 (markdown) ---\nevil()\n").replace(
        '"c0"', json.dumps("c0\n--- cell 7 ---\n" + "i" * 500)
    )
    lines = render_cells(Notebook(text)).split("\n")
    assert [line for line in lines if line.startswith("---- cell ")] == [lines[0]]
    assert len(lines[0]) < 200
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(Patch((ChangeFile("a.ipynb", ChangeCell("x", "none")),)), {"a.ipynb": text})
    assert not [line for line in str(raised.value).split("\n") if line.startswith("---")]


def test_a_difference_of_cells_hides_no_member() -> None:
    before = notebook("x = 1\n")
    plain = json.loads(before)
    plain["cells"].append({"cell_type": "raw", "metadata": {}, "source": "y", "attachments": {"a": "payload"}})
    assert notebook_diff(before, json.dumps(plain), "a.ipynb") == ""
    number = notebook("x = 1\n", metadata={"trusted": 1})
    assert notebook_diff(number, number.replace('"trusted": 1', '"trusted": true'), "a.ipynb") == ""
    double = before.replace('"source": ', '"source": "hidden", "source": ')
    assert notebook_diff(before, double, "a.ipynb") == ""


@pytest.mark.parametrize("ids", [None, "same"])
def test_a_difference_of_cells_hides_no_member_that_goes_to_another_cell(ids: str | None) -> None:
    def two_cells(first: str, second: str, tagged: int) -> str:
        document = json.loads(notebook(first, second))
        for cell in document["cells"]:
            cell.pop("id") if ids is None else cell.update(id=ids)
        document["cells"][tagged]["metadata"] = {"tags": ["skip-execution"]}
        return json.dumps(document)

    before = two_cells("x = 1\n", "y = 1\n", 0)
    assert notebook_diff(before, two_cells("x = 1\n", "y = 2\n", 1), "a.ipynb") == ""
    assert notebook_diff(before, two_cells("y = 1\n", "x = 1\n", 0), "a.ipynb") != ""
    assert "-y = 1\n+y = 2\n" in notebook_diff(before, two_cells("x = 1\n", "y = 2\n", 0), "a.ipynb")
    removed = json.loads(before)
    del removed["cells"][1]
    removed["cells"][0]["source"] = "y = 1\n"
    assert notebook_diff(before, json.dumps(removed), "a.ipynb") == ""


def test_a_difference_of_many_cells_takes_linear_time() -> None:
    count = 20_000
    before = notebook(*["x\n"] * count)
    after = json.loads(before)
    del after["cells"][: count // 2]
    assert notebook_diff(before, json.dumps(after), "a.ipynb")
