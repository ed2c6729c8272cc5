"""String edits: the rules of SPEC §6, lists of edits, and the disasters that are known from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import Concession, replace
from suture.place import Span

if TYPE_CHECKING:
    from typing import Literal

from tests.shared.string_results import both_modes, refused, refused_list, told

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
    for shown in ("line 2: |    go(1)|, in |def a():| (line 1)", "line 5: |    go(1)|, in |def b():| (line 4)"):
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
        ("a\n  \nb\n", "  ", "a\nb\n"),
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
    [
        ("a b\n", "a", " b\n"),
        ("a;\nb\n", "a", ";\nb\n"),
        ("a\n\nb\n", "\n\n", "ab\n"),
        ("a\n \t \nb\n", "\t", "a\n  \nb\n"),
    ],
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


def test_an_edit_that_keeps_lines_in_between_has_one_place() -> None:
    done = replace("a\r\nb\r\nc\r\nd\r\n", "a\nb\nc", "x\nb\ny")
    assert (done.text, done.spans) == ("x\r\nb\r\ny\r\nd\r\n", (Span(0, 7, 1, 3),))


def test_a_text_keeps_whether_its_last_line_ends_in_a_newline() -> None:
    assert replace("a\nb", "b\n", "c\n").text == "a\nc"
    assert replace("a\n  b", "\tb\n", "\tc\n\td\n").text == "a\n  c\n  d"
    assert replace("a\nb\n", "\tb", "\tc").text == "a\nc\n"


@pytest.mark.parametrize(
    ("old", "new"), [("one", "1"), ("\ufeffone", "\ufeff1"), ("\ufeffone\ntwo", "\ufeff1\ntwo"), ("two", "\r\n2")]
)
def test_a_bom_stays_if_both_texts_have_it_or_neither(old: str, new: str) -> None:
    text = ("one\r\ntwo\r\n").replace(old.strip("\ufeff").replace("\n", "\r\n"), new.strip("\ufeff"))
    text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le"):
        done = replace("\ufeffone\r\ntwo\r\n".encode(encoding), old, new)
        assert done.text == ("\ufeff" + text).encode(encoding)
    assert replace("\ufeffone\r\ntwo\r\n", old, new).text == "\ufeff" + text


def test_a_bom_is_counted_in_a_place() -> None:
    [span] = replace("\ufeffone\ntwo\n", "two", "2").spans
    assert (span.start, span.end) == (5, 8)


def test_a_bom_is_not_doubled() -> None:
    assert replace("\ufeffone\n", "one", "\ufeff1").text == "\ufeff1\n"


def test_bytes_that_are_no_characters_stay() -> None:
    """SPEC §5: "an edit elsewhere in a Latin-1 file changes nothing else"."""
    assert replace(b"caf\xe9 = 1\nx = 2\n", "x = 2", "x = 3").text == b"caf\xe9 = 1\nx = 3\n"
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


@pytest.mark.parametrize(
    ("content", "old", "right"),
    [
        ("  a\n    b\n  c\n", "b", "  a\n  c\n"),
        ("  a\n    b\n    d\n  c\n", "b\n    d", "  a\n  c\n"),
        ("  a\n    b\n  c\n", "b\n", "  a\n  c\n"),
        ("  a\n    b \n  c\n", "b", "  a\n  c\n"),
        ("  a\r\n\tb\r\n  c\r\n", "b", "  a\r\n  c\r\n"),
        ("  a\n    b", "b", "  a"),
        ("  a\n    b", "\n    b", "  a"),
        ("  a\n  x b\n", " b", "  a\n  x\n"),
    ],
)
def test_an_edit_that_removes_whole_lines_leaves_no_blank_remains(content: str, old: str, right: str) -> None:
    """SPEC §13: "An edit that removes whole lines leaves no blank remains of their indentation." """
    assert replace(content, old, "").text == right
    both = content + "\n-\n" + content
    assert replace(both, old, "", replace_all=True).text in (f"{right}\n-\n{right}", f"{right}\n-{right}")


@pytest.mark.parametrize("text", ["  b\n\tb\nb\n", "x b\n  b\n", "b b\n b\n", "  b  \nb\n\n b\nc"])
def test_deleting_every_occurrence_is_what_its_spans_say(text: str) -> None:
    done = replace(text, "b", "", replace_all=True)
    parts, at = [], 0
    for span in done.spans:
        parts.append(text[at : span.start])
        at = span.end
    assert "".join((*parts, text[at:])) == done.text


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        ("a\r\nb\r\n", "a\r", "c\r", "c\r\nb\r\n"),
        ("a\r\nb\r\n", "a\r", "c", "c\r\nb\r\n"),
        ("a\nb\n", "a\r", "c\r", "c\nb\n"),
        ("a\rb\r", "a\r", "c\r", "c\rb\r"),
        ("a\nb\n", "a\rb", "c\rd", "c\nd\n"),
        ("a\nb\n", "a\rb\r", "c\rd\r", "c\nd\n"),
        ("a\nb\n", "b", "c\rd", "a\nc\nd\n"),
        ("\ufeffa\nb\n", "\ufeffa", "\ufeffc", "\ufeffc\nb\n"),
        ("\ufeffa\nb\n", "\ufeffb", "c", None),
        ("\ufeffa\nb\n", "b", "\ufeffc", "\ufeffa\n\ufeffc\n"),
        ("a\nb\n", "\ufeffa", "c", None),
        ("a\r\nb\r\nc", "b\r\nc", "b\r\n", "a\r\nb\r\n"),
        ("a\nb\nc", " b \n c ", " b ", "a\nb"),
    ],
)
def test_endings_and_byte_order_marks_of_an_edit_are_those_of_the_file(
    content: str, old: str, new: str, after: str | None
) -> None:
    """A carriage return at the end of both texts is half of an ending; it was written to the file a second time."""
    if after is None:
        assert refused(content, old, new).code == "old_text_not_found"
    else:
        assert replace(content, old, new).text == after


def test_every_occurrence_may_be_one_or_adjacent_lines() -> None:
    assert replace("a\n", "a", "b", replace_all=True).replacer == "multi-occurrence"
    done = replace("x\n\na\na\n", "\na", "", replace_all=True)
    assert (done.text, [(span.start, span.end) for span in done.spans]) == ("x\n\n", [(2, 4), (4, 6)])
    assert replace("x\naa", "a", "", replace_all=True).text == "x"


def test_every_occurrence_of_one_is_refused_where_it_is_applied_already() -> None:
    problem = refused("alpha = 1\nbeta = 1\n", "beta = 1", "alpha = 1\nbeta = 1", replace_all=True)
    assert problem.details["reason"] == "already_applied"
