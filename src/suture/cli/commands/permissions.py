"""`suture permissions`: lists and revokes the approvals that are kept for the workspace."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import open_workspace
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the approvals, or revoke some and print them."""
    is_revoke = options.action == "revoke"
    is_plain_list = options.action == "list" and not options.approval and not options.all
    if not is_revoke and not is_plain_list:
        message = f"expected list, or revoke PERMISSION GLOB; found {' '.join([options.action, *options.approval])!r}"
        raise UsageError(message)
    if is_revoke and len(options.approval) != (0 if options.all else 2):
        message = "expected a permission and a glob to revoke, or --all"
        raise UsageError(message)
    with open_workspace(options) as workspace:
        approvals = workspace.approvals.all()
        if is_revoke and not options.all:
            approvals = [one for one in approvals if [one.permission, one.glob] == options.approval]
        if is_revoke:
            approvals = [one for one in approvals if workspace.approvals.revoke(one.permission, one.glob)]
    is_missing = is_revoke and not options.all and not approvals
    status = 1 if is_missing else 0
    if screen.json:
        return print_document(screen, "permissions", status, {"action": options.action, "approvals": approvals})
    for one in approvals:
        screen.print(f"Revoked: {one}" if is_revoke else str(one))
    if not approvals:
        screen.error("There is no such approval." if is_missing else "No approvals are kept.")
    return status
