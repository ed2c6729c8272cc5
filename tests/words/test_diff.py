"""Unified diffs: what they look like, how they are counted and shown, and what bounds them."""

from __future__ import annotations

import sys

import pytest
from tests.shared.hostile_times import costs_at_most

from suture import Hunk, PatchInvalidError, UpdateFile, parse, unified_diff
from suture.core.hunk_header import HunkHeader, read_hunk_header
from suture.core.line_diff import changed_blocks
from suture.core.line_hunks import count_lines, line_hunks
from suture.core.stored_diff import read_stored_diff
from suture.core.write_diff import FileSection, cut_section, join_sections, trim_hunks


def diff(before: str | None, after: str | None, path: str = "a.txt", *, to_path: str | None = None) -> str:
    return unified_diff(before, after, path, to_path=to_path)


def counts(before: str | None, after: str | None) -> tuple[int, int]:
    return count_lines(line_hunks(before, after))


def trimmed(before: str, after: str) -> str:
    return "".join(map(str, trim_hunks(line_hunks(before, after))))


def test_a_change_has_three_lines_of_context_on_either_side() -> None:
    before = "".join(f"{n}\n" for n in range(1, 10))
    assert diff(before, before.replace("5\n", "five\n")) == (
        "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    )


def test_the_context_is_the_callers_choice() -> None:
    assert unified_diff("1\n2\n3\n", "1\n2\nx\n", "a", context=0) == "--- a/a\n+++ b/a\n@@ -3 +3 @@\n-3\n+x\n"


def test_changes_that_share_context_are_one_hunk() -> None:
    before = "".join(f"{n}\n" for n in range(1, 30))
    changed = before.replace("\n5\n", "\nfive\n")
    assert diff(before, changed.replace("\n13\n", "\nthirteen\n")).count("@@ -") == 2
    assert diff(before, changed.replace("\n12\n", "\ntwelve\n")).count("@@ -") == 1


def test_an_insertion_and_a_removal_name_the_line_before() -> None:
    assert unified_diff("1\n2\n", "1\nx\n2\n", "a", context=0).split("\n")[2] == "@@ -1,0 +2 @@"
    assert unified_diff("1\nx\n2\n", "1\n2\n", "a", context=0).split("\n")[2] == "@@ -2 +1,0 @@"


def test_a_missing_final_newline_is_said_on_its_side() -> None:
    mark = "\\ No newline at end of file\n"
    assert diff("a", "a\n").endswith(f"@@ -1 +1 @@\n-a\n{mark}+a\n")
    assert diff("a\n", "a").endswith(f"@@ -1 +1 @@\n-a\n+a\n{mark}")
    assert diff("a\nb", "c\nb").endswith(f"-a\n+c\n b\n{mark}")


def test_lines_end_at_lf_as_for_git() -> None:
    assert diff("a\r\nb\x0cc\u2028d\n", "a\nb\x0cc\u2028d\n").endswith("-a\r\n+a\n b\x0cc\u2028d\n")


def test_a_new_a_deleted_and_a_moved_file_have_the_header_of_git() -> None:
    assert diff(None, "x\n") == (
        "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n"
    )
    assert diff("x\n", None) == (
        "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    moved = diff("x\n", "x\n", to_path="b.txt")
    assert moved.startswith("diff --git a/a.txt b/b.txt\n")
    assert moved.endswith("rename from a.txt\nrename to b.txt\n")


def test_an_empty_file_comes_and_goes_without_lines() -> None:
    assert diff(None, "") == "diff --git a/a.txt b/a.txt\nnew file mode 100644\n"
    assert diff("", None) == "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n"


def test_nothing_changed_is_an_empty_diff() -> None:
    assert diff("a\n", "a\n") == diff("", "") == ""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.txt", "--- a/a.txt"),
        ("a b.txt", "--- a/a b.txt\t"),
        ("ä.txt", '--- "a/\\303\\244.txt"'),
        ('a"b', '--- "a/a\\"b"'),
        ("a\\b", '--- "a/a\\\\b"'),
    ],
)
def test_a_name_is_quoted_as_git_does(name: str, shown: str) -> None:
    assert diff("1\n", "2\n", name).split("\n")[0] == shown


