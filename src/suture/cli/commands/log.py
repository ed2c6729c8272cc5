"""`suture log`: lists the commits of the workspace, newest first."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import commit_id, commits, open_workspace
from ..json_output import print_document, receipt_fields
from ..progress import ProgressBar
from ..render import commit_line, show_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.outcome import Receipt
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the commits."""
    digits = options.limit.lstrip("0")
    if not digits.isdecimal() or not digits.isascii():
        message = f"expected a positive number for --limit; found {options.limit!r}"
        raise UsageError(message)
    # SQLite takes no larger numbers, and no history is that long.
    limit = int(digits[:18])
    before = None if options.before is None else commit_id(options.before)
    receipts: list[Receipt] = []
    with open_workspace(options, for_history=True) as workspace, ProgressBar(screen, unit="commit") as progress:
        for receipt in commits(workspace, limit, before=before, path=options.path):
            receipts.append(receipt)
            progress.update("reading", len(receipts))
    if screen.json:
        return print_document(screen, "log", 0, {"commits": [receipt_fields(one) for one in receipts]})
    screen.start_paging()
    for number, receipt in enumerate(receipts):
        if options.patch:
            if number:
                screen.write("\n")
            show_commit(screen, receipt)
        else:
            screen.print(commit_line(screen, receipt, short=options.oneline))
    if not receipts:
        screen.error("No commits yet." if not (before or options.path) else "No matching commits.")
    return 0
