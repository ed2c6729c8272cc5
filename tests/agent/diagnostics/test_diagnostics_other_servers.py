"""Diagnostics of the real servers that are no Python packages, where they are installed.

`scripts/install-language-servers` puts them beside the environment's Python; those on the search path are taken too.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.server_table import SERVERS, find_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.agent.diagnostics.report import Report

#: Long enough for a server that starts on a busy machine.
PATIENT = 60.0
FOLDERS = [str(Path(sys.prefix) / "language-servers" / "node_modules" / ".bin")]


class Language(NamedTuple):
    """A file with an error that is nobody's business, an edit that brings another, and that other."""

    file: str
    before: str
    old: str
    new: str
    found: tuple[int, int, str]
    comment: str = "# a comment\n"

    @property
    def broken(self) -> str:
        assert self.old in self.before
        return self.before.replace(self.old, self.new)


LANGUAGES = {
    "typescript": Language(
        "a.ts",
        'export const wrong: number = "before";\nexport const smile = "😀", count: number = 1;\n',
        "number = 1;",
        "number = smile;",
        (2, 27, "2322"),
        "// a comment\n",
    ),
    "javascript": Language(
        "a.js", "let twice = 1;\nlet twice = 2;\nlet one = 1;\n", "one = 1", "one = ", (3, 11, "1109"), "// a comment\n"
    ),
    "json": Language("a.json", '{\n  "a": tru,\n  "b": 1\n}\n', '"b": 1', '"b" 1', (3, 7, "515"), "\n"),
    "yaml": Language("a.yaml", "a: 1\na: 2\nb: 3\n", "b: 3\n", "b: 3\nb: 4\n", (4, 1, "")),
    "bash": Language(
        "a.sh",
        '#!/bin/bash\nprintf "%s" $@\necho "$1"\n',
        'echo "$1"',
        "list=(a b)\ncp ${list[@]} .",
        (4, 4, "SC2068"),
        "#!/bin/bash\n",
    ),
}


class Project:
    """A folder with servers that are started once for all tests here."""

    def __init__(self, runner: asyncio.Runner, root: Path) -> None:
        self.runner = runner
        self.root = root
        self.servers = LanguageServers(str(root), folders=FOLDERS)

    def edit(self, name: str, before: str | None, after: str) -> Report:
        path = self.root / name
        path.write_text(after, "utf-8")
        return self.runner.run(self.servers.check(str(path), before, after, timeout=PATIENT))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with asyncio.Runner() as runner:
        project = Project(runner, tmp_path_factory.mktemp("project"))
        yield project
        runner.run(project.servers.close())


@pytest.fixture(params=LANGUAGES.values(), ids=list(LANGUAGES))
def language(request: pytest.FixtureRequest) -> Language:
    chosen: Language = request.param
    (server,) = [server for server in SERVERS if server.language_of(chosen.file)]
    for program in (server.command[0], *server.needs):
        if find_program(program, FOLDERS) is None:
            pytest.skip(f"{program} is not installed")
    return chosen


def test_an_edit_is_told_exactly_the_error_that_it_introduced(project: Project, language: Language) -> None:
    report = project.edit(language.file, language.before, language.broken)
    assert (report.state, report.reason) == ("problems", "")
    assert [(found.line, found.column, found.code) for found in report.diagnostics] == [language.found]


def test_the_fix_of_an_error_is_clean(project: Project, language: Language) -> None:
    report = project.edit(language.file, language.broken, language.before)
    assert (report.state, report.reason) == ("clean", "")


def test_an_error_that_was_there_is_not_reported_also_where_the_edit_moved_it(
    project: Project, language: Language
) -> None:
    report = project.edit(language.file, language.before, language.comment + language.before)
    assert (report.state, report.reason) == ("clean", "")


def test_everything_is_new_in_a_new_file(project: Project, language: Language) -> None:
    path = Path(language.file)
    report = project.edit(f"{path.stem}-new{path.suffix}", None, language.broken)
    assert len(report.diagnostics) >= 2
