"""A progress bar on standard error for work that takes longer than a second.

The work reports its progress with `update`, and a thread draws the bar, so that work that is blocked, for example by
another process's locks, has a bar too. It is drawn only on a terminal and erased at the end.
"""

from __future__ import annotations

import os
import sys
from threading import Event, Thread

from ..core.display import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from ..core.patch import Patch
    from ..workspace.workspace import Workspace
    from .screen import Screen

#: Seconds until the bar appears, and between two updates.
DELAY = 1.0
INTERVAL = 0.1
#: The width of the bar in characters.
CELLS = 20
#: The steps on disk that are counted, in order, with what they mean.
STEPS = {"open": "reading", "create": "staging", "rename": "publishing"}


class ProgressBar:
    """A context that draws a bar if the work in it takes long. Nothing else may be printed meanwhile.

    The steps that `workspace` takes on disk are counted. `total` is the number of files to change, 0 if unknown.
    """

    def __init__(
        self, screen: Screen, workspace: Workspace | None = None, total: int = 0, *, unit: str = "file"
    ) -> None:
        self._screen = screen
        #: Whether there is a terminal to draw on.
        self.is_on = not screen.json and _can_draw()
        self._workspace = workspace
        self._total = total
        self._unit = unit
        self._now = ("reading", 0, total)

    def update(self, what: str, done: int, total: int = 0) -> None:
        """Report what is being done and how much of it is done."""
        self._now = (what, done, total)

    def __enter__(self) -> Self:
        if self.is_on:
            if self._workspace is not None:
                self._count(self._workspace)
            self._end = Event()
            self._thread = Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_on:
            self._end.set()
            self._thread.join()

    def _count(self, workspace: Workspace) -> None:
        """Count the files at each step. A file can be opened several times."""
        seen: dict[str, set[str]] = {step: set() for step in STEPS}
        order = list(STEPS)
        next_watch = workspace.files.watch
        last = 0

        def watch(step: str, path: str) -> None:
            nonlocal last
            if next_watch is not None:
                next_watch(step, path)
            if step not in seen or order.index(step) < last:
                return
            last = order.index(step)
            seen[step].add(path)
            before = len(seen[order[last - 1]]) if last else 0
            self.update(STEPS[step], len(seen[step]), self._total or before)

        workspace.files.watch = watch

    def _draw(self) -> None:
        if self._end.wait(DELAY):
            return
        while True:
            self._screen.draw(f"\r{self.bar(_columns() - 1)}\x1b[K")
            if self._end.wait(INTERVAL):
                break
        self._screen.draw("\r\x1b[K")

    def bar(self, columns: int = 80) -> str:
        """The bar in at most `columns` columns."""
        action, done, total = self._now
        if not total:
            text = f"{action} {done} {plural(self._unit, done)}" if done else f"{action} …"
            return text[:columns]
        done = min(done, total)
        filled = CELLS * done // total
        cells = "#" * filled + "." * (CELLS - filled)
        bar = f"[{cells}] {action} {done} of {total} {plural(self._unit, total)}"
        return bar if len(bar) <= columns else f"{action} {100 * done // total} %"[:columns]


def count_files(patch: str | Patch) -> int:
    """Roughly how many files a patch changes; a text is not parsed for this."""
    if isinstance(patch, str):
        return sum(patch.count(f"\n*** {marker} File:") for marker in ("Add", "Delete", "Update", "Move"))
    return len(patch.operations)


def _can_draw() -> bool:
    try:
        return sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
    except (AttributeError, ValueError):
        return False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
