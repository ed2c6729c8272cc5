"""One shift for all added lines, or none."""

from __future__ import annotations

import pytest

from suture import update
from suture.core.patch import Hunk
from suture.place.indentation import fit_place, shift_between, shifted, split_indent, unchanged
from suture.place.place import Place


@pytest.mark.parametrize(
    ("line", "parts"),
    [("", ("", "")), ("a", ("", "a")), ("  a b ", ("  ", "a b ")), ("\t a", ("\t ", "a")), ("   ", ("   ", ""))],
)
def test_a_line_is_its_indentation_and_the_rest(line: str, parts: tuple[str, str]) -> None:
    assert split_indent(line) == parts


@pytest.mark.parametrize(
    ("removed", "context", "given", "shifted"),
    [
        pytest.param([("a", "    a")], [], "  ", "      ", id="deeper"),
        pytest.param([("    a", "a")], [], "      ", "  ", id="shallower"),
        pytest.param([("    a", "a")], [], "  ", "", id="shallower than there is"),
        pytest.param([("    a", "  a")], [], "", "", id="not below the first column"),
        pytest.param([("    a", "\ta")], [], "        ", "\t\t", id="spaces to tabs"),
        pytest.param([("  a", "\ta")], [], "    ", "\t\t", id="two spaces to tabs"),
        pytest.param([("\ta", "    a")], [], "\t\t", "        ", id="tabs to spaces"),
        pytest.param([("\ta", "  a")], [], "\t\t", "    ", id="tabs to two spaces"),
        pytest.param([("a", "\ta")], [], "", "\t", id="a tab deeper"),
        pytest.param([("  a", "    a")], [("    b", "        b"), ("c", "c")], "      ", " " * 12, id="wider levels"),
        pytest.param(
            [("    a", "  a"), ("        b", "    b"), ("c", "c")], [], " " * 12, " " * 6, id="narrower levels"
        ),
        pytest.param([("  a", "    a")], [], "    ", " " * 6, id="one depth is columns"),
        pytest.param([("    a", "\t\ta"), ("        b", "\t\t\tb")], [], " " * 12, "\t\t\t\t", id="to tabs and deeper"),
        pytest.param([("a", "    a"), ("  b", "      b")], [], "    ", "        ", id="the same for all"),
        pytest.param([("a", "    a")], [("b", "  b")], "", "    ", id="removed lines decide"),
        pytest.param([], [("a", "    a")], "  ", "      ", id="context decides alone"),
        pytest.param([("", ""), ("a", "  a")], [], "", "  ", id="blank lines say nothing"),
        pytest.param([("a", "a")], [("    b", "\tb")], "    ", "\t", id="context tells tabs for spaces"),
        pytest.param([("", "      x"), ("a", "  a")], [], "", "  ", id="a blank line of the hunk says nothing"),
        pytest.param([("      x", ""), ("a", "  a")], [], "", "  ", id="a blank line of the file says nothing"),
    ],
)
def test_the_shift_takes_the_hunks_indentation_to_the_files(
    removed: list[tuple[str, str]], context: list[tuple[str, str]], given: str, shifted: str
) -> None:
    shift = shift_between(removed, context)
    assert shift is not None
    assert shift(given) == shifted


@pytest.mark.parametrize(
    ("removed", "context"),
    [
        ([("a", "a")], []),
        ([("  a", "  a")], [("b", "    b")]),
        ([], []),
        ([], [("a", " a")]),
        ([], [("  a", " a")]),
        ([], [("a", " a"), ("    b", "     b")]),
        ([("  ", "    ")], []),
    ],
)
def test_there_may_be_nothing_to_shift(removed: list[tuple[str, str]], context: list[tuple[str, str]]) -> None:
    assert shift_between(removed, context) is unchanged


@pytest.mark.parametrize(
    ("removed", "context"),
    [
        ([("a", "  a"), ("b", "    b")], []),
        ([("          a", "  a"), ("  b", "  b")], []),
        ([("  a", "    a"), ("b", "b")], []),
        ([], [("a", "  a"), ("b", "    b")]),
        ([("  a", "a"), ("b", "  b")], []),
    ],
)
def test_lines_that_disagree_have_no_shift(removed: list[tuple[str, str]], context: list[tuple[str, str]]) -> None:
    assert shift_between(removed, context) is None


@pytest.mark.parametrize(
    ("line", "pair", "result"),
    [
        ("", ("a", "  a"), ""),
        ("  ", ("a", "  a"), "  "),
        ("  ", ("  a", "a"), "  "),
        ("    ", ("    a", "\ta"), "\t"),
        ("\t", ("\ta", "    a"), "    "),
    ],
)
def test_a_blank_line_keeps_its_depth_but_not_tabs_for_spaces(line: str, pair: tuple[str, str], result: str) -> None:
    shift = shift_between([pair], [])
    assert shift is not None
    assert shifted(line, shift) == result


