"""What a model reads of a session's tools, word for word: `tests/golden/session-<name>.txt`.

A change of wording shows as a change of the golden files, to be read as a model reads it that sees nothing else. To
write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/test_session_answers.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, FakeDiagnoser, edit
from tests.shared.goldens import FOLDER, compare
from tests.shared.sites import envelope, updated

from suture.agent import Answer, ApprovalQueue, Callback, Formatter

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture.agent import Result


LONG = "".join(f"line {number}\n" for number in range(1, 21))
TWO = LONG.replace("line 2\n", "two\n").replace("line 19\n", "nineteen\n")
PATCH = envelope(
    *updated("src/app.py", "    print('Hi ' + name)", "    print('Hello ' + name)"),
    "*** Add File: docs/greeting.md",
    "+Hi",
)
HALF = envelope("*** Add File: docs/greeting.md", "+Hi", "*** Delete File: src/ap.py")
DRIFTED = APP.replace("'Bye '", "'See you '")


def drifted(folder: Path, **given: Any) -> Agent:
    """An agent whose file was changed after it had read it."""
    agent = Agent(folder, **given)
    agent.call(READ)
    agent.put("src/app.py", DRIFTED)
    return agent


def answer(name: str, folder: Path) -> Result:
    """The answer of a case."""
    write = ("write", {"filePath": "long.txt", "content": TWO})
    some = Callback(lambda _: Answer.some({"long.txt": [1]}))
    reject = Callback(lambda _: Answer.reject("Keep the old greeting."))
    upper = Formatter("**/*.py", ("tr", "'", '"'))
    cases: dict[str, tuple[dict[str, Any], list[tuple[str, Any]]]] = {
        "read": ({}, [READ]),
        "read-part": ({}, [("read", {"filePath": "long.txt", "offset": 3, "limit": 2})]),
        "read-folder": ({}, [("read", {"filePath": "."})]),
        "read-not-found": ({}, [("read", {"filePath": "src/ap.py"})]),
        "read-behind-the-end": ({}, [("read", {"filePath": "src/app.py", "offset": 50})]),
        "edit": ({}, [READ, edit()]),
        "patch": ({}, [("apply_patch", {"patchText": PATCH})]),
        "patch-dry-run": ({}, [("apply_patch", {"patchText": PATCH, "dryRun": True})]),
        "patch-partly-applied": ({}, [("apply_patch", {"patchText": HALF, "atomic": False})]),
        "delete": ({}, [READ, ("delete", {"filePath": "src/app.py"})]),
        "move": ({}, [READ, ("move", {"filePath": "src/app.py", "toPath": "src/main.py"})]),
        "not-read": ({}, [edit()]),
        "not-read-again": ({}, [edit(), edit()]),
        "not-read-nor-shown": ({"rules": [("edit", "*", "allow"), ("read", "src", "deny")]}, [edit(), edit()]),
        "repeated": ({}, [READ, edit("greet", "greet_all"), edit("greet", "greet_all")]),
        "read-bytes": ({}, [("read", {"filePath": "latin.txt"})]),
        "encoding-unknown": ({}, [("read", {"filePath": "latin.txt"}), edit("one", "één", "latin.txt")]),
        "stale": ({"reads": {"edit": "require"}}, [edit()]),
        "drift": ({"reads": {"edit": "exact"}}, [edit()]),
        "warn": ({"reads": {"edit": "warn"}}, [edit()]),
        "rejected-with-message": ({"rules": (), "approver": reject}, [READ, edit()]),
        "timeout": ({"rules": (), "approver": ApprovalQueue(), "approval_timeout": 0.01}, [READ, edit()]),
        "some-hunks": ({"rules": (), "approver": some}, [("read", {"filePath": "long.txt"}), write]),
        "formatted": ({"formatters": [upper]}, [READ, edit()]),
        "formatter-missing": ({"formatters": [Formatter("**", ("no-such-formatter",))]}, [READ, edit()]),
        "diagnostics": ({"diagnoser": FakeDiagnoser("problems")}, [READ, edit()]),
        "arguments": ({}, [("edit", {"where": "src/app.py", "oldString": 3})]),
        "unknown-tool": ({}, [("str_replace", {})]),
    }
    given, calls = cases[name]
    agent = drifted(folder, **given) if name in ("stale", "drift") else Agent(folder, **given)
    agent.put("long.txt", LONG)
    if name in ("read-bytes", "encoding-unknown"):
        agent.put("latin.txt", b"one\ncaf\xe9\n")
    return agent.call(*calls)


CASES = [
    "read",
    "read-part",
    "read-folder",
    "read-not-found",
    "read-behind-the-end",
    "edit",
    "patch",
    "patch-dry-run",
    "patch-partly-applied",
    "delete",
    "move",
    "not-read",
    "not-read-again",
    "not-read-nor-shown",
    "repeated",
    "read-bytes",
    "encoding-unknown",
    "stale",
    "drift",
    "warn",
    "rejected-with-message",
    "timeout",
    "some-hunks",
    "formatted",
    "formatter-missing",
    "diagnostics",
    "arguments",
    "unknown-tool",
]


@pytest.mark.parametrize("name", CASES)
def test_an_answer_reads_as_its_golden_file(name: str, tmp_path: Path) -> None:
    text = answer(name, tmp_path).output + "\n"
    compare(f"session-{name}.txt", text)


def test_every_golden_file_has_its_case() -> None:
    assert {file.stem for file in FOLDER.glob("session-*.txt")} == {f"session-{name}" for name in CASES}
