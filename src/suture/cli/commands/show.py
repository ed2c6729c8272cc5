"""`suture show`: shows a commit and its diff."""

from __future__ import annotations

from ..inputs import commit_id, open_workspace
from ..json_output import print_document, receipt_fields
from ..progress import ProgressBar
from ..render import show_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show a commit."""
    commit = commit_id(options.commit)
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, unit="commit"):
        receipt = workspace.show(commit)
    if screen.json:
        return print_document(screen, "show", 0, receipt_fields(receipt))
    screen.start_paging()
    show_commit(screen, receipt, diff=not options.no_diff)
    return 0
