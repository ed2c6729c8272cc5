"""`suture show`: shows a commit and its diff."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ..inputs import commit_id, open_workspace
from ..json_output import print_document, receipt_fields
from ..progress import ProgressBar
from ..render import show_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...core.outcome import Receipt
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show a commit."""
    named = None if options.commit is None else commit_id(options.commit)
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, unit="commit"):
        receipt = _last_commit(workspace) if named is None else workspace.show(named)
    if screen.json:
        return print_document(screen, "show", 0, receipt_fields(receipt))
    screen.start_paging()
    show_commit(screen, receipt, diff=not options.no_diff)
    return 0


def _last_commit(workspace: Workspace) -> Receipt:
    for receipt in workspace.log(1):
        return receipt
    raise PatchRejectedError([Problem("not_found", "There is no commit to show: nothing has been changed here yet.")])
