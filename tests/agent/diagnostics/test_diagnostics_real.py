"""Diagnostics of the real basedpyright and the real ruff: exactly the errors that an edit introduced."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.processes import descendants, is_alive

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.command import CommandDiagnoser, read_ruff_json
from suture.agent.diagnostics.report import Diagnostic, EditedFile, Report
from suture.agent.diagnostics.server_table import SERVERS, find_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Long enough for a server that starts on a busy machine.
PATIENT = 60.0

#: A file that has an error already, which is nobody's business.
BEFORE = """\
def name() -> str:
    return "Suture"


def length() -> int:
    return len(name())


ratio: int = "an error from before"
"""
TYPE_ERROR = BEFORE.replace("return len(name())", "return name()")


class Project:
    """A folder with servers that are started once for all tests here."""

    def __init__(self, runner: asyncio.Runner, root: Path) -> None:
        self.runner = runner
        self.root = root
        self.servers = LanguageServers(str(root))

    def edit(self, name: str, before: str | None, after: str) -> Report:
        """Write a file and check it."""
        (report,) = self.edit_all((name, before, after))
        return report

    def edit_all(self, *edits: tuple[str, str | None, str]) -> list[Report]:
        edited = []
        for name, before, after in edits:
            path = self.root / name
            path.write_text(after, "utf-8")
            edited.append(EditedFile(str(path), before, after))
        return self.runner.run(self.servers.check_all(edited, timeout=PATIENT))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with asyncio.Runner() as runner:
        project = Project(runner, tmp_path_factory.mktemp("project"))
        yield project
        runner.run(project.servers.close())


def clean(report: Report) -> bool:
    return (report.state, report.diagnostics, report.reason, report.source) == ("clean", (), "", "basedpyright, ruff")


def test_the_servers_are_installed_with_what_the_work_needs() -> None:
    assert find_program("basedpyright-langserver")
    assert find_program("ruff")


@pytest.mark.slow
def test_an_edit_that_introduces_a_type_error_is_told_exactly_that_error(project: Project) -> None:
    report = project.edit("exact.py", BEFORE, TYPE_ERROR)
    message = 'Type "str" is not assignable to return type "int"\n\u00a0\u00a0"str" is not assignable to "int"'
    path = str(project.root / "exact.py")
    found = Diagnostic(path, 6, 12, 6, 18, "error", message, "reportReturnType", "basedpyright")
    assert report == Report(path, "problems", (found,), source="basedpyright, ruff")


def test_the_fix_of_an_error_is_clean(project: Project) -> None:
    assert project.edit("fixed.py", BEFORE, TYPE_ERROR).state == "problems"
    assert clean(project.edit("fixed.py", TYPE_ERROR, BEFORE))


def test_an_error_that_was_there_is_not_reported_also_where_the_edit_moved_it(project: Project) -> None:
    last = BEFORE.index("ratio")
    above, below = BEFORE[:last], BEFORE[last:]
    moved = f'"""Documented."""\n\n{BEFORE}'
    reordered = f"{below}\n\n{above}"
    assert clean(project.edit("moved.py", BEFORE, moved))
    assert clean(project.edit("moved.py", moved, BEFORE))
    assert clean(project.edit("moved.py", BEFORE, reordered))
    report = project.edit("moved.py", reordered, f"{reordered}other: int = 'an error'\n")
    assert [found.line for found in report.diagnostics] == [12]


def test_an_error_of_both_servers_is_told_by_both(project: Project) -> None:
    report = project.edit("both.py", "x = 1\n", "x = missing\n")
    assert [(found.line, found.column, found.code) for found in report.diagnostics] == [
        (1, 5, "reportUndefinedVariable"),
        (1, 5, "F821"),
    ]


def test_columns_behind_wide_characters_are_those_of_the_characters(project: Project) -> None:
    report = project.edit("wide.py", "", 'x = "𝔘𝔫𝔦"; y = missing\n')
    assert {found.column for found in report.diagnostics} == {16}


def test_files_that_were_edited_together_know_of_each_other(project: Project) -> None:
    """A name that another file of the same patch defines, new or changed, is no error."""
    used = "from defined import answer\n\nprint(answer())\n"
    assert clean(project.edit("defined.py", None, "other = 1\n"))
    reports = project.edit_all(
        ("uses.py", "", used), ("defined.py", "other = 1\n", "def answer() -> int:\n    return 42\n")
    )
    assert all(map(clean, reports))
    assert clean(project.edit("brand_new.py", None, "value = 1\n"))
    assert clean(project.edit("uses.py", used, "from brand_new import value\n\nprint(value)\n"))


def test_a_file_that_was_moved_or_made_by_somebody_else_is_known_to_the_next_edit(project: Project) -> None:
    """What an agent moves, or a program that it runs makes, is not reported as missing."""
    (project.root / "old_name.py").write_text("def found() -> int:\n    return 1\n")
    using = "import old_name\n\nprint(old_name.found())\n"
    assert clean(project.edit("using.py", None, using))
    (project.root / "old_name.py").rename(project.root / "new_name.py")
    renamed = using.replace("old_name", "new_name")
    assert clean(project.edit("using.py", using, renamed))
    (project.root / "made.py").write_text("def found() -> int:\n    return 1\n")
    other = renamed.replace("new_name", "made")
    assert clean(project.edit("using.py", renamed, other))
    (project.root / "made.py").write_text("def lost() -> int:\n    return 1\n")
    report = project.edit("using.py", other, other.replace("found", "lost"))
    assert clean(report)
    gone = project.edit("using.py", other.replace("found", "lost"), other.replace("found", "found_again"))
    assert [found.code for found in gone.diagnostics] == ["reportAttributeAccessIssue"]


def test_another_edit_of_a_file_starts_no_other_server(project: Project) -> None:
    project.edit("quick.py", "", "x = 1\n")
    started = descendants(os.getpid())
    assert clean(project.edit("quick.py", "x = 1\n", "x = 2\n"))
    assert descendants(os.getpid()) == started


def test_ruff_as_a_command_tells_the_same(tmp_path: Path) -> None:
    command = [
        "ruff",
        "check",
        "--isolated",
        "--select",
        "F",
        "--output-format",
        "json",
        "--stdin-filename",
        "{path}",
        "-",
    ]
    ruff = CommandDiagnoser(command, read_ruff_json, stdin=True, endings=(".py",))
    path = str(tmp_path / "a.py")
    texts = ("print(lost)\n", "import re\nprint(lost)\n", "print(lost)\n")
    first, second = (asyncio.run(ruff.check(path, *pair, timeout=PATIENT)) for pair in (texts[:2], texts[1:]))
    message = "`re` imported but unused"
    found = Diagnostic(path, 1, 8, 1, 10, "error", message, "F401", "ruff")
    assert first == Report(path, "problems", (found,), source="ruff")
    assert second == Report(path, "clean", source="ruff")


#: Starts the real servers and waits to be killed.
KILLED = """
import asyncio, os, sys
from suture.agent.diagnostics import LanguageServers

async def main():
    servers = LanguageServers(os.getcwd())
    report = await servers.check(os.path.abspath("a.py"), "", "x: int = 1\\n", timeout=60)
    print(report.state, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.slow
def test_the_servers_of_a_program_that_is_killed_end_too(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "clean\n"
        started = descendants(program.pid)
        assert len(started) >= 2
        program.kill()
    limit = time.monotonic() + PATIENT
    while any(is_alive(pid) for pid in started):
        assert time.monotonic() < limit
        time.sleep(0.005)


def test_the_table_has_a_server_for_each_of_these() -> None:
    names = ("a.py", "a.pyi", "a.ts", "a.tsx", "a.js", "a.json", "tsconfig.json", "a.yaml", "a.yml", "a.sh")
    known = {name: [server.language_of(name) for server in SERVERS if server.language_of(name)] for name in names}
    assert all(known.values())
    assert known["a.py"] == ["python"] * 4
    assert known["tsconfig.json"] == ["jsonc"]
