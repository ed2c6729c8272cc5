"""`suture show`: shows a commit and its diff."""

from __future__ import annotations

from ...core.display import one_line
from ..inputs import commit_id, open_workspace
from ..json_output import print_document, receipt_fields
from ..progress import ProgressBar
from ..render import change_line, format_time, show_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show a commit."""
    commit = commit_id(options.commit)
    with open_workspace(options) as workspace, ProgressBar(screen, unit="commit"):
        receipt = workspace.show(commit)
    if screen.json:
        return print_document(screen, "show", 0, receipt_fields(receipt))
    screen.start_paging()
    facts = [("time", format_time(receipt.time)), ("tool", receipt.tool), ("actor", receipt.actor)]
    facts += [("undoes", receipt.undoes), ("undone by", receipt.undone_by)]
    screen.print(screen.style(f"commit {receipt.id}", "yellow"))
    for name, value in facts:
        if value:
            screen.print(f"{name + ':':10} {one_line(value)}")
    screen.print()
    for change in receipt.changes:
        screen.print(change_line(screen, change))
    # Unlike in other commands, the diff is shown in a pipe too.
    diff = receipt.diff
    if diff and not options.no_diff:
        screen.print()
        show_diff(screen, diff)
    return 0
