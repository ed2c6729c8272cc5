"""Reading an envelope: the grammar, the ends of files, the paths."""

from __future__ import annotations

import pytest
from tests.shared.envelopes import concessions_of, errors, every_dialect, hunks, lenient_dialects, update_of
from tests.shared.sites import envelope

from suture import AddFile, DeleteFile, Hunk, Patch, UpdateFile, parse

NO_NEWLINE = "\\ No newline at end of file"


# The grammar.


def test_all_operations_are_read_in_order() -> None:
    text = envelope(
        "*** Add File: new.txt",
        "+one",
        "+",
        "*** Delete File: old.txt",
        "*** Update File: src/a.py",
        "*** Move to: src/b.py",
        "@@ class A",
        "@@ def m(self):",
        " context",
        "-old",
        "+new",
        "@@",
        "-last",
        "*** End of File",
    )
    first = Hunk((" context", "-old", "+new"), ("class A", "def m(self):"))
    assert parse(text) == Patch(
        (
            AddFile("new.txt", "one\n\n"),
            DeleteFile("old.txt"),
            UpdateFile("src/a.py", (first, Hunk(("-last",), at_end=True)), "src/b.py"),
        )
    )
    assert parse(text).concessions == ()
    assert parse(text, "codex") == parse(text)


def test_operations_and_hunks_know_where_they_stand() -> None:
    patch = parse(envelope("*** Delete File: a", "*** Update File: b", "@@ f", "-x", "@@", "-y", "*** Add File: c"))
    assert [operation.line for operation in patch.operations] == [2, 3, 8]
    updated = patch.operations[1]
    assert isinstance(updated, UpdateFile)
    assert [hunk.line for hunk in updated.hunks] == [4, 6]


@every_dialect
def test_an_empty_file_may_be_added(dialect: str) -> None:
    assert parse(envelope("*** Add File: a"), dialect) == Patch((AddFile("a", ""),))


def test_a_pure_rename_is_legal() -> None:
    """SPEC §1: "Empty added files and pure renames (`move_to` and no hunks) are legal." """
    moved = Patch((UpdateFile("a", (), "b"),))
    assert parse(envelope("*** Update File: a", "*** Move to: b")) == moved
    assert parse(envelope("*** Move File: a -> b")) == moved
    assert parse(envelope("*** Move File: a -> b"), "strict") == moved


def test_a_moved_file_may_have_hunks() -> None:
    moved = Patch((UpdateFile("a", (Hunk(("-x", "+y")),), "b"),))
    assert parse(envelope("*** Move File: a -> b", "@@", "-x", "+y"), "strict") == moved
    assert parse(envelope("*** Move File: a -> b", "@@", "-x", "+y")) == moved


@lenient_dialects
def test_the_first_hunk_may_do_without_its_header(dialect: str) -> None:
    assert hunks(update_of(" a", "-b"), dialect) == (Hunk((" a", "-b")),)


def test_strict_wants_a_header_for_every_hunk() -> None:
    assert errors(update_of(" a", "-b"), "strict") == [(3, " a")]


@every_dialect
def test_a_line_with_a_prefix_is_never_a_marker(dialect: str) -> None:
    """SPEC §3: "Inside an update, a line that starts with a space, `+` or `-` is never a marker"."""
    lines = (" *** End Patch", "-*** Update File: x", "+@@ y", " @@ z", " *** End of File", "- \\ No newline", "+```")
    assert hunks(update_of("@@", *lines), dialect) == (Hunk(lines),)


@lenient_dialects
@pytest.mark.parametrize("tail", ["", "\n", "\n\n  \n"])
def test_the_last_line_that_is_not_blank_may_be_a_padded_end(dialect: str, tail: str) -> None:
    """SPEC §3: "the one exception is the text's last non-blank line, which may be a padded `*** End Patch`"."""
    text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n  *** End Patch" + tail
    assert hunks(text, dialect) == (Hunk(("-x", "+y")),)
    assert ("padded_marker", 6) in concessions_of(text, dialect)


def test_a_padded_end_that_is_not_the_last_line_is_context() -> None:
    assert hunks(update_of("@@", " *** End Patch", "-x")) == (Hunk((" *** End Patch", "-x")),)


def test_the_last_of_two_padded_ends_is_the_marker() -> None:
    text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n *** End Patch\n *** End Patch"
    assert hunks(text) == (Hunk(("-x", " *** End Patch")),)


def test_strict_takes_no_padded_end() -> None:
    text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n *** End Patch"
    assert [line for line, _ in errors(text, "strict")] == [6]


@lenient_dialects
def test_several_anchors_may_be_stacked(dialect: str) -> None:
    assert hunks(update_of("@@ class A", "@@   def m():", "@@", "-x"), dialect) == (
        Hunk(("-x",), ("class A", "  def m():")),
    )


def test_strict_keeps_the_text_after_the_header_as_information() -> None:
    assert hunks(update_of("@@ anything", "-x"), "strict") == (Hunk(("-x",), ("anything",)),)


@pytest.mark.parametrize(
    ("header", "anchors", "hint"),
    [
        ("@@", (), None),
        ("@@ ", (), None),
        ("@@ f", ("f",), None),
        ("@@ f  ", ("f",), None),
        ("@@   f", ("  f",), None),
        ("@@f", ("f",), None),
        ("@@ -1,3 +1,4 @@", (), 1),
        ("@@ -12 +12 @@", (), 12),
        ("@@ -1,3 +1,4 @@ def f():", ("def f():",), 1),
        ("@@ -1,3 +1,4 @@     def f():", ("    def f():",), 1),
        ("@@ -0,0 +1 @@", (), 0),
        ("@@ f @@", ("f",), None),
        ("@@ a @@ b", ("a @@ b",), None),
        ("@@ -x", ("-x",), None),
    ],
)
def test_the_text_after_a_header_is_an_anchor_and_its_numbers_a_hint(
    header: str, anchors: tuple[str, ...], hint: int | None
) -> None:
    assert hunks(update_of(header, "-x")) == (Hunk(("-x",), anchors, line_hint=hint),)


