"""`update`: text in, text out, with a Match for each hunk."""

from __future__ import annotations

import subprocess
import sys

import pytest

from suture import DIALECTS, Concession, Dialect, Hunk, PatchRejectedError, UpdateFile, parse, update
from suture.apply import Match, Update

TEXT = "one = 1\ntwo = 2\nthree = 3\n"


def first_match(text: str, hunk: Hunk, dialect: str = "standard") -> Match:
    return update(text, [hunk], dialect=dialect).matches[0]


def test_str_gives_str_and_bytes_give_bytes() -> None:
    hunk = Hunk(("-two = 2", "+2"))
    assert update(TEXT, [hunk]).text == "one = 1\n2\nthree = 3\n"
    assert update(TEXT.encode(), [hunk]).text == b"one = 1\n2\nthree = 3\n"
    assert type(update(TEXT, [hunk]).text) is str
    assert type(update(TEXT.encode(), [hunk]).text) is bytes


def test_hunks_may_come_from_any_iterable() -> None:
    assert update(TEXT, (hunk for hunk in [Hunk(("-two = 2", "+2"))])).text == "one = 1\n2\nthree = 3\n"


def test_a_patch_is_read_and_applied() -> None:
    patch = parse("*** Begin Patch\n*** Update File: a\n@@\n one = 1\n-two = 2\n+2\n*** End Patch\n")
    operation = patch.operations[0]
    assert isinstance(operation, UpdateFile)
    assert update(TEXT, operation.hunks).text == "one = 1\n2\nthree = 3\n"


def test_a_match_says_where_how_and_at_what_price() -> None:
    match = first_match(TEXT, Hunk((" one = 1", "-two = 2", "+2"), line=7))
    assert (match.hunk, match.start, match.end, match.tier, match.score) == (1, 1, 2, "exact", 1.0)
    assert (match.concessions, match.rivals) == ((), ())


def test_a_loose_match_concedes_its_tier_on_the_hunks_line() -> None:
    match = first_match(TEXT, Hunk(("-two = 2  ", "+2"), line=7))
    assert (match.tier, match.concessions) == ("trailing", (Concession("trailing", 7),))


@pytest.mark.parametrize(
    ("text", "hunk", "lines"),
    [
        (TEXT, Hunk(("-two = 2",)), (2, 2)),
        (TEXT, Hunk((" two = 2", "-three = 3")), (2, 3)),
        (TEXT, Hunk((" one = 1", "+new", " two = 2")), (1, 2)),
        (TEXT, Hunk(("+new",), ("one = 1",)), (2, 1)),
        (TEXT, Hunk(("+new",), at_end=True), (4, 3)),
        (TEXT.rstrip("\n"), Hunk(("+new",), at_end=True), (4, 3)),
        (TEXT.rstrip("\n"), Hunk(("-three = 3",)), (3, 3)),
        ("", Hunk(("+new",)), (1, 0)),
        (TEXT.replace("\n", "\r\n"), Hunk(("-three = 3",)), (3, 3)),
    ],
)
def test_a_match_covers_lines_from_one(text: str, hunk: Hunk, lines: tuple[int, int]) -> None:
    match = first_match(text, hunk)
    assert (match.start, match.end) == lines


def test_a_similar_match_covers_the_files_lines() -> None:
    text = "zero line\nfirst line\nsecond line\nthird line\nfourth line\nfifth line\nsixth line\n"
    hunk = Hunk((" zero line", " first line", " third line", " fourth line", "-fifth line", "+x", " sixth line"))
    match = first_match(text, hunk)
    assert (match.tier, match.start, match.end) == ("similar", 1, 7)


