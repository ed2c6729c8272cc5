"""`suture apply`: patches from files or standard input, all of them or nothing."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import expected_of, patches_of, workspace_of
from ..progress import files_in, waiting
from ..run_edit import ONE_BY_ONE, UNCHANGED, show_plan, show_receipt, uninterrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Apply what was given."""
    expected = expected_of(options)
    if options.interactive and (options.json or options.dry_run or options.no_atomic):
        message = "--interactive asks a person: it goes with neither --json nor --dry-run nor --no-atomic"
        raise UsageError(message)
    patch = patches_of(options.patch, options.dialect)
    with workspace_of(options) as workspace:
        if options.interactive:
            from ..interactive import choose

            patch = choose(patch, workspace, screen, from_stdin=not options.patch or "-" in options.patch)
        with waiting(screen, workspace, files_in(patch)):
            if options.dry_run:
                plan = workspace.plan(patch, expected_sha256=expected)
            else:
                atomic = not options.no_atomic
                receipt = uninterrupted(
                    lambda: workspace.apply(patch, expected_sha256=expected, atomic=atomic, tool="suture apply"),
                    UNCHANGED if atomic else ONE_BY_ONE,
                )
        if options.dry_run:
            return show_plan("apply", plan, options, screen)
        return show_receipt("apply", receipt, options, screen)