def test_names_with_control_characters_and_lone_surrogates_are_quoted() -> None:
    first = diff("1\n", "2\n", "a\tb\x01\udcff").split("\n")[0]
    assert first.startswith('--- "a/a')
    assert first.isascii()
    assert first.isprintable()


def test_added_and_removed_lines_are_counted() -> None:
    assert counts("1\n2\n3\n", "1\nx\ny\n3\n") == (2, 1)
    assert counts(None, "1\n2\n") == (2, 0)
    assert counts("1\n2\n", None) == (0, 2)
    assert counts("a\n", "a\n") == (0, 0)
    assert counts("a\n", "a") == (1, 1)


def test_lines_that_look_like_headers_are_counted() -> None:
    assert counts("-- a\n", "++ b\n") == (1, 1)
    assert counts("-- a/x\n@@ y\n", "z\n") == (1, 2)


def test_a_diff_for_people_loses_the_indentation_that_all_lines_share() -> None:
    """SPEC §9: "Diffs shown to people have line endings normalised and common indentation trimmed"."""
    shown = trimmed("        a\n          b\n\n", "        x\n          b\n\n")
    assert shown == "@@ -1,3 +1,3 @@\n-a\n+x\n   b\n \n"


def test_a_diff_for_people_has_plain_endings() -> None:
    assert trimmed("  a\r\n", "  b\r\n") == "@@ -1 +1 @@\n-a\n+b\n"


def test_a_diff_without_lines_or_without_indentation_is_shown_as_it_is() -> None:
    for before, after in (("x\n", "x\n"), ("a\n", "b\n"), ("\n", "\n\n"), ("a", " ")):
        assert trim_hunks(line_hunks(before, after)) == line_hunks(before, after)


def test_tabs_and_spaces_share_nothing() -> None:
    hunks = line_hunks("\ta\n    b\n", "\tx\n    b\n")
    assert trim_hunks(hunks) == hunks


def test_a_file_after_one_without_lines_begins_with_the_header_of_git() -> None:
    """Otherwise its names would be read as those of the file before it."""
    renamed, changed = FileSection("a", "b", ()), FileSection("c", "c", line_hunks("1\n", "2\n"))
    assert join_sections([renamed, changed]) == f"{renamed}diff --git a/c b/c\n{changed}"
    assert join_sections([changed, changed]) == f"{changed}{changed}"


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\nb\n", "a\nc"), (None, "x\n"), ("x\ny", None), ("\r\n", "\n"), ("-- \n@@ -1 +1 @@\n", "\n")],
)
def test_hunks_are_read_back_from_their_text(before: str | None, after: str | None) -> None:
    assert read_stored_diff(diff(before, after)) == line_hunks(before, after)


def test_a_reverted_hunk_leads_back() -> None:
    before, after = "a\nb\nc\nd", "a\nx\ny\nd\n"
    assert tuple([hunk.reverted for hunk in line_hunks(before, after)]) == line_hunks(after, before)


@pytest.mark.parametrize(
    ("before", "after", "blocks"),
    [
        ("", "", []),
        ("abc", "abc", []),
        ("abc", "axc", [(1, 2, 1, 2)]),
        ("abc", "ac", [(1, 2, 1, 1)]),
        ("ac", "abc", [(1, 1, 1, 2)]),
        ("", "ab", [(0, 0, 0, 2)]),
        ("ab", "", [(0, 2, 0, 0)]),
        ("aab", "ab", [(1, 2, 1, 1)]),
        ("abcdef", "axcdyf", [(1, 2, 1, 2), (4, 5, 4, 5)]),
        ("abcd", "cdab", [(0, 0, 0, 2), (2, 4, 4, 4)]),
        ("aabbaabb", "abab", None),
    ],
)
def test_the_blocks_that_differ_are_found(before: str, after: str, blocks: list[tuple[int, ...]] | None) -> None:
    found = changed_blocks(before, after)
    assert blocks is None or len(found) == len(blocks)
    rebuilt, at = "", 0
    for a, b, c, d in found:
        rebuilt += before[at:a] + after[c:d]
        at = b
    assert rebuilt + before[at:] == after
    removed, added = sum(b - a for a, b, _, _ in found), sum(d - c for _, _, c, d in found)
    if blocks is not None:
        assert removed + added == sum(b - a + d - c for a, b, c, d in blocks)


