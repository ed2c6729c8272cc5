"""`suture undo`: takes a commit back."""

from __future__ import annotations

from ...problems import PatchRejected, Problem
from ..doing import show_receipt, uninterrupted
from ..inputs import workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.outcome import Receipt
    from ...workspace.workspace import Workspace
    from ..screen import Screen

#: How many commits are looked at for the last one that was not undone.
MOST_LOOKED_AT = 1000


def run(options: Namespace, screen: Screen) -> int:
    """Take back the commit that was named, or the last one."""
    with workspace_of(options) as workspace:
        commit = options.commit or _last(workspace)
        receipt = uninterrupted(lambda: workspace.undo(commit, merge=options.merge))
    return show_receipt("undo", receipt, options, screen)


def _last(workspace: Workspace) -> Receipt:
    """The last commit that is neither undone nor itself an undo: so `undo` after `undo` goes back in time."""
    for receipt in workspace.log(MOST_LOOKED_AT):
        if not receipt.undone_by and not receipt.undoes:
            return receipt
    raise PatchRejected([Problem("not_found", "There is nothing to undo.")])
