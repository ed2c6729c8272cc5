"""What a path is, what a plan makes of it, and what the journal and the history store of a commit: values only.

A record is written before the first file changes, and read after a crash or for an undo. It has everything that is
needed to get back: the paths, what they were before, and what the commit makes of them.
"""

from __future__ import annotations

from .patch import EXECUTABLE, PLAIN
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Literal

    from .patch import Mode


class Snapshot(Value):
    """What a path is: nothing (`absent`), a `file` or a `link`.

    The owner and the group, -1 where they are not known, are what a deleted file gets back, if that is allowed.
    """

    kind: str = "absent"
    sha256: str = ""
    size: int = 0
    mode: int = 0
    #: The target of a symbolic link.
    target: str = ""
    uid: int = -1
    gid: int = -1

    _not_compared: ClassVar[tuple[str, ...]] = ("uid", "gid")
    # A stored plan can't say to whom a file belongs.
    _not_in_json: ClassVar[tuple[str, ...]] = ("uid", "gid")

    def is_as(self, expected: Snapshot) -> bool:
        """Whether it has the same kind and content as another; the mode may differ."""
        return (self.kind, self.sha256, self.target) == (expected.kind, expected.sha256, expected.target)

    @property
    def git_mode(self) -> Mode:
        """What git takes the mode of a file for: whether its owner may execute it is all that counts."""
        return EXECUTABLE if self.mode & 0o100 else PLAIN

    def with_git_mode(self, mode: Mode) -> Snapshot:
        """The same file with what a diff says of its mode: it may be executed by all who may read it, or by nobody."""
        if mode == self.git_mode:
            return self
        if self.mode in (0, NEW_EXECUTABLE):
            return self.replace(mode=NEW_EXECUTABLE if mode == EXECUTABLE else 0)
        if mode == EXECUTABLE:
            readers = self.mode & 0o444
            return self.replace(mode=self.mode | 0o100 | readers >> 2)
        return self.replace(mode=self.mode & ~0o111)


ABSENT = Snapshot()

#: The mode of a new file that can be executed. It is no mode that a file can have: the system decides who else may, as
#: it does for every new file.
NEW_EXECUTABLE = 0o100755

#: The suffix of a staged file, after eight random characters.
STAGED = ".apply-patch.tmp"
#: The number of hexadecimal digits in the id of a commit.
ID_LENGTH = 12


class PlannedFile(Value):
    """One path that a plan changes: what it was when the plan was made, and what it becomes.

    `was` is the content that was read: of this path or, where a file is renamed to it, of the file under its old path.
    """

    path: str
    shown: str
    before: Snapshot
    after: Snapshot
    content: bytes = b""
    #: The path of the file that it was before, whose mode, owner and attributes it keeps; empty for a new file.
    like: str = ""
    #: The path that is renamed to this one, where the content does not change.
    moved_from: str = ""
    was: bytes | None = None
    #: The encoding that was set for it; empty if none was.
    encoding: str = ""

    _not_compared: ClassVar[tuple[str, ...]] = ("was",)

    @property
    def content_after(self) -> bytes | None:
        """The content once the plan is written; None where there is no file then."""
        if self.after.kind != "file":
            return None
        return self.was if self.moved_from else self.content


class FileRecord(Value):
    """One path of a commit, before and after.

    The content before is stored as its difference to the content after: the first `head` bytes of that, then `middle`,
    then its last `tail` bytes. If there is no content after, `middle` is all of it. So a small change of a large file
    is a small record, and a file is only ever restored from a content that was checked.
    """

    path: str
    before: Snapshot
    after: Snapshot
    head: int = 0
    tail: int = 0
    middle: bytes = b""
    #: Where the new content was staged.
    staged: str = ""
    #: The path that this one was renamed from, if the commit moves a file without changing it.
    moved_from: str = ""

    @property
    def changes_mode(self) -> bool:
        """Whether the commit changes the mode of a file that it keeps."""
        return self.before.kind == self.after.kind == "file" and self.before.mode != self.after.mode

    @property
    def changes_only_mode(self) -> bool:
        """Whether the content is the same before and after, so that only the mode tells how far the commit got."""
        return self.changes_mode and self.before.sha256 == self.after.sha256


class Entry(Value):
    """One commit in the journal and in the history."""

    id: str
    time: float
    actor: str
    tool: str
    #: The text of the patch, or of the edit.
    patch: str
    files: tuple[FileRecord, ...]
    #: Directories that the commit creates, outermost first.
    folders: tuple[str, ...] = ()
    #: "open" while it runs, "done" after it.
    state: str = "open"
    #: The receipt as JSON.
    receipt: str = ""
    #: The commit that this one undoes, and the one that undid it.
    undoes: str = ""
    undone_by: str = ""
    #: Directories that the commit removes when all files are written, if they are empty then; outermost first.
    emptied: tuple[str, ...] = ()


class RecoveredCommit(Value):
    """What was done about one commit that was cut short.

    `left_alone` are the files that somebody else has changed since; they were not touched. `less_power` are files that
    could not get their owner again, and so got neither set-user-id nor set-group-id.
    """

    id: str
    time: float
    actor: str
    outcome: Literal["rolled_back", "completed"]
    paths: tuple[str, ...]
    left_alone: tuple[str, ...] = ()
    less_power: tuple[str, ...] = ()

    def __str__(self) -> str:
        outcome = "was rolled back" if self.outcome == "rolled_back" else "was complete and is closed"
        left = f"; not touched: {', '.join(self.left_alone)}" if self.left_alone else ""
        less = f"; special permissions dropped: {', '.join(self.less_power)}" if self.less_power else ""
        return f"The commit {self.id} of {len(self.paths)} files, which was cut short, {outcome}{left}{less}."
