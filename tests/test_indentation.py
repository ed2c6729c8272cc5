"""One shift for all added lines, or none."""

from __future__ import annotations

import pytest

from suture.locate.indentation import shift_between, split_indent, unchanged


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
    [([("a", "  a"), ("b", "    b")], []), ([], [("a", "  a"), ("b", "    b")]), ([("  a", "a"), ("b", "  b")], [])],
)
def test_lines_that_disagree_have_no_shift(removed: list[tuple[str, str]], context: list[tuple[str, str]]) -> None:
    assert shift_between(removed, context) is None
