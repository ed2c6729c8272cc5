"""Lists of string edits: in order, all or none, with their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import Concession, PatchRejectedError, StringEdit, multiedit, replace
from suture.core.text import Text
from suture.place import AppliedEdit, Span
from suture.place.replace import spans_of

if TYPE_CHECKING:
    from typing import Any, Literal

from tests.shared.string_results import both_modes, refused_list

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
        ("a\nb\nz\n", ("b\n", "b\nc\n"), "c\n"),
        ("", ("", "x\n"), "x\n"),
        ("a\n  beta\n", ("\tbeta\n", "\tbeta\n\tc\n"), "  c\n"),
    ],
)
def test_what_was_added_to_a_place_of_the_original_is_what_was_written(
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
        ("a\nb\nc\n", [("a\nb\nc", "A\nb\nC"), ("b", "B")], ["A\n", "C", "B"]),
        ("a\nb\nc\n", [("b", ""), ("a\nb", "A\nb")], ["", "A\n"]),
        ("\n    }\n", [("    }", ""), ("\n ", "}\n ")], ["", "}\n"]),
    ],
    ids=["a line between two that the other changes", "a line that the other keeps", "it raises IndexError"],
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


def test_lines_may_be_inserted_next_to_a_line_that_another_edit_of_the_original_changes() -> None:
    edits = [("b\n", "B\n"), ("a\n", "a\nx\n"), ("c\n", "y\nc\n")]
    assert multiedit("a\nb\nc\n", edits, against="original").text == "a\nx\nB\ny\nc\n"


def test_an_overlap_is_told_with_its_line_whatever_the_line_endings() -> None:
    for newline in ("\n", "\r\n", "\r"):
        content = newline.join(["one", "two", "three", ""])
        with pytest.raises(PatchRejectedError) as raised:
            multiedit(content, [("two", "2"), ("two", "zwei")], against="original", path="a.txt")
        [problem] = raised.value.problems
        assert problem.message == "Edit 2 of 2 changes the same place as edit 1: line 2 of a.txt, |two|."


def test_the_edit_that_breaks_the_syntax_is_named() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        multiedit("a = 1\nb = [1,  2]\n", [("a = 1", "a = 2"), ("b = [1, 2]", "b = [1, 2")], path="a.py")
    [problem] = raised.value.problems
    assert problem.message.startswith("Edit 2 of 2: old was found only loosely")
    assert (problem.details["editIndex"], problem.code) == (1, "invalid_arguments")


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
    "edit",
    [
        ("a",),
        ("a", "b", True, 1),
        "ab",
        None,
        {"old": "a"},
        ("a", 1),
        (1, "a"),
        {"old": "a", "new": "b", "replaceAll": 1},
    ],
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


def test_every_occurrence_in_the_original_is_changed() -> None:
    assert multiedit("a b a\n", [("a", "c", True)], against="original").text == "c b c\n"


def test_a_last_line_that_is_deleted_takes_the_newline_before_it_and_no_other() -> None:
    assert multiedit("a\nb\nc", [("a\n", "x\n"), ("c", "")], against="original").text == "x\nb"


def test_two_insertions_at_the_end_of_a_changed_line_overlap() -> None:
    edits = [("a\n", "x\n"), ("b\n", "n\nb\n"), ("b\n", "m\nb\n")]
    assert refused_list("a\nb\n", edits, "original") == [("overlapping_edits", 2)]


def test_only_an_edit_of_a_result_is_told_of_the_edits_before_it() -> None:
    for against, is_told in (("result", True), ("original", False)):
        with pytest.raises(PatchRejectedError) as raised:
            multiedit("alpha = 1\nbeta = 2\n", [("alpha = 1", "c"), ("beta = 2\ngone", "x")], against=against)  # type: ignore[arg-type]
        [problem] = raised.value.problems
        assert ("Line numbers are those after" in problem.message) == is_told


def test_only_applied_edits_are_skipped() -> None:
    assert refused_list("a\nb\n", [("a", "c"), ("gone", "x")], skip_applied=True) == [("old_text_not_found", 1)]


def test_the_only_edit_of_a_list_is_not_numbered() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        multiedit("a\n", [("a", "a")])
    assert raised.value.problems[0].message == "old and new must be different."


def test_a_skipped_edit_asks_for_no_check_of_the_syntax() -> None:
    edits = [('"a": 1,', '"a": 2,'), ('"b": 3', '"b": 4,')]
    done = multiedit('{\n"a": 2,\n"b": 3\n}\n', edits, skip_applied=True, path="a.json")
    assert done.text == '{\n"a": 2,\n"b": 4,\n}\n'


@pytest.mark.parametrize(("count", "spans"), [(10_000, 10_000), (10_001, 1)])
def test_of_very_many_places_the_whole_text_is_one_span(count: int, spans: int) -> None:
    [edit] = multiedit("a\n" * count, [("a", "b", True)]).edits
    assert (len(edit.spans), len(edit.written)) == (spans, spans)
    assert replace("a\n" * count, "a", "b", replace_all=True).edits == (edit,)


@pytest.mark.parametrize(
    ("raw", "place", "lines"),
    [
        ("one\ntwo", (0, 7), (1, 2)),
        ("one\ntwo\n", (0, 8), (1, 2)),
        ("one\r\ntwo\rx", (0, 9), (1, 2)),
        ("one\ntwo\r\nx", (0, 8), (1, 2)),
        ("one\ntwo", (4, 4), (2, 2)),
    ],
)
def test_a_span_has_the_lines_that_it_covers(raw: str, place: tuple[int, int], lines: tuple[int, int]) -> None:
    [span] = spans_of(Text(raw), [place])
    assert (span.first_line, span.last_line) == lines


def test_an_applied_edit_is_refused_unless_it_may_be_skipped() -> None:
    edits = [("beta = 1", "alpha = 1\nbeta = 1")]
    assert refused_list("alpha = 1\nbeta = 1\n", edits) == [("patch_apply_error", 0)]
    assert multiedit("alpha = 1\nbeta = 1\n", edits, skip_applied=True).text == "alpha = 1\nbeta = 1\n"


@both_modes
def test_a_list_of_applied_edits_leaves_a_text_without_a_final_newline_as_it_is(
    against: Literal["result", "original"],
) -> None:
    assert multiedit("beta = 2", [("alpha = 1", "beta = 2")], against=against, skip_applied=True).text == "beta = 2"


@pytest.mark.parametrize("against", ["result", "original"])
@pytest.mark.parametrize(("content", "text"), [("a\nb\nc", "a\nb\n"), ("a\r\nb\r\nc", "a\r\nb\r\n")])
def test_a_new_text_says_how_the_last_line_ends(
    content: str, text: str, against: Literal["result", "original"]
) -> None:
    assert multiedit(content, [("b\nc", "b\n")], against=against).text == text


def test_a_blank_line_that_stays_at_the_end_is_not_deleted() -> None:
    assert multiedit("a\nend\n\nvalue += 3", [("\nvalue += 3\n", "\n")]).text == "a\nend\n"
