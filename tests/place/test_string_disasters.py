"""Named disasters of other tools, and what must not take long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import multiedit, replace
from suture.place import Span

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.shared.hostile_times import costs_at_most, grows_linearly
from tests.shared.string_results import refused

# The known disasters.


def test_a_one_line_edit_does_not_delete_2337_lines_through_loose_anchors() -> None:
    """OpenCode's issue 24742: first and last line were found far apart, and all between went."""
    rules = "".join(f".rule-{number} {{\n  color: red;\n}}\n" for number in range(779))
    content = f".first {{\n  margin: 0;\n{rules}.last {{\n  margin: 0;\n}}\n"
    assert content.count("\n") > 2337
    for old in (".first {\n  margin: 1px;\n}", ".first {\n  padding: 0;\n  margin: 0;\n}", ".first {\n}"):
        assert refused(content, old, old.replace("}", "  top: 0;\n}")).code == "old_text_not_found"


def test_a_dollar_and_ampersand_in_the_new_text_are_a_dollar_and_ampersand() -> None:
    """OpenCode's issue 45892: `$&` in newString became the text that was replaced."""
    assert replace("price = 1\n", "1", "'$&'").text == "price = '$&'\n"


def test_two_lines_that_are_equal_when_trimmed_are_not_one() -> None:
    """OpenCode's issue 41872: the guard counted strings, so the first of two places was changed."""
    problem = refused("if a:\n    go(1)\nif b:\n        go(1)\n", "\tgo(1)", "\tgo(2)")
    assert (problem.code, problem.details["lines"]) == ("multiple_matches", [2, 4])


@pytest.mark.parametrize("new", ["\treturn 2\n", "\treturn '\\t'\n"])
def test_tabs_do_not_become_a_backslash_and_a_t(new: str) -> None:
    """llxprt-code's issue 473: a replacer that unescapes wrote tabs as `\\t`."""
    content = "func a() {\n\treturn 1\n}\n"
    assert replace(content, "\treturn 1\n", new).text == f"func a() {{\n{new}}}\n"
    escaped = new.replace("\t", "\\t", 1)
    if "'" in new:
        # Is this one meant as it is?
        assert refused(content, "\\treturn 1\n", escaped).details["reason"] == "unclear_escapes"
    else:
        assert replace(content, "\\treturn 1\n", escaped).text == f"func a() {{\n{new}}}\n"


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
def test_an_indentation_is_not_doubled_on_crlf(ending: str) -> None:
    """hermes-agent's change 88283: a first line in column 0 doubled the indentation of a CRLF file."""
    content = ending.join(["class A:", "    def f(self):", "        return 1", ""])
    expected = content.replace("return 1", "return 2")
    for old in ("def f(self):\n    return 1", "def f(self):\n        return 1", "    def f(self):\n        return 1"):
        for sent in ("\n", "\r\n"):
            new = old.replace("return 1", "return 2")
            assert replace(content, old.replace("\n", sent), new.replace("\n", sent)).text == expected


def test_the_first_of_several_equal_places_is_not_taken() -> None:
    """Complaints 1.2: "Error listing the places"."""
    assert refused("a = 1\nb = 1\na = 1\n", "a = 1", "a = 2").details["lines"] == [1, 3]


def test_an_edit_that_matches_nothing_is_no_success() -> None:
    """Complaints 1.12: plain `str.replace` reports success; an empty old text splices between all characters."""
    assert refused("a = 1\n", "b = 1", "b = 2").code == "old_text_not_found"
    assert refused("abc", "", "-").code == "invalid_arguments"
    assert refused("abc", "", "-", replace_all=True).code == "invalid_arguments"


def test_every_edit_of_a_file_with_tabs_works_with_spaces() -> None:
    """Complaints 2.1: "every edit of an 8-file Go refactor failed"."""
    content = "func main() {\n\tif ready {\n\t\tserve(8080)\n\t}\n}\n"
    old = "    if ready {\n        serve(8080)\n    }"
    done = replace(content, old, old.replace("8080", "9090"))
    assert done.text == content.replace("8080", "9090")


def test_only_the_lines_that_change_are_written() -> None:
    """Complaints 2.2: the whole file was rewritten from a normalised copy."""
    content = "a  \r\n\tb = 1\n\n\n  c   \r"
    assert replace(content, "  b = 1", "  b = 2").text == "a  \r\n\tb = 2\n\n\n  c   \r"


def test_quotes_of_the_file_stay_where_the_new_text_keeps_the_line() -> None:
    """Complaints 2.6: curly quotes of untouched text became straight ones."""
    content = "title = “One”\nbody = “Two”\nend\n"
    done = replace(content, 'title = "One"\nbody = "Two"', 'title = "One"\nbody = "Three"')
    assert done.text == 'title = “One”\nbody = "Three"\nend\n'


def test_a_newline_that_is_written_out_in_the_new_text_stays_so() -> None:
    """Complaints 2.7: "Nothing is unescaped behind my back"."""
    assert replace("print('a')\n", "print('a')", "print('a\\n&amp;\\t')").text == "print('a\\n&amp;\\t')\n"


