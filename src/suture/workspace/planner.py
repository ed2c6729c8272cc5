"""A patch or a string edit × files → a `Plan`: reads, never writes.

All operations run in memory, in order, each on the result of those before it. Every file is read once, and the plan
has every problem of every operation. The result is the net effect: for each path, what it was and what it becomes.
"""

from __future__ import annotations

from ..apply.update import update
from ..core.dialect import UPDATE
from ..core.patch import AddFile, Concession, DeleteFile, EditFile, UpdateFile, WriteFile
from ..core.paths import folders_above
from ..core.problems import PatchRejectedError, Problem
from ..core.text import check_size
from .changes import change_of, check_deleted, name_other_files, placed_hunks, stale_add, stale_file
from .outcome import Plan, PlannedFile
from .overlay import Overlay, encode_text, refuse, refuse_placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from ..core.dialect import Dialect
    from ..core.patch import Operation
    from ..core.string_edits import AppliedEdit, StringEdit
    from .files import Files
    from .guard import Guard, ResolvedPath
    from .outcome import Change, Kind, PlacedHunk
    from .overlay import OverlayNode, Settings
    from .record import Snapshot

    State: TypeAlias = tuple[Snapshot, bytes | None]

#: The codes of problems that show lines of a file.
_ABOUT_LINES = ("patch_apply_error", "multiple_matches", "old_text_not_found")


