"""Reading an envelope: the grammar, the dialects' choices, the errors with their lines."""

from __future__ import annotations

import pytest

from suture import DIALECTS, AddFile, Concession, DeleteFile, Hunk, Patch, PatchInvalidError, UpdateFile, parse
from suture.format import PatchParser

NO_NEWLINE = "\\ No newline at end of file"
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
lenient_dialects = pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def update_of(*lines: str) -> str:
    return envelope("*** Update File: a.txt", *lines)


def hunks(text: str, dialect: str = "standard") -> tuple[Hunk, ...]:
    (operation,) = parse(text, dialect).operations
    assert isinstance(operation, UpdateFile)
    return operation.hunks


def errors(text: str, dialect: str = "standard") -> list[tuple[object, object]]:
    """The line of every error, and what stood there."""
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, dialect)
    for problem in raised.value.problems:
        assert problem.code == "patch_parse_error"
        expected = problem.details["expected"]
        assert isinstance(expected, list)
        assert expected
        assert all(choice in problem.message for choice in expected)
        assert f"Patch line {problem.details['line']}" in problem.message
    return [(problem.details["line"], problem.details["found"]) for problem in raised.value.problems]


def noted(text: str, dialect: str = "standard") -> list[tuple[str, int]]:
    return [(concession.name, concession.line) for concession in parse(text, dialect).concessions]


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
    assert ("padded_marker", 6) in noted(text, dialect)


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


# What stands around the envelope.

INNER = envelope("*** Delete File: a")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (INNER, []),
        (f"\n\n{INNER}\n\n", []),
        (f"Here you are:\n\n{INNER}\nDone.\n", [("prose", 1), ("prose", 7)]),
        (f"```patch\n{INNER}```\n", [("fence", 1), ("fence", 5)]),
        (f"~~~\n{INNER}~~~\n", [("fence", 1), ("fence", 5)]),
        (f"apply_patch <<'EOF'\n{INNER}EOF\n", [("heredoc", 1)]),
        (f"<<EOF\n{INNER}EOF\n", [("heredoc", 1)]),
        (f"apply_patch\n{INNER}", [("command", 1)]),
        (f"Look:\n```\n{INNER}```\n", [("prose", 1), ("fence", 2), ("fence", 6)]),
    ],
)
def test_standard_tolerates_text_around_the_envelope_and_notes_it(text: str, names: list[tuple[str, int]]) -> None:
    assert parse(text) == Patch((DeleteFile("a"),))
    assert noted(text) == names


def test_codex_takes_white_space_and_a_heredoc() -> None:
    assert parse(f"\n  \n{INNER}\n \n", "codex") == Patch((DeleteFile("a"),))
    assert noted(f"<<'EOF'\n{INNER}EOF\n", "codex") == [("heredoc", 1)]
    assert errors(f"Here you are:\n{INNER}", "codex") == [(1, "Here you are:")]
    assert errors(f"```\n{INNER}```\n", "codex")[0] == (1, "```")
    assert errors(f"{INNER}Done.\n", "codex") == [(4, "Done.")]
    assert errors(f"<<'EOF'\n{INNER}EOF\nrm -rf x\n", "codex") == [(6, "rm -rf x")]


def test_opencode_looks_for_the_markers() -> None:
    assert parse(f"Here you are:\n{INNER}Done.\n", "opencode") == Patch((DeleteFile("a"),))


@pytest.mark.parametrize("text", [f"\n{INNER}", f"{INNER}\n", f"x\n{INNER}", f"{INNER}x\n"])
def test_strict_takes_nothing_around_the_envelope(text: str) -> None:
    assert len(errors(text, "strict")) == 1


def test_strict_takes_a_text_with_or_without_a_final_newline() -> None:
    assert parse(INNER, "strict") == parse(INNER.rstrip("\n"), "strict") == Patch((DeleteFile("a"),))


def test_several_envelopes_are_one_patch() -> None:
    text = INNER + "\n\n" + envelope("*** Delete File: b")
    assert parse(text) == Patch((DeleteFile("a"), DeleteFile("b")))
    assert noted(text) == [("several_envelopes", 6)]


@pytest.mark.parametrize("dialect", ["codex", "strict"])
def test_only_standard_takes_several_envelopes(dialect: str) -> None:
    assert errors(INNER + envelope("*** Delete File: b"), dialect)[0] == (4, "*** Begin Patch")


def test_an_envelope_that_follows_other_text_is_an_error() -> None:
    """SPEC §3: "several envelopes one after another with nothing but white space between"."""
    assert errors(INNER + "And then:\n" + INNER)[0] == (5, "*** Begin Patch")


