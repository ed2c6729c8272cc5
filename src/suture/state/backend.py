"""The protocols that everything is kept behind. Another place to keep it, such as a server, has these methods.

The state of a workspace is a `StateBackend`. `StateHandle` is the one that is used: a directory of the user with a
SQLite file, lock files and a trash, or memory. Pending requests are in an `ApprovalBackend`, which other processes use
too: `RequestFiles` is a directory.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Protocol

    from ..core.record import Entry
    from .session_records import SessionRecords
    from .state_folder import StateFolder
else:
    # Importing typing would take longer than an edit.
    Protocol = object


class WorkspaceFiles(Protocol):
    """What a state needs to know of the files of its workspace: where they are."""

    @property
    def roots(self) -> tuple[str, ...]:
        """Their directories, as real paths."""

    @property
    def on_disk(self) -> bool:
        """Whether they are shared with other processes and outlive this one."""

    @property
    def watch(self) -> Callable[[str, str], object] | None:
        """Called before each operation on files and on the journal."""


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

    def trash_path(self, commit: str, display_path: str) -> str:
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


class ClosedRequests(Protocol):
    """What became of requests: a line for each. Nothing depends on it: what can't be written is left out."""

    def append(self, line: str) -> None:
        """Add a line."""

    def newest_first(self) -> Iterator[bytes]:
        """The lines, newest first."""


class ApprovalBackend(Protocol):
    """One place where requests wait for answers. Requests and answers are texts here, and their names are ids.

    Every method raises ValueError for what is not an id.
    """

    path: Path

    @property
    def log(self) -> ClosedRequests:
        """What became of the closed requests."""

    def put(self, name: str, text: str) -> None:
        """Open a request; raises OSError."""

    def extend(self, name: str, deadline: float) -> None:
        """Say that the agent waits again, until another time."""

    def answer(self, name: str) -> str | None:
        """The answer to a request, if there is one; empty if it can't be read, or others could have written it."""

    def remove_answer(self, name: str) -> None:
        """Remove an invalid answer, unless it may still be being written."""

    def check_outside(self, roots: Iterable[str]) -> None:
        """Raise ValueError for a place inside a workspace, in which the model could approve its own edits."""

    def withdraw(self, name: str, line: str) -> None:
        """Close a request, and log a line about it if this process has asked."""

    def ids(self) -> list[str]:
        """The ids of what may be pending, oldest first."""

    def reply(self, name: str, text: str) -> None:
        """Answer a request; raises NotPendingError, also if there is an answer."""

    def deadline(self, name: str) -> float | None:
        """Until when the agent waits for an answer; None if that is as the request says."""

    def claim_notice(self, name: str) -> bool:
        """Whether nobody was told about a request yet; from now on, somebody was."""

    def look(self, name: str, known: int) -> tuple[int, str | None]:
        """The text of a pending request, and a number for it; no text if that is `known`; or NotPendingError."""
