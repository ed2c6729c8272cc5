"""A diff that deletes a file says what is in the file, and is refused if that is not true."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from suture import DeleteFile, Patch, PatchInvalidError, PatchRejectedError, Workspace, parse
from suture.words.conversion import convert

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "--- a/util.py\n+++ /dev/null\n"
ONE = f"{HEAD}@@ -1 +0,0 @@\n-x = 1\n"
TWO = f"{HEAD}@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n"


def deleted_content(text: str) -> str | None:
    (operation,) = parse(text).operations
    assert isinstance(operation, DeleteFile)
    return operation.content


def problem_of(folder: Path, content: bytes, diff: str) -> str:
    file = folder / "util.py"
    file.write_bytes(content)
    with Workspace(folder) as workspace, pytest.raises(PatchRejectedError) as rejected:
        workspace.apply(diff)
    assert file.read_bytes() == content
    (problem,) = rejected.value.problems
    assert problem.code in ("patch_apply_error", "binary_file")
    return problem.message


@pytest.mark.parametrize(
    ("content", "diff", "evidence"),
    [
        (b"x = 1\n", f"{HEAD}@@ -1,1 +0,0 @@\n-zzz = 9\n", "Line 1 differs:\n  1 |x = 1|\n    |zzz = 9|  (the diff)"),
        (b"x = 1\ny = 3\n", TWO, "Line 2 differs:"),
        (b"  x = 1\n", ONE, "Line 1 differs:"),
        (b"x = 1\ny = 2\n", ONE, "Only the file has a line 2: |y = 2|"),
        (b"x = 1\n", TWO, "Only the diff has a line 2: |y = 2|"),
        (b"", ONE, "Only the diff has a line 1: |x = 1|"),
        (b"x\0", ONE, "is binary"),
        (
            b"x = 1\n",
            "diff --git a/util.py b/util.py\ndeleted file mode 100644\nindex e69de29..0000000\n",
            "Only the file",
        ),
    ],
)
def test_a_file_with_other_lines_is_not_deleted(tmp_path: Path, content: bytes, diff: str, evidence: str) -> None:
    assert evidence in problem_of(tmp_path, content, diff)


@pytest.mark.parametrize(
    "content", [b"x = 1\ny = 2\n", b"x = 1\r\ny = 2\r\n", b"x = 1  \ny = 2", b"\xef\xbb\xbfx = 1\ny = 2\n"]
)
def test_line_endings_and_trailing_whitespace_may_differ(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "util.py"
    file.write_bytes(content)
    with Workspace(tmp_path) as workspace:
        receipt = workspace.apply(TWO)
        assert not file.exists()
        workspace.undo(receipt)
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    "content", [b"", b"x = 1\n", b"x = 1", b"a\n\n\n", b"\n", b"a\r\nb\r\n", b"a\xff\n", b"\xef\xbb\xbfa\n"]
)
def test_what_git_writes_for_a_deleted_file_deletes_it(tmp_path: Path, content: bytes) -> None:
    def git(*arguments: str) -> bytes:
        command = ["git", "-c", "core.autocrlf=false", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout

    file = tmp_path / "util.py"
    file.write_bytes(content)
    git("init", "-q")
    git("add", "util.py")
    file.unlink()
    diff = git("diff").decode("utf-8", "surrogateescape")
    file.write_bytes(content)
    with Workspace(tmp_path) as workspace:
        workspace.apply(diff)
        assert not file.exists()
        file.write_bytes(content + b"more\n")
        with pytest.raises(PatchRejectedError):
            workspace.apply(diff)


def test_a_link_is_deleted_by_a_diff_with_its_target(tmp_path: Path) -> None:
    (tmp_path / "util.py").symlink_to("other.py")
    diff = "diff --git a/util.py b/util.py\ndeleted file mode 120000\n" + HEAD + "@@ -1 +0,0 @@\n-{}\n"
    with Workspace(tmp_path) as workspace:
        with pytest.raises(PatchRejectedError):
            workspace.apply(diff.format("elsewhere.py"))
        workspace.apply(diff.format("other.py"))
    assert not (tmp_path / "util.py").is_symlink()


@pytest.mark.parametrize("line", ["+x", " stays"])
def test_a_deleted_file_can_keep_no_line(line: str) -> None:
    with pytest.raises(PatchInvalidError, match=r"The diff of the deleted file .* has lines without a -"):
        parse(f"{HEAD}@@ -1,2 +0,1 @@\n-x\n{line}\n")


def test_a_blank_line_may_have_lost_its_prefix() -> None:
    assert deleted_content(f"{HEAD}@@ -1,3 +0,0 @@\n-x\n\n-y\n") == "x\n\ny\n"


def test_a_delete_without_lines_is_not_checked(tmp_path: Path) -> None:
    """Such a diff, as `git diff -D` writes it, and the envelope say nothing about the file."""
    diff = "diff --git a/util.py b/util.py\ndeleted file mode 100644\nindex 1111111..0000000\n"
    for text in (diff, "*** Begin Patch\n*** Delete File: util.py\n*** End Patch\n"):
        (tmp_path / "util.py").write_text("x\n")
        with Workspace(tmp_path) as workspace:
            workspace.apply(text)
        assert not (tmp_path / "util.py").exists()


@pytest.mark.parametrize("content", ["", "x\n", "x", "a\n\n"])
def test_a_delete_is_converted_with_and_without_its_lines(content: str) -> None:
    patch = Patch((DeleteFile("util.py", content=content),), form="unified")
    diff = convert(patch, "unified")
    assert parse(diff) == patch
    assert deleted_content(diff) == (content or None)
    assert deleted_content(convert(patch, "envelope")) is None
