"""String edits: the rules of SPEC §6, lists of edits, and the disasters that are known from elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from suture import Concession, PatchRejectedError, Problem, StringEdit, multiedit, replace
from suture.apply import AppliedEdit, Replacement, Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

both_modes = pytest.mark.parametrize("against", ["result", "original"])


def told(done: Replacement) -> tuple[object, ...]:
    """All that an answer tells."""
    return done.text, done.replacer, done.spans, done.written, done.concessions, done.additions, done.deletions


def refused(content: str | bytes, old: str, new: str, *, replace_all: bool = False, **settings: Any) -> Problem:
    """The one problem of an edit."""
    with pytest.raises(PatchRejectedError) as raised:
        replace(content, old, new, replace_all, **settings)
    [problem] = raised.value.problems
    return problem


def refused_list(
    content: str | bytes, edits: Sequence[Any], against: Literal["result", "original"] = "result", **settings: Any
) -> list[tuple[str, object]]:
    """The codes and the indices of the problems of a list of edits."""
    with pytest.raises(PatchRejectedError) as raised:
        multiedit(content, edits, against=against, **settings)
    return [(problem.code, problem.details.get("editIndex")) for problem in raised.value.problems]


# The answer.


def test_the_answer_has_the_replacer_the_places_the_concessions_and_the_counts() -> None:
    """SPEC §6: "The answer names the replacer, the spans, the concessions, and the counts"."""
    assert told(replace("one\ntwo\nthree\n", "two\n", "2\n2\n")) == (
        "one\n2\n2\nthree\n",
        "simple",
        (Span(4, 8, 2, 2),),
        (Span(4, 8, 2, 3),),
        (),
        2,
        1,
    )
    assert told(replace("one\n  two\nthree\n", "\ttwo\n", "\t2\n")) == (
        "one\n  2\nthree\n",
        "line-trimmed",
        (Span(4, 10, 2, 2),),
        (Span(4, 8, 2, 2),),
        (Concession("indent"), Concession("indentation_shifted")),
        1,
        1,
    )


def test_places_count_characters_of_a_str_and_bytes_of_bytes() -> None:
    content = "\ufeffä\nö = 1\n"
    one, other = replace(content, "ö", "oe"), replace(content.encode(), "ö", "oe")
    assert (one.spans, one.written) == ((Span(3, 4, 2, 2),), (Span(3, 5, 2, 2),))
    assert (other.spans, other.written) == ((Span(6, 8, 2, 2),), (Span(6, 8, 2, 2),))
    assert (content[3:4], content.encode()[6:8]) == ("ö", "ö".encode())


@pytest.mark.parametrize(
    ("content", "old", "new", "counts"),
    [
        ("a\nb\nc\n", "b", "x", (1, 1)),
        ("a\nb\nc\n", "b\n", "", (0, 1)),
        ("a\nb\nc\n", "b\n", "b\nx\ny\n", (2, 0)),
        ("a\r\nb\r\nc\r\n", "b\r\n", "x\r\ny\r\n", (2, 1)),
        ("a\nb", "b", "x", (1, 1)),
    ],
)
def test_lines_that_come_and_go_are_counted(content: str, old: str, new: str, counts: tuple[int, int]) -> None:
    done = replace(content, old, new)
    assert (done.additions, done.deletions) == counts


@pytest.mark.parametrize(
    ("content", "old", "new", "counts"),
    [
        ("", "", "x", (1, 0)),
        ("x", "x", "", (0, 1)),
        ("a\rb\rc\r", "b\r", "x\ry\r", (2, 1)),
        ("a\r\nb", "b\n", "b\nc\n", (1, 0)),
    ],
)
def test_lines_that_come_and_go_are_counted_in_odd_texts(
    content: str, old: str, new: str, counts: tuple[int, int]
) -> None:
    done = replace(content, old, new)
    assert (done.additions, done.deletions) == counts


# Which place.


def test_the_first_replacer_with_any_place_decides() -> None:
    """SPEC §6: "a looser one is not asked when a stricter one found several"."""
    assert replace("  go(1)\ngo(1) + x\n", "  go(1)", "  go(2)").text == "  go(2)\ngo(1) + x\n"
    assert refused("go(1)\ngo(1)\n", "go(1)", "x").code == "multiple_matches"
    # Trimmed it stands three times, exactly only once.
    assert replace("go(1)\n\tgo(1)\n  go(1)\n", "\tgo(1)", "\tgo(2)").text == "go(1)\n\tgo(2)\n  go(1)\n"


def test_several_places_are_listed_with_their_lines() -> None:
    problem = refused("def a():\n    go(1)\n\ndef b():\n    go(1)\n", "go(1)", "x", path="a.py")
    assert (problem.code, problem.path, problem.details["lines"]) == ("multiple_matches", "a.py", [2, 5])
    for shown in ("line 2: |    go(1)| in |def a():|", "line 5: |    go(1)| in |def b():|"):
        assert shown in problem.message


def test_two_places_that_differ_only_in_white_space_are_two_places() -> None:
    """SPEC §6: "Each yields spans (start, end), not strings"."""
    problem = refused("alpha   beta\nalpha\tbeta\n", "alpha beta", "x")
    assert (problem.code, problem.details["lines"]) == ("multiple_matches", [1, 2])


@pytest.mark.parametrize(
    ("taken", "asked", "code"),
    [
        # n lines for which max(n + 3, 2n) or more would go.
        ("call(\nfirst,\nlast)", "call( first, last)", None),
        ("call(\nfirst,\nlast\n)", "call( first, last )", "disproportionate"),
        ("call(\nfirst,\nmiddle,\nlast)", "call(\nfirst, middle, last)", None),
        ("call(\nfirst,\nmiddle,\nlast\n)", "call(\nfirst, middle, last )", "disproportionate"),
    ],
)
def test_a_place_much_longer_than_the_old_text_is_refused(taken: str, asked: str, code: str | None) -> None:
    """SPEC §6: "A span much longer than `old` is refused: at least max(n + 3, 2n) lines for n"."""
    content = f"first\n{taken}\nlast\n"
    if code is None:
        assert replace(content, asked, "y").text == "first\ny\nlast\n"
    else:
        assert refused(content, asked, "y").details["reason"] == code


def test_a_place_of_far_more_characters_than_the_old_text_is_refused() -> None:
    """SPEC §6: "for an `old` of several lines, over max(c + 500, 4c) characters for c"."""
    content = "first" + " " * 600 + "= 1\nsecond = 2\n"
    assert refused(content, "first = 1\nsecond = 2", "z").details["reason"] == "disproportionate"
    assert replace("first" + " " * 400 + "= 1\nsecond = 2\n", "first = 1\nsecond = 2", "z").text == "z\n"


def test_lines_that_the_new_text_keeps_keep_the_bytes_of_the_file() -> None:
    """SPEC §6: "lines of `old` that `new` keeps are context, keep the file's bytes"."""
    content = "if x:  \n\tsay(“hi”)\n\tgo(1)\n"
    done = replace(content, 'if x:\n    say("hi")\n    go(1)', 'if x:\n    say("hi")\n    go(2)')
    assert done.text == "if x:  \n\tsay(“hi”)\n\tgo(2)\n"


# Parts of lines, several lines, newlines at the ends.


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        ("x = call(1) + y\n", "call(1)", "f()", "x = f() + y\n"),
        ("one\ntwo three\n", "one\ntwo", "1\n2", "1\n2 three\n"),
        ("one two\nthree\n", "two\nthree\n", "2\n3\n", "one 2\n3\n"),
        ("a\n\n\nb\n", "\n\n\n", "\n", "a\nb\n"),
        ("a\nb\nc\n", "\nb\n", "\n", "a\nc\n"),
        ("a\nb\nc\n", "b\n", "", "a\nc\n"),
        ("a\nb\nc\n", "\nb", "\nx\ny", "a\nx\ny\nc\n"),
        ("a\nb", "a\nb", "a\nb\n", "a\nb\n"),
        ("a\nb\n", "b\n", "b", "a\nb"),
        ("a", "a", "\n", "\n"),
        ("  a\n", "a\n", "b\n", "  b\n"),
    ],
)
def test_an_exact_part_of_the_text_is_replaced_as_it_is(content: str, old: str, new: str, text: str) -> None:
    done = replace(content, old, new)
    assert (done.text, done.replacer, done.concessions) == (text, "simple", ())


# Deletion.


@pytest.mark.parametrize(
    ("content", "old", "text"),
    [
        ("a\nb\nc\n", "b", "a\nc\n"),
        ("a\nb\nc\n", "a\nb", "c\n"),
        ("a\nb\nc\n", "c", "a\nb\n"),
        ("a\nb\nc", "c", "a\nb"),
        ("a\nb\nc", "b\nc", "a"),
        ("a\r\nb\r\nc", "c", "a\r\nb"),
        ("a\r\nb\r\nc\r\n", "b", "a\r\nc\r\n"),
        ("a\rb\rc\r", "b", "a\rc\r"),
        ("a", "a", ""),
        ("a\n", "a", ""),
        ("a\n\nb\n", "a\n", "\nb\n"),
        # Found loosely, as whole lines.
        ("a\n    b = 1 \nc\n", "\tb = 1", "a\nc\n"),
        ("a\n    b = 1 ", "  b = 1\n", "a"),
        ("a\r\n    b = 1 ", "  b = 1\n", "a"),
        ("\tb = 1", "    b = 1", ""),
    ],
)
def test_lines_that_are_deleted_leave_no_empty_line(content: str, old: str, text: str) -> None:
    """Issue 3: deletion leaves no empty line "when `old` covers whole lines without the last newline"."""
    assert replace(content, old, "").text == text


@pytest.mark.parametrize(
    ("content", "old", "text"),
    [("a b\n", "a", " b\n"), ("  a\n", "a", "  \n"), ("a;\nb\n", "a", ";\nb\n"), ("a\n\nb\n", "\n\n", "ab\n")],
)
def test_a_part_of_a_line_that_is_deleted_leaves_the_line(content: str, old: str, text: str) -> None:
    assert replace(content, old, "").text == text


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        ("    return call(first,\n        last)\nx\n", "return call(first, last)\n", "", "x\n"),
        ("    return call(first,\n        last)\nx\n", "return call(first, last)", "", "x\n"),
        ("a\n  name  \nb\n", "\nname\n", "\n", "a\nb\n"),
        ("a\n  name\nb\n", "\n\nname\n\n", "", "a\nb\n"),
    ],
)
def test_lines_that_are_found_loosely_and_deleted_leave_no_blanks(content: str, old: str, new: str, text: str) -> None:
    assert replace(content, old, new).text == text


def test_lines_that_are_all_deleted_leave_no_empty_lines() -> None:
    assert replace("x\na\nx\nx b\n", "x", "", replace_all=True).text == "a\n b\n"
    assert replace("a\nx\nb\nx", "x", "", replace_all=True).text == "a\nb"


@pytest.mark.parametrize("old", ["x = 1", "\tx = 1"])
def test_the_last_lines_that_are_all_deleted_leave_the_end_of_the_file_as_it_was(old: str) -> None:
    done = replace("a\nx = 1\nx = 1", old, "", replace_all=True)
    assert done.text == "a"
    assert max(span.end for span in done.spans) == len("a\nx = 1\nx = 1")


# `new` is literal.


@pytest.mark.parametrize("new", ["$&", "$1 $$ $` $'", r"\1", r"\g<0>", r"a\nb", r"\t", "%s", "{0}", r"\\", "\\"])
def test_the_new_text_is_taken_literally(new: str) -> None:
    """SPEC §6: "`new` is taken literally (no `$&`, no backslash expansion)"."""
    assert replace("x = 1\n", "1", new).text == f"x = {new}\n"
    assert replace("  x = 1\n", "\tx = 1", f"\t{new}").text == f"  {new}\n"
    assert replace("total  =  1\n", "total = 1", new).text == f"{new}\n"
    assert replace("1 1\n", "1", new, replace_all=True).text == f"{new} {new}\n"


# Line endings, BOM, encodings.


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("sent", ["\n", "\r\n", "\r"])
def test_the_new_text_gets_the_line_endings_of_the_file(ending: str, sent: str) -> None:
    content = ending.join(["one", "two", "three", ""])
    done = replace(content, sent.join(["one", "two"]), sent.join(["1", "2", "2"]))
    assert done.text == ending.join(["1", "2", "2", "three", ""])


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        # A line that is kept keeps its own; one that comes in gets the one that most lines have.
        ("a\nb\r\nc\r\nd\r\n", "a\nb\nc", "a\nx\nc", "a\nx\r\nc\r\nd\r\n"),
        ("a\r\nb\nc\nd\n", "a\nb", "a\nB", "a\r\nB\nc\nd\n"),
        ("a\rb\nc\n", "a\nb", "a\nB\nC", "a\rB\nC\nc\n"),
        # Loosely too.
        ("\ta = 1\n\tb = 2\r\n\tc = 3\r\n", "  a = 1\n  b = 2", "  a = 1\n  x = 2", "\ta = 1\n\tx = 2\r\n\tc = 3\r\n"),
        ("a\r\nb\r\nc\n", "c", "x\ny", "a\r\nb\r\nx\r\ny\n"),
    ],
)
def test_lines_that_are_kept_keep_their_endings(content: str, old: str, new: str, text: str) -> None:
    """SPEC §5: "A text keeps, line by line, its own ending (LF, CRLF, CR)"."""
    assert replace(content, old, new).text == text


def test_a_text_keeps_whether_its_last_line_ends_in_a_newline() -> None:
    assert replace("a\nb", "b\n", "c\n").text == "a\nc"
    assert replace("a\n  b", "\tb\n", "\tc\n\td\n").text == "a\n  c\n  d"
    assert replace("a\nb\n", "\tb", "\tc").text == "a\nc\n"


@pytest.mark.parametrize(
    ("old", "new"), [("one", "1"), ("\ufeffone", "\ufeff1"), ("\ufeffone\ntwo", "1\ntwo"), ("two", "\r\n2")]
)
def test_a_bom_stays_whether_the_edit_has_it_or_not(old: str, new: str) -> None:
    text = ("one\r\ntwo\r\n").replace(old.strip("\ufeff").replace("\n", "\r\n"), new.strip("\ufeff"))
    text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le"):
        done = replace("\ufeffone\r\ntwo\r\n".encode(encoding), old, new)
        assert done.text == ("\ufeff" + text).encode(encoding)
    assert replace("\ufeffone\r\ntwo\r\n", old, new).text == "\ufeff" + text


def test_a_bom_is_not_doubled() -> None:
    assert replace("\ufeffone\n", "one", "\ufeff1").text == "\ufeff1\n"


def test_bytes_that_are_no_characters_stay() -> None:
    """SPEC §5: "an edit elsewhere in a Latin-1 file changes nothing else"."""
    assert replace(b"caf\xe9 = 1\nx = 2\n", "x = 2", "x = 3").text == b"caf\xe9 = 1\nx = 3\n"
    assert replace(b"caf\xe9 = 1\nx = 2\n", "= 1", "= \xe9").text == b"caf\xe9 = \xc3\xa9\nx = 2\n"
    assert replace(b"\xff  \n\tx = 2\n", "  x = 2", "  x = 3").text == b"\xff  \n\tx = 3\n"


def test_a_named_encoding_is_read_and_written() -> None:
    done = replace("café\n".encode("latin-1"), "café", "thé", encoding="latin-1")
    assert told(done) == ("thé\n".encode("latin-1"), "simple", (Span(0, 4, 1, 1),), (Span(0, 3, 1, 1),), (), 1, 1)
    assert refused(b"price\n", "price", "€", encoding="latin-1").code == "encoding_error"
    assert refused(b"a\0b\n", "a", "b").code == "binary_file"


@both_modes
def test_a_character_that_the_encoding_lacks_is_a_problem_of_a_list_too(against: Literal["result", "original"]) -> None:
    edits = [("one", "1"), ("price", "€")]
    assert refused_list(b"one price\n", edits, against, encoding="latin-1") == [("encoding_error", 1)]


# Indentation.


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        (
            "\tif x:\n\t\tgo()\n",
            "if x:\n    go()",
            "if x:\n    if y:\n        go()",
            "\tif x:\n\t\tif y:\n\t\t\tgo()\n",
        ),
        ("    a = 1\n    b = 2\n", "a = 1\nb = 2", "a = 1\n\nc = 3", "    a = 1\n\n    c = 3\n"),
        ("  a = 1\n", "        a = 1", "        a = 2\n            b = 3", "  a = 2\n      b = 3\n"),
    ],
)
def test_the_new_text_is_shifted_by_as_much_as_the_old_one_is_off(content: str, old: str, new: str, text: str) -> None:
    done = replace(content, old, new)
    assert (done.text, done.concessions[-1]) == (text, Concession("indentation_shifted"))


def test_where_the_old_lines_are_off_by_different_amounts_the_depth_of_new_ones_is_unknown() -> None:
    """SPEC §13: "where both readings are possible and differ, refuse"."""
    content, old = "    alpha = 1\n  beta = 2\n      delta = 4\n", "alpha = 1\nbeta = 2\ndelta = 4"
    assert refused(content, old, "gamma = 3").code == "multiple_matches"


# Nothing to do.


def test_an_old_text_that_is_the_new_one_is_an_error() -> None:
    """SPEC §6: "`old == new` is an error"."""
    for content, text in (("a\n", "a"), ("a\n", "b"), ("", ""), ("a\n", "")):
        assert refused(content, text, text).code == "no_change"


def test_an_edit_that_makes_no_difference_is_an_error() -> None:
    assert refused("a\r\nb\r\n", "a\n", "a\r\n").code == "no_change"
    assert refused("say(“hi”)  \n", 'say("hi")\n', 'say("hi")').code == "no_change"


def test_an_empty_old_text_fills_an_empty_file() -> None:
    """SPEC §6: "`old == ""` creates the file; on an existing file it is an error unless the file is empty"."""
    assert replace("", "", "a\nb\n").text == "a\nb\n"
    assert replace(b"", "", "ä").text == "ä".encode()
    assert replace("\ufeff", "", "a").text == "\ufeffa"
    for content in ("a", "\n", " "):
        assert refused(content, "", "b").code == "invalid_arguments"
    assert refused("a", "", "b", replace_all=True).code == "invalid_arguments"


def test_an_empty_file_has_no_other_text() -> None:
    problem = refused("", "a", "b")
    assert (problem.code, problem.details["reason"]) == ("old_text_not_found", "context_not_found")


@pytest.mark.parametrize(
    ("content", "old", "new", "code"),
    [
        ("x = 2\n", "x = 1", "x = 2", "old_text_not_found"),
        ("def f():\n    return 2\n", "def f():\n    return 1", "def f():\n    return 2", "old_text_not_found"),
        (
            "def f():\n  one()\n  two()\n  three()\n",
            "def f():\n",
            "def f():\n  one()\n  two()\n  three()\n",
            "patch_apply_error",
        ),
    ],
)
def test_an_edit_that_was_made_before_is_told_so(content: str, old: str, new: str, code: str) -> None:
    problem = refused(content, old, new)
    assert (problem.code, problem.details["reason"], problem.details["line"]) == (code, "already_applied", 1)


def test_a_content_over_the_limit_is_refused() -> None:
    assert refused("abc", "a", "b", max_size=2).code == "file_too_large"
    assert refused_list("abc", [("a", "b")], max_size=2) == [("file_too_large", None)]


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


# Placeholders.

PLACEHOLDERS = [
    "# ... rest of the code ...",
    "    # ... existing code ...",
    "// existing code",
    "// ... existing code ...",
    "// ...existing code...",
    "// Rest of the code remains the same",
    "# rest of the function stays the same",
    "/* ... rest of file unchanged ... */",
    "<!-- ... existing content ... -->",
    "{/* ... existing code ... */}",
    "// ... (rest of the methods)",
    "... rest of code ...",
    "… rest of the file …",
    "[... rest of the file ...]",
    "(rest of the code unchanged)",
    "# remaining code omitted for brevity",
    "// same as before",
    "# [rest of file]",
    "-- existing code",
    "// ... previous code",
    "... (truncated)",
    "# unchanged code",
]
NO_PLACEHOLDERS = [
    "# the rest of the frame is padding",
    "...",
    "    ...",
    "// Remaining time in seconds",
    "# Remaining items",
    "// existing users",
    "# existing users keep their role",
    "    pass  # ...",
    "  ...props,",
    "const { a, ...rest } = props;",
    "[...rest, last]",
    "# Use the existing code path",
    "// The rest of the bytes",
    "# the rest is padding",
    "# Original file",
    "// previous line",
    "# unchanged",
    "# rest",
    "- existing code must be kept",
    "## The rest of the file",
    "print('existing code')",
    "# TODO: ... later",
    "// same as before, but async",
    "#existing { color: red }",
    "// before all tests",
    "raise NotImplementedError  # ... the rest",
    "for line in rest_of_the_file:",
    "See the existing code...",
]


@pytest.mark.parametrize("line", PLACEHOLDERS)
def test_a_placeholder_is_refused(line: str) -> None:
    """Issue 3: "Placeholders in added text … that are not in `old`: refused with a hint (a setting)."."""
    problem = refused("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}")
    assert (problem.code, problem.details["reason"], problem.details["line"]) == (
        "invalid_arguments",
        "placeholder",
        line,
    )
    assert replace("a = 1\n", "a = 1", line, allow_placeholders=True).text == f"{line}\n"
    assert replace(f"a = 1\n{line}\n", f"a = 1\n{line}", f"a = 2\n  {line}").text == f"a = 2\n  {line}\n"


@pytest.mark.parametrize("line", NO_PLACEHOLDERS)
def test_code_and_comments_are_no_placeholders(line: str) -> None:
    assert replace("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}").text == f"a = 2\n{line}\nb = 2\n"


@pytest.mark.parametrize(
    "line",
    [
        "...rest",
        "    ...rest,",
        "    ...original,",
        '    "rest of file",',
        "'existing code',",
        "'same as before...',",
        "# rest of the line",
        "// remaining lines",
        "* existing tests",
        "### Remaining methods",
    ],
)
def test_more_code_and_comments_are_no_placeholders(line: str) -> None:
    assert replace("a = 1\nb = 2\n", "a = 1", f"a = 2\n{line}").text == f"a = 2\n{line}\nb = 2\n"


@pytest.mark.parametrize(
    "line",
    [
        "// ... other methods ...",
        "# ... more code ...",
        "// keep existing code",
        "# Keep the rest of the code as is",
        "// other methods remain unchanged",
        "# your existing code here",
        "// Implementation remains the same",
        "<!-- rest of the page -->",
        "/* existing styles */",
        "# (code omitted for brevity)",
    ],
)
def test_more_placeholders_are_refused(line: str) -> None:
    assert refused("a = 1\nb = 2\n", "a = 1\nb = 2", f"a = 2\n{line}").details["reason"] == "placeholder"


# Control characters.


@pytest.mark.parametrize("odd", ["\0", "\x07", "\x08", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters_are_not_brought_in(odd: str) -> None:
    """SPEC §5: "New control characters (but tab and form feed) in added text are refused, with a setting."."""
    problem = refused("a = 1\n", "1", f"2{odd}")
    assert (problem.code, problem.details["reason"], problem.details["character"]) == (
        "encoding_error",
        "control_character",
        ord(odd),
    )
    assert replace("a = 1\n", "1", f"2{odd}", allow_control=True).text == f"a = 2{odd}\n"


def test_control_characters_that_are_there_may_stay() -> None:
    assert replace("a = '\x1b'\n", "a = '\x1b'", "b = '\x1b'").text == "b = '\x1b'\n"
    assert replace("a\n", "a", "b\f\tc").text == "b\f\tc\n"
    assert replace("a\x07b\n", "b", "c").text == "a\x07c\n"


# Lists of edits.


def test_a_list_is_done_in_order_each_on_the_result_of_the_one_before() -> None:
    """SPEC §6: "`multiedit` applies a list in order, each on the result of the one before, all or none"."""
    done = multiedit("one\ntwo\n", [("one", "two three"), ("two three\ntwo", "2"), StringEdit("2", "zwei")])
    assert done.text == "zwei\n"


def test_the_answer_to_a_list_has_the_places_in_the_content_and_in_the_text() -> None:
    content = "one\ntwo\nthree\n"
    done = multiedit(content, [("three", "3"), ("one\n", "1\n1\n"), ("\ttwo", "\t2")])
    assert (done.text, done.additions, done.deletions) == ("1\n1\n2\n3\n", 4, 3)
    assert done.edits == (
        AppliedEdit("simple", (Span(8, 13, 3, 3),), (Span(6, 7, 4, 4),), ()),
        AppliedEdit("simple", (Span(0, 4, 1, 1),), (Span(0, 4, 1, 2),), ()),
        AppliedEdit(
            "line-trimmed",
            (Span(4, 8, 2, 2),),
            (Span(4, 6, 3, 3),),
            (Concession("indent"), Concession("indentation_shifted")),
        ),
    )


@both_modes
@pytest.mark.parametrize("encoding", ["", "utf-8", "utf-16"])
def test_the_places_of_a_list_are_where_the_texts_are(against: Literal["result", "original"], encoding: str) -> None:
    text = "ä = 1\r\nb = 2\r\nö = 3\r\nd = 4"
    content = text.encode(encoding) if encoding else text
    edits = [("ö = 3", "oe = 33"), ("ä = 1\n", ""), ("  d = 4", "  d = 5")]
    done = multiedit(content, edits, against=against)
    bom = len(content) - len(text.encode("utf-16-le")) if encoding == "utf-16" else 0
    codec = "utf-16-le" if encoding == "utf-16" else encoding or "utf-8"

    def at(whole: str | bytes, span: Span) -> str:
        part = whole[span.start : span.end]
        return part if isinstance(part, str) else part.decode(codec)

    assert at(done.text, Span(bom, len(done.text), 0, 0)) == "b = 2\r\noe = 33\r\nd = 5"
    assert [at(content, span) for edit in done.edits for span in edit.spans] == ["ö = 3", "ä = 1\r\n", "d = 4"]
    assert [at(done.text, span) for edit in done.edits for span in edit.written] == ["oe = 33", "", "d = 5"]
    lines = [(span.first_line, span.last_line) for edit in done.edits for span in (*edit.spans, *edit.written)]
    assert lines == [(3, 3), (2, 2), (1, 1), (1, 1), (4, 4), (3, 3)]


def test_an_edit_of_what_another_one_wrote_is_where_that_was() -> None:
    done = multiedit("a b c\n", [("b", "bbb ddd"), ("ddd", "d")])
    assert [edit.spans for edit in done.edits] == [(Span(2, 3, 1, 1),)] * 2
    assert [done.text[span.start : span.end] for edit in done.edits for span in edit.written] == ["bbb d", "d"]


def test_edits_in_several_places_of_what_another_one_wrote_are_where_that_was() -> None:
    done = multiedit("x\n", [("x", "aa"), ("a", "b", True)])
    assert [edit.spans for edit in done.edits] == [(Span(0, 1, 1, 1),), (Span(0, 1, 1, 1),) * 2]


@pytest.mark.parametrize(
    ("content", "edit", "written"),
    [
        ("a\nb\nz\n", ("b\n", "b\nc\n"), "b\nc\n"),
        ("", ("", "x\n"), "x\n"),
        ("a\n  beta\n", ("\tbeta\n", "\tbeta\n\tc\n"), "  beta\n  c\n"),
    ],
)
def test_what_was_added_to_a_place_of_the_original_is_part_of_what_was_written(
    content: str, edit: tuple[str, str], written: str
) -> None:
    done = multiedit(content, [edit], against="original")
    [span] = done.edits[0].written
    assert done.text[span.start : span.end] == written


def test_edits_of_the_original_do_not_see_one_another() -> None:
    done = multiedit("a\nb\n", [("a", "b"), ("b", "a")], against="original")
    assert done.text == "b\na\n"
    assert multiedit("a\nb\n", [("b", "x"), ("a", "b")]).text == "b\nx\n"


def test_edits_of_the_original_may_share_lines_that_both_keep() -> None:
    done = multiedit("a\nb\nc\n", [("a\nb", "A\nb"), ("b\nc", "b\nC")], against="original")
    assert done.text == "A\nb\nC\n"


@pytest.mark.parametrize(
    ("content", "edits", "written"),
    [
        ("a\nb\nc\n", [("b", ""), ("a\nb", "A\nb")], ["", "A\n"]),
        ("\n    }\n", [("    }", ""), ("\n ", "}\n ")], ["", "}\n"]),
    ],
    ids=["a line that the other keeps", "it raises IndexError"],
)
def test_a_line_that_one_edit_of_the_original_keeps_may_go_by_another(
    content: str, edits: list[tuple[str, str]], written: list[str]
) -> None:
    done = multiedit(content, edits, against="original")
    assert [done.text[span.start : span.end] for edit in done.edits for span in edit.written] == written


@pytest.mark.parametrize(
    "edits",
    [
        [("a\nb", "x"), ("b\nc", "y")],
        [("b", "x"), ("b", "y")],
        [("a\nb\nc", "x"), ("b", "y")],
        [("b", "y"), ("a\nb\nc", "x")],
        [("b\n", "b\nx\n"), ("b\n", "b\ny\n")],
    ],
)
def test_edits_of_the_original_that_overlap_are_refused(edits: list[tuple[str, str]]) -> None:
    """Issue 3: "overlaps refused (`overlapping_edits`)"."""
    assert refused_list("a\nb\nc\n", edits, "original") == [("overlapping_edits", 1)]


def test_the_last_two_lines_may_be_deleted_by_two_edits_of_the_original() -> None:
    assert multiedit("a\nb\nc", [("b", ""), ("c", "")]).text == "a"
    assert multiedit("a\nb\nc", [("b", ""), ("c", "")], against="original").text == "a"


def test_the_edit_that_fails_is_named() -> None:
    edits = [("a", "b"), ("lost", "x"), ("lost too", "y")]
    assert refused_list("a\nc\n", edits) == [("old_text_not_found", 1)]
    assert refused_list("a\nc\n", edits, "original") == [("old_text_not_found", 1), ("old_text_not_found", 2)]


@both_modes
@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (("lost", "x"), "old_text_not_found"),
        (("z", "x"), "multiple_matches"),
        (("q", "q"), "no_change"),
        (("", "q"), "invalid_arguments"),
        (("q", "# ... existing code ..."), "invalid_arguments"),
        (("q", "\x07"), "encoding_error"),
    ],
)
def test_all_are_done_or_none(against: Literal["result", "original"], edit: tuple[str, str], code: str) -> None:
    assert refused_list("a\nq\nz\nz\n", [("a", "b"), edit], against) == [(code, 1)]


@pytest.mark.parametrize(
    "edit",
    [
        ("a", "b"),
        ["a", "b"],
        ("a", "b", False),
        StringEdit("a", "b"),
        {"old": "a", "new": "b"},
        {"oldString": "a", "newString": "b"},
        {"old_string": "a", "new_string": "b", "replace_all": True},
        {"oldString": "a", "newString": "b", "replaceAll": False},
    ],
)
def test_an_edit_of_a_list_may_be_written_in_several_ways(edit: Any) -> None:
    assert multiedit("a\n", [edit]).text == "b\n"
    assert multiedit("a\n", iter([edit])).text == "b\n"


@pytest.mark.parametrize(
    "edit", [("a",), ("a", "b", True, 1), "ab", None, {"old": "a"}, ("a", 1), {"old": "a", "new": "b", "replaceAll": 1}]
)
def test_what_is_no_edit_is_refused_with_its_index(edit: Any) -> None:
    assert refused_list("a\n", [("a", "b"), edit]) == [("invalid_arguments", 1)]


def test_a_list_of_no_edits_is_refused() -> None:
    assert refused_list("a\n", []) == [("invalid_arguments", None)]


def test_a_mode_that_does_not_exist_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="against"):
        multiedit("a\n", [("a", "b")], against="both")  # type: ignore[arg-type]


def test_an_empty_file_may_be_filled_by_a_list() -> None:
    assert multiedit("", [("", "a\nb\n"), ("b", "c")]).text == "a\nc\n"


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
    assert replace(content, "\\treturn 1\n", new.replace("\t", "\\t", 1)).text == f"func a() {{\n{new}}}\n"


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
    started = time.process_time()
    content = "start here\n" + "      \n" * 9 + "other\nlast line\n"
    refused(content, "start here\n" + "\n" * 9 + "last line", "x")
    assert time.process_time() - started < 0.3


@pytest.mark.slow
def test_words_that_stand_everywhere_do_not_hang_it() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""
    started = time.process_time()
    refused(("a " * 1000 + "zz\n") * 15, "a  " * 1500 + "zz", "x")
    assert time.process_time() - started < 0.5


@pytest.mark.slow
def test_a_long_list_of_edits_costs_about_as_much_in_both_modes() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""
    content = "".join(f"line {number} of it\n" for number in range(500))
    edits = [(f"line {number} of", f"row {number} of") for number in range(500)]

    def seconds(against: Literal["result", "original"]) -> float:
        started = time.process_time()
        multiedit(content, edits, against=against)
        return time.process_time() - started

    assert seconds("result") < 5 * seconds("original")


@pytest.mark.slow
def test_a_list_of_edits_of_many_places_is_not_quadratic() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""

    def cost(lines: int) -> float:
        started = time.process_time()
        multiedit("ab\n" * lines, [("a", "c", True), ("c", "a", True)] * 4)
        return time.process_time() - started

    cost(10)
    assert min(cost(1000) for _ in range(3)) < 10 * min(cost(250) for _ in range(3))


def test_entities_that_the_new_text_has_of_its_own_stay() -> None:
    done = replace("<p>&copy; 2023</p>\n", "&lt;p&gt;&amp;copy; 2023&lt;/p&gt;", "<p>&copy; 2024</p>")
    assert done.text == "<p>&copy; 2024</p>\n"


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        ("alpha one\nbeta two\n", "alpha one\n&nbsp; &nbsp;\nbeta three", "x"),
        ("alpha one\nbeta two\n", "alpha one\n\xa0 \xa0\nbeta three", "x"),
        (
            "from contextvars import ContextVar\nledger typing import Callable, Iterator\n\nimport anyio\n",
            "from contextvars import ContextVar\n\n",
            "from contextvars import ContextVar\nfrom typing import Callable, Iterator\n\n",
        ),
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
    ],
)
def test_an_edit_of_a_file_that_has_moved_on_is_refused(content: str, old: str, new: str) -> None:
    """Found by the benchmark: each was placed, or raised something that is none of ours."""
    refused(content, old, new)