def test_lines_end_where_editors_end_them() -> None:
    """Complaints 2.9: form feeds and U+2028 are no line ends."""
    done = replace("a\fb\u2028c\x1cd\ne\n", "e", "f")
    assert done.spans == (Span(8, 9, 2, 2),)


def test_a_fragment_of_a_line_works() -> None:
    """Complaints 2.10: a matcher of whole lines refused mid-line fragments."""
    assert replace("const a = b(c), d = e\n", "b(c), d", "x, y").text == "const a = x, y = e\n"


# What must not take long.


@pytest.mark.slow
def test_blank_lines_in_the_old_text_do_not_hang_it() -> None:
    """SPEC §12: "No input hangs or crashes it."."""

    def build(blank_lines: int) -> Callable[[], object]:
        content = "start here\n" + "      \n" * blank_lines + "other\nlast line\n"
        return lambda: refused(content, "start here\n" + "\n" * blank_lines + "last line", "x")

    assert grows_linearly(build, 9)


@pytest.mark.slow
def test_words_that_stand_everywhere_do_not_hang_it() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""

    def build(words: int) -> Callable[[], object]:
        return lambda: refused(("a " * words + "zz\n") * 15, "a  " * (words * 3 // 2) + "zz", "x")

    assert grows_linearly(build, 1000)


@pytest.mark.slow
def test_a_long_list_of_edits_costs_about_as_much_in_both_modes() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""
    content = "".join(f"line {number} of it\n" for number in range(500))
    edits = [(f"line {number} of", f"row {number} of") for number in range(500)]

    assert costs_at_most(
        5,
        lambda: multiedit(content, edits, against="result"),
        lambda: multiedit(content, edits, against="original"),
    )


@pytest.mark.slow
def test_a_list_of_edits_of_many_places_is_not_quadratic() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""

    def build(lines: int) -> Callable[[], object]:
        return lambda: multiedit("ab\n" * lines, [("a", "c", True), ("c", "a", True)] * 4)

    assert grows_linearly(build, 2500, least=0.005)


def test_entities_that_the_new_text_has_of_its_own_stay() -> None:
    done = replace("<p>&copy; 2023</p>\n", "&lt;p&gt;&amp;copy; 2023&lt;/p&gt;", "<p>&copy; 2024</p>")
    assert done.text == "<p>&copy; 2024</p>\n"


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        ("alpha one\nbeta two\n", "alpha one\n&nbsp; &nbsp;\nbeta three", "x"),
        ("alpha one\nbeta two\n", "alpha one\n\xa0 \xa0\nbeta three", "x"),
        (
            "        if (y > bottom) {\n            header.add(1);\n        }\n        else {\n",
            "\t\tif (y > bottom) {\n\t\t\theader.add(1);\n\t\t} else {",
            "\t\tif (y > bottom) {\n\t\t\theader.add(1);\n\t\t}\n\t\telse {",
        ),
        (
            "@overload\ndef composite(\n    a: int,\n) -> C[_CC]:\n    ...\n\n\n@overload\ndef composite(\n",
            ") -> C[_CC]:\n    ...\n\n\ndef composite(\n",
            ") -> C[_CC]: ...\n\n\ndef composite(\n",
        ),
        (
            "    inner: bool,\n    name: str = None,\n    use_mapper_path: bool = False,\n) -> AliasedClass[_O]:\n",
            "    use_mapper_path: bool = False,\n) -> AliasedCltss[_O]:",
            "    name: str = None,\n    use_mapper_path: bool = False,\n) -> AliasedCltss[_O]:",
        ),
        (
            "count += 16\nresult = [config]\ndef user(name):\n  class alphabeta:\n\n\n",
            "count += 16\nresult  = [config]\ndef user(name):\n class alphabeta:\n\n",
            "count += 16\nresult  = [config]\ndef user(name):\n class alphabeta:\n\ncount = value",
        ),
        (
            "#ifndef HAS_STATE\n#define HAS_STATE\n * process it.\n#endif\n#define EOB_ACT 0\n",
            "#ifndef HAS_STATE\n#define HAS_STATE\ntypedef struct buffer *STATE;\n#endif",
            "#ifndef HAS_STATE\n#define HAS_STATE\ntypedef struct buffer *STATE;\n#endif\n#ifndef B\n#endif",
        ),
        (
            "  def info(conn) do\n    [server(conn), ask(conn)]\n    reason(conn)\n  end\n\n  defp server(port) do\n",
            "    [server(conn), ask(conn)]\n  end\n\n  defp server(port) do",
            "    [server(conn), ask(conn)]\n  end\n\n  defp close(port) do\n    port\n  end\n\n  defp server(port) do",
        ),
    ],
)
def test_an_edit_of_a_file_that_has_moved_on_is_refused(content: str, old: str, new: str) -> None:
    """Found by the benchmark: each was placed, or raised something that is none of ours."""
    refused(content, old, new)
