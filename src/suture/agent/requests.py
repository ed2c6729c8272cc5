"""Requests for permission: everything that a call would do, as a value.

A request has every file with its resolved path, its counts and its diff, hunk by hunk. It can be stored as JSON, since
the answer may come from another process. Nothing is decided here, and nobody is asked.
"""

from __future__ import annotations

import os
from posixpath import dirname
from time import time

from ..core.json_values import JsonValue
from ..core.paths import escape_glob
from ..core.problems import PatchRejectedError
from ..core.text import Text, characters_of
from ..core.value import Value
from ..words.write_diff import unified_diff
from ..workspace.fingerprint import fingerprint
from .partial_approval import split_hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Self, TypeAlias

    from ..workspace.outcome import Change, Plan, PlannedFile
    from .rules import Name

FileKind: TypeAlias = "Literal['add', 'update', 'delete', 'move', 'read', 'list']"
#: The hashes of no file and of an empty one.
_NOTHING = {"", fingerprint(b"")}
#: What is said of a file without a diff, by whether it was a text before and is one after.
_BINARY_NOTES = {
    (True, True): "",
    (True, False): "becomes binary",
    (False, True): "was binary",
    (False, False): "is binary",
}


class RequestedFile(Value):
    """One file of a request, and what would be done to it.

    `path` is relative to the workspace, or absolute outside its first root. `resolved` is the absolute path of the
    file. If `path` is a symbolic link, `target` is the path of the file that it leads to.
    """

    path: str
    resolved: str = ""
    kind: FileKind = "update"
    additions: int = 0
    deletions: int = 0
    #: The unified diff, which `git apply` accepts; empty for a binary file, and for one that is only read.
    diff: str = ""
    #: The hunks of the diff, each with its `@@` line. An answer refers to them by number, from 1. What is binary before
    #: or after has no diff, but its new content is a hunk: a person has to see it.
    hunks: tuple[str, ...] = ()
    move_to: str = ""
    move_to_resolved: str = ""
    target: str = ""
    #: The hashes of the content before and after; empty where there is no file.
    sha256_before: str = ""
    sha256_after: str = ""
    #: The concessions that were made to place the change, in words.
    notes: tuple[str, ...] = ()
    #: The encoding that was set for the file; empty if none was.
    encoding: str = ""

    @property
    def names(self) -> tuple[Name, ...]:
        """All paths that the rules are applied to, each relative and absolute."""
        names = [(self.path, self.resolved)]
        if self.target:
            # The link is under the same root as its target.
            root = self.resolved.removesuffix(self.target) if self.resolved.endswith(self.target) else ""
            names = [(self.path, root + self.path if root else ""), (self.target, self.resolved)]
        if self.move_to:
            names.append((self.move_to, self.move_to_resolved))
        return tuple(names)

    @property
    def is_told_by_name(self) -> bool:
        """Whether its name and its kind say all that would happen, so that a person need not see its lines."""
        return self.kind in ("delete", "read", "list")

    @property
    def without_lines(self) -> str:
        """What would happen to a file without hunks, as a sentence for a person."""
        if self.kind in ("read", "list"):
            return f"Only asks to {self.kind} it."
        if not self.sha256_before and not self.sha256_after:
            return "There is no diff to show."
        if self.sha256_before == self.sha256_after:
            return "Renamed without changes." if self.kind == "move" else "Its content stays as it is."
        if {self.sha256_before, self.sha256_after} <= _NOTHING:
            return "An empty file."
        return "A binary file, or one that is not text. There is no diff to show."

    def __str__(self) -> str:
        counts = f" +{self.additions} -{self.deletions}" if self.additions or self.deletions else ""
        link = f" (a link to {self.target})" if self.target else ""
        return f"{self.kind} {self.path}{link}{f' -> {self.move_to}' if self.move_to else ''}{counts}"


