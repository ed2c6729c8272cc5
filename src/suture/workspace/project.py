"""Which project a directory belongs to, as git finds it: the nearest directory above with `.git` or `.suture.toml`.

The home directory and `/` count only for those who stand in them: a repository of dotfiles does not make one project of
everything a user has. A marker that belongs to another user does not count either: in a shared directory such as `/tmp`
anybody could put one there, and its configuration would be read.
"""

from __future__ import annotations

import os

from ..state.regular_files import read_project_file

#: The file with a project's configuration. It marks the root of a project, as `.git` does.
CONFIGURATION = ".suture.toml"
MARKERS = (".git", CONFIGURATION)
#: The file of Python projects, in which a table can have the configuration.
PYPROJECT = "pyproject.toml"
#: The largest file with settings, in bytes. A larger one is an error.
LARGEST_SETTINGS_FILE = 1_000_000


def find_project(folder: str = ".") -> tuple[str, str]:
    """The root of the project that a directory belongs to, and the directory relative to it.

    A directory that belongs to no project is one itself.

    Raises:
        OSError: the directory does not exist.
    """
    here = os.path.realpath(folder, strict=True)
    outer = (os.path.realpath(os.path.expanduser("~")), "/")
    root = here
    while root == here or root not in outer:
        if any(_is_ours(f"{root}/{marker}") for marker in MARKERS):
            return root, here[len(root) :].lstrip("/")
        if root == "/":
            break
        root = os.path.dirname(root)
    return here, ""


def may_have_configuration(root: str) -> bool:
    """Whether there may be settings for a project: nearly always there are none, and this is cheaper than to look."""
    home = os.environ.get("XDG_CONFIG_HOME", "") or os.path.expanduser("~/.config")
    if os.path.lexists(f"{root}/{CONFIGURATION}") or os.path.lexists(f"{home}/suture/config.toml"):
        return True
    try:
        return b"suture" in read_project_file(root, PYPROJECT, LARGEST_SETTINGS_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # It may have settings that deny something: whoever loads it is told what is wrong with it.
        return True


def _is_ours(marker: str) -> bool:
    try:
        return os.lstat(marker).st_uid == os.geteuid()
    except OSError:
        return False
