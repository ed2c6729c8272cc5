"""What is said about hunks that have no place."""

from __future__ import annotations

import pytest
from tests.shared.hunk_refusals import refusals

from suture import Hunk, PatchRejectedError, update

# Explanations.


def message_of(text: str, *lines: str) -> str:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines)], path="a.py")
    return raised.value.for_model()


def test_the_first_line_that_differs_is_shown_in_both_versions_with_its_white_space() -> None:
    """SPEC §8: "the first line that differs, both versions, with tabs and trailing spaces made visible"."""
    text = "def f():\n\tfirst = 1\n\tsecond = 2  \n\tthird = 3\n"
    answer = message_of(text, " def f():", " \tfirst = 1", "-\tsecond = 22", " \tthird = 3", "+x")
    assert "Hunk 1 of 1" in answer
    assert "a.py" in answer
    assert "|→second = 22|" in answer
    assert "|→second = 2··|" in answer
    assert "3 of 4 lines match" in answer
    assert answer.endswith("No file was changed.")


def test_a_character_that_only_looks_alike_is_named() -> None:
    answer = message_of("value = αbc\nother = 1\nmore = 2\n", "-value = abc", " other = 1", "+x")
    assert "α is GREEK SMALL LETTER ALPHA" in answer


def test_a_place_that_runs_over_the_end_of_the_file_is_shown() -> None:
    answer = message_of("alpha line\nbeta line\n", " alpha line", " beta line", "-gamma line", "+delta")
    assert "2 of 3 lines match" in answer
    assert "|gamma line|" in answer


def test_a_hunk_of_another_file_is_said_to_be_so() -> None:
    answer = message_of("alpha\nbeta\n", "-zzzzzzzz qqqqqqqq", "+x")
    assert "|zzzzzzzz qqqqqqqq|" in answer


def test_the_nearest_line_is_shown_where_none_is_equal() -> None:
    assert "|value = compute(1)|" in message_of("value = compute(1)\n", "-value = compute(2)", "+x")


def test_an_empty_file_has_no_nearest_place() -> None:
    assert message_of("", "-a line", "+x").endswith("No file was changed.")


def test_a_long_line_is_cut_in_a_message() -> None:
    assert len(message_of("x" * 5000 + "\n", "-" + "y" * 5000, "+x")) < 1500


def test_many_places_are_not_all_listed() -> None:
    answer = message_of("value = 1\n" * 900, "-value = 1", "+x")
    assert "900" in answer
    assert len(answer) < 1000


STORY = "".join(f"the {word} line of the story\n" for word in "first second third fourth fifth sixth seventh".split())


def told(text: str, *lines: str, anchors: tuple[str, ...] = ()) -> tuple[str, object]:
    """The message of the one problem, and the nearest place as data."""
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines, anchors)])
    (problem,) = raised.value.problems
    return problem.message, problem.details.get("nearest")


@pytest.mark.parametrize(
    ("lines", "shown", "nearest"),
    [
        pytest.param(
            (
                " the first line of the story",
                " nobody wrote this",
                " nor did anybody write that",
                "-the second line of the story",
            ),
            ["|nobody wrote this|"],
            {"first": 1, "last": 2, "agree": 2, "of": 4},
            id="several lines are invented",
        ),
        pytest.param(
            (" the first line of the story", "-the fourth line of the story", " the fifth line of the story"),
            ["|the second line of the story|"],
            {"first": 1, "last": 5, "agree": 3, "of": 3},
            id="several lines are skipped",
        ),
        pytest.param(
            (" the seventh line of the story", "-nobody wrote this", " nor did anybody write that"),
            ["|nobody wrote this|"],
            {"agree": 1, "of": 3},
            id="the file ends before it",
        ),
        pytest.param(
            (" nobody wrote this", " nor did anybody write that", "-the first line of the story"),
            ["|nobody wrote this|"],
            {"agree": 1, "of": 3},
            id="the file begins below it",
        ),
        pytest.param(
            (" the sixth line of the story", "-the second line of the story", " the seventh line of the story"),
            ["|the second line of the story|", "2"],
            {"agree": 2, "of": 3},
            id="a line stands elsewhere",
        ),
    ],
)
def test_the_nearest_place_is_told_with_its_lines_and_how_many_agree(
    lines: tuple[str, ...], shown: list[str], nearest: dict[str, int]
) -> None:
    """SPEC §8: "the nearest place with its line numbers and how many lines agree"."""
    message, details = told(STORY, *lines, "+new")
    assert isinstance(details, dict)
    assert {name: details[name] for name in nearest} == nearest
    assert all(word in message for word in shown)


