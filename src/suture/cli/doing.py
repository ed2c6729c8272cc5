"""What commands that write have in common: a plan is shown, or a commit is made and shown."""

from __future__ import annotations

from ..problems import PatchRejected
from .documents import plan_fields, print_document, receipt_fields
from .shown import show_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from ..workspace.outcome import Plan, Receipt
    from .screen import Screen

UNCHANGED = "No file was changed."
DONE = "All changes are made."


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
        screen.tell(PatchRejected(plan.problems).for_model(1 << 20))
    return status


def show_receipt(command: str, receipt: Receipt, options: Namespace, screen: Screen) -> int:
    """What was done."""
    if screen.json:
        return print_document(screen, command, 0, receipt_fields(receipt), state_of_disk=DONE)
    screen.keep()
    show_changes(screen, receipt, options)
    screen.release()
    screen.say(f"Commit {screen.styled(receipt.id, 'yellow')}. To take it back: suture undo {receipt.id}")
    return 0


def committed(plan: Callable[[], Plan], commit: Callable[[Plan], Receipt]) -> Receipt:
    """Plan and commit, where every problem is an exception."""
    planned = plan()
    if planned.problems:
        raise PatchRejected(planned.problems)
    return commit(planned)


def uninterrupted(call: Callable[[], Receipt], *, atomic: bool = True) -> Receipt:
    """A commit. Where it is interrupted it is rolled back, and that is said."""
    try:
        return call()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(UNCHANGED if atomic else "What was done before it stays: see suture log.") from None
