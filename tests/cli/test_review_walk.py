"""A person answers 20 requests of three agents in `suture review --terminal`, on screens of two sizes in tmux.

It counts the keys. `pytest -s` prints them for each thing to do, with the time that it took.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import BIN, Place
from tests.shared.reviews import AskingAgent, until
from tests.shared.tmux_screen import TmuxScreen
from tests.shared.twenty_requests import ACTORS, MODULE, calls_by_agent, project_files

from suture.review import Inbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

#: An editor that corrects a word.
CORRECT = "import sys, pathlib as p; f = p.Path(sys.argv[1]); f.write_text(f.read_text().replace('teh', 'the'))"
EDITOR = shlex.join([sys.executable, "-c", CORRECT])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    for name in ("NO_COLOR", "DISPLAY", "WAYLAND_DISPLAY", "VISUAL"):
        made.environment.pop(name, None)
    made.environment |= {"EDITOR": EDITOR, "TERM": "screen-256color", "LC_ALL": "C.UTF-8"}
    monkeypatch.setenv("SUTURE_STATE_DIR", made.environment["SUTURE_STATE_DIR"])
    for path, content in project_files().items():
        made.write(path, content)
    return made


@pytest.fixture
def agents(place: Place) -> Iterator[list[AskingAgent]]:
    """Three agents with 20 requests."""
    pairs = zip(ACTORS, calls_by_agent(), strict=True)
    started = [AskingAgent(place.root, *calls, actor=actor) for actor, calls in pairs]
    until(lambda: Inbox().count() == 20)
    yield started
    for agent in started:
        agent.__exit__()


class Walk:
    """A person at the terminal, whose keys are counted."""

    def __init__(self, screen: TmuxScreen) -> None:
        self.screen = screen
        self.keys = 0
        self._began = time.monotonic()

    def press(self, *keys: str) -> None:
        """Press keys, by their names in tmux."""
        self.keys += len(keys)
        self.screen.press(*keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self.keys += len(text)
        self.screen.press("-l", text)

    def done(self, what: str) -> int:
        """What was done, and the keys that it took."""
        keys, self.keys = self.keys, 0
        now = time.monotonic()
        sys.stdout.write(f"{what}: {keys} keys, {now - self._began:.1f} s\n")
        self._began = now
        return keys


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 40)])
def test_a_person_answers_twenty_requests(place: Place, agents: list[AskingAgent], columns: int, lines: int) -> None:
    command = [str(BIN / "suture"), "review", "--terminal"]
    with TmuxScreen(command, place.root, place.environment, columns=columns, lines=lines) as screen:
        screen.until("20 requests waiting")
        walk = Walk(screen)

        walk.press("!", "Enter")
        screen.until("claude wants to delete deploy/production.env")
        screen.until("reason:    Cleans up.")
        assert walk.done("find the risky one") == 2
        walk.press("r")
        screen.until("19 requests waiting")
        assert walk.done("reject it") == 1

        walk.type("/_17")
        walk.press("Enter", "Enter")
        screen.until("gemini wants to edit src/pkg1/module_17.py")
        walk.press("c")
        screen.until("Line and comment: 6")
        walk.type("Keep the plus.")
        walk.press("Enter", "r")
        screen.until("Rejected: src/pkg1/module_17.py")
        assert walk.done("reject one with a comment on a line") < 30

        walk.press("/", "C-u")
        walk.type("README")
        walk.press("Enter", "Enter", "e")
        screen.until("(edited by you)")
        assert "+Runs all the steps." in screen.text
        walk.press("a")
        screen.until("Approved with your changes: README.md")
        assert walk.done("change one word of another") < 15
        walk.press("/", "C-u", "Enter")
        screen.until("17 requests waiting")

        walk.press("*", "Home", "Space", "Space")
        screen.until("15 marked")
        walk.press("a")
        screen.until("1/15")
        walk.press("a")
        screen.until("Not approved")
        while "not shown yet" in screen.text:
            walk.press("NPage")
            time.sleep(0.05)
        walk.press("a")
        screen.until("Approved 15 requests.")
        # Each agent writes what was approved as soon as it has the answer.
        while sum("-> int" in text for text in place.files().values()) < 15:
            time.sleep(0.05)
        assert walk.done("approve 15 at once") < 40

        walk.press("t")
        screen.until("Commits")
        walk.press("u")
        screen.until("took it back")
        assert walk.done("undo the last") == 2
        walk.press("q", "q")
    files = place.files()
    assert files["deploy/production.env"] == "KEY=1\n"
    assert files["README.md"] == "# Project\n\nRuns all the steps.\n"
    assert files["src/pkg1/module_17.py"] == MODULE.format(17)
    assert sum("-> int" in text for text in files.values()) == 14
    told = [agents[2].answer()[0] for _ in range(1)]
    assert any("src/pkg1/module_17.py:6: Keep the plus." in text for text in told)
