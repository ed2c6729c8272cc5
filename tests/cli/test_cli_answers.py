"""What `suture` says to a person: golden outputs of the history, and answers with mistakes that are easy to make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.shared.programs import APP, Place, compare, patch, update

from suture.core.notes import NOTES

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
BOTH = patch(update("app.py", " def one():", "-    return 1", "+    return 11"), "*** Add File: new.txt", "+new")
BLOCK = "{}\n<<<<<<< SEARCH\n    return 2\n=======\n    return 22\n>>>>>>> REPLACE\n"
CALL = """<invoke name="str_replace_based_edit_tool">
<parameter name="command">str_replace</parameter>
<parameter name="path">app.py</parameter>
<parameter name="old_str">{}</parameter>
<parameter name="new_str"><![CDATA[return 1 if 1 < 2 else "&amp;"]]></parameter>
</invoke>
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


class TestGoldens:
    def test_quiet_says_nothing_unless_it_fails(self, place: Place) -> None:
        done = place.suture("apply", "-q", stdin=BOTH)
        assert (done.status, done.out, done.err) == (0, "", "")
        for command in (
            ("undo", "-q"),
            ("redo", "-q"),
            ("edit", "-q", "app.py", "--old", "return 2", "--new", "return 3"),
        ):
            done = place.suture(*command)
            assert (done.status, done.out, done.err) == (0, "", "")
        done = place.suture("apply", "-q", stdin=BOTH)
        assert (done.status, done.out) == (1, "")
        compare("quiet-refused", place.stable(done.err))

    def test_log_with_patches(self, place: Place) -> None:
        place.suture("apply", stdin=BOTH)
        place.suture("undo", "app.py")
        compare("log-patch", place.stable(place.suture("log", "-p").out))

    def test_undo_of_a_file_and_redo(self, place: Place) -> None:
        place.suture("apply", stdin=BOTH)
        compare("undo-file", place.stable(place.suture("undo", "app.py").out))
        assert place.files() == {"app.py": APP, "new.txt": "new\n"}
        place.suture("undo")
        compare("redo", place.stable(place.suture("redo").out))

    def test_trust(self, place: Place) -> None:
        place.write(".suture.toml", '[[formatters]]\nglob = "*.py"\ncommand = ["black", "-q", "-"]\n')
        said = [place.stable(place.suture("trust", *words).out) for words in ((), ("--revoke",))]
        compare("trust", "".join(said))


class TestPaths:
    def test_backslashes_are_slashes_where_only_that_leads_to_a_file(self, place: Place) -> None:
        place.write("src/lib/app.py", APP)
        done = place.suture("apply", stdin=BLOCK.format("src\\lib\\app.py"))
        assert (done.status, done.err) == (0, "")
        assert "backslashes in a path read as slashes" in done.out
        assert "return 22" in place.files()["src/lib/app.py"]

    def test_a_new_file_goes_into_the_directory(self, place: Place) -> None:
        place.write("src/app.py", APP)
        done = place.suture("apply", stdin=patch("*** Add File: src\\new.py", "+x"))
        assert done.status == 0
        assert place.files()["src/new.py"] == "x\n"

    def test_a_name_with_a_backslash_is_kept(self, place: Place) -> None:
        place.write("a\\b.py", APP)
        place.write("a/b.py", APP)
        assert place.suture("apply", stdin=BLOCK.format("a\\b.py")).status == 0
        assert place.files()["a/b.py"] == APP
        assert "return 22" in place.files()["a\\b.py"]

    def test_backslashes_do_not_lead_out(self, place: Place) -> None:
        place.write("../outside.py", APP)
        assert place.suture("apply", stdin=BLOCK.format("..\\outside.py")).status == 1


def test_a_second_version_of_an_edit_is_told_apart_from_the_file(place: Place) -> None:
    first, second = (
        f"```diff\n--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return {number}\n```\n"
        for number in (11, 12)
    )
    done = place.suture("apply", stdin=f"First:\n{first}Better:\n{second}")
    assert done.status == 1
    assert place.files() == {"app.py": APP}
    compare("two-versions", done.err)


def test_values_of_markup_may_be_protected(place: Place) -> None:
    done = place.suture("apply", stdin=CALL.format("<![CDATA[return 1]]>"))
    assert (done.status, done.err) == (0, "")
    assert 'return 1 if 1 < 2 else "&amp;"' in place.files()["app.py"]


def test_a_call_that_does_not_fit_is_told_to_a_person(place: Place) -> None:
    done = place.suture("apply", stdin=CALL.format("not in this file"))
    assert done.status == 1
    assert "--old" not in done.err
    assert done.err.startswith("The old text was not found in app.py.")


def test_a_fenced_file_is_told_the_flag(place: Place) -> None:
    done = place.suture("apply", stdin="app.py\n```python\nprint(1)\n```\n")
    assert done.status == 1
    assert "only on request: use --format whole." in done.err


def test_every_concession_has_words_that_people_know() -> None:
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
    section = page.partition("\n## Concessions\n")[2].partition("\n## ")[0]
    names = set(re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE))
    assert {"hunk_header", "already_applied", "mistake_carried", "html_entities"} <= names
    assert names <= set(NOTES)
    assert not [words for words in NOTES.values() if "_" in words.replace("apply_patch", "")]


def test_nothing_is_recorded_if_everything_is_applied_already(place: Place) -> None:
    assert place.suture("apply", stdin=ONE).status == 0
    before = place.suture("log").out
    done = place.suture("apply", "--skip-applied", stdin=ONE)
    assert (done.status, done.err) == (0, "")
    assert done.out == "M app.py (already applied)\nNothing to do. No file was changed.\n"
    assert place.suture("apply", "--skip-applied", "-q", stdin=ONE).out == ""
    assert place.suture("log").out == before
    done = place.suture("apply", "--skip-applied", stdin=BOTH)
    assert "Commit " in done.out
    assert place.files()["new.txt"] == "new\n"
