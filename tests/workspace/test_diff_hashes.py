"""The hashes of a diff's `index` line: they tell whether a file is the one before the diff or the one after it.

"`index old..new` hashes, where present, decide pristine against applied." A wrong or stale hash is never an error.
"""

from __future__ import annotations

from hashlib import new as hash_named

import pytest

from suture import PatchRejectedError, UpdateFile, Workspace, apply_in_memory, parse
from suture.workspace import MemoryFiles
from suture.workspace.blobs import side_of

BEFORE = "[one]\nrun = yes\n\n[two]\nrun = no\n\n[three]\nrun = no\n"
AFTER = "[one]\nrun = yes\n\n[two]\nrun = no\nkeep = all\n\n[three]\nrun = no\n"
NAMES = "--- a/x.ini\n+++ b/x.ini\n"
HUNK = "@@ -5 +5,2 @@\n run = no\n+keep = all\n"


def blob(content: str | bytes, algorithm: str = "sha1", digits: int = 7) -> str:
    data = content.encode() if isinstance(content, str) else content
    return hash_named(algorithm, b"blob %d\0%b" % (len(data), data)).hexdigest()[:digits]


def diff(old: str, new: str, hunk: str = HUNK) -> str:
    return f"diff --git a/x.ini b/x.ini\nindex {old}..{new} 100644\n{NAMES}{hunk}"


def reason_of(text: str, content: str | bytes) -> object:
    with pytest.raises(PatchRejectedError) as rejected:
        apply_in_memory(text, {"x.ini": content})
    return rejected.value.problems[0].details.get("reason")


def test_the_hashes_are_read() -> None:
    (update,) = parse(diff("1234567", "89abcde")).operations
    assert isinstance(update, UpdateFile)
    assert update.blobs == ("1234567", "89abcde")


