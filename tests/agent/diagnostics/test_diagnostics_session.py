"""What a session says of files that nobody can check: once, and then no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.agents import READ, Agent

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.report import Report

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent import Result

NOT_KNOWN = "was not checked for errors: no language server is known for .{} files."


def agent_without_servers(folder: Path) -> Agent:
    agent = Agent(folder, reads=dict.fromkeys(("write", "edit", "apply_patch"), "off"))
    agent.session.diagnoser = LanguageServers(str(agent.root), [])
    return agent


def write(name: str, content: str) -> tuple[str, dict[str, str]]:
    return "write", {"filePath": name, "content": content}


def states(result: Result) -> dict[str, tuple[str, bool]]:
    reports = result.metadata["diagnostics"]
    return {name: (report["state"], report["asked"]) for name, report in reports.items()}


def test_that_nobody_can_check_a_type_of_files_is_said_once(tmp_path: Path) -> None:
    first, second, other = agent_without_servers(tmp_path).calls(
        write("a.md", "1\n"), write("b.md", "1\n"), write("c.txt", "1\n")
    )
    assert first.output.splitlines()[-1] == "The edit was applied. a.md " + NOT_KNOWN.format("md")
    assert second.output.splitlines() == ["File written.", "A b.md +1 -0"]
    assert other.output.splitlines()[-1] == "The edit was applied. c.txt " + NOT_KNOWN.format("txt")
    assert [states(result) for result in (first, second, other)] == [
        {"a.md": ("unknown", False)},
        {"b.md": ("unknown", False)},
        {"c.txt": ("unknown", False)},
    ]


def test_of_files_of_one_type_in_one_patch_it_is_said_of_one(tmp_path: Path) -> None:
    added = "".join(f"*** Add File: {name}.md\n+1\n" for name in "abc")
    result = agent_without_servers(tmp_path).call(
        ("apply_patch", {"patchText": f"*** Begin Patch\n{added}*** End Patch"})
    )
    assert result.output.count("not checked") == 1
    assert len(states(result)) == 3


def test_every_session_says_it(tmp_path: Path) -> None:
    for number in range(2):
        result = agent_without_servers(tmp_path).call(write(f"{number}.md", "1\n"))
        assert result.output.endswith(NOT_KNOWN.format("md"))


def test_that_there_was_no_answer_is_said_each_time(tmp_path: Path) -> None:
    class Late:
        async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109, ARG002
            return Report(path, "unknown", reason="too slow")

        async def close(self) -> None:
            pass

    agent = agent_without_servers(tmp_path)
    agent.session.diagnoser = Late()
    results = agent.calls(write("a.md", "1\n"), write("a.md", "2\n"))
    assert [result.output.endswith("is unknown: too slow.") for result in results] == [True, True]


def test_a_file_that_is_no_unicode_is_not_checked_and_that_is_said(tmp_path: Path) -> None:
    agent = agent_without_servers(tmp_path)
    agent.put("latin.py", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    change = ("edit", {"filePath": "latin.py", "oldString": "x = ", "newString": "y = "})
    result = agent.call(READ, change)
    assert result.output.splitlines()[-1] == (
        "The edit was applied. latin.py was not checked for errors: latin.py is not in UTF-8."
    )
    assert states(result) == {"latin.py": ("unknown", False)}


@pytest.mark.parametrize("answer", [None, [], "clean", {"state": "clean"}], ids=repr)
@pytest.mark.parametrize("together", [False, True])
def test_a_diagnoser_that_gives_no_report_does_not_break_an_edit(
    tmp_path: Path, answer: object, *, together: bool
) -> None:
    class Wrong:
        async def check(self, *_: object, **__: object) -> Any:
            return answer

        async def close(self) -> None:
            pass

    class WrongTogether(Wrong):
        async def check_all(self, *_: object, **__: object) -> Any:
            return answer

    agent = agent_without_servers(tmp_path)
    agent.session.diagnoser = WrongTogether() if together else Wrong()
    result = agent.call(write("a.md", "1\n"))
    assert agent.text("a.md") == "1\n"
    assert result.output.splitlines()[-1].startswith(
        "The edit was applied. Whether it introduced errors in a.md is unknown"
    )
    assert states(result) == {"a.md": ("unknown", True)}
