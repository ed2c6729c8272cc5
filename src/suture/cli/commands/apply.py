"""`suture apply`: applies patches from files or standard input, all of them or none."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import expected_hashes, open_workspace, read_patches
from ..progress import count_files
from ..run_edit import PARTLY_CHANGED, UNCHANGED, run_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ...core.outcome import Plan
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Apply the patches."""
    expected = expected_hashes(options)
    if options.check:
        options.dry_run = options.quiet = True
    _refuse_combinations(options, has_hashes=bool(expected))
    patch = read_patches(options.patch, options.dialect, options.format, options.strip, options.exclude)
    atomic = not options.no_atomic
    limits: dict[str, Any] = {"expected_sha256": expected, "exclude": options.exclude}
    with open_workspace(options) as workspace:
        if options.interactive:
            from ..interactive import choose_hunks

            from_stdin = not options.patch or "-" in options.patch
            plan = choose_hunks(patch, workspace, screen, from_stdin=from_stdin, **limits)
            return _write_plan(plan, workspace, options, screen)
        if options.review:
            from ..review_patch import review_plan

            plan = review_plan(workspace, workspace.plan(patch, **limits), screen, actor=options.actor or "")
            return _write_plan(plan, workspace, options, screen)
        if options.base is not None:
            from ..base_texts import commit_on_base, plan_on_base

            plan_again = plan_on_base(workspace, options.base, patch, options.exclude)
            write = lambda: commit_on_base(workspace, plan_again)  # noqa: E731 - passed on like the one below
            return run_edit("apply", workspace, plan_again, write, options, screen, files=count_files(patch))
        return run_edit(
            "apply",
            workspace,
            lambda: workspace.plan(patch, **limits),
            lambda: workspace.apply(patch, **limits, atomic=atomic, tool="suture apply"),
            options,
            screen,
            files=count_files(patch),
            interrupted=UNCHANGED if atomic else PARTLY_CHANGED,
        )


def _refuse_combinations(options: Namespace, *, has_hashes: bool) -> None:
    """Refuse options that contradict each other."""
    if options.interactive and (options.json or options.dry_run or options.no_atomic):
        message = "--interactive cannot be used with --json, --check, --dry-run or --no-atomic"
        raise UsageError(message)
    if options.review and (options.interactive or options.dry_run or options.no_atomic):
        message = "--review cannot be used with --interactive, --check, --dry-run or --no-atomic"
        raise UsageError(message)
    if options.base is not None and (options.interactive or options.review or options.no_atomic or has_hashes):
        message = "--base cannot be used with --interactive, --review, --no-atomic or --expect"
        raise UsageError(message)


def _write_plan(plan: Plan, workspace: Workspace, options: Namespace, screen: Screen) -> int:
    """Write what a person has accepted, and print it."""
    return run_edit(
        "apply", workspace, lambda: plan, lambda: workspace.commit(plan, tool="suture apply"), options, screen
    )
