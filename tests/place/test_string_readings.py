"""String edits that were decorated or escaped on their way."""

from __future__ import annotations

import pytest
from tests.shared.string_results import refused

from suture import Concession, replace
from suture.core.patch import Hunk
from suture.place.escapes import decode_added, decode_new
from suture.place.readings import EditReading, _with_escapes

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


def test_each_other_reading_concedes_something_else() -> None:
    readings = EditReading("1| é &lt; b", "1| é &lt; c").other_readings("")
    notes = ["line_numbers", "characters_escaped", "html_entities"]
    assert list(dict.fromkeys("".join(reading.notes) for reading in readings)) == notes


def test_a_text_without_decoration_has_no_other_reading() -> None:
    assert list(EditReading("a && b;", "c").other_readings("a\n")) == []


def test_a_corrected_text_must_be_whole_lines() -> None:
    content = "## 1.2.0\n\n- Added a button.\n- Fixed.\n"
    old, new = "2.0\n\n\t- Added a button.\n- Fixed.\n", "2.0\n\n- Added a button.\n- Fixed.\n- Removed.\n"
    assert refused(content, old, new).code == "old_text_not_found"
    assert replace(content, f"## 1.{old}", f"## 1.{new}").text == f"{content}- Removed.\n"


@pytest.mark.parametrize(
    ("old", "new", "body", "corrected"),
    [
        ("first line of teh text\nb", "first line of the text\nc", "first line of the text\nb\n", True),
        ("first line of the texxxt\nb", "first line of the teyt\nc", "first line of the teyt\nb\n", True),
        ("first line of the texxxxt\nb", "first line of the teyt\nc", "first line of the teyt\nb\n", False),
        ("first line of teh text\nb", "first line of the text\nc", "other line\nb\n", False),
        (
            "first line of teh text\nb",
            "first line of the text\nc",
            "first line of teh text\nfirst line of the text\nb\n",
            False,
        ),
        ("a line 1\nb", "a line 2\nc", "a line 2\nb\n", False),
        ("abc\nb", "abd\nc", "abd\nb\n", False),
        ("a\nb", "a\nc", "a\nb\n", False),
        ("return flase\nb", "return false\nc", "return false\nb\n", False),
        ("one teh line\ntwo teh line\nsix teh line", *(("one the line\ntwo the line\nsix the line",) * 2), False),
        (
            "a teh one\na teh two\nb",
            "a the one\na the two\nc",
            "a the one\na the two\nb\n",
            False,
        ),
        (
            "now teh one line\nnow teh two line\n",
            "now the one line\nnow the two line\n",
            "now the one line\nnow the two line\n",
            True,
        ),
    ],
)
def test_a_line_that_the_new_text_has_right_corrects_the_old_one(
    old: str, new: str, body: str, *, corrected: bool
) -> None:
    notes = [reading.notes for reading in EditReading(old, new).other_readings(body)]
    assert notes == [("old_corrected",)] * corrected


def test_characters_of_two_escapes_and_of_ascii_stay() -> None:
    assert _with_escapes("a\x7f\x80é\uffff\U00010000") == "a\x7f\\u0080\\u00e9\\uffff\U00010000"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("", "a\n", ("+a",)),
        ("a", "b\n", ("-a", "+b", "+")),
        ("a\n", "b\n", ("-a", "+b")),
        ("a\n", "b", ("-a", "+b")),
    ],
)
def test_an_edit_is_a_hunk_of_whole_lines(old: str, new: str, lines: tuple[str, ...]) -> None:
    assert EditReading(old, new).hunk.lines == lines


QUOTE, TAB, NEWLINE = {'\\"': '"'}, {"\\t": "\t"}, {"\\n": "\n", "\\r": ""}


@pytest.mark.parametrize(
    ("old", "new", "way", "decoded"),
    [
        (r"a\nb", 'x("\\n")\nc', NEWLINE, None),
        ("a\\nb\nc", 'x("\\n")\nc', NEWLINE, None),
        (r"a\nb", r"a\nb\tc", NEWLINE, "a\nb\tc"),
        (r"a\nb", r'a\nb\tc "d"', NEWLINE, None),
        (r"a\nb", "a\nb\\tc", NEWLINE, None),
        (r"a\nb", r'a\n"c"', NEWLINE, 'a\n"c"'),
        ("key\tone", "key\ttwo", {"\t": "\\t"}, r"key\ttwo"),
        ("key\tone", "key\ttwo\\t", {"\t": "\\t"}, None),
        ("key\tone", "key\ttwo\nother\tline", {"\t": "\\t"}, "key\\ttwo\nother\tline"),
        (r'a(\"x\", "y")\nb', r'a(\"x\", \t)\n"c"', QUOTE | NEWLINE, None),
        (r"a\tb", "a\\tc\t", TAB, None),
        (r"a\tb", "a\\tc", TAB, "a\tc"),
        (r'f(\"x\") "y"', r'f(\"z\") "y"', QUOTE, 'f("z") "y"'),
        (r"f(\"x\")", r'f(\"z\") "y"', QUOTE, None),
        (r"f(\"x\")", r"f(\"z\", \t)", QUOTE, None),
        (r"f(\"x\")", "f(z)", QUOTE, "f(z)"),
        (r"f(\"x\")", 'f("z")', QUOTE, 'f("z")'),
    ],
)
def test_what_made_the_match_is_done_to_the_new_text(
    old: str, new: str, way: dict[str, str], decoded: str | None
) -> None:
    assert decode_new(new, old, way) == decoded


def test_what_made_the_match_is_done_to_the_added_lines() -> None:
    hunk = Hunk(('-say(\\"a\\")', '+say(\\"b\\")', ' \\"'))
    assert decode_added(hunk, QUOTE) == (Hunk(('-say(\\"a\\")', '+say("b")', ' \\"')), ("escapes_undone",))
    assert decode_added(Hunk(('-say(\\"a\\")',)), QUOTE) == (Hunk(('-say(\\"a\\")',)), ())
    assert decode_added(Hunk(('-say(\\"a\\")', '+say(\\"b\\", "c")')), QUOTE) is None


def test_entities_of_a_new_text_that_has_a_bracket_itself_are_its_own() -> None:
    done = replace('<a href="?x&amp;y">b</a>\n', '&lt;a href="?x&amp;amp;y"&gt;b', '<a href="?x&amp;z">b')
    assert done.text == '<a href="?x&amp;z">b</a>\n'


def test_an_edit_with_other_indentation_needs_no_other_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EditReading, "other_readings", None)
    assert replace("  a1\n  b1\n", "a1\nb1", "a2\nb1").text == "  a2\n  b1\n"
