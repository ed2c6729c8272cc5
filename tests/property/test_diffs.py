"""Properties of unified diffs, held against the programs that take them."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given, settings, strategies as st
from tests.property.strategies import Change, changes, examples, file_lines, texts

from suture import Hunk, unified_diff, update
from suture.core.line_diff import changed_blocks, common_ends
from suture.core.line_hunks import count_lines, line_hunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAMS = {
    "git": ["git", "apply", "--whitespace=nowarn", "-"],
    "patch": ["patch", "-p1", "--silent", "--no-backup-if-mismatch", "--force"],
}
each_program = pytest.mark.parametrize("program", [name for name in PROGRAMS if shutil.which(name)])

#: Names that need care in a diff: blanks, tabs, quotes, backslashes, other scripts, dashes, dots.
ODD_NAMES = (
    "a b.txt",
    " a.txt",
    "a.txt ",
    "a\tb.txt",
    'say "hi".txt',
    "it's.txt",
    "back\\slash.txt",
    "ünïcode.txt",
    "日本語.txt",
    "-dash.txt",
    "--- a.txt",
    "deep/er/a b.txt",
    "b/b.txt",
    "a/a.txt",
    "x\x01y.txt",
    "a.txt\t2024",
    "dots...txt",
    "#a;b&c.txt",
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Fresh empty folders, one for each example."""

    def fresh() -> Iterator[Path]:
        while True:
            yield tmp_path_factory.mktemp("tree")

    return fresh()


def applied(program: str, folder: Path, diff: str) -> None:
    """Let the program apply the diff in the folder."""
    run = subprocess.run(
        PROGRAMS[program], cwd=folder, input=diff.encode("utf-8", "surrogateescape"), capture_output=True, check=False
    )
    assert run.returncode == 0, (run.stdout + run.stderr).decode(errors="replace")


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


@each_program
@settings(max_examples=40)
@given(before=texts, after=texts, context=st.integers(0, 4))
@example(before="a", after="a\n", context=3)
@example(before="a\n", after="a", context=3)
@example(before="a\nb", after="b", context=3)
@example(before="--- a\n", after="+++ b\n", context=3)
@example(before="a\r\nb\r\n", after="a\r\nc\n", context=3)
@example(before="\n\n\n", after="\n\n", context=1)
def test_the_real_programs_apply_a_diff_to_the_text_after(
    program: str, folders: Iterator[Path], before: str, after: str, context: int
) -> None:
    """Issue 2: "`unified_diff` is one that `git apply` and `patch -p1` accept (tested with the real programs)"."""
    # Without context git wants --unidiff-zero, and an empty file is a new or a deleted one.
    context = max(context, 1)
    assume(before and after and before != after)
    folder = next(folders)
    path = written(folder, "a.txt", before)
    applied(program, folder, unified_diff(before, after, "a.txt", context=context))
    assert path.read_bytes() == after.encode()


@each_program
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_real_programs_find_a_file_with_an_odd_name(program: str, tmp_path: Path, name: str) -> None:
    before, after = "one\ntwo\nthree\n", "one\n2\nthree\n"
    path = written(tmp_path, name, before)
    applied(program, tmp_path, unified_diff(before, after, name))
    assert path.read_bytes() == after.encode()


@each_program
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_real_programs_make_and_delete_a_file_with_an_odd_name(program: str, tmp_path: Path, name: str) -> None:
    applied(program, tmp_path, unified_diff(None, "one\ntwo", name))
    assert (tmp_path / name).read_bytes() == b"one\ntwo"
    applied(program, tmp_path, unified_diff("one\ntwo", None, name))
    assert not (tmp_path / name).exists()


@each_program
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_real_programs_move_a_file_with_an_odd_name(program: str, tmp_path: Path, name: str) -> None:
    written(tmp_path, name, "one\ntwo\nthree\n")
    applied(program, tmp_path, unified_diff("one\ntwo\nthree\n", "one\n2\nthree\n", name, to_path="new name.txt"))
    assert not (tmp_path / name).exists()
    assert (tmp_path / "new name.txt").read_bytes() == b"one\n2\nthree\n"


@each_program
def test_the_real_programs_make_and_delete_an_empty_file(program: str, tmp_path: Path) -> None:
    applied(program, tmp_path, unified_diff(None, "", "a.txt"))
    assert (tmp_path / "a.txt").read_bytes() == b""
    applied(program, tmp_path, unified_diff("", None, "a.txt"))
    assert not (tmp_path / "a.txt").exists()


@each_program
def test_the_real_programs_fill_and_empty_a_file(program: str, tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "")
    applied(program, tmp_path, unified_diff("", "one\n", "a.txt"))
    assert path.read_bytes() == b"one\n"
    applied(program, tmp_path, unified_diff("one\n", "", "a.txt"))
    # GNU patch takes away a file that it emptied.
    assert (path.read_bytes() if path.exists() else b"") == b""


