"""Tells a session of the commits of others, also of other processes, as events.

The state directory says whether anything was recorded: one `stat` of its log, several times a second. Only then is the
history read. The files of the workspace are not looked at.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from ..core.problems import SutureError
from ..state.state_folder import STORE
from .agent_limits import MOST_FED_COMMITS
from .event import FileChanged, file_events
from .threads import in_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.outcome import Receipt
    from ..workspace.workspace import Workspace
    from .event import Event

#: How often it is looked whether anything was recorded, in seconds.
PAUSE = 0.25


class CommitFeed:
    """The commits of others, from now on."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._session = session
        self._folder: str | None = None
        self._stamp: tuple[tuple[int, int], ...] = ()
        self._known: set[str] = set()
        #: Whether it knows what was committed so far.
        self.has_begun = False

    async def run(self, publish: Callable[[Event], None]) -> None:
        """Publish a `FileChanged`, with its author, for each file that others change, until it is cancelled."""
        await in_thread(self._begin)
        while not self.has_begun:
            await asyncio.sleep(PAUSE)
            await in_thread(self._begin)
        while self._folder is not None:
            await asyncio.sleep(PAUSE)
            for receipt in await in_thread(self.look):
                for event in file_events(receipt, self._workspace.guard().absolute):
                    if isinstance(event, FileChanged):
                        publish(event.replace(actor=receipt.actor or receipt.tool, receipt_id=receipt.id))

    def _begin(self) -> None:
        """Learn what was committed so far, if that can be read now. A state in memory has no feed."""
        with suppress(SutureError, OSError):
            self._folder = self._workspace.state.folder()
            self._stamp = self._log_stamp()
            self._known = {receipt.id for receipt in self._workspace.log(MOST_FED_COMMITS)}
            self.has_begun = True

    def look(self) -> list[Receipt]:
        """The commits of others since the last look, oldest first."""
        stamp = self._log_stamp()
        if stamp == self._stamp:
            return []
        # What can't be read now, such as without descriptors, is read with the next look.
        with suppress(SutureError, OSError):
            latest = self._workspace.log(MOST_FED_COMMITS)
            new = [receipt for receipt in latest if receipt.id not in self._known]
            self._stamp = stamp
            self._known = {receipt.id for receipt in latest}
            return [receipt for receipt in reversed(new) if receipt.session != self._session]
        return []

    def _log_stamp(self) -> tuple[tuple[int, int], ...]:
        """What changes when something is recorded: the times and sizes of the store and its log."""
        stamps: list[tuple[int, int]] = []
        for name in (STORE, f"{STORE}-wal"):
            with suppress(OSError):
                status = Path(self._folder or "", name).stat()
                stamps.append((status.st_mtime_ns, status.st_size))
        return tuple(stamps)
