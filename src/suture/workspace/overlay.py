"""The names that a plan touches, each read once, and what stands under them while the plan is made.

A `Node` has what was read and what the plan has made of it since. Nothing is written: the overlay lies over the files
as a sheet of glass.
"""

from __future__ import annotations

from hashlib import sha256
from posixpath import dirname

from ..problems import PatchRejected, Problem
from .files import FileTooLarge, problem_of
from .record import ABSENT, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ..dialect import Dialect
    from ..problems import Code
    from .files import Files
    from .guard import Guard, Resolved


class Settings:
    """How texts are read and what may be written; the same for all plans of a workspace."""

    __slots__ = ("allow_control", "allow_placeholders", "encoding", "max_size")

    def __init__(
        self, *, encoding: str | None, max_size: int, allow_control: bool = False, allow_placeholders: bool = False
    ) -> None:
        self.encoding = encoding
        self.max_size = max_size
        self.allow_control = allow_control
        self.allow_placeholders = allow_placeholders


class Node:
    """One name of the workspace: what stood there when it was read, and what stands there now in the plan."""

    __slots__ = ("before", "content", "failed", "like", "moved_from", "now", "path", "was")

    def __init__(self, path: str, before: Snapshot, was: bytes | None) -> None:
        self.path = path
        self.before = self.now = before
        self.was = self.content = was
        #: The name whose mode, owner and attributes it has.
        self.like = path if before.kind == "file" else ""
        self.moved_from = ""
        #: A problem was found in it; what follows on it would only be confused.
        self.failed = False

    @property
    def state(self) -> tuple[Snapshot, bytes | None]:
        """What stands there now."""
        return self.now, self.content

    @property
    def is_changed(self) -> bool:
        """Whether the plan has made something else of it."""
        return self.now != self.before

    def write(self, content: bytes) -> None:
        """Make it a file with this content."""
        digest = self.now.sha256 if content == self.content else sha256(content).hexdigest()
        self.now = Snapshot("file", digest, len(content), self.now.mode)
        self.content = content
        self.moved_from = ""

    def become(self, other: Node) -> None:
        """Make it what another one is; where that has not changed since it was read, it can be renamed."""
        untouched = other.now == other.before and other.now.kind != "absent"
        self.now, self.content, self.like = other.now, other.content, other.like
        self.moved_from = other.path if untouched else ""

    def clear(self) -> None:
        """Make it absent."""
        self.now, self.content = ABSENT, None
        self.moved_from = self.like = ""


class Overlay:
    """The nodes of one plan, by their paths, and the folders that it needs."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        self.files = files
        self.guard = guard
        self._dialect = dialect
        self._settings = settings
        self.nodes: dict[str, Node] = {}
        self.folders: dict[str, None] = {}

    def node(self, path: str) -> Node:
        """What stands under a name, read once."""
        node = self.nodes.get(path)
        if node is None:
            node = self.nodes[path] = self._read(path)
        return node

    def _read(self, path: str) -> Node:
        files, shown = self.files, self.guard.shown(path)
        try:
            stat = files.stat(path)
            if stat is None:
                return Node(path, ABSENT, None)
            if stat.kind == "link":
                return Node(path, Snapshot("link", "", 0, 0, files.link(path)), b"")
            if stat.kind != "file":
                return Node(path, Snapshot(stat.kind), None)
            data, stat = files.read(path, self._settings.max_size)
        except FileTooLarge as error:
            message = f"{shown} is too large: it has {error.size} bytes, and the limit is {error.limit}."
            hint = "No other patch helps here: leave this file out."
            raise PatchRejected(
                [Problem("file_too_large", message, shown, None, {"path": shown}, hint, False)]
            ) from None
        except OSError as error:
            raise PatchRejected([problem_of(error, shown)]) from error
        return Node(path, Snapshot("file", sha256(data).hexdigest(), len(data), stat.mode), data)

    def check_file(self, resolved: Resolved, node: Node) -> None:
        """Refuse what is no regular file."""
        if node.now.kind == "file" and node.before.kind != "file":
            return
        stat = resolved.found if node.path == resolved.path else self.files.stat(node.path)
        self.guard.check_file(resolved, stat)

    def add_parents(self, resolved: Resolved) -> None:
        """The folders above a new file: they are there, or will be made."""
        missing: list[str] = []
        folder = dirname(resolved.path)
        while folder not in self.folders:
            try:
                stat = self.files.stat(folder)
            except OSError as error:
                raise PatchRejected([problem_of(error, resolved.shown)]) from error
            node = self.nodes.get(folder)
            if stat is not None or (node is not None and node.now.kind != "absent"):
                if (stat is None or stat.kind != "folder") or (node is not None and node.now.kind == "file"):
                    shown = self.guard.shown(folder)
                    message = f"{resolved.shown} can't be made: {shown} is a file, not a folder."
                    refuse("not_a_file", resolved.shown, message, "Choose a path whose parents are folders.")
                break
            missing.append(folder)
            folder = dirname(folder)
        if missing and not self._dialect.make_parents:
            shown = self.guard.shown(missing[0])
            message = f"The folder {shown} of {resolved.shown} does not exist."
            refuse("not_found", resolved.shown, message, "Make it first, or choose a folder that is there.")
        self.folders |= dict.fromkeys(reversed(missing))

    def not_found(self, resolved: Resolved) -> Problem:
        """A file that should be there is not; with names that may have been meant."""
        shown = resolved.shown
        if resolved.is_link:
            message = f"{shown} is a symbolic link that leads nowhere ({', '.join(resolved.via)})."
            hint = "Name the file itself, or make it first."
        else:
            message = f"File {shown} not found."
            near = self._near(resolved.path)
            hint = f"Did you mean {' or '.join(near)}?" if near else "Look at the folder for the right path."
        return Problem("not_found", message, shown, None, {"path": shown}, hint)

    def _near(self, path: str) -> list[str]:
        """Names in the same folder, or of the same name in a near one, that may have been meant."""
        from difflib import get_close_matches

        folder, name = dirname(path), path.rpartition("/")[2]
        try:
            names = self.files.names(folder)
        except OSError:
            return []
        near = get_close_matches(name, names[:5000], n=2, cutoff=0.7)
        return [self.guard.shown(f"{folder.rstrip('/')}/{one}") for one in near]


def refuse(code: Code, path: str, message: str, hint: str, **details: object) -> NoReturn:
    """Refuse an operation with one problem."""
    raise PatchRejected([Problem(code, message, path, None, {"path": path, **details}, hint)])
