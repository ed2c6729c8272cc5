"""The half of a workspace that has a memory: its state, its locks, its repairs, and the history as it is read.

Nothing here changes a file but a repair. What makes commits stands on top of it, in `workspace.py`.
"""

from __future__ import annotations

import os
from _thread import RLock
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep

from ..core.problems import PatchRejectedError, Problem
from .plans import Plans
from .receipts import receipt_of
from .state import WorkspaceState
from .state_folder import INSIDE, STORE, folder_inside, known_states, places, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Literal, Self, TypeAlias, Unpack

    from .files import Files
    from .outcome import Receipt
    from .plans import Choices
    from .record import Entry
    from .recovery import Recovered

    Durability: TypeAlias = Literal["full", "process"]

#: How long the history is kept, in seconds, and how large its store may get, in bytes.
KEEP_SECONDS = 30 * 24 * 3600.0
KEEP_BYTES = 500_000_000
#: Seconds between two tries to repair what another process is repairing.
_PAUSE = 0.002


class Remembering(Plans):
    """A folder, or `MemoryFiles`, with a state: what is done there is journaled, locked and remembered."""

    def __init__(
        self,
        root: str | os.PathLike[str] | Files,
        *,
        durability: Durability = "full",
        history: bool = True,
        keep_seconds: float | None = KEEP_SECONDS,
        keep_bytes: int | None = KEEP_BYTES,
        state_dir: str | os.PathLike[str] | None = None,
        lock_timeout: float = 10.0,
        actor: str = "",
        **settings: Unpack[Choices],
    ) -> None:
        self._state_dir = None if state_dir is None else os.fspath(state_dir)
        super().__init__(root, **settings)
        if durability not in ("full", "process"):
            message = f"expected durability 'full' or 'process'; found {durability!r}"
            raise ValueError(message)
        self.durability: Durability = durability
        self.history = history
        self.lock_timeout = lock_timeout
        self.actor = actor
        #: What the repairs of this workspace object have done.
        self.recovered: tuple[Recovered, ...] = ()
        #: Whether nothing of it is on a disk: neither its files nor its history.
        self.in_memory = not self.files.on_disk and state_dir is None
        #: The folder whose state it is. Files in memory have none, and must not be taken for those of the disk:
        #: theirs is a path that can't be.
        self._place = self.root if self.files.on_disk else "/dev/null/memory"
        self._keep = (keep_seconds, keep_bytes)
        self._owns_files = isinstance(root, str | os.PathLike)
        #: Threads that come at once must find one state, or they would not exclude one another.
        self._opening = RLock()
        self._state: WorkspaceState | None = None
        #: What a sandboxed process has left in the workspace, by its folder.
        self._others: dict[str, WorkspaceState] = {}

    def log(self, limit: int = 100, *, before: str | None = None, path: str | None = None) -> list[Receipt]:
        """What was done here, the newest first: of one path, or from before a commit on, where asked for."""
        self.ready()
        where = None if path is None else self.guard().resolve(path).path
        states = self._states()
        if before is None or len(states) < 2:
            found = [state.store.log(limit, before, where) for state in states]
        else:
            entry, home = self._find(before)
            all_of_them = [state.store.log(limit if state is home else 1 << 30, None, where) for state in states]
            found = [[one for one in known if one.time < entry.time] for known in all_of_them]
            found[states.index(home)] = home.store.log(limit, before, where)
        entries = [one for known in found for one in known]
        if len(states) > 1:
            entries.sort(key=lambda one: one.time, reverse=True)
        return [receipt_of(one) for one in entries[:limit]]

    def show(self, commit: str) -> Receipt:
        """One commit, by its id or the beginning of it.

        Raises:
            PatchRejectedError: there is none, or there are several.
        """
        self.ready()
        return receipt_of(self._find(commit)[0])

    def recover(self) -> list[Recovered]:
        """Repair commits that were cut short: each is rolled back, or closed where all of it is there.

        Raises:
            RecoveryNeededError: one could not be repaired; it can be tried again.
        """
        from .recovery import recover
        from .store import leave_no_trace

        done: list[Recovered] = []
        for state in self._states():
            flush = self.durability == "full"
            for one in recover(self.files, self.guard(), state.store, state.locks, flush=flush, inside=state.is_inside):
                done.append(one)
                if one.outcome == "rolled_back" and not one.left_alone:
                    state.drop_trash(one.id)
            state.leave_no_trace()
        if not self.in_memory and (folder := folder_inside(self._place)) is not None:
            # A process may have died before it had anything to record.
            leave_no_trace(folder)
        self.recovered += tuple(done)
        return done

    def record_read(self, session: str, path: str, sha256: str, ranges: str, time: float) -> None:
        """Remember what a session has read of a file, by its absolute path."""
        self._opened().store.record_read(session, path, sha256, ranges, time)

    def last_read(self, session: str, path: str) -> tuple[str, str, float] | None:
        """What a session has read of a file last: the SHA-256, the lines, and when."""
        return self._opened().store.last_read(session, path)

    def prune(self, *, keep_seconds: float | None = None, keep_bytes: int | None = None) -> int:
        """Forget commits that are older, and the oldest until the store is small enough; gives how many.

        Without either, what the workspace was made with.
        """
        if keep_seconds is None and keep_bytes is None:
            keep_seconds, keep_bytes = self._keep
        pruned = 0
        for state in self._states():
            pruned += state.prune(keep_seconds, keep_bytes)
            state.leave_no_trace()
        return pruned

    def close(self, *, exiting: bool = False) -> None:
        """Let go of everything that is open. The workspace must not be used after that.

        A program that ends with `os._exit` right behind it says that it is `exiting`, and need not wait for the store.
        """
        for state in (self._state, *self._others.values()):
            if state is None:
                continue
            if exiting and not state.is_inside:
                state.store.leave()
            else:
                state.store.close()
                state.leave_no_trace()
        self._state = None
        self._others.clear()
        close = getattr(self.files, "close", None)
        if close is not None and self._owns_files:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.root!r})"

    @contextmanager
    def _hold(self, paths: Sequence[str], actor: str | None) -> Iterator[frozenset[str]]:
        """A context in which no other commit touches any of these paths, and no commit that died has left its traces.

        Where a sandboxed process keeps its state in the workspace, its locks are held too, after our own: everybody
        who holds both takes them in that order.
        """
        held = frozenset(paths)
        name = self.actor if actor is None else actor
        deadline = monotonic() + self.lock_timeout
        while True:
            states = [self._opened()]
            if self._has_inside():
                states += [other for other in self._states() if other is not states[0] and other.is_inside]
            with ExitStack() as locks:
                for state in states:
                    locks.enter_context(state.locks.hold(paths, timeout=self.lock_timeout, holder=name))
                # Who has the lock of a file knows that no living process is at it. What an unfinished commit has made
                # of it is half of something: to build on it would be to keep that half for ever.
                dead = [one for state in states for one in _died_with(state, held)]
                if not dead:
                    yield held
                    return
            self.recover()
            if monotonic() >= deadline:
                raise PatchRejectedError([_in_repair(dead[0])])
            sleep(_PAUSE)

    def ready(self) -> None:
        """Repair what a process that died has left, if there is anything."""
        if self.in_memory and self._state is None:
            return
        # At the first use: whatever state there is, of this user or left in the workspace by a sandboxed process.
        states = self._states() if self._state is None or self._has_inside() else [self._state]
        if any(state.store.unfinished(whole=False) for state in states):
            self.recover()

    def _own_folders(self) -> tuple[str, ...]:
        if not self.files.on_disk:
            return super()._own_folders()
        # A whole home folder can be a workspace: then the state folders of all workspaces are in it.
        own = os.path.realpath(places(self.root, self._state_dir)[0])
        folders = [os.path.relpath(folder, root) for folder in (os.path.dirname(own), own) for root in self.files.roots]
        return (INSIDE, *[folder for folder in folders if folder.split("/")[0] not in {".", ".."}])

    def _find(self, name: str) -> tuple[Entry, WorkspaceState]:
        """A commit that is done, by its id or the beginning of it, and the state that has it."""
        from .recovery import nothing_to_do

        for state in self._states():
            entry = state.store.entry(name)
            if entry is not None and entry.state == "done":
                return entry, state
        raise PatchRejectedError([nothing_to_do(name)])

    def _has_inside(self) -> bool:
        """Whether a sandboxed process has left its state in the workspace."""
        return not self.in_memory and os.path.lexists(f"{self._place}/{INSIDE}/{STORE}")

    def _opened(self) -> WorkspaceState:
        """The state of this workspace, made where it is missing."""
        with self._opening:
            if self._state is None:
                self._state = self._open()
            return self._state

    def _open(self) -> WorkspaceState:
        folder = None if self.in_memory else state_folder(self._place, self._state_dir)
        known = None if folder is None else self._others.pop(folder.path, None)
        return known or WorkspaceState(folder, self.durability, self.files.watch)

    def _states(self) -> list[WorkspaceState]:
        """The states that there are, without making any: the one in use, and what a sandboxed process has left."""
        if self.in_memory:
            return [self._opened()]
        with self._opening:
            found = [] if self._state is None else [self._state]
            for folder in known_states(self._place, self._state_dir):
                if self._state is None and not folder.inside:
                    self._state = WorkspaceState(folder, self.durability, self.files.watch)
                    found.append(self._state)
                elif self._state is None or self._state.folder != folder:
                    if folder.path not in self._others:
                        self._others[folder.path] = WorkspaceState(folder, self.durability, self.files.watch)
                    found.append(self._others[folder.path])
            return found


def _died_with(state: WorkspaceState, held: frozenset[str]) -> list[Entry]:
    """The unfinished commits of some files that are locked by us: their processes are gone."""
    unfinished = state.store.unfinished(whole=False)
    return [entry for entry in unfinished if any(record.path in held for record in entry.files)]


def _in_repair(entry: Entry) -> Problem:
    message = f"The commit {entry.id}, which was cut short, is still being repaired by another process."
    return Problem("locked", message, details={"id": entry.id}, hint="Send the same edit again a little later.")
