"""`suture apply -i` on a real terminal: hunks are split, and one can go back to another hunk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.programs import Place, patch, update
from tests.shared.terminals import Terminal, plain

from suture.cli.hunk_choices import HunkChoice, chosen_hunks
from suture.core.patch import Hunk

if TYPE_CHECKING:
    from pathlib import Path

LINES = "".join(f"line {number}\n" for number in range(1, 9))
#: One hunk with two changes that a line separates.
TWO_CHANGES = ("@@", " line 1", "-line 2", "+two", " line 3", "-line 4", "+four", " line 5")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.write("a.py", LINES)
    made.write("../two.patch", patch(update("a.py", *TWO_CHANGES[1:])))
    return made


def test_a_part_of_a_hunk_is_applied(place: Place) -> None:
    terminal = Terminal(place, "apply", "-i", "../two.patch")
    assert "[y,n,a,d,s,e,q,?]? " in plain(terminal.until("]? "))
    terminal.send("s\n")
    first = plain(terminal.until("]? ")).replace("\r", "")
    assert "Hunk 1 of 1, part 1 of 2, line 1" in first
    assert "+two" in first
    assert "+four" not in first
    terminal.send("n\n")
    second = plain(terminal.until("]? ")).replace("\r", "")
    assert "part 2 of 2" in second
    assert "+four" in second
    assert "+two" not in second
    terminal.send("y\n")
    assert terminal.end()[0] == 0
    assert place.files()["a.py"] == LINES.replace("line 4", "four")


def test_all_parts_are_the_hunk(place: Place) -> None:
    terminal = Terminal(place, "apply", "-i", "../two.patch")
    terminal.answer("s", "y", "y")
    assert terminal.end()[0] == 0
    assert place.files()["a.py"] == LINES.replace("line 4", "four").replace("line 2", "two")


def test_lines_next_to_each_other_are_split_in_pairs(place: Place) -> None:
    place.write("../pair.patch", patch(update("a.py", "-line 2", "-line 3", "+two", "+three")))
    terminal = Terminal(place, "apply", "-i", "../pair.patch")
    terminal.answer("s", "n", "y")
    assert terminal.end()[0] == 0
    assert place.files()["a.py"] == LINES.replace("line 3", "three")


def test_one_can_go_to_another_hunk_and_change_an_answer(place: Place) -> None:
    hunks = [("@@", f"-line {number}", f"+{number}") for number in (1, 4, 7)]
    place.write("../three.patch", patch("*** Update File: a.py", *["\n".join(hunk) for hunk in hunks]))
    terminal = Terminal(place, "apply", "-i", "../three.patch")
    # Skips the first, accepts the second, goes back to it and rejects it, accepts the third, and then the first.
    terminal.answer("j", "y", "k", "n", "y")
    assert "Hunk 2 of 3, line 4 (accepted)" in plain(terminal.said).replace("\r", "")
    terminal.answer("y")
    assert terminal.end()[0] == 0
    assert place.files()["a.py"] == LINES.replace("line 1", "1").replace("line 7", "7")


def test_what_has_no_answer_at_the_end_is_not_applied(place: Place) -> None:
    terminal = Terminal(place, "apply", "-i", "../two.patch")
    terminal.answer("s", "j", "y", "q")
    assert terminal.end()[0] == 0
    assert place.files()["a.py"] == LINES.replace("line 4", "four")


def test_help_lists_the_keys_that_are_possible(place: Place) -> None:
    terminal = Terminal(place, "apply", "-i", "../two.patch")
    terminal.answer("?")
    said = plain(terminal.until("]? "))
    assert "s - split this hunk into smaller hunks" in said
    assert "j - " not in said
    terminal.send("q\n")
    assert terminal.end()[0] == 1


class TestChoices:
    def test_what_is_not_accepted_stays_as_context(self) -> None:
        hunk = Hunk(TWO_CHANGES[1:], position=(1, 1))
        parts = HunkChoice(hunk).split()
        (chosen,) = chosen_hunks(parts, parts[1:])
        assert chosen.lines == (" line 1", " line 2", " line 3", "-line 4", "+four", " line 5")
        assert chosen_hunks(parts, parts) == [hunk]
        assert chosen_hunks(parts, []) == []

    def test_a_hunk_at_the_end_without_a_newline_is_not_split(self) -> None:
        choice = HunkChoice(Hunk(TWO_CHANGES[1:], no_newline="new"))
        assert choice.split() == [choice]

    @given(
        st.lists(st.tuples(st.sampled_from(" -+"), st.sampled_from("abc")), min_size=1, max_size=12),
        st.sets(st.integers(0, 11)),
    )
    def test_every_choice_of_parts_is_for_the_same_lines(self, lines: list[tuple[str, str]], numbers: set[int]) -> None:
        hunk = Hunk(tuple([sign + text for sign, text in lines]), position=(1, 1))
        parts = HunkChoice(hunk).split()
        for chosen in chosen_hunks(parts, [part for number, part in enumerate(parts) if number in numbers]):
            assert chosen.old == hunk.old
