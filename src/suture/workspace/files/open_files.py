"""Which file system a workspace has: the one place that chooses among the implementations of `Files`."""

from __future__ import annotations

import errno
import os
import sys

from ...core.paths import visible_path
from ...core.problems import PatchRejectedError, Problem
from .file_system import problem_of

if sys.platform == "win32":
    from .windows_disk import WindowsFiles as DiskFiles
else:
    from .disk import DiskFiles

__all__ = ["DiskFiles", "RootNotFoundError", "open_files"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .file_system import Files


class RootNotFoundError(PatchRejectedError, FileNotFoundError):
    """The directory of a workspace does not exist."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__(problems)
        self.errno, self.filename = errno.ENOENT, self.problems[0].path

    def __str__(self) -> str:
        return self.for_model()


def open_files(root: str | os.PathLike[str] | Files, extra_roots: Iterable[str | os.PathLike[str]]) -> Files:
    """The files below some directories, or the files that were passed.

    Raises:
        RootNotFoundError: there is no such directory.
        PatchRejectedError: a directory can't be opened.
    """
    if not isinstance(root, str | os.PathLike):
        return root
    try:
        return DiskFiles([os.path.expanduser(os.fspath(one)) for one in (root, *extra_roots)])
    except FileNotFoundError as error:
        raise RootNotFoundError([problem_of(error, str(error.filename or os.fspath(root)))]) from error
    except OSError as error:
        raise PatchRejectedError([problem_of(error, str(error.filename or os.fspath(root)))]) from error
    except ValueError as error:
        message = f"{visible_path(os.fspath(root))} is not the path of a directory: {error}."
        raise PatchRejectedError([Problem("invalid_arguments", message, hint="Name an existing directory.")]) from error
