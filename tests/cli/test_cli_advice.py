"""The advice that `suture` gives with a refusal is right for the form and the command in use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place, patch, update
from tests.shared.terminals import Terminal, plain

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("header", ["@@ -1,0 +2 @@", "@@ ... @@"])
def test_a_diff_is_not_advised_to_use_a_marker_of_envelopes(place: Place, header: str) -> None:
    said = place.suture("apply", stdin=f"--- a/app.py\n+++ b/app.py\n{header}\n+added = 3\n").err
    assert "Add the line before them as context" in said
    assert "***" not in said


def test_what_is_applied_already_can_be_skipped(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    assert "use --skip-applied" in place.suture("apply", stdin=ONE).err
    call = json.dumps({"path": "app.py", "old_string": "    return 1\n", "new_string": "    return 11\n"})
    assert "--skip-applied" in place.suture("apply", stdin=call).err
    assert place.suture("apply", "--skip-applied", stdin=call).status == 0
    # It makes one edit, so there is nothing to go on with.
    edit = place.suture("edit", "app.py", "--old", "    return 1\n", "--new", "    return 11\n")
    assert edit.status == 1
    assert "--skip-applied" not in edit.err


def test_all_occurrences_are_asked_for_in_json_where_the_edit_is_json(place: Place) -> None:
    call = json.dumps({"path": "app.py", "old_string": "return", "new_string": "yield"})
    assert 'put "replace_all": true in the edit' in place.suture("apply", stdin=call).err


def test_an_edit_without_texts_is_told_where_they_come_from(place: Place) -> None:
    said = place.suture("edit", "app.py", stdin="").err
    assert said.startswith("There is no JSON in standard input: it is empty.\nUse --old and --new")


def test_a_redo_that_fails_is_not_called_an_undo(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("undo")
    place.write("app.py", "other = 1\n")
    changed = place.suture("redo").err
    (place.root / "app.py").unlink()
    missing = place.suture("redo").err
    for said in (changed, missing):
        assert "can't be redone." in said
        assert "can't be undone" not in said


def test_the_number_of_a_hunk_is_that_of_the_patch_in_every_line(place: Place) -> None:
    (place.root.parent / "two.patch").write_text(
        patch("*** Update File: app.py\n@@\n-nowhere = 1\n+x\n@@\n def two():\n-    return 2\n+    return 22")
    )
    terminal = Terminal(place, "apply", "-i", "../two.patch")
    terminal.answer("q")
    said = plain(terminal.end()[1])
    assert "Hunk 1 of 2" in said
    assert "of 1" not in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[limits]\nlock_timeout = true\n",
            "limits.lock_timeout must be a positive number up to 1,000,000,000; found true.",
        ),
        ('deny = ["x", ""]\n', 'deny must be a list of strings that are not empty; found ["x", ""].'),
        ("rules = [1]\n", "found 1."),
        ("deny = {a = 'b'}\n", 'found {a = "b"}.'),
        ("deny = [\n", "\nCorrect the file.\n"),
    ],
)
def test_a_wrong_configuration_is_shown_as_toml(place: Place, text: str, message: str) -> None:
    place.write(".suture.toml", text)
    assert message in place.suture("apply", stdin=ONE).err
