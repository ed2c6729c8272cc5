"""A three-way merge by lines: changes that are apart become one text, and where two sides meet nothing is guessed."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING

import pytest

from suture.place.merge_lines import MergedLines, changes_from_end, merge_lines, side_changes
from suture.place.python_text import parts_parse, shared_parts
from suture.place.syntax import fault_in
from suture.words.merge_conflict import MeetingChanges

if TYPE_CHECKING:
    from pathlib import Path


def lines(text: str) -> list[str]:
    """The words of a text as lines."""
    return [f"{word}\n" for word in text.split()]


def merged(base: str, current: str, edited: str) -> str | None:
    """The words of the merged text; None where the two sides meet."""
    found = merge_lines(lines(base), lines(current), lines(edited))
    return " ".join("".join(found.lines).split()) if isinstance(found, MergedLines) else None


def test_changes_with_an_unchanged_line_between_them_are_merged() -> None:
    assert merged("a b c d e", "a X c d e", "a b c Y e") == "a X c Y e"
    assert merged("a b c d e", "a c d e", "a b c d e f") == "a c d e f"


def test_changes_of_neighboring_lines_meet() -> None:
    found = merge_lines(lines("a b c d"), lines("a X c d"), lines("a b Y d"))
    assert found == (MeetingChanges((1, 3), (1, 3), (1, 3)),)


def test_the_ranges_say_which_lines_come_from_which_side() -> None:
    found = merge_lines(lines("a b c d e f"), lines("X Y b c d e f"), lines("a b c d f"))
    assert isinstance(found, MergedLines)
    assert "".join(found.lines).split() == "X Y b c d f".split()
    assert (found.current, found.edited) == (((0, 2),), ((5, 5),))


def test_the_same_change_on_both_sides_is_made_once() -> None:
    assert merged("a b c", "a b c d", "a b c d") == "a b c d"
    assert merged("a b c d e", "a X c d e", "a X c d Y") == "a X c d Y"


def test_the_same_block_at_two_points_that_give_the_same_text_is_one_change() -> None:
    # A function with a blank line is inserted above or below an equal blank line.
    assert merged("f - g", "f - n - g", "f - n - g") == "f - n - g"


def test_a_change_inside_of_equal_lines_meets_an_insertion_among_them() -> None:
    assert merged("f f f end", "f g f end", "f f f f end") is None


def test_lines_that_can_be_related_in_two_ways_are_not_merged() -> None:
    # One entry was added and the other renamed: which of the two is the one that the edit changes?
    base = "{ name-x value-1 } end"
    current = "{ name-w value-1 } { name-y value-1 } end"
    assert merged(base, current, base.replace("value-1", "value-2")) is None


def test_a_line_removed_on_one_side_and_changed_on_the_other_meets() -> None:
    assert merged("a b c", "a c", "a X c") is None


def test_two_meetings_far_apart_are_told_apart() -> None:
    base = lines("a b c d e f g h")
    found = merge_lines(base, lines("a X c d e f Y h"), lines("a V c d e f W h"))
    assert found == (MeetingChanges((1, 2), (1, 2), (1, 2)), MeetingChanges((6, 7), (6, 7), (6, 7)))


def changed(chosen: random.Random, base: list[str]) -> list[str]:
    """A text with some lines changed, added, removed, repeated or moved."""
    text = list(base)
    for _ in range(chosen.randint(1, 3)):
        at = chosen.randrange(len(text) + 1)
        size = chosen.randint(0, 2)
        new = [chosen.choice("abcdxyz") + "\n" for _ in range(chosen.randint(0, 3))]
        text[at : at + size] = chosen.choice([new, text[at : at + size] * 2, []])
    return text


@pytest.mark.parametrize("seed", range(8))
def test_a_clean_merge_is_the_one_that_git_makes(seed: int, tmp_path: Path) -> None:
    """On texts of few different lines, which can be related in many ways."""
    chosen = random.Random(seed)
    clean = 0
    for _ in range(60):
        base = [chosen.choice("abcd") + "\n" for _ in range(chosen.randint(4, 14))]
        texts = [changed(chosen, base), base, changed(chosen, base)]
        ours = merge_lines(base, texts[0], texts[2])
        if not isinstance(ours, MergedLines):
            continue
        for name, text in zip(("current", "base", "edited"), texts, strict=True):
            (tmp_path / name).write_text("".join(text))
        command = ["git", "merge-file", "-p", "-q", "current", "base", "edited"]
        git = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert git.returncode != 0 or git.stdout == "".join(ours.lines), texts
        clean += 1
    assert clean


@pytest.mark.parametrize("seed", range(4))
def test_what_is_called_certain_is_the_same_from_the_end(seed: int) -> None:
    """Otherwise a merge could be called clean that a comparison from the end makes differently."""
    chosen = random.Random(seed)
    certain = 0
    for _ in range(1500):
        letters = chosen.choice(["ab", "abcd", "abcdefghijkl"])
        base = [chosen.choice(letters) + "\n" for _ in range(chosen.randint(1, 14))]
        text = changed(chosen, base)
        changes, is_certain = side_changes(base, text)
        assert not is_certain or changes == changes_from_end(base, text), (base, text)
        certain += is_certain
    assert certain > 500


@pytest.mark.parametrize("seed", range(2))
def test_functions_that_both_sides_change_are_all_that_has_to_parse(seed: int) -> None:
    """Two texts that parse, merged: where the parts are said to parse, the whole does."""
    chosen = random.Random(seed)
    judged = broken = 0
    while judged < 150:
        base = program(chosen)
        sides = [rewritten(chosen, base) for _ in range(2)]
        merged = merge_lines(base, sides[0], sides[1])
        if not isinstance(merged, MergedLines) or any(fault_in("a.py", "".join(side)) for side in sides):
            continue
        gone = [line for line in base if line not in merged.lines]
        parts = shared_parts(merged.lines, merged.current, merged.edited, gone)
        is_broken = fault_in("a.py", "".join(merged.lines)) is not None
        broken += is_broken
        if parts is not None and parts_parse(merged.lines, parts):
            assert not is_broken, "".join(merged.lines)
            judged += 1
    assert broken


def program(chosen: random.Random) -> list[str]:
    """A module of functions and classes with nested blocks."""
    lines = ["import a\n"]
    for number in range(chosen.randint(2, 4)):
        if chosen.random() < 0.5:
            lines += ["\n", f"class C{number}:\n"]
        indent = "    " if lines[-1].startswith("class") else ""
        for method in range(chosen.randint(1, 3)):
            lines += ["\n", f"{indent}def f{number}{method}(x):\n"]
            lines += [f"{indent}    y{line} = {chosen.choice('xyz')}\n" for line in range(chosen.randint(1, 3))]
            if chosen.random() < 0.4:
                lines += [f"{indent}    if x:\n", f"{indent}        return y\n", f"{indent}    return x\n"]
    return lines


def rewritten(chosen: random.Random, base: list[str]) -> list[str]:
    """A program with lines removed, indented, put into a block, quoted or put in."""
    text = list(base)
    for _ in range(chosen.randint(1, 3)):
        at = chosen.randrange(len(text))
        line = text[at]
        indent = line[: len(line) - len(line.lstrip())]
        end = min(len(text), at + chosen.randint(1, 6))
        way = chosen.randrange(6)
        if way == 0:
            text[at:end] = []
        elif way == 1:
            text[at:end] = [f"{indent}if a:\n", *[f"    {one}" for one in text[at:end]]]
        elif way == 2:
            text[at:end] = [f'{indent}"""\n', *text[at:end], f'{indent}"""\n']
        elif way == 3:
            text[at:at] = [f"{indent}def g{chosen.randrange(99)}():\n", f"{indent}    pass\n"]
        elif way == 4:
            text[at:end] = [one.removeprefix("    ") for one in text[at:end]]
        else:
            text[at:at] = [f"{indent}else:\n", f"{indent}    z{chosen.randrange(99)} = (1)\n"]
    return text
