"""The project that a command works in: its directory and its configuration."""

from __future__ import annotations

import os

from ..agent.configuration.find_settings import load
from ..agent.configuration.settings import Configuration
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..workspace.project import find_project, may_have_configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace


def configuration(options: Namespace, *, for_history: bool = False) -> Configuration:
    """The configuration of the project, which is read once and kept in the options.

    For the history, a wrong file of the project is left out: the commit that made it wrong can be undone. What is left
    of the configuration then is not kept, so that other calls still say what is wrong.

    Raises:
        PatchInvalidError: a file of the configuration is wrong.
    """
    kept: Configuration | None = getattr(options, "configuration", None)
    if kept is not None:
        return kept
    root, _ = find_root(options)
    settings = Configuration()
    if may_have_configuration(root):
        try:
            settings = load(root, upward=False)
        except PatchInvalidError:
            if not for_history:
                raise
            return load(root, upward=False, with_project=False)
    options.configuration = settings
    return settings


def find_root(options: Namespace) -> tuple[str, str]:
    """The root of the workspace, and the directory below it that paths start from.

    With `--root`, that is the root itself. Otherwise paths start where the user is, and the workspace is the project.

    Raises:
        PatchRejectedError: there is no such directory.
    """
    root = options.root
    try:
        if root is None:
            return find_project()
        path = os.path.abspath(root)
    except OSError:
        message = "The current directory no longer exists."
    else:
        if os.path.isdir(path):
            return path, ""
        what = "is not a directory" if os.path.lexists(path) else "does not exist"
        message = f"The workspace {root} {what}."
    raise PatchRejectedError([Problem("not_found", message, root or ".", None, {"path": root or "."})])
