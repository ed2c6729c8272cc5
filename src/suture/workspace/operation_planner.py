"""What one operation of a patch does to a file: adds, deletes, updates, moves or copies it, or is refused."""

from __future__ import annotations

from ..core.dialect import UPDATE
from ..core.patch import AddFile, ChangeFile, Concession, DeleteFile, EditFile, UpdateFile, WriteFile, changes_endings
from ..core.problems import PatchRejectedError
from ..core.text import check_lines, check_size
from ..place.updated_file import update_file
from ..words.file_problems import applied_already, other_endings, stale_add
from .changes import check_deleted, placed_exactly
from .overlay import refuse
from .planner import Planner, shorter_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.match import Match
    from ..core.outcome import Change
    from ..core.patch import Mode, Operation
    from .files.file_system import Files
    from .guard import Guard, ResolvedPath
    from .overlay import OverlayNode, Settings


class OperationPlanner(Planner):
    """Plans the operations of one patch."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        super().__init__(files, guard, dialect, settings)
        #: The form of the patch, in whose words hints are.
        self._form = "envelope"
        #: The first operation that named each path.
        self.named: dict[str, Operation] = {}
        #: Where the current operation moves its file.
        self._target: ResolvedPath | None = None
        #: Files of which the patch only says that they have a mode that they already have.
        self._modes_set: list[str] = []

    def _operation(self, operation: Operation) -> None:
        if isinstance(operation, AddFile):
            self._add(self._resolve(operation.path, operation), operation)
        elif isinstance(operation, DeleteFile):
            self._delete(operation)
        elif isinstance(operation, WriteFile):
            self._resolve(operation.path, operation)
            self._write(operation.path, operation.content, check=True)
        elif isinstance(operation, EditFile):
            self._edit_file(*self._resolve_existing(operation.path, operation), operation)
        elif isinstance(operation, ChangeFile):
            self._change_file(operation, *self._find_existing(operation.path, operation))
        else:
            self._update(operation)

    def _add(self, resolved: ResolvedPath, operation: AddFile) -> None:
        """Plan to add a file, or to replace one where the dialect allows that."""
        overlay = self._overlay
        self._source = resolved
        node = overlay.node(resolved.path)
        if node.failed:
            return
        if operation.onto_empty and node.now.kind == "file":
            self._fill(resolved, node, operation)
            return
        if self._expected.get(resolved.path) and self.named[resolved.path] is operation:
            # A file to add must not be there yet, unless the patch itself has deleted it.
            raise PatchRejectedError([stale_add(resolved.shown, self._expected[resolved.path], node.before.sha256)])
        before = node.state
        if node.now.kind == "absent":
            overlay.add_parents(resolved, resolved.path)
        else:
            if self._dialect.overwrite or node.now.kind != "folder":
                overlay.check_file(resolved, node)
            if self._is_added(resolved, node, operation):
                message = f"{resolved.shown} already exists with exactly this content."
                notes = self._skip_applied(resolved, message)
                self._changes.append(self._change("update", resolved, before, node).replace(concessions=notes))
                return
            if not self._dialect.overwrite:
                message = f"{resolved.shown} already exists, so it can't be added."
                hint = "Change its lines instead of adding the file, or choose another path."
                if self._form == "envelope":
                    hint = f"Use {UPDATE}{resolved.shown} with hunks, or choose another path."
                refuse("already_exists", resolved.shown, message, hint)
        node.write(overlay.encode(operation.content, resolved))
        if operation.mode:
            node.set_mode(operation.mode)
        change = self._change("add", resolved, before, node)
        notes = (Concession("new_file_header", operation.line),) if operation.onto_empty else ()
        self._changes.append(change.replace(concessions=notes))

    def _is_added(self, resolved: ResolvedPath, node: OverlayNode, operation: AddFile) -> bool:
        """Whether a file that is to be added was there before the patch, with exactly this content and mode."""
        is_untouched = node.now.kind == "file" and node.now is node.before
        if not self._dialect.cautious or not is_untouched or operation.mode not in ("", node.now.git_mode):
            return False
        try:
            return node.content == self._overlay.encode(operation.content, resolved)
        except PatchRejectedError:
            return False

    def _fill(self, resolved: ResolvedPath, node: OverlayNode, operation: AddFile) -> None:
        """Write the lines of a hunk `@@ -0,0` into a file that is empty."""
        self._overlay.check_file(resolved, node)
        before = node.state
        content = self._overlay.encode(operation.content, resolved)
        notes: tuple[Concession, ...] = ()
        if node.content and node.content == content:
            message = f"The diff of {resolved.shown} has already been applied: the file has exactly these lines."
            notes = self._skip_applied(resolved, message)
        elif node.content:
            message = f"{resolved.shown} is not empty, but the hunk @@ -0,0 adds its lines to an empty file."
            hint = "Add context lines of the file to the hunk, or choose another path."
            refuse("already_exists", resolved.shown, message, hint)
        node.write(content)
        if operation.mode:
            node.set_mode(operation.mode)
        self._changes.append(self._change("update", resolved, before, node).replace(concessions=notes))

    def _delete(self, operation: DeleteFile) -> None:
        """Plan to delete a file or a link. One that is gone already can be skipped."""
        resolved, concessions = self._find_existing(operation.path, operation)
        node = self._overlay.node(resolved.name)
        if node.failed:
            return
        before = node.state
        if node.now.kind == "absent":
            says_absent = len(operation.blobs) == 2 and not operation.blobs[1].strip("0")
            if not self._dialect.cautious or node.now is not node.before or not says_absent:
                raise PatchRejectedError([self._overlay.not_found(resolved)])
            message = f"{resolved.shown} does not exist: it seems to have been deleted already."
            concessions += self._skip_applied(resolved, message)
            self._changes.append(self._change("delete", resolved, before, node).replace(concessions=concessions))
            return
        if node.now.kind != "link":
            self._overlay.check_file(resolved, node)
        if operation.content is not None:
            current = node.now.target if node.now.kind == "link" else node.content or b""
            check_deleted(operation.content, current, resolved.shown, self._overlay.encoding_of(resolved.name))
        node.clear()
        self._changes.append(self._change("delete", resolved, before, node).replace(concessions=concessions))

    def _update(self, operation: UpdateFile) -> None:
        if operation.is_from_nothing and operation.move_to is None:
            resolved = self._resolve(operation.path, operation)
            if self._overlay.node(resolved.path).now.kind == "absent":
                self._add(resolved, _as_new_file(operation))
                return
        resolved, concessions = self._find_existing(operation.path, operation)
        named = self._overlay.node(resolved.name)
        if named.now.kind == "absent" and not named.failed:
            self._update_absent(resolved, operation)
            return
        target = self._move_target(operation, resolved, without_prefix=bool(concessions))
        if named.failed:
            return
        if target is not None and named.now.kind == "link" and not operation.hunks and not operation.is_copy:
            # Only the link itself is moved.
            notes = concessions + self._mode_left_out(operation)
            self._changes.append(self._move(resolved, target, None).replace(concessions=notes))
            return
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        before, after = node.state, node.content
        assert after is not None, "BUG: a file without content"
        matches: tuple[Match, ...] = ()
        # The hashes of a diff are about the file as it was before the patch.
        is_pristine: bool | None = None
        is_applied = False
        if operation.blobs and node.now is node.before:
            side = _side_of(after, operation.blobs)
            is_pristine, is_applied = side == "before", side == "after" and not operation.is_copy
        if operation.hunks and is_applied:
            why = f"its content has the hash {operation.blobs[1]} of the result"
            message = f"The diff of {resolved.shown} has already been applied: {why}."
            concessions += self._skip_applied(resolved, message)
        elif operation.hunks:
            exact = self._apply_exactly(resolved, after, operation, is_pristine=bool(is_pristine))
            if exact is None:
                options, path = self._options(resolved), resolved.shown
                updated = update_file(
                    after, operation.hunks, dialect=self._dialect, path=path, options=options, is_pristine=is_pristine
                )
                self._count_searches(after, updated.searches)
                after, matches = updated.content, updated.matches
                concessions += updated.concessions
            else:
                after = exact
                matches = tuple([placed_exactly(number, hunk) for number, hunk in enumerate(operation.hunks, 1)])
        check_lines(after, resolved.shown, is_new=True)
        if target is not None and operation.is_copy:
            change = self._copy(node, target, after, operation)
        elif target is not None:
            change = self._move(resolved, target, after, operation.mode)
        else:
            if after != node.content:
                node.write(after)
            if operation.mode:
                node.set_mode(operation.mode)
            if not operation.hunks and node.now == before[0]:
                concessions += self._no_change(resolved, operation)
            change = self._change("update", resolved, before, node)
        self._changes.append(change.replace(matches=matches, concessions=(*change.concessions, *concessions)))

    def _update_absent(self, resolved: ResolvedPath, operation: UpdateFile) -> None:
        """Recognize the diff of a file that it has renamed already.

        Raises:
            PatchRejectedError: it has, and that is not skipped; or the file does not exist.
        """
        target = self._renamed_already(resolved, operation)
        if target is None:
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        notes = self._skip_applied(target, f"{resolved.shown} has already been renamed to {target.shown}.")
        node = self._overlay.node(target.path)
        self._changes.append(self._change("update", target, node.state, node).replace(concessions=notes))

    def _renamed_already(self, source: ResolvedPath, operation: UpdateFile) -> ResolvedPath | None:
        """Where a file is that a diff renames, if it has the result there, by its hash if the diff changes it."""
        if operation.move_to is None or operation.is_copy:
            return None
        if self._form != "unified" or not self._dialect.cautious:
            return None
        target = self._resolve(operation.move_to, operation)
        old_node, new_node = self._overlay.node(source.name), self._overlay.node(target.path)
        is_untouched = old_node.now is old_node.before and new_node.now is new_node.before
        has_the_mode = operation.mode in ("", new_node.now.git_mode)
        if not is_untouched or new_node.now.kind != "file" or not has_the_mode:
            return None
        if operation.hunks and _side_of(new_node.content or b"", operation.blobs) != "after":
            return None
        return target

    def _apply_exactly(
        self, resolved: ResolvedPath, content: bytes, operation: UpdateFile, *, is_pristine: bool
    ) -> bytes | None:
        """The content after hunks that say how their lines end; None if they don't, or if their lines alone are enough.

        Raises:
            PatchRejectedError: they change line endings or a byte order mark of other lines than the file has there.
        """
        is_utf8 = self._overlay.encoding_of(resolved.path) in (None, "utf-8", "utf8", "UTF-8")
        if not any(hunk.exact for hunk in operation.hunks) or not is_utf8:
            return None
        from ..place.exact_lines import apply_exactly, is_applied_exactly
        from ..place.slow_update import check_control

        after = apply_exactly(content, operation.hunks, is_pristine=is_pristine)
        if after is not None:
            if not self._settings.options.allow_control:
                check_control(operation.hunks, resolved.shown)
            check_size(after, resolved.shown, self._settings.options.max_size)
        elif changes_endings(operation.hunks):
            is_applied = not is_pristine and is_applied_exactly(content, operation.hunks)
            raise PatchRejectedError([other_endings(resolved.shown, is_applied=is_applied)])
        return after

    def _no_change(self, resolved: ResolvedPath, operation: UpdateFile) -> tuple[Concession, ...]:
        """Refuse or note an update without hunks that changes nothing."""
        if operation.mode:
            # Git accepts it, so the rest of the patch can go on.
            self._modes_set.append(resolved.shown)
            return (Concession("already_applied"),)
        if self._dialect.refuse_no_change:
            message = f"The update of {resolved.shown} changes nothing: it moves the file onto itself."
            refuse("no_change", resolved.shown, message, "Choose another path, or leave the update out.")
        return (Concession("no_change"),)

    def _skip_applied(self, resolved: ResolvedPath, message: str) -> tuple[Concession, ...]:
        """Refuse an operation that has already been applied, or skip it if the settings say so."""
        if not self._settings.options.skip_applied:
            raise PatchRejectedError([applied_already(resolved.shown, message)])
        return (Concession("already_applied"),)

    def _mode_left_out(self, operation: UpdateFile) -> tuple[Concession, ...]:
        """The concession for the mode of a link, which it can't have."""
        if not operation.mode:
            return ()
        return (Concession("file_mode", operation.line, f"{operation.mode} of {operation.path}"),)

    def _move_target(self, operation: UpdateFile, source: ResolvedPath, *, without_prefix: bool) -> ResolvedPath | None:
        """Where an update moves its file; None if that is the file itself."""
        path = operation.move_to
        if path is None:
            return None
        shorter = shorter_paths(path) if without_prefix else ()
        if shorter and self._guard.resolve(path[0]).found is None:
            # A diff has the prefix on both paths, and there is no such directory.
            path = shorter[0]
        target = self._resolve(path, operation)
        self._target = target
        if target.name != source.name:
            return target
        respelled = self._overlay.respelled(target)
        if respelled is not None:
            return respelled
        if self._dialect.move_onto_itself == "refuse":
            message = f"{source.shown} can't be moved onto itself."
            refuse("command_failed", source.shown, message, "Write another path after the arrow.")
        return None

    def _move(self, source: ResolvedPath, target: ResolvedPath, after: bytes | None, mode: Mode = "") -> Change:
        """Move a file, and give it the content `after` and the mode of a diff.

        Of a symbolic link the link itself is moved; the file that it leads to is changed where it is.
        """
        overlay = self._overlay
        node, new = overlay.node(source.name), overlay.node(target.name)
        if new.now.kind == "absent":
            overlay.add_parents(target, target.name)
        else:
            message = f"{target.shown} already exists, so {source.shown} can't be moved there."
            self._refuse_overwriting(new, target, message)
        # Behind a link, the file with the content is another one than the one that is moved.
        changed = node if after is None else overlay.node(source.path)
        before = changed.state
        new.become(node)
        written = new if changed is node else changed
        if after is not None and after != written.content:
            written.write(after)
        if mode:
            written.set_mode(mode)
        node.clear(moved=True)
        return self._change("move", source, before, written, target)

    def _copy(self, original: OverlayNode, target: ResolvedPath, content: bytes, operation: UpdateFile) -> Change:
        """Add a file with the content that a diff makes of another one, which stays, and with the mode of that one."""
        new = self._overlay.node(target.path)
        before = new.state
        mode = operation.mode or original.now.git_mode
        is_untouched = new.now.kind == "file" and new.now is new.before
        if is_untouched and self._dialect.cautious and (new.content, new.now.git_mode) == (content, mode):
            message = f"{target.shown} already exists with exactly this content."
            notes = self._skip_applied(target, message)
            return self._change("update", target, before, new).replace(concessions=notes)
        if new.now.kind == "absent":
            self._overlay.add_parents(target, target.path)
        else:
            self._refuse_overwriting(new, target, f"{target.shown} already exists, so nothing can be copied there.")
        new.write(content)
        new.set_mode(mode)
        return self._change("add", target, before, new, origin=original.content)

    def _refuse_overwriting(self, node: OverlayNode, target: ResolvedPath, message: str) -> None:
        """Refuse a file that exists where another one is to go, unless the dialect replaces it."""
        if node.now.kind != "link":
            self._overlay.check_file(target, node)
        if not self._dialect.overwrite:
            hint = "Choose another path, or delete that file first."
            refuse("already_exists", target.shown, message, hint)

    def _edit_file(self, resolved: ResolvedPath, concessions: tuple[Concession, ...], operation: EditFile) -> None:
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        from ..place.edited_file import edit_file

        before = node.content or b""
        edited = edit_file(before, operation.edits, path=resolved.shown, options=self._options(resolved))
        self._count_searches(before, edited.searches)
        self._write_edited(resolved, node, edited, concessions)

    def _resolve(self, path: str, operation: Operation) -> ResolvedPath:
        resolved = self._overlay.resolve(path)
        if self.named.setdefault(resolved.path, operation) is not operation and not self._dialect.same_file_twice:
            message = f"{resolved.shown} has two sections in the patch."
            hint = "Put all hunks of a file into one section."
            refuse("patch_apply_error", resolved.shown, message, hint, reason="duplicate_path")
        return resolved

    def _resolve_existing(self, path: str, operation: Operation) -> tuple[ResolvedPath, tuple[Concession, ...]]:
        """A path that must exist: as it is written, or without the `a/` or `b/` of a diff."""
        resolved, concessions = self._find_existing(path, operation)
        node = self._overlay.node(resolved.name)
        if node.now.kind == "absent" and not node.failed:
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        return resolved, concessions

    def _find_existing(self, path: str, operation: Operation) -> tuple[ResolvedPath, tuple[Concession, ...]]:
        """A path as it is written, or without the `a/` or `b/` of a diff if there is only such a file.

        If the directory that the path names is in the project, the file in it is meant, although it is not there.
        """
        resolved = self._source = self._resolve(path, operation)
        node = self._overlay.node(resolved.name)
        if node.now.kind != "absent" or node.failed or self._guard.has_directory_of(path):
            return resolved, ()
        for shorter in shorter_paths(path) if self._dialect.lenient else ():
            other = self._overlay.resolve(shorter)
            if self._overlay.node(other.name).now.kind != "absent":
                self._source = other
                return other, (Concession("path_prefix"),)
        return resolved, ()


def _as_new_file(operation: UpdateFile) -> AddFile:
    """An update whose hunk adds lines to nothing, as the new file that it leaves."""
    (hunk,) = operation.hunks
    content = "".join([f"{line}\n" for line in hunk.new])
    if hunk.no_newline in ("new", "both"):
        content = content.removesuffix("\n")
    return AddFile(operation.path, content, operation.line, operation.mode, onto_empty=True)


def _side_of(content: bytes, blobs: Sequence[str]) -> str:
    """Which side of a diff a content is. Few patches have hashes, so that what compares them is loaded on first use."""
    from .blobs import side_of

    return side_of(content, blobs)
