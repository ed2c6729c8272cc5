"""Sessions: an edit through a Session beside the workspace's commit, and what many of them leave behind."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.speed.clock import best, milliseconds, table
from benchmarks.speed.texts import module
from suture import Session, Workspace

#: What a session may cost: so many times the workspace's own edit.
TARGET = 2.0
SIZES = (100, 10_000)


class Ground:
    """A folder with a file of so many lines, which is edited to and fro."""

    def __init__(self, folder: str, lines: int) -> None:
        self.path = Path(folder) / "work" / "module.py"
        self.path.parent.mkdir()
        self.path.write_text("value = 0\n" + module(lines), "utf-8")
        self.workspace = Workspace(self.path.parent, state_dir=Path(folder) / "state")
        self.session = Session(self.workspace, rules=[("edit", "*", "allow")])
        self._count = 0

    def _next(self) -> tuple[str, str]:
        self._count += 1
        return f"value = {self._count - 1}\n", f"value = {self._count}\n"

    def commit(self) -> None:
        """The workspace alone: a plan and its commit."""
        self.workspace.commit(self.workspace.plan_edit("module.py", *self._next()))

    async def edit(self) -> None:
        """The same through the session, as a model calls it."""
        old, new = self._next()
        result = await self.session.call("edit", {"filePath": "module.py", "oldString": old, "newString": new})
        assert not result.is_error, result.output


def sessions(*, quick: bool) -> dict[str, float]:
    """An edit through a Session beside the workspace's plan and commit, all with `durability="full"`."""
    figures: dict[str, float] = {}
    rows = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
            ground = Ground(folder, size)
            # Each finds the file changed by the other: the session is made to go on, and shows what has changed.
            ground.session = Session(ground.workspace, rules=[("edit", "*", "allow")], reads={"edit": "warn"})
            calls = {"workspace": ground.commit, "session": lambda: runner.run(ground.edit())}  # noqa: B023
            times = best(calls, rounds=20 if quick else 100)
            ground.workspace.close()
        ratio = figures[f"session edit {size} / commit"] = times["session"] / times["workspace"]
        met = "yes" if ratio <= TARGET else "no"
        rows.append(
            (f"{size:,}", milliseconds(times["workspace"]), milliseconds(times["session"]), f"{ratio:.2f}×", met)
        )
    print(f"## An edit through a Session, beside the workspace's commit (target {TARGET:g}×)\n")
    print(table(("lines", "workspace", "session", "ratio", "met"), rows), end="\n\n")
    return figures | _left_behind(edits=200 if quick else 1000)


def _left_behind(*, edits: int) -> dict[str, float]:
    """What sequential edits of one file leave: objects, open files, threads, memory."""
    before, after = asyncio.run(growth(edits))
    names = ("objects", "open files", "threads", "pages in memory")
    print(f"## What {edits:,} sequential edits leave behind\n")
    rows = [(n, f"{b:,}", f"{a:,}") for n, b, a in zip(names, before, after, strict=True)]
    print(table(("", "before", "after"), rows), end="\n\n")
    return {f"session growth {n}": float(a - b) for n, b, a in zip(names, before, after, strict=True)}


async def growth(edits: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What is held before and after so many edits; as many before them only warm up."""
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(folder, 100)
        await ground.session.read("module.py")
        # Once the pool of threads is full it stays as it is.
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(64)))
        for _ in range(edits):
            await ground.edit()
        before = _held()
        for _ in range(edits):
            await ground.edit()
        after = _held()
        await ground.session.close()
        ground.workspace.close()
    return before, after


def _held() -> tuple[int, ...]:
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return len(gc.get_objects()), len(list(Path("/proc/self/fd").iterdir())), threading.active_count(), resident


if __name__ == "__main__":
    sessions(quick=True)
