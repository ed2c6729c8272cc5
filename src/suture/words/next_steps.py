"""What to do next, where it depends on what a reader can do: each is called with the reader and gives the sentence."""

from __future__ import annotations

from ..core.advice import LeaveOut
from ..core.paths import escape_glob, visible_path
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.readers import Reader


class LookAndSend(Value):
    """Look at the file again, and send something for what it has now."""

    what: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"{reader.look}, and {reader.send.lower()} {self.what}"


class LeaveFileOut(Value):
    """Do without an operation on a file that has already been applied."""

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"Leave this file out{reader.or_skip}."


class MakeDiffAgain(Value):
    """Make a diff again for the lines that the file has, or leave the file out."""

    path: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return f"{reader.look}, and make the diff again. {LeaveOut(self.path)(reader)}"


class MergeBack(Value):
    """Undo later changes first, or undo with a merge if that was not tried."""

    is_tried: bool = False

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        if self.is_tried:
            return "Undo the later changes first."
        return f"Undo the later changes first, or {reader.merge}, which reverts the change where it still matches."


class LiftForCommit(Value):
    """Take a commit back although some of its paths are denied by default."""

    command: str
    globs: Sequence[str]

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return reader.lift_commit.format(command=self.command, globs=list(self.globs))


class LiftPath(Value):
    """Allow a path that a rule denies."""

    path: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        glob = escape_glob(self.path)
        return reader.denied.format(way=reader.lift.format(path=visible_path(glob), globs=[glob]))


class NameFromRoot(Value):
    """Name files from the root of the project, where this path exists."""

    path: str
    root: str

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        way = reader.from_root.format(root=self.root, path=self.path)
        return f"{self.path} exists from the root of the project. To name files from there, {way}."


class FindPath(Value):
    """Find the right path."""

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return reader.find


class FindCommit(Value):
    """Find the id of a commit."""

    def __call__(self, reader: Reader) -> str:
        """The advice as a sentence."""
        return reader.find_commit