@pytest.mark.skipif(sys.gettrace() is not None, reason="what is traced is many times slower")
def test_a_large_file_with_few_changes_is_fast() -> None:
    """Issue 2: "fast on large files with few changes (trim the common head and tail first, then diff)"."""
    lines = [f"line number {n}\n" for n in range(200_000)]
    changed = list(lines)
    changed[1000], changed[190_000] = "x\n", "y\n"
    before, after = "".join(lines), "".join(changed)
    assert counts(before, after) == (2, 2)
    assert costs_at_most(4, lambda: diff(before, after), lambda: [len(before.split("\n")) for _ in range(20)])


def test_a_hostile_pair_gives_a_coarse_diff() -> None:
    before = "".join(f"{n % 7}\n" for n in range(20_000))
    after = "".join(f"{n % 5}\n" for n in range(20_000))
    assert changed_blocks(before.split("\n"), after.split("\n")) != []


@pytest.mark.parametrize(
    ("before", "after", "blocks"),
    [
        pytest.param("a-b-a-b-a", "a-x-a-y-a", [(1, 2, 1, 2), (3, 4, 3, 4)], id="among lines that are everywhere"),
        pytest.param("a-b-c-d", "x-y-c-z", [(0, 2, 0, 2), (3, 4, 3, 4)], id="neighbours are one block"),
        pytest.param("a-b-c", "b-c-a", [(0, 1, 0, 0), (3, 3, 2, 3)], id="a line that moved goes and comes"),
    ],
)
def test_lines_that_were_changed_one_by_one_are_paired(
    before: str, after: str, blocks: list[tuple[int, int, int, int]]
) -> None:
    assert changed_blocks(before.split("-"), after.split("-")) == blocks


def test_a_text_of_a_class_of_its_own_has_a_diff() -> None:
    class Text(str):
        __slots__ = ()

    assert unified_diff(Text("a\n"), Text("b\n"), "f") == unified_diff("a\n", "b\n", "f")


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("@@ -1,3 +1,4 @@ def f():", HunkHeader(1, 3, 1, 4, "def f():", closed=True)),
        ("@@ -1 +2 @@", HunkHeader(1, 1, 2, 1, "", closed=True)),
        ("@@ -0,0 +1,2", HunkHeader(0, 0, 1, 2, "", closed=False)),
        ("@@ -1,3 @@", None),
        ("@@ -1,3 +1,x @@", None),
        ("@@ -a +1 @@", None),
        ("@@ def f():", None),
        (f"@@ -{'9' * 5000} +1 @@", None),
    ],
)
def test_a_hunk_header_is_read_in_one_way(line: str, header: HunkHeader | None) -> None:
    assert read_hunk_header(line) == header


def test_a_huge_number_in_a_hunk_header_is_no_number() -> None:
    diff = f"--- a/x\n+++ b/x\n@@ -1 +1,{'9' * 5000} @@\n-a\n+b\n"
    assert read_stored_diff(diff) == ()
    assert parse(diff).operations == (UpdateFile("x", (Hunk(("-a", "+b")),)),)


def test_a_name_in_a_message_about_a_diff_has_nothing_invisible() -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse('diff --git "a/x\\033" "b/x\\033"\nBinary files differ\n')
    (problem,) = raised.value.problems
    assert problem.message == "Patch line 1: The diff can't be read as edits: x⟨U+001B⟩ is a binary file."


def test_a_long_file_of_a_diff_is_cut_to_a_number_of_characters() -> None:
    section = FileSection("a", "a", line_hunks("1\n2\n3\n4\n", "1\ntwo\n3\n4\n"))
    assert cut_section(section, 100) == section
    (hunk,) = cut_section(section, 6).hunks
    assert hunk.lines == (" 1\n", "-2\n")
    (hunk,) = cut_section(section, 8).hunks
    assert hunk.lines == (" 1\n", "-2\n", "+t…\n")
