"""`suture check`: checks whether patches apply and shows what they would change."""

from __future__ import annotations

from ..inputs import expected_hashes, open_workspace, read_patches
from ..progress import ProgressBar, count_files
from ..run_edit import show_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Plan the patches."""
    expected = expected_hashes(options)
    patch = read_patches(options.patch, options.dialect, options.format, options.strip, options.exclude)
    with open_workspace(options) as workspace:
        with ProgressBar(screen, workspace, count_files(patch)):
            plan = workspace.plan(patch, expected_sha256=expected, exclude=options.exclude)
        return show_plan("check", plan, options, screen)
