"""The facade: a folder in which patches are planned, committed, undone.

A `Workspace` holds no state of its own but what it has open. `plan` reads and never writes; `commit` writes a plan, all
of it or none; `apply` is both, under the files' locks. Every use of it first repairs what a process that died has left.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.problems import PartlyAppliedError, PatchRejectedError, Problem, RecoveryNeededError, SutureError
from .commit import check, commit, records
from .outcome import Receipt
from .plans import parsed_patch
from .receipts import joined, receipt_for, receipt_of
from .record import ID_LENGTH, Entry
from .remembering import Remembering
from .restore import remove_if_empty
from .validate import vet_entry, vet_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal

    from ..core.dialect import Dialect
    from ..core.patch import Operation, Patch
    from .outcome import Plan
    from .plans import Expected
    from .state import WorkspaceState

#: Of so many commits about one looks whether old ones should go.
PRUNE_ONE_IN = 64


class Workspace(Remembering):
    """A folder, or `MemoryFiles`, that patches are applied to.

    `allow`, `deny` and `lift` are globs (docs/workspace.md). `durability` is "full", which survives a loss of power, or
    "process", which survives a killed process. Without `history` nothing can be undone; a crash is survived all the
    same. `state_dir` is where journals and histories are kept, a folder of its own for each workspace.
    """

    # Commits.

    def commit(self, plan: Plan, *, actor: str | None = None, tool: str | None = None) -> Receipt:
        """Write a plan, all of it or none, if every file is still as the plan has read it.

        Raises:
            PatchRejectedError: the plan has problems, or a file has changed since (`stale_file`); nothing was written.
            CommitFailedError: it broke off and was rolled back; every file is as it was.
            RecoveryNeededError: it broke off and could not be rolled back; the journal is left.
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
            PatchInvalidError: the patch can't be read.
            PatchRejectedError: it can't be applied; nothing was written.
            PartlyAppliedError: with `atomic=False`, an operation failed and those before it were done.
            CommitFailedError, RecoveryNeededError: as for `commit`.
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
            PatchRejectedError: a file has changed since (`stale_file`), or there is no such commit.
            PartlyAppliedError: of a commit that was done one by one, some are undone and one can't be.
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
            raise PatchRejectedError([problem])
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
                if not receipts:
                    raise
                raise _partly(error, receipts) from error
        return joined(receipts)

    # How it is done.

    def _planned(self, path: str, actor: str | None, plan: Callable[[], Plan]) -> Receipt:
        self.ready()
        resolved = self.guard().resolve(path)
        with self._hold([resolved.name, resolved.path], actor) as held:
            return self._commit(plan(), held, actor, None)

    def _commit(
        self,
        plan: Plan,
        held: frozenset[str],
        actor: str | None,
        tool: str | None,
        undoes: str = "",
        state: WorkspaceState | None = None,
    ) -> Receipt:
        """Commit a plan whose files are locked."""
        if plan.problems:
            raise PatchRejectedError(plan.problems)
        # A link came or went while the locks were waited for. Without the lock of a file, another process could take
        # this commit for one that was cut short.
        loose = [_elsewhere(file.shown) for file in plan.files if file.path not in held]
        if loose:
            raise PatchRejectedError(loose)
        state = state or self._opened()
        contents = check(self.files, plan.files, self._settings.max_size)
        name = os.urandom(ID_LENGTH // 2).hex()
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
        except RecoveryNeededError:
            raise
        except BaseException:
            state.drop_trash(name)
            raise
        # It is done. What fails from here on is tidying, and no reason to say that it is not.
        with suppress(SutureError, OSError):
            if not self.history:
                state.store.forget(name)
            elif (int(name[:2], 16) + 1) % PRUNE_ONE_IN == 0:
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
            except RecoveryNeededError:
                raise
            except SutureError as error:
                if not receipts:
                    raise
                raise _partly(error, receipts) from error
            expected = None
        return joined(receipts)


def _elsewhere(shown: str) -> Problem:
    message = f"{shown} was reached by another way than a moment before: somebody has changed a symbolic link."
    details = {"path": shown, "reason": "link"}
    return Problem("stale_file", message, shown, None, details, "Send the same edit again.")


def _partly(error: SutureError, receipts: Sequence[Receipt]) -> PartlyAppliedError:
    """What is told where one commit of several failed, and those before it were done."""
    receipt = joined(receipts)
    return PartlyAppliedError(error.problems, receipt, [str(change) for change in receipt.changes])
