"""An edit and a change of layout alone become one text: the tokens of the edit in the layout of the file."""

from __future__ import annotations

import pytest

from suture.place.merge_tokens import merge_layout
from suture.place.rebase import MergedText, merge_texts

BASE = "def f(a, b):\n    return g(a, b, c='x')\n\ndef h():\n  pass\n"
FORMATTED = 'def f(a, b):\n    return g(\n        a,\n        b,\n        c="x",\n    )\n\n\ndef h():\n    pass\n'


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        pytest.param(("a, b, c=", "a, bb, c="), ("        b,", "        bb,"), id="a token is replaced"),
        pytest.param(("c='x')", "c='x', d=1)"), ('c="x",', 'c="x", d=1,'), id="tokens are added before a comma"),
        pytest.param(("a, b, c", "a, c"), ("        b,\n", ""), id="a token is removed"),
        pytest.param(("    return", "    a += 1\n    return"), ("    return", "    a += 1\n    return"), id="a line"),
        pytest.param(("  pass", "  i()\n  return 2"), ("    pass", "    i()\n    return 2"), id="at the new depth"),
    ],
)
def test_an_edit_is_written_in_the_layout_of_the_file(edit: tuple[str, str], result: tuple[str, str]) -> None:
    assert merge_layout(BASE, FORMATTED, BASE.replace(*edit)) == FORMATTED.replace(*result)


def test_another_change_than_one_of_layout_is_not_merged_by_tokens() -> None:
    assert merge_layout(BASE, FORMATTED.replace("pass", "other"), BASE.replace("a, b, c", "a, c")) is None


def test_a_gap_that_both_sides_have_changed_is_not_decided() -> None:
    assert merge_layout("x = a + b\n", "x = (a + b)\n", "x = a + b;\n") is None


def test_what_the_edit_says_survives_every_layout() -> None:
    """The program of the merged file is the program of the edit."""
    edited = BASE.replace("a, b, c", "b, a, c")
    merged = merge_texts(BASE, FORMATTED, edited, "a.py")
    assert isinstance(merged, MergedText)
    assert merged.is_layout
    names: dict[str, object] = {}
    exec(merged.text + "\ndef g(*a, **k): return a, k\n", names)  # noqa: S102 - ours
    assert eval("f(1, 2)", names) == ((2, 1), {"c": "x"})  # noqa: S307 - ours


def test_lines_that_only_end_differently_are_not_changes() -> None:
    merged = merge_texts("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nX\nc\n", "a.txt")
    assert isinstance(merged, MergedText)
    assert merged.text == "a\r\nX\r\nc\r\n"


def merged_layout(path: str, base: str, current: str, edited: str) -> str | None:
    """A merge in a file with this path; None if it is refused."""
    merged = merge_texts(base, current, edited, path)
    return merged.text if isinstance(merged, MergedText) else None


@pytest.mark.parametrize(
    ("path", "base", "current", "edited"),
    [
        pytest.param("a.js", "x = a + b * c;\n", "x = (a + b) * c;\n", "x = a + b * c - d / e;\n", id="other grouping"),
        pytest.param("a.js", "f(a, b);\n", "f((a, b));\n", "f(a, b, c);\n", id="a comma that is an operator"),
        pytest.param("a.js", "x = a == b && c;\n", "x = a == (b && c);\n", "x = a == b && d;\n", id="a comparison"),
        pytest.param("a.rs", "let a = [0, 8];\n", "let a = [0; 8];\n", "let a = [0, 8, 9];\n", id="a repeated value"),
        pytest.param("a.c", "f('b', 1);\n", 'f("b", 1);\n', "f('b', 2);\n", id="a character is no text"),
    ],
)
def test_signs_that_may_mean_something_are_no_layout(path: str, base: str, current: str, edited: str) -> None:
    assert merged_layout(path, base, current, edited) is None


@pytest.mark.parametrize(
    ("base", "current", "edit"),
    [
        pytest.param("f(x => x + 1);\n", "f((x) => x + 1);\n", ("1", "2"), id="a parameter in parentheses"),
        pytest.param("f({\n  a: 1,\n  b: 2\n})\n", "f({\n  a: 1,\n  b: 2,\n});\n", ("2", "3"), id="trailing signs"),
        pytest.param("a = () => <b>\n c\n</b>\n", "a = () => (\n  <b>c</b>\n);\n", ("c", "d"), id="an operand"),
        pytest.param("f([\n  1,\n  2\n]); // x\n", "f([1, 2]); // x\n", ("1", "3"), id="beside a comment"),
    ],
)
def test_signs_that_formatters_add_are_layout(base: str, current: str, edit: tuple[str, str]) -> None:
    assert merged_layout("a.js", base, current, base.replace(*edit)) == current.replace(*edit)


def test_lines_are_added_above_a_statement_with_other_signs() -> None:
    """Also where the parser can say nothing, because the file is for an older version of the language."""
    base = "print 1\n\nfor (a, b) in c:\n    f(a)\n"
    current = base.replace("(a, b)", "a, b")
    assert merged_layout("a.py", base, current, base.replace("for", "g()\nfor")) == current.replace("for", "g()\nfor")


def test_a_part_that_moves_to_the_other_side_of_an_equal_line_is_layout() -> None:
    base = "f(\n    name,\n    part, name\n)\n"
    current = "f(\n    name, part,\n    name,\n)\n"
    assert merged_layout("a.py", base, current, base.replace("part", "parts")) == current.replace("part", "parts")


def test_a_comment_of_the_edit_covers_nothing_else() -> None:
    merged = merged_layout("a.js", "a = [\n  1,\n  2,\n];\n", "a = [1, 2];\n", "a = [\n  1, // one\n  2,\n];\n")
    assert merged is None or "one 2" not in merged


