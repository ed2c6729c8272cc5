"""The facade: a folder in which patches are planned, committed, undone.

A `Workspace` holds no state of its own but what it has open. `plan` reads and never writes; `commit` writes a plan, all
of it or none; `apply` is both, under the files' locks. Every use of it first repairs what a process that died has left.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from ..problems import PartlyApplied, PatchRejected, RecoveryNeeded, SutureError
from .commit import check, commit, records
from .opened import Opened
from .outcome import Receipt
from .plans import Plans, parsed_patch
from .receipts import joined, receipt_for, receipt_of
from .record import Entry
from .restore import remove_if_empty
from .state import INSIDE, STORE, known_states, places, state_folder
from .told import stale
from .vetted import vet_entry, vet_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any, Literal, Self, TypeAlias, Unpack

    from ..dialect import Dialect
    from ..patch import Operation, Patch
    from .files import Files
    from .outcome import Plan
    from .plans import Choices, Expected
    from .recovery import Recovered

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
        self._keep = (keep_seconds, keep_bytes)
        self._owns_files = isinstance(root, str | os.PathLike)
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
        vet_plan(self.guard(), plan)
        self.ready()
        with self._hold([file.path for file in plan.files], actor) as held:
            return self._commit(plan, held, actor, tool)

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
        with self._hold(planner.paths(parsed.operations), actor) as held:
            if not atomic:
                return self._one_by_one(parsed, text, chosen, expected_sha256, held, actor, tool)
            plan = self.plan_operations(parsed.operations, parsed, text, chosen, expected_sha256)
            return self._commit(plan, held, actor, tool)

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
            PartlyApplied: of a commit that was done one by one, some are undone and one can't be.
        """
        if isinstance(commit, Receipt) and commit.parts:
            return self._undo_parts(commit.parts, merge, actor)
        from .history import Undo
        from .recovery import nothing_to_do

        self.ready()
        entry, state = self._find(commit.id if isinstance(commit, Receipt) else commit)
        if entry.undone_by:
            message = f"The commit {entry.id} was undone already, by {entry.undone_by}."
            hint = f"To have it again, undo {entry.undone_by}."
            problem = nothing_to_do(entry.id).replace(code="no_change", message=message, hint=hint)
            raise PatchRejected([problem])
        vet_entry(self.guard(), entry, globs=True, inside=state.is_inside)
        with self._hold([record.path for record in entry.files], actor) as held:
            undo = Undo(self.files, self.guard(), self._settings, entry, receipt_of(entry), merge=merge)
            done = self._commit(undo.plan(), held, actor, "undo", entry.id, state)
            for folder in reversed(entry.folders):
                with suppress(OSError):
                    remove_if_empty(self.files, folder)
        return done

    def _undo_parts(self, parts: Sequence[str], merge: bool, actor: str | None) -> Receipt:
        receipts: list[Receipt] = []
        for part in reversed(parts):
            try:
                receipts.append(self.undo(part, merge=merge, actor=actor))
            except SutureError as error:
                raise _partly(error, receipts) from error
        return joined(receipts)

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
            PatchRejected: there is none, or there are several.
        """
        self.ready()
        return receipt_of(self._find(commit)[0])

    def recover(self) -> list[Recovered]:
        """Repair commits that were cut short: each is rolled back, or closed where all of it is there.

        Raises:
            RecoveryNeeded: one could not be repaired; it can be tried again.
        """
        from .recovery import recover

        done: list[Recovered] = []
        for state in self._states():
            flush = self.durability == "full"
            for one in recover(self.files, self.guard(), state.store, state.locks, flush=flush, inside=state.is_inside):
                done.append(one)
                if one.outcome == "rolled_back" and not one.left_alone:
                    state.drop_trash(one.id)
            state.leave_no_trace()
        self.recovered += tuple(done)
        return done

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

    def close(self) -> None:
        """Let go of everything that is open. The workspace must not be used after that."""
        for state in (self._state, *self._others.values()):
            if state is not None:
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
        return f"Workspace({self.root!r})"

    # How it is done.

    def _planned(self, path: str, actor: str | None, plan: Callable[[], Plan]) -> Receipt:
        self.ready()
        resolved = self.guard().resolve(path)
        with self._hold([resolved.name, resolved.path], actor) as held:
            return self._commit(plan(), held, actor, None)

    @contextmanager
    def _hold(self, paths: Sequence[str], actor: str | None) -> Iterator[frozenset[str]]:
        """A context in which no other commit touches any of these paths.

        Where a sandboxed process keeps its state in the workspace, its locks are held too, after our own: everybody
        who holds both takes them in that order.
        """
        name = self.actor if actor is None else actor
        own = self._opened()
        with own.locks.hold(paths, timeout=self.lock_timeout, holder=name):
            for other in self._states() if self._has_inside() else ():
                if other is not own and other.is_inside:
                    with other.locks.hold(paths, timeout=self.lock_timeout, holder=name):
                        yield frozenset(paths)
                    return
            yield frozenset(paths)

    def _commit(
        self,
        plan: Plan,
        held: frozenset[str],
        actor: str | None,
        tool: str | None,
        undoes: str = "",
        state: Opened | None = None,
    ) -> Receipt:
        """Commit a plan whose files are locked."""
        if plan.problems:
            raise PatchRejected(plan.problems)
        # A link came or went while the locks were waited for. Without the lock of a file, another process could take
        # this commit for one that was cut short.
        loose = [stale(file.shown, file.before.sha256, "") for file in plan.files if file.path not in held]
        if loose:
            raise PatchRejected(loose)
        state = state or self._opened()
        contents = check(self.files, plan.files, self._settings.max_size)
        name = os.urandom(6).hex()
        who = self.actor if actor is None else actor
        with_tool = plan.tool if tool is None else tool
        receipt = receipt_for(plan, name, who, with_tool, undoes, state, history=self.history)
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
        copies = [(told.trash, data or b"") for told, data in zip(receipt.files, contents, strict=True) if told.trash]
        try:
            commit(self.files, state.store, plan, entry, flush=self.durability == "full", copies=copies)
        except RecoveryNeeded:
            raise
        except BaseException:
            state.drop_trash(name)
            raise
        # It is done. What fails from here on is tidying, and no reason to say that it is not.
        with suppress(SutureError):
            if not self.history:
                state.store.forget(name)
            elif int(name[:2], 16) % PRUNE_ONE_IN == 0:
                state.prune(*self._keep)
        return receipt

    def _one_by_one(
        self,
        parsed: Patch,
        text: str,
        dialect: Dialect,
        expected: Expected,
        held: frozenset[str],
        actor: str | None,
        tool: str | None,
    ) -> Receipt:
        """Each operation as a commit of its own, up to the first that fails."""
        receipts: list[Receipt] = []
        named: dict[str, Operation] = {}
        for operation in parsed.operations:
            try:
                plan = self.plan_operations([operation], parsed, text, dialect, expected, named)
                receipts.append(self._commit(plan, held, actor, tool))
            except RecoveryNeeded:
                raise
            except SutureError as error:
                raise _partly(error, receipts) from error
            expected = None
        return joined(receipts)

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
        # A whole home folder can be a workspace, and the state folder is in it then.
        outside = places(self.root, self._state_dir)[0]
        real = os.path.realpath(outside)
        inside = [os.path.relpath(real, root) for root in self.files.roots if f"{real}/".startswith(f"{root}/")]
        return (INSIDE, *inside)

    def _find(self, name: str) -> tuple[Entry, Opened]:
        """A commit that is done, by its id or the beginning of it, and the state that has it."""
        from .recovery import nothing_to_do

        for state in self._states():
            entry = state.store.entry(name)
            if entry is not None and entry.state == "done":
                return entry, state
        raise PatchRejected([nothing_to_do(name)])

    def _has_inside(self) -> bool:
        """Whether a sandboxed process has left its state in the workspace."""
        return not self.in_memory and os.path.lexists(f"{self.root}/{INSIDE}/{STORE}")

    def _opened(self) -> Opened:
        """The state of this workspace, made where it is missing."""
        if self._state is None:
            folder = None if self.in_memory else state_folder(self.root, self._state_dir)
            known = None if folder is None else self._others.pop(folder.path, None)
            self._state = known or Opened(folder, self.durability, self.files.watch)
        return self._state

    def _states(self) -> list[Opened]:
        """The states that there are, without making any: the one in use, and what a sandboxed process has left."""
        if self.in_memory:
            return [self._opened()]
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


def _partly(error: SutureError, receipts: Sequence[Receipt]) -> SutureError:
    """What is told where one commit of several failed: the failure itself, if it was the first."""
    if not receipts:
        return error
    receipt = joined(receipts)
    return PartlyApplied(error.problems, receipt, [str(change) for change in receipt.changes])
