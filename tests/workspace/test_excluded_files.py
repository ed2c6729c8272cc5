"""Parts of a patch that are left out by globs: "A binary part of a diff can be left out, and the message says so." """

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, Place

from suture import PatchInvalidError, PatchRejectedError, Workspace, apply_in_memory, parse
from suture.core.readers import PYTHON, TOOL, Reader
from suture.workspace import MemoryFiles
from suture.workspace.globs import excluder

if TYPE_CHECKING:
    from pathlib import Path

BINARY = "diff --git a/docs/logo.png b/docs/logo.png\nindex 1234567..89abcde 100644\n"
DIFFER = BINARY + "Binary files a/docs/logo.png and b/docs/logo.png differ\n"
LITERAL = BINARY + "GIT binary patch\nliteral 10\nRcmZQz\n\nliteral 0\nHcmV?d00001\n\n"
TEXT = """\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,2 @@
 def one():
-    return 1
+    return 11
"""
ENVELOPE = """\
*** Begin Patch
*** Add File: docs/a.md
+a
*** Update File: app.py
@@
-    return 1
+    return 11
*** End Patch
"""
AFTER = APP.replace("return 1\n", "return 11\n", 1)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("binary", [DIFFER, LITERAL], ids=["differ", "literal"])
@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
@pytest.mark.parametrize("glob", ["docs/logo.png", "*.png", "docs", "docs/", "**/logo.*", "DOCS/*.PNG", "l?go.png"])
def test_a_binary_part_is_left_out_and_the_rest_applied(binary: str, order: int, glob: str) -> None:
    text = "".join([binary, TEXT][::order])
    done = apply_in_memory(text, {"app.py": APP}, exclude=[glob])
    assert done.texts == {"app.py": AFTER}
    (concession,) = done.plan.concessions
    assert (concession.name, concession.about) == ("excluded", "docs/logo.png")


@pytest.mark.parametrize("glob", ["logo", "*.py", "ocs/logo.png", "*/app.py", "docs/*.gif"])
def test_a_glob_that_does_not_match_leaves_nothing_out(glob: str) -> None:
    with pytest.raises(PatchInvalidError):
        apply_in_memory(DIFFER + TEXT, {"app.py": APP}, exclude=[glob])


def test_one_glob_may_be_a_text() -> None:
    assert apply_in_memory(DIFFER + TEXT, {"app.py": APP}, exclude="*.png").texts == {"app.py": AFTER}


@pytest.mark.parametrize(
    "part",
    [
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n",
        "diff --git a/l b/l\nindex 1234567..89abcde 160000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-commit 1\n+commit 2\n",
        "diff --git a/l b/l\n",
        "diff --git a/other b/l\nsimilarity index 100%\nrename from other\nrename to l\n",
    ],
    ids=["link", "submodule", "nothing", "renamed to it"],
)
def test_any_part_can_be_left_out_by_the_path_that_it_gets(part: str) -> None:
    assert apply_in_memory(part + TEXT, {"app.py": APP, "other": "x\n"}, exclude=["l"]).texts["app.py"] == AFTER


@pytest.mark.parametrize("form", [ENVELOPE, TEXT + "--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1 @@\n+a\n"])
def test_files_of_every_form_can_be_left_out(form: str) -> None:
    for patch in (form, parse(form)):
        done = apply_in_memory(patch, {"app.py": APP}, exclude=["*.md"])
        assert (done.texts, [one.about for one in done.plan.concessions]) == ({"app.py": AFTER}, ["docs/a.md"])


@pytest.mark.parametrize("text", [DIFFER, TEXT, ENVELOPE, DIFFER + TEXT], ids=["binary", "diff", "envelope", "both"])
def test_a_patch_of_which_nothing_is_left_is_refused(text: str) -> None:
    workspace = Workspace(MemoryFiles({"app.py": APP}))
    for patch in (text, parse(text)) if "Binary" not in text else (text,):
        with pytest.raises(PatchInvalidError, match=r"Every file of the patch is excluded: "):
            workspace.plan(patch, exclude=["**"])


