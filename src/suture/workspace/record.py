"""What the journal and the history keep of a commit: values only.

A record is written before the first file changes and read again after a crash or for an undo, so it holds everything
that is needed to get back: which names there were, what they held, and what the commit was about to make of them.
"""

from __future__ import annotations

from ..core.value import Value


class Snapshot(Value):
    """What stands under a name: nothing (`absent`), a `file` or a `link`."""

    kind: str = "absent"
    sha256: str = ""
    size: int = 0
    mode: int = 0
    #: What a symbolic link says.
    target: str = ""


ABSENT = Snapshot()

#: What a staged file's name ends in, after eight random characters.
STAGED = ".apply-patch.tmp"
#: How many hexadecimal digits the id of a commit has.
ID_LENGTH = 12


class FileRecord(Value):
    """One name of a commit: what stood there before, and what stands there after.

    The content before is kept as what differs from the content after: it is the first `head` bytes of that,
    then `middle`, then its last `tail` bytes. Where there is no content after, `middle` is all of it. So a small
    change of a large file is a small record, and a file is only ever restored from a content that was checked.
    """

    path: str
    before: Snapshot
    after: Snapshot
    head: int = 0
    tail: int = 0
    middle: bytes = b""
    #: Where the new content was staged.
    staged: str = ""
    #: The name that this one was renamed from, where the commit moves a file without changing it.
    moved_from: str = ""


class Entry(Value):
    """One commit in the journal and in the history."""

    id: str
    time: float
    actor: str
    tool: str
    #: The text of the patch, or of the edit.
    patch: str
    files: tuple[FileRecord, ...]
    #: Folders that the commit makes, outermost first.
    folders: tuple[str, ...] = ()
    #: "open" while it runs, "done" behind it.
    state: str = "open"
    #: The receipt as JSON, once it is done.
    receipt: str = ""
    #: The commit that this one undoes, and the one that undid it.
    undoes: str = ""
    undone_by: str = ""
