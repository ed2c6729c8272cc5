"""What would happen and what was done, as values: `Change`, `Plan`, `Receipt`.

They can be compared, stored as JSON and read back, and touch nothing. A stored plan can be committed later: it has the
contents to write and the hashes of what was read. A change names the files that it writes by their paths.
"""

from __future__ import annotations

from .display import plural
from .json_values import JsonValue
from .line_hunks import count_lines
from .match import Match  # noqa: TC001
from .patch import EXECUTABLE, PLAIN, Concession
from .problems import Problem  # noqa: TC001 - `from_json` looks these up by their names
from .record import PlannedFile  # noqa: TC001
from .string_edits import AppliedEdit  # noqa: TC001
from .value import Value
from .write_diff import FileSection, join_sections, trim_hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar, Literal, Self, TypeAlias

    from .line_hunks import LineHunk
    from .patch import Operation, Patch
    from .readers import Reader
    from .string_edits import StringEdit

Kind: TypeAlias = "Literal['add', 'update', 'delete', 'move', 'read', 'list']"
#: Whether a content is not text: after the change, before it, or both.
Binary: TypeAlias = "Literal['', 'becomes', 'was', 'is']"
Mode: TypeAlias = "Literal['', '100644', '100755']"
#: What a change of the mode is called where people read it.
_MODES: Mapping[str, str] = {"100755": "executable", "100644": "no longer executable"}
#: The letter that a summary shows for each kind of change.
LETTERS: Mapping[str, str] = {"add": "A", "update": "M", "delete": "D", "move": "M", "read": "R", "list": "R"}


