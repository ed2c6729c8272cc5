"""Errors of an envelope, with their lines and a corrected form, and its limits."""

from __future__ import annotations

import pytest
from tests.shared.envelopes import INNER, errors, every_dialect, update_of
from tests.shared.sites import envelope

from suture import DeleteFile, Patch, PatchInvalidError, parse

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
        (update_of("@@", "*** End of File"), "standard", [(3, "@@")]),
        (update_of("@@", "*** End of File"), "strict", [(3, "@@")]),
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
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", "codex", "*** Update File: x"),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n", "opencode", "*** Add File: x"),
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


def test_more_sections_than_allowed_are_an_error() -> None:
    text = envelope("*** Delete File: a", "*** Delete File: b", "*** Delete File: c")
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, max_sections=2)
    assert [problem.details["line"] for problem in raised.value.problems] == [4]
    assert len(parse(text, max_sections=3).operations) == 3
