"""Each client without a person, with what `suture install` wrote."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.clients.real_clients import (
    APP,
    CLIENTS,
    HELLO,
    OTHER,
    PATIENCE,
    PROGRAMS,
    READ,
    RIGHT_PATCH,
    Place,
    servers_in,
    wait_until,
)
from tests.clients.scripted_model import ScriptedModel
from tests.shared.programs import BIN

if TYPE_CHECKING:
    from pathlib import Path

each_client = pytest.mark.parametrize("name", CLIENTS)  # the fixture `place` takes it
UNCHANGED = {"app.py": APP, "other.py": OTHER}


@pytest.fixture
def place(name: str, tmp_path: Path) -> Place:
    return Place(tmp_path, CLIENTS[name])


@each_client
def test_a_refused_edit_is_corrected_and_a_patch_changes_several_files(place: Place) -> None:
    place.install("--headless")
    run = place.run(place.client.script)
    refusals = [text for text in run.results if "No file was changed." in text]
    assert len(refusals) == 1, run
    assert "--old" not in refusals[0]
    assert any("app.py +1 -1" in text for text in run.results), run
    own = [tool for tool in run.offered if "suture" not in tool]
    assert not set(own) & set(place.client.own_tools), own
    changed = place.files()
    if any(step.tool == "apply_patch" for step in place.client.script):
        assert (changed["other.py"], changed["new.py"]) == ("A = 10\nB = 2\n", "NEW = True\n")
        assert "'Good day, '" in changed["app.py"]
    else:
        assert "'Hello '" in changed["app.py"]
    assert servers_in(place) == []


@each_client
def test_without_a_person_nothing_is_written_that_needs_one(place: Place) -> None:
    place.install()
    run = place.run(place.client.script)
    assert place.files() == UNCHANGED, run


@each_client
def test_plan_mode_writes_nothing(name: str, place: Place) -> None:
    # The variant for runs without a person: nobody is asked, so that only the mode can keep the edit back.
    place.install(*([] if name == "qwen" else ["--headless"]))
    run = place.run(place.client.script, *place.client.plan)
    assert place.files() == UNCHANGED, run
    assert run.results, run.output


def test_a_gpt_model_of_opencode_gets_apply_patch(tmp_path: Path) -> None:
    place = Place(tmp_path, CLIENTS["opencode"])
    place.install("--headless")
    run = place.run([RIGHT_PATCH], "run", "-m", "scripted/gpt-5", "fix it")
    assert "Patch applied successfully. 3 files changed:" in run.results[0], run
    assert place.files()["new.py"] == "NEW = True\n"


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_killed_client_leaves_no_server_and_no_lock_behind(name: str, place: Place) -> None:
    place.install("--headless", "--approve", "queue")
    script = [RIGHT_PATCH] if name == "codex" else [READ, HELLO]
    with ScriptedModel(script) as model:
        client = subprocess.Popen(
            [str(PROGRAMS / place.client.program), *place.client.task],
            cwd=place.root,
            env={**place.environment, **place.client.prepare(place, model.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            # The call waits for somebody to approve it.
            wait_until(lambda: any((place.state / "approvals").rglob("*.json")))
            assert servers_in(place)
        finally:
            os.kill(client.pid, signal.SIGKILL)
            client.wait(PATIENCE)
        wait_until(lambda: not servers_in(place))
    command = [str(BIN / "suture"), "edit", "app.py", "--old", "'Hi '", "--new", "'Hello '"]
    subprocess.run(command, cwd=place.root, env=place.environment, check=True, timeout=PATIENCE)
    assert place.files() == {**UNCHANGED, "app.py": APP.replace("'Hi '", "'Hello '")}