class Change(Value):
    """One operation on one file: planned, asked for or done. Only a request has one that reads or lists.

    Its hunks are the lines that change. Diffs, counts, rows of a page and colors are all derived from them. JSON has
    the diff instead.
    """

    kind: Kind
    path: str
    move_to: str = ""
    #: The file that `path` leads to, where that is a symbolic link and the change is made behind it.
    target: str = ""
    #: None for a binary file, except in a request: there its new content is a hunk, since a person has to see it.
    hunks: tuple[LineHunk, ...] = ()
    sha256_before: str = ""
    sha256_after: str = ""
    matches: tuple[Match, ...] = ()
    edits: tuple[AppliedEdit, ...] = ()
    #: The concessions for the file as a whole.
    concessions: tuple[Concession, ...] = ()
    #: The mode that it gives the file, in git's words: "100755" if it becomes executable, "100644" if it no longer is.
    mode: Mode = ""
    #: Set where the content changes and is not text before or after, so that there is no diff.
    binary: Binary = ""
    #: Whether it deletes a file that is executable.
    was_executable: bool = False
    #: In a request, the absolute paths of the file and of `move_to`, and the encoding that was set for it.
    resolved: str = ""
    move_to_resolved: str = ""
    encoding: str = ""

    _not_in_json: ClassVar[tuple[str, ...]] = (
        "hunks",
        "binary",
        "was_executable",
        "resolved",
        "move_to_resolved",
        "encoding",
    )
    #: JSON has the diff of a binary file, which is empty, but not why.
    _not_compared: ClassVar[tuple[str, ...]] = ("binary",)

    def json_fields(self) -> dict[str, Any]:
        """What JSON has of a change: the diff and the counts instead of the hunks."""
        additions, deletions = self.counts
        counts = {"additions": additions, "deletions": deletions}
        return {**super().json_fields(), **counts, "diff": self.diff}

    @classmethod
    def json_types(cls) -> dict[str, str]:
        """What is read from JSON: also what only requests have."""
        own = {name: annotation for name, annotation in cls.__annotations__.items() if name in cls._fields}
        return {**own, "hunks": "tuple[str, ...]", "diff": "str"}

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """The change that JSON has. Its hunks are those of its diff; in a request, they are each on their own."""
        from .stored_diff import deletes_executable, read_stored_diff, read_stored_hunk

        diff = fields.pop("diff", "")
        texts = fields.pop("hunks", None)
        hunks = read_stored_diff(diff) if texts is None else tuple([read_stored_hunk(text) for text in texts])
        fields.setdefault("was_executable", deletes_executable(diff))
        change = cls(**fields, hunks=hunks)
        return change if diff or change.binary or not change.diff else change.replace(binary="is")

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines it adds and removes; none in a binary file."""
        return (0, 0) if self.binary else count_lines(self.hunks)

    @property
    def additions(self) -> int:
        """How many lines it adds; none to a binary file."""
        return self.counts[0]

    @property
    def deletions(self) -> int:
        """How many lines it removes; none of a binary file."""
        return self.counts[1]

    @property
    def size(self) -> int:
        """How many characters its hunks have."""
        return sum([len(line) for hunk in self.hunks for line in hunk.lines])

    @property
    def diff(self) -> str:
        """The unified diff, which `git apply` accepts; empty for a binary file."""
        return str(self.section)

    @property
    def section(self) -> FileSection:
        """The change as one file of a diff."""
        if self.binary:
            return FileSection(self.path, self.path)
        old_mode = EXECUTABLE if self.was_executable or self.mode == PLAIN else PLAIN
        return FileSection(
            self.path,
            self.move_to or self.path,
            self.hunks,
            is_new=bool(self.sha256_after) and not self.sha256_before,
            is_deleted=bool(self.sha256_before) and not self.sha256_after,
            old_mode=old_mode,
            new_mode=self.mode or old_mode,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The paths that it writes, removes or creates. A link is one of them only where the link itself moves."""
        own = () if self.target and not self.move_to else (self.path,)
        return (*own, *filter(None, (self.move_to, self.target)))

    @property
    def is_modification(self) -> bool:
        """Whether it changes the content of a file that exists, in place or while it moves the file."""
        return self.kind == "update" or (self.kind == "move" and self.sha256_before != self.sha256_after)

    @property
    def content_name(self) -> str:
        """The path whose content it leaves: behind the link, under the new name, or its own."""
        return self.target or self.move_to or self.path

    def __str__(self) -> str:
        additions, deletions = self.counts
        counts = f" +{additions} -{deletions}" if additions or deletions else ""
        name = f"{self.path} -> {self.move_to}" if self.move_to else self.path
        notes = self.notes()
        return f"{LETTERS[self.kind]} {name}{counts}" + (f" ({'; '.join(notes)})" if notes else "")

    def notes(self) -> list[str]:
        """The mode that it gives and the concessions in words, each once, with the hunks or edits that needed it."""
        return [_MODES[self.mode], *self._concession_notes()] if self.mode else self._concession_notes()

    def _concession_notes(self) -> list[str]:
        groups = [("", 0, self.concessions)]
        thing = "hunk" if len(self.matches) > 1 else ""
        groups += [(thing, match.hunk, match.concessions) for match in self.matches]
        thing = "edit" if len(self.edits) > 1 else ""
        groups += [(thing, number, edit.concessions) for number, edit in enumerate(self.edits, 1)]
        if not any(concessions for _, _, concessions in groups):
            return []
        from .notes import note

        numbers: dict[tuple[str, str], list[int]] = {}
        for thing, number, concessions in groups:
            for text in dict.fromkeys([note(concession) for concession in concessions]):
                numbers.setdefault((thing, text), []).append(number)
        texts: dict[tuple[str, tuple[int, ...]], list[str]] = {}
        for (thing, text), which in numbers.items():
            texts.setdefault((thing, tuple(which)), []).append(text)
        return [_numbered(thing, which) + ", ".join(several) for (thing, which), several in texts.items()]


def _numbered(thing: str, numbers: tuple[int, ...]) -> str:
    return f"{plural(thing, len(numbers))} {', '.join(map(str, numbers))}: " if thing else ""


class Outcome(Value):
    """What planning one operation of a patch came to: the changes that it makes, or why it can't be applied."""

    operation: Operation
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()


