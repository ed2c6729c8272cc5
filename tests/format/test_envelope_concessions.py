"""Envelopes as models write them: text around them, other markers, lines without their prefix."""

from __future__ import annotations

import pytest
from tests.shared.envelopes import INNER, concessions_of, errors, every_dialect, hunks, lenient_dialects, update_of
from tests.shared.sites import envelope

from suture import AddFile, Concession, DeleteFile, Hunk, Patch, PatchInvalidError, parse

# What surrounds the envelope.


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
    assert concessions_of(text) == names


def test_codex_takes_white_space_and_a_heredoc() -> None:
    assert parse(f"\n  \n{INNER}\n \n", "codex") == Patch((DeleteFile("a"),))
    assert concessions_of(f"<<'EOF'\n{INNER}EOF\n", "codex") == [("heredoc", 1)]
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
    assert concessions_of(text) == [("several_envelopes", 6)]


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
    assert parse(envelope("*** Environment ID: box 7", "*** Delete File: a"), "codex") == patch
    assert errors(envelope("*** Environment ID: box", "*** Delete File: a"), "opencode")[0] == (
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
    assert concessions_of(envelope(spelling)) == [("marker_spelling", 2)]
    assert errors(envelope(spelling, "*** Delete File: b"), "codex")[0] == (2, spelling)


@lenient_dialects
def test_white_space_around_markers_is_tolerated(dialect: str) -> None:
    text = "  *** Begin Patch  \n\t*** Delete File: a\n *** End Patch\t\n"
    assert parse(text, dialect) == Patch((DeleteFile("a"),))
    assert concessions_of(text, dialect) == [("padded_marker", 1), ("padded_marker", 2), ("padded_marker", 3)]


@lenient_dialects
def test_carriage_returns_are_taken_off(dialect: str) -> None:
    text = update_of("@@ f", " a", "-b", "+c").replace("\n", "\r\n")
    assert hunks(text, dialect) == (Hunk((" a", "-b", "+c"), ("f",)),)
    assert concessions_of(text, dialect) == [("crlf", 1)]


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
    assert concessions_of(text, dialect) == [("bare_blank_line", 5)]


def test_a_line_without_prefix_is_context() -> None:
    text = update_of("@@", "def f():", "-  b", "\tc")
    assert hunks(text) == (Hunk((" def f():", "-  b", " \tc")),)
    assert concessions_of(text) == [("bare_line", 4), ("bare_line", 6)]
    assert errors(text, "codex")[0] == (4, "def f():")


def test_strict_takes_no_line_without_prefix() -> None:
    assert errors(update_of("@@", "-a", "", "b"), "strict")[0] == (5, "")


def test_an_added_file_may_have_no_prefix_on_any_line() -> None:
    text = envelope("*** Add File: a", "one", "", "  two", "*** Delete File: b")
    assert parse(text) == Patch((AddFile("a", "one\n\n  two\n"), DeleteFile("b")))
    assert concessions_of(text) == [("bare_add_body", 3)]


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
    assert concessions_of(text) == [("unified_file_header", 3), ("unified_hunk_header", 5)]


@pytest.mark.parametrize("lines", [("-- a/a.txt", "+++ b"), ("@@", "--- a", "+++ b"), ("--- a/a.txt", " +++ b")])
def test_file_lines_are_headers_only_right_below_the_update_and_as_a_pair(lines: tuple[str, ...]) -> None:
    (hunk,) = hunks(update_of(*lines))
    assert len(hunk.lines) == 2
