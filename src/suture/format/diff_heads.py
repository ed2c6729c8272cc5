"""What the lines above the hunks of a file in a diff say besides its names: mode, hashes, that it is no text."""

from __future__ import annotations

import re

from ..core.advice import LeaveOut
from ..core.patch import EXECUTABLE, PLAIN
from .diff_names import DiffError
from .format_limits import LONGEST_MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.patch import Mode

#: The line above the contents of a binary file.
GIT_BINARY = "GIT binary patch"
#: The lines above the hunks of a file that git and others write.
HEAD = (
    "diff -", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "similarity index ",
    "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ", "--- ", "+++ ", "Binary files ",
    GIT_BINARY, "Index: ", "=====", "Only in ",
)  # fmt: skip
#: The modes of a link and of a submodule.
_SPECIAL = ("120000", "160000")
#: The hashes of an empty content, in repositories of SHA-1 and of SHA-256.
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
#: Fewer digits than git ever writes are not enough to know a content by.
_BLOBS = re.compile(r"index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: [0-7]{6})?")


class DiffHead:
    """The lines above the hunks of one file."""

    def __init__(self, lines: Iterable[str]) -> None:
        #: The modes as they are written; empty where there is no such line.
        self.new_file_mode = self.deleted_file_mode = self.old_mode = self.new_mode = ""
        #: The hashes of the contents before and after, where the `index` line has any that say enough.
        self.blobs: tuple[str, ...] = ()
        #: Whether the file stays, and another one gets what becomes of it.
        self.is_copy = False
        self._is_binary = self._is_link = False
        for line in lines:
            if line.startswith("index "):
                self._read_index(line.rstrip())
            elif line.startswith("new file mode "):
                self.new_file_mode = line[14:].strip()
            elif line.startswith("deleted file mode "):
                self.deleted_file_mode = line[18:].strip()
            elif line.startswith("old mode "):
                self.old_mode = line[9:].strip()
            elif line.startswith("new mode "):
                self.new_mode = line[9:].strip()
            elif line.startswith(("Binary files ", GIT_BINARY)):
                self._is_binary = True
            elif line.startswith("copy from "):
                self.is_copy = True

    def _read_index(self, line: str) -> None:
        self._is_link = line.endswith(_SPECIAL)
        hashes = _BLOBS.fullmatch(line)
        if hashes is not None:
            self.blobs = hashes[1], hashes[2]

    @property
    def was_empty(self) -> bool:
        """Whether its hashes say that the file was empty."""
        return bool(self.blobs) and any(blob.startswith(self.blobs[0]) for blob in _EMPTY)

    @property
    def had_lines(self) -> bool:
        """Whether its hashes say that the file exists and is not empty."""
        is_absent = not self.blobs or not self.blobs[0].strip("0")
        return not is_absent and not self.was_empty

    def refuse_special(self, name: str) -> None:
        """Refuse what a patch can't express: binary files, links, submodules.

        Raises:
            DiffError: it is one of them.
        """
        what = ""
        if self._is_binary:
            what = f"{name} is a binary file"
        elif self._is_link or any(mode in _SPECIAL for mode in (self.new_file_mode, self.old_mode, self.new_mode)):
            what = f"{name} is a symbolic link or a submodule"
        if what:
            message = f"The diff can't be read as edits: {what}."
            raise DiffError(message, LeaveOut(name), reason="not_text")


def mode_of(written: str) -> Mode:
    """The mode that git takes this one for: all that it keeps is whether the owner may execute the file."""
    is_octal = written != "" and len(written) <= LONGEST_MODE and not written.strip("01234567")
    if not is_octal:
        return ""
    return EXECUTABLE if int(written, 8) & 0o100 else PLAIN
