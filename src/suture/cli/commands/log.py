"""`suture log`: what was done in the workspace, the newest first."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import commit_named, commits, workspace_of
from ..json_output import print_document, receipt_fields
from ..progress import waiting
from ..render import commit_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...workspace.outcome import Receipt
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the commits."""
    digits = options.limit.lstrip("0")
    if not digits.isdecimal() or not digits.isascii():
        message = f"expected --limit with a number from 1 on; found {options.limit!r}"
        raise UsageError(message)
    # No history is as long as a number of so many digits, and not every number can be asked for.
    limit = int(digits[:18])
    before = None if options.before is None else commit_named(options.before)
    receipts: list[Receipt] = []
    with workspace_of(options) as workspace, waiting(screen, unit="commit") as job:
        for receipt in commits(workspace, limit, before=before, path=options.path):
            receipts.append(receipt)
            job.at("reading", len(receipts))
    if screen.json:
        return print_document(screen, "log", 0, {"commits": [receipt_fields(one) for one in receipts]})
    screen.keep()
    for receipt in receipts:
        screen.say(commit_line(screen, receipt))
    if not receipts:
        screen.tell("Nothing was done here yet." if not (before or options.path) else "There is no such commit.")
    return 0
