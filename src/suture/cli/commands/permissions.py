"""`suture permissions`: lists and revokes the approvals that are kept for the workspace."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import open_workspace
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from ...state.approvals import Approval
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the approvals, or revoke some and print them."""
    _check_arguments(options)
    is_revoke = options.action == "revoke"
    with open_workspace(options) as workspace:
        approvals = workspace.approvals.all()
        if is_revoke:
            approvals = _revoke(workspace, approvals, options)
    is_missing = is_revoke and not options.all and not approvals
    status = 1 if is_missing else 0
    if screen.json:
        return print_document(screen, "permissions", status, {"action": options.action, "approvals": approvals})
    for approval in approvals:
        screen.print(f"Revoked: {approval}" if is_revoke else str(approval))
    if not approvals:
        screen.error("There is no such approval." if is_missing else "No approvals are kept.")
    return status


def _check_arguments(options: Namespace) -> None:
    """Refuse arguments that are neither `list`, nor `revoke` with an approval or `--all`."""
    if options.action == "revoke":
        if len(options.approval) != (0 if options.all else 2):
            message = "expected a permission and a glob to revoke, or --all"
            raise UsageError(message)
        return
    if options.action != "list" or options.approval or options.all:
        message = f"expected list, or revoke PERMISSION GLOB; found {' '.join([options.action, *options.approval])!r}"
        raise UsageError(message)


def _revoke(workspace: Workspace, approvals: Iterable[Approval], options: Namespace) -> list[Approval]:
    """Revoke all approvals, or the one that the options name; those that were revoked."""
    revoked = []
    for approval in approvals:
        is_meant = options.all or [approval.permission, approval.glob] == options.approval
        if is_meant and workspace.approvals.revoke(approval.permission, approval.glob):
            revoked.append(approval)
    return revoked
