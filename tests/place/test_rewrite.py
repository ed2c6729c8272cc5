"""Writing the text: only removed and added lines change, and added ones fit the file."""

from __future__ import annotations

import pytest

from suture import Concession, Hunk, PatchRejectedError, replace, update


def names(concessions: tuple[Concession, ...]) -> list[str]:
    return [concession.name for concession in concessions]


# Context.


@pytest.mark.parametrize(
    ("before", "hunk", "after", "tier"),
    [
        ("a  \nb\n", (" a", "-b", "+c"), "a  \nc\n", "trailing"),
        ("    a = 1\n    b\n", (" a = 1", "-b", "+c"), "    a = 1\n    c\n", "indent"),
        ("say “a”\nb\n", (' say "a"', "-b", "+c"), "say “a”\nc\n", "punctuation"),
        ("f( a,  b )\nb\n", (" f( a, b )", "-b", "+c"), "f( a,  b )\nc\n", "whitespace"),
        ('say "a"\nb\n', (' say \\"a\\"', "-b", "+c"), 'say "a"\nc\n', "escapes"),
        (
            "the first line\nthe second line\nthe third line\nb = 1\n",
            (" the first line", " the secund line", " the third line", "-b = 1", "+c"),
            "the first line\nthe second line\nthe third line\nc\n",
            "similar",
        ),
    ],
)
def test_context_comes_from_the_file_also_where_it_matched_loosely(
    before: str, hunk: tuple[str, ...], after: str, tier: str
) -> None:
    done = update(before, [Hunk(hunk)])
    assert done.text == after
    assert (done.matches[0].tier, done.matches[0].start, done.matches[0].end) == (tier, 1, before.count("\n"))


def test_context_that_the_hunk_lacks_stays() -> None:
    before = "the zeroth line\nthe first line\nthe second line\nthe third line\nthe fourth line\nb = 1\nthe end\n"
    hunk = Hunk(
        (" the zeroth line", " the first line", " the third line", " the fourth line", "-b = 1", "+c", " the end")
    )
    done = update(before, [hunk])
    assert done.text == before.replace("b = 1", "c")
    assert done.matches[0].tier == "similar"


def test_context_that_the_file_lacks_is_not_brought_back() -> None:
    before = "the first line\nthe third line\nthe fourth line\nb = 1\nthe end\nbehind it\n"
    hunk = Hunk(
        (
            " the first line",
            " the second line",
            " the third line",
            " the fourth line",
            "-b = 1",
            "+c",
            " the end",
            " behind it",
        )
    )
    done = update(before, [hunk])
    assert done.text == before.replace("b = 1", "c")
    assert done.matches[0].tier == "similar"


# Indentation.


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        pytest.param("    a = 1\n", ("-a = 1", "+a = 2"), "    a = 2\n", id="lost"),
        pytest.param("a = 1\n", ("-    a = 1", "+    a = 2"), "a = 2\n", id="deepened"),
        pytest.param(
            "        if a:\n            b()\n",
            ("-if a:", "-    b()", "+if a:", "+    if c:", "+        b()"),
            "        if a:\n            if c:\n                b()\n",
            id="lost from a block",
        ),
        pytest.param("\ta = 1\n", ("-    a = 1", "+    a = 2"), "\ta = 2\n", id="spaces for a tab"),
        pytest.param("    a = 1\n", ("-\ta = 1", "+\ta = 2"), "    a = 2\n", id="a tab for spaces"),
        pytest.param(
            "\tif a:\n\t\tb()\n",
            ("-    if a:", "-        b()", "+    if a:", "+        if c:", "+            b()"),
            "\tif a:\n\t\tif c:\n\t\t\tb()\n",
            id="spaces for tabs in a block",
        ),
        pytest.param(
            "  if a:\n    b()\n",
            ("-\tif a:", "-\t\tb()", "+\tif a:", "+\t\tif c:", "+\t\t\tb()"),
            "  if a:\n    if c:\n      b()\n",
            id="tabs for two columns",
        ),
        pytest.param(
            "    a = 1\n    b = 2\n",
            (" a = 1", "+a = 3", " b = 2"),
            "    a = 1\n    a = 3\n    b = 2\n",
            id="told by the context",
        ),
        pytest.param(
            "    a = 1\n    b = 2\n",
            (" a = 1", "-b = 2", "+", "+b = 3"),
            "    a = 1\n\n    b = 3\n",
            id="not a blank line",
        ),
        pytest.param(
            "        a = 1\n        b = 2\n",
            (" a = 1", "-    b = 2", "+    b = 3"),
            "        a = 1\n        b = 3\n",
            id="the removed lines decide",
        ),
        pytest.param(
            "    a = 1\n",
            ("-\ta = 1", "+\ta = 2", "+\t", "+\tb = 3"),
            "    a = 2\n    \n    b = 3\n",
            id="tabs in a blank line",
        ),
        pytest.param(
            "steps:\n    - name: Checkout\n      uses: checkout@v3\n    - name: Build\n",
            (" - name: Checkout", "-  uses: checkout@v3", "+  uses: checkout@v6", " - name: Build"),
            "steps:\n    - name: Checkout\n      uses: checkout@v6\n    - name: Build\n",
            id="as deep as the line it replaces",
        ),
        pytest.param(
            "    if test -n $profile\n        assume $profile\n    end\n",
            (" if test -n $profile", "+    set -l profile sec", "     assume $profile"),
            "    if test -n $profile\n        set -l profile sec\n        assume $profile\n    end\n",
            id="as deep as the line below",
        ),
        pytest.param("f( a,  b)\n    c\n", (" f( a, b)", "-  c", "+  d"), "f( a,  b)\n    d\n", id="whitespace"),
    ],
)
def test_added_lines_get_the_shift_of_the_removed_ones(before: str, hunk: tuple[str, ...], after: str) -> None:
    """SPEC §5: "the shift is what the removed lines say …, or, where there are none, the context lines"."""
    done = update(before, [Hunk(hunk)], path="app.js")
    assert done.text == after
    assert "indentation_shifted" in names(done.matches[0].concessions)


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        pytest.param(
            "    def f():\n        a()\n",
            ("    def f():", "        a()", "+        b()"),
            "    def f():\n        a()\n        b()\n",
            id="context without its prefix",
        ),
        pytest.param(
            "  one()\n  two()\n",
            ("  one()", "+  new()", "  two()"),
            "  one()\n  new()\n  two()\n",
            id="context of two columns",
        ),
    ],
)
def test_a_difference_of_one_column_in_context_alone_is_a_forgotten_prefix(
    before: str, hunk: tuple[str, ...], after: str
) -> None:
    done = update(before, [Hunk(hunk)])
    assert done.text == after
    assert names(done.matches[0].concessions) == ["indent"]


