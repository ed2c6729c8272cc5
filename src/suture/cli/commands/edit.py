"""`suture edit`: replaces text in a file."""

from __future__ import annotations

from ...agent.tool_arguments import check_arguments, parse_arguments
from ...core.readers import COMMAND, COMMAND_WITH_JSON
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
    screen.reader = COMMAND if _has_flags(options) else COMMAND_WITH_JSON
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


def _has_flags(options: Namespace) -> bool:
    """Whether a text of the edit is on the command line; otherwise all of it is JSON."""
    return any(text is not None for text in (options.old, options.new, options.old_file, options.new_file))


def _read_edit(options: Namespace) -> tuple[str, str, str, bool]:
    """The path, the text to find, the replacement, and whether to replace every occurrence."""
    if not _has_flags(options):
        return _read_json_edit(options)
    for one, other in (("old", "old_file"), ("new", "new_file")):
        if getattr(options, one) is not None and getattr(options, other) is not None:
            message = f"--{one} and --{one}-file cannot be used together"
            raise UsageError(message)
    old = options.old if options.old_file is None else read_text(options.old_file)
    new = options.new if options.new_file is None else read_text(options.new_file)
    if options.path is None:
        message = "expected the path of the file"
        raise UsageError(message)
    if old is None or new is None:
        message = f"expected --{'old' if old is None else 'new'} as well"
        raise UsageError(message)
    return options.path, old, new, options.all


def _read_json_edit(options: Namespace) -> tuple[str, str, str, bool]:
    """The edit from standard input, with the arguments that the tool `edit` has."""
    given = dict(parse_arguments("edit", read_json(None, "Use --old and --new, or write the edit as JSON to it.")))
    names = [name for name in ("filePath", "file_path", "path") if name in given]
    path = agreed_path(options.path, given[names[0]] if names else None)
    if path is not None:
        given[names[0] if names else "filePath"] = path
    values = check_arguments("edit", given)
    return values["filePath"], values["oldString"], values["newString"], values.get("replaceAll", options.all)
