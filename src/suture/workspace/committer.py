"""Commits plans under the locks of their files, and takes commits back: the half of a workspace that writes."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar

from ..core.fork_lock import ForkLock
from ..core.paths import folders_above, same_name
from ..core.problems import PartlyAppliedError, PatchRejectedError, Problem, RecoveryNeededError, SutureError
from ..core.record import ID_LENGTH, Entry
from ..core.system_errors import system_failure
from ..core.value import Value
from .commit import check, commit, records
from .receipts import join_receipts, new_receipt, note_losses, stored_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ..core.outcome import Plan, Receipt
    from ..core.record import RecoveredCommit
    from ..state.backend import StateBackend
    from ..state.workspace_state import HeldPaths, WorkspaceState
    from .files.file_system import Files
    from .guard import Guard
    from .scope import Scope


#: One in this many commits prunes the history.
PRUNE_ONE_IN = 64


class CommitOptions(Value):
    """How commits are made and kept."""

    #: Whether the disk is flushed, so that a commit survives a loss of power.
    flush: bool
    history: bool
    #: For how many seconds the history is kept, and in how many bytes.
    keep: tuple[float | None, int | None]
    #: How many seconds to wait for files that somebody else is committing.
    lock_timeout: float
    actor: str


class _FileLock:
    """Files that a caller has locked, for the commits that it makes meanwhile, also in other threads."""

    def __init__(self, state: WorkspaceState, held: HeldPaths) -> None:
        self.state = state
        self.is_held = True
        self._held = held
        self._turn = ForkLock()

    @contextmanager
    def share(self, paths: frozenset[str]) -> Iterator[HeldPaths]:
        """A context for one commit of these paths: commits of the same caller take turns."""
        if not paths <= self._held.paths:
            others = sorted(paths - self._held.paths)
            message = f"{others[0]} is not among the files that the caller has locked."
            # To wait for one lock while holding another can deadlock.
            hint = "Lock all files that are needed in one call."
            raise PatchRejectedError([Problem("invalid_arguments", message, details={"path": others[0]}, hint=hint)])
        with self._turn:
            yield self._held.replace(paths=paths)


#: The locks that the current task or thread, or the one that started it, has taken.
_file_locks: ContextVar[tuple[_FileLock, ...]] = ContextVar("file_locks", default=())


class Committer:
    """Writes plans to files and records them in the state."""

    def __init__(self, scope: Scope, state: WorkspaceState, options: CommitOptions) -> None:
        self._files = scope.files
        self._guard = scope.guard()
        self._settings = scope.settings
        self._state = state
        self.options = options

    def hold(
        self, paths: Sequence[str], actor: str | None = None, *, repairs: bool = False
    ) -> AbstractContextManager[HeldPaths]:
        """A context in which no other commit touches these absolute paths, and none is left half-written.

        With `repairs`, every commit that was cut short is repaired first, also those of other paths.

        Raises:
            PatchRejectedError: somebody else holds one of them for too long (`locked`); or the caller has locked other
                files, but not these (`invalid_arguments`).
        """
        for lock in _file_locks.get():
            if lock.state is self._state and lock.is_held:
                return lock.share(frozenset(paths))
        holder = self.options.actor if actor is None else actor
        return self._state.hold(paths, holder, self.options.lock_timeout, repairs=repairs)

    @contextmanager
    def lock(self, paths: Sequence[str], actor: str | None = None) -> Iterator[None]:
        """A context in which only its own commits touch these absolute paths."""
        with ExitStack() as stack:
            try:
                held = stack.enter_context(self.hold(paths, actor))
            except OSError as error:
                raise system_failure(error) from error
            lock = _FileLock(self._state, held)
            token = _file_locks.set((lock, *_file_locks.get()))
            try:
                yield
            finally:
                lock.is_held = False
                _file_locks.reset(token)

    def commit(
        self,
        plan: Plan,
        held: HeldPaths,
        *,
        actor: str | None = None,
        tool: str | None = None,
        undoes: str = "",
        marks: bool = True,
        emptied: Sequence[str] = (),
        state: StateBackend | None = None,
    ) -> Receipt:
        """Write a plan whose files are held, all of it or none; then remove the directories `emptied`, if they are.

        Unless it `marks`, the commit that it undoes stays in effect.
        """
        if plan.problems:
            raise PatchRejectedError(plan.problems, plan)
        # A link came or went while we waited for the locks. Without the lock of a file, another process could take this
        # commit for one that was cut short.
        paths = held.paths
        if self._files.folds_names:
            # Another spelling of a file has its lock.
            paths = frozenset([*paths, *[file.path for file in plan.files if _is_held(file.path, paths)]])
        unlocked = [_other_link(file.shown) for file in plan.files if file.path not in paths]
        if unlocked:
            raise PatchRejectedError(unlocked)
        state = state or held.state
        states = check(self._files, plan.files, self._settings.options.max_size)
        name = os.urandom(ID_LENGTH // 2).hex()
        actor = self.options.actor if actor is None else actor
        tool = plan.tool if tool is None else tool
        receipt = new_receipt(plan, name, actor, tool, undoes, state, history=self.options.history)
        entry = Entry(
            name,
            receipt.time,
            receipt.actor,
            receipt.tool,
            plan.patch,
            records(plan.files, states),
            plan.folders,
            receipt=receipt.to_json(),
            undoes=undoes if marks else "",
            emptied=tuple([folder for folder in emptied if self._files.stat(folder) is not None]),
        )
        copies = [
            (file.trash, data or b"") for file, (_, data) in zip(receipt.files, states, strict=True) if file.trash
        ]
        try:
            losses = commit(self._files, state, plan, entry, flush=self.options.flush, copies=copies)
        except RecoveryNeededError:
            raise
        except BaseException:
            state.drop_trash(name)
            raise
        # It is done. What fails from here on is tidying, and no reason to report a failure.
        with suppress(SutureError, OSError):
            if losses:
                receipt = note_losses(receipt, losses)
                state.store.replace_receipt(name, receipt.to_json())
            if not self.options.history:
                state.store.forget(name)
            elif (int(name[:2], 16) + 1) % PRUNE_ONE_IN == 0:
                state.prune(*self.options.keep)
        return receipt

    def undo(self, commit: Receipt | str, *, merge: bool, actor: str | None, path: str | None = None) -> Receipt:
        """Take a commit back, by its receipt, its id or the beginning of its id; or only what it did to one path.

        Raises:
            PatchRejectedError: a file has changed since, it was undone already, or there is no such commit.
            PartlyAppliedError: of a receipt with several parts, some were undone and one can't be.
        """
        if not isinstance(commit, str):
            if commit.parts:
                parts = reversed(commit.parts)
                return one_by_one(self.undo(part, merge=merge, actor=actor, path=path) for part in parts)
            commit = commit.id

        whole, state = self._to_undo(commit)
        entry = whole if path is None else self._part_of(whole, self._guard.resolve(path).shown)
        self._check(entry, state)
        with self.hold([record.path for record in entry.files], actor) as held:
            return self.commit(
                self._undo_plan(entry, state, merge=merge),
                held,
                actor=actor,
                tool="redo" if entry.tool == "undo" else "undo",
                undoes=entry.id,
                # A commit of which a part is left is not marked as undone.
                marks=len(entry.files) == len(whole.files),
                emptied=entry.folders,
                state=state,
            )

    def plan_undo(self, commit: str) -> Plan:
        """What an undo without a merge would do."""
        entry, state = self._to_undo(commit)
        self._check(entry, state)
        return self._undo_plan(entry, state, merge=False)

    def _check(self, entry: Entry, state: StateBackend) -> None:
        """Refuse an entry with paths that may not be touched."""
        from .validate import check_entry

        check_entry(self._guard, entry, globs=True, inside=state.is_inside)

    def _to_undo(self, commit: str) -> tuple[Entry, StateBackend]:
        """The entry of a commit that can be undone, and the state that it is in."""
        self._state.recover_if_needed()
        entry, state = self._state.find(commit)
        if entry.undone_by:
            message = f"The commit {entry.id} has already been undone, by {entry.undone_by}."
            hint = f"To redo it, undo {entry.undone_by}."
            raise PatchRejectedError([Problem("no_change", message, details={"id": entry.id}, hint=hint)])
        return entry, state

    def _undo_plan(self, entry: Entry, state: StateBackend, *, merge: bool) -> Plan:
        from .history import Undo, past_of

        past = past_of(entry, state.store)
        return Undo(self._files, self._guard, self._settings, entry, stored_receipt(entry), past, merge=merge).plan()

    def _part_of(self, entry: Entry, display_path: str) -> Entry:
        """What a commit did to one file, which may have moved."""
        names: set[str] = set()
        for change in stored_receipt(entry).changes:
            if display_path in change.names:
                names.update(change.names)
        files = tuple([record for record in entry.files if self._guard.shown(record.path) in names])
        if not files:
            message = f"The commit {entry.id} did not change {display_path}."
            raise PatchRejectedError(
                [Problem("not_found", message, display_path, details={"path": display_path, "id": entry.id})]
            )

        parents = folders_above({record.path for record in files})
        return entry.replace(
            files=files,
            folders=tuple([folder for folder in entry.folders if folder in parents]),
            emptied=tuple([folder for folder in entry.emptied if folder in parents]),
        )


def one_by_one(commits: Iterable[Receipt]) -> Receipt:
    """Make commits one after another, up to the first that fails; one receipt for all of them.

    Raises:
        PartlyAppliedError: one failed after others had been made.
    """
    receipts: list[Receipt] = []
    try:
        receipts.extend(commits)
    except RecoveryNeededError:
        raise
    except (SutureError, OSError) as error:
        if not receipts:
            raise
        problems = error.problems if isinstance(error, SutureError) else system_failure(error).problems
        receipt = join_receipts(receipts)
        raise PartlyAppliedError(problems, receipt, [str(change) for change in receipt.changes]) from error
    return join_receipts(receipts)


def _is_held(path: str, held: frozenset[str]) -> bool:
    """Whether a path is held in any spelling."""
    return same_name(path) in {same_name(other) for other in held}


def _other_link(display_path: str) -> Problem:
    message = f"{display_path} now leads somewhere else: a symbolic link was changed a moment ago."
    details = {"path": display_path, "reason": "link"}
    return Problem("stale_file", message, display_path, None, details, "Try the same edit again.")


def repair_state(files: Files, guard: Guard, state: StateBackend, *, flush: bool) -> list[RecoveredCommit]:
    """Repair the commits of a state that were cut short. Most processes never load what this takes."""
    from .recovery import recover

    return recover(files, guard, state, flush=flush)
