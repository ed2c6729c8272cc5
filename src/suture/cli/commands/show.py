"""`suture show`: one commit with its diff."""

from __future__ import annotations

from ...core.display import one_line
from ..inputs import commit_named, workspace_of
from ..json_output import print_document, receipt_fields
from ..progress import waiting
from ..render import change_line, show_diff, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show a commit."""
    commit = commit_named(options.commit)
    with workspace_of(options) as workspace, waiting(screen, unit="commit"):
        receipt = workspace.show(commit)
    if screen.json:
        return print_document(screen, "show", 0, receipt_fields(receipt))
    screen.keep()
    facts = [("time", when(receipt.time)), ("tool", receipt.tool), ("actor", receipt.actor)]
    facts += [("undoes", receipt.undoes), ("undone by", receipt.undone_by)]
    screen.say(screen.styled(f"commit {receipt.id}", "yellow"))
    for name, value in facts:
        if value:
            screen.say(f"{name + ':':10} {one_line(value)}")
    screen.say()
    for change in receipt.changes:
        screen.say(change_line(screen, change))
    # A commit is shown to see what it did, in a pipe too.
    diff = receipt.diff
    if diff and not options.no_diff:
        screen.say()
        show_diff(screen, diff)
    return 0