def test_only_standard_reads_unified_headers() -> None:
    assert hunks(update_of("@@ -1,3 +1,4 @@ f", "-x"), "codex") == (Hunk(("-x",), ("-1,3 +1,4 @@ f",)),)


def test_a_number_that_no_file_has_is_no_crash() -> None:
    (hunk,) = hunks(update_of(f"@@ -{'9' * 5000},1 +1,1 @@ f", "-x"))
    assert hunk.lines == ("-x",)


# No newline at the end.


@pytest.mark.parametrize(
    ("lines", "side"),
    [
        (("-a", NO_NEWLINE, "+b"), "old"),
        (("-a", "+b", NO_NEWLINE), "new"),
        (("-a", NO_NEWLINE, "+b", NO_NEWLINE), "both"),
        ((" a", NO_NEWLINE), "both"),
        (("-b", " a", NO_NEWLINE), "both"),
        (("+b", NO_NEWLINE, "-a", NO_NEWLINE), "both"),
        (("+b", NO_NEWLINE, "-a"), "new"),
        (("+b", "-a", NO_NEWLINE), "old"),
    ],
)
@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_a_hunk_knows_which_side_ends_without_a_newline(lines: tuple[str, ...], side: str, dialect: str) -> None:
    (hunk,) = hunks(update_of("@@", *lines), dialect)
    assert hunk.no_newline == side
    assert hunk.lines == tuple(line for line in lines if line != NO_NEWLINE)


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_codex_has_no_marker_for_a_missing_newline(dialect: str) -> None:
    assert errors(update_of("@@", "-a", "+b", NO_NEWLINE), dialect) == [(6, NO_NEWLINE)]


def test_a_line_behind_the_end_of_its_side_is_an_error() -> None:
    """What can't be read with certainty is refused: both can't be the last line of the file."""
    assert len(errors(update_of("@@", "-a", "+b", NO_NEWLINE, "+c"))) == 1


@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_an_added_file_may_end_without_a_newline(dialect: str) -> None:
    assert parse(envelope("*** Add File: a", "+x", NO_NEWLINE), dialect) == Patch((AddFile("a", "x"),))


def test_a_line_behind_the_end_of_an_added_file_is_an_error() -> None:
    assert errors(envelope("*** Add File: a", "+x", NO_NEWLINE, "+y")) == [(5, "+y")]


@pytest.mark.parametrize(
    ("dialect", "content", "blank_last"),
    [("standard", "x\n", "x\n\n"), ("codex", "x\n", "x\n\n"), ("opencode", "x", "x\n"), ("strict", "x\n", "x\n")],
)
def test_the_final_newline_of_an_added_file_is_the_dialects_choice(dialect: str, content: str, blank_last: str) -> None:
    assert parse(envelope("*** Add File: a", "+x"), dialect) == Patch((AddFile("a", content),))
    assert parse(envelope("*** Add File: a", "+x", "+"), dialect) == Patch((AddFile("a", blank_last),))


# Paths.


@pytest.mark.parametrize(
    ("written", "path", "names"),
    [
        ("a b.txt", "a b.txt", []),
        ("'a.txt'", "a.txt", ["quoted_path"]),
        ('"a.txt"', "a.txt", ["quoted_path"]),
        ("`a.txt`", "a.txt", ["quoted_path"]),
        ("./a.txt", "a.txt", ["dot_path"]),
        ("`./a.txt`", "a.txt", ["quoted_path", "dot_path"]),
        ("  a.txt  ", "a.txt", []),
        (".env", ".env", []),
        ("./.env", ".env", ["dot_path"]),
        ("../a.txt", "../a.txt", []),
        ("./../a.txt", "../a.txt", ["dot_path"]),
        (".../a.txt", ".../a.txt", []),
        ("'a.txt", "'a.txt", []),
        ("a/b", "a/b", []),
    ],
)
def test_a_path_is_read_without_what_models_put_around_it(written: str, path: str, names: list[str]) -> None:
    patch = parse(envelope(f"*** Delete File: {written}"))
    assert patch == Patch((DeleteFile(path),))
    assert [concession.name for concession in patch.concessions] == names


@pytest.mark.parametrize("written", ["././.env", ".//.env", "./././.env"])
def test_a_path_never_becomes_another_files(written: str) -> None:
    (operation,) = parse(envelope(f"*** Delete File: {written}")).operations
    assert operation.path.split("/")[-1] == ".env"
    assert not operation.path.startswith("/")


def test_other_dialects_take_a_path_as_it_is() -> None:
    assert parse(envelope("*** Delete File: ./`a`"), "codex") == Patch((DeleteFile("./`a`"),))
    assert parse(envelope("*** Delete File: ./`a`"), "strict") == Patch((DeleteFile("./`a`"),))


@every_dialect
@pytest.mark.parametrize("header", ["*** Delete File:", "*** Delete File: ", "*** Add File:  ", "*** Update File: "])
def test_a_header_without_a_path_is_an_error(dialect: str, header: str) -> None:
    assert 2 in [line for line, _ in errors(envelope(header, "*** Delete File: b"), dialect)]


def test_a_move_without_a_destination_is_an_error() -> None:
    for header in ("*** Move File: a", "*** Move File: a -> ", "*** Move File: -> b", "*** Move File: a->"):
        assert errors(envelope(header, "*** Delete File: b"))[0] == (2, header)
