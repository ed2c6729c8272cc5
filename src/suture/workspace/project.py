"""Which project a directory belongs to, as git finds it: the nearest directory above with `.git` or `.suture.toml`.

The home directory and `/` count only for those who stand in them: a repository of dotfiles does not make one project of
everything a user has. A marker that belongs to another user does not count either: in a shared directory such as `/tmp`
anybody could put one there, and its configuration would be read.
"""

from __future__ import annotations

import errno
import os

from ..core.regular_files import NOT_REGULAR
from ..core.system import anchor, configuration_home, is_mine, real_path, slashed
from .files.open_files import DiskFiles
from .workspace_limits import LARGEST_SETTINGS_FILE

#: The file with a project's configuration. It marks the root of a project, as `.git` does.
CONFIGURATION = ".suture.toml"
MARKERS = (".git", CONFIGURATION)
#: The file of Python projects, in which a table can have the configuration.
PYPROJECT = "pyproject.toml"
#: What the message of an error says about a link out of the project.
LEADS_OUT = "it is a symbolic link that leads out of the project"


def find_project(folder: str = ".") -> tuple[str, str]:
    """The root of the project that a directory belongs to, and the directory relative to it.

    A directory that belongs to no project is one itself.

    Raises:
        OSError: the directory does not exist.
    """
    here = slashed(os.path.realpath(folder, strict=True))
    outer = (real_path(os.path.expanduser("~")), anchor(here)[0])
    root = here
    while root not in outer:
        if any(_is_ours(f"{root}/{marker}") for marker in MARKERS):
            return root, here[len(root) :].lstrip("/")
        root = root.rpartition("/")[0] or "/"
    return here, ""


def may_have_configuration(root: str) -> bool:
    """Whether there may be settings for a project: nearly always there are none, and this is cheaper than to look."""
    settings = f"{configuration_home()}/suture/config.toml"
    if os.path.lexists(f"{root}/{CONFIGURATION}") or os.path.lexists(settings):
        return True
    try:
        return b"suture" in read_project_file(root, PYPROJECT, LARGEST_SETTINGS_FILE)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # It may have settings that deny something: whoever loads it is told what is wrong with it.
        return True


def read_project_file(root: str, name: str, limit: int) -> bytes:
    """The content of a regular file in a project. Links are followed as long as they stay in the project.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: there is no such file; `ELOOP` for a link that leads out, `EINVAL` for anything but a regular file.
    """
    root = real_path(root)
    target = real_path(f"{root}/{name}")
    prefix = root.rstrip("/") + "/"
    if not target.startswith(prefix):
        raise OSError(errno.ELOOP, LEADS_OUT, f"{root}/{name}")
    # A link may have appeared since `target` was resolved; from the root on, these files are reached without any.
    files = DiskFiles([root])
    try:
        return files.read(target, limit)[0]
    except OSError as error:
        if error.errno == errno.EINVAL:
            error.strerror = NOT_REGULAR
        raise
    finally:
        files.close()


def _is_ours(marker: str) -> bool:
    try:
        return is_mine(os.lstat(marker))
    except OSError:
        return False
