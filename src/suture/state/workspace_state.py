"""All that a workspace remembers: what is recorded, locked and repaired, wherever that is kept.

A workspace has one state directory, the user's own. A sandboxed process that cannot write there leaves a second one in
the workspace. Whoever can see both reads the logs of both, holds the locks of both, and repairs the commits of both.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep

from ..core.fork_lock import ForkLock
from ..core.paths import escape_glob
from ..core.problems import PatchRejectedError, Problem
from ..core.system import real_path, relative_path
from ..core.value import Value
from .session_records import OneSession
from .state_folder import (
    INSIDE,
    STORE,
    ensure_id,
    folder_inside,
    places,
    renew_id,
    state_base,
    state_folder,
    state_folders_with_store,
)
from .state_handle import StateHandle
from .state_limits import MOST_COMMITS_COMPARED
from .store import leave_no_trace, no_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from ..core.record import Entry, RecoveredCommit
    from .approvals import Approvals
    from .backend import StateBackend, WorkspaceFiles
    from .state_folder import StateFolder
    from .store import Durability

    Repair: TypeAlias = Callable[[StateBackend], list[RecoveredCommit]]

#: How long the history is kept, in seconds, and how large its store may get, in bytes.
KEEP_SECONDS = 30 * 24 * 3600.0
#: How long refused edits are kept.
KEEP_REFUSED_SECONDS = 7 * 24 * 3600.0
KEEP_BYTES = 500_000_000
#: Seconds between two attempts to repair a commit that another process is repairing.
_PAUSE = 0.002
#: The root of a workspace in memory, as far as its state goes: no directory on a disk can have this path.
_NO_ROOT = "/dev/null/memory"


class HeldPaths(Value):
    """Paths that no other commit touches for now, and the state in which a commit of them is recorded."""

    paths: frozenset[str]
    state: StateBackend


class WorkspaceState:
    """Everything that a workspace remembers. Nothing is made before it is needed.

    `repair` puts the files back that commits of one state have left half-written.
    """

    def __init__(
        self, files: WorkspaceFiles, state_dir: str | None, durability: Durability, lock_timeout: float, repair: Repair
    ) -> None:
        self._lock_timeout = lock_timeout
        self._files = files
        self._repair = repair
        self._state_dir = state_dir
        self._durability = durability
        #: Whether nothing of the workspace is on a disk: neither its files nor its history.
        self._in_memory = not files.on_disk and state_dir is None
        self._root = files.roots[0] if files.on_disk else _NO_ROOT
        #: Threads that arrive together must get the same handle, or they would not exclude one another.
        self._lock = ForkLock()
        self._own: StateBackend | None = None
        #: The handles of other state directories, by path.
        self._others: dict[str, StateBackend] = {}
        #: What this object has repaired so far.
        self.recovered: tuple[RecoveredCommit, ...] = ()

    def own(self) -> StateBackend:
        """The state that commits are recorded in, made if it is missing.

        Raises:
            PatchRejectedError: no state directory can be written.
        """
        with self._lock:
            if self._own is None:
                self._own = self._open_own()
            return self._own

    def _open_own(self) -> StateBackend:
        if self._in_memory:
            return self._handle(None)
        folder = state_folder(self._root, self._state_dir)
        handle = self._others.pop(folder.path, None) or self._handle(folder)
        if not handle.store.settle():
            # The workspace is a copy of another, whose id came along.
            handle.store.close()
            renew_id(folder)
            handle = self._handle(state_folder(self._root, self._state_dir))
        return handle

    def folder(self) -> str | None:
        """The directory that the state is kept in, made if it is missing; None in memory."""
        folder = self.own().folder
        return None if folder is None else folder.path

    def has_commit_of(self, patch: str) -> bool:
        """Whether one of the latest commits is recorded with exactly this text."""
        return any(entry.patch == patch for entry in self.log(MOST_COMMITS_COMPARED, None, None))

    def all(self) -> list[StateBackend]:
        """Every state that exists, without making any: the one in use, and one that a sandboxed process left."""
        if self._in_memory:
            return [self.own()]
        with self._lock:
            handles = [] if self._own is None else [self._own]
            for folder in state_folders_with_store(self._root, self._state_dir):
                if self._own is not None and self._own.folder == folder:
                    continue
                handle = self._others.get(folder.path) or self._handle(folder)
                if not handle.store.settle():
                    handle.store.close()
                    continue
                if self._own is None and not folder.inside:
                    self._own = handle
                else:
                    self._others[folder.path] = handle
                handles.append(handle)
            return handles

    def _handle(self, folder: StateFolder | None) -> StateBackend:
        return StateHandle(folder, self._durability, self._files.watch, self._lock_timeout)

    def _has_inside(self) -> bool:
        """Whether a sandboxed process has left its state in the workspace."""
        return not self._in_memory and os.path.lexists(f"{self._root}/{INSIDE}/{STORE}")

    def recover_if_needed(self) -> None:
        """Repair commits that were cut short, if there are any."""
        if self._own is None:
            handles = [] if self._in_memory else self.all()
        else:
            handles = self.all() if self._has_inside() else [self._own]
        if any(handle.store.unfinished(whole=False) for handle in handles):
            self.recover()

    def recover(self) -> list[RecoveredCommit]:
        """Repair every commit that was cut short.

        Raises:
            RecoveryNeededError: one of them could not be repaired.
        """
        repaired: list[RecoveredCommit] = []
        for handle in self.all():
            for one in self._repair(handle):
                repaired.append(one)
                if one.outcome == "rolled_back" and not one.left_alone:
                    handle.drop_trash(one.id)
            handle.leave_no_trace()
        if not self._in_memory and (folder := folder_inside(self._root)) is not None:
            # A process may have died before it had anything to record.
            leave_no_trace(folder)
        self.recovered += tuple(repaired)
        return repaired

    def records_of(self, session: str) -> OneSession:
        """What a session keeps here of what it has read and applied."""
        return OneSession(lambda: self.own().store.sessions, session)

    @property
    def approvals(self) -> Approvals:
        """The answers "always" that are kept for this workspace."""
        from .approvals import Approvals

        return Approvals(self.own)

    @contextmanager
    def hold(self, paths: Sequence[str], holder: str, timeout: float, *, repairs: bool = False) -> Iterator[HeldPaths]:
        """A context in which no other commit touches these paths, and none of them is left half-written by a dead one.

        With `repairs`, every commit that was cut short is repaired first, also those of other paths.

        The locks of a state inside the workspace are held too, after our own: everybody takes them in that order.

        Raises:
            PatchRejectedError: somebody else holds a path for longer than `timeout` seconds (`locked`).
        """
        if repairs:
            self.recover_if_needed()
        held = frozenset(paths)
        deadline = monotonic() + timeout
        while True:
            handles = [self.own()]
            if self._has_inside():
                handles += [other for other in self.all() if other is not handles[0] and other.is_inside]
            with ExitStack() as locks:
                for handle in handles:
                    left = max(0.0, deadline - monotonic())
                    locks.enter_context(handle.locks.hold(paths, timeout=left, holder=holder))
                # We have the locks, so no living process is writing these files. What an unfinished commit made of them
                # must not be built on, or half of that commit would stay for good.
                dead = [entry for handle in handles for entry in handle.unfinished(held)]
                if not dead:
                    yield HeldPaths(held, handles[0])
                    return
            self.recover()
            if monotonic() >= deadline:
                raise PatchRejectedError([_in_repair(dead[0])])
            sleep(_PAUSE)

    def find(self, commit: str) -> tuple[Entry, StateBackend]:
        """A finished commit by its id or the beginning of it, and the state that has it.

        Raises:
            PatchRejectedError: there is none, or there are several.
        """
        for handle in self.all():
            entry = handle.store.entry(commit)
            if entry is not None and entry.state == "done":
                return entry, handle
        raise PatchRejectedError([no_commit(commit)])

    def log(self, limit: int, before: str | None, path: str | None) -> list[Entry]:
        """Finished commits, newest first: those before a commit, or of one path."""
        handles = self.all()
        if not handles:
            return []
        if len(handles) == 1:
            return handles[0].store.log(limit, before, path)
        entries: list[Entry] = []
        if before is None:
            for handle in handles:
                entries += handle.store.log(limit, None, path)
        else:
            last, home = self.find(before)
            for handle in handles:
                if handle is home:
                    entries += handle.store.log(limit, before, path)
                    continue
                # The other states do not have that commit, so its time decides.
                entries += [entry for entry in handle.store.log(1 << 30, None, path) if entry.time < last.time]
        entries.sort(key=lambda entry: entry.time, reverse=True)
        return entries[:limit]

    def prune(self, keep_seconds: float | None, keep_bytes: int | None) -> int:
        """Forget old commits in every state; return how many."""
        pruned = 0
        for handle in self.all():
            pruned += handle.prune(keep_seconds, keep_bytes)
            handle.leave_no_trace()
        return pruned

    def close(self, *, exiting: bool = False) -> None:
        """Close every store."""
        handles = [*([] if self._own is None else [self._own]), *self._others.values()]
        self._own = None
        self._others.clear()
        for handle in handles:
            handle.close(exiting=exiting)


def protected_globs(files: WorkspaceFiles, state_dir: str | None) -> tuple[str, ...]:
    """Globs of the directories in a workspace that belong to Suture and that no patch may touch."""
    if not files.on_disk:
        return (INSIDE,)
    # A whole home directory can be a workspace, and then it contains the state of every workspace.
    if real_path(state_base(state_dir)) in files.roots:
        ensure_id(files.roots[0], state_dir)  # the state directory, and so its name, will be in the root itself
    own = real_path(places(files.roots[0], state_dir)[0])
    folders = [relative_path(folder, root) for folder in (os.path.dirname(own), own) for root in files.roots]
    return (INSIDE, *[escape_glob(folder) for folder in folders if folder.split("/")[0] not in {".", ".."}])


def _in_repair(entry: Entry) -> Problem:
    message = f"Another process is still repairing the commit {entry.id}, which was cut short."
    return Problem("locked", message, details={"id": entry.id}, hint="Try the same edit again a little later.")
