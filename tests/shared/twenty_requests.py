"""Twenty requests of three agents, as a person finds them after a pause: most are small, one deletes a file."""

from __future__ import annotations

from typing import Any

#: A tool and its arguments.
ToolCall = tuple[str, dict[str, Any]]

MODULE = "def name_{0}(value):\n    return value + 1\n\n\ndef part_{0}(value):\n    return value + 2\n"
ACTORS = ("claude", "codex", "gemini")
README = "# Project\n\nRuns the steps.\n"


def project_files() -> dict[str, str]:
    """The files that the requests are about, by their paths."""
    modules = {f"src/pkg{number % 4}/module_{number}.py": MODULE.format(number) for number in range(18)}
    return {**modules, "deploy/production.env": "KEY=1\n", "README.md": README}


def calls_by_agent() -> list[list[ToolCall]]:
    """The calls of each agent."""
    calls: list[list[ToolCall]] = [[], [], []]
    for number in range(17):
        path = f"src/pkg{number % 4}/module_{number}.py"
        old, new = f"def name_{number}(value):", f"def name_{number}(value: int) -> int:"
        calls[number % 3].append(_edit(path, old, new, "Adds types."))
    calls[0].append(("delete", {"filePath": "deploy/production.env", "reason": "Cleans up."}))
    calls[1].append(_edit("README.md", "Runs the", "Runs all teh", "Says more."))
    calls[2].append(_edit("src/pkg1/module_17.py", "value + 2", "value - 2", "Fixes a sign."))
    return calls


def _edit(path: str, old: str, new: str, reason: str) -> ToolCall:
    return "edit", {"filePath": path, "oldString": old, "newString": new, "reason": reason}
