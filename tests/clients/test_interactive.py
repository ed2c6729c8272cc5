"""Each client on a terminal, with a person who approves or rejects, and what `suture install` wrote."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.clients.real_clients import (
    ATTEMPTS,
    CLIENTS,
    HELLO,
    PATIENCE,
    PROGRAMS,
    READ,
    RIGHT_PATCH,
    UNCHANGED,
    Place,
    end_clients,
    has_listed_tools,
    servers_in,
    wait_until,
)
from tests.clients.scripted_model import END, ScriptedModel
from tests.shared.tmux_screen import SLOWEST_ANSWER, TmuxScreen

from suture.agent import Answer
from suture.review import Inbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.clients.scripted_model import Step

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    # A client may take minutes to start on a busy machine.
    pytest.mark.timeout(1500),
]
ADDED = "return 'Hello ' + name"
#: What Gemini CLI says after Escape.
CANCELLED = "Request cancelled"
#: What Claude Code says after Escape where it shows no form.
INTERRUPTED = "Interrupted"
#: What Claude Code shows while the user decides elsewhere.
IN_REVIEW = "Waiting for an approval in `suture review`"
#: What Codex says when it advertises another model.
ADVERTISEMENT = "Use existing model"


def until_asked(screen: TmuxScreen, *texts: str) -> None:
    """Wait for a question; the model must not come to its end without one."""
    assert screen.until(*texts, END) != END, screen.text


def approve_in_review(place: Place) -> None:
    """What `suture review` does, where the whole diff is shown."""
    inbox = Inbox([str(folder) for folder in (place.state / "approvals").iterdir()])
    (waiting,) = inbox.pending()
    assert ADDED in str(waiting.request.files[0].hunks)
    inbox.answer(waiting.id, Answer.once(), waiting.fingerprint)


def claude_code(screen: TmuxScreen) -> None:
    """The form of the server, with the diff. Newer releases cut forms, so they name the review instead."""
    if screen.until("Decision:", IN_REVIEW, END) == "Decision:":
        screen.until(f"+    {ADDED}")
    until_asked(screen, "Decision:", IN_REVIEW)


def approve_claude_code(screen: TmuxScreen, place: Place) -> None:
    if IN_REVIEW in screen.text:
        approve_in_review(place)
        return
    screen.press_until("Right", "◯ approve always")
    screen.press_until("Enter", "✔ Decision: approve")
    screen.press_until("Down", "❯ Accept")
    screen.press("Enter")


def codex(screen: TmuxScreen) -> None:
    """The form of the server, with the diff."""
    until_asked(screen, "approve always")
    screen.until("+NEW = True")


def opencode(screen: TmuxScreen) -> None:
    """OpenCode's own question, with the diff."""
    until_asked(screen, "Permission required")
    screen.until(ADDED)


def gemini(screen: TmuxScreen) -> None:
    """Gemini's own questions: for the read, and for each edit."""
    until_asked(screen, "Allow once")
    while "'Hello '" not in screen.text:
        screen.press("Enter")
        screen.settle("Allow once")
        until_asked(screen, "Allow once")


def approve_gemini(screen: TmuxScreen, _: Place) -> None:
    """The edit, and what it asks for after that."""
    while True:
        screen.press("Enter")
        screen.settle("Allow once")
        if screen.until(END, "Allow once") == END:
            return


#: How a question is waited for, how it is approved, and the keys that reject it.
PEOPLE: dict[str, tuple[Callable[[TmuxScreen], None], Callable[[TmuxScreen, Place], None], tuple[str, ...]]] = {
    "claude-code": (claude_code, approve_claude_code, ("Escape",)),
    "codex": (codex, lambda screen, _: screen.press("1"), ("Escape",)),
    "opencode": (opencode, lambda screen, _: screen.press("Enter"), ("Right", "Right", "Enter")),
    "gemini": (gemini, approve_gemini, ("Escape",)),
}
#: One call that somebody has to approve.
ASKED: dict[str, Sequence[Step]] = {name: [RIGHT_PATCH] if name == "codex" else [READ, HELLO] for name in PEOPLE}
each_client = pytest.mark.parametrize("name", PEOPLE)


