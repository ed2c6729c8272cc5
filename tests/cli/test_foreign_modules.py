"""A repository can have files with the names of Python's modules: no program runs them, nor what it starts."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"text": "a\n", "old": "a", "new": "b"}
#: What begins every file that has a name of a module.
BODY = "open(__file__ + '.was-run', 'w').close()\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize(
    ("command", "stdin"),
    [
        (("batch", "-j", "2", "-o", "out.jsonl"), f"{json.dumps(ROW)}\n" * 2),
        (("replay", "session.jsonl"), ""),
        (("tool", "grep", "--profile", "all"), '{"pattern": "here"}'),
        (("doctor",), ""),
    ],
    ids=["batch", "replay", "grep", "doctor"],
)
def test_no_module_of_the_current_directory_is_run(place: Place, command: tuple[str, ...], stdin: str) -> None:
    for name in (*sys.stdlib_module_names, "suture", "sitecustomize", "usercustomize"):
        place.write(f"{name}.py", BODY)
    place.write("here.txt", "here\n")
    call = {
        "type": "tool_use",
        "id": "a",
        "name": "Edit",
        "input": {"file_path": "a", "old_string": "a", "new_string": "b"},
    }
    entry = {"type": "assistant", "sessionId": "s", "cwd": str(place.root), "message": {"content": [call]}}
    place.write("session.jsonl", f"{json.dumps(entry)}\n")
    done = place.suture(*command, stdin=stdin)
    assert [name for name in place.files() if name.endswith(".was-run")] == []
    assert "Traceback" not in done.err
