"""`suture convert`: converts an envelope to a unified diff, or back."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ...diff.git_diff import is_unified_diff, parse_diff
from ..inputs import open_workspace, read_patch
from ..json_output import print_document
from ..progress import ProgressBar, count_files
from ..render import show_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch in the other format."""
    text = read_patch(options.patch)
    unified = is_unified_diff(text)
    converted = _envelope(text, options.dialect) if unified else _diff(text, options, screen)
    if screen.json:
        return print_document(screen, "convert", 0, {"text": converted, "unified": not unified})
    screen.start_paging()
    show_diff(screen, converted)
    return 0


def _envelope(text: str, dialect: str) -> str:
    from ...format.writer import render

    try:
        # Only the standard dialect reads line numbers after @@.
        return render(parse_diff(text, numbers=dialect == "standard"), dialect)
    except ValueError as error:
        message = f"The {dialect} dialect cannot express this diff: {error}."
        raise PatchRejectedError([Problem("patch_parse_error", message)]) from error


def _diff(text: str, options: Namespace, screen: Screen) -> str:
    with open_workspace(options) as workspace, ProgressBar(screen, workspace, count_files(text)):
        plan = workspace.plan(text)
    if plan.problems:
        raise PatchRejectedError(plan.problems)
    return plan.diff
