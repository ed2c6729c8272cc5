"""The files of a directory on the disk, as `suture diff` reads them."""

from __future__ import annotations

import os
import stat

from ..core.file_errors import FileTooLargeError
from ..place.compare_trees import no_progress
from ..workspace.files.folder_walk import walk_folders
from .screen_limits import MOST_TREE_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from ..place.compare_trees import Progress

#: Directories that are skipped.
SKIPPED = frozenset({".git", ".hg", ".svn", ".suture"})


class Tree:
    """The files of a directory by relative name, or a single file under a name."""

    def __init__(self, root: str, name: str = "") -> None:
        self.files: dict[str, str] = {}
        #: The executable files.
        self.programs: set[str] = set()
        #: Names that are neither files nor directories.
        self.others: list[str] = []
        if os.path.isdir(root):
            self._walk(root)
        else:
            self.files[name] = root

    def _walk(self, root: str) -> None:
        for prefix, entries in walk_folders(root, SKIPPED.__contains__, _fail):
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if not stat.S_ISREG(mode):
                    self.others.append(prefix + entry.name)
                    continue
                self.files[prefix + entry.name] = entry.path
                if mode & stat.S_IXUSR:
                    self.programs.add(prefix + entry.name)

    def contents(self, tell: Progress = no_progress) -> dict[str, bytes]:
        """Read all files; `tell` is called with the progress.

        Raises:
            OSError: a file can't be read.
            FileTooLargeError: with this file, it is too much.
        """
        contents: dict[str, bytes] = {}
        room = MOST_TREE_BYTES
        for name, path in self.files.items():
            tell("reading", len(contents), len(self.files))
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                contents[name] = b"" if size > room else read_content(file, size, room)
            room -= max(size, len(contents[name]))
            if room < 0:
                raise FileTooLargeError(path, MOST_TREE_BYTES - room, MOST_TREE_BYTES)
        return contents


def read_content(file: BinaryIO, size: int, room: int) -> bytes:
    """The content of an open file, up to one byte more than there is room for.

    A pipe has no size, and a file may grow. But a buffer for all the room, for each file, takes long on Windows.
    """
    content = file.read(size + 1)
    if len(content) > size:
        content += file.read(room + 1 - len(content))
    return content


def _fail(error: OSError) -> None:
    raise error