def test_the_rest_is_still_all_or_nothing() -> None:
    stale = TEXT.replace("def one():", "def other():")
    with pytest.raises(PatchRejectedError):
        apply_in_memory(DIFFER + TEXT + stale, {"app.py": APP}, exclude=["*.png"])


def test_a_receipt_says_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    with Workspace(tmp_path) as workspace:
        receipt = workspace.apply(DIFFER + TEXT, exclude=["*.png"])
        assert workspace.show(receipt.id).concessions == receipt.concessions
    assert [one.about for one in receipt.concessions] == ["docs/logo.png"]


class TestMessages:
    def hint(self, reader: Reader = PYTHON) -> str:
        with pytest.raises(PatchInvalidError) as invalid:
            parse(DIFFER)
        return invalid.value.told_to(reader).problems[0].hint

    def test_python(self) -> None:
        assert self.hint() == "Leave this file out with exclude=['docs/logo.png'], or use git apply."

    def test_a_tool_has_no_such_argument(self) -> None:
        assert self.hint(TOOL) == "Leave this file out of the diff, or use git apply."

    @pytest.mark.parametrize("command", ["apply", "check", "explain", "convert", "parse"])
    def test_commands(self, place: Place, command: str) -> None:
        name = "it's a logo.png"
        done = place.suture(command, stdin=(DIFFER + TEXT).replace("docs/logo.png", name))
        shown = done.out + done.err
        assert done.status == 1
        # The document of `parse` is JSON.
        assert r"--exclude 'it'\''s a logo.png', or use git apply." in shown.replace("\\\\", "\\")

    def test_apply_patch_reads_no_diffs(self, place: Place) -> None:
        assert "--exclude" not in place.run("apply_patch", stdin=DIFFER + TEXT).err


class TestTheProgram:
    @pytest.mark.parametrize("command", ["apply", "check", "explain"])
    def test_what_was_left_out_is_said(self, place: Place, command: str) -> None:
        done = place.suture(command, "--exclude", "*.png", stdin=DIFFER + TEXT)
        assert (done.status, done.err) == (0, "")
        assert "docs/logo.png left out, excluded" in done.out
        assert place.files()["app.py"] == (AFTER if command == "apply" else APP)

    def test_several_globs_and_several_patches(self, place: Place) -> None:
        one, other = place.write("one.diff", DIFFER + TEXT), place.write("two.diff", LITERAL.replace("logo", "icon"))
        other.write_text(other.read_text() + TEXT.replace("one", "two").replace("1", "2").replace("-2,2", "-5,2"))
        done = place.suture("apply", "--exclude", "logo.png", "--exclude", "icon.png", str(one), str(other), "--json")
        document = json.loads(done.out)
        assert [item["about"] for item in document["concessions"]] == ["docs/logo.png", "docs/icon.png"]

    def test_a_name_can_not_forge_a_line(self, place: Place) -> None:
        old, new = (f'"{side}/\\033[2Jx\\ny.png"' for side in "ab")
        text = f"diff --git {old} {new}\nBinary files {old} and {new} differ\n{TEXT}"
        done = place.suture("apply", "--exclude", "*.png", stdin=text)
        assert done.status == 0
        assert "\x1b" not in done.out
        assert len(done.out.splitlines()) == 3

    def test_convert_writes_what_is_left(self, place: Place) -> None:
        done = place.suture("convert", "--exclude", "*.png", stdin=DIFFER + TEXT)
        assert (done.status, "logo" in done.out, "*** Update File: app.py" in done.out) == (0, False, True)

    def test_git_agrees(self, place: Place) -> None:
        place.write("d.diff", DIFFER + TEXT)
        assert place.suture("apply", "--exclude=docs/logo.png", "d.diff").status == 0
        assert place.files()["app.py"] == AFTER


def test_globs_take_time_that_grows_with_the_path_only() -> None:
    """A path of a diff comes from anybody, and a glob may have many stars."""
    is_excluded = excluder(["*a" * 30 + "b", "/".join(["**/a*"] * 10) + "/b"])
    assert is_excluded is not None
    for path in ("ab" + "a" * 20_000 + "c", "b/" + "a/" * 20_000 + "c"):
        assert not is_excluded(path)
