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
    revokes = options.action == "revoke"
    if options.action not in ("list", "revoke") or (not revokes and (options.approval or options.all)):
        message = f"expected list, or revoke PERMISSION GLOB; found {' '.join([options.action, *options.approval])!r}"
        raise UsageError(message)
    if revokes and len(options.approval) != (0 if options.all else 2):
        message = "expected a permission and a glob to revoke, or --all"
        raise UsageError(message)
    with open_workspace(options) as workspace:
        kept = workspace.approvals.all()
        if revokes:
            chosen = kept if options.all else [one for one in kept if [one.permission, one.glob] == options.approval]
            kept = [one for one in chosen if workspace.approvals.revoke(one.permission, one.glob)]
    status = 1 if revokes and not options.all and not kept else 0
    if screen.json:
        return print_document(screen, "permissions", status, {"action": options.action, "approvals": kept})
    for one in kept:
        screen.print(f"Revoked: {one}" if revokes else str(one))
    if not kept:
        screen.error("There is no such approval." if status else "No approvals are kept.")
    return status
