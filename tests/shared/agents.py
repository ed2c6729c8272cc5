"""An agent to try things with: a session in a folder, what it hears, and what a model would be told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from suture import Session, Workspace
from suture.agent import Event, FileChanged, FileEdited, Rule
from suture.agent.diagnostics import Diagnostic, Report

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from suture.agent import Result

APP = "def greet(name):\n    print('Hi ' + name)\n\n\ndef part(name):\n    print('Bye ' + name)\n"
ALLOW = [Rule("edit", "*", "allow")]


class Agent:
    """A folder with `src/app.py` in it, a workspace and a session there. Sessions of one test share their state."""

    def __init__(self, folder: Path, *, settings: dict[str, Any] | None = None, **given: Any) -> None:
        self.folder = folder
        self.root = folder / "root"
        (self.root / "src").mkdir(parents=True, exist_ok=True)
        if not (self.root / "src" / "app.py").exists():
            self.put("src/app.py", APP)
        chosen = {"state_dir": folder / "state", "durability": "process", **(settings or {})}
        self.workspace = Workspace(self.root, **chosen)
        given.setdefault("rules", ALLOW)
        given.setdefault("whole_texts", True)
        self.session = Session(self.workspace, **given)
        self.heard: list[Event] = []

    def put(self, name: str, content: str | bytes) -> None:
        """Write a file behind the session's back."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def run(self, work: Callable[[Session], Awaitable[Any]]) -> Any:
        """Run something with the session, and hear all events of it."""

        async def main() -> Any:
            self.session.bus.subscribe(self.heard.append)
            try:
                return await work(self.session)
            finally:
                assert await self.session.bus.drain(5)
                await self.session.close()

        return asyncio.run(main())

    def call(self, *calls: tuple[str, Any]) -> Result:
        """Call some tools, one after another; the last answer."""
        return self.calls(*calls)[-1]

    def calls(self, *calls: tuple[str, Any]) -> list[Result]:
        async def work(session: Session) -> list[Result]:
            return [await session.call(name, arguments) for name, arguments in calls]

        found: list[Result] = self.run(work)
        return found

    def changed(self) -> list[tuple[str, str]]:
        """What a watcher of files would have heard."""
        return [(event.path, event.kind) for event in self.heard if isinstance(event, FileChanged)]

    def edited(self) -> list[str]:
        return [event.path for event in self.heard if isinstance(event, FileEdited)]


READ = ("read", {"filePath": "src/app.py"})


def edit(old: str = "'Hi '", new: str = "'Hello '", path: str = "src/app.py", **more: Any) -> tuple[str, Any]:
    """The call of an edit."""
    return "edit", {"filePath": path, "oldString": old, "newString": new, **more}


def code(result: Result) -> str:
    """The code of the one problem of an answer."""
    assert result.is_error, result.output
    (problem,) = result.metadata["problems"]
    found: str = problem["code"]
    return found


class FakeDiagnoser:
    """A diagnoser that gives the reports it was made with."""

    def __init__(self, state: str = "clean", seconds: float = 0.0, error: Exception | None = None) -> None:
        self.state = state
        self.seconds = seconds
        self.error = error
        self.asked: list[tuple[str, str | None, str]] = []
        self.limits: list[float] = []
        self.closed = False

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109
        self.asked.append((path, before, after))
        self.limits.append(timeout)
        assert Path(path).read_bytes().decode() == after  # noqa: ASYNC240 - a small file
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        found = (Diagnostic(path, 2, 5, 2, 9, "error", "no such name", "E1", "fake"),)
        return Report(path, self.state, found if self.state == "problems" else (), source="fake")  # type: ignore[arg-type]

    async def close(self) -> None:
        self.closed = True
