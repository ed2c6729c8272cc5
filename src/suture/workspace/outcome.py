"""What would happen and what was done, as plain data: `Change`, `Plan`, `Receipt`.

Each can be shown, compared, kept as JSON and read back; none of them touches anything. A plan that was kept can be
committed later: it has the contents to write and the fingerprints of what was read.
"""

from __future__ import annotations

from ..core.json_values import JsonValue
from ..core.patch import Concession  # noqa: TC001 - `from_json` looks these up by their names
from ..core.problems import Problem  # noqa: TC001
from ..core.string_edits import AppliedEdit  # noqa: TC001
from ..core.value import Value
from ..diff.write_diff import join_diffs
from .record import Snapshot  # noqa: TC001

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar, Literal, TypeAlias

Kind: TypeAlias = "Literal['add', 'update', 'delete', 'move']"
#: The letter that a summary shows for each kind of change.
LETTERS: Mapping[str, str] = {"add": "A", "update": "M", "delete": "D", "move": "M"}
#: What is said of a concession behind a change; any other goes by its name.
_IGNORED = {
    "trailing": "trailing space ignored",
    "indent": "indentation ignored",
    "punctuation": "punctuation folded",
    "whitespace": "white space folded",
    "escapes": "escapes undone",
    "similar": "similar lines",
}


class PlacedHunk(Value):
    """Where a hunk went: its number from 1, the lines that it covers, and how it was found."""

    hunk: int
    start: int
    end: int
    tier: str
    score: float
    rivals: tuple[int, ...]
    concessions: tuple[Concession, ...]


class Change(Value):
    """One operation on one file, as it would be or was done."""

    kind: Kind
    path: str
    move_to: str = ""
    #: The file that `path` leads to, where that is a symbolic link and the change is made behind it.
    target: str = ""
    additions: int = 0
    deletions: int = 0
    #: The unified diff, which `git apply` takes; empty for a file that is no text.
    diff: str = ""
    sha256_before: str = ""
    sha256_after: str = ""
    matches: tuple[PlacedHunk, ...] = ()
    edits: tuple[AppliedEdit, ...] = ()
    #: What was conceded for the file as a whole.
    concessions: tuple[Concession, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The paths that it writes, removes or creates. A link is one of them only where the link itself moves."""
        own = () if self.target and not self.move_to else (self.path,)
        return (*own, *filter(None, (self.move_to, self.target)))

    @property
    def content_name(self) -> str:
        """The path whose content it leaves: behind the link, under the new name, or its own."""
        return self.target or self.move_to or self.path

    def __str__(self) -> str:
        counts = f" +{self.additions} -{self.deletions}" if self.additions or self.deletions else ""
        name = f"{self.path} -> {self.move_to}" if self.move_to else self.path
        notes = [_said(c) for c in self.concessions]
        for match in self.matches:
            notes += [f"hunk {match.hunk}: {_said(c)}" for c in match.concessions]
        for number, edit in enumerate(self.edits, 1):
            which = f"edit {number}: " if len(self.edits) > 1 else ""
            notes += [f"{which}{_said(c)}" for c in edit.concessions]
        return f"{LETTERS[self.kind]} {name}{counts}" + (f" ({'; '.join(notes)})" if notes else "")


def _said(concession: Concession) -> str:
    return _IGNORED.get(concession.name, concession.name.replace("_", " "))


class PlannedFile(Value):
    """One path that a plan changes: what it was when the plan was made, and what it becomes.

    `was` is the content that was read. A plan from JSON has none and is held to the fingerprint alone.
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

    _not_compared: ClassVar[tuple[str, ...]] = ("was",)
    _not_in_json: ClassVar[tuple[str, ...]] = ("was",)

    @property
    def content_after(self) -> bytes | None:
        """The content once the plan is written; None where there is no file then."""
        if self.after.kind != "file":
            return None
        return self.was if self.moved_from else self.content


class Plan(JsonValue):
    """What a patch would do: all changes, all problems, and what has to be written to which names."""

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    #: Folders that have to be made, outermost first.
    folders: tuple[str, ...] = ()
    #: What was conceded in reading the patch.
    concessions: tuple[Concession, ...] = ()
    #: The text that was sent, and the tool that it was sent to.
    patch: str = ""
    tool: str = "apply_patch"

    def changes_of(self, file: PlannedFile) -> tuple[Change, ...]:
        """The changes that make a file what it becomes."""
        return tuple([change for change in self.changes if file.shown in change.names])

    def origin_of(self, file: PlannedFile) -> PlannedFile:
        """The file that this one was before, under the path that it had then; itself where it is new."""
        return next((one for one in self.files if one.path == file.like), file)

    def content_before(self, file: PlannedFile) -> bytes | None:
        """The content of a file before the plan, also under another path; None where it is new."""
        origin = self.origin_of(file)
        return origin.was if origin.before.kind == "file" else None

    @property
    def diff(self) -> str:
        """The diffs of all changes, one after another."""
        return join_diffs([change.diff for change in self.changes])

    @property
    def is_clean(self) -> bool:
        """Whether it can be committed: there is no problem."""
        return not self.problems

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of every file as it was read; empty for one that was not there."""
        return {file.shown: file.before.sha256 for file in self.files}


class FileReceipt(Value):
    """One file of a commit: its content before and after by its SHA-256 (empty where it was absent), and its trash."""

    path: str
    sha256_before: str
    sha256_after: str
    trash: str = ""


class Receipt(JsonValue):
    """Proof of what was done. `undo` takes it."""

    id: str
    time: float
    actor: str
    tool: str
    atomic: bool
    changes: tuple[Change, ...]
    files: tuple[FileReceipt, ...]
    concessions: tuple[Concession, ...] = ()
    #: The commit that this one undid.
    undoes: str = ""
    #: The commit that undid this one; only the history knows.
    undone_by: str = ""
    #: True where the state had to be kept inside the workspace.
    state_inside: bool = False
    #: The commits that it is made of, where operations were done one by one.
    parts: tuple[str, ...] = ()

    @property
    def diff(self) -> str:
        """The diffs of all changes, one after another."""
        return join_diffs([change.diff for change in self.changes])

    @property
    def added(self) -> tuple[str, ...]:
        """The files that came."""
        return tuple([change.path for change in self.changes if change.kind == "add"])

    @property
    def modified(self) -> tuple[str, ...]:
        """The files that changed in their place."""
        return tuple([change.path for change in self.changes if change.kind == "update"])

    @property
    def deleted(self) -> tuple[str, ...]:
        """The files that went."""
        return tuple([change.path for change in self.changes if change.kind == "delete"])

    @property
    def moved(self) -> tuple[tuple[str, str], ...]:
        """The files that have another name now, with the old and the new one."""
        return tuple([(change.path, change.move_to) for change in self.changes if change.kind == "move"])
