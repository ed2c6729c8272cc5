"""Diffs that real git writes, held against real git: "What `git apply` accepts at its own lines is accepted, byte for
byte, file modes of added files included."
"""

from __future__ import annotations

import os
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from suture import DeleteFile, PatchRejectedError, Workspace, parse
from suture.words.conversion import convert

if TYPE_CHECKING:
    from pathlib import Path

#: Contents and whether they can be executed, by path.
Tree = dict[str, tuple[bytes, bool]]

PATHS = (
    "a.txt", "src/app.py", "src/deep/er/x.js", "with space.txt", "dir with space/f g.md", "tést.txt", 'quote"d.txt',
    "b/a/x", "a/b.txt", "back\\slash", "日本/語.txt", "run.sh", "bin/tool", "x and y.txt", " lead",
)  # fmt: skip
WORDS = ("alpha", "beta", "return", "if", "x", "=", "(", ")", "{", "}", "# note", "def", "é", "\t", "")
GIT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    **{f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, cwd=folder, env=GIT, input=stdin, capture_output=True, check=True).stdout


def write(folder: Path, files: Tree) -> Path:
    folder.mkdir(exist_ok=True)
    for path, (content, is_program) in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(0o755 if is_program else 0o644)
    return folder


def read(folder: Path) -> Tree:
    files = [file for file in folder.rglob("*") if file.is_file() and ".git" not in file.relative_to(folder).parts]
    return {str(file.relative_to(folder)): (file.read_bytes(), bool(file.stat().st_mode & 0o100)) for file in files}


def diff_of(folder: Path, before: Tree, after: Tree, *options: str) -> bytes:
    """What git writes for the way from one tree to the other."""
    repository = write(folder / "repository", before)
    git(repository, "init", "-q", ".")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--allow-empty", "-m", "before")
    for path in before:
        (repository / path).unlink()
    write(repository, after)
    git(repository, "add", "-A")
    return git(repository, "diff", "--cached", *options)


def apply(folder: Path, before: Tree, diff: bytes, state: Path) -> Tree:
    root = write(folder, before)
    with Workspace(root, state_dir=state, durability="process") as workspace:
        workspace.apply(diff.decode())
    return read(root)


