"""What an undo would do: a journal entry × files → a `Plan` that reverts it.

If every file is as the commit left it, the plan restores the state before, byte for byte. A file that is already as it
was needs nothing. A file that has changed in another way is `stale_file` with a diff; or, with a merge, what has
changed since is kept. The merge has three sides if later commits are all that has changed the file. Otherwise the
change is reverted like a patch.
"""

from __future__ import annotations

from posixpath import dirname

from ..core.common_limits import NO_LIMIT
from ..core.fingerprint import fingerprint
from ..core.outcome import Change, Plan
from ..core.patch import Concession
from ..core.problems import PatchRejectedError, Problem
from ..core.record import ABSENT, PlannedFile, Snapshot
from ..core.value import Value
from ..core.write_diff import trim_hunks
from ..place.merge_contents import merge_contents, rebased_concession
from ..place.update import update
from ..words.next_steps import MergeBack
from ..words.patch_hunks import to_patch_hunk
from .changes import change_of
from .files.file_system import problem_of
from .files.look import look
from .files.restore import before_of
from .later_content import content_after
from .workspace_limits import MOST_EARLIER, MOST_UNDO_CHARACTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..core.match import Match
    from ..core.outcome import Kind, Receipt
    from ..core.record import Entry, FileRecord
    from ..state.backend import Journal
    from .files.file_system import Files
    from .guard import Guard
    from .overlay import Settings


class Past(Value):
    """What else the history knows of a file: what it was before each of the earlier commits, by its path, and which
    content a commit left in it, by its record and what it is now; None if that is not known.
    """

    earlier: Callable[[str], Iterable[Snapshot]]
    content_left: Callable[[FileRecord, bytes], bytes | None]


def past_of(entry: Entry, journal: Journal) -> Past:
    """What the history knows of the files of a commit."""

    def earlier(path: str) -> list[Snapshot]:
        snapshots: list[Snapshot] = []
        for commit in journal.log(MOST_EARLIER, entry.id, path):
            snapshots += [record.before for record in commit.files if record.path == path]
        return snapshots

    def content_left(record: FileRecord, now: bytes) -> bytes | None:
        return content_after(journal, entry, record, now)

    return Past(earlier, content_left)


