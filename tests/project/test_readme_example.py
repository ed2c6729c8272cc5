"""The example of the README, sent once, twice and three times, through every way in and in every dialect.

A hunk that turns `debug` off below `@@ class Development:` never touches `class Production`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place

from suture import DIALECTS, PatchRejectedError, Session, Workspace, parse, update
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = (
    "class Development:\n    debug = True\n    workers = 1\n\n\nclass Production:\n    debug = True\n    workers = 8\n"
)
OFF = SETTINGS.replace("True", "False", 1)
PATCH = """\
*** Begin Patch
*** Update File: settings.py
@@ class Development:
-    debug = True
+    debug = False
*** End Patch
"""
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def results(dialect: str) -> list[str]:
    """The file after each of three calls: `strict` ignores the text after `@@`, so that two places fit."""
    return [SETTINGS] * 3 if dialect == "strict" else [OFF] * 3


@each_dialect
def test_the_library(dialect: str) -> None:
    text, seen, reasons = SETTINGS, [], []
    for _ in range(3):
        try:
            text = update(text, parse(PATCH, dialect=dialect).operations[0].hunks, dialect=dialect).text  # type: ignore[union-attr]
        except PatchRejectedError as rejected:
            reasons.append(rejected.problems[0].details.get("reason"))
        seen.append(text)
    assert seen == results(dialect)
    assert reasons == ([None] * 3 if dialect == "strict" else ["already_applied"] * 2)


@each_dialect
def test_a_workspace(dialect: str) -> None:
    files = MemoryFiles({"settings.py": SETTINGS})
    seen = []
    with Workspace(files, dialect=dialect) as workspace:
        for _ in range(3):
            with suppress(PatchRejectedError):
                workspace.apply(PATCH)
            seen.append(workspace.read("settings.py").text)
    assert seen == results(dialect)


@each_dialect
def test_a_session(dialect: str) -> None:
    async def work() -> list[str | None]:
        seen: list[str | None] = []
        with Workspace(MemoryFiles({"settings.py": SETTINGS}), dialect=dialect) as workspace:
            async with Session(workspace, rules=[("edit", "*", "allow")]) as session:
                for _ in range(3):
                    await session.call("read", {"filePath": "settings.py"})
                    await session.call("apply_patch", {"patchText": PATCH})
                    seen.append(workspace.read("settings.py").text)
        return seen

    assert asyncio.run(work()) == results(dialect)


@each_dialect
def test_the_program_suture(dialect: str, tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write("settings.py", SETTINGS)
    statuses = []
    for expected in results(dialect):
        statuses.append(place.run("suture", "apply", "--dialect", dialect, stdin=PATCH).status)
        assert place.files()["settings.py"] == expected
    assert statuses == ([1, 1, 1] if dialect == "strict" else [0, 1, 1])


def test_the_program_apply_patch(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write("settings.py", SETTINGS)
    assert [place.run("apply_patch", PATCH).status for _ in range(3)] == [0, 1, 1]
    assert place.files()["settings.py"] == OFF