def test_matches_compare_by_value() -> None:
    one, other = (first_match(TEXT, Hunk(("-two = 2", "+2"))) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != first_match(TEXT, Hunk(("-one = 1", "+2")))
    assert one != "match"
    assert repr(one) == "Match(hunk=1, start=2, end=2, tier='exact', concessions=(), score=1.0, rivals=())"


def test_a_match_cannot_be_changed() -> None:
    """The public interface: "All values are frozen and compare by value." """
    match = first_match(TEXT, Hunk(("-two = 2", "+2")))
    with pytest.raises(AttributeError):
        match.tier = "similar"  # type: ignore[misc]


def test_an_update_is_a_value() -> None:
    done = update(TEXT, [Hunk(("-two = 2", "+2"))])
    assert done == Update(done.text, done.matches)
    assert done == update(TEXT, [Hunk(("-two = 2", "+2"))])


def test_a_dialect_may_be_given_by_name_or_as_a_value() -> None:
    hunk = Hunk(("-two = 2", "+2"))
    assert update(TEXT, [hunk], dialect="codex") == update(TEXT, [hunk], dialect=DIALECTS["codex"])
    with pytest.raises(ValueError, match="expected one of the dialects"):
        update(TEXT, [hunk], dialect="x")


def test_a_dialect_of_ones_own_is_a_changed_one() -> None:
    mine = DIALECTS["standard"].replace(name="mine", tiers=("exact", "trailing"))
    assert isinstance(mine, Dialect)
    assert update(TEXT, [Hunk(("-two = 2 ", "+2"))], dialect=mine).text == "one = 1\n2\nthree = 3\n"
    with pytest.raises(PatchRejectedError):
        update(TEXT, [Hunk(("-  two = 2", "+2"))], dialect=mine)


@pytest.mark.parametrize(
    ("tier", "line"),
    [
        ("exact", "say 'two' – 2"),
        ("trailing", "say 'two' – 2 "),
        ("indent", "  say 'two' – 2"),
        ("punctuation", "say ‘two’ - 2"),
        ("whitespace", "say  'two' –\t2"),
        ("escapes", "say \\'two\\' – 2"),
    ],
)
@pytest.mark.parametrize(
    ("dialect", "tiers"),
    [("standard", 6), ("codex", 4), ("opencode", 4), ("strict", 1)],
)
def test_each_dialect_has_its_tiers(tier: str, line: str, dialect: str, tiers: int) -> None:
    """SPEC §2: "tiers of equality": all; exact, trailing, indent, punctuation; as codex; exact."""
    text = "one = 1\nsay 'two' – 2\nthree = 3\n"
    allowed = ("exact", "trailing", "indent", "punctuation", "whitespace", "escapes")[:tiers]
    if tier in allowed:
        assert first_match(text, Hunk((f"-{line}", "+x")), dialect).tier == tier
    else:
        with pytest.raises(PatchRejectedError):
            update(text, [Hunk((f"-{line}", "+x"))], dialect=dialect)


def test_the_hunks_and_the_text_are_left_as_they_were() -> None:
    hunks = [Hunk(("-  two = 2", "+  2"))]
    before = repr(hunks)
    update(TEXT, hunks)
    assert repr(hunks) == before


@pytest.mark.parametrize("line", ["", "x", "\tx", "*x"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_line_of_a_hunk_without_its_prefix_is_refused_and_no_crash(line: str, dialect: str) -> None:
    """SPEC §12: "No input hangs or crashes it.": also a hunk that no parser made."""
    with pytest.raises((PatchRejectedError, ValueError)):
        update("x\n", [Hunk((line, "+y"))], dialect=dialect)


@pytest.mark.parametrize("line", [" a\nb", "-a\nb", "+a\nb", "-a\r\nb"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_line_of_a_hunk_with_an_ending_in_it_is_refused(line: str, dialect: str) -> None:
    """One line of a hunk is one line of the file: a Match would cover other lines than it says."""
    with pytest.raises((PatchRejectedError, ValueError)):
        update("a\nb\nc\n", [Hunk((line, " c", "+new"))], dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("content", [b"one\ntwo\n", b"one\ntwo", b"\xef\xbb\xbfone\ntwo\n"])
def test_bytes_that_can_be_changed_are_taken_as_bytes_are(content: bytes, dialect: str) -> None:
    hunks = [Hunk(("-one", "+1"))]
    done = update(bytearray(content), hunks, dialect=dialect)  # type: ignore[arg-type]
    assert done == update(content, hunks, dialect=dialect)
    assert type(done.text) is bytes


def test_bytes_are_never_compared_with_text() -> None:
    """Which is an error with `python -bb`."""
    code = "from suture import DIALECTS, Hunk, update\n"
    for content in (b"one\ntwo\n", b"one\ntwo", "one\ntwo"):
        code += f"for name in DIALECTS: update({content!r}, [Hunk(('-one', '+1'))], dialect=name)\n"
    subprocess.run([sys.executable, "-bb", "-c", code], check=True)
