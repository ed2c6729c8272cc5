"""Receipts: for a new commit, from the history, and several as one."""

from __future__ import annotations

from contextvars import ContextVar
from time import time

from ..core.outcome import FileReceipt, Receipt
from ..core.patch import Concession
from ..core.problems import PatchRejectedError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.outcome import Plan
    from ..core.record import Entry
    from ..state.backend import StateBackend

#: The id of the session that the current task or thread commits for.
session_of_commits: ContextVar[str] = ContextVar("session_of_commits", default="")


def new_receipt(
    plan: Plan, name: str, actor: str, tool: str, undoes: str, state: StateBackend, *, history: bool
) -> Receipt:
    """The receipt of a plan that is about to be committed under this id."""
    moved = {file.like for file in plan.files if file.after.kind == "file"}
    files: list[FileReceipt] = []
    for file in plan.files:
        deleted = file.before.kind == "file" and file.after.kind == "absent" and file.path not in moved
        trash = state.trash_path(name, file.shown) if deleted and history else ""
        files.append(FileReceipt(file.shown, file.before.sha256, file.after.sha256, trash))
    return Receipt(
        name,
        time(),
        actor,
        tool,
        plan.atomic,
        plan.changes,
        tuple(files),
        plan.concessions,
        undoes,
        state_inside=state.is_inside,
        session=session_of_commits.get(),
    )


def note_losses(receipt: Receipt, losses: Mapping[str, str]) -> Receipt:
    """The receipt with a concession on each change whose file lost something: the names of concessions by path."""
    changes = [
        change.replace(concessions=(*change.concessions, Concession(losses[change.content_name])))
        if change.content_name in losses
        else change
        for change in receipt.changes
    ]
    return receipt.replace(changes=tuple(changes))


def stored_receipt(entry: Entry) -> Receipt:
    """The receipt of a commit in the history.

    Raises:
        PatchRejectedError: it is damaged.
    """
    try:
        return Receipt.from_json(entry.receipt).replace(undone_by=entry.undone_by)
    except ValueError as error:
        message = f"The receipt of the commit {entry.id} can't be read: {error}."
        details = {"id": entry.id, "reason": "damaged_store"}
        raise PatchRejectedError([Problem("io_error", message, details=details, recoverable=False)]) from error


def join_receipts(receipts: Sequence[Receipt]) -> Receipt:
    """Several commits as one receipt. `undo` undoes them one by one."""
    return receipts[-1].replace(
        atomic=False,
        changes=tuple([change for receipt in receipts for change in receipt.changes]),
        files=tuple([file for receipt in receipts for file in receipt.files]),
        parts=tuple([receipt.id for receipt in receipts]),
    )
