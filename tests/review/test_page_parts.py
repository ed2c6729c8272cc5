"""What the page shows, as values: the function that a hunk is in, what a model wrote, what is new in the list."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from suture.agent.requests import Request
from suture.agent.sent_parts import SentPart
from suture.core.fingerprint import fingerprint
from suture.core.line_hunks import LineHunk, line_hunks
from suture.core.outcome import Change
from suture.review import one_time_link
from suture.review.explanations import compared_lines
from suture.review.file_texts import FileTexts, requested_contents
from suture.review.inbox import InboxItem
from suture.review.list_changes import ListChanges
from suture.review.one_time_link import OneTimeCode
from suture.review.section_names import section_above
from suture.review.sent_view import compare_part
from suture.review.timeline import apply_at_positions

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = "class A:\n    def one(self):\n        a\n\n    def two(self):\n        b\n\nc = 1\n".split("\n")
TOML = "[first]\na = 1\n\n[second]\nb = 2\n".split("\n")


@pytest.mark.parametrize(
    ("path", "lines", "number", "section"),
    [
        ("a.py", PYTHON, 2, "def one(self):"),
        ("a.py", PYTHON, 5, "def two(self):"),
        # A method is around its lines, and the class around the method.
        ("a.py", PYTHON, 4, "class A:"),
        ("a.py", PYTHON, 7, ""),
        ("a.toml", TOML, 1, "[first]"),
        ("a.toml", TOML, 4, "[second]"),
        ("a.toml", ["[first]", "    a = 1"], 1, "[first]"),
        # A heading of a page is no heading of code, where it is a comment.
        ("a.md", ["# a heading", "text"], 1, "# a heading"),
        ("a.py", ["# a comment", "x = 1"], 1, ""),
        ("a.py", ["    # a comment", "x = 1"], 1, ""),
    ],
)
def test_a_line_is_in_the_part_that_is_opened_above_it_and_indented_less(
    path: str, lines: list[str], number: int, section: str
) -> None:
    assert section_above(path, lines, number) == section


def test_lines_are_beside_those_that_belong_to_them_and_alone_where_there_are_none() -> None:
    rows = [(row.kind, row.number, row.edit, row.file) for row in compared_lines(["a", "x"], ["a", "b", "x"], 7)]
    assert rows == [("equal", 7, "a", "a"), ("file", 8, None, "b"), ("equal", 9, "x", "x")]
    rows = [(row.kind, row.number, row.edit, row.file) for row in compared_lines(["a", "b", "x"], ["a", "x"], 7)]
    assert rows == [("equal", 7, "a", "a"), ("edit", None, "b", None), ("equal", 8, "x", "x")]


@pytest.mark.parametrize(
    ("start", "end", "new"),
    [
        (1, 1, ["zero", "one"]),
        (2, 2, ["TWO", "and more"]),
        (1, 2, ["zero", "one", "TWO", "and more"]),
        (2, 3, ["TWO", "and more", "three"]),
        (4, 4, ["four", "five"]),
    ],
)
def test_what_a_model_wrote_is_beside_the_lines_that_its_place_becomes(start: int, end: int, new: list[str]) -> None:
    """What is added at an end of the place belongs to it."""
    before, after = "one\ntwo\nthree\nfour\n", "zero\none\nTWO\nand more\nthree\nfour\nfive\n"
    part = SentPart("a.txt", 1, start, end, (), tuple(new))
    compared = compare_part(part, FileTexts("a.txt", before, after), line_hunks(before, after))
    assert [row.file for row in compared.found] == before.splitlines()[start - 1 : end]
    assert [(row.kind, row.file) for row in compared.written] == [("equal", line) for line in new]


def test_what_is_written_far_above_a_place_moves_it() -> None:
    before = "".join([f"{number}\n" for number in range(20)])
    after = f"new\n{before}".replace("15\n", "fifteen\n")
    part = SentPart("a.txt", 1, 16, 16, ("15",), ("fifteen",))
    compared = compare_part(part, FileTexts("a.txt", before, after), line_hunks(before, after))
    assert [(row.kind, row.number) for row in compared.written] == [("equal", 17)]


def test_hunks_are_applied_where_they_say_or_not_at_all() -> None:
    first, second = LineHunk(0, 0, ("-a\n", "+A\n", " b\n")), LineHunk(2, 2, ("-c\n", "+C\n"))
    assert apply_at_positions("a\nb\nc\n", [first, second]) == "A\nb\nC\n"
    assert apply_at_positions("a\nB\nc\n", [first, second]) is None
    # One after the other, and no line twice.
    assert apply_at_positions("a\nb\nc\n", [first, LineHunk(1, 1, ("-b\n", "+B\n"))]) is None


class TestListChanges:
    """The list of requests, as a page asks for it again and again."""

    def test_a_page_gets_what_is_new_or_different_and_what_has_gone(self) -> None:
        changes = ListChanges()
        rows = [{"id": "1", "state": "new"}, {"id": "2", "state": "new"}]
        first = changes.since("", lambda: rows)
        assert (first["requests"], first["is_whole"]) == (rows, True)
        second = changes.since(first["mark"], lambda: rows)
        assert (second["requests"], second["gone"], second["is_whole"]) == ([], [], False)
        later = [{"id": "2", "state": "stale"}, {"id": "3", "state": "new"}]
        third = changes.since(second["mark"], lambda: later)
        assert (third["requests"], third["gone"], third["is_whole"]) == (later, ["1"], False)
        # A page that was away for longer gets the same.
        assert changes.since(first["mark"], lambda: later)["requests"] == later

    def test_a_mark_of_another_run_or_none_gets_the_whole_list(self) -> None:
        changes = ListChanges()
        changes.since("", list)
        assert [changes.since(mark, list)["is_whole"] for mark in ("", "x-1", f"{ListChanges()._run}-1")] == [True] * 3


class TestOneTimeCode:
    """The code of the link that opens the page."""

    def test_a_code_is_good_once(self) -> None:
        link = OneTimeCode()
        assert not link.take("")
        code = link.renew()
        assert [link.take("another"), link.take(code), link.take(code)] == [False, True, False]

    def test_only_the_last_code_is_good(self) -> None:
        link = OneTimeCode()
        codes = [link.renew(), link.renew()]
        assert [link.take(code) for code in codes] == [False, True]

    def test_a_code_that_is_too_old_is_not_good(self, monkeypatch: pytest.MonkeyPatch) -> None:
        link = OneTimeCode()
        code = link.renew()
        later = time.monotonic() + one_time_link.LINK_SECONDS
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert not link.take(code)


def test_the_contents_of_a_request_are_those_that_its_hashes_name(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    old, new = b"\x00old", b"\x00new"
    change = Change(
        "update",
        "a.bin",
        sha256_before=fingerprint(old),
        sha256_after=fingerprint(new),
        binary="is",
        resolved=str(path),
    )
    assert requested_contents(change) == (None, None)
    path.write_bytes(old)
    assert requested_contents(change) == (old, None)
    written = change.replace(hunks=(LineHunk(0, 0, (f"+{new.decode()}",)),))
    assert requested_contents(written) == (old, new)
    assert requested_contents(change.replace(sha256_after=fingerprint(old))) == (old, old)
    assert requested_contents(change.replace(sha256_before="")) == (None, None)
    path.write_bytes(b"changed since")
    assert requested_contents(written) == (None, new)


@pytest.mark.parametrize(
    ("permission", "path", "cautions"),
    [
        ("edit", "a.txt", ()),
        ("edit", "/elsewhere/a.txt", ("outside",)),
        ("external_directory", "a.txt", ("outside",)),
    ],
)
def test_what_is_outside_needs_a_closer_look(permission: str, path: str, cautions: tuple[str, ...]) -> None:
    request = Request.for_files("edit", [Change("update", path)]).replace(permission=permission)
    assert InboxItem(request, "").cautions == cautions