class Undo:
    """Plans one undo."""

    def __init__(
        self,
        files: Files,
        guard: Guard,
        settings: Settings,
        entry: Entry,
        receipt: Receipt,
        past: Past,
        *,
        merge: bool,
    ) -> None:
        self._files = files
        self._guard = guard
        self._settings = settings
        self._entry = entry
        self._receipt = receipt
        self._moves = _net_moves(receipt.changes)
        self._merge = merge
        self._past = past
        #: Files that are already as they were.
        self._restored: list[FileRecord] = []
        self._problems: list[Problem] = []
        #: What was merged: the hunks by which it was reverted like a patch, or the concession for a merge of contents.
        self._merged: dict[str, tuple[Match, ...]] = {}
        self._rebased: dict[str, tuple[Concession, ...]] = {}

    def plan(self) -> Plan:
        """The plan that reverts the commit."""
        file_plans: list[PlannedFile] = []
        for record in reversed(self._entry.files):
            try:
                file = self._file(record)
            except PatchRejectedError as rejected:
                self._problems += rejected.problems
            except OSError as error:
                self._problems.append(problem_of(error, self._guard.shown(record.path)))
            else:
                file_plans += [] if file is None else [file]
        if self._problems:
            return Plan(problems=tuple(self._problems), tool="undo", cwd=self._guard.cwd)
        files = self._as_moves(file_plans)
        folders = tuple(self._folders(files))
        changes = tuple(self._changes(files))
        patch = f"undo {self._entry.id}"
        return Plan(changes, (), files, folders, (), patch, "undo", cwd=self._guard.cwd)

    def _file(self, record: FileRecord) -> PlannedFile | None:
        """How a file becomes what it was; None if it already is."""
        display_path = self._guard.shown(record.path)
        now, data = look(self._files, record.path, NO_LIMIT)
        is_after = now.is_as(record.after)
        has_old_mode = record.changes_only_mode and now.git_mode == record.before.git_mode
        if (is_after and has_old_mode) or (not is_after and self._is_restored(record, now)):
            self._restored.append(record)
            return None
        if not is_after:
            return self._merge_back(record, now, data)
        after, content = record.before, b""
        if record.before.kind == "file":
            before = before_of(record, data)
            if before is None:
                message = (
                    f"The history is damaged: the content of {display_path} before the commit {self._entry.id} is lost."
                )
                raise PatchRejectedError(
                    [
                        Problem(
                            "io_error", message, display_path, None, {"path": display_path, "reason": "damaged_store"}
                        )
                    ]
                )
            content = before
            if now.kind == "file":
                after = after.replace(mode=_mode_before(record, now))
        return PlannedFile(record.path, display_path, now, after, content, self._like(record, now), "", data)

    def _is_restored(self, record: FileRecord, now: Snapshot) -> bool:
        """Whether a file is as before the commit, or as before an earlier one, as after `git checkout`."""
        return now.is_as(record.before) or any(now.is_as(snapshot) for snapshot in self._past.earlier(record.path))

    def _like(self, record: FileRecord, now: Snapshot) -> str:
        """The path of the file that has the owner and the attributes: its own, or the one that it was moved to."""
        if now.kind == "file":
            return record.path
        moved_to = self._moves.get(self._guard.shown(record.path))
        for other in self._entry.files:
            if self._guard.shown(other.path) == moved_to and other.after.kind == "file":
                return other.path
        return ""

    def _changed_since(self, record: FileRecord, now: Snapshot) -> Problem:
        """A file is not as the commit left it; with the diff of the commit."""
        display_path = self._guard.shown(record.path)
        is_undo = self._receipt.tool == "undo"
        what, act = ("undo", "redone") if is_undo else ("commit", "undone")
        if now.kind == "absent":
            commit = self._receipt.undoes if is_undo else self._entry.id
            message = f"{display_path} no longer exists, so the commit {commit} can't be {act}."
        else:
            message = f"{display_path} has changed since the {what} {self._entry.id}, so the commit can't be {act}."
        section = next((change.section for change in self._receipt.changes if display_path in change.names), None)
        diff = "" if section is None else str(section)
        if section is not None and diff:
            trimmed = str(section.replace(hunks=trim_hunks(section.hunks)))
            message += f"\nThe {what} did:\n{trimmed[:MOST_UNDO_CHARACTERS].rstrip()}"
        details = {"path": display_path, "expected": record.after.sha256, "found": now.sha256, "diff": diff}
        return Problem("stale_file", message, display_path, None, details, MergeBack(self._merge))

    def _merge_back(self, record: FileRecord, now: Snapshot, data: bytes | None) -> PlannedFile:
        """Revert updates of a text that has changed since, like a patch, if a merge is wanted.

        Raises:
            PatchRejectedError: `stale_file`, and why it can't be merged.
        """
        display_path = self._guard.shown(record.path)
        changed = self._changed_since(record, now)
        changes = [change for change in self._receipt.changes if display_path in change.names]
        is_update = bool(changes) and all(change.kind == "update" and change.diff for change in changes)
        if not self._merge or not is_update or record.before.kind != "file":
            raise PatchRejectedError([changed])
        if data is None or now.kind != "file":
            raise PatchRejectedError([changed])
        left = self._past.content_left(record, data)
        before = None if left is None else before_of(record, left)
        if left is not None and before is not None:
            return self._merge_contents(record, now, data, (left, before), changed)
        content = data
        matches: tuple[Match, ...] = ()
        for change in reversed(changes):
            hunks = [to_patch_hunk(hunk.reverted).replace(line_hint=None) for hunk in change.hunks]
            if not hunks:
                continue  # it changed only the mode
            try:
                encoding = self._settings.encoding_of(display_path)
                reverted = update(content, hunks, path=display_path, encoding=encoding, allow_control=True)
            except PatchRejectedError as rejected:
                raise PatchRejectedError([changed, *rejected.problems]) from rejected
            content, matches = reverted.text, reverted.matches
        after = Snapshot("file", fingerprint(content), len(content), _mode_before(record, now))
        self._merged[display_path] = matches
        return PlannedFile(record.path, display_path, now, after, content, record.path, "", data)

    def _merge_contents(
        self, record: FileRecord, now: Snapshot, data: bytes, commit: tuple[bytes, bytes], changed: Problem
    ) -> PlannedFile:
        """Revert a commit, by the content that it left and the one before it, and keep what has changed since."""
        display_path = self._guard.shown(record.path)
        try:
            merged = merge_contents(commit[0], data, commit[1], display_path, self._settings.encoding_of(display_path))
        except PatchRejectedError as rejected:
            raise PatchRejectedError([changed, *rejected.problems]) from rejected
        self._rebased[display_path] = (rebased_concession(merged),)
        content: bytes = merged.content
        after = Snapshot("file", fingerprint(content), len(content), _mode_before(record, now))
        return PlannedFile(record.path, display_path, now, after, content, record.path, "", data)

    def _as_moves(self, file_plans: list[PlannedFile]) -> tuple[PlannedFile, ...]:
        """The files with unchanged ones as renames, which keep everything that belongs to a file."""
        moves = {record.moved_from: record.path for record in self._entry.files if record.moved_from}
        removed = {file.path: file for file in file_plans if file.after.kind == "absent"}
        files: list[PlannedFile] = []
        for file in file_plans:
            source = removed.get(moves.get(file.path, ""))
            if source is not None and file.before.kind == "absent" and source.before.is_as(file.after):
                files.append(file.replace(moved_from=source.path, content=b"", was=source.was))
            else:
                files.append(file)
        return tuple(files)

    def _folders(self, file_plans: tuple[PlannedFile, ...]) -> list[str]:
        """Directories that have to be created again."""
        missing: set[str] = set()
        for file in file_plans:
            folder = dirname(file.path)
            while file.after != ABSENT and folder not in missing:
                stat = self._files.stat(folder)
                if stat is not None and stat.kind != "folder":
                    display_path = self._guard.shown(folder)
                    message = f"{file.shown} can't be restored: {display_path} is no longer a directory."
                    details = {"path": file.shown, "reason": "no_folder"}
                    hint = f"Move {display_path} to another path first."
                    raise PatchRejectedError([Problem("stale_file", message, file.shown, None, details, hint)])
                if stat is not None:
                    break
                missing.add(folder)
                folder = dirname(folder)
        return sorted(missing, key=len)

    def _changes(self, file_plans: tuple[PlannedFile, ...]) -> list[Change]:
        """The net effect of the undo on each file, moves as moves."""
        by_name = {file.shown: file for file in file_plans}
        rest = set(by_name)
        changes: list[Change] = []
        for path, moved_to in self._moves.items():
            source, target = by_name.get(moved_to), by_name.get(path)
            if source is not None and target is not None:
                rest.discard(path)
                if source.after.kind == "absent":
                    rest.discard(moved_to)
                before, after = (source.before, source.was), (target.after, target.content_after)
                encoding = self._settings.encoding_of(source.shown)
                changes.append(change_of("move", source.shown, before, after, move_to=target.shown, encoding=encoding))
        for file in file_plans:
            if file.shown not in rest:
                continue
            kind: Kind = "update"
            if file.after.kind == "absent":
                kind = "delete"
            elif file.before.kind == "absent":
                kind = "add"
            matches = self._merged.get(file.shown, ())
            before, after = (file.before, file.was), (file.after, file.content_after)
            encoding = self._settings.encoding_of(file.shown)
            change = change_of(kind, file.shown, before, after, encoding=encoding)
            changes.append(change.replace(matches=matches, concessions=self._rebased.get(file.shown, ())))
        return changes + [self._unchanged(record) for record in self._restored]

    def _unchanged(self, record: FileRecord) -> Change:
        kinds: dict[tuple[str, str], Kind] = {("absent", "file"): "delete", ("file", "absent"): "add"}
        kind = kinds.get((record.before.kind, record.after.kind), "update")
        display_path, digest = self._guard.shown(record.path), record.before.sha256
        notes = (Concession("already_restored"),)
        return Change(kind, display_path, sha256_before=digest, sha256_after=digest, concessions=notes)


def _mode_before(record: FileRecord, now: Snapshot) -> int:
    """The mode that a file gets back. What the commit did not change of it, and somebody has changed since, stays."""
    if not record.changes_mode:
        return now.mode
    if now.mode == record.after.mode:
        return record.before.mode
    return now.with_git_mode(record.before.git_mode).mode


def _net_moves(changes: Iterable[Change]) -> dict[str, str]:
    """Where each file went that was moved, from its first path to its last."""
    moves: dict[str, str] = {}
    for change in changes:
        if change.move_to:
            first = next((path for path, moved_to in moves.items() if moved_to == change.path), change.path)
            moves[first] = change.move_to
    return {path: moved_to for path, moved_to in moves.items() if path != moved_to}
