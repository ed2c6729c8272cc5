"""`suture redo`: makes a commit again that was undone."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ..inputs import commit_id, commits, open_workspace
from ..progress import ProgressBar
from ..run_edit import explain_interrupt, show_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Undo the undo of the named commit, or the last undo."""
    named = None if options.commit is None else commit_id(options.commit)
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, workspace):
        undo = _last_undo(workspace) if named is None else _undo_of(workspace, named)
        receipt = explain_interrupt(lambda: workspace.undo(undo, merge=options.merge))
    return show_receipt("redo", receipt, options, screen)


def _last_undo(workspace: Workspace) -> str:
    """The last undo that changed a file and was not redone, so that repeated redos go forward in time."""
    for receipt in commits(workspace):
        if receipt.tool == "undo" and receipt.files and not receipt.undone_by:
            return receipt.id
    raise PatchRejectedError([Problem("not_found", "Nothing to redo.")])


def _undo_of(workspace: Workspace, commit: str) -> str:
    receipt = workspace.show(commit)
    if receipt.undone_by:
        return receipt.undone_by
    if receipt.tool == "undo":
        return receipt.id
    message = f"The commit {receipt.id} is not undone, so it cannot be redone."
    raise PatchRejectedError([Problem("no_change", message, details={"id": receipt.id})])
