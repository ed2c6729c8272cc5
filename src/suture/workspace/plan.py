"""A patch or a string edit × files → a `Plan`: reads, never writes.

All operations are done in memory, in order, each on what those before it left. Every file is read once, whatever the
number of operations on it; every problem of every operation is in the plan. What comes out is the net effect: for each
name what stood there and what shall stand there.
"""

from __future__ import annotations

from ..controls import control_character
from ..inmemory import update
from ..patch import AddFile, Concession, DeleteFile, UpdateFile
from ..problems import PatchRejected, Problem
from ..strings import EditDone, multiedit, replace
from ..text import Text
from .outcome import Plan, PlannedFile
from .overlay import Overlay, refuse
from .told import change_of, look_elsewhere, placed, stale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from ..dialect import Dialect
    from ..patch import Operation
    from .files import Files
    from .guard import Guard, Resolved
    from .outcome import Change, PlacedHunk
    from .overlay import Node, Settings


class Planner:
    """One plan in the making."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        self._guard = guard
        self._dialect = dialect
        self._settings = settings
        self._overlay = Overlay(files, guard, dialect, settings)
        self._changes: list[Change] = []
        self._problems: list[Problem] = []
        #: The number of the operation that named a path first.
        self._named: dict[str, int] = {}

    def operations(self, operations: Sequence[Operation]) -> None:
        """Do the operations of a patch, one after another."""
        for number, operation in enumerate(operations):
            self._attempt(self._operation, operation, number)
        if self._problems:
            updates = [operation for operation in operations if isinstance(operation, UpdateFile)]
            contents = {self._guard.shown(n.path): n.was for n in self._overlay.nodes.values() if n.was is not None}
            look_elsewhere(self._problems, updates, contents, self._settings.encoding)

    def write(self, path: str, content: str | bytes) -> None:
        """Write a whole file, new or not. A text takes the endings, the BOM and the encoding that the file has."""
        self._attempt(self._write, path, content)

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> None:
        """A string edit; an empty `old` makes the file."""
        self._attempt(self._edit, path, old, new, replace_all)

    def multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        """A list of string edits of one file."""
        self._attempt(self._multiedit, path, edits, against)

    def expect(self, expected: Mapping[str, str]) -> None:
        """Hold files to the SHA-256 that the caller knows of them: empty for one that must not exist."""
        for path, digest in expected.items():
            self._attempt(self._expect, path, digest)

    def paths(self, operations: Sequence[Operation]) -> list[str]:
        """The names that operations will touch, as far as they can be resolved: what has to be locked for them."""
        found: dict[str, None] = {}
        for operation in operations:
            texts = [operation.path]
            if isinstance(operation, UpdateFile) and operation.move_to is not None:
                texts.append(operation.move_to)
            for text in texts:
                for path in (text, *_without_prefix(text)):
                    try:
                        resolved = self._guard.resolve(path)
                    except PatchRejected:
                        # The plan will say so.
                        continue
                    found |= {resolved.name: None, resolved.path: None}
        return list(found)

    def plan(self, patch: str, tool: str, concessions: Sequence[Concession] = ()) -> Plan:
        """The plan, now that all operations are done."""
        changes, problems = tuple(self._changes), tuple(self._problems)
        if problems:
            return Plan(changes, problems, (), (), tuple(concessions), patch, tool)
        nodes = [node for node in self._overlay.nodes.values() if node.is_changed]
        files = [self._planned(node) for node in nodes]
        folders = tuple(sorted(self._overlay.folders, key=len))
        return Plan(changes, (), tuple(files), folders, tuple(concessions), patch, tool)

    def _planned(self, node: Node) -> PlannedFile:
        # A rename takes along all that belongs to a file; but the old name must be free then, and so must the new one.
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

    def _attempt(self, action: Callable[..., None], *arguments: object) -> None:
        try:
            action(*arguments)
        except PatchRejected as rejected:
            self._problems += rejected.problems

    # The operations of a patch.

    def _operation(self, operation: Operation, number: int) -> None:
        if isinstance(operation, AddFile):
            self._add(self._resolve(operation.path, number), operation.content)
        elif isinstance(operation, DeleteFile):
            self._delete(*self._existing(operation.path, number))
        else:
            self._update(operation, number)

    def _add(self, resolved: Resolved, content: str) -> None:
        overlay = self._overlay
        node = overlay.node(resolved.path)
        if node.failed:
            return
        before = node.state
        if node.now.kind == "absent":
            overlay.add_parents(resolved)
        else:
            overlay.check_file(resolved, node)
            if not self._dialect.overwrite:
                node.failed = True
                message = f"{resolved.shown} exists already, so it can't be added."
                hint = f"Use *** Update File: {resolved.shown} with hunks, or another path."
                refuse("already_exists", resolved.shown, message, hint)
        self._check_text(content, resolved)
        node.write(content.encode("utf-8", "surrogateescape"))
        self._changes.append(change_of("add", resolved.shown, before, node.state, encoding=self._settings.encoding))

    def _delete(self, resolved: Resolved, concessions: tuple[Concession, ...]) -> None:
        node = self._overlay.node(resolved.name)
        if node.failed:
            return
        if node.now.kind != "link":
            self._overlay.check_file(resolved, node)
        before = node.state
        node.clear()
        change = change_of("delete", resolved.shown, before, node.state, encoding=self._settings.encoding)
        self._changes.append(change.replace(concessions=concessions))

    def _update(self, operation: UpdateFile, number: int) -> None:
        resolved, concessions = self._existing(operation.path, number)
        target = None if operation.move_to is None else self._resolve(operation.move_to, number)
        if target is not None and target.name == resolved.name:
            if self._dialect.move_onto_itself == "refuse":
                message = f"{resolved.shown} can't be moved onto itself."
                refuse("command_failed", resolved.shown, message, "Name another path behind the arrow.")
            target = None
        node = self._overlay.node(resolved.path)
        if node.failed:
            return
        if node.now.kind == "absent":
            raise PatchRejected([self._overlay.not_found(resolved)])
        self._overlay.check_file(resolved, node)
        before, after = node.state, node.content
        assert after is not None, "BUG: a file has a content"
        matches: tuple[PlacedHunk, ...] = ()
        if operation.hunks:
            try:
                done = update(
                    after,
                    operation.hunks,
                    dialect=self._dialect,
                    encoding=self._settings.encoding,
                    path=resolved.shown,
                    allow_control=self._settings.allow_control,
                    max_size=self._settings.max_size,
                )
            except PatchRejected:
                node.failed = True
                if target is not None:
                    self._overlay.node(target.name).failed = True
                raise
            after, matches = done.text, placed(done)
        if target is None:
            node.write(after)
            change = change_of("update", resolved.shown, before, node.state, encoding=self._settings.encoding)
        else:
            change = self._move(resolved, target, after)
        self._changes.append(change.replace(matches=matches, concessions=concessions))

    def _move(self, source: Resolved, target: Resolved, after: bytes) -> Change:
        """Give a file another name, and the content `after`.

        Of a link the link itself gets the other name, and what it leads to is changed in its place.
        """
        overlay = self._overlay
        node, content, new = overlay.node(source.name), overlay.node(source.path), overlay.node(target.name)
        if new.now.kind == "absent":
            overlay.add_parents(target)
        else:
            if new.now.kind != "link":
                overlay.check_file(target, new)
            if not self._dialect.overwrite:
                new.failed = True
                message = f"{target.shown} exists already, so {source.shown} can't be moved there."
                hint = "Choose another path, or delete that file first."
                refuse("already_exists", target.shown, message, hint)
        before = content.state
        if node.now.kind == "link":
            if after != content.content:
                content.write(after)
            new.become(node)
            told = content.state
        else:
            changed = after != node.content
            new.become(node)
            if changed:
                new.write(after)
            told = new.state
        node.clear()
        return change_of("move", source.shown, before, told, move_to=target.shown, encoding=self._settings.encoding)

    # Whole files and string edits.

    def _write(self, path: str, content: str | bytes) -> None:
        resolved = self._guard.resolve(path)
        node = self._overlay.node(resolved.path)
        before = node.state
        if node.now.kind == "absent":
            self._overlay.add_parents(resolved)
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        else:
            self._overlay.check_file(resolved, node)
            there = node.content or b""
            data = content if isinstance(content, bytes) else self._as_it_was(there, content, resolved)
            if data == there:
                refuse("no_change", resolved.shown, f"{resolved.shown} has this content already.", "Nothing to do.")
        if isinstance(content, str):
            self._check_text(content, resolved, before[1])
        node.write(data)
        kind: Literal["add", "update"] = "add" if before[0].kind == "absent" else "update"
        self._changes.append(change_of(kind, resolved.shown, before, node.state, encoding=self._settings.encoding))

    def _as_it_was(self, before: bytes, content: str, resolved: Resolved) -> bytes:
        """A whole new text with the BOM, the encoding and the line endings of the one before."""
        try:
            text = Text(before, self._settings.encoding, resolved.shown)
        except PatchRejected:
            # What was no text becomes one.
            return content.encode("utf-8", "surrogateescape")
        raw = content.removeprefix("\ufeff")
        if text.newline != "\n" and "\r" not in raw:
            raw = raw.replace("\n", text.newline)
        data = text.content(raw)
        assert isinstance(data, bytes), "BUG: bytes in, bytes out"
        return data

    def _edit(self, path: str, old: str, new: str, replace_all: bool) -> None:
        resolved, node = self._to_edit(path, may_make=old == "")
        done = replace(node.content or b"", old, new, replace_all, **self._options(resolved))
        edit = EditDone(done.replacer, done.spans, done.written, done.concessions)
        self._edited(resolved, node, done.text, (edit,))

    def _multiedit(self, path: str, edits: Sequence[Any], against: Literal["result", "original"]) -> None:
        resolved, node = self._to_edit(path, may_make=False)
        done = multiedit(node.content or b"", edits, against=against, **self._options(resolved))
        self._edited(resolved, node, done.text, done.edits)

    def _options(self, resolved: Resolved) -> dict[str, Any]:
        settings = self._settings
        return {
            "encoding": settings.encoding,
            "path": resolved.shown,
            "allow_control": settings.allow_control,
            "allow_placeholders": settings.allow_placeholders,
            "max_size": settings.max_size,
        }

    def _to_edit(self, path: str, *, may_make: bool) -> tuple[Resolved, Node]:
        resolved = self._guard.resolve(path)
        node = self._overlay.node(resolved.path)
        if node.now.kind != "absent":
            self._overlay.check_file(resolved, node)
        elif may_make:
            self._overlay.add_parents(resolved)
        else:
            raise PatchRejected([self._overlay.not_found(resolved)])
        return resolved, node

    def _edited(self, resolved: Resolved, node: Node, after: bytes, edits: tuple[EditDone, ...]) -> None:
        before = node.state
        node.write(after)
        kind: Literal["add", "update"] = "add" if before[0].kind == "absent" else "update"
        change = change_of(kind, resolved.shown, before, node.state, encoding=self._settings.encoding)
        self._changes.append(change.replace(edits=edits))

    # Checks.

    def _expect(self, path: str, digest: str) -> None:
        resolved = self._guard.resolve(path)
        found = self._overlay.node(resolved.path).before.sha256
        if found != digest.lower():
            raise PatchRejected([stale(resolved.shown, digest, found)])

    def _resolve(self, path: str, number: int) -> Resolved:
        resolved = self._guard.resolve(path)
        if self._named.setdefault(resolved.path, number) != number and not self._dialect.same_file_twice:
            message = f"{resolved.shown} stands in two sections of the patch."
            hint = "Put all hunks of a file into one section."
            refuse("patch_apply_error", resolved.shown, message, hint, reason="duplicate_path")
        return resolved

    def _existing(self, path: str, number: int) -> tuple[Resolved, tuple[Concession, ...]]:
        """A path that should be there: as it is written, or without the `a/` or `b/` of a diff."""
        resolved = self._resolve(path, number)
        node = self._overlay.node(resolved.name)
        if node.now.kind != "absent" or node.failed:
            return resolved, ()
        for shorter in _without_prefix(path) if self._dialect.lenient else ():
            other = self._guard.resolve(shorter)
            if self._overlay.node(other.name).now.kind != "absent":
                return other, (Concession("path_prefix"),)
        raise PatchRejected([self._overlay.not_found(resolved)])

    def _check_text(self, content: str, resolved: Resolved, before: bytes | None = None) -> None:
        """Refuse control characters that a file has not had."""
        if self._settings.allow_control:
            return
        odd = control_character(content, "")
        if odd is not None and (before is None or odd.encode("utf-8", "surrogateescape") not in before):
            message = f"{resolved.shown} would get the control character U+{ord(odd):04X}."
            hint = "Leave it out, or write it as an escape of the file's language."
            details = {"reason": "control_character", "character": ord(odd)}
            refuse("encoding_error", resolved.shown, message, hint, **details)


def _without_prefix(path: str) -> tuple[str, ...]:
    return (path[2:],) if path[:2] in ("a/", "b/") and len(path) > 2 else ()