def test_an_environment_is_kept_on_the_patch() -> None:
    patch = parse(envelope("*** Environment ID: box 7", "*** Delete File: a"))
    assert patch == Patch((DeleteFile("a"),), "box 7")
    assert patch.concessions == (Concession("environment_id", 2),)
    assert errors(envelope("*** Environment ID: box", "*** Delete File: a"), "codex")[0] == (
        2,
        "*** Environment ID: box",
    )
    assert errors(envelope("*** Delete File: a", "*** Environment ID: box"))[0] == (3, "*** Environment ID: box")


# Markers as models write them.


@pytest.mark.parametrize(
    "spelling",
    ["*** delete file: a", "***Delete File: a", "*** DELETE FILE: a", "*** Delete file: a", "***  Delete  File: a"],
)
def test_markers_may_have_other_capitals_or_no_blank(spelling: str) -> None:
    assert parse(envelope(spelling)) == Patch((DeleteFile("a"),))
    assert noted(envelope(spelling)) == [("marker_spelling", 2)]
    assert errors(envelope(spelling, "*** Delete File: b"), "codex")[0] == (2, spelling)


@lenient_dialects
def test_white_space_around_markers_is_tolerated(dialect: str) -> None:
    text = "  *** Begin Patch  \n\t*** Delete File: a\n *** End Patch\t\n"
    assert parse(text, dialect) == Patch((DeleteFile("a"),))
    assert noted(text, dialect) == [("padded_marker", 1), ("padded_marker", 2), ("padded_marker", 3)]


@lenient_dialects
def test_carriage_returns_are_taken_off(dialect: str) -> None:
    text = update_of("@@ f", " a", "-b", "+c").replace("\n", "\r\n")
    assert hunks(text, dialect) == (Hunk((" a", "-b", "+c"), ("f",)),)
    assert noted(text, dialect) == [("crlf", 1)]


def test_strict_takes_no_carriage_returns_at_markers() -> None:
    assert errors(INNER.replace("\n", "\r\n"), "strict")[0] == (1, "*** Begin Patch\r")


def test_blank_lines_between_sections_are_layout() -> None:
    text = envelope("", "*** Delete File: a", "", "  ", "*** Delete File: b", "")
    assert parse(text) == Patch((DeleteFile("a"), DeleteFile("b")))
    assert errors(text, "strict")[0][0] == 2


# Lines without their prefix.


@lenient_dialects
def test_a_blank_line_without_prefix_is_blank_context(dialect: str) -> None:
    text = update_of("@@", " a", "", "-b")
    assert hunks(text, dialect) == (Hunk((" a", " ", "-b")),)
    assert noted(text, dialect) == [("bare_blank_line", 5)]


def test_a_line_without_prefix_is_context() -> None:
    text = update_of("@@", "def f():", "-  b", "\tc")
    assert hunks(text) == (Hunk((" def f():", "-  b", " \tc")),)
    assert noted(text) == [("bare_line", 4), ("bare_line", 6)]
    assert errors(text, "codex")[0] == (4, "def f():")


def test_strict_takes_no_line_without_prefix() -> None:
    assert errors(update_of("@@", "-a", "", "b"), "strict")[0] == (5, "")


def test_an_added_file_may_have_no_prefix_on_any_line() -> None:
    text = envelope("*** Add File: a", "one", "", "  two", "*** Delete File: b")
    assert parse(text) == Patch((AddFile("a", "one\n\n  two\n"), DeleteFile("b")))
    assert noted(text) == [("bare_add_body", 3)]


@every_dialect
def test_an_added_file_with_a_mix_is_an_error(dialect: str) -> None:
    """SPEC §3: "an Add body without its `+` (all lines, not a mix)"."""
    assert errors(envelope("*** Add File: a", "+one", "two", "+three"), dialect)[0] == (4, "two")


def test_blank_lines_without_prefix_inside_an_added_file_are_read_or_refused_and_never_lost() -> None:
    try:
        patch = parse(envelope("*** Add File: a", "+one", "", "+two"))
    except PatchInvalidError as invalid:
        lines = [problem.details["line"] for problem in invalid.problems]
    else:
        assert patch == Patch((AddFile("a", "one\n\ntwo\n"),))
        lines = [concession.line for concession in patch.concessions]
    assert lines == [4]


@pytest.mark.parametrize("dialect", ["codex", "opencode", "strict"])
def test_only_standard_adds_a_file_without_prefixes(dialect: str) -> None:
    assert errors(envelope("*** Add File: a", "one"), dialect)[0] == (3, "one")


@lenient_dialects
def test_blank_lines_behind_an_added_file_are_layout(dialect: str) -> None:
    assert parse(envelope("*** Add File: a", "+x", "", "*** Delete File: b"), dialect).operations[1] == DeleteFile("b")


def test_the_file_lines_of_a_unified_diff_are_left_out() -> None:
    text = update_of("--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@", "-x", "+y")
    assert hunks(text) == (Hunk(("-x", "+y"), line_hint=1),)
    assert noted(text) == [("unified_file_header", 3), ("unified_hunk_header", 5)]


