"""The nearest place of an edit that does not fit, and what a message shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.place.test_explain import refused
from tests.shared.hostile_times import grows_linearly

from suture import Hunk, PatchRejectedError, update
from suture.core.text import Text
from suture.place.nearest_place import NearPlace, find_near_places
from suture.words.answer_room import fair_share
from suture.words.message_lines import ListedLine, show_lines

if TYPE_CHECKING:
    from collections.abc import Callable


def near(text: list[str], old: list[str], **options: object) -> list[NearPlace]:
    return find_near_places(Text("\n".join([*text, ""])), old, **options)  # type: ignore[arg-type]


def rows(text: list[str], old: list[str], **options: object) -> list[int | None]:
    return near(text, old, **options)[0].rows


def block(name: str) -> list[str]:
    return [f"describe {name}:", "    setup:", "        base = new(Base)", "    end", f"    check {name}"]


# Where.


def test_a_rare_line_tells_more_than_common_ones() -> None:
    common = ["open()", "begin()", "finish()"]
    text = [line for _ in range(30) for line in (*common, "other()")]
    text += [*["other()"] * 30, "open()", "the only line of its kind", "finish()"]
    assert rows(text, ["open()", "begin()", "the only line of its kind"]) == [150, None, 151]


def test_a_file_may_have_gained_many_lines_in_the_middle_of_an_edit() -> None:
    text = [
        "alpha = start(1)",
        "beta = start(2)",
        *(f"added {n}" for n in range(30)),
        "gamma = end(1)",
        "delta = end(2)",
    ]
    place = near(text, [*text[:2], *text[-2:]])[0]
    assert place.rows == [0, 1, 32, 33]
    assert place.extra == list(range(2, 32))


def test_a_line_far_away_does_not_belong_to_an_edit_of_two_lines() -> None:
    text = ["    return prompt", "    case bash:", *["    other()"] * 45, "    case powershell:"]
    assert rows(text, ["    return prompt", "    case powershell:"]) == [0, 1]


def test_lines_that_differ_are_paired_by_likeness() -> None:
    text = ["begin(1)", "first = compute(alpha)", "inserted()", "second = compute(beta)", "finish(1)"]
    old = ["begin(1)", "first = compute(gamma)", "second = compute(delta)", "finish(1)"]
    place = near(text, old)[0]
    assert (place.rows, place.equal) == ([0, 1, 3, 4], [True, False, False, True])


def test_lines_that_other_hunks_remove_are_not_meant() -> None:
    text = ["get(1)", "location = old(1)", "done()", "get(1)", "location = old(3)", "done()"]
    old = ["get(1)", "location = old(2)", "done()"]
    assert rows(text, old) == [0, 1, 2]
    assert rows(text, old, taken={1}) == [3, 4, 5]


def test_lines_in_the_block_of_the_anchor_come_first() -> None:
    text = ["def a():", "    go(1)", "    stop(1)", "def b():", "    go(1)", "    stop(2)"]
    assert rows(text, ["    go(1)", "    stop(3)"]) == [1, 2]
    assert rows(text, ["    go(1)", "    stop(3)"], home=[range(3, 6)]) == [4, 5]
    assert near(text, ["def a():"], home=[range(3, 6)], only_home=True) == []


def test_another_place_that_has_a_rare_line_is_shown_too() -> None:
    text = [line for name in ("sessions", "logging") for line in (*block(name), *["other()"] * 100)]
    text += ["describe raise_errors:", "    something(else)", "    check it"]
    places = near(text, block("raise_errors"))
    assert [place.faced[0] for place in places] == [0, 210]
    problem = refused("\n".join([*text, ""]), Hunk((*(" " + line for line in block("raise_errors")), "+x")))
    assert "\nAnother place is lines 211-" in problem.message
    assert "211 |describe raise_errors:|" in problem.message


def test_where_no_line_is_like_one_there_is_no_place() -> None:
    assert near(["alpha", "beta"], ["something(entirely)", "different(here)"]) == []


def test_the_search_is_linear_in_the_file_and_the_edit() -> None:
    def build(size: int) -> Callable[[], object]:
        text = ["}", "", "same(line)", "other(line)"] * (20 * size)
        return lambda: near(text, ["}", "", "same(line)", "absent(line)"] * size)

    assert grows_linearly(build, 500, least=0.005)


# What of it is shown.


def listing(count: int, different: set[int], line: str = "line {}") -> list[ListedLine]:
    texts = [line.format(n) for n in range(count)]
    return [ListedLine(n + 1, text, f"other {text}" if n in different else text, n) for n, text in enumerate(texts)]


def test_every_line_that_differs_is_shown_and_one_around_it() -> None:
    text = show_lines(listing(100, {20, 60}), "patch")
    assert text.count("\n   … (") + text.count("\n  … (") == 3
    for number in (20, 21, 22, 60, 61, 62):
        assert f" {number} |line {number - 1}|" in text
    assert "  … (19 lines that match)" in text
    assert "  … (37 lines that match)" in text


def test_where_there_is_little_room_the_versions_of_the_edit_are_left_out() -> None:
    text = show_lines(listing(40, set(range(40))), "patch", 1100)
    assert text.count("(the patch)") == 3
    assert text.count("(differs)") == 37


def test_where_there_is_less_the_lines_nearest_to_the_change_are_shown() -> None:
    text = show_lines(listing(400, set(range(400))), "patch", 1100)
    assert "  1 |line 0|" in text
    assert "different)" in text or "(differs)" in text
    assert len(text) <= 1100


def test_a_long_line_that_only_the_file_has_is_shown_in_full() -> None:
    assert f"|{'x' * 900}|  (not in the patch)" in show_lines([ListedLine(1, "x" * 900, None)], "patch")


def test_a_listing_explains_its_signs_once() -> None:
    lines = [ListedLine(n, f"\tline {n}", f"    line {n}") for n in range(1, 4)]
    assert show_lines(lines, "patch").count("→ is a tab") == 1


@pytest.mark.parametrize(
    ("sizes", "share"),
    [([100, 200], 200), ([100, 2000], 900), ([2000, 2000], 500), ([100, 100, 2000, 300], 500), ([], 1000)],
)
def test_what_short_problems_leave_is_for_the_others(sizes: list[int], share: int) -> None:
    assert fair_share(sizes, 1000) == share


def test_an_answer_about_many_hunks_has_all_of_them() -> None:
    lines = [f"value_{n} = compute({n}, 'a text that takes some room in the answer')" for n in range(60)]
    hunks = [Hunk((*(f" {line}" for line in lines[n : n + 5]), f"-absent_{n} = None", "+x")) for n in range(0, 30, 6)]
    with pytest.raises(PatchRejectedError) as raised:
        update("\n".join([*lines, ""]), hunks)
    answer = raised.value.for_model()
    assert "not shown" not in answer
    assert all(problem.hint in answer for problem in raised.value.problems)
    assert len(answer.encode()) <= 4000


def test_a_result_that_was_changed_since_is_told_from_an_edit_that_does_not_fit() -> None:
    text = "def load(path):\n    check(path)\n    text = read(path)\n    log(text)\n    return parse(text)\n"
    hunk = Hunk(
        (
            " def load(path):",
            "-    return parse(path)",
            "+    check(path)",
            "+    text = read(path)",
            "+    return text",
        )
    )
    problem = refused(text, hunk)
    assert problem.details["reason"] == "context_not_found"
    assert "most of its new text is at lines 1-5" in problem.message


def test_the_remaining_lines_of_a_deletion_elsewhere_do_not_make_it_applied() -> None:
    text = "  </plugin>\n</plugins>\nother\n  <one>\n  <two version='4'>\n  <three>\n  </plugin>\n</plugins>\n"
    hunk = Hunk(("-  <one>", "-  <two version='3'>", "-  <three>", "   </plugin>", " </plugins>"))
    problem = refused(text, hunk)
    assert "applied" not in problem.message
    assert "5 |  <two version='4'>|" in problem.message
