"""String edits that were decorated or escaped on their way."""

from __future__ import annotations

import pytest
from tests.string_results import refused

from suture import Concession, replace

# Text that was decorated, or escaped on its way.


def test_line_numbers_of_a_viewer_are_taken_off_and_named() -> None:
    """Issue 3: "tried as a match only where exact fails and the result is unique, and named in the answer"."""
    content = "alpha = 1\nbeta = 2\ngamma = 3\n"
    for old, new in (
        ("1| alpha = 1\n2| beta = 2", "1| alpha = 1\n2| beta = 4"),
        ("     1\talpha = 1\n     2\tbeta = 2", "alpha = 1\nbeta = 4"),
        ("1: alpha = 1\n2: beta = 2\n", "1: alpha = 1\n2: beta = 4\n"),
        ("  2→beta = 2", "  2→beta = 4"),
    ):
        done = replace(content, old, new)
        assert (done.text, done.concessions) == ("alpha = 1\nbeta = 4\ngamma = 3\n", (Concession("line_numbers"),))
    done = replace(content, "1| alpha = 1\n2| beta = 2", "1| alpha = 1\n2| new = 0\n3| beta = 2")
    assert done.text == "alpha = 1\nnew = 0\nbeta = 2\ngamma = 3\n"


def test_line_numbers_that_the_file_has_are_no_decoration() -> None:
    done = replace("1: one\none\n", "1: one", "1: two")
    assert (done.text, done.concessions) == ("1: two\none\n", ())


def test_line_numbers_that_do_not_count_on_are_no_decoration() -> None:
    assert refused("alpha\nbeta\n", "1| alpha\n5| beta", "x").code == "old_text_not_found"


def test_a_text_that_is_unique_only_without_its_line_numbers_may_not_be_several() -> None:
    problem = refused("beta = 2\nbeta = 2\n", "2| beta = 2", "beta = 3")
    assert (problem.code, problem.details["lines"]) == ("multiple_matches", [1, 2])
    assert refused("beta = 2\nbeta = 2\n", "2| beta = 2", "beta = 3", replace_all=True).code == "multiple_matches"


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        ("CODES = {\n    1: one,\n}\n", "\t1: one,", "\t2: uno,", "CODES = {\n    2: uno,\n}\n"),
        (
            "\tif a &lt; b:\n\t\tgo()\nraw\nif a < b:\n    go()\n",
            "if a &lt; b:\n    go()",
            "if a &lt; b:\n    stop()",
            "\tif a &lt; b:\n\t\tstop()\nraw\nif a < b:\n    go()\n",
        ),
    ],
    ids=["a key that looks like a line number", "a page that shows its own source"],
)
def test_the_literal_reading_is_tried_first(content: str, old: str, new: str, text: str) -> None:
    """SPEC §3: "the literal reading is tried first and the other one only where the literal one has no place"."""
    assert replace(content, old, new).text == text


@pytest.mark.parametrize("content", ["2: dog\n", "pet = dog\n", "hotdogs\n"])
def test_a_line_without_its_number_must_be_a_whole_line(content: str) -> None:
    assert refused(content, "1: dog", "1: cow").code == "old_text_not_found"


def test_html_entities_are_decoded_and_named() -> None:
    done = replace("if a < b && c:\n", "if a &lt; b &amp;&amp; c:", "if a &lt; d &amp;&amp; c:")
    assert (done.text, done.concessions) == ("if a < d && c:\n", (Concession("html_entities"),))


def test_html_entities_that_the_file_has_stay() -> None:
    done = replace("<p>a &amp; b</p>\na & b\n", "a &amp; b", "a &amp; c")
    assert (done.text, done.concessions) == ("<p>a &amp; c</p>\na & b\n", ())
    assert refused("a & b\na & b\n", "a &amp; b", "x").code == "multiple_matches"


def test_escaped_quotes_are_undone_and_named() -> None:
    done = replace('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\", 1)')
    assert done.text == 'say("ho", 1)\n'
    assert done.concessions == (Concession("escapes"), Concession("escapes_undone"))


def test_a_quote_that_is_escaped_here_and_bare_there_may_mean_either() -> None:
    assert refused('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\", r"\\d")').code == "old_text_not_found"


def test_escapes_that_the_file_has_stay() -> None:
    done = replace('say("a\\tb \\"c\\"")\n', 'a\\tb \\"c\\"', 'a\\nb \\"d\\"')
    assert (done.text, done.concessions) == ('say("a\\nb \\"d\\"")\n', ())


def test_a_text_that_was_escaped_as_a_whole_is_unescaped_as_a_whole() -> None:
    old, new = 'if x:\n    print("hi")', 'if x:\n    print("hi\\n")'
    escaped = [text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') for text in (old, new)]
    assert replace(f"{old}\n", escaped[0], escaped[1]).text == f"{new}\n"


def test_a_line_that_the_new_text_keeps_keeps_its_escapes() -> None:
    """Characters that arrived for escapes are written only where a line changes."""
    done = replace('error("\\u00e9")\ncount = 1\n', 'error("é")\ncount = 1\n', 'error("é")\ncount = 2\n')
    assert done.text == 'error("\\u00e9")\ncount = 2\n'
    assert [one.name for one in done.concessions] == ["characters_escaped"]