@contextmanager
def on_a_terminal(
    place: Place, script: Sequence[Step], words: Sequence[str]
) -> Iterator[tuple[TmuxScreen, ScriptedModel]]:
    """A client on a terminal, with its first request to the model sent. At the end no server is left."""
    command = [str(PROGRAMS / place.client.program), *words]
    for attempt in range(ATTEMPTS):
        with ScriptedModel(script) as model:
            environment = {**place.environment, **place.client.prepare(place, model.port)}
            with TmuxScreen(command, place.root, environment, patience=PATIENCE) as screen:
                if place.client.typed:
                    wait_until(lambda: has_listed_tools(place))
                    screen.press_until(place.client.typed, place.client.typed)
                    send(screen, model)
                wait_until(lambda: has_begun(screen, model))
                is_ready = place.has_tools(model.offered) or attempt == ATTEMPTS - 1
                try:
                    if is_ready:
                        yield screen, model
                finally:
                    # Shown if the test fails.
                    sys.stdout.write("\n---\n".join([screen.text, *model.results]))
        end_clients(place)
        wait_until(lambda: not servers_in(place))
        if is_ready:
            return


def send(screen: TmuxScreen, model: ScriptedModel) -> None:
    """Send what was typed: a key that comes before the program listens is lost."""
    end = time.monotonic() + PATIENCE
    while not model.offered:
        assert time.monotonic() < end, screen.text
        screen.press("Enter")
        again = time.monotonic() + SLOWEST_ANSWER
        while not model.offered and time.monotonic() < again:
            time.sleep(0.1)


def has_begun(screen: TmuxScreen, model: ScriptedModel) -> bool:
    """Whether a client has sent its first request; where Codex advertises another model, its own is kept."""
    if ADVERTISEMENT in screen.text:
        # A key that comes before the program listens is lost.
        screen.press("2")
        screen.settle(ADVERTISEMENT)
    return bool(model.offered)


@each_client
def test_what_a_person_approves_is_written_and_a_refused_edit_asks_nobody(name: str, tmp_path: Path) -> None:
    wait_for_question, approve, _ = PEOPLE[name]
    place = Place(tmp_path, CLIENTS[name])
    place.install()
    with on_a_terminal(place, place.client.script, place.client.terminal) as (screen, model):
        wait_for_question(screen)
        assert place.files() == UNCHANGED
        approve(screen, place)
        screen.until(END)
        refusals = [text for text in model.results if "No file was changed." in text]
        assert len(refusals) == 1, model.results
        assert any("app.py +1 -1" in text for text in model.results), model.results
    changed = place.files()
    if any(step.tool == "apply_patch" for step in place.client.script):
        assert (changed["other.py"], changed["new.py"]) == ("A = 10\nB = 2\n", "NEW = True\n")
    else:
        assert "'Hello '" in changed["app.py"]


@each_client
def test_what_a_person_rejects_is_not_written(name: str, tmp_path: Path) -> None:
    wait_for_question, _, reject = PEOPLE[name]
    place = Place(tmp_path, CLIENTS[name])
    place.install()
    with on_a_terminal(place, ASKED[name], place.client.terminal) as (screen, _):
        wait_for_question(screen)
        screen.press(*reject)
        if name == "opencode":
            # It ends the turn without a word.
            wait_until(lambda: "Permission required" not in screen.text and "esc interrupt" not in screen.text)
        else:
            screen.until(END, CANCELLED, INTERRUPTED)
    assert place.files() == UNCHANGED


@each_client
def test_plan_mode_on_a_terminal_writes_nothing(name: str, tmp_path: Path) -> None:
    place = Place(tmp_path, CLIENTS[name])
    # The variant for runs without a person: nobody is asked, so that only the mode can keep the edit back.
    place.install("--headless")
    with on_a_terminal(place, place.client.script, place.client.terminal_plan) as (screen, model):
        screen.until(END)
        assert model.results
    assert place.files() == UNCHANGED


@each_client
def test_a_client_that_is_killed_while_it_asks_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    wait_for_question, _, _ = PEOPLE[name]
    place = Place(tmp_path, CLIENTS[name])
    place.install()
    with on_a_terminal(place, ASKED[name], place.client.terminal) as (screen, _):
        wait_for_question(screen)
        # OpenCode's tools need no server.
        assert bool(servers_in(place)) is (name != "opencode")
        end_clients(place)
    place.edit_with_suture()


def test_an_approval_that_comes_after_the_call_has_ended_is_used_when_the_model_repeats_it(tmp_path: Path) -> None:
    place = Place(tmp_path, CLIENTS["claude-code"])
    place.install()
    place.shorten_approvals("1")
    # Each of the calls waits for a second, so the person has minutes.
    with on_a_terminal(place, [READ, *[HELLO] * 200], place.client.terminal) as (screen, model):
        claude_code(screen)
        wait_until(lambda: any("send the same call again" in text for text in model.results))
        assert place.files() == UNCHANGED
        approve_claude_code(screen, place)
        wait_until(lambda: any("app.py +1 -1" in text for text in model.results))
    assert "'Hello '" in place.files()["app.py"]
