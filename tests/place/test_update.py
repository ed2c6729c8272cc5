"""`update`: text in, text out, with a Match for each hunk."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from suture import DIALECTS, Concession, Dialect, Hunk, PatchRejectedError, UpdateFile, parse, update

if TYPE_CHECKING:
    from suture.place import Match

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
    assert done == update(TEXT, [Hunk(("-two = 2", "+2"))])
    assert done != update(TEXT, [Hunk(("-two = 2", "+3"))])
    loose = update(TEXT, [Hunk(("-  two = 2", "+2"))])
    assert deepcopy([done, loose]) == [done, loose]


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


@pytest.mark.parametrize("idle", [Hunk((" ",)), Hunk((" a = 1",)), Hunk(("-a = 1", "+a = 1"))])
def test_a_hunk_that_changes_nothing_beside_one_with_several_places_is_no_error(idle: Hunk) -> None:
    """The blank one was an IndexError."""
    hunk = Hunk(("+new = 4", " a = 1"))
    with pytest.raises(PatchRejectedError) as raised:
        update("a = 1\na = 1\n", [hunk, idle])
    assert "multiple_matches" in [problem.code for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("hunk", "named"),
    [
        (Hunk(()), "not a hunk line: ''."),
        (Hunk(("x",)), "not a hunk line: 'x'."),
        (Hunk(("-a\nb",)), "not a hunk line: '-a\\nb'."),
        (Hunk(("-one = 1",), ("",)), "not an anchor: ''."),
        (Hunk(("-one = 1",), ("a\nb",)), "not an anchor: 'a\\nb'."),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_hunk_that_no_patch_text_could_contain_is_refused(hunk: Hunk, named: str, dialect: str) -> None:
    with pytest.raises(PatchRejectedError, match="Hunk 1 of 1 has a line that is ") as raised:
        update(TEXT, [hunk], dialect=dialect)
    assert raised.value.problems[0].message.endswith(named)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_update_that_is_applied_already_is_skipped_and_no_error(dialect: str) -> None:
    done = update(TEXT, [Hunk(("-two = 1", "+two = 2"))], dialect=dialect, skip_applied=True)
    assert (done.text, done.matches[0].concessions) == (TEXT, (Concession("already_applied"),))


def test_a_skipped_hunk_says_from_where_on_the_next_one_is_only_where_the_first_place_counts() -> None:
    hunks = [Hunk(("-alpha = 1", "+alpha = 2")), Hunk(("-x = 1", "+x = 3"))]
    text = "x = 1\nalpha = 2\nx = 1\n"
    assert update(text, hunks, dialect="codex", skip_applied=True).text == "x = 1\nalpha = 2\nx = 3\n"
    with pytest.raises(PatchRejectedError, match="fits 2 places"):
        update(text, hunks, skip_applied=True)


def test_places_above_the_hunk_before_are_rivals_unless_the_first_place_counts() -> None:
    hunks = [Hunk(("-x = 1", "+x = 2")), Hunk(("-x = 1", "+x = 3"))]
    for dialect, rivals in (("standard", (1,)), ("codex", ())):
        done = update("x = 1\ny = 1\nx = 1\n", hunks, dialect=dialect)
        assert (done.text, done.matches[1].rivals) == ("x = 2\ny = 1\nx = 3\n", rivals)


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_an_anchor_is_looked_for_below_the_hunk_before_where_the_first_place_counts(dialect: str) -> None:
    hunks = [Hunk((f"-{line}",), ("setup()",)) for line in ("x = 1", "y = 1")]
    with pytest.raises(PatchRejectedError, match="Hunk 2 of 2"):
        update("setup()\nx = 1\ny = 1\nsetup()\n", hunks, dialect=dialect)


def test_hunks_that_are_applied_in_another_order_are_refused_where_the_first_place_counts() -> None:
    hunks = [Hunk(("-beta = 1", "+beta = 2")), Hunk(("-alpha = 1", "+alpha = 2"))]
    with pytest.raises(PatchRejectedError, match="Hunk 2 of 2 does not fit"):
        update("alpha = 2\nbeta = 2\n", hunks, dialect="codex", skip_applied=True)


@pytest.mark.parametrize(
    ("lines", "path", "message"),
    [
        (("-one = 1", "+one = 1"), "", "The update of the file changes nothing: it adds the lines that it removes."),
        ((" one = 1",), "a.txt", "The update of a.txt changes nothing: it has only context lines."),
    ],
)
def test_an_update_that_changes_nothing_says_why(lines: tuple[str, ...], path: str, message: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TEXT, [Hunk(lines)], path=path)
    assert raised.value.problems[0].message == message


@pytest.mark.parametrize(("line", "name"), [(0, "Hunk 1 of 1 adds"), (7, "Hunk 1 of 1 (patch line 7) adds")])
def test_a_hunk_is_named_with_its_line_in_the_patch_if_it_has_one(line: int, name: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TEXT, [Hunk(("-one = 1", "+\x07"), line=line)])
    assert raised.value.problems[0].message.startswith(name)


@pytest.mark.parametrize("dialect", ["standard", "codex"])
@pytest.mark.parametrize("allowed", [False, True])
def test_only_a_cautious_dialect_checks_the_syntax(dialect: str, allowed: bool) -> None:
    def edit() -> str:
        hunk = Hunk(('- "a": 1', '+"a": 1,'))
        result: str = update('{\n"a": 1\n}\n', [hunk], path="a.json", dialect=dialect, allow_syntax_errors=allowed).text
        return result

    if dialect == "codex" or allowed:
        assert edit() == '{\n"a": 1,\n}\n'
    else:
        with pytest.raises(PatchRejectedError):
            edit()


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [("one\ntwo\0\n", "one", "binary_file")],
)
def test_a_text_with_nul_bytes_is_not_updated(text: str, line: str, code: str) -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update(text, [Hunk((f"-{line}", "+1"))])
    assert [problem.code for problem in refused.value.problems] == [code]


def test_bytes_with_a_named_encoding_are_decoded_with_it() -> None:
    with pytest.raises(PatchRejectedError, match="utf-7"):
        update(b"x+AGE-\ny\n", [Hunk(("-x+AGE-", "+z"))], encoding="utf-7")
