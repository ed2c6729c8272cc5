"""Requests for permission: everything that a call would do, as a value.

A request has the change of every file, with its absolute path. It can be stored as JSON, since the answer may come from
another process. Nothing is decided here, and nobody is asked.
"""

from __future__ import annotations

import os
from itertools import chain
from posixpath import dirname
from time import time

from ..core.display import plural, shorten
from ..core.fingerprint import fingerprint
from ..core.json_values import JsonValue
from ..core.line_hunks import line_hunks
from ..core.outcome import Change
from ..core.paths import escape_glob
from ..core.system import is_absolute
from ..core.text import characters_of
from ..workspace.changes import lines_changed
from .agent_limits import LONGEST_REASON
from .permission_kinds import permission_kind
from .sent_parts import SentPart, sent_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Self

    from ..core.outcome import Kind, Plan
    from ..core.record import PlannedFile
    from .rules import Name

#: The hashes of no file and of an empty one.
_NOTHING = {"", fingerprint(b"")}
#: What each kind of change is called where a person is asked for it.
_VERBS: Mapping[str, str] = {"add": "create", "update": "edit", "delete": "delete", "read": "read", "list": "list"}
#: What JSON has of a file first, in this order.
_JSON_NAMES = ("path", "resolved", "kind", "additions", "deletions", "diff", "hunks", "move_to", "move_to_resolved")


class Request(JsonValue):
    """One request for one call of a tool, with all files of the call."""

    id: str
    permission: str
    #: What would be done to each file. An answer refers to its hunks by number, from 1.
    files: tuple[Change, ...] = ()
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
    #: Why the model wants it, in its own words, on one line; empty if it has not said so.
    reason: str = ""
    #: What the model wrote, of the parts that were placed with concessions.
    sent: tuple[SentPart, ...] = ()
    #: Until when the agent waits for an answer, in seconds since 1970; 0 if it waits as long as it takes.
    deadline: float = 0.0
    #: Whether it can still be answered then: the answer takes effect when the agent sends the same call again.
    stays_open: bool = False

    def __hash__(self) -> int:
        return hash((self.id, self.permission, self.files))

    def json_fields(self) -> dict[str, Any]:
        """What JSON has of a request: each file with its hunks, its absolute path, and its notes in words."""
        files: list[dict[str, Any]] = []
        for file in self.files:
            first = {name: getattr(file, name) for name in _JSON_NAMES}
            request_only = {"binary": file.binary, "encoding": file.encoding, "notes": notes_of(file)}
            files.append({**first, **file.json_fields(), **request_only})
        return {**super().json_fields(), "files": files}

    @classmethod
    def for_files(
        cls,
        permission: str,
        files: Iterable[Change],
        *,
        tool: str = "",
        actor: str = "",
        whole_only: bool = False,
        metadata: Mapping[str, object] | None = None,
    ) -> Self:
        """A request for files without a plan, such as for a read."""
        listed = tuple(files)
        patterns = tuple(dict.fromkeys([path for file in listed for path, _ in rule_names(file)]))
        always = tuple([escape_glob(path) for path in patterns])
        about = {"filepath": ", ".join([file.path for file in listed]), "diff": "", **(metadata or {})}
        return cls(new_id(), permission, listed, patterns, always, about, tool, actor, whole_only)

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
        about = {"diff": plan.diff, **(metadata or {})}
        request = cls.for_files(permission, files, tool=name, actor=actor, whole_only=whole_only, metadata=about)
        return request.replace(sent=sent_parts(plan))

    def external(self) -> Request | None:
        """The request for the directories outside the first root that this one touches, if there are any."""
        outside: list[Change] = []
        globs: list[str] = []
        for file in self.files:
            paths = [path for path, _ in rule_names(file) if is_absolute(path)]
            if paths:
                outside.append(file)
            for path in paths:
                if file.kind == "list":
                    # To list a directory needs the directory itself, not its siblings.
                    folder = escape_glob(path)
                    globs.append(folder)
                else:
                    folder = escape_glob(dirname(path))
                globs.append(f"{folder.rstrip('/')}/**")
        if not outside:
            return None
        # It is about the directories, not about what becomes of the files.
        files = tuple([_only_names(file) for file in outside])
        patterns = tuple(dict.fromkeys(globs))
        return Request(new_id(), "external_directory", files, patterns, patterns, {}, self.tool, self.actor, True)

    @property
    def names(self) -> tuple[Name, ...]:
        """All paths that the rules are applied to. Rules for outside directories do not concern files inside."""
        names = [name for file in self.files for name in rule_names(file)]
        if self.permission == "external_directory":
            names = [name for name in names if is_absolute(name[0])]
        return tuple(names) if self.files else tuple([(pattern, "") for pattern in self.patterns])

    @property
    def subject(self) -> str:
        """What it is about, in a few words: the file, or the first of several."""
        paths = [file.path for file in self.files] or list(self.patterns)
        if not paths:
            return "this"
        more = len(paths) - 1
        return f"{paths[0]} and {more} more {plural('file', more)}" if more else paths[0]

    @property
    def action(self) -> str:
        """What it asks for, as the rest of "may it …?": `delete old.py`, `edit a.py and 2 more files, and delete b.py`.

        Each thing that would be done to files is named, with the first file that it would be done to.
        """
        kind = permission_kind(self.permission)
        if self.permission != "edit" or not self.files:
            return f"{kind.question} {self.subject}"
        acts: dict[str, list[Change]] = {}
        for file in self.files:
            acts.setdefault(_verb(file), []).append(file)
        phrases = [_phrase(verb, files) for verb, files in acts.items()]
        if len(phrases) == 1:
            return phrases[0]
        return f"{', '.join(phrases[:-1])}, and {phrases[-1]}"

    @property
    def sentence(self) -> str:
        """Who asks for what: `claude wants to delete old.py`."""
        return f"{self.actor or 'An agent'} wants to {self.action}"

    @property
    def lines(self) -> tuple[str, ...]:
        """What would be done to each file, in a line each: `update src/app.py +2 -1`."""
        return tuple([describe(file) for file in self.files])

    def file(self, path: str) -> Change:
        """The file of that path.

        Raises:
            KeyError: there is none.
        """
        for file in self.files:
            if file.path == path:
                return file
        raise KeyError(path)


