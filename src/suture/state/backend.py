"""The protocols that a workspace keeps its state behind. Another place to keep it, such as a server, has these methods.

`StateHandle` is the one that is used: a directory of the user with a SQLite file, lock files and a trash, or memory.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import Protocol

    from .record import Entry
    from .session_records import SessionRecords
    from .state_folder import StateFolder
else:
    # Importing typing would take longer than an edit.
    Protocol = object


class Journal(Protocol):
    """The commits of a workspace: those that are running, for recovery, and those that are done, for undo.

    Every method raises PatchRejectedError if it can't read or write.
    """

    @property
    def sessions(self) -> SessionRecords:
        """What sessions have read and applied."""

    def settle(self) -> bool:
        """Make it the journal of its workspace, also if that was moved; False if it belongs to another."""

    def begin(self, entry: Entry) -> None:
        """Record a commit before the first file changes."""

    def finish(self, id: str) -> None:  # noqa: A002 - the usual word
        """Close a commit: all its files are written."""

    def forget(self, id: str) -> None:  # noqa: A002
        """Remove a commit: its files are as before."""

    def replace_receipt(self, id: str, receipt: str) -> None:  # noqa: A002
        """Record a commit's receipt anew."""

    def mark_undone(self, id: str, by: str) -> None:  # noqa: A002
        """Record which commit has undone another."""

    def unfinished(self, *, whole: bool = True) -> tuple[Entry, ...]:
        """The commits that are running or were cut short."""

    def entry(self, id: str) -> Entry | None:  # noqa: A002
        """A commit by its id or the beginning of it."""

    def log(self, limit: int = 100, before: str | None = None, path: str | None = None) -> list[Entry]:
        """Finished commits, newest first."""

    def prune(self, max_age: float | None, max_bytes: int | None, now: float) -> int:
        """Forget old commits; return how many."""

    def keep_approval(self, permission: str, glob: str, time: float) -> None:
        """Keep an answer "always"."""

    def approvals(self) -> list[tuple[str, str, float]]:
        """The answers that are kept, oldest first: permission, glob, time."""

    def revoke_approval(self, permission: str, glob: str) -> bool:
        """Forget an answer; False if there is none."""

    def close(self) -> None:
        """Close it. Another call opens it again."""


class FileLocks(Protocol):
    """Locks of files by their paths, against other threads and processes."""

    def hold(self, paths: Iterable[str], *, timeout: float, holder: str) -> AbstractContextManager[object]:
        """A context in which nobody else holds these paths. Entering it waits, and raises PatchRejectedError."""

    def try_hold(self, paths: Iterable[str], holder: str) -> AbstractContextManager[object] | None:
        """The same context, already entered, or None if somebody holds one of them."""


class StateBackend(Protocol):
    """One place where the state of a workspace is kept."""

    folder: StateFolder | None

    @property
    def store(self) -> Journal:
        """The journal and the history."""

    @property
    def locks(self) -> FileLocks:
        """Who is committing what."""

    @property
    def is_inside(self) -> bool:
        """Whether it is inside the workspace, where it may have come with the files."""

    def trash_path(self, commit: str, shown: str) -> str:
        """Where the copy of a deleted file goes; empty without a trash."""

    def put_in_trash(self, path: str, content: bytes) -> None:
        """Write the copy of a deleted file there."""

    def drop_trash(self, commit: str) -> None:
        """Remove the copies of a commit that was rolled back."""

    def prune(self, keep_seconds: float | None, keep_bytes: int | None) -> int:
        """Forget old commits and their trash; return how many."""

    def leave_no_trace(self) -> None:
        """Remove what was made, if it is inside the workspace and no commit is recorded in it."""

    def unfinished(self, paths: frozenset[str]) -> list[Entry]:
        """The unfinished commits of these paths."""

    def close(self, *, exiting: bool) -> None:
        """Close it; `exiting` skips the work that the next process can do as well."""
