"""`suture log`: what was done in the workspace, the newest first."""

from __future__ import annotations

from ..arguments import UsageError
from ..documents import print_document, receipt_fields
from ..inputs import workspace_of
from ..shown import commit_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the commits."""
    if not options.limit.isdecimal() or not int(options.limit):
        message = f"expected --limit with a number from 1 on; found {options.limit!r}"
        raise UsageError(message)
    with workspace_of(options) as workspace:
        receipts = workspace.log(int(options.limit), before=options.before, path=options.path)
    if screen.json:
        return print_document(screen, "log", 0, {"commits": [receipt_fields(one) for one in receipts]})
    screen.keep()
    for receipt in receipts:
        screen.say(commit_line(screen, receipt))
    if not receipts:
        screen.tell("Nothing was done here yet.")
    return 0