@pytest.mark.parametrize("line", ["index 123456..89abcd", "index 1..2 100644", "index 1234567,2345678..89abcde", ""])
def test_hashes_that_say_too_little_are_not_kept(line: str) -> None:
    (update,) = parse(f"diff --git a/x b/x\n{line}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").operations
    assert isinstance(update, UpdateFile)
    assert update.blobs == ()


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("digits", [7, 12, 40, 64])
def test_a_content_is_before_or_after_or_neither(algorithm: str, digits: int) -> None:
    blobs = [blob(text, algorithm, digits) for text in (BEFORE, AFTER)]
    contents = (BEFORE, AFTER, BEFORE.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n"), BEFORE + "\n", "")
    sides = [side_of(content.encode(), blobs) for content in contents]
    assert sides == ["before", "after", "before", "after", "", ""]


def test_equal_hashes_say_nothing() -> None:
    assert side_of(BEFORE.encode(), [blob(BEFORE)] * 2) == ""


COPIED = "    load(names)\n    check(names)\n    store(names)\n"
TWINS = f"def first():\n    open_all()\n{COPIED}    close_all()\n\n\ndef second():\n    open_all()\n    close_all()\n"
COPY = "@@ -10,2 +10,5 @@\n     open_all()\n" + COPIED.replace("    ", "+    ") + "     close_all()\n"


def test_a_file_before_the_diff_does_not_look_applied() -> None:
    """The result is elsewhere in the file, but the old lines are exactly at their numbers."""
    last = "    close_all()\n"
    after = TWINS.removesuffix(last) + COPIED + last
    for text in (NAMES + COPY, diff(blob(TWINS), blob(after), COPY)):
        done = apply_in_memory(text, {"x.ini": TWINS})
        assert done.texts["x.ini"] == after


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_after_the_diff_is_applied_already(end: str) -> None:
    content = AFTER.replace("\n", end)
    assert reason_of(diff(blob(BEFORE), blob(AFTER)), content) == "already_applied"


def test_a_file_after_the_diff_is_skipped_on_request() -> None:
    done = apply_in_memory(diff(blob(BEFORE), blob(AFTER)), {"x.ini": AFTER}, skip_applied=True)
    assert done.texts == {"x.ini": AFTER}
    assert [one.name for change in done.plan.changes for one in change.concessions] == ["already_applied"]


def test_only_the_first_section_of_a_file_is_compared() -> None:
    """What a section before it has left is not what the diff was made for."""
    second = "@@ -1 +1 @@\n-[one]\n+[1]\n"
    text = diff(blob(BEFORE), blob(AFTER)) + diff(blob(BEFORE), blob(AFTER), second)
    assert apply_in_memory(text, {"x.ini": BEFORE}).texts["x.ini"] == AFTER.replace("[one]", "[1]")


@pytest.mark.parametrize(("old", "new"), [("1234567", "89abcde"), ("0000000", "0000000"), ("e69de29", "89abcde")])
def test_a_wrong_hash_is_no_error(old: str, new: str) -> None:
    hunk = "@@ -1,2 +1,2 @@\n [one]\n-run = yes\n+run = no\n"
    done = apply_in_memory(diff(old, new, hunk), {"x.ini": BEFORE})
    assert done.texts["x.ini"] == BEFORE.replace("yes", "no")


def test_a_hash_of_another_content_makes_a_line_number_weaker() -> None:
    """The file has changed since, and two sections have the hunk's line: which one is meant is not known."""
    content = BEFORE.replace("[one]\n", "[zero]\nrun = no\n\n[one]\n")
    assert apply_in_memory(NAMES + HUNK, {"x.ini": BEFORE}).texts["x.ini"] == AFTER
    assert apply_in_memory(diff(blob(BEFORE), blob(AFTER)), {"x.ini": BEFORE}).texts["x.ini"] == AFTER
    with pytest.raises(PatchRejectedError):
        apply_in_memory(diff(blob(content), blob(AFTER)), {"x.ini": BEFORE})


class TestEmptyFiles:
    """A hunk `@@ -0,0` adds lines to an empty file, or to a new one; only the files tell which."""

    HUNK = "@@ -0,0 +1,2 @@\n+a\n+b\n"

    @pytest.mark.parametrize(
        "head", ["", "diff --git a/x.ini b/x.ini\n", "diff --git a/x.ini b/x.ini\nindex e69de29..422c2b7 100644\n"]
    )
    def test_an_empty_file_gets_the_lines(self, head: str) -> None:
        plan = Workspace(MemoryFiles({"x.ini": ""})).plan(head + NAMES + self.HUNK)
        (change,) = plan.changes
        assert (change.kind, change.concessions, plan.files[0].content) == ("update", (), b"a\nb\n")

    @pytest.mark.parametrize("blobs", ["e69de29..422c2b7", "1234567..422c2b7"])
    def test_a_missing_file_is_added(self, blobs: str) -> None:
        plan = Workspace(MemoryFiles()).plan(f"diff --git a/x b/x\nindex {blobs}\n--- a/x\n+++ b/x\n{self.HUNK}")
        (change,) = plan.changes
        assert (change.kind, [one.name for one in change.concessions]) == ("add", ["new_file_header"])

    def test_a_file_with_these_lines_is_applied_already(self) -> None:
        assert reason_of(NAMES + self.HUNK, "a\nb\n") == "already_applied"
        assert apply_in_memory(NAMES + self.HUNK, {"x.ini": "a\nb\n"}, skip_applied=True).plan.is_clean

    @pytest.mark.parametrize("dialect", ["standard", "codex"])
    def test_a_file_with_other_lines_is_never_replaced(self, dialect: str) -> None:
        plan = Workspace(MemoryFiles({"x.ini": "c\n"}), dialect=dialect).plan(parse(NAMES + self.HUNK))
        assert [problem.code for problem in plan.problems] == ["already_exists"]

    @pytest.mark.parametrize("head", ["new file mode 100644\n", ""])
    def test_a_new_file_onto_an_empty_one_is_refused_as_git_does(self, head: str) -> None:
        text = f"diff --git a/x.ini b/x.ini\n{head}--- /dev/null\n+++ b/x.ini\n{self.HUNK}"
        plan = Workspace(MemoryFiles({"x.ini": ""})).plan(text)
        assert [problem.code for problem in plan.problems] == ["already_exists"]

    def test_lines_above_all_others_need_the_hash(self) -> None:
        before, after = "c\n", "a\nb\nc\n"
        text = diff(blob(before), blob(after), self.HUNK)
        assert apply_in_memory(text, {"x.ini": before}).texts["x.ini"] == after
        assert reason_of(text, after) == "already_applied"
        with pytest.raises(PatchRejectedError):
            apply_in_memory(text, {"x.ini": "d\n"})
