"""Each client without a person, with what `suture install` wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.real_clients import (
    CLIENTS,
    HELLO,
    PATIENCE,
    READ,
    RIGHT_PATCH,
    UNCHANGED,
    WRONG_PATCH,
    Place,
    end_clients,
    servers_in,
    wait_until,
)

from suture.agent import Answer
from suture.review import Inbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suture.review import InboxItem

each_client = pytest.mark.parametrize("name", CLIENTS)  # the fixture `place` takes it
#: A client may take minutes to start on a busy machine.
pytestmark = pytest.mark.timeout(1500)


@pytest.fixture
def place(name: str, tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path, CLIENTS[name])
    yield place
    # Cline leaves a daemon behind.
    end_clients(place)


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
    # A client may end before its server notices.
    wait_until(lambda: not servers_in(place))


# Continue approves by itself if there is no person.
@pytest.mark.parametrize("name", [name for name in CLIENTS if name != "continue"])
def test_without_a_person_nothing_is_written_that_needs_one(place: Place) -> None:
    place.install()
    # A release of Claude Code that cuts forms waits for the review.
    place.shorten_approvals("5")
    run = place.run(place.client.script, *place.client.asking)
    assert place.files() == UNCHANGED, run


# The others do not keep servers from writing in their plan modes, and do not tell them about it.
@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode", "gemini", "qwen"])
def test_plan_mode_writes_nothing(place: Place) -> None:
    # The variant for runs without a person: nobody is asked, so that only the mode can keep the edit back.
    place.install("--headless")
    run = place.run(place.client.script, *place.client.plan)
    assert place.files() == UNCHANGED, run
    assert run.results, run.output


def test_a_gpt_model_of_opencode_gets_apply_patch(tmp_path: Path) -> None:
    place = Place(tmp_path, CLIENTS["opencode"])
    # OpenCode installs its package for the schemas of tools. Everywhere else it can't, and takes them all the same.
    place.has_registry = True
    place.install("--headless")
    run = place.run([RIGHT_PATCH], "run", "-m", "scripted/gpt-5", "fix it")
    assert "Patch applied successfully. 3 files changed:" in run.results[0], run
    assert place.files()["new.py"] == "NEW = True\n"


def test_claude_code_changes_several_files_with_a_profile_that_has_a_patch(tmp_path: Path) -> None:
    place = Place(tmp_path, CLIENTS["claude-code"])
    place.install("--headless", "--profile", "core")
    run = place.run([READ, WRONG_PATCH, RIGHT_PATCH])
    assert ["No file was changed." in text for text in run.results] == [False, True, False], run
    changed = place.files()
    assert (changed["other.py"], changed["new.py"]) == ("A = 10\nB = 2\n", "NEW = True\n")
    assert "'Good day, '" in changed["app.py"]


#: The clients whose server can ask by itself, and one call that somebody has to approve.
ASKED = {"claude-code": [READ, HELLO], "codex": [RIGHT_PATCH], "gemini": [READ, HELLO], "qwen": [READ, HELLO]}


def wait_for_request(place: Place) -> InboxItem:
    """The request for an approval of the server that a client has started."""
    wait_until(lambda: any((place.state / "approvals").rglob("*.json")))
    return next(item for folder in (place.state / "approvals").iterdir() for item in Inbox([folder]).pending())


@pytest.mark.parametrize("is_approved", [True, False], ids=["approved", "rejected"])
@pytest.mark.parametrize("name", ASKED)
def test_a_person_elsewhere_decides_for_a_client_that_runs_alone(name: str, is_approved: bool, place: Place) -> None:
    place.install("--headless", "--approve", "queue")
    with place.started(ASKED[name]) as (client, model):
        item = wait_for_request(place)
        answer = Answer.once("Well done.") if is_approved else Answer.reject("Not like this.")
        Inbox([next((place.state / "approvals").iterdir())]).answer(item.request.id, answer, item.fingerprint)
        client.wait(PATIENCE)
        assert ("Well done." if is_approved else "Not like this.") in model.results[-1]
    assert (place.files() != UNCHANGED) is is_approved


# Nobody can be asked by OpenCode's tools and by the others here while they run alone; OpenCode is killed on a terminal.
@pytest.mark.parametrize("name", ASKED)
def test_a_killed_client_leaves_no_server_and_no_lock_behind(name: str, place: Place) -> None:
    place.install("--headless", "--approve", "queue")
    with place.started(ASKED[name]) as (client, _):
        # The call waits for somebody to approve it.
        wait_for_request(place)
        assert servers_in(place)
        client.kill()
        client.wait(PATIENCE)
        wait_until(lambda: not servers_in(place))
    end_clients(place)
    place.edit_with_suture()
