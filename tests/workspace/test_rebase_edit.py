"""`rebase`: an edit for one version of a text, applied to a later one, or refused with both sides shown."""

from __future__ import annotations

import json

import pytest
from tests.shared.goldens import compare

from suture import Concession, Patch, PatchRejectedError, StringEdit, parse, rebase

BASE = "import os\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
CURRENT = BASE.replace("import os\n", "import os\nimport sys\n")
RESULT = CURRENT.replace("return 2", "return 3")
ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@ def g():\n-    return 2\n+    return 3\n*** End Patch\n"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -8,2 +8,2 @@\n def g():\n-    return 2\n+    return 3\n"


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(ENVELOPE, id="an envelope"),
        pytest.param(DIFF, id="a diff"),
        pytest.param(parse(ENVELOPE), id="a patch"),
        pytest.param(StringEdit("return 2", "return 3"), id="a string edit"),
        pytest.param([("return 2", "return 3")], id="a list of pairs"),
    ],
)
def test_an_edit_in_any_form_is_merged_with_a_later_change(edit: str | Patch | StringEdit) -> None:
    rebased = rebase(BASE, CURRENT, edit, "a.py")
    assert rebased.text == RESULT
    assert rebased.concessions[-1] == Concession("rebased", about="of the file 2, of the edit 10")
    assert (rebased.file_lines, rebased.edit_lines) == (((2, 2),), ((10, 10),))


def test_bytes_stay_bytes_and_keep_their_encoding() -> None:
    base, current = (text.encode("utf-16") for text in (BASE, CURRENT))
    assert rebase(base, current, [("return 2", "return 3")], "a.py").text == RESULT.encode("utf-16")


def test_an_edit_of_the_current_text_is_applied_to_it() -> None:
    rebased = rebase(BASE, CURRENT, [("import sys", "import re")], "a.py")
    assert (rebased.text, rebased.concessions) == (CURRENT.replace("sys", "re"), ())


def test_an_unchanged_text_needs_no_merge() -> None:
    assert rebase(BASE, BASE, [("return 2", "return 3")]).text == BASE.replace("return 2", "return 3")


def code_of(current: str, edit: tuple[str, str]) -> tuple[str, object]:
    """The code and the reason of the refusal."""
    with pytest.raises(PatchRejectedError) as refused:
        rebase(BASE, current, [edit], "a.py")
    problem = refused.value.problems[0]
    return problem.code, problem.details.get("reason")


def test_a_conflict_has_a_code_and_a_reason() -> None:
    assert code_of(BASE.replace("return 2", "return 4"), ("return 2", "return 3")) == ("conflict", "overlap")
    assert code_of(BASE.replace("import os\n", ""), ("return 2", "return os.sep")) == ("conflict", "merge_rule")


@pytest.mark.parametrize("count", [1, 2])
def test_an_edit_of_every_occurrence_does_not_leave_a_new_one(count: int) -> None:
    base = "a(1)\n\nb()\n\na(2)\n\nc()\n"
    later = base.replace("c()", "\n".join(["a(3)"] * count))
    with pytest.raises(PatchRejectedError) as refused:
        rebase(base, later, StringEdit("a(", "aa(", replace_all=True), "a.js")
    problem = refused.value.problems[0]
    assert (problem.code, problem.details["rule"]) == ("conflict", "every-occurrence")
    assert "a(3)" in problem.message, "the new one is shown"


def test_an_edit_of_every_occurrence_is_merged_where_there_is_no_new_one() -> None:
    base = "a(1)\n\nb()\n\na(2)\n\nc()\n"
    rebased = rebase(base, base.replace("c()", "d()"), StringEdit("a(", "aa(", replace_all=True), "a.js")
    assert rebased.text == "aa(1)\n\nb()\n\naa(2)\n\nd()\n"


def test_a_change_of_all_line_endings_is_one_of_no_line() -> None:
    rebased = rebase(BASE, BASE.replace("\n", "\r\n"), [("return 2", "return 3")], "a.py")
    assert rebased.text == BASE.replace("return 2", "return 3").replace("\n", "\r\n")
    assert rebased.concessions[-1].about == "of the file none, of the edit 9"


def test_what_the_file_already_has_is_already_applied() -> None:
    assert code_of(BASE.replace("return 2", "return 3"), ("return 2", "return 3")) == (
        "patch_apply_error",
        "already_applied",
    )


def test_an_edit_without_a_place_in_either_text_says_what_the_base_has() -> None:
    assert code_of(CURRENT, ("return 7", "return 8"))[0] == "old_text_not_found"


def test_an_edit_of_several_files_or_more_than_a_text_is_refused() -> None:
    for edit in (
        ENVELOPE.replace("*** End", "*** Delete File: b.py\n*** End"),
        "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n",
    ):
        with pytest.raises(PatchRejectedError) as refused:
            rebase(BASE, CURRENT, edit, "a.py")
        assert refused.value.problems[0].code == "invalid_arguments"


CONFLICTS = {
    "rebase-overlap": (BASE.replace("return 2", "return 4"), [("return 2", "return 3")]),
    "rebase-two-places": (BASE.replace("return", "yield"), [("return 1", "return 3"), ("return 2", "return 5")]),
    "rebase-lost-name": (BASE.replace("import os\n", ""), [("return 2", "return os.sep")]),
    "rebase-removed": (BASE.partition("\n\n\ndef g")[0] + "\n", [("return 2", "return 3")]),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_a_conflict_shows_all_three_texts(name: str) -> None:
    current, edits = CONFLICTS[name]
    with pytest.raises(PatchRejectedError) as refused:
        rebase(BASE, current, edits, "src/app.py")
    compare(f"{name}.txt", refused.value.for_model() + "\n")


@pytest.mark.parametrize(("path", "name"), [("a.py", "a.py"), ("", "file")])
def test_messages_name_the_file_if_its_path_is_known(path: str, name: str) -> None:
    with pytest.raises(PatchRejectedError, match=rf"^{name} already has what the edit does\."):
        rebase(BASE, RESULT, [("return 2", "return 3"), ("import os\n", "import os\nimport sys\n")], path)
    with pytest.raises(PatchRejectedError, match=rf"^The edit does more to {name} than to change its text\.") as more:
        rebase(BASE, CURRENT, "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n".replace("a.py", name), path)
    assert [problem.path for problem in more.value.problems] == [name]


@pytest.mark.parametrize("path", ["shown.py", ""])
def test_a_refusal_is_about_the_path_that_was_given_or_else_about_that_of_the_edit(path: str) -> None:
    with pytest.raises(PatchRejectedError) as caught:
        rebase(BASE, RESULT, ENVELOPE, path)
    [problem] = caught.value.problems
    assert (problem.path, problem.message.partition(" ")[0]) == (path or "a.py",) * 2


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param([("a = 1\nb = 2", "a = 1\nb = 3")], id="a string edit"),
        pytest.param("<<<<<<< SEARCH\na = 1\nb = 2\n=======\na = 1\nb = 3\n>>>>>>> REPLACE\n", id="a block"),
    ],
)
def test_the_path_says_that_a_text_is_a_notebook(edit: str | list[tuple[str, str]]) -> None:
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": ["a = 1\n", "b = 2"],
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    rebased = rebase(notebook, notebook, edit, "a.ipynb").text
    assert rebased == notebook.replace("b = 2", "b = 3")
    with pytest.raises(PatchRejectedError):
        rebase(notebook, notebook, edit)
