"""`suture log`: lists the commits of the workspace, newest first."""

from __future__ import annotations

from itertools import islice

from ..arguments import UsageError
from ..inputs import commit_id, commits, open_workspace
from ..json_output import print_document, receipt_fields
from ..progress import ProgressBar
from ..render import commit_line, show_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...core.outcome import Receipt
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
        is_filtered = options.by is not None or options.rebased
        all_commits = commits(workspace, None if is_filtered else limit, before=before, path=options.path)
        for receipt in islice((one for one in all_commits if _is_listed(one, options)), limit):
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
        screen.error("No matching commits." if _is_narrowed(options) else "No commits yet.")
    return 0


def _is_narrowed(options: Namespace) -> bool:
    """Whether only some commits were asked for."""
    return bool(options.before or options.path or options.by is not None or options.rebased)


def _is_listed(receipt: Receipt, options: Namespace) -> bool:
    """Whether a commit is by the actor that was asked for, and was merged if only such commits were."""
    if options.by is not None and receipt.actor != options.by:
        return False
    notes = [concession.name for change in receipt.changes for concession in change.concessions]
    return "rebased" in notes or not options.rebased
