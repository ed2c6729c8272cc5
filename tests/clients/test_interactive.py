"""Each client on a terminal, with a person who approves or rejects, and what `suture install` wrote."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.clients.real_clients import (
    APP,
    CLIENTS,
    HELLO,
    OTHER,
    PROGRAMS,
    READ,
    RIGHT_PATCH,
    Place,
    end_clients,
    servers_in,
    wait_until,
)
from tests.clients.scripted_model import ScriptedModel
from tests.clients.tmux_screen import TmuxScreen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
UNCHANGED = {"app.py": APP, "other.py": OTHER}
ADDED = "return 'Hello ' + name"


def claude_code(screen: TmuxScreen, is_approved: bool) -> None:
    """The form of the server, with the diff."""
    screen.until("Decision:")
    screen.until(f"+    {ADDED}")
    if not is_approved:
        screen.press("Escape")
        return
    screen.press("Right")
    screen.until("◯ approve always")
    screen.press("Enter")
    screen.until("✔ Decision: approve")
    screen.press("Down")
    screen.until("❯ Accept")
    screen.press("Enter")


def codex(screen: TmuxScreen, is_approved: bool) -> None:
    """The form of the server, after the advertisement for another model."""
    while screen.until("Use existing model", "approve always") == "Use existing model":
        # A key that comes before the program listens is lost.
        screen.press("2")
        screen.settle("Use existing model")
    screen.until("+NEW = True")
    screen.press("1" if is_approved else "Escape")


def opencode(screen: TmuxScreen, is_approved: bool) -> None:
    """OpenCode's own question, with the diff."""
    screen.until("Permission required")
    screen.until(ADDED)
    screen.press(*([] if is_approved else ["Right", "Right"]), "Enter")
    if not is_approved:
        # It ends the turn without a word.
        wait_until(lambda: "Permission required" not in screen.text and "esc interrupt" not in screen.text)


def gemini(screen: TmuxScreen, is_approved: bool) -> None:
    """Gemini's own questions: for the read, and for the edit."""
    screen.until("Allow once")
    screen.press("Enter")
    screen.until("'Hello '")
    screen.until("Allow once")
    screen.press("Enter" if is_approved else "Escape")


PEOPLE: dict[str, tuple[tuple[str, ...], Callable[[TmuxScreen, bool], None]]] = {
    "claude-code": (("fix it",), claude_code),
    "codex": (("fix it",), codex),
    "opencode": (("--prompt", "fix it"), opencode),
    "gemini": (("-m", "gemini-2.5-pro", "-i", "fix it"), gemini),
}


@pytest.mark.parametrize("is_approved", [True, False], ids=["approved", "rejected"])
@pytest.mark.parametrize("name", PEOPLE)
def test_a_person_decides(name: str, is_approved: bool, tmp_path: Path) -> None:
    words, answer = PEOPLE[name]
    place = Place(tmp_path, CLIENTS[name])
    place.install()
    script = [RIGHT_PATCH] if name == "codex" else [READ, HELLO]
    with ScriptedModel(script) as model:
        environment = {**place.environment, **place.client.prepare(place, model.port)}
        command = [str(PROGRAMS / place.client.program), *words]
        with TmuxScreen(command, place.root, environment) as screen:
            answer(screen, is_approved)
            if is_approved:
                wait_until(lambda: place.files() != UNCHANGED)
                screen.until("All done.")
                assert "applied successfully" in model.results[-1]
            elif name != "opencode":
                screen.until("All done.", "Request cancelled")
    assert (place.files() != UNCHANGED) is is_approved
    end_clients(place)
    wait_until(lambda: not servers_in(place))