class Plan(JsonValue):
    """What a patch would do: all changes, all problems, and the files to write."""

    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: tuple[PlannedFile, ...] = ()
    #: Directories to create, outermost first.
    folders: tuple[str, ...] = ()
    #: The concessions in parsing the patch.
    concessions: tuple[Concession, ...] = ()
    #: The text that was sent, and the tool that received it.
    patch: str = ""
    tool: str = "apply_patch"
    #: Whether it is all or nothing. A patch with `atomic=False` is applied up to the first operation that fails.
    atomic: bool = True
    #: The directory that the paths of the patch are relative to, as an absolute path.
    cwd: str = ""
    #: What was sent, as values: a patch, or the string edits of one file; None in a plan that was stored as JSON.
    sent: Patch | tuple[StringEdit, ...] | None = None
    #: What became of each operation of the patch, up to the one at which a plan that is not atomic ends.
    outcomes: tuple[Outcome, ...] = ()
    #: The content of each file that was read for it, by absolute path; none in a plan that was stored as JSON.
    contents: Mapping[str, bytes] = {}

    _not_in_json: ClassVar[tuple[str, ...]] = ("sent", "outcomes", "contents")
    _not_compared: ClassVar[tuple[str, ...]] = ("sent", "outcomes", "contents")

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

    def told_to(self, reader: Reader) -> Self:
        """The same plan, whose problems are in the words of a reader."""
        return self.replace(problems=tuple([problem.told_to(reader) for problem in self.problems]))

    @property
    def diff(self) -> str:
        """The diffs of all changes, one after another."""
        return join_sections([change.section for change in self.changes])

    @property
    def trimmed_diff(self) -> str:
        """The same to read: without the indentation that all lines share. It can't be applied."""
        return "".join([str(change.section.replace(hunks=trim_hunks(change.hunks))) for change in self.changes])

    @property
    def failures(self) -> tuple[Problem, ...]:
        """The problems of the operation at which a plan that is not atomic ends. What is before it can be committed."""
        return () if self.problems else tuple([one for outcome in self.outcomes for one in outcome.problems])

    @property
    def is_clean(self) -> bool:
        """Whether it can be committed: it has no problems."""
        return not self.problems

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of every file as it was read; empty for a file that did not exist."""
        return {file.shown: file.before.sha256 for file in self.files}


class FileReceipt(Value):
    """One path of a commit: the SHA-256 before and after (empty where it did not exist), and its copy in the trash.

    It is about a path, not about an operation: of files that swap their names, or of one that a move replaces, no
    change says what was at a path before all of them and is there after all.
    """

    path: str
    sha256_before: str
    sha256_after: str
    trash: str = ""


class Receipt(JsonValue):
    """Proof of what was done. Pass it to `undo`."""

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
    #: The commit that undid this one; set only in receipts from the history.
    undone_by: str = ""
    #: Whether the state had to be stored inside the workspace.
    state_inside: bool = False
    #: The commits that it consists of, if operations were committed one by one.
    parts: tuple[str, ...] = ()
    #: The id of the session that made it; empty if there was none.
    session: str = ""

    @property
    def diff(self) -> str:
        """The diffs of all changes, one after another."""
        return join_sections([change.section for change in self.changes])

    @property
    def added(self) -> tuple[str, ...]:
        """The files that were added."""
        return tuple([change.path for change in self.changes if change.kind == "add"])

    @property
    def modified(self) -> tuple[str, ...]:
        """The files whose content was changed, those that were moved too under their new paths."""
        return tuple([change.move_to or change.path for change in self.changes if change.is_modification])

    @property
    def deleted(self) -> tuple[str, ...]:
        """The files that were deleted."""
        return tuple([change.path for change in self.changes if change.kind == "delete"])

    @property
    def moved(self) -> tuple[tuple[str, str], ...]:
        """The files that were moved, each as the old and the new path."""
        return tuple([(change.path, change.move_to) for change in self.changes if change.kind == "move"])
