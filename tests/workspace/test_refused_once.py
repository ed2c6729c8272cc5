"""A refused patch is parsed once and searched once, whoever sent it, and the refusal carries the plan."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import suture
from suture import PatchRejectedError, Session, Workspace
from suture.cli import apply_patch, main
from suture.state.refused_files import RefusedEdits

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from suture.core.outcome import Plan

SOURCE = Path(suture.__file__).parent
#: The functions that every parse, every plan of a patch and every search of a file goes through.
PARSED = ("format/fast_parse.py", "fast_parse")
PLANNED = ("workspace/patch_planner.py", "patch")
SEARCHED = ("place/hunks.py", "locate")

ABSENT = "*** Begin Patch\n*** Update File: a.py\n@@\n-    nothing_like_it(at, all)\n+    other()\n*** End Patch\n"
LINES = "one = 1\ntwo = 2\nthree = 3\n"


def section(path: str, old: str, new: str) -> str:
    return f"*** Update File: {path}\n@@\n-{old}\n+{new}\n"


def envelope(*sections: str) -> str:
    return f"*** Begin Patch\n{''.join(sections)}*** End Patch\n"


def count_calls(action: Callable[[], object]) -> Counter[tuple[str, str]]:
    """How often each function of the package is called, on all threads."""
    counts: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(SOURCE):
            counts[path.relative_to(SOURCE).as_posix(), frame.f_code.co_name] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return counts


def apply_in_library(folder: Path) -> None:
    with pytest.raises(PatchRejectedError):
        Workspace(folder).apply(ABSENT)


def apply_in_session(folder: Path, patch: str = ABSENT, **arguments: object) -> None:
    async def call() -> None:
        async with Session(Workspace(folder), rules=[("*", "*", "allow")], reads={"apply_patch": "off"}) as session:
            result = await session.call("apply_patch", {"patchText": patch, **arguments})
            assert result.is_error

    asyncio.run(call())


def apply_on_the_command_line(folder: Path) -> None:
    (folder / "a.patch").write_text(ABSENT)
    assert main.run(["-C", str(folder), "apply", "a.patch"]) == 1


def apply_as_codex(_: Path) -> None:
    assert apply_patch.run([ABSENT]) == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (project / name).write_text(LINES)
    monkeypatch.chdir(project)
    return project


@pytest.mark.parametrize(
    "apply",
    [apply_in_library, apply_in_session, apply_on_the_command_line, apply_as_codex],
    ids=lambda one: one.__name__,
)
def test_a_refused_patch_is_parsed_once_and_searched_once(folder: Path, apply: Callable[[Path], None]) -> None:
    counts = count_calls(lambda: apply(folder))

    assert (counts[PARSED], counts[SEARCHED]) == (1, 1)


@pytest.mark.parametrize("apply", [apply_in_session, apply_on_the_command_line, apply_as_codex])
def test_what_was_refused_is_kept_with_the_lines_that_it_looked_for(
    folder: Path, apply: Callable[[Path], None]
) -> None:
    apply(folder)

    (refused,) = RefusedEdits(str(folder)).all()
    assert refused.text == ABSENT
    assert [hunk.old for hunk in refused.problems] == [("    nothing_like_it(at, all)",)]


def test_a_refusal_carries_the_plan_with_an_outcome_for_each_operation(folder: Path) -> None:
    patch = envelope(section("a.py", "one = 1", "one = 0"), section("b.py", "four = 4", "four = 0"))

    with pytest.raises(PatchRejectedError) as caught:
        Workspace(folder).apply(patch)

    plan = caught.value.plan
    assert plan.sent == suture.parse(patch)
    assert [(one.operation.path, len(one.changes), len(one.problems)) for one in plan.outcomes] == [
        ("a.py", 1, 0),
        ("b.py", 0, 1),
    ]
    assert plan.problems == plan.outcomes[1].problems == caught.value.problems


def test_a_plan_that_is_not_atomic_ends_before_the_operation_that_fails_and_searches_each_file_once(
    folder: Path,
) -> None:
    sections = [section(name, "two = 2", "two = 0") for name in ("a.py", "b.py")]
    patch = envelope(*sections, section("c.py", "four = 4", "four = 0"))
    plans: list[Plan] = []

    counts = count_calls(lambda: plans.append(Workspace(folder).plan(patch, atomic=False)))

    (plan,) = plans
    assert (counts[PARSED], counts[SEARCHED]) == (1, 1)
    assert [file.shown for file in plan.files] == ["a.py", "b.py"]
    assert (plan.problems, [problem.path for problem in plan.failures]) == ((), ["c.py"])


def test_an_operation_that_fails_after_it_was_planned_in_part_leaves_nothing_in_the_plan(folder: Path) -> None:
    (folder / "d.py").write_text("plain\n")
    patch = envelope(section("a.py", "two = 2", "two = 0"), "*** Add File: new/e.py\n+bell\x07\n")

    plan = Workspace(folder).plan(patch, atomic=False)

    assert [file.shown for file in plan.files] == ["a.py"]
    assert plan.folders == ()
    assert [problem.path for problem in plan.failures] == ["new/e.py"]


def test_where_the_first_operation_fails_all_problems_are_reported(folder: Path) -> None:
    patch = envelope(section("a.py", "four = 4", "four = 0"), section("b.py", "five = 5", "five = 0"))

    plan = Workspace(folder).plan(patch, atomic=False)

    assert [problem.path for problem in plan.problems] == ["a.py", "b.py"]
    assert plan.files == ()


def test_a_session_applies_what_is_before_the_failure_with_one_plan(folder: Path) -> None:
    patch = envelope(section("a.py", "two = 2", "two = 0"), section("b.py", "four = 4", "four = 0"))

    counts = count_calls(lambda: apply_in_session(folder, patch, atomic=False))

    assert (counts[PARSED], counts[SEARCHED]) == (1, 1)
    assert (folder / "a.py").read_text() == "one = 1\ntwo = 0\nthree = 3\n"


def refuse_after_edits(folder: Path, patch: str) -> None:
    """A session that reads a file, edits it twice and sends a patch that has no place in it."""

    async def calls() -> None:
        async with Session(Workspace(folder), rules=[("*", "*", "allow")]) as session:
            await session.call("read", {"filePath": "a.py"})
            for old, new in (("one", "1"), ("1 = 1", "one = 1")):
                edited = await session.call("edit", {"filePath": "a.py", "oldString": old, "newString": new})
                assert not edited.is_error
            result = await session.call("apply_patch", {"patchText": patch})
            assert result.is_error

    asyncio.run(calls())


def test_a_patch_that_has_nothing_to_do_with_what_has_changed_since_a_read_is_planned_and_searched_once(
    folder: Path,
) -> None:
    counts = count_calls(lambda: refuse_after_edits(folder, ABSENT))

    assert (counts[PARSED], counts[PLANNED], counts[SEARCHED]) == (1, 1, 1)


def test_a_patch_that_names_a_line_that_has_changed_is_searched_in_the_text_before_too(folder: Path) -> None:
    counts = count_calls(lambda: refuse_after_edits(folder, envelope(section("a.py", "one = 1 + at + all", "two"))))

    assert (counts[PLANNED], counts[SEARCHED]) == (2, 2), "the file as it is, and as it was between the edits"