class Request(JsonValue):
    """One request for one call of a tool, with all files of the call."""

    id: str
    permission: str
    files: tuple[RequestedFile, ...] = ()
    #: What the permission is for: the paths that the rules are applied to.
    patterns: tuple[str, ...] = ()
    #: What an answer "always" covers, if it names no globs itself: what was asked for, and nothing more.
    always: tuple[str, ...] = ()
    metadata: Mapping[str, object] = {}
    tool: str = ""
    actor: str = ""
    #: Whether it can only be approved as a whole, since its changes depend on one another.
    whole_only: bool = False
    #: The id of the session that asks, the root of its workspace, and when it asked, in seconds since 1970.
    session: str = ""
    workspace: str = ""
    time: float = 0.0
    #: The rule that made it ask, such as "edit src/** ask"; empty if no rule matches, which means ask.
    rule: str = ""

    def __hash__(self) -> int:
        return hash((self.id, self.permission, self.files))

    @classmethod
    def for_files(
        cls,
        permission: str,
        files: Iterable[RequestedFile],
        *,
        tool: str = "",
        actor: str = "",
        whole_only: bool = False,
        metadata: Mapping[str, object] | None = None,
    ) -> Self:
        """A request for files without a plan, such as for a read."""
        listed = tuple(files)
        patterns = tuple(dict.fromkeys([path for file in listed for path, _ in file.names]))
        always = tuple([escape_glob(path) for path in patterns])
        shown = {"filepath": ", ".join([file.path for file in listed]), "diff": "".join([f.diff for f in listed])}
        return cls(
            new_id(), permission, listed, patterns, always, shown | dict(metadata or {}), tool, actor, whole_only
        )

    @classmethod
    def from_plan(
        cls,
        plan: Plan,
        *,
        permission: str = "edit",
        tool: str | None = None,
        actor: str = "",
        metadata: Mapping[str, object] | None = None,
    ) -> Self:
        """A request for everything that a plan would do."""
        files, whole_only = _files_of(plan)
        name = plan.tool if tool is None else tool
        return cls.for_files(permission, files, tool=name, actor=actor, whole_only=whole_only, metadata=metadata)

    def external(self) -> Request | None:
        """The request for the directories outside the first root that this one touches, if there are any."""
        outside = [file for file in self.files if any(path.startswith("/") for path, _ in file.names)]
        if not outside:
            return None
        folders: dict[str, None] = {}
        for file in outside:
            for path in [path for path, _ in file.names if path.startswith("/")]:
                folder = escape_glob(path if file.kind == "list" else dirname(path))
                if file.kind == "list":
                    # To list a directory needs the directory itself, not its siblings.
                    folders[folder] = None
                folders[f"{folder.rstrip('/')}/**"] = None
        files = tuple([file.replace(diff="", hunks=()) for file in outside])
        globs = tuple(folders)
        return Request(new_id(), "external_directory", files, globs, globs, {}, self.tool, self.actor, True)

    @property
    def names(self) -> tuple[Name, ...]:
        """All paths that the rules are applied to. Rules for outside directories do not concern files inside."""
        names = [name for file in self.files for name in file.names]
        if self.permission == "external_directory":
            names = [name for name in names if name[0].startswith("/")]
        return tuple(names) if self.files else tuple([(pattern, "") for pattern in self.patterns])

    @property
    def subject(self) -> str:
        """What it is about, in a few words: the file, or the first of several."""
        paths = [file.path for file in self.files] or list(self.patterns)
        if not paths:
            return "this"
        more = len(paths) - 1
        return f"{paths[0]} and {more} more file{'s' * (more > 1)}" if more else paths[0]

    def file(self, path: str) -> RequestedFile:
        """The file of that path.

        Raises:
            KeyError: there is none.
        """
        for file in self.files:
            if file.path == path:
                return file
        raise KeyError(path)


def new_id() -> str:
    """A unique id for a request; later ones sort after earlier ones."""
    return f"{int(time() * 1_000_000):014x}{os.urandom(4).hex()}"


def _files_of(plan: Plan) -> tuple[list[RequestedFile], bool]:
    """The files of a plan as a person sees them, and whether they can only be approved together."""
    by_path: dict[str, list[Change]] = {}
    for change in plan.changes:
        by_path.setdefault(change.path, []).append(change)
    planned = {file.shown: file for file in plan.files}
    files = [_with_bytes(_file_of(changes, planned), changes, planned) for changes in by_path.values()]
    # Nothing escapes the rules: neither a second move of the same path nor what a changed plan does not declare.
    named = {path for file in files for path, _ in file.names}
    rest = [RequestedFile(file.shown, file.path) for file in plan.files if file.shown not in named]
    written = [name for change in plan.changes for name in change.names]
    whole_only = bool(rest) or len(files) < len(plan.changes) or len(set(written)) < len(written)
    return [*files, *rest], whole_only


def _file_of(changes: Sequence[Change], planned: Mapping[str, PlannedFile]) -> RequestedFile:
    """One file, with all changes to it."""
    first, last = changes[0], changes[-1]
    target = next((change.target for change in changes if change.target), "")
    move_to = next((change.move_to for change in reversed(changes) if change.move_to), "")
    file, moved = planned.get(target or first.path), planned.get(move_to)
    diff = "".join([change.diff for change in changes])
    return RequestedFile(
        first.path,
        "" if file is None else file.path,
        first.kind if len(changes) == 1 else _net_kind(first, last),
        sum([change.additions for change in changes]),
        sum([change.deletions for change in changes]),
        diff,
        split_hunks(diff),
        move_to,
        "" if moved is None else moved.path,
        target,
        first.sha256_before,
        last.sha256_after,
        tuple([note for change in changes for note in change.notes()]),
        "" if file is None else file.encoding,
    )


def _with_bytes(file: RequestedFile, changes: Sequence[Change], planned: Mapping[str, PlannedFile]) -> RequestedFile:
    """The file with its new content as one hunk, where a change has no diff because it is binary, before or after."""
    source, written = planned.get(changes[0].target or changes[0].path), planned.get(changes[-1].content_name)
    content = None if written is None else written.content_after
    if content is None or not any(_has_no_lines(change) for change in changes):
        return file
    encoding = file.encoding or None
    before = None if source is None else source.was
    was_text, is_text = (one is None or _is_text(one, encoding) for one in (before, content))
    note = _BINARY_NOTES[was_text, is_text]
    old = characters_of(before, encoding) if before is not None and was_text else None
    # With all lines as context, there is only one hunk: such a file is approved as a whole or not at all.
    context = 0 if old is None else old.count("\n") + 1
    diff = unified_diff(old, characters_of(content, encoding), file.path, context=context)
    hunks = split_hunks(diff)
    if not hunks:
        # Such as a new file that is empty.
        return file
    return file.replace(diff="", hunks=hunks, notes=tuple(filter(None, (note, *file.notes))))


def _has_no_lines(change: Change) -> bool:
    """Whether a change of content has no diff. The diff of another change to the file does not show it."""
    return change.sha256_before != change.sha256_after and not split_hunks(change.diff)


def _is_text(content: bytes, encoding: str | None) -> bool:
    try:
        Text(content, encoding)
    except PatchRejectedError:
        return False
    return True


def _net_kind(first: Change, last: Change) -> FileKind:
    if last.move_to:
        return "move"
    return "add" if not first.sha256_before else "update" if last.sha256_after else "delete"