def test_a_line_that_stands_in_too_many_places_is_not_looked_for_in_all() -> None:
    text = "start of it\nmiddle of it\n" + "the same line again\n" * 3000
    message, _ = told(text, " start of it", "-the same line again", " middle of it", "+new")
    assert "|the same line again|" in message


def test_an_anchor_below_the_place_is_said_to_be_so() -> None:
    message, _ = told("x = 1\ny = 2\n\ndef f():\n    pass\n", "-x = 1", "+x = 2", anchors=("def f():",))
    assert "|def f():|" in message


def test_stacked_anchors_in_another_order_are_said_to_be_so() -> None:
    text = "class One:\n    def run(self):\n        value = 1\n"
    for anchors in (("def run(self):", "class One:"), ("class One:", "class One:", "class One:")):
        message, _ = told(text, "-        value = 1", "+        value = 2", anchors=anchors)
        assert "|class One:|" in message


def test_a_long_difference_is_shown_where_it_is() -> None:
    """SPEC §8: "the first line that differs, both versions": also where it differs far from its start."""
    line = "value = [" + ", ".join(map(str, range(400))) + "]"
    message, _ = told(
        f"start of it\n{line}\nend of it\n",
        " start of it",
        "-" + line.replace("350", "three-fifty"),
        " end of it",
        "+x",
    )
    assert "three-fifty" in message
    assert "350" in message
    assert len(message) < 1500


# A list that was cut short is ambiguous, also where a constraint leaves one place of it.


def test_one_place_in_the_anchors_block_of_a_list_that_was_cut_short_is_ambiguous() -> None:
    """SPEC §4: "A list of candidates that was cut short is ambiguous." """
    block = "def target():\n    x = 1\n    y = 2\n"
    text = block + "def other():\n" + "    x = 1\n" * 1500
    hunk = Hunk(("-    x = 1", "+    x = 3"), anchors=("def target():",))
    assert refusals(text, [hunk]) == [("multiple_matches", None)]


def test_anchors_that_are_too_many_to_list_do_not_choose_among_places() -> None:
    """SPEC §4: an anchor beyond the list may open the block of another place."""
    text = "if x:\n    first()\n" + "if x:\n    pass\n" * 2500 + "if x:\n    first()\n" + "end()\nfirst()\n"
    hunk = Hunk(("-    first()", "+    second()"), anchors=("if x:",))
    assert refusals(text, [hunk]) == [("multiple_matches", None)]


def test_an_overlap_is_not_told_of_the_wrong_hunk_where_another_has_no_place() -> None:
    hunks = [Hunk(("-absent", "+x")), Hunk((" a", "-b", "+1")), Hunk(("-b", "+2", " c"))]
    assert refusals("a\nb\nc\n", hunks) == [("patch_apply_error", "context_not_found")]


def test_an_anchor_does_not_speak_for_a_place_behind_its_block() -> None:
    """A hunk of lines that stand everywhere is not telling because some anchor stands far above it."""
    text = "class A:\n    x = 1\n\n\nclass B:\n    y = 2\n        )\n"
    assert refusals(text, [Hunk((" )", "+z = 3"), anchors=("class A:",))]) == [
        ("patch_apply_error", "context_not_found")
    ]
    assert refusals(text, [Hunk((" )", "+z = 3"), anchors=("class B:",))]) == [("multiple_matches", None)]
    assert update(text, [Hunk(("         )", "+z = 3"), anchors=("class B:",))]).text.endswith("        )\nz = 3\n")