class Planner:
    """Makes one plan."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        self._guard = guard
        self._dialect = dialect
        self._settings = settings
        self._overlay = Overlay(files, guard, dialect, settings)
        self._changes: list[Change] = []
        self._problems: list[Problem] = []
        #: The form of the patch, in whose words hints are.
        self._form = "envelope"
        #: The first operation that named each path.
        self.named: dict[str, Operation] = {}
        #: The SHA-256 of files that the caller knows.
        self._expected: dict[str, str] = {}
        #: The paths of the current operation.
        self._source: ResolvedPath | None = None
        self._target: ResolvedPath | None = None

    def operations(self, operations: Sequence[Operation], form: str = "envelope") -> None:
        """Plan the operations of a patch, one after another; `form` is that of its text."""
        self._form = form
        if form == "unified":
            # A message about a diff does not advise to use a marker of envelopes.
            self._dialect = self._dialect.replace(end_of_file=False)
        for operation in operations:
            self._source = self._target = None
            if not self._attempt(self._operation, operation):
                self._fail()
        if self._problems:
            updates = [operation for operation in operations if isinstance(operation, UpdateFile)]
            contents = {self._guard.shown(n.path): n.was for n in self._overlay.nodes.values() if n.was is not None}
            self._problems = name_other_files(self._problems, updates, contents, self._settings.encoding, form)

    def write(self, path: str, content: str | bytes) -> None:
        """Plan to write a whole file. A text takes the line endings, the BOM and the encoding of the file."""
        self._attempt(self._write, path, content)

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> None:
        """Plan a string edit. An empty `old` creates the file."""
        self._attempt(self._edit, path, old, new, replace_all)

    def multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        """Plan several string edits of one file."""
        self._attempt(self._multiedit, path, edits, against)

    def expect(self, expected: Mapping[str, str]) -> None:
        """Require that files have the SHA-256 that the caller knows; empty for a file that must not exist."""
        for path, digest in expected.items():
            self._attempt(self._expect, path, digest)

    def look(self, resolved: ResolvedPath) -> bytes | None:
        """The content of a file; None for a directory.

        Raises:
            PatchRejectedError: it does not exist, or is not a regular file.
        """
        node = self._overlay.node(resolved.path)
        if node.now.kind == "folder":
            return None
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        return node.content or b""

    def paths(self, operations: Sequence[Operation]) -> list[str]:
        """The paths to lock for operations: all that they touch, as far as they can be resolved."""
        paths: dict[str, None] = {}
        texts = [text for one in operations for text in (one.path, getattr(one, "move_to", None)) if text is not None]
        for path in [path for text in texts for path in (text, *_without_prefix(text))]:
            try:
                resolved = self._guard.resolve(path)
            except PatchRejectedError:
                # The plan reports it.
                continue
            paths |= {resolved.name: None, resolved.path: None}
        return list(paths)

    def plan(self, patch: str, tool: str, concessions: Sequence[Concession] = ()) -> Plan:
        """The plan of all operations so far."""
        changes, problems = tuple(self._changes), tuple(self._problems)
        if problems:
            return Plan(changes, problems, (), (), tuple(concessions), patch, tool)
        nodes = [node for node in self._overlay.nodes.values() if node.is_changed]
        files = [self._planned_file(node) for node in nodes]
        # A later operation may have removed what a directory was needed for.
        needed = folders_above({file.path for file in files if file.after.kind != "absent"})
        folders = tuple(sorted(needed.intersection(self._overlay.folders), key=len))
        return Plan(changes, (), tuple(files), folders, tuple(concessions), patch, tool)

    def _planned_file(self, node: OverlayNode) -> PlannedFile:
        # A rename keeps all attributes of a file, but both paths must be free: the old one after, the new one before.
        source = self._overlay.nodes.get(node.moved_from)
        renamed = source is not None and source.now.kind == "absent" and node.before.kind == "absent"
        return PlannedFile(
            node.path,
            self._guard.shown(node.path),
            node.before,
            node.now,
            b"" if renamed or node.now.kind != "file" else node.content or b"",
            node.like,
            node.moved_from if renamed else "",
            source.was if renamed and source is not None else node.was,
        )

    def _attempt(self, action: Callable[..., None], *arguments: object) -> bool:
        try:
            action(*arguments)
        except PatchRejectedError as rejected:
            self._problems += map(self._with_earlier_changes, rejected.problems)
            return False
        return True

    def _with_earlier_changes(self, problem: Problem) -> Problem:
        """The problem, with a remark if it shows lines that the disk does not have."""
        node = self._source and self._overlay.nodes.get(self._source.path)
        if not node or problem.code not in _ABOUT_LINES or node.before.kind != "file" or node.now == node.before:
            return problem
        remark = "An earlier edit of the same patch changes this file too: the lines above are those after it."
        return problem.replace(hint=f"{remark} {problem.hint}")

    def _fail(self) -> None:
        """Mark the paths of a failed operation: later problems with them would be misleading."""
        source, target = self._source, self._target
        for path in (source.name, source.path) if source is not None else ():
            self._overlay.fail(path)
        if target is not None and (target.found is None or target.is_link):
            self._overlay.fail(target.name)

    # The operations of a patch.

    def _operation(self, operation: Operation) -> None:
        if isinstance(operation, AddFile):
            self._add(self._resolve(operation.path, operation), operation)
        elif isinstance(operation, DeleteFile):
            self._delete(*self._resolve_existing(operation.path, operation), operation.content)
        elif isinstance(operation, WriteFile):
            self._resolve(operation.path, operation)
            self._write(operation.path, operation.content, check=True)
        elif isinstance(operation, EditFile):
            self._edit_file(*self._resolve_existing(operation.path, operation), operation)
        else:
            self._update(operation)

    def _add(self, resolved: ResolvedPath, operation: AddFile) -> None:
        overlay = self._overlay
        self._source = resolved
        node = overlay.node(resolved.path)
        if node.failed:
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
            if not self._dialect.overwrite:
                message = f"{resolved.shown} already exists, so it can't be added."
                hint = "Change its lines instead of adding the file, or choose another path."
                if self._form == "envelope":
                    hint = f"Use {UPDATE}{resolved.shown} with hunks, or choose another path."
                refuse("already_exists", resolved.shown, message, hint)
        node.write(encode_text(operation.content, resolved.shown, self._settings))
        self._changes.append(self._change("add", resolved, before, node))

    def _delete(self, resolved: ResolvedPath, concessions: tuple[Concession, ...], content: str | None) -> None:
        node = self._overlay.node(resolved.name)
        if node.failed:
            return
        if node.now.kind != "link":
            self._overlay.check_file(resolved, node)
        if content is not None:
            found = node.now.target if node.now.kind == "link" else node.content or b""
            check_deleted(content, found, resolved.shown, self._settings.encoding)
        before = node.state
        node.clear()
        self._changes.append(self._change("delete", resolved, before, node).replace(concessions=concessions))

    def _update(self, operation: UpdateFile) -> None:
        resolved, concessions = self._resolve_existing(operation.path, operation)
        target = self._move_target(operation, resolved, without_prefix=bool(concessions))
        named = self._overlay.node(resolved.name)
        if named.failed:
            return
        if target is not None and named.now.kind == "link" and not operation.hunks:
            # Only the link itself is moved.
            self._changes.append(self._move(resolved, target, None).replace(concessions=concessions))
            return
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        before, after = node.state, node.content
        assert after is not None, "BUG: a file without content"
        matches: tuple[PlacedHunk, ...] = ()
        if operation.hunks:
            options = self._options(resolved, "skip_applied")
            updated = update(after, operation.hunks, dialect=self._dialect, **options)
            after, matches = updated.text, placed_hunks(updated)
        if target is not None:
            change = self._move(resolved, target, after)
        else:
            if not operation.hunks:
                # A move onto itself.
                concessions += self._no_change(resolved)
            if after != node.content:
                node.write(after)
            change = self._change("update", resolved, before, node)
        self._changes.append(change.replace(matches=matches, concessions=concessions))

    def _no_change(self, resolved: ResolvedPath) -> tuple[Concession, ...]:
        """Refuse or note an update that changes nothing, depending on the dialect."""
        if self._dialect.refuse_no_change:
            message = f"The update of {resolved.shown} changes nothing: it moves the file onto itself."
            refuse("no_change", resolved.shown, message, "Choose another path, or leave the update out.")
        return (Concession("no_change"),)

    def _move_target(self, operation: UpdateFile, source: ResolvedPath, *, without_prefix: bool) -> ResolvedPath | None:
        """Where an update moves its file; None if that is the file itself."""
        path = operation.move_to
        if path is None:
            return None
        shorter = _without_prefix(path) if without_prefix else ()
        if shorter and self._guard.resolve(path[0]).found is None:
            # A diff has the prefix on both paths, and there is no such directory.
            path = shorter[0]
        target = self._resolve(path, operation)
        self._target = target
        if target.name != source.name:
            return target
        if self._dialect.move_onto_itself == "refuse":
            message = f"{source.shown} can't be moved onto itself."
            refuse("command_failed", source.shown, message, "Write another path after the arrow.")
        return None

    def _move(self, source: ResolvedPath, target: ResolvedPath, after: bytes | None) -> Change:
        """Move a file, and give it the content `after`.

        Of a symbolic link the link itself is moved; the file that it leads to is changed where it is.
        """
        overlay = self._overlay
        node, new = overlay.node(source.name), overlay.node(target.name)
        if new.now.kind == "absent":
            overlay.add_parents(target, target.name)
        else:
            if new.now.kind != "link":
                overlay.check_file(target, new)
            if not self._dialect.overwrite:
                message = f"{target.shown} already exists, so {source.shown} can't be moved there."
                hint = "Choose another path, or delete that file first."
                refuse("already_exists", target.shown, message, hint)
        content = node if after is None else overlay.node(source.path)
        before = content.state
        new.become(node)
        written = new if content is node else content
        if after is not None and after != written.content:
            written.write(after)
        node.clear(moved=True)
        return self._change("move", source, before, written, target)

    # Whole files and string edits.

    def _edit_file(self, resolved: ResolvedPath, concessions: tuple[Concession, ...], operation: EditFile) -> None:
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        from ..apply.replace import multiedit

        options = self._options(resolved, "allow_placeholders", "skip_applied")
        edited = multiedit(node.content or b"", operation.edits, **options)
        self._write_content(resolved, node, edited.text, edited.edits)
        self._changes[-1] = self._changes[-1].replace(concessions=concessions)

    def _write(self, path: str, content: str | bytes, *, check: bool = False) -> None:
        """Write a whole file; `check` refuses a text in which something was left out."""
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            self._overlay.add_parents(resolved, resolved.path)
        else:
            self._overlay.check_file(resolved, node)
        if check and isinstance(content, str) and not self._settings.allow_placeholders:
            refuse_placeholder(content, node.content, resolved.shown)
        data = (
            content
            if isinstance(content, bytes)
            else encode_text(content, resolved.shown, self._settings, node.content)
        )
        if data == node.content:
            refuse("no_change", resolved.shown, f"{resolved.shown} already has this content.", "Nothing to do.")
        check_size(data, resolved.shown, self._settings.max_size)
        self._write_content(resolved, node, data)

    def _edit(self, path: str, old: str, new: str, replace_all: bool) -> None:
        from ..apply.replace import read_edits, replace
        from ..core.string_edits import StringEdit

        resolved, node = self._resolve_for_edit(path, read_edits([StringEdit(old, new, replace_all)], path))
        if node.failed:
            return
        replaced = replace(node.content or b"", old, new, replace_all, **self._options(resolved, "allow_placeholders"))
        self._write_content(resolved, node, replaced.text, replaced.edits)

    def _multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        from ..apply.replace import multiedit, read_edits

        edits = read_edits(edits, path)
        resolved, node = self._resolve_for_edit(path, edits)
        if node.failed:
            return
        options = self._options(resolved, "allow_placeholders", "skip_applied")
        edited = multiedit(node.content or b"", edits, against=against, **options)
        self._write_content(resolved, node, edited.text, edited.edits)

    def _options(self, resolved: ResolvedPath, *more: str) -> dict[str, Any]:
        """The settings for an edit of a file: those that all edits have, and more by name."""
        names = ("encoding", "allow_control", "allow_syntax_errors", "max_size", *more)
        return {"path": resolved.shown, **{name: getattr(self._settings, name) for name in names}}

    def _resolve_for_edit(self, path: str, edits: Sequence[StringEdit]) -> tuple[ResolvedPath, OverlayNode]:
        """The file of some edits. If the first one has no old text, it creates the file."""
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        if node.failed:
            return resolved, node
        if node.now.kind != "absent":
            self._overlay.check_file(resolved, node)
        elif not edits[0].old:
            self._overlay.add_parents(resolved, resolved.path)
        else:
            raise PatchRejectedError([self._overlay.not_found(resolved)])
        return resolved, node

    def _write_content(
        self, resolved: ResolvedPath, node: OverlayNode, after: bytes, edits: tuple[AppliedEdit, ...] = ()
    ) -> None:
        before = node.state
        node.write(after)
        kind: Kind = "add" if before[0].kind == "absent" else "update"
        self._changes.append(self._change(kind, resolved, before, node).replace(edits=edits))

    def _change(
        self, kind: Kind, resolved: ResolvedPath, before: State, node: OverlayNode, move_to: ResolvedPath | None = None
    ) -> Change:
        """The change that an operation has made to a node, which is behind a link where its name is another."""
        names, to = [resolved.name], ""
        if move_to is not None:
            names, to = [resolved.name, move_to.name], move_to.shown
        target = "" if node.path in names else self._guard.shown(node.path)
        encoding = self._settings.encoding
        return change_of(kind, resolved.shown, before, node.state, move_to=to, target=target, encoding=encoding)

    # Checks.

    def _expect(self, path: object, digest: object) -> None:
        if not isinstance(path, str) or not isinstance(digest, str):
            message = f"A path and its SHA-256 are texts; found {path!r:.40} and {digest!r:.40}."
            hint = "Use the SHA-256 of the file, or an empty text for a file that must not exist."
            refuse("invalid_arguments", path if isinstance(path, str) else "", message, hint)
        resolved = self._overlay.resolve(path)
        node = self._overlay.node(resolved.path)
        self._expected[resolved.path] = digest
        if node.before.sha256 != digest.lower() and not node.failed:
            self._overlay.fail(resolved.path)
            raise PatchRejectedError([stale_file(resolved.shown, digest, node.before.sha256)])

    def _resolve(self, path: str, operation: Operation) -> ResolvedPath:
        resolved = self._overlay.resolve(path)
        if self.named.setdefault(resolved.path, operation) is not operation and not self._dialect.same_file_twice:
            message = f"{resolved.shown} has two sections in the patch."
            hint = "Put all hunks of a file into one section."
            refuse("patch_apply_error", resolved.shown, message, hint, reason="duplicate_path")
        return resolved

    def _resolve_existing(self, path: str, operation: Operation) -> tuple[ResolvedPath, tuple[Concession, ...]]:
        """A path that must exist: as it is written, or without the `a/` or `b/` of a diff."""
        resolved = self._source = self._resolve(path, operation)
        node = self._overlay.node(resolved.name)
        if node.now.kind != "absent" or node.failed:
            return resolved, ()
        for shorter in _without_prefix(path) if self._dialect.lenient else ():
            other = self._overlay.resolve(shorter)
            if self._overlay.node(other.name).now.kind != "absent":
                self._source = other
                return other, (Concession("path_prefix"),)
        raise PatchRejectedError([self._overlay.not_found(resolved)])


def _without_prefix(path: str) -> tuple[str, ...]:
    return (path[2:],) if path[:2] in ("a/", "b/") and len(path) > 2 else ()
