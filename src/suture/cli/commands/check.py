"""`suture check`: what patches would do, and whether they apply."""

from __future__ import annotations

from ..inputs import expected_of, patches_of, workspace_of
from ..progress import files_in, waiting
from ..run_edit import show_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Plan what was given."""
    expected = expected_of(options)
    patch = patches_of(options.patch, options.dialect)
    with workspace_of(options) as workspace:
        with waiting(screen, workspace, files_in(patch)):
            plan = workspace.plan(patch, expected_sha256=expected)
        return show_plan("check", plan, options, screen)