def _fit(
    lines: list[str], body: str, rows: tuple[int | None, ...] | None = None, *, as_hunk: bool = False
) -> tuple[list[str], tuple[str, ...]]:
    """The added lines of a hunk at the first line of a text, and the notes, of which one says that it is unclear."""
    place = fit_place(Place(Hunk(tuple(lines)), 0, "indent", (), rows), body, as_hunk=as_hunk)
    return place.hunk.added, (*place.notes, *UNCLEAR) if place.is_depth_unclear else place.notes


SHIFTED, UNCLEAR = ("indentation_shifted",), ("unclear",)


@pytest.mark.parametrize(
    ("lines", "body", "added", "notes"),
    [
        pytest.param(["-a1", "+b1"], "    a1\n", ["    b1"], SHIFTED, id="all by the same"),
        pytest.param(["-a1", "-b1"], "  a1\n      b1\n", [], (), id="nothing is added"),
        pytest.param(["-  a1", "-    b1", "+"], "      a1\n    b1\n", [""], (), id="a blank line is added"),
        # One edge is off by something else.
        pytest.param(["-a1", "-b1", "+x1"], "  a1\n      b1\n", ["  x1"], SHIFTED, id="a quotation"),
        pytest.param(["-   a1", "-    b1", "+   x1"], "    a1\n    b1\n", ["   x1"], UNCLEAR, id="a slip"),
        pytest.param(["-  a1", "-    b1", "+  x1"], "      a1\n    b1\n", ["  x1"], UNCLEAR, id="two lines disagree"),
        pytest.param(
            ["-  a1", "-    b1", "-    c1", "+  x1", "+    y1"],
            "      a1\n    b1\n    c1\n",
            ["      x1", "    y1"],
            SHIFTED,
            id="two lines agree against the first",
        ),
        pytest.param(
            ["-a1", "-    b1", "-    c1", "+    x1"],
            "  a1\n        b1\n        c1\n",
            ["        x1"],
            SHIFTED,
            id="a new line that begins where the others do",
        ),
        pytest.param(
            ["-a1", "-    b1", "-    c1", "+x1", "+y1"],
            "  a1\n        b1\n        c1\n",
            ["  x1", "    y1"],
            SHIFTED,
            id="only the first new line is at the edge",
        ),
        pytest.param(
            [" a1", "-    b1", "-    c1", "+x1"],
            "  a1\n        b1\n        c1\n",
            ["    x1"],
            SHIFTED,
            id="no new line is at the edge",
        ),
        pytest.param(
            ["-\xa0a1", "-b1", "-c1", "+x1"], "    a1\n    b1\n    c1\n", ["x1"], UNCLEAR, id="an edge without a shift"
        ),
        pytest.param(
            [" a1", " b1", "   c1", "+  d1"],
            "    a1\n    b1\n        c1\n",
            ["        d1"],
            SHIFTED,
            id="behind a last line at another depth",
        ),
        pytest.param(
            [" a1", "-b1", "   c1", "+  d1"],
            "    a1\n    b1\n        c1\n",
            ["  d1"],
            UNCLEAR,
            id="not only behind the last line",
        ),
        pytest.param(
            ["+z1", " a1", " b1", "   c1"],
            "    a1\n    b1\n        c1\n",
            ["z1"],
            UNCLEAR,
            id="before a last line at another depth",
        ),
        pytest.param(
            [" a1", " b1", "   c1", "+  d1"],
            "    a1\n      b1\n          c1\n",
            ["  d1"],
            UNCLEAR,
            id="behind lines that disagree",
        ),
        pytest.param(["   a1", " b1", "+c1"], "        a1\n  b1\n", ["c1"], UNCLEAR, id="behind two that disagree"),
        pytest.param(
            [" a1", " b1", " \xa0c1", "+d1"],
            "    a1\n    b1\n    c1\n",
            ["d1"],
            UNCLEAR,
            id="behind a line without a shift",
        ),
        # The new lines speak the coordinates of the file.
        pytest.param(["-a1", "+    a1"], "    a1 \n", [], (), id="it is what the file has"),
        pytest.param(
            ["-a1", "-  b1", "+    a2", "+      b2"],
            "    a1\n      b1\n",
            ["    a2", "      b2"],
            (),
            id="it begins where the file does",
        ),
        pytest.param(
            ["-a1", "-  b1", "+a2", "+    b2"],
            "    a1\n      b1\n",
            ["    a2", "        b2"],
            SHIFTED,
            id="it begins where the old text does",
        ),
        pytest.param(
            ["-a1", "-  b1", "+      x1", "+    y1"],
            "    a1\n      b1\n",
            ["      x1", "    y1"],
            (),
            id="it is as deep as the file in the least",
        ),
        pytest.param(
            ["-    a1", "+        x1", "+    y1"], "\ta1\n", ["\t\tx1", "\ty1"], SHIFTED, id="all are equally deep"
        ),
        pytest.param(
            ["-a1", "-        b1", "+    a2", "+        b2"],
            "    a1\n        b1\n",
            ["    a2", "        b2"],
            (),
            id="only the old text is a quotation",
        ),
        pytest.param(
            ["-            a1", "-            b1", "+x1"],
            "a1\n            b1\n",
            ["x1"],
            UNCLEAR,
            id="a first line without indentation says nothing of the others",
        ),
        pytest.param(
            ["-a1", "-  b1", "+    a1", "+      b2"],
            "    a1 \n      b1\n",
            ["      b2"],
            (),
            id="a line that it keeps is the file's",
        ),
        pytest.param(
            ["-a1", "+    a2", "   b1"], "    a1\n      b1\n", ["    a2"], (), id="a line of context is the file's"
        ),
        pytest.param(["-a1", "+    a2", "   )"], "    a1\n      )\n", ["    a2"], (), id="a brace is the file's"),
        pytest.param(
            ["-a1", "+x1", "+  y1", "+z1", "   b1", "   c1", "-    d1", "+    e1"],
            "a1\nb1\n  c1\n    d1\n",
            ["x1", "  y1", "z1", "    e1"],
            UNCLEAR,
            id="a line that it keeps is as deep as in the old text",
        ),
        # A depth that no program has.
        pytest.param(
            [" a1();", " b1();", "+    c1();"],
            "    a1();\n    b1();\n",
            ["    c1();"],
            (),
            id="deeper than a line that opens nothing",
        ),
        pytest.param(
            [" a1();", " b1();", "+      c1();"],
            "    a1();\n    b1();\n",
            ["      c1();"],
            (),
            id="too deep in any case",
        ),
        pytest.param([" if a1 {", "+    c1();"], "    if a1 {\n", ["        c1();"], SHIFTED, id="in a block"),
        pytest.param(
            [" a1();", "-    b1();", "+    c1();"],
            "    a1();\n        b1();\n",
            ["        c1();"],
            SHIFTED,
            id="as deep as the line that it replaces",
        ),
        pytest.param(
            [" a1();", "+    c1();", " d1();", "     b1();"],
            "    a1();\n    d1();\n        b1();\n",
            ["    c1();"],
            (),
            id="as deep as a line that is further down",
        ),
        pytest.param(["-a1();", "+  c1();"], "    a1();\n", ["      c1();"], SHIFTED, id="what goes opens nothing"),
    ],
)
def test_added_lines_of_a_string_edit_get_the_depth_of_the_file(
    lines: list[str], body: str, added: list[str], notes: tuple[str, ...]
) -> None:
    assert _fit(lines, body) == (added, notes)


