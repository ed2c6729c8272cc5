"""What all commands that write share: show a plan, or make a commit and show it."""

from __future__ import annotations

from contextlib import suppress

from ..core.problems import PatchRejectedError
from ..workspace.refused_edits import keep_refused
from .json_output import plan_fields, print_document, receipt_fields
from .progress import ProgressBar
from .render import show_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from typing import TypeVar

    from ..core.outcome import Plan, Receipt
    from ..workspace.workspace import Workspace
    from .screen import Screen

    T = TypeVar("T")

# The state of the disk, as messages and JSON documents report it.
UNCHANGED = "No file was changed."
CHANGED = "All changes were made."
#: Where the history is, if it had to be inside the project.
STATE_INSIDE = (
    "Note: the history is kept in .suture in the project, because no other directory can be written. Git ignores it."
)
PARTLY_CHANGED = "Earlier operations were kept: see suture log."


def show_plan(command: str, plan: Plan, options: Namespace, screen: Screen) -> int:
    """Print a plan; the exit status is 1 if it has problems."""
    status = 0 if plan.is_clean else 1
    if screen.json:
        fields = plan_fields(plan)
        return print_document(screen, command, status, fields, problems=plan.problems, state_of_disk=UNCHANGED)
    if not options.quiet:
        screen.start_paging()
        show_changes(screen, plan, options)
        screen.end_paging()
    if plan.problems:
        screen.error(PatchRejectedError(plan.problems, plan).told_to(screen.reader).for_model(1 << 20))
    return status


def show_receipt(command: str, receipt: Receipt, options: Namespace, screen: Screen) -> int:
    """Print a commit."""
    screen.files_changed = True
    if screen.json:
        return print_document(screen, command, 0, receipt_fields(receipt), state_of_disk=CHANGED)
    if receipt.state_inside:
        screen.error(STATE_INSIDE)
    if not options.quiet:
        show_changes(screen, receipt, options, written=True)
        screen.print(f"Commit {screen.style(receipt.id, 'yellow')}. To undo it: suture undo {receipt.id}")
    return 0


def run_edit(
    command: str,
    workspace: Workspace,
    plan: Callable[[], Plan],
    write: Callable[[], Receipt],
    options: Namespace,
    screen: Screen,
    *,
    files: int = 1,
    interrupted: str = UNCHANGED,
) -> int:
    """Plan with `--dry-run`, otherwise write, and print the outcome; `interrupted` is the state after an interrupt."""
    with ProgressBar(screen, workspace, files):
        dry_plan = plan() if options.dry_run or getattr(options, "skip_applied", False) else None
        is_done = dry_plan is not None and dry_plan.is_clean and not dry_plan.files
        try:
            receipt = None if options.dry_run or is_done else explain_interrupt(write, interrupted)
        except PatchRejectedError as refused:
            # Without descriptors the module can't be loaded. Nothing depends on it, and the refusal is what counts.
            with suppress(OSError):
                actor = getattr(options, "actor", None) or ""
                keep_refused(workspace, refused.plan, screen.reader, tool=f"suture {command}", actor=actor)
            raise
    if receipt is not None:
        return show_receipt(command, receipt, options, screen)
    assert dry_plan is not None, "BUG: neither planned nor written"
    status = show_plan(command, dry_plan, options, screen)
    if is_done and not (screen.json or options.quiet):
        screen.print(f"Nothing to do. {UNCHANGED}")
    return status


def explain_interrupt(call: Callable[[], T], state: str = UNCHANGED) -> T:
    """Make a call; if it is interrupted, the KeyboardInterrupt says in which state the disk is."""
    try:
        return call()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(state) from None
