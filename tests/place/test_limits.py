"""The limits of the evidence, each at the last case that it allows and at the first that it does not."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, replace, update
from suture.place.align import is_typo, relate
from suture.place.limits import (
    LINES_FOR_REPETITION,
    LONGEST_COMPARED,
    MOST_CORRECTED,
    MOST_EDITS_CORRECTED,
    NEAR,
    SHORTEST_RUN,
    SHORTEST_SPACED,
    SHORTEST_WORD,
)
from suture.place.line_parts import LineParts


def relation(old: str, line: str) -> str:
    return relate(old, line, " ", ())


def test_a_line_is_known_without_its_whitespace_from_a_length_on() -> None:
    old = "ab " + "x" * (SHORTEST_SPACED - 2)
    assert relation(old, old.replace(" ", "")) == "spacing"
    assert relation(old[:-1], old[:-1].replace(" ", "")) != "spacing"


def test_lines_are_near_if_so_much_of_them_agrees() -> None:
    same = round(NEAR * 100)
    for count, name in ((same + 1, "near"), (same - 1, "other")):
        assert relation("a" * count + "b" * (100 - count), "a" * count + "c" * (100 - count)) == name


def test_a_word_can_be_mistyped_from_a_length_on() -> None:
    word = "abcdefgh"[:SHORTEST_WORD]
    line = f"the number of {word} that there are"
    assert is_typo(LineParts(line.replace(word, f"{word[:-2]}x{word[-1:]}"), ()), line, " ", ())
    short = line.replace(word, word[:-1])
    assert not is_typo(LineParts(short.replace(word[:-1], f"{word[:1]}x{word[2:-1]}"), ()), short, " ", ())


def test_the_length_of_a_run_of_signs_says_nothing_from_a_length_on() -> None:
    line = f"the title {'-' * SHORTEST_RUN} of it"
    assert is_typo(LineParts(line.replace("-", "--", 1), ()), line, "-", ())
    short = f"the title {'-' * (SHORTEST_RUN - 2)} of it"
    assert not is_typo(LineParts(short.replace("-", "--", 1), ()), short, "-", ())


def test_lines_are_compared_up_to_a_length() -> None:
    line = "word " * (LONGEST_COMPARED // 5)
    assert is_typo(LineParts(line.replace("word", "wird", 1)[:LONGEST_COMPARED], ()), line[:LONGEST_COMPARED], " ", ())
    assert not is_typo(LineParts(line.replace("word", "wird", 1) + "x", ()), line + "x", " ", ())


def test_so_many_lines_of_an_old_text_can_be_corrected_by_the_new_one() -> None:
    lines = [f"the {name} line of the text" for name in ("first", "second", "third", "fourth")]

    def edit(wrong: int) -> str:
        old = [line.replace("text", "tekst") if number < wrong else line for number, line in enumerate(lines)]
        return str(replace("\n".join(lines) + "\n", "\n".join(old), "\n".join([*lines, "more"])).text)

    assert edit(MOST_CORRECTED).endswith("more\n")
    with pytest.raises(PatchRejectedError):
        edit(MOST_CORRECTED + 1)


def test_so_many_edits_in_a_line_can_be_corrected() -> None:
    line = "the first line of the text, and a good deal of it"

    def edit(count: int) -> str:
        old = line.replace("text", "text" + "z" * count)
        return str(replace(f"{line}\n", old, f"{line}\nmore")).strip()

    edit(MOST_EDITS_CORRECTED)
    with pytest.raises(PatchRejectedError):
        edit(MOST_EDITS_CORRECTED + 1)


def test_from_so_many_added_lines_on_it_is_looked_whether_they_are_there_already() -> None:
    added = [f"call_number_{number}(now)" for number in range(LINES_FOR_REPETITION)]
    text = "\n".join(["def one():", "    two()", "def more():", "    two()", *added, ""])
    few = Hunk(("-    two()", *(f"+{line}" for line in added[1:])), anchors=("def one():",))
    assert update(text, [few]).text.count(added[1]) == 2
    with pytest.raises(PatchRejectedError):
        update(text, [Hunk(("-    two()", *(f"+{line}" for line in added)), anchors=("def one():",))])
