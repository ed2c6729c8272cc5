"""Parts of a hunk: whichever of them are applied, all other lines stay, and all together make the hunk."""

from __future__ import annotations

from hypothesis import given, strategies as st

from suture.agent.partial_approval import keep_hunks
from suture.core.line_hunks import LineHunk, line_hunks
from suture.core.split_hunks import split_hunk

_lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "\r\n", "+\n", "-\n"]), max_size=30)
_texts = st.tuples(_lines, st.sampled_from(["", "end"])).map(lambda parts: "".join(parts[0]) + parts[1])


@given(_texts, _texts, st.booleans(), st.integers(0, 3))
def test_all_parts_make_the_hunk_and_none_leaves_the_text(
    before: str, after: str, by_lines: bool, context: int
) -> None:
    parts = [part for hunk in line_hunks(before, after, context) for part in split_hunk(hunk, by_lines=by_lines)]
    assert keep_hunks(before, parts, range(1, len(parts) + 1)) == after
    assert keep_hunks(before, parts, ()) == before


@given(_texts, _texts, st.booleans(), st.sets(st.integers(1, 12)))
def test_a_part_changes_its_own_lines_and_no_others(before: str, after: str, by_lines: bool, numbers: set[int]) -> None:
    parts = [part for hunk in line_hunks(before, after) for part in split_hunk(hunk, by_lines=by_lines)]
    done, expected = 0, []
    lines = before.split("\n")
    lines = [f"{line}\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])
    for number, part in enumerate(parts, 1):
        assert part.old_start >= done
        expected += lines[done : part.old_start]
        own = lines[part.old_start : part.old_start + part.old_count]
        assert own == part.old
        expected += part.new if number in numbers else own
        done = part.old_start + part.old_count
    expected += lines[done:]
    assert keep_hunks(before, parts, numbers) == "".join(expected)


def test_a_hunk_is_split_at_unchanged_lines() -> None:
    (hunk,) = line_hunks("a\nb\nc\nd\ne\n", "A\nb\nc\nD\ne\n")
    first, second = split_hunk(hunk)
    assert first == LineHunk(0, 0, ("-a\n", "+A\n", " b\n"))
    assert second == LineHunk(2, 2, (" c\n", "-d\n", "+D\n", " e\n"))


def test_adjacent_lines_are_split_only_on_request_and_in_pairs() -> None:
    (hunk,) = line_hunks("a\nb\n", "A\nB\n")
    assert split_hunk(hunk) == (hunk,)
    first, second = split_hunk(hunk, by_lines=True)
    assert first.lines == ("-a\n", "+A\n")
    assert second.lines == ("-b\n", "+B\n")
    assert keep_hunks("a\nb\n", [first, second], [2]) == "a\nB\n"


def test_lines_that_do_not_pair_stay_together() -> None:
    (hunk,) = line_hunks("a\nb\n", "X\nY\nZ\n")
    assert split_hunk(hunk, by_lines=True) == (hunk,)


def test_added_lines_and_removed_lines_are_split_one_by_one() -> None:
    (hunk,) = line_hunks("a\n", "a\nb\nc\n")
    assert [part.additions for part in split_hunk(hunk, by_lines=True)] == [1, 1]
    (hunk,) = line_hunks("a\nb\nc\n", "a\n")
    assert [part.deletions for part in split_hunk(hunk, by_lines=True)] == [1, 1]
