"""`suture undo`: takes a commit back."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ..inputs import commit_named, commits, workspace_of
from ..progress import waiting
from ..run_edit import show_receipt, uninterrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.outcome import Receipt
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Take back the commit that was named, or the last one."""
    named = None if options.commit is None else commit_named(options.commit)
    with workspace_of(options) as workspace, waiting(screen, workspace):
        commit = _last(workspace) if named is None else named
        receipt = uninterrupted(lambda: workspace.undo(commit, merge=options.merge))
    return show_receipt("undo", receipt, options, screen)


def _last(workspace: Workspace) -> Receipt:
    """The last commit that is neither undone nor itself an undo: so `undo` after `undo` goes back in time."""
    for receipt in commits(workspace):
        if not receipt.undone_by and not receipt.undoes:
            return receipt
    raise PatchRejectedError([Problem("not_found", "There is nothing to undo.")])