@pytest.mark.parametrize(
    ("lines", "body", "rows", "added", "notes"),
    [
        pytest.param(["-a1", "+c1", " b1"], "    a1\n  b1\n", None, ["    c1"], SHIFTED, id="removed lines decide"),
        pytest.param(["-a1", "     b1", "+    c1"], "a1\n\tb1\n", None, ["\tc1"], SHIFTED, id="context advises"),
        pytest.param(
            ["-a1", "-b1", "+c1"], "    a1\n  b1\n", None, ["c1"], ("indentation_as_written",), id="lines disagree"
        ),
        pytest.param(
            ["-a1", "-  b1", "+    a1", "+      b2"],
            "    a1 \n      b1\n",
            None,
            ["    a1", "      b2"],
            (),
            id="what it removes and adds is its own",
        ),
        pytest.param(["-a1", " zz", "+b1"], "    a1\n", (0, None), ["    b1"], SHIFTED, id="a line is missing"),
        pytest.param(
            ["-a1", "+    b1", " zz"],
            "    a1\n",
            (0, None),
            ["    b1"],
            (),
            id="a line is missing, at the file's depth",
        ),
    ],
)
def test_added_lines_of_a_hunk_get_the_depth_of_the_file(
    lines: list[str], body: str, rows: tuple[int | None, ...] | None, added: list[str], notes: tuple[str, ...]
) -> None:
    assert _fit(lines, body, rows, as_hunk=True) == (added, notes)


@pytest.mark.parametrize("line", ["if x:", "f(", "x = 1", "end", "f();", "f(),"])
def test_what_may_open_a_block_may_be_followed_by_a_deeper_line(line: str) -> None:
    added, _ = _fit([f" {line}", "+    y();"], f"    {line}\n")
    assert added == ["    y();" if line in ("f();", "f(),") else "        y();"]


@pytest.mark.parametrize("path", ["a.toml", "a.py", "a.js"])
def test_one_more_space_behind_every_sign_is_taken_off(path: str) -> None:
    content = "[one]\nfirst = 1\nsecond = 2\n"
    done = update(content, [Hunk(("  [one]", "  first = 1", "+ third = 3", "  second = 2"))], path=path)
    assert done.text == "[one]\nfirst = 1\nthird = 3\nsecond = 2\n"
    assert "indentation_shifted" in [one.name for one in done.matches[0].concessions]


def test_one_more_space_in_context_alone_does_not_move_lines_that_are_right() -> None:
    content = "def f():\n    a = 1\n    b = 2\n"
    for added in ("    c = 3", "    if a:"):
        done = update(content, [Hunk(("  def f():", "      a = 1", f"+{added}", "      b = 2"))])
        assert done.text == f"def f():\n    a = 1\n{added}\n    b = 2\n"
