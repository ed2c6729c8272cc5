"""A sign of life where a job takes over a second: what it is doing and how far it is, in a bar on standard error.

The work says with `at` how far it is, and a thread looks on and draws: so a job that is held up, by the locks of
another process for instance, has its bar too. There is one only where standard error is a terminal, and nothing of it
stays.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ..core.patch import Patch
    from ..workspace.workspace import Workspace
    from .screen import Screen

#: Seconds until it shows, and between two looks.
PATIENCE = 1.0
PACE = 0.1
#: How many signs a whole bar has.
CELLS = 20
#: Steps on the disk that are worth counting, in their order, with what they mean.
STEPS = {"open": "reading", "create": "staging", "rename": "publishing"}


class waiting:  # noqa: N801 - used like a function
    """A context in which a bar is drawn if the work in it takes long. Nothing else may be printed in it.

    `workspace` is one whose steps on the disk are counted, `whole` how many files are about to be changed, where known.
    """

    def __init__(
        self, screen: Screen, workspace: Workspace | None = None, whole: int = 0, *, unit: str = "file"
    ) -> None:
        self._screen = screen
        self._on = not screen.json and _has_bars()
        self._workspace = workspace
        self._whole = whole
        self._unit = unit
        self._now = ("reading", 0, whole)

    def at(self, what: str, done: int, whole: int = 0) -> None:
        """Say what is being done, and how much of it is."""
        self._now = (what, done, whole)

    def __enter__(self) -> Self:
        if self._on:
            from threading import Event, Thread

            if self._workspace is not None:
                self._count(self._workspace)
            self._end = Event()
            self._thread = Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._on:
            self._end.set()
            self._thread.join()

    def _count(self, workspace: Workspace) -> None:
        """Count the files that the workspace has at each step. A file is opened several times on its way."""
        seen: dict[str, set[str]] = {step: set() for step in STEPS}
        order = list(STEPS)
        others = workspace.files.watch
        last = 0

        def watch(step: str, path: str) -> None:
            nonlocal last
            if others is not None:
                others(step, path)
            if step not in seen or order.index(step) < last:
                return
            last = order.index(step)
            seen[step].add(path)
            before = len(seen[order[last - 1]]) if last else 0
            self.at(STEPS[step], len(seen[step]), self._whole or before)

        workspace.files.watch = watch

    def _draw(self) -> None:
        if self._end.wait(PATIENCE):
            return
        while True:
            self._screen.draw(f"\r{self.bar(_columns() - 1)}\x1b[K")
            if self._end.wait(PACE):
                break
        self._screen.draw("\r\x1b[K")

    def bar(self, columns: int = 80) -> str:
        """What is being done, and how far it is where that is known, in no more than so many columns."""
        what, done, whole = self._now
        done = min(done, whole) if whole else done
        unit = self._unit + "s" * ((whole or done) != 1)
        if not whole:
            return (f"{what} {done} {unit}" if done else f"{what} …")[:columns]
        filled = CELLS * done // whole
        shown = f"[{'#' * filled}{'.' * (CELLS - filled)}] {what} {done} of {whole} {unit}"
        return shown if len(shown) <= columns else f"{what} {100 * done // whole} %"[:columns]


def files_in(patch: str | Patch) -> int:
    """How many files a patch is about, roughly: a text is not read for that."""
    if isinstance(patch, str):
        return sum(patch.count(f"\n*** {marker} File:") for marker in ("Add", "Delete", "Update", "Move"))
    return len(patch.operations)


def _has_bars() -> bool:
    try:
        return sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
    except (AttributeError, ValueError):
        return False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