def read_reason(text: str) -> str:
    """The reason that a model gives, as a request has it: one line of a limited length."""
    return shorten(" ".join(text[: 4 * LONGEST_REASON].split()), LONGEST_REASON)


def _verb(file: Change) -> str:
    """What would be done to a file, in a word."""
    if file.kind == "move":
        return "rename and edit" if file.is_modification else "rename"
    if file.kind == "update" and file.mode and file.sha256_before == file.sha256_after:
        return "change the mode of"
    return _VERBS[file.kind]


def _phrase(verb: str, files: Sequence[Change]) -> str:
    """The same act on some files, of which the first is named."""
    named = f"{verb} {files[0].path}"
    if files[0].move_to:
        named += f" to {files[0].move_to}" if verb == "rename" else f" as {files[0].move_to}"
    more = len(files) - 1
    return f"{named} and {more} more {plural('file', more)}" if more else named


def new_id() -> str:
    """A unique id for a request; later ones sort after earlier ones."""
    return f"{int(time() * 1_000_000):014x}{os.urandom(4).hex()}"


def rule_names(file: Change) -> tuple[Name, ...]:
    """All paths of a file that the rules are applied to, each relative and absolute."""
    names = [(file.path, file.resolved)]
    if file.target:
        # The link is under the same root as its target.
        root = file.resolved.removesuffix(file.target) if file.resolved.endswith(file.target) else ""
        names = [(file.path, root + file.path if root else ""), (file.target, file.resolved)]
    if file.move_to:
        names.append((file.move_to, file.move_to_resolved))
    return tuple(names)


def is_told_by_name(file: Change) -> bool:
    """Whether the name and the kind of a file say all that would happen, so that a person need not see its lines."""
    return file.kind in ("delete", "read", "list")


def describe(file: Change) -> str:
    """A file of a request in a line: `update src/app.py +2 -1`."""
    counts = f" +{file.additions} -{file.deletions}" if file.additions or file.deletions else ""
    link = f" (a link to {file.target})" if file.target else ""
    return f"{file.kind} {file.path}{link}{f' -> {file.move_to}' if file.move_to else ''}{counts}"


def notes_of(file: Change) -> list[str]:
    """What a person should know about a file of a request: that it is binary, its mode, and the concessions."""
    return [f"{file.binary} binary", *file.notes()] if file.binary else file.notes()