@each_program
def test_a_move_alone_is_a_diff_that_git_takes(program: str, tmp_path: Path) -> None:
    written(tmp_path, "a.txt", "one\n")
    applied(program, tmp_path, unified_diff("one\n", "one\n", "a.txt", to_path="b.txt"))
    assert (tmp_path / "b.txt").read_bytes() == b"one\n"
    assert not (tmp_path / "a.txt").exists()


def test_a_text_that_did_not_change_has_an_empty_diff() -> None:
    assert unified_diff("a\n", "a\n", "a.txt") == ""


@examples(300)
@given(changes())
def test_the_changed_blocks_rebuild_the_text_after(change: Change) -> None:
    """A diff that leaves out a change is a lie: blocks put in their places give the text after."""
    blocks = changed_blocks(change.before, change.after)
    rebuilt: list[str] = []
    at = 0
    for a, b, c, d in blocks:
        assert at <= a <= b
        assert (a, c) != (b, d)
        rebuilt += change.before[at:a]
        rebuilt += change.after[c:d]
        at = b
    assert rebuilt + change.before[at:] == change.after


@examples(200)
@given(changes())
def test_the_counts_are_those_of_the_blocks(change: Change) -> None:
    before, after = ("".join(line + "\n" for line in lines) for lines in (change.before, change.after))
    blocks = changed_blocks(change.before, change.after)
    counts = sum(d - c for _, _, c, d in blocks), sum(b - a for a, b, _, _ in blocks)
    assert count_lines(line_hunks(before, after)) == counts


@examples(100)
@given(st.lists(file_lines, min_size=1, max_size=10), st.lists(file_lines, min_size=1, max_size=10))
def test_two_unrelated_texts_have_a_diff_that_update_takes_back(before: list[str], after: list[str]) -> None:
    """The two ways from before to after agree: a diff's own hunks, placed by `update`."""
    assume(before != after)
    one, other = ("".join(line + "\n" for line in lines) for lines in (before, after))
    diff = unified_diff(one, other, "a.txt", context=100)
    lines = diff.split("\n@@", 1)[1].split("\n")[1:-1]
    assume(any(line[0] != "+" for line in lines))
    hunk = Hunk(tuple(lines))
    assert "".join(line[1:] + "\n" for line in lines if line[0] != "-") == other
    assert update(one, [hunk], dialect="strict", allow_control=True).text == other


_ODD = st.text("a\né€🐍èê\r\udc80", max_size=12)


@examples(500)
@given(_ODD, _ODD, _ODD, _ODD, st.integers(0, 3))
@example("", "é", "è", "\n", 1)
@example("a\n" * 9, "€\n", "", "a\n" * 9, 3)
def test_bytes_have_the_diff_of_their_text(head: str, old: str, new: str, tail: str, context: int) -> None:
    """Characters that share some of their bytes are not taken apart."""
    before, after = head + old + tail, head + new + tail
    one, other = (text.encode("utf-8", "surrogateescape") for text in (before, after))
    # Bytes that were no text may be one beside their neighbours.
    before, after = (content.decode("utf-8", "surrogateescape") for content in (one, other))
    assert unified_diff(one, other, "a", context=context) == unified_diff(before, after, "a", context=context)
    assert unified_diff(None, other, "a") == unified_diff(None, after, "a")
    assert unified_diff(one, None, "a") == unified_diff(before, None, "a")


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.integers(0, 11), max_size=4))
def test_lines_that_were_changed_in_place_cost_no_other(lines: list[str], changed: list[int]) -> None:
    """No other pairing keeps more lines."""
    after = ["new" if number in changed else line for number, line in enumerate(lines)]
    removed = sum(b - a for a, b, _, _ in changed_blocks(lines, after))
    assert removed == len(set(changed) & set(range(len(lines))))


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 70_000, 200_000])
@pytest.mark.parametrize("at", [0, 1, 256, 65_791, 150_000, 1 << 20])
def test_common_ends_are_as_long_as_they_are(size: int, at: int) -> None:
    one = bytes(range(7)) * (size // 7 + 1)
    for changed in (one[:at] + b"x" + one[at + 1 :], one[:at] + one[at + 1 :], one[:at] + b"xy" + one[at:]):
        most = min(len(one), len(changed))
        head = next((n for n in range(most) if one[n] != changed[n]), most)
        rest = most - head
        tail = next((n for n in range(rest) if one[-1 - n] != changed[-1 - n]), rest)
        assert common_ends(one, changed) == (head, tail)
        assert common_ends(one.decode("latin-1"), changed.decode("latin-1")) == (head, tail)