@pytest.mark.parametrize("lines", [("-- a/a.txt", "+++ b"), ("@@", "--- a", "+++ b"), ("--- a/a.txt", " +++ b")])
def test_file_lines_are_headers_only_right_below_the_update_and_as_a_pair(lines: tuple[str, ...]) -> None:
    (hunk,) = hunks(update_of(*lines))
    assert len(hunk.lines) == 2


# Errors.


@pytest.mark.parametrize(
    ("text", "dialect", "found"),
    [
        ("", "standard", [(1, "")]),
        ("hello\n", "standard", [(1, "hello")]),
        ("*** Update File: a\n", "codex", [(1, "*** Update File: a")]),
        (envelope(), "standard", [(2, "*** End Patch")]),
        (envelope("junk"), "standard", [(2, "junk")]),
        (envelope("*** Frobnicate: a"), "standard", [(2, "*** Frobnicate: a")]),
        (envelope("*** Begin Patch", "*** Delete File: a"), "standard", [(2, "*** Begin Patch")]),
        (envelope("*** Move to: a"), "standard", [(2, "*** Move to: a")]),
        (envelope("*** Move File: a -> b"), "codex", [(2, "*** Move File: a -> b")]),
        (envelope("*** Update File: a", "*** Move to: b", "@@", "-x"), "strict", [(3, "*** Move to: b")]),
        (envelope("*** End of File"), "standard", [(2, "*** End of File")]),
        (update_of(), "standard", [(2, "*** Update File: a.txt")]),
        (update_of("@@"), "standard", [(3, "@@")]),
        (update_of("@@ f", "@@ g"), "standard", [(3, "@@ f")]),
        (update_of("@@", "@@", "-x"), "strict", [(3, "@@")]),
        (update_of("*** End of File"), "standard", [(3, "*** End of File")]),
        (update_of("@@", "*** End of File"), "standard", [(4, "*** End of File"), (3, "@@")]),
        (update_of("@@", "-x", "*** End of File"), "strict", [(5, "*** End of File")]),
        (update_of("@@", "-x", "*** End of File", "-y"), "standard", [(6, "-y")]),
        (update_of("@@", "-x", "*** Move to: b"), "standard", [(5, "*** Move to: b")]),
        (update_of("@@", "-x", "*** Frobnicate"), "standard", [(5, "*** Frobnicate")]),
        (envelope("*** Add File: a", "+x", "*** Frobnicate"), "standard", [(4, "*** Frobnicate")]),
        (envelope("*** Delete File: a", "+x"), "standard", [(3, "+x")]),
    ],
)
def test_an_error_names_its_line_and_what_stood_there(text: str, dialect: str, found: list[tuple[int, str]]) -> None:
    assert sorted(errors(text, dialect)) == sorted(found)


@every_dialect
@pytest.mark.parametrize(
    "text",
    [
        "*** Begin Patch\n",
        "*** Begin Patch\n*** Delete File: a\n",
        "*** Begin Patch\n*** Add File: a\n+x\n",
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n",
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Pat",
    ],
)
def test_an_envelope_that_never_closes_is_an_error(dialect: str, text: str) -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, dialect)
    assert any("cut off" in problem.message or "End Pat" in problem.message for problem in raised.value.problems)


def test_all_errors_that_can_be_told_apart_are_reported() -> None:
    """SPEC §3: "All errors that can be told apart are reported, not only the first." """
    text = envelope(
        "junk",
        "more junk",
        "*** Add File: a",
        "+x",
        "y",
        "*** Update File: b",
        "*** Update File: c",
        "@@",
        "*** Move File: d",
        "*** Delete File: e",
    )
    assert [line for line, _ in errors(text)] == [2, 6, 7, 9, 10]


def test_errors_come_in_the_order_of_their_lines() -> None:
    text = envelope("*** Update File: a", "@@", "*** End of File", "*** Frobnicate", "*** Add File: b", "+x", "y")
    lines = [line for line, _ in errors(text)]
    assert lines == sorted(lines)  # type: ignore[type-var]


def test_behind_an_error_reading_goes_on_at_the_next_header() -> None:
    assert errors(update_of("@@", "-x", "*** Frobnicate", "lost", "*** Frobnicate: again")) == [
        (5, "*** Frobnicate"),
        (7, "*** Frobnicate: again"),
    ]


def test_a_long_line_is_shortened_in_the_message_and_whole_in_the_details() -> None:
    line = "*** " + "x" * 10_000
    with pytest.raises(PatchInvalidError) as raised:
        parse(envelope(line))
    (problem,) = raised.value.problems
    assert len(problem.message) < 400
    assert problem.details["found"] == line


