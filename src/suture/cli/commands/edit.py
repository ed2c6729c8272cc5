"""`suture edit`: a text of a file for another one."""

from __future__ import annotations

from ...core.problems import PatchInvalidError, Problem
from ..arguments import UsageError
from ..inputs import expected_of, json_of, same_path, text_of, workspace_of
from ..run_edit import make_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Make one string edit."""
    expected = expected_of(options)
    path, old, new, every = _wanted(options)
    with workspace_of(options) as workspace:
        return make_edit(
            "edit",
            workspace,
            lambda: workspace.plan_edit(path, old, new, replace_all=every, expected_sha256=expected),
            lambda: workspace.edit(path, old, new, replace_all=every),
            options,
            screen,
        )


def _wanted(options: Namespace) -> tuple[str, str, str, bool]:
    """The path, the old text, the new text, and whether all places are meant."""
    for one, other in (("old", "old_file"), ("new", "new_file")):
        if getattr(options, one) is not None and getattr(options, other) is not None:
            message = f"--{one} and --{one}-file can't both be given"
            raise UsageError(message)
    old = options.old if options.old_file is None else text_of(options.old_file)
    new = options.new if options.new_file is None else text_of(options.new_file)
    if old is None and new is None:
        return _from_json(options)
    if options.path is None:
        message = "expected the path of the file"
        raise UsageError(message)
    if old is None or new is None:
        message = f"expected --{'old' if old is None else 'new'} too"
        raise UsageError(message)
    return options.path, old, new, options.all


def _from_json(options: Namespace) -> tuple[str, str, str, bool]:
    document = json_of(None)
    fields = document if isinstance(document, dict) else {}
    path = same_path(options.path, fields.get("filePath", fields.get("path")))
    old = fields.get("oldString", fields.get("old"))
    new = fields.get("newString", fields.get("new"))
    every = fields.get("replaceAll", fields.get("replace_all", options.all))
    if isinstance(path, str) and isinstance(old, str) and isinstance(new, str) and isinstance(every, bool):
        return path, old, new, every
    message = (
        "Expected a JSON object with the texts filePath, oldString and newString, and replaceAll as true or false."
    )
    raise PatchInvalidError([Problem("invalid_arguments", message, hint="Or use --old and --new: suture edit --help.")])
