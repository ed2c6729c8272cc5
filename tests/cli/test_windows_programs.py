"""The programs as processes, on Windows too: paths with backslashes, lines that end with CRLF, pipes not in UTF-8.

Under Wine a process takes seconds to start and may hang, so other tests that start one are skipped there. These few do
once what people do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared import transcripts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

BEFORE = b"a = 1\r\nb = '\xc3\xa9'\r\n"
SEPARATOR = "\\" if sys.platform == "win32" else "/"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "src" / "文.py").write_bytes(BEFORE)
    return project


def run(project: Path, *command: str, given: str = "", status: int = 0) -> str:
    """What a program prints; its state is beside the project."""
    environment = {**os.environ, "SUTURE_STATE_DIR": str(project.parent / "state")}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        input=given.encode(),
        capture_output=True,
        cwd=project,
        env=environment,
        check=False,
        timeout=280,
    )
    assert (done.returncode, done.stderr.decode()) == (status, "")
    return done.stdout.decode().replace("\r\n", "\n")


def test_an_edit_is_made_shown_and_undone(project: Path) -> None:
    path = f"src{SEPARATOR}文.py"
    done = run(project, "suture", "edit", path, "--old", "b = 'é'", "--new", "b = '→'")
    assert done.startswith("M src/文.py +1 -1\n")
    assert (project / "src" / "文.py").read_bytes() == BEFORE.replace(b"\xc3\xa9", "→".encode())
    assert "\n+b = '→'\n" in run(project, "suture", "show")
    run(project, "suture", "undo")
    assert (project / "src" / "文.py").read_bytes() == BEFORE


def test_apply_patch_reads_standard_input(project: Path) -> None:
    path = f"src{SEPARATOR}文.py"
    given = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a = 1\n+a = 2\n*** End Patch\n"
    done = run(project, "suture.cli.apply_patch", given=given)
    assert done == "Success. Updated the following files:\nM src/文.py\n"
    assert (project / "src" / "文.py").read_bytes() == BEFORE.replace(b"1", b"2")


def test_the_server_answers_calls_over_standard_streams(project: Path) -> None:
    path = str(project / "src" / "文.py")
    edit = {"filePath": path, "oldString": "a = 1", "newString": "a = 2"}
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": start},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"filePath": path}}},
        {"id": 3, "method": "tools/call", "params": {"name": "grep", "arguments": {"pattern": "a = "}}},
    ]
    environment = {**os.environ, "SUTURE_STATE_DIR": str(project.parent / "state")}
    command = [sys.executable, "-m", "suture", "mcp", "--profile", "all", "--approve", "client"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project, env=environment
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        answers: dict[int, dict[str, Any]] = {}

        def send(call: Mapping[str, object]) -> None:
            assert server.stdin is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n")
            server.stdin.flush()

        for call in calls:
            send(call)
        while len(answers) < 3:
            answer = json.loads(server.stdout.readline())
            answers[answer["id"]] = answer["result"]
        send({"id": 4, "method": "tools/call", "params": {"name": "edit", "arguments": edit}})
        answers[4] = json.loads(server.stdout.readline())["result"]
        server.stdin.close()
        assert server.wait(280) == 0
    texts = [answers[number]["content"][0]["text"] for number in (2, 3, 4)]
    assert texts[0].splitlines()[0].strip() == "1\ta = 1"
    assert texts[1] == "src/文.py:1:a = 1"
    assert texts[2] == "Edit applied successfully.\nM src/文.py +1 -1"
    assert (project / "src" / "文.py").read_bytes() == BEFORE.replace(b"1", b"2")


def test_a_batch_is_scored_by_workers(project: Path) -> None:
    rows = [{"id": number, "text": "a\n", "old": "a", "new": "b", "wanted": "b\n"} for number in range(5)]
    (project / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    run(project, "suture", "--json", "batch", "rows.jsonl", "-j", "2", "-o", "scored.jsonl")
    scored = [json.loads(line) for line in (project / "scored.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["outcome"]) for row in scored] == [(number, "equal") for number in range(5)]


def test_transcripts_in_the_usual_places_are_replayed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    places = {".claude/projects/p/1.jsonl": transcripts.claude_code(), ".codex/sessions/1.jsonl": transcripts.codex()}
    for name, data in places.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).write_bytes(data)
    (home / ".local/share/opencode").mkdir(parents=True)
    transcripts.opencode_database(home / ".local/share/opencode/opencode.db")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    report = run(project, "suture", "replay")
    agents = [line.split()[0] for line in report.splitlines() if line.endswith(" 0") and line[0].isalpha()]
    assert agents[:3] == ["claude-code", "codex", "opencode"]
