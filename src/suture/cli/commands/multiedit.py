"""`suture multiedit`: several string edits of one file, all of them or none."""

from __future__ import annotations

from ...core.problems import PatchInvalidError, Problem
from ..inputs import expected_of, json_of, same_path, workspace_of
from ..run_edit import make_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Make the edits."""
    expected = expected_of(options)
    path, edits = _wanted(options)
    against = options.against
    with workspace_of(options) as workspace:
        return make_edit(
            "multiedit",
            workspace,
            lambda: workspace.plan_multiedit(path, edits, against=against, expected_sha256=expected),
            lambda: workspace.multiedit(path, edits, against=against),
            options,
            screen,
        )


def _wanted(options: Namespace) -> tuple[str, list[Any]]:
    """The path, and the edits in any form that `multiedit` takes."""
    document = json_of(options.edits)
    path, edits = options.path, document
    if isinstance(document, dict):
        path = same_path(path, document.get("filePath", document.get("path")))
        edits = document.get("edits")
    if isinstance(path, str) and isinstance(edits, list):
        return path, edits
    message = "Expected a list of edits, with the path as an argument, or a JSON object with filePath and edits."
    raise PatchInvalidError([Problem("invalid_arguments", message, hint="See suture multiedit --help.")])
