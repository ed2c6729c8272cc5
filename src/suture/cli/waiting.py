"""A sign of life where a job takes over a second, on a terminal: how far it is, from what the disk is asked to do.

A commit reads, stages and names each file; those steps are counted as they pass. In a pipe there is nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ..workspace.workspace import Workspace
    from .screen import Screen

#: Seconds until it shows, and between two looks.
PATIENCE = 1.0
PACE = 0.1
#: Steps on the disk that are worth counting, with what they mean.
STEPS = {"open": "reading", "create": "staging", "rename": "publishing"}


class waiting:  # noqa: N801 - used like a function
    """A context in which a bar is drawn on standard error, if the work in it takes long."""

    def __init__(self, screen: Screen, workspace: Workspace) -> None:
        self._on = screen.is_terminal and sys.stderr is not None and sys.stderr.isatty()
        self._workspace = workspace
        self._counts = dict.fromkeys(STEPS, 0)
        self._last = "reading"

    def __enter__(self) -> Self:
        if self._on:
            from threading import Event, Thread

            self._end = Event()
            self._thread = Thread(target=self._draw, daemon=True)
            self._workspace.files.watch = self._seen
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._on:
            self._end.set()
            self._thread.join()

    def _seen(self, step: str, _path: str) -> None:
        if step in self._counts:
            self._counts[step] += 1
            self._last = STEPS[step]

    def _draw(self) -> None:
        if self._end.wait(PATIENCE):
            return
        while True:
            print(f"\r{self.bar()}\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201 - the surface prints
            if self._end.wait(PACE):
                break
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # noqa: T201

    def bar(self) -> str:
        """How far it is: as many files are published as were staged, and staged as were read."""
        whole = max(self._counts["open"], self._counts["create"], 1)
        part = self._counts["create"] + self._counts["rename"]
        filled = min(20, 10 * part // whole)
        return f"[{'#' * filled}{'.' * (20 - filled)}] {self._last} {max(self._counts.values())} files"