def test_a_dialect_that_does_not_exist_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="expected one of the dialects standard, codex, opencode, strict; found 'x'"):
        parse(INNER, "x")


@pytest.mark.parametrize(
    ("text", "dialect", "corrected"),
    [
        ("*** Update File: a\n@@\n-x\n*** End Patch", "standard", "*** Begin Patch"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", "standard", "*** Update File: x"),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n", "standard", "*** Add File: x"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n", "codex", "*** Delete File: x"),
        (envelope("*** Create File: x", "+y"), "standard", "*** Add File: x"),
        (envelope("*** Remove File: x"), "standard", "*** Delete File: x"),
        (envelope("*** Rename File: x -> y"), "standard", "*** Move File: x -> y"),
        (envelope("*** Move File: x -> y"), "codex", "*** Update File: x"),
        (envelope("*** Update File: x", "*** Move to: y"), "strict", "*** Move File: x -> y"),
        (envelope("*** Add File: x", "*** Move to: y"), "standard", "*** Add File: y"),
        (envelope("*** Delete File: x", "-line"), "standard", "*** Update File: x"),
        (envelope("@@", "-line"), "standard", "*** Update File: "),
        (envelope("*** Add File: x", "+one", "two"), "standard", "+two"),
        (INNER.replace("\n", "\r\n"), "strict", "*** Begin Patch"),
        ('{"patch": "*** Begin Patch\\n*** Delete File: a\\n', "standard", "*** Begin Patch"),
        ("```*** Begin Patch\n*** Delete File: a\n*** End Patch", "standard", "*** Begin Patch"),
        (" *** Begin Patch\n*** Delete File: a\n*** End Patch", "strict", "*** Begin Patch"),
        (envelope(" *** Delete File: a"), "strict", "*** Delete File: a"),
        (envelope("*** delete file: a"), "codex", "*** Delete File: a"),
    ],
)
def test_a_corrected_form_is_given_where_there_is_one(text: str, dialect: str, corrected: str) -> None:
    """SPEC §3: "refused, with the line and a corrected form where there is one"."""
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, dialect)
    assert corrected in raised.value.for_model()


# Limits.


def test_a_text_beyond_the_limit_is_an_error() -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse(INNER, max_size=len(INNER) - 1)
    assert [problem.details for problem in raised.value.problems] == [{"size": len(INNER), "limit": len(INNER) - 1}]
    assert parse(INNER, max_size=len(INNER)) == Patch((DeleteFile("a"),))


def test_a_stream_beyond_the_limit_keeps_nothing_more() -> None:
    parser = PatchParser(max_size=40)
    parser.feed("*** Begin Patch\n*** Delete File: a\n")
    for _ in range(10):
        parser.feed("*** Delete File: b\n")
    assert parser.operations == (DeleteFile("a"),)
    with pytest.raises(PatchInvalidError) as raised:
        parser.close()
    assert len(raised.value.problems) == 1


def test_more_sections_than_allowed_are_an_error() -> None:
    text = envelope("*** Delete File: a", "*** Delete File: b", "*** Delete File: c")
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, max_sections=2)
    assert [problem.details["line"] for problem in raised.value.problems] == [4]
    assert len(parse(text, max_sections=3).operations) == 3


# The stream.


def test_the_operations_known_so_far_can_be_looked_at_while_the_text_arrives() -> None:
    parser = PatchParser()
    seen = []
    for piece in (
        "Here you are:\n*** Begin Pat",
        "ch\n*** Add File: a\n+o",
        "ne\n+two",
        "\n*** Update File: b\n@@ f\n",
        "-x\n+y\n@@\n-z\n",
        "*** Delete File: c\n",
        "*** End Patch\n",
    ):
        parser.feed(piece)
        seen.append(parser.operations)
    one = Hunk(("-x", "+y"), ("f",))
    two = Hunk(("-z",))
    assert seen == [
        (),
        (AddFile("a", ""),),
        (AddFile("a", "one\n"),),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b")),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two))),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two)), DeleteFile("c")),
        (AddFile("a", "one\ntwo\n"), UpdateFile("b", (one, two)), DeleteFile("c")),
    ]
    assert parser.close() == Patch(seen[-1])


def test_the_file_lines_of_a_unified_diff_are_not_shown_in_a_preview() -> None:
    """SPEC §3: "the operations known so far, for live previews": what the patch never says is not shown."""
    parser = PatchParser()
    parser.feed("*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n")
    assert parser.operations == (UpdateFile("a"),)


def test_feeding_nothing_changes_nothing() -> None:
    parser = PatchParser()
    for piece in ("", "*** Begin Patch", "", "\n*** Delete File: a\n", "", "*** End Patch", ""):
        parser.feed(piece)
    assert parser.close() == Patch((DeleteFile("a"),))