def test_a_difference_of_one_column_in_removed_lines_is_a_shift() -> None:
    assert update(" a = 1\n", [Hunk(("-a = 1", "+a = 2"))]).text == " a = 2\n"


def test_where_the_removed_lines_disagree_the_added_ones_stay_as_written() -> None:
    """SPEC §5: "if not, they stay as written and the Match says so"."""
    done = update("  a = 1\n      b = 2\n", [Hunk(("-a = 1", "-b = 2", "+c = 3"))], path="app.js")
    assert done.text == "c = 3\n"
    assert names(done.matches[0].concessions) == ["indent", "indentation_as_written"]


def test_at_trailing_nothing_is_shifted() -> None:
    done = update("  a  \n", [Hunk(("-  a", "+b"))])
    assert (done.text, names(done.matches[0].concessions)) == ("b\n", ["trailing"])


def test_at_punctuation_added_lines_stay_as_written() -> None:
    """SPEC §5: "at `punctuation` added lines stay as written": their indentation is shifted all the same."""
    done = update("    say “a”\n", [Hunk(('-say "a"', '+say "b" – “c”'))])
    assert done.text == '    say "b" – “c”\n'
    assert names(done.matches[0].concessions) == ["punctuation", "indentation_shifted"]


# Escapes.


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        pytest.param('say "a"\n', ('-say \\"a\\"', '+say \\"b\\"'), 'say "b"\n', id="quotes"),
        pytest.param("say 'a'\n", ("-say \\'a\\'", "+say \\'b\\'"), "say 'b'\n", id="single quotes"),
        pytest.param('say "a\\n"\n', ('-say \\"a\\\\n\\"', '+say \\"b\\\\n\\"'), 'say "b\\n"\n', id="backslashes"),
        pytest.param("a\tb\n", ("-a\\tb", "+c\\td"), "c\td\n", id="tabs"),
        pytest.param('say "a"\n', ('-say \\"a\\"', "+re.sub(r'\\d')"), "re.sub(r'\\d')\n", id="other escapes stay"),
    ],
)
def test_only_escapes_that_made_the_match_are_undone(before: str, hunk: tuple[str, ...], after: str) -> None:
    done = update(before, [Hunk(hunk)])
    assert (done.text, done.matches[0].tier) == (after, "escapes")


def test_escapes_are_compared_without_folding() -> None:
    """SPEC §13: text is read differently "on the hunk's side only"."""
    with pytest.raises(PatchRejectedError):
        update('  say "a"\n', [Hunk(('-say \\"a\\"', "+x"))])


def test_quotes_that_lost_their_backslashes_get_them_back_in_added_lines_too() -> None:
    hunk = Hunk(('-say "a"', '+say "b"'))
    assert update('x\nsay \\"a\\"\n', [hunk]).text == 'x\nsay \\"b\\"\n'


