"""A BOM follows the file's first line, and an edit that names it changes it like any other character (SPEC §14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from suture import Hunk, PatchRejectedError, SutureError, Workspace, multiedit, replace, update

if TYPE_CHECKING:
    from pathlib import Path

B = "\ufeff"
PWSH = "#!/usr/bin/env pwsh"


class Case(NamedTuple):
    """A file, an edit of its first lines, and the result; None where it is refused."""

    before: str
    old: str
    new: str
    after: str | None


CASES = {
    # The file has one. Neither text does: it stays in front of the first line, whatever that becomes.
    "neither": Case(f"{B}one\ntwo\n", "one\n", "1\n", f"{B}1\ntwo\n"),
    "neither, a line above": Case(f"{B}one\ntwo\n", "one\n", "zero\none\n", f"{B}zero\none\ntwo\n"),
    "neither, another line": Case(f"{B}one\ntwo\n", "two\n", "2\n", f"{B}one\n2\n"),
    # Both do: it stays.
    "both": Case(f"{B}one\ntwo\n", f"{B}one\n", f"{B}1\n", f"{B}1\ntwo\n"),
    "both, a line above": Case(f"{B}one\ntwo\n", f"{B}one\n", f"{B}zero\none\n", f"{B}zero\none\ntwo\n"),
    # A BOM inside of a file is none.
    "both, the new text behind": Case(f"{B}one\ntwo\n", f"{B}one\n", f"zero\n{B}one\n", f"{B}zero\none\ntwo\n"),
    "both, behind a shebang": Case(f"{B}one\ntwo\n", f"{B}one\n", f"{PWSH}\n{B}one\n", f"{PWSH}\none\ntwo\n"),
    # Only the old text does: it goes with the line.
    "old": Case(f"{B}# Help\ntwo\n", f"{B}# Help\n", f"{PWSH}\n", f"{PWSH}\ntwo\n"),
    "old, the same line": Case(f"{B}one\ntwo\n", f"{B}one\n", "one\n", "one\ntwo\n"),
    "old, a line above": Case(f"{B}# Help\ntwo\n", f"{B}# Help\n", f"{PWSH}\n# Help\n", f"{PWSH}\n# Help\ntwo\n"),
    "old, two lines": Case(f"{B}one\ntwo\nthree\n", f"{B}one\ntwo\n", "1\n2\n", "1\n2\nthree\n"),
    # Only the new text does: it is the file's own.
    "new": Case(f"{B}one\ntwo\n", "one\n", f"{B}1\n", f"{B}1\ntwo\n"),
    # The file has none.
    "none, neither": Case("one\ntwo\n", "one\n", "1\n", "1\ntwo\n"),
    "none, new": Case("one\ntwo\n", "one\n", f"{B}one\n", f"{B}one\ntwo\n"),
    "none, both": Case("one\ntwo\n", f"{B}one\n", f"{B}1\n", None),
    "none, old": Case("one\ntwo\n", f"{B}one\n", "1\n", None),
    # In front of another line it is a character like any other.
    "below": Case(f"one\n{B}two\n", f"{B}two\n", "2\n", "one\n2\n"),
    "below, and the file has one": Case(f"{B}one\n{B}two\n", f"{B}two\n", "2\n", f"{B}one\n2\n"),
    "not in front of that line": Case(f"{B}one\ntwo\n", f"{B}two\n", f"{B}2\n", None),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def result_of(content: str | bytes, case: Case, way: str) -> Any:
    """The file after the edit, made in one of the ways; None where it is refused."""
    hunk = Hunk((*[f"-{line}" for line in case.old.splitlines()], *[f"+{line}" for line in case.new.splitlines()]))
    try:
        if way == "replace":
            return replace(content, case.old, case.new).text
        if way == "multiedit":
            return multiedit(content, [(case.old, case.new)], against="original").text
        return update(content, [hunk], dialect=way).text
    except SutureError:
        return None


@each_case
@pytest.mark.parametrize("way", ["replace", "multiedit", "standard", "codex", "opencode", "strict"])
def test_where_the_mark_goes(case: Case, way: str) -> None:
    assert result_of(case.before, case, way) == case.after
    assert result_of(case.before.encode(), case, way) == (None if case.after is None else case.after.encode())


@each_case
@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_it_goes_the_same_way_in_files_with_other_endings(case: Case, ending: str) -> None:
    content = case.before.replace("\n", ending)
    assert result_of(content, case, "replace") == (case.after and case.after.replace("\n", ending))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(("none", "below", "not in"))])
@pytest.mark.parametrize("way", ["replace", "standard"])
def test_a_mark_that_the_encoding_needs_stays(encoding: str, name: str, way: str) -> None:
    case = CASES[name]
    assert case.after is not None
    right = B + case.after.removeprefix(B)
    expected = None if right == case.before else right.encode(encoding)
    assert result_of(case.before.encode(encoding), case, way) == expected


def test_the_mark_alone_can_be_removed_and_added() -> None:
    assert replace(f"{B}one\n", B, "").text == "one\n"
    assert replace(f"{B}one\n".encode(), B, "").text == b"one\n"
    assert replace("one\n", "one", f"{B}one").text == f"{B}one\n"
    with pytest.raises(PatchRejectedError):
        replace("one\n", B, "")


def test_spans_count_the_mark_where_it_is_replaced() -> None:
    done = replace(f"{B}one\ntwo\n".encode(), f"{B}one", "1")
    assert [(span.start, span.end, span.first_line) for span in (*done.spans, *done.written)] == [(0, 6, 1), (0, 1, 1)]
    done = replace(f"{B}one\ntwo\n".encode(), "one", "1")
    assert [(span.start, span.end) for span in (*done.spans, *done.written)] == [(3, 6), (3, 4)]


def test_edits_of_a_list_may_name_it_or_not() -> None:
    done = multiedit(f"{B}one\ntwo\n", [("one\n", "1\n"), (f"{B}1\n", "first\n"), ("two\n", "2\n")])
    assert done.text == "first\n2\n"
    done = multiedit(f"{B}one\ntwo\n", [(f"{B}one\n", f"{B}1\n"), ("1\n", f"{B}first\n")])
    assert done.text == f"{B}first\ntwo\n"


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ((f" {B}one", "-two", "+2"), f"{B}one\n2\n"),
        (("+zero", f" {B}one"), f"{B}zero\none\ntwo\n"),
        ((f"+{PWSH}", f" {B}one"), f"{PWSH}\none\ntwo\n"),
        (("+zero", f"-{B}one", f"+{B}one"), f"{B}zero\none\ntwo\n"),
        ((f"-{B}one",), "two\n"),
        (("-one",), f"{B}two\n"),
        (("+zero", " one"), f"{B}zero\none\ntwo\n"),
    ],
)
def test_hunks_with_the_mark_in_context(lines: tuple[str, ...], after: str) -> None:
    for content, right in ((f"{B}one\ntwo\n", after), (f"{B}one\ntwo\n".encode(), after.encode())):
        assert update(content, [Hunk(lines)]).text == right


def test_a_file_loses_its_mark_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a.ps1").write_bytes(f"{B}# Help\r\nexit\r\n".encode())
    workspace = Workspace(tmp_path, state_dir=tmp_path / "state")
    receipt = workspace.edit("a.ps1", f"{B}# Help", f"{PWSH}\n# Help")
    assert (tmp_path / "a.ps1").read_bytes() == f"{PWSH}\r\n# Help\r\nexit\r\n".encode()
    workspace.undo(receipt)
    assert (tmp_path / "a.ps1").read_bytes() == f"{B}# Help\r\nexit\r\n".encode()