def test_another_kind_of_quotes_that_the_edit_chose_stays() -> None:
    """The file's change of a number beside it is one of layout, too."""
    base = "a = chr(0x7f)\nb = '\\t'\n"
    merged = merged_layout("a.py", base, base.replace("7f", "7F"), base.replace("'", '"'))
    assert merged == base.replace("7f", "7F").replace("'", '"')


TITLES = "it('a', function(){\n  f();\n})\nit('b', function() {\n  g();\n})\n"
FORMATTED_TITLES = 'it("a", function () {\n  f();\n});\nit("b", function () {\n  g();\n});\n'
KEYS = "f({ 'id': 1, 'b': 'it\\'s' });\n"


@pytest.mark.parametrize(
    ("path", "base", "current", "edited", "result"),
    [
        pytest.param(
            "a.js",
            TITLES,
            FORMATTED_TITLES,
            TITLES.replace("it('b'", "it('x', function(){\n  h();\n})\nit('b'"),
            FORMATTED_TITLES.replace('it("b"', "it('x', function(){\n  h();\n})\nit(\"b\""),
            id="a test with another title is inserted",
        ),
        pytest.param(
            "a.js",
            "if (a) {\n  s += '(a|b)';\n}\n",
            'if (a) {\n    s += "(a|b)";\n}\n',
            "if (a) {\n  // s += '(a|b)';\n  s += c;\n}\n",
            "if (a) {\n    // s += '(a|b)';\n    s += c;\n}\n",
            id="code becomes a comment",
        ),
        pytest.param(
            "a.js",
            KEYS,
            'f({ id: 1, b: "it\'s" });\n',
            KEYS.replace("1", "2"),
            'f({ id: 2, b: "it\'s" });\n',
            id="keys and escaped quotes",
        ),
        pytest.param(
            "a.js",
            "f({ '0': 1, 'a$b': g(2) })\n",
            "f({\n  0: 1,\n  a$b: g(2),\n});\n",
            "f({ '0': 1, 'a$b': h(2) })\n",
            "f({\n  0: 1,\n  a$b: h(2),\n});\n",
            id="keys with digits and dollar signs",
        ),
        pytest.param(
            "a.py",
            "f(.5, a=[2.,b])\n",
            "f(0.5, a=[2.0, b])\n",
            "f(.5, a=[2.,c])\n",
            "f(0.5, a=[2.0, c])\n",
            id="numbers without a zero",
        ),
        pytest.param(
            "a.js",
            "a.replace(/'( |,)/g, 'x').b(1)\n",
            'a\n  .replace(\n    /\'( |,)/g,\n    "x",\n  )\n  .b(1);\n',
            "a.replace(/'( |,)/g, 'x').b(2)\n",
            'a\n  .replace(\n    /\'( |,)/g,\n    "x",\n  )\n  .b(2);\n',
            id="a regular expression",
        ),
        pytest.param(
            "a.rs",
            "fn f<'a>(x: &'a str) { g(x,'(',\"a  b\") }\n",
            "fn f<'a>(x: &'a str) {\n    g(x, '(', \"a  b\")\n}\n",
            "fn f<'a>(x: &'a str) { h(x,'(',\"a  b\") }\n",
            "fn f<'a>(x: &'a str) {\n    h(x, '(', \"a  b\")\n}\n",
            id="characters and lifetimes",
        ),
    ],
)
def test_quoted_texts_and_comments_are_tokens(path: str, base: str, current: str, edited: str, result: str) -> None:
    """Their spaces and quotes are never layout, and they are never split."""
    assert merged_layout(path, base, current, edited) == result


@pytest.mark.parametrize(
    ("path", "base", "current", "edit"),
    [
        pytest.param("a.js", "f('a b')\n", 'f("a  b");\n', ("f", "g"), id="spaces in quotes"),
        pytest.param("a.js", "f('a,b')\n", 'f("ab");\n', ("f", "g"), id="a comma in quotes"),
        pytest.param("a.js", "f(/a b/, 1)\n", "f(/a  b/, 1);\n", ("f", "g"), id="spaces in a regular expression"),
        pytest.param("a.js", "f(`a\nb`)\n", "f(`a\n  b`);\n", ("f", "g"), id="lines of a template"),
        pytest.param("a.js", "f(a ? 'b' : c)\n", "f(a ? b : c);\n", ("f", "g"), id="a text that is no key"),
        pytest.param("a.rs", 'f(r#"a " b"#)\n', 'f(r#"a  " b"#)\n', ("f", "g"), id="a raw text"),
        pytest.param("a.go", "f(`a b`)\n", "f(`a  b`)\n", ("f", "g"), id="a raw text of Go"),
        pytest.param("a.sql", "f(\n  a, -- b\n  c)\n", "f(a, -- b c\n)\n", ("f", "g"), id="a comment of SQL"),
        pytest.param("a.php", "f(\n  a, # b\n  c)\n", "f(a, # b c\n)\n", ("f", "g"), id="a comment of PHP"),
    ],
)
def test_a_change_in_a_quoted_text_or_comment_is_none_of_layout(
    path: str, base: str, current: str, edit: tuple[str, str]
) -> None:
    assert merged_layout(path, base, current, base.replace(*edit)) is None


def test_no_rule_about_lines_refuses_an_edit_of_a_file_whose_layout_has_changed() -> None:
    base = "a(f,b)\n\n\nc(1)\n"
    current = "a(\n  f,\n  b,\n);\n\n\nc(1)\n"
    assert merged_layout("a.js", base, current, base.replace("1", "f")) == current.replace("1", "f")