# The end of the file.


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", Hunk(("-a", "+c")), "c\nb"),
        ("a\nb", Hunk(("-b", "+c")), "a\nc"),
        ("a\nb", Hunk((" b", "+c")), "a\nb\nc"),
        ("a\r\nb", Hunk((" b", "+c")), "a\r\nb\r\nc"),
        ("a\nb", Hunk((" a", "-b")), "a"),
        ("a", Hunk(("-a",)), ""),
        ("a\n", Hunk(("-a",)), ""),
        ("a\nb", Hunk(("+c",), at_end=True), "a\nb\nc"),
        ("a\nb\n", Hunk(("+c",), at_end=True), "a\nb\nc\n"),
        ("", Hunk(("+c",)), "c\n"),
        ("\n", Hunk(("+c",), at_end=True), "\nc\n"),
        ("a\nb", Hunk(("-b", "+b"), no_newline="old"), "a\nb\n"),
        ("a\nb\n", Hunk(("-b", "+b"), no_newline="new"), "a\nb"),
        ("a\nb", Hunk(("-b", "+c"), no_newline="both"), "a\nc"),
        ("a\r\nb\r\n", Hunk(("-b", "+c"), no_newline="new"), "a\r\nc"),
        ("a\r\nb", Hunk(("-b", "+c"), no_newline="old"), "a\r\nc\r\n"),
        ("a\rb\r", Hunk(("-b", "+c"), no_newline="new"), "a\rc"),
        ("a\nb", Hunk((" a", "-b"), no_newline="old"), "a\n"),
        ("a\n", Hunk((" a", "+b"), no_newline="new"), "a\nb"),
        ("", Hunk(("+c",), no_newline="new"), "c"),
    ],
)
def test_the_final_newline_stays_as_it_is_unless_the_patch_says_otherwise(before: str, hunk: Hunk, after: str) -> None:
    assert update(before, [hunk]).text == after


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\nb", ("-a", "+c"), "c\nb\n"),
        ("a\r\nb", ("-a", "+c"), "c\r\nb\r\n"),
        ("a", ("-a",), ""),
        ("a", (" a",), "a\n"),
    ],
)
def test_codex_adds_a_final_newline(dialect: str, before: str, hunk: tuple[str, ...], after: str) -> None:
    assert update(before, [Hunk(hunk)], dialect=dialect).text == after


@pytest.mark.parametrize("dialect", ["standard", "strict"])
@pytest.mark.parametrize("side", ["old", "new", "both"])
def test_a_side_that_ends_without_a_newline_is_at_the_end_of_the_file(dialect: str, side: str) -> None:
    """What follows in the file would lose or keep its newline for nothing: a line that no hunk names."""
    hunk = Hunk(("-a", "+c"), no_newline=side)  # type: ignore[arg-type]
    for before in ("a\nb\n", "a\nb"):
        with pytest.raises(PatchRejectedError):
            update(before, [hunk], dialect=dialect)


def test_two_hunks_speak_of_the_end_only_once() -> None:
    hunks = [Hunk(("-a", "+1")), Hunk(("-c", "+3"), no_newline="new")]
    assert update("a\nb\nc\n", hunks).text == "1\nb\n3"


@pytest.mark.parametrize(
    ("lines", "right"),
    [
        (("-a = 1", "+    a = 2"), "def f():\n    a = 2\n    b = 2\n"),
        (("-a = 1", "+a = 2"), "def f():\n    a = 2\n    b = 2\n"),
        ((" a = 1", "-b = 2", "+if a:", "+    b = 3"), "def f():\n    a = 1\n    if a:\n        b = 3\n"),
    ],
    ids=["the file's depth", "the hunk's depth", "a block at the hunk's depth"],
)
def test_added_lines_speak_the_coordinates_of_the_hunk_or_of_the_file(lines: tuple[str, ...], right: str) -> None:
    """SPEC §13: "If `new` speaks `old`'s coordinates, all of `new` is shifted by what `old` was off"."""
    text = "def f():\n    a = 1\n    b = 2\n"
    assert update(text, [Hunk(lines)], path="f.py").text == right
    old, new = ("\n".join(line[1:] for line in lines if line[0] != kind) for kind in "+-")
    assert replace(text, f"{old}  ", new, path="f.py").text == right


def test_a_new_text_at_the_files_depth_keeps_lines_of_the_file_not_those_of_the_old_text() -> None:
    text = "class A {\n  class B {\n    int f;\n    int get() {\n      return f;\n    }\n  }\n}\n"
    old = "  int f;\n  int get() {\n    return f;\n  }\n}"
    new = "    int f;\n    int g;\n    int get() {\n      return f + g;\n    }\n  }"
    right = text.replace("int f;\n", "int f;\n    int g;\n").replace("return f", "return f + g")
    assert replace(text, old, new, path="A.java").text == right


def test_a_blank_line_that_both_texts_end_with_stays() -> None:
    text = "one\n    \n    two = 2\n    \n    three\n"
    assert replace(text, "\n\ntwo = 2\n      \n\n", "\n\ntwo = 3\n      \n\n").text == text.replace("= 2", "= 3")
