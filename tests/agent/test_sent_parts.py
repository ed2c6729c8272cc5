"""What a model wrote of the parts of an edit that were placed with concessions, for a person who decides."""

from __future__ import annotations

from string import ascii_lowercase

import pytest
from tests.shared.sites import envelope

from suture import Workspace
from suture.agent.agent_limits import MOST_SENT_LINES, MOST_SENT_PARTS
from suture.agent.sent_parts import SentPart, sent_parts
from suture.workspace import MemoryFiles, Plan

TEXT = "def greet(name):\n    return 'Hi ' + name\n\n\ndef leave(name):\n    return 'Bye ' + name\n"


def workspace(text: str = TEXT) -> Workspace:
    return Workspace(MemoryFiles({"a.py": text}))


def test_an_edit_that_is_there_exactly_has_none() -> None:
    assert sent_parts(workspace().plan_edit("a.py", "'Hi '", "'Hello '")) == ()


def test_of_a_string_edit_the_lines_that_were_sent_are_beside_those_of_the_file() -> None:
    edits = [("return  'Bye ' + name", "return  'See you ' + name"), ("greet", "meet")]
    plan = workspace().plan_multiedit("a.py", edits)
    assert plan.is_clean
    assert sent_parts(plan) == (SentPart("a.py", 1, 6, 6, ("return  'Bye ' + name",), ("return  'See you ' + name",)),)


def test_an_edit_that_was_skipped_as_applied_has_none() -> None:
    skipping = Workspace(MemoryFiles({"a.py": "a = 1\nb = 2\n"}), skip_applied=True)
    plan = skipping.plan_multiedit("a.py", [("a = 0", "a = 1"), ("b = 2", "b = 3")])
    assert plan.is_clean
    assert sent_parts(plan) == ()


def test_of_a_hunk_they_are_its_old_and_its_new_lines() -> None:
    old = ("def greet(name):  ", "    return 'Hi ' + name")
    patch = envelope("*** Update File: a.py", "@@", f" {old[0]}", f"-{old[1]}", "+    return name")
    (part,) = sent_parts(workspace().plan(patch))
    assert part == SentPart("a.py", 1, 1, 2, old, (old[0], "    return name"))


def test_a_plan_that_was_stored_has_none() -> None:
    plan = workspace().plan_edit("a.py", "return  'Bye ' + name", "return name")
    assert sent_parts(plan) != ()
    assert sent_parts(Plan.from_json(plan.to_json())) == ()


def test_there_are_not_too_many_of_them() -> None:
    names = [f"name_of_{letter * 3}" for letter in ascii_lowercase]
    text = "".join(f"{name} = compute({name!r}, 1)\n" for name in names)
    edits = [(f"{name}  =  compute({name!r},  1)", f"{name} = 2") for name in names]
    plan = workspace(text).plan_multiedit("a.py", edits)
    assert plan.is_clean
    assert len(names) > MOST_SENT_PARTS == len(sent_parts(plan))


@pytest.mark.parametrize(("lines", "parts"), [(MOST_SENT_LINES, 1), (MOST_SENT_LINES + 1, 0)])
def test_none_of_them_is_too_long(lines: int, parts: int) -> None:
    rows = [f"    value_{number} = {number}" for number in range(lines)]
    plan = workspace("\n".join(["def f():", *rows, ""])).plan_edit("a.py", "  \n".join(rows), "    pass")
    assert plan.is_clean
    assert len(sent_parts(plan)) == parts
