"""`suture edit`: replaces text in a file."""

from __future__ import annotations

from ...core.problems import PatchInvalidError, Problem
from ..arguments import UsageError
from ..inputs import agreed_path, expected_hashes, open_workspace, read_json, read_text
from ..run_edit import run_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Make one string edit."""
    expected = expected_hashes(options)
    path, old, new, every = _read_edit(options)
    with open_workspace(options) as workspace:
        return run_edit(
            "edit",
            workspace,
            lambda: workspace.plan_edit(path, old, new, replace_all=every, expected_sha256=expected),
            lambda: workspace.edit(path, old, new, replace_all=every, expected_sha256=expected),
            options,
            screen,
        )


def _read_edit(options: Namespace) -> tuple[str, str, str, bool]:
    """The path, the text to find, the replacement, and whether to replace every occurrence."""
    for one, other in (("old", "old_file"), ("new", "new_file")):
        if getattr(options, one) is not None and getattr(options, other) is not None:
            message = f"--{one} and --{one}-file cannot be used together"
            raise UsageError(message)
    old = options.old if options.old_file is None else read_text(options.old_file)
    new = options.new if options.new_file is None else read_text(options.new_file)
    if old is None and new is None:
        return _read_json_edit(options)
    if options.path is None:
        message = "expected the path of the file"
        raise UsageError(message)
    if old is None or new is None:
        message = f"expected --{'old' if old is None else 'new'} as well"
        raise UsageError(message)
    return options.path, old, new, options.all


def _read_json_edit(options: Namespace) -> tuple[str, str, str, bool]:
    document = read_json(None)
    fields = document if isinstance(document, dict) else {}
    path = agreed_path(options.path, fields.get("filePath", fields.get("path")))
    old = fields.get("oldString", fields.get("old"))
    new = fields.get("newString", fields.get("new"))
    every = fields.get("replaceAll", fields.get("replace_all", options.all))
    if isinstance(path, str) and isinstance(old, str) and isinstance(new, str) and isinstance(every, bool):
        return path, old, new, every
    message = (
        "Expected a JSON object with strings filePath, oldString and newString, and optionally a boolean replaceAll."
    )
    raise PatchInvalidError([Problem("invalid_arguments", message, hint="Or use --old and --new: suture edit --help.")])
