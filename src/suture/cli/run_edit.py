"""What commands that write have in common: a plan is shown, or a commit is made and shown."""

from __future__ import annotations

from ..core.problems import PatchRejectedError
from .json_output import plan_fields, print_document, receipt_fields
from .progress import waiting
from .render import show_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from typing import TypeVar

    from ..workspace.outcome import Plan, Receipt
    from ..workspace.workspace import Workspace
    from .screen import Screen

    Done = TypeVar("Done")

UNCHANGED = "No file was changed."
DONE = "All changes are made."
ONE_BY_ONE = "What was done before it stays: see suture log."


def show_plan(command: str, plan: Plan, options: Namespace, screen: Screen) -> int:
    """What would happen; 1 where it would not."""
    status = 0 if plan.is_clean else 1
    if screen.json:
        fields = plan_fields(plan)
        return print_document(screen, command, status, fields, problems=plan.problems, state_of_disk=UNCHANGED)
    screen.keep()
    show_changes(screen, plan, options)
    screen.release()
    if plan.problems:
        screen.tell(PatchRejectedError(plan.problems).for_model(1 << 20))
    return status


def show_receipt(command: str, receipt: Receipt, options: Namespace, screen: Screen) -> int:
    """What was done."""
    screen.is_done = True
    if screen.json:
        return print_document(screen, command, 0, receipt_fields(receipt), state_of_disk=DONE)
    screen.keep()
    show_changes(screen, receipt, options)
    screen.release()
    screen.say(f"Commit {screen.styled(receipt.id, 'yellow')}. To take it back: suture undo {receipt.id}")
    return 0


def make_edit(
    command: str,
    workspace: Workspace,
    plan: Callable[[], Plan],
    write: Callable[[], Receipt],
    options: Namespace,
    screen: Screen,
) -> int:
    """A string edit or several, planned or written. `write` knows of no expectations: with them a plan is committed."""
    with waiting(screen, workspace, 1):
        if options.dry_run:
            planned = plan()
        else:
            receipt = uninterrupted((lambda: _committed(plan(), workspace)) if options.expect else write)
    if options.dry_run:
        return show_plan(command, planned, options, screen)
    return show_receipt(command, receipt, options, screen)


def _committed(plan: Plan, workspace: Workspace) -> Receipt:
    if plan.problems:
        raise PatchRejectedError(plan.problems)
    return workspace.commit(plan)


def uninterrupted(call: Callable[[], Done], said: str = UNCHANGED) -> Done:
    """What the call gives. Where it is interrupted, it is said what has become of it: a commit is rolled back."""
    try:
        return call()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(said) from None
