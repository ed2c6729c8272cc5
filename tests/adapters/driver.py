"""A framework, an agent in it with a scripted model, and a session: what the tests of all adapters work with.

The model is scripted by a list of turns, each a list of calls, and goes by what the conversation already has. So
another process goes on where the first one has stopped.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from suture import Session, SyncSession, Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.agent import Answer

Call = tuple[str, dict[str, Any]]
#: The turns of a model, each with the calls that it makes at once.
Script = list[list[Call]]


class Answered(NamedTuple):
    """What a model has seen of one call."""

    text: str
    is_error: bool


class Turn(NamedTuple):
    """Where a run has come to: what the model has seen so far, and what a person is asked."""

    results: list[Answered]
    questions: list[dict[str, Any]]
    output: str = ""


class Driver(ABC):
    """An agent of one framework in a folder with `app.py`. Its state is in the folder too, for another process."""

    #: Whether the framework has a form for errors, or a text has to do.
    marks_errors: ClassVar[bool] = True
    #: Whether a question can be asked again. If not, the model is told that the approval was not used.
    asks_again: ClassVar[bool] = True
    #: Whether a reply is data that could go to another call. If not, an answer is given to the framework's own object.
    has_replies: ClassVar[bool] = True
    #: Whether the model has a tool that inserts lines.
    has_insert: ClassVar[bool] = True
    #: Whether a turn may change one file twice.
    edits_at_once: ClassVar[bool] = True
    #: What the model is told about an edit without the text to find.
    missing: ClassVar[str] = "oldString is required."
    #: Give the reply to the last question to the first call, and so on.
    swaps_replies: bool = False

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.root = folder / "root"
        self.runner = asyncio.Runner()
        self.workspace = Workspace(self.root, state_dir=folder / "state", durability="process")
        self.session: Any = self.make_session(**settings)
        self.script: Script = []
        self.open()

    def make_session(self, *, blocks: bool = False, **settings: Any) -> Any:
        return (SyncSession if blocks else Session)(self.workspace, **settings)

    async def close_session(self) -> None:
        if isinstance(self.session, SyncSession):
            self.session.close()
        else:
            await self.session.close()

    @abstractmethod
    def open(self) -> None:
        """Make the agent."""

    @abstractmethod
    async def begin(self) -> Turn:
        """Run the agent until it ends or somebody has to be asked."""

    @abstractmethod
    async def go_on(self, answers: Sequence[Answer]) -> Turn:
        """Run it on with an answer to each question, in order."""

    @abstractmethod
    def dump(self) -> Any:
        """The stopped run as data that JSON can hold."""

    @abstractmethod
    async def restore(self, data: Any) -> Turn:
        """Take over a stopped run."""

    def start(self, *script: list[Call]) -> Turn:
        self.script = list(script)
        return self.runner.run(self.begin())

    def answer(self, *answers: Answer) -> Turn:
        return self.runner.run(self.go_on(answers))

    def save(self) -> str:
        """Write the run into the folder, and return it."""
        text = json.dumps({"script": self.script, "run": self.dump()})
        (self.folder / "run.json").write_text(text)
        return text

    def load(self) -> Turn:
        data = json.loads((self.folder / "run.json").read_text())
        self.script = data["script"]
        return self.runner.run(self.restore(data["run"]))

    def answer_elsewhere(self, framework: str, answer: Answer) -> dict[str, Any]:
        """Go on with the stored run in another process, and return what came of it there."""
        (self.folder / "answer.json").write_text(answer.to_json())
        top = Path(__file__).parents[2]
        done = subprocess.run(
            [sys.executable, "-m", "tests.adapters.another_process", framework, str(self.folder)],
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            cwd=top,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(top), *sys.path])},
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def next_calls(self, turns: int) -> list[Call]:
        """The calls of the turn that follows so many; none at the end."""
        return self.script[turns] if turns < len(self.script) else []

    def in_order(self, replies: Sequence[Any]) -> list[Any]:
        """Replies in the order in which they are given to the calls."""
        return list(reversed(replies)) if self.swaps_replies else list(replies)

    def text(self, name: str = "app.py") -> str:
        return (self.root / name).read_text()

    def put(self, name: str, text: str) -> None:
        """Write a file behind the session's back."""
        (self.root / name).write_text(text)

    def close(self) -> None:
        self.runner.run(self.close_session())
        self.runner.close()
        self.workspace.close()
