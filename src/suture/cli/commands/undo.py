"""`suture undo`: undoes a commit."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ..inputs import commit_id, commits, open_workspace
from ..progress import ProgressBar
from ..run_edit import explain_interrupt, show_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.outcome import Receipt
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Undo the named commit, or the last one."""
    named = None if options.commit is None else commit_id(options.commit)
    with open_workspace(options) as workspace, ProgressBar(screen, workspace):
        commit = _last_commit(workspace) if named is None else named
        receipt = explain_interrupt(lambda: workspace.undo(commit, merge=options.merge))
    return show_receipt("undo", receipt, options, screen)


def _last_commit(workspace: Workspace) -> Receipt:
    """The last commit that is neither undone nor an undo, so that repeated undos go back in time."""
    for receipt in commits(workspace):
        if not receipt.undone_by and not receipt.undoes:
            return receipt
    raise PatchRejectedError([Problem("not_found", "Nothing to undo.")])