class Trees:
    """Two trees by chance: lines that repeat, files that are empty, added, moved, copied, deleted or made programs."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.before: Tree = {}
        for path in self.chance.sample(PATHS, 6):
            if self._is_free(path, self.before):
                self.before[path] = (self._content(), self.chance.random() < 0.3)
        self.after = dict(self.before)
        for path in self.before:
            self._change(path)
        for path in self.chance.sample(PATHS, 2):
            if self._is_free(path, self.after):
                self.after[path] = (self._content(), self.chance.random() < 0.4)

    def _is_free(self, path: str, files: Tree) -> bool:
        return not any(f"{one}/".startswith(f"{path}/") or f"{path}/".startswith(f"{one}/") for one in files)

    def _line(self) -> str:
        words = [self.chance.choice(WORDS) for _ in range(self.chance.randint(0, 4))]
        return "    " * self.chance.randint(0, 2) + " ".join(words)

    def _content(self) -> bytes:
        end = self.chance.choice(("\n", "\n", "\n", "\r\n"))
        block = [self._line() for _ in range(self.chance.randint(0, 5))]
        lines = [line for _ in range(self.chance.randint(1, 6)) for line in (*block, self._line())]
        text = end.join(lines) + self.chance.choice((end, end, ""))
        return (text if self.chance.random() < 0.85 else "").encode()

    def _changed(self, content: bytes) -> bytes:
        lines = content.decode().split("\n")
        for _ in range(self.chance.randint(1, 3)):
            at = self.chance.randint(0, len(lines))
            lines[at : at + self.chance.randint(0, 2)] = [self._line() for _ in range(self.chance.randint(0, 2))]
        return "\n".join(lines).encode()

    def _change(self, path: str) -> None:
        content, is_program = self.before[path]
        what = self.chance.choice(("keep", "edit", "edit", "mode", "delete", "move", "copy", "both"))
        changed = self._changed(content) if self.chance.random() < 0.5 else content
        if what in ("edit", "both"):
            self.after[path] = (self._changed(content), is_program != (what == "both"))
        elif what == "mode":
            self.after[path] = (content, not is_program)
        elif what != "keep":
            other = self.chance.choice(PATHS)
            if what != "copy":
                del self.after[path]
            if what != "delete" and self._is_free(other, self.after):
                self.after[other] = (changed, is_program != (self.chance.random() < 0.2))

    def options(self) -> list[str]:
        """Options of `git diff`."""
        options = [f"-U{self.chance.choice((1, 3, 3, 10))}", self.chance.choice(("-M", "-C", "--no-renames"))]
        options += self.chance.choice(([], [], ["--no-prefix"], ["--src-prefix=i/", "--dst-prefix=w/"]))
        return options + self.chance.choice(([], ["--full-index"], ["--abbrev=7"]))


@pytest.mark.parametrize("seed", range(16))
def test_a_diff_between_any_two_trees_does_what_git_does(tmp_path: Path, seed: int) -> None:
    trees = Trees(seed)
    options = trees.options()
    diff = diff_of(tmp_path, trees.before, trees.after, *options)
    if not diff:
        return
    by_git = write(tmp_path / "git", trees.before)
    git(by_git, "apply", "--whitespace=nowarn", *(["-p0"] if "--no-prefix" in options else []), stdin=diff)
    assert read(by_git) == trees.after
    assert apply(tmp_path / "ours", trees.before, diff, tmp_path / "state") == trees.after
    with Workspace(tmp_path / "ours", state_dir=tmp_path / "state") as workspace:
        with pytest.raises(PatchRejectedError):
            workspace.apply(diff.decode())
        workspace.undo(workspace.log()[0])
    assert read(tmp_path / "ours") == trees.before


@pytest.mark.parametrize("seed", range(8))
def test_a_diff_that_is_written_again_is_the_same_for_git(tmp_path: Path, seed: int) -> None:
    """`convert` leaves nothing out of a diff: not a mode, not a line ending."""
    trees = Trees(100 + seed)
    diff = diff_of(tmp_path, trees.before, trees.after, "-M", "-U3")
    patch = parse(diff.decode()) if diff else None
    if patch is None or any(isinstance(one, DeleteFile) and one.content is None for one in patch.operations):
        return
    by_git = write(tmp_path / "git", trees.before)
    git(by_git, "apply", "--whitespace=nowarn", stdin=convert(patch, "unified").encode())
    assert read(by_git) == trees.after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": b"1\n2\n3\n4\n"}, {"a": b"1\n2\n3\n4\n", "b": b"1\n2\n3\n4\n"}),
        ({"b": b"1\n2\n3\n4\n"}, {"a": b"1\n2\n3\n4\n5\n", "b": b"0\n1\n2\n3\n4\n"}),
        ({"a": b"1\n2\n3\n4\n"}, {"a": b"1\n2\n3\n4\nnew\n", "b": b"1\n2\n3\n4\n", "c": b"1\n2\n3\n"}),
    ],
    ids=["as it is", "changed, before its original is", "several"],
)
def test_copies(tmp_path: Path, before: dict[str, bytes], after: dict[str, bytes]) -> None:
    old, new = ({path: (content, False) for path, content in tree.items()} for tree in (before, after))
    diff = diff_of(tmp_path, old, new, "-C", "-C", "--find-copies-harder")
    assert b"copy from" in diff
    assert apply(tmp_path / "ours", old, diff, tmp_path / "state") == new


def test_a_copy_keeps_whether_it_can_be_executed(tmp_path: Path) -> None:
    old: Tree = {"run": (b"echo one\necho two\n", True)}
    new: Tree = {**old, "walk": (b"echo one\necho two\n", True), "sit": (b"echo one\necho two\n", False)}
    diff = diff_of(tmp_path, old, new, "-C", "--find-copies-harder")
    assert apply(tmp_path / "ours", old, diff, tmp_path / "state") == new


def test_a_copy_onto_a_file_that_exists_is_refused(tmp_path: Path) -> None:
    diff = "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n"
    with pytest.raises(PatchRejectedError) as rejected:
        apply(tmp_path, {"a": (b"a\n", False), "b": (b"b\n", False)}, diff.encode(), tmp_path / "state")
    assert [problem.code for problem in rejected.value.problems] == ["already_exists"]


def test_files_that_move_up_one_after_another(tmp_path: Path) -> None:
    """Git writes them by their new names: a file goes to the path of one that has yet to move away."""
    contents = [f"file {number}\nof three\nwith lines\n".encode() for number in range(3)]
    before: Tree = {f"f{number}": (content, False) for number, content in enumerate(contents)}
    after: Tree = {f"f{number + 1}": (content, False) for number, content in enumerate(contents)}
    diff = diff_of(tmp_path, before, after, "-M", "-B")
    renames = "".join([
        f"diff --git a/f{n} b/f{n + 1}\nsimilarity index 100%\nrename from f{n}\nrename to f{n + 1}\n" for n in range(3)
    ])  # fmt: skip
    assert apply(tmp_path / "plain", before, renames.encode(), tmp_path / "state") == after
    assert apply(tmp_path / "ours", before, diff, tmp_path / "state-2") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\nthree\r\n", b"one\ntwo\nthree\n"),
        (b"one\ntwo\nthree\n", b"one\r\ntwo\r\nthree\r\n"),
        (b"one\ntwo\r\nthree\nfour\r\n", b"one\ntwo\r\nthree\r\nfour\r\nfive\n"),
        (b"\xef\xbb\xbfone\ntwo\n", b"one\ntwo\n"),
        (b"one\ntwo\n", b"\xef\xbb\xbfone\ntwo\n"),
        (b"\xef\xbb\xbfone\r\ntwo\r\n", b"one\ntwo\n"),
        (b"one\rtwo\nthree\n", b"one\rtwo\nfour\n"),
        (b"one\r\ntwo", b"one\r\ntwo\r\n"),
        (b"", b"one\r\n"),
        (b"\xef\xbb\xbf", b"one\n"),
    ],
)
@pytest.mark.parametrize("index", [True, False], ids=["with hashes", "without"])
def test_line_endings_and_byte_order_marks_are_those_of_the_diff(
    tmp_path: Path, before: bytes, after: bytes, *, index: bool
) -> None:
    old, new = {"x.txt": (before, False)}, {"x.txt": (after, False)}
    diff = diff_of(tmp_path, old, new)
    if not index:
        diff = b"\n".join([line for line in diff.split(b"\n") if not line.startswith(b"index ")])
    assert apply(tmp_path / "ours", old, diff, tmp_path / "state") == new
    with Workspace(tmp_path / "ours", state_dir=tmp_path / "state") as workspace, pytest.raises(PatchRejectedError):
        workspace.apply(diff.decode())


def test_line_endings_are_not_changed_in_other_lines(tmp_path: Path) -> None:
    old, new = {"x.txt": (b"one\r\ntwo\r\n", False)}, {"x.txt": (b"one\ntwo\n", False)}
    diff = diff_of(tmp_path, old, new)
    with pytest.raises(PatchRejectedError) as rejected:
        apply(tmp_path / "ours", {"x.txt": (b"zero\r\none\r\ntwo\r\n", False)}, diff, tmp_path / "state")
    (problem,) = rejected.value.problems
    assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "context_not_found")


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfx\n", b"a\rb\n", b"a\r\nb\r\n", b"a\r\nb\n", b"a\r\nb"])
def test_an_added_file_has_the_bytes_of_the_diff(tmp_path: Path, content: bytes) -> None:
    new: Tree = {"x.txt": (content, False)}
    assert apply(tmp_path / "ours", {}, diff_of(tmp_path, {}, new), tmp_path / "state") == new


def test_a_file_in_another_encoding_never_gets_a_second_one(tmp_path: Path) -> None:
    """A diff is UTF-8: what its bytes would be in a Latin-1 file is not for git to say."""
    diff = b"--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n alpha\r\n-beta\r\n+b\xc3\xa9ta\r\n"
    content = b"alpha\r\nbeta\r\ncaf\xe9\r\n"
    with pytest.raises(PatchRejectedError):
        apply(tmp_path / "unknown", {"x.txt": (content, False)}, diff, tmp_path / "state")
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "x.txt").write_bytes(content)
    with Workspace(tmp_path / "known", state_dir=tmp_path / "state-2", encoding="latin-1") as workspace:
        workspace.apply(diff.decode())
    assert (tmp_path / "known" / "x.txt").read_bytes() == b"alpha\r\nb\xe9ta\r\ncaf\xe9\r\n"