def without_lines(file: Change) -> str:
    """What would happen to a file without hunks, as a sentence for a person."""
    if file.kind in ("read", "list"):
        return f"Only asks to {file.kind} it."
    if not file.sha256_before and not file.sha256_after:
        return "There is no diff to show."
    if file.sha256_before == file.sha256_after:
        return "Renamed without changes." if file.kind == "move" else "Its content stays as it is."
    if {file.sha256_before, file.sha256_after} <= _NOTHING:
        return "An empty file."
    return "A binary file, or one that is not text. There is no diff to show."


def _only_names(file: Change) -> Change:
    named = Change(file.kind, file.path, file.move_to, file.target)
    return named.replace(resolved=file.resolved, move_to_resolved=file.move_to_resolved)


def _files_of(plan: Plan) -> tuple[list[Change], bool]:
    """The files of a plan as a person sees them, and whether they can only be approved together."""
    by_path: dict[str, list[Change]] = {}
    for change in plan.changes:
        by_path.setdefault(change.path, []).append(change)
    by_name = {file.shown: file for file in plan.files}
    files = [_with_places(_net_change(changes), by_name) for changes in by_path.values()]
    # Nothing escapes the rules: neither a second move of the same path nor what a changed plan does not declare.
    named = {path for file in files for path, _ in rule_names(file)}
    undeclared = [Change("update", file.shown, resolved=file.path) for file in plan.files if file.shown not in named]
    names = [name for change in plan.changes for name in change.names]
    is_changed_twice = len(files) < len(plan.changes) or len(set(names)) < len(names)
    return [*files, *undeclared], bool(undeclared) or is_changed_twice


def _net_change(changes: Sequence[Change]) -> Change:
    """All changes of one file as one, with the hunks of each."""
    first, last = changes[0], changes[-1]
    if len(changes) == 1:
        return first
    newest_first = changes[::-1]
    return first.replace(
        kind=_net_kind(first, last),
        move_to=_first_text([change.move_to for change in newest_first]),
        target=_first_text([change.target for change in changes]),
        hunks=_joined([change.hunks for change in changes]),
        sha256_after=last.sha256_after,
        matches=_joined([change.matches for change in changes]),
        edits=_joined([change.edits for change in changes]),
        concessions=_joined([change.concessions for change in changes]),
        mode=_first_text([change.mode for change in newest_first]),
        binary=_first_text([change.binary for change in newest_first]),
    )


def _first_text(texts: Sequence[str]) -> str:
    """The first text that is not empty; empty if all are."""
    return next(filter(None, texts), "")


def _joined(parts: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """The items of all parts, in order."""
    return tuple(chain.from_iterable(parts))


def _with_places(change: Change, by_name: Mapping[str, PlannedFile]) -> Change:
    """The change with the absolute paths of its file; and of a binary file, with its new content as one hunk."""
    source = by_name.get(change.target or change.path)
    moved = by_name.get(change.move_to)
    placed = change.replace(
        resolved="" if source is None else source.path,
        move_to_resolved="" if moved is None else moved.path,
        encoding="" if source is None else source.encoding,
    )
    written = by_name.get(change.content_name)
    content = None if written is None else written.content_after
    if not change.binary or content is None:
        return placed
    content_before = None if source is None else source.was
    return _with_content(placed, content_before, content)


def _with_content(change: Change, before: bytes | None, content: bytes) -> Change:
    """The change with hunks for its new content, where no diff shows it because a step of the change was binary."""
    encoding = change.encoding or None
    if before is not None or not change.sha256_before:
        hunks, binary = lines_changed(before, content, encoding)
        if not binary:
            return change.replace(hunks=hunks, binary="")
        change = change.replace(binary=binary)
    old = characters_of(before, encoding) if before is not None and change.binary == "becomes" else None
    # With all lines as context, there is only one hunk: such a file is approved as a whole or not at all.
    context = 0 if old is None else old.count("\n") + 1
    return change.replace(hunks=line_hunks(old, characters_of(content, encoding), context))


def _net_kind(first: Change, last: Change) -> Kind:
    if last.move_to:
        return "move"
    if not first.sha256_before:
        return "add"
    return "update" if last.sha256_after else "delete"
