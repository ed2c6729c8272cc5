"""The facade: a folder in which patches are planned, committed, undone.

A `Workspace` holds no state of its own but what it has open. `plan` reads and never writes; `commit` writes a plan, all
of it or none; `apply` is both, under the files' locks. Every use of it first repairs what a process that died has left.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import time

from ..problems import PartlyApplied, PatchRejected, SutureError
from . import trash
from .commit import check, commit, records
from .opened import Opened
from .outcome import FileReceipt, Receipt
from .plans import Plans, parsed_patch
from .record import Entry
from .restore import remove_if_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, Literal, Self, TypeAlias, Unpack

    from ..dialect import Dialect
    from ..patch import Patch
    from .files import Files
    from .outcome import Plan
    from .plans import Choices, Expected
    from .recovery import Recovered
    from .state import StateFolder

    Durability: TypeAlias = Literal["full", "process"]

#: How long the history is kept, in seconds, and how large its store may get, in bytes.
KEEP_SECONDS = 30 * 24 * 3600.0
KEEP_BYTES = 500_000_000
#: Of so many commits about one looks whether old ones should go.
PRUNE_ONE_IN = 64


class Workspace(Plans):
    """A folder, or `MemoryFiles`, that patches are applied to.

    `allow`, `deny` and `lift` are globs (docs/workspace.md). `durability` is "full", which survives a loss of power, or
    "process", which survives a killed process. Without `history` nothing can be undone; a crash is survived all the
    same. `state_dir` is where journals and histories are kept, a folder of its own for each workspace.
    """

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
        self._keep = (keep_seconds, keep_bytes)
        self._state_dir = None if state_dir is None else os.fspath(state_dir)
        self._state: Opened | None = None
        #: What a sandboxed process has left in the workspace, by its folder.
        self._others: dict[str, Opened] = {}

    # Commits.

    def commit(self, plan: Plan, *, actor: str | None = None, tool: str | None = None) -> Receipt:
        """Write a plan, all of it or none, if every file is still as the plan has read it.

        Raises:
            PatchRejected: the plan has problems, or a file has changed since (`stale_file`); nothing was written.
            CommitFailed: it broke off and was rolled back; every file is as it was.
            RecoveryNeeded: it broke off and could not be rolled back; the journal is left.
        """
        self.ready()
        with self._hold([file.path for file in plan.files], actor):
            return self._commit(plan, actor, tool)

    def apply(
        self,
        patch: str | Patch,
        *,
        dialect: str | Dialect | None = None,
        expected_sha256: Expected = None,
        atomic: bool = True,
        actor: str | None = None,
        tool: str | None = None,
    ) -> Receipt:
        """Plan a patch and commit it, under the locks of its files.

        With `atomic=False` operations are done one by one, and the first that fails ends it.

        Raises:
            PatchInvalid: the patch can't be read.
            PatchRejected: it can't be applied; nothing was written.
            PartlyApplied: with `atomic=False`, an operation failed and those before it were done.
            CommitFailed, RecoveryNeeded: as for `commit`.
        """
        chosen = self.chosen(dialect)
        parsed, text = parsed_patch(patch, chosen)
        self.ready()
        planner = self.planner(chosen)
        with self._hold(planner.paths(parsed.operations), actor):
            if atomic:
                plan = self.plan_operations(parsed.operations, parsed, text, chosen, expected_sha256)
                return self._commit(plan, actor, tool)
            return self._one_by_one(parsed, text, chosen, expected_sha256, actor, tool)

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False, actor: str | None = None) -> Receipt:
        """A string edit of one file, planned and committed under its lock."""
        return self._planned(path, actor, lambda: self.plan_edit(path, old, new, replace_all=replace_all))

    def multiedit(
        self,
        path: str,
        edits: Iterable[Any],
        *,
        against: Literal["result", "original"] = "result",
        actor: str | None = None,
    ) -> Receipt:
        """A list of string edits of one file, planned and committed under its lock."""
        listed = list(edits)
        return self._planned(path, actor, lambda: self.plan_multiedit(path, listed, against=against))

    def write(self, path: str, content: str | bytes, *, actor: str | None = None) -> Receipt:
        """Write a whole file, planned and committed under its lock."""
        return self._planned(path, actor, lambda: self.plan_write(path, content))

    # History.

    def undo(self, commit: Receipt | str, *, merge: bool = False, actor: str | None = None) -> Receipt:
        """Take a commit back. To take that back, undo the undo.

        With `merge` a text that has changed since is changed back like any patch, where that fits.

        Raises:
            PatchRejected: a file has changed since (`stale_file`), or there is no such commit.
        """
        parts = commit.parts if isinstance(commit, Receipt) else ()
        if parts:
            receipts = [self.undo(part, merge=merge, actor=actor) for part in reversed(parts)]
            return _joined(receipts)
        from .history import Undo
        from .recovery import nothing_to_do

        name = commit.id if isinstance(commit, Receipt) else commit
        self.ready()
        for state in self._states():
            entry = state.store.entry(name)
            if entry is not None and entry.state == "done":
                break
        else:
            raise PatchRejected([nothing_to_do(name)])
        receipt = _receipt_of(entry)
        if entry.undone_by:
            message = f"The commit {entry.id} was undone already, by {entry.undone_by}."
            hint = f"To have it again, undo {entry.undone_by}."
            problem = nothing_to_do(name).replace(code="no_change", message=message, hint=hint)
            raise PatchRejected([problem])
        with self._hold([record.path for record in entry.files], actor):
            plan = Undo(self.files, self.guard(), entry, receipt, merge=merge).plan()
            done = self._commit(plan, actor, "undo", undoes=entry.id)
        for folder in reversed(entry.folders):
            with suppress(OSError):
                remove_if_empty(self.files, folder)
        return done

    def log(self, limit: int = 100, *, before: str | None = None, path: str | None = None) -> list[Receipt]:
        """What was done here, the newest first: of one path, or from before a commit on, where asked for."""
        self.ready()
        where = None if path is None else self.guard().resolve(path).path
        found = [entry for state in self._states() for entry in state.store.log(limit, before, where)]
        found.sort(key=lambda entry: entry.time, reverse=True)
        return [_receipt_of(entry) for entry in found[:limit]]

    def show(self, commit: str) -> Receipt:
        """One commit, by its id or the beginning of it.

        Raises:
            PatchRejected: there is none, or there are several.
        """
        from .recovery import nothing_to_do

        self.ready()
        for state in self._states():
            entry = state.store.entry(commit)
            if entry is not None and entry.state == "done":
                return _receipt_of(entry)
        raise PatchRejected([nothing_to_do(commit)])

    def recover(self) -> list[Recovered]:
        """Repair commits that were cut short: each is rolled back, or closed where all of it is there.

        Raises:
            RecoveryNeeded: one could not be repaired; it can be tried again.
        """
        from .recovery import recover

        done: list[Recovered] = []
        for state in self._states():
            for one in recover(self.files, state.store, state.locks, flush=self.durability == "full"):
                done.append(one)
                if one.outcome == "rolled_back":
                    state.drop_trash(one.id)
            state.leave_no_trace()
        self.recovered += tuple(done)
        return done

    def prune(self, *, keep_seconds: float | None = None, keep_bytes: int | None = None) -> int:
        """Forget commits that are older, and the oldest until the store is small enough; gives how many."""
        pruned = 0
        for state in self._states():
            pruned += state.prune(keep_seconds, keep_bytes)
            state.leave_no_trace()
        return pruned

    def close(self) -> None:
        """Let go of everything that is open. The workspace must not be used after that."""
        for state in (self._state, *self._others.values()):
            if state is not None:
                state.store.close()
                state.leave_no_trace()
        self._state = None
        self._others.clear()
        close = getattr(self.files, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workspace({self.root!r})"

    # How it is done.

    def _planned(self, path: str, actor: str | None, plan: Callable[[], Plan]) -> Receipt:
        self.ready()
        resolved = self.guard().resolve(path)
        with self._hold([resolved.name, resolved.path], actor):
            return self._commit(plan(), actor, None)

    def _hold(self, paths: Sequence[str], actor: str | None) -> AbstractContextManager[None]:
        name = self.actor if actor is None else actor
        return self._opened().locks.hold(paths, timeout=self.lock_timeout, holder=name)

    def _commit(self, plan: Plan, actor: str | None, tool: str | None, undoes: str = "") -> Receipt:
        """Commit a plan whose files are locked."""
        if plan.problems:
            raise PatchRejected(plan.problems)
        state = self._opened()
        contents = check(self.files, plan.files, self._settings.max_size)
        name = os.urandom(6).hex()
        receipt = self._receipt(plan, name, actor, tool, undoes, state)
        entry = Entry(
            name,
            receipt.time,
            receipt.actor,
            receipt.tool,
            plan.patch,
            records(plan.files, contents),
            plan.folders,
            receipt=receipt.to_json(),
            undoes=undoes,
        )
        for file, told in zip(plan.files, receipt.files, strict=True):
            if told.trash and file.was is not None:
                trash.put(told.trash, file.was)
        try:
            commit(self.files, state.store, plan, entry, flush=self.durability == "full")
        except BaseException:
            state.drop_trash(name)
            raise
        if not self.history:
            state.store.forget(name)
            state.drop_trash(name)
        elif int(name[:2], 16) % PRUNE_ONE_IN == 0:
            state.prune(*self._keep)
        return receipt

    def _receipt(
        self, plan: Plan, name: str, actor: str | None, tool: str | None, undoes: str, state: Opened
    ) -> Receipt:
        moved = {file.moved_from for file in plan.files if file.moved_from}
        files = [
            FileReceipt(
                file.shown,
                file.before.sha256,
                file.after.sha256,
                state.trash_path(name, file.shown)
                if file.after.kind == "absent"
                and file.path not in moved
                and file.before.kind == "file"
                and self.history
                else "",
            )
            for file in plan.files
        ]
        return Receipt(
            name,
            time(),
            self.actor if actor is None else actor,
            plan.tool if tool is None else tool,
            True,
            plan.changes,
            tuple(files),
            plan.concessions,
            undoes,
            state_inside=state.folder is not None and state.folder.inside,
        )

    def _one_by_one(
        self,
        parsed: Patch,
        text: str,
        dialect: Dialect,
        expected: Expected,
        actor: str | None,
        tool: str | None,
    ) -> Receipt:
        """Each operation as a commit of its own, up to the first that fails."""
        receipts: list[Receipt] = []
        for number, operation in enumerate(parsed.operations):
            try:
                plan = self.plan_operations([operation], parsed, text, dialect, expected if not number else None)
                receipts.append(self._commit(plan, actor, tool))
            except SutureError as error:
                if not receipts:
                    raise
                receipt = _joined(receipts)
                raise PartlyApplied(error.problems, receipt, [str(change) for change in receipt.changes]) from error
        return _joined(receipts)

    def ready(self) -> None:
        """Repair what a process that died has left, if there is anything."""
        if self._state is None and not self.in_memory:
            # The first use: whatever state there is, of this user or left in the workspace by a sandboxed process.
            if any(state.store.unfinished(whole=False) for state in self._states()):
                self.recover()
        elif self._state is not None and self._state.store.unfinished(whole=False):
            self.recover()

    def _opened(self) -> Opened:
        """The state of this workspace, made where it is missing."""
        if self._state is None:
            self._state = Opened(self._make_state(), self.durability, self.files.watch)
        return self._state

    def _make_state(self) -> StateFolder | None:
        if self.in_memory:
            return None
        from .state import state_folder

        return state_folder(self.root, self._state_dir)

    def _states(self) -> list[Opened]:
        """The states that there are, without making any: the one in use, and what a sandboxed process has left."""
        if self.in_memory:
            return [self._opened()]
        from .state import known_states

        found = [] if self._state is None else [self._state]
        for folder in known_states(self.root, self._state_dir):
            if self._state is None and not folder.inside:
                self._state = Opened(folder, self.durability, self.files.watch)
                found.append(self._state)
            elif self._state is None or self._state.folder != folder:
                if folder.path not in self._others:
                    self._others[folder.path] = Opened(folder, self.durability, self.files.watch)
                found.append(self._others[folder.path])
        return found


def _receipt_of(entry: Entry) -> Receipt:
    return Receipt.from_json(entry.receipt).replace(undone_by=entry.undone_by)


def _joined(receipts: Sequence[Receipt]) -> Receipt:
    """Several commits as one receipt, which `undo` takes apart again."""
    last = receipts[-1]
    return last.replace(
        atomic=False,
        changes=tuple([change for receipt in receipts for change in receipt.changes]),
        files=tuple([file for receipt in receipts for file in receipt.files]),
        parts=tuple([receipt.id for receipt in receipts]),
    )
