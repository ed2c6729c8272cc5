"""`suture multiedit`: makes several replacements in a file, all of them or none."""

from __future__ import annotations

from ...core.problems import PatchInvalidError, Problem
from ...core.readers import COMMAND_WITH_JSON
from ..inputs import agreed_path, expected_hashes, open_workspace, read_json
from ..run_edit import run_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Make the edits."""
    expected = expected_hashes(options)
    path, edits = _read_edits(options)
    against = options.against
    screen.reader = COMMAND_WITH_JSON.replace(skip=screen.reader.skip)
    with open_workspace(options) as workspace:
        return run_edit(
            "multiedit",
            workspace,
            lambda: workspace.plan_multiedit(path, edits, against=against, expected_sha256=expected),
            lambda: workspace.multiedit(path, edits, against=against, expected_sha256=expected),
            options,
            screen,
        )


def _read_edits(options: Namespace) -> tuple[str, list[Any]]:
    """The path, and the edits in any form that `multiedit` accepts."""
    document = read_json(options.edits)
    path, edits = options.path, document
    if isinstance(document, dict):
        path = agreed_path(path, document.get("filePath", document.get("path")))
        edits = document.get("edits")
    if isinstance(path, str) and isinstance(edits, list):
        return path, edits
    message = "Expected a list of edits and the path as an argument, or a JSON object with filePath and edits."
    raise PatchInvalidError([Problem("invalid_arguments", message, hint="See suture multiedit --help.")])
