"""`suture convert`: an envelope as a unified diff, or a unified diff as an envelope."""

from __future__ import annotations

from ...core.problems import PatchRejectedError, Problem
from ...diff.git_diff import is_unified_diff, parse_diff
from ..inputs import patch_text, workspace_of
from ..json_output import print_document
from ..progress import files_in, waiting
from ..render import show_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print the other form of what was given."""
    text = patch_text(options.patch)
    unified = is_unified_diff(text)
    made = _envelope(text, options.dialect) if unified else _diff(text, options, screen)
    if screen.json:
        return print_document(screen, "convert", 0, {"text": made, "unified": not unified})
    screen.keep()
    show_diff(screen, made)
    return 0


def _envelope(text: str, dialect: str) -> str:
    from ...format.writer import render

    try:
        # Only the standard dialect reads line numbers after @@.
        return render(parse_diff(text, numbers=dialect == "standard"), dialect)
    except ValueError as error:
        message = f"The {dialect} dialect can't express this diff: {error}."
        raise PatchRejectedError([Problem("patch_parse_error", message)]) from error


def _diff(text: str, options: Namespace, screen: Screen) -> str:
    with workspace_of(options) as workspace, waiting(screen, workspace, files_in(text)):
        plan = workspace.plan(text)
    if plan.problems:
        raise PatchRejectedError(plan.problems)
    return plan.diff
