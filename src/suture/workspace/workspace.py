"""The facade: a directory in which patches and edits are planned, committed and undone.

A `Workspace` is a `Scope`, which plans and only reads; a `WorkspaceState`, which remembers; and a `Committer`, which
writes. `plan` never writes, `commit` writes a plan, all of it or none, and `apply` does both under the locks of the
files. Every call first repairs what a process that died left behind.
"""

from __future__ import annotations

import os
from functools import partial

from ..core.dialect import dialect_named
from ..core.edit_options import DEFAULT_OPTIONS
from ..core.patch import DeleteFile, UpdateFile
from ..core.system_errors import methods_report_system_errors
from ..core.value import copied
from ..state.workspace_state import KEEP_BYTES, KEEP_REFUSED_SECONDS, KEEP_SECONDS, WorkspaceState, protected_globs
from .committer import CommitOptions, Committer, one_by_one, repair_state
from .files.open_files import open_files
from .history_text import check_edits, edit_text, parse_patch
from .overlay import Settings, file_encodings
from .receipts import stored_receipt
from .scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, Literal, Self, TypeAlias, Unpack

    from ..core.dialect import Dialect
    from ..core.edit_options import EditOptions, EditSettings
    from ..core.outcome import Plan, Receipt
    from ..core.patch import Patch
    from ..core.record import RecoveredCommit
    from ..state.approvals import Approvals
    from ..state.session_records import OneSession
    from ..state.store import Durability
    from .files.file_system import FileContent, Files
    from .guard import Guard, PathCheck
    from .patch_planner import PatchPlanner

    #: The SHA-256 that files must have, by path; "" for a file that must not exist.
    Expected: TypeAlias = Mapping[str, str] | None
    #: The same for a call about one file, where the hash alone is enough.
    ExpectedOne: TypeAlias = Mapping[str, str] | str | None


@methods_report_system_errors
class Workspace:
    """A directory, or `MemoryFiles`, that patches and edits are applied to.

    Args:
        root: The directory, or the files to work on.
        dialect: The dialect that patches are read and placed by: "standard", "codex", "opencode" or "strict".
        extra_roots: Other directories that may be touched, by absolute paths.
        relative_to: The directory that relative paths start from; plans, receipts and messages start from the root.
        allow: Globs of the only paths that may be touched; empty allows all.
        deny: Globs of paths that may not be touched, with everything below them; they win over `allow`.
        lift: What is denied by default and shall not be: globs of `DEFAULT_DENY`, or globs of paths.
        hard_links: Whether files with several names may be changed; another name may be outside the workspace.
        encodings: The encodings of files by glob; of several globs that match, the last one counts.
        options: How edits are made in all other respects.
        durability: What a commit survives: "full", a loss of power; "process", a killed process.
        history: Whether commits are kept so that they can be undone. A crash is survived either way.
        keep_seconds: How long commits are kept; None for no limit.
        keep_bytes: How large the store may get before the oldest commits go; None for no limit.
        keep_refused_seconds: How long refused edits are kept, with the text that was sent; 0 keeps none.
        state_dir: Where journals and histories are kept, each workspace in a directory of its own; by default
            `$SUTURE_STATE_DIR`, `$XDG_STATE_HOME/suture` or `~/.local/state/suture`.
        lock_timeout: How many seconds to wait for files that somebody else is committing, and for the journal.
        actor: Who makes the commits, for the history and for those who wait.
        settings: Fields of `EditOptions` that differ from `options`, such as `encoding`, the encoding of files that
            match none of the globs of `encodings`, or `max_size`.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | Files,
        *,
        dialect: str | Dialect = "standard",
        extra_roots: Iterable[str | os.PathLike[str]] = (),
        relative_to: str = "",
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        lift: Iterable[str] = (),
        hard_links: bool = True,
        encodings: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        options: EditOptions = DEFAULT_OPTIONS,
        durability: Durability = "full",
        history: bool = True,
        keep_seconds: float | None = KEEP_SECONDS,
        keep_bytes: int | None = KEEP_BYTES,
        keep_refused_seconds: float = KEEP_REFUSED_SECONDS,
        state_dir: str | os.PathLike[str] | None = None,
        lock_timeout: float = 10.0,
        actor: str = "",
        **settings: Unpack[EditSettings],
    ) -> None:
        if durability not in ("full", "process"):
            message = f"expected durability 'full' or 'process'; found {durability!r}"
            raise ValueError(message)
        self.dialect = dialect_named(dialect)
        self.files = open_files(root, extra_roots)
        self.root = self.files.roots[0]
        self._owns_files = self.files is not root
        #: Whether refused edits are kept as well, below which directory, and for how long.
        self.history, self.keep_refused_seconds = history, keep_refused_seconds
        self.state_dir = state_dir = None if state_dir is None else os.fspath(state_dir)
        self._scope = Scope(
            self.files,
            self.dialect,
            Settings(options.replace(**settings), file_encodings(encodings)),
            allow=allow,
            deny=(*deny, *protected_globs(self.files, state_dir)),
            lift=lift,
            hard_links=hard_links,
            relative_to=relative_to,
        )
        keep = (keep_seconds, keep_bytes)
        self._remember(state_dir, CommitOptions(durability == "full", history, keep, lock_timeout, actor), Committer)

    def close(self, *, exiting: bool = False) -> None:
        """Close everything that is open. The workspace must not be used after that.

        A workspace that is dropped without this closes itself. A program that ends with `os._exit` right after this
        says `exiting`, and does not have to wait for the store to be tidied up.
        """
        self.state.close(exiting=exiting)
        close = getattr(self.files, "close", None)
        if close is not None and self._owns_files:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.root!r})"

    # Reading and planning. Nothing here changes a file, except to repair what a dead process left.

    def read(self, path: str) -> FileContent:
        """The content of a file as it is now.

        Raises:
            PatchRejectedError: there is no such file, it may not be touched, or it is not a regular file.
        """
        self.recover_if_needed()
        return self._scope.read(path)

    def plan(
        self,
        patch: str | Patch,
        *,
        dialect: str | Dialect | None = None,
        expected_sha256: Expected = None,
        text: str | None = None,
        exclude: Iterable[str] = (),
        atomic: bool = True,
    ) -> Plan:
        """What a patch would do, with all its problems. With `atomic=False`, up to the first operation that fails.

        `text` is what the history keeps, by default the patch as it was sent. `exclude`: globs of files to leave out.

        Raises:
            PatchInvalidError: the patch can't be read.
        """
        dialect = self._scope.dialect_or_own(dialect)
        patch, text = parse_patch(patch, dialect, text, exclude)
        self.recover_if_needed()
        patch = self._scope.with_existing_paths(patch, dialect)
        return self._scope.plan(patch, text, dialect, expected_sha256, atomic=atomic)

    def plan_edit(
        self, path: str, old: str, new: str, *, replace_all: bool = False, expected_sha256: ExpectedOne = None
    ) -> Plan:
        """What a string edit would do; an empty `old` makes the file."""
        planner = self._planner(path, expected_sha256)
        planner.edit(path, old, new, replace_all=replace_all)
        return planner.plan(edit_text(path, [(old, new)]), "edit")

    def plan_multiedit(
        self,
        path: str,
        edits: Iterable[Any],
        *,
        against: Literal["result", "original"] = "result",
        expected_sha256: ExpectedOne = None,
    ) -> Plan:
        """What a list of string edits of one file would do."""
        planner = self._planner(path, expected_sha256)
        edits = list(edits)
        planner.multiedit(path, edits, against)
        return planner.plan(edit_text(path, edits), "multiedit")

    def plan_write(self, path: str, content: str | bytes, *, expected_sha256: ExpectedOne = None) -> Plan:
        """What writing a whole file would do. A text gets the BOM, the encoding and the line endings of the file."""
        planner = self._planner(path, expected_sha256)
        planner.write(path, content)
        return planner.plan(f"write {path}", "write")

    def plan_delete(self, path: str, *, expected_sha256: ExpectedOne = None) -> Plan:
        """What deleting a file would do."""
        planner = self._planner(path, expected_sha256)
        planner.operations([DeleteFile(path)])
        return planner.plan(f"delete {path}", "delete")

    def plan_move(self, path: str, to: str, *, expected_sha256: ExpectedOne = None) -> Plan:
        """What renaming a file would do."""
        planner = self._planner(path, expected_sha256)
        planner.operations([UpdateFile(path, (), to)])
        return planner.plan(f"move {path} -> {to}", "move")

    def plan_undo(self, commit: str) -> Plan:
        """What `undo` without a merge would do.

        Raises:
            PatchRejectedError: there is no such commit, or it was undone already.
        """
        return self._committer.plan_undo(commit)

    # Writing. Each call plans and commits under the locks of its files, and raises what `commit` raises.

    def commit(self, plan: Plan, *, actor: str | None = None, tool: str | None = None) -> Receipt:
        """Write a plan, all of it or none, if every file is still as the plan read it.

        Raises:
            PatchRejectedError: the plan has problems, or a file has changed since (`stale_file`); nothing was written.
            CommitFailedError: it failed and was rolled back; every file is as it was.
            RecoveryNeededError: it failed and could not be rolled back; the journal is kept for `recover`.
        """
        from .validate import check_plan

        check_plan(self.guard(), plan)
        with self._committer.hold([file.path for file in plan.files], actor, repairs=True) as held:
            return self._committer.commit(plan, held, actor=actor, tool=tool)

    def apply(
        self,
        patch: str | Patch,
        *,
        dialect: str | Dialect | None = None,
        expected_sha256: Expected = None,
        atomic: bool = True,
        actor: str | None = None,
        tool: str | None = None,
        exclude: Iterable[str] = (),
    ) -> Receipt:
        """Plan and commit a patch. With `atomic=False`, one operation after another, up to the first that fails.

        Raises:
            PatchInvalidError: the patch can't be read.
            PatchRejectedError: it can't be applied; nothing was written.
            PartlyAppliedError: with `atomic=False`, an operation failed after others had been done.
        """
        dialect = self._scope.dialect_or_own(dialect)
        patch, text = parse_patch(patch, dialect, exclude=exclude)
        self.recover_if_needed()
        patch = self._scope.with_existing_paths(patch, dialect)
        with self._committer.hold(self.planner(dialect).paths(patch.operations), actor) as held:
            if atomic:
                plan = self._scope.plan(patch, text, dialect, expected_sha256)
                return self._committer.commit(plan, held, actor=actor, tool=tool)
            plans = self._scope.plan_each(patch, text, dialect, expected_sha256)
            return one_by_one(self._committer.commit(plan, held, actor=actor, tool=tool) for plan in plans)

    def edit(
        self,
        path: str,
        old: str,
        new: str,
        *,
        replace_all: bool = False,
        expected_sha256: ExpectedOne = None,
        actor: str | None = None,
    ) -> Receipt:
        """Replace a text in a file; an empty `old` makes the file. Two equal texts are refused before anything else."""
        check_edits([(old, new, replace_all)], path)

        def plan() -> Plan:
            return self.plan_edit(path, old, new, replace_all=replace_all, expected_sha256=expected_sha256)

        return self._run([path], plan, actor)

    def multiedit(
        self,
        path: str,
        edits: Iterable[Any],
        *,
        against: Literal["result", "original"] = "result",
        expected_sha256: ExpectedOne = None,
        actor: str | None = None,
    ) -> Receipt:
        """Make several string edits in one file."""
        edits = list(edits)
        check_edits(edits, path)

        def plan() -> Plan:
            return self.plan_multiedit(path, edits, against=against, expected_sha256=expected_sha256)

        return self._run([path], plan, actor)

    def write(
        self, path: str, content: str | bytes, *, expected_sha256: ExpectedOne = None, actor: str | None = None
    ) -> Receipt:
        """Write a whole file."""
        return self._run([path], lambda: self.plan_write(path, content, expected_sha256=expected_sha256), actor)

    def delete(self, path: str, *, expected_sha256: ExpectedOne = None, actor: str | None = None) -> Receipt:
        """Delete a file. A copy goes to the trash, and `undo` brings it back."""
        return self._run([path], lambda: self.plan_delete(path, expected_sha256=expected_sha256), actor)

    def move(self, path: str, to: str, *, expected_sha256: ExpectedOne = None, actor: str | None = None) -> Receipt:
        """Rename a file."""
        return self._run([path, to], lambda: self.plan_move(path, to, expected_sha256=expected_sha256), actor)

    def undo(
        self, commit: Receipt | str, *, merge: bool = False, path: str | None = None, actor: str | None = None
    ) -> Receipt:
        """Take a commit back, or only what it did to one file. To redo it, undo the undo.

        A file that is already as it was before the commit, or before an earlier one, is left as it is, and its change
        has the concession `already_restored`.

        With `merge`, a text that has changed since is changed back the way a patch would be, where that fits.

        Raises:
            PatchRejectedError: a file has changed since (`stale_file`), or there is no such commit.
            PartlyAppliedError: of a commit with `atomic=False`, some operations were undone and one can't be.
        """
        return self._committer.undo(commit, merge=merge, actor=actor, path=path)

    def lock(self, *paths: str, actor: str | None = None) -> AbstractContextManager[None]:
        """A context in which nobody else commits changes of these files: no thread, no process, no other session.

        What the caller commits inside it, also from tasks and threads that it starts there, may touch only these files.

        Raises:
            PatchRejectedError: a path may not be touched; or, when the context is entered, somebody else holds a file
                for longer than `lock_timeout` (`locked`).
        """
        self.recover_if_needed()
        return self._committer.lock(self.guard().names(paths), actor)

    # The history.

    def log(self, limit: int = 100, *, before: str | None = None, path: str | None = None) -> list[Receipt]:
        """What was done here, newest first: before a commit, or to one path."""
        self.recover_if_needed()
        where = None if path is None else self.guard().resolve(path).path
        return [stored_receipt(entry) for entry in self.state.log(limit, before, where)]

    def show(self, commit: str) -> Receipt:
        """One commit, by its id or the beginning of it.

        Raises:
            PatchRejectedError: there is none, or there are several.
        """
        self.recover_if_needed()
        return stored_receipt(self.state.find(commit)[0])

    def prune(self, *, keep_seconds: float | None = None, keep_bytes: int | None = None) -> int:
        """Forget older commits, and the oldest until the store is small enough; return how many.

        Without either limit, those of the workspace.
        """
        if keep_seconds is None and keep_bytes is None:
            keep_seconds, keep_bytes = self._committer.options.keep
        return self.state.prune(keep_seconds, keep_bytes)

    def recover(self) -> list[RecoveredCommit]:
        """Repair commits that were cut short: each is rolled back, or closed if all of it was written.

        Raises:
            RecoveryNeededError: one could not be repaired; it can be tried again.
        """
        return self.state.recover()

    @property
    def recovered(self) -> tuple[RecoveredCommit, ...]:
        """What this object has repaired so far."""
        return self.state.recovered

    # For what is built on a workspace: sessions and programs.

    def guard(self, dialect: Dialect | None = None) -> Guard:
        """Which paths may be touched."""
        return self._scope.guard(dialect)

    def restricted(self, check: PathCheck, passed: Container[str] = ()) -> Workspace:
        """This workspace for reading and planning, where paths that have not `passed` a check must do so."""
        other = copied(self)
        other._scope = self._scope.restricted(check, passed)  # noqa: SLF001 - a copy of this one
        return other

    def over(self, files: Files, state_dir: str | None, committer: type[Committer]) -> Workspace:
        """This workspace for other files below the same roots, with a state and a history of its own."""
        other = copied(self)
        other.files, other.history = files, True
        other._scope = self._scope.over(files)  # noqa: SLF001 - a copy of this one
        other._remember(state_dir, self._committer.options.replace(history=True), committer)  # noqa: SLF001
        return other

    def _remember(self, state_dir: str | None, commits: CommitOptions, committer: type[Committer]) -> None:
        """Make what remembers, and what writes."""
        durability: Durability = "full" if commits.flush else "process"
        repair = partial(repair_state, self.files, self.guard(), flush=commits.flush)
        #: What it remembers, for what is built on it.
        self.state = WorkspaceState(self.files, state_dir, durability, commits.lock_timeout, repair)
        self._committer = committer(self._scope, self.state, commits)

    def encoding_of(self, path: str) -> str | None:
        """The encoding that was set for a file, by its absolute path; None if none was."""
        return self._scope.settings.encoding_of(self.guard().shown(path))

    def planner(self, dialect: Dialect | None = None, expected_sha256: Expected = None) -> PatchPlanner:
        """A planner for one plan. It reads the files as they are; call `recover_if_needed` first."""
        return self._scope.planner(dialect, expected_sha256)

    def recover_if_needed(self) -> None:
        """Repair what a process that died left behind, if there is anything."""
        self.state.recover_if_needed()

    def records_of(self, session: str) -> OneSession:
        """What a session keeps of what it has read and applied."""
        return self.state.records_of(session)

    @property
    def approvals(self) -> Approvals:
        """The answers "always" that are kept for this workspace."""
        return self.state.approvals

    def _planner(self, path: str, expected: ExpectedOne) -> PatchPlanner:
        self.recover_if_needed()
        return self.planner(expected_sha256={path: expected} if isinstance(expected, str) else expected)

    def _run(self, paths: Sequence[str], plan: Callable[[], Plan], actor: str | None) -> Receipt:
        """Lock the files, plan, commit."""
        self.recover_if_needed()
        with self._committer.hold(self.guard().names(paths), actor) as held:
            return self._committer.commit(plan(), held, actor=actor)
