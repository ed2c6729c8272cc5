"""The paths that a plan touches, each read once, with their state while the plan is made.

An `OverlayNode` has what was read and what the plan makes of it. The overlay lies over the files; it writes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from posixpath import dirname

from ..core.advice import Send
from ..core.common_limits import DEEPEST_FOLDER
from ..core.control_characters import control_character
from ..core.display import safe_text
from ..core.file_errors import FileTooLargeError
from ..core.fingerprint import Fingerprint
from ..core.paths import same_name, visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.record import ABSENT, Snapshot
from ..core.text import Text, characters_of, check_lines
from ..core.value import Value, copied
from ..place.new_text import placeholder_in
from ..words.next_steps import FindPath, NameFromRoot
from ..words.remarks import UnknownBytes
from .files.file_system import problem_of
from .files.look import look_without_hash
from .globs import shared_globs
from .guard import ResolvedPath
from .workspace_limits import MOST_NEW_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn

    from ..core.dialect import Dialect
    from ..core.edit_options import EditOptions
    from ..core.patch import Mode
    from ..core.problems import Advice, Code
    from .files.file_system import Files
    from .guard import Guard
    from .suggestions import PathSuggestions


class Settings(Value):
    """How texts are read and what may be written: the same for all plans of a workspace."""

    options: EditOptions
    #: Encodings by glob, which win over that of the options. Of several globs that match, the last one counts.
    encodings: tuple[tuple[str, str], ...] = ()

    def encoding_of(self, display_path: str) -> str | None:
        """The encoding that was set for a file, by its path as messages show it."""
        if not self.encodings:
            return self.options.encoding
        globs = shared_globs([glob for glob, _ in self.encodings], below=True)
        numbers = globs.matching_numbers(display_path.lstrip("/"))
        return self.encodings[numbers[-1]][1] if numbers else self.options.encoding


def file_encodings(encodings: Mapping[str, str] | Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Globs and the names of encodings, checked.

    Raises:
        ValueError: one of them is not an encoding that can be set for files.
    """
    if not encodings:
        return ()
    from ..core.text_encodings import EXPECTED, text_encoding

    checked: list[tuple[str, str]] = []
    for glob, name in encodings.items() if hasattr(encodings, "items") else encodings:
        encoding = text_encoding(name)
        if encoding is None:
            message = f"expected {EXPECTED} for {glob!r}; found {name!r:.50}"
            raise ValueError(message)
        checked.append((glob, encoding))
    return tuple(checked)


class OverlayNode:
    """One path: what it was when it was read, and what it is now in the plan."""

    __slots__ = ("_hashed", "before", "content", "failed", "like", "moved_from", "now", "path", "was")

    def __init__(self, path: str, before: Snapshot, was: bytes | None, hashed: Fingerprint | None = None) -> None:
        self.path = path
        self.before = self.now = before
        self.was = self.content = was
        #: The fingerprint of what was read.
        self._hashed = hashed
        #: The path of the file whose mode, owner and attributes it has.
        self.like = path if before.kind == "file" else ""
        self.moved_from = ""
        #: Whether it has a problem: later problems with it would be misleading.
        self.failed = False

    @property
    def state(self) -> tuple[Snapshot, bytes | None]:
        """What it is now in the plan, and its content."""
        return self.now, self.content

    @property
    def was_link(self) -> bool:
        """Whether it was a symbolic link that the plan has removed or replaced."""
        return self.before.kind == "link" and self.is_changed

    @property
    def is_changed(self) -> bool:
        """Whether the plan changes it."""
        return self.now != self.before

    def write(self, content: bytes) -> None:
        """Make it a file with this content. A file that the plan deleted before keeps its mode."""
        mode = self.before.mode if self.now.kind == "absent" and self.like else self.now.mode
        digest = self.now.sha256 if content == self.content else Fingerprint(content, self._hashed).sha256
        self.now = Snapshot("file", digest, len(content), mode)
        self.content = content
        self.moved_from = ""

    def set_mode(self, mode: Mode) -> None:
        """Give the file the mode of a diff. A file that was moved is then another one, not only renamed."""
        after = self.now.with_git_mode(mode)
        if after is not self.now:
            self.now = after
            self.moved_from = ""

    def become(self, other: OverlayNode) -> None:
        """Make it what another path is. If that is unchanged since it was read, it can be renamed."""
        # The same snapshot, not an equal one: a file that was written again is another file.
        untouched = other.now is other.before and other.now.kind != "absent"
        self.now, self.content, self.like = other.now, other.content, other.like
        self.moved_from = other.path if untouched else ""

    def clear(self, *, moved: bool = False) -> None:
        """Make it absent: the file was deleted or moved."""
        self.now, self.content, self.moved_from = ABSENT, None, ""
        self.like = self.path if self.before.kind == "file" and not moved else ""


class Overlay:
    """The states of all paths of one plan, and the directories that it needs."""

    def __init__(self, files: Files, guard: Guard, dialect: Dialect, settings: Settings) -> None:
        self.files = files
        self.guard = guard
        self._dialect = dialect
        self._settings = settings
        self.nodes: dict[str, OverlayNode] = {}
        self.folders: dict[str, None] = {}
        #: What the current operation may have to be taken back to: the nodes that it touches as they were before it,
        #: and how many directories there were; None where nothing is taken back.
        self._nodes_before: dict[str, OverlayNode] | None = None
        self._folders_before = 0
        self._suggestions: PathSuggestions | None = None
        #: The path of each file that was named, by all spellings that mean the same; only where there are such.
        self._spellings: dict[str, str] = {}

    def resolve(self, path: str) -> ResolvedPath:
        """Where a path leads, given what the plan has done so far to the links on the way."""
        resolved = self.guard.resolve(path)
        if self.files.folds_names:
            resolved = self._first_spelling(resolved)
        if not resolved.via:
            return resolved
        removed = {_link_text(self.guard, node): node.path for node in self.nodes.values() if node.was_link}
        removed = {text: link for text, link in removed.items() if text in resolved.via}
        if not removed:
            return resolved
        if list(removed.values()) != [resolved.name]:
            links = safe_text(", ".join(removed))
            message = f"{resolved.shown} leads through a symbolic link that the patch removes: {links}."
            refuse("not_found", resolved.shown, message, "Use the path of the file itself.")
        return ResolvedPath(resolved.name, resolved.name, resolved.shown)

    def _first_spelling(self, resolved: ResolvedPath) -> ResolvedPath:
        """A path in the letters in which the plan has it already: a file that it adds, or whose letters it changes."""
        key = same_name(resolved.path)
        known = self._spellings.setdefault(key, resolved.path)
        if known == resolved.path or resolved.is_link:
            return resolved
        return resolved.replace(name=known, path=known, shown=self.guard.shown(known), spelled=resolved.path)

    def respelled(self, resolved: ResolvedPath) -> ResolvedPath | None:
        """The path of the same file in the letters in which its last name was written; None if it has these letters."""
        name = resolved.spelled.rpartition("/")[2]
        path = f"{dirname(resolved.path).rstrip('/')}/{name}"
        if not name or path == resolved.path:
            return None
        self._spellings[same_name(path)] = path
        return resolved.replace(name=path, path=path, shown=self.guard.shown(path), found=None, spelled="")

    def node(self, path: str) -> OverlayNode:
        """The state of a path, which is read once."""
        node = self.nodes.get(path)
        if node is None:
            try:
                node = self.nodes[path] = self._read(path)
            except PatchRejectedError:
                self.fail(path)
                raise
        if self._nodes_before is not None and path not in self._nodes_before:
            self._nodes_before[path] = copied(node)
        return node

    def contents(self) -> dict[str, bytes]:
        """The contents of all files that were read, by absolute path."""
        return {
            node.path: node.was for node in self.nodes.values() if node.before.kind == "file" and node.was is not None
        }

    def begin_operation(self) -> None:
        """Remember from here on what `take_operation_back` needs."""
        self._nodes_before, self._folders_before = {}, len(self.folders)

    def take_operation_back(self) -> None:
        """Make everything what it was when the operation began."""
        self.nodes |= self._nodes_before or {}
        while len(self.folders) > self._folders_before:
            self.folders.popitem()
        self._nodes_before = None

    def fail(self, path: str) -> None:
        """Mark a path that has a problem, so that no other one is reported for it."""
        self.nodes.setdefault(path, OverlayNode(path, ABSENT, None)).failed = True

    def _read(self, path: str) -> OverlayNode:
        display_path = self.guard.shown(path)
        try:
            now, data = look_without_hash(self.files, path, self._settings.options.max_size)
        except FileTooLargeError as error:
            message = f"{display_path} is too large: it has {error.size} bytes, and the limit is {error.limit}."
            hint = "No other patch can help: leave this file out."
            raise PatchRejectedError(
                [Problem("file_too_large", message, display_path, None, {"path": display_path}, hint, False)]
            ) from None
        except OSError as error:
            raise PatchRejectedError([problem_of(error, display_path)]) from error
        if data is None or now.kind != "file":
            return OverlayNode(path, now, data)
        check_lines(data, display_path)
        hashed = Fingerprint(data)
        return OverlayNode(path, Snapshot("file", hashed.sha256, len(data), now.mode), data, hashed)

    def check_file(self, resolved: ResolvedPath, node: OverlayNode) -> None:
        """Refuse a path that is not a regular file."""
        if node.now.kind == "file" and node.before.kind != "file":
            return
        if node.now.kind != "link":
            try:
                stat = resolved.found if node.path == resolved.path else self.files.stat(node.path)
            except OSError as error:
                raise PatchRejectedError([problem_of(error, resolved.shown)]) from error
            self.guard.check_file(resolved, stat)
        if node.now.kind != "file":
            # The patch has moved a link there, or somebody has put one there just now.
            message = f"{resolved.shown} is now a symbolic link, not a file."
            hint = "Use the path that it leads to, or change the file in a separate patch."
            refuse("not_a_file", resolved.shown, message, hint)

    def add_parents(self, resolved: ResolvedPath, path: str) -> None:
        """Note the missing directories above a new file, or refuse it."""
        if path in self.folders:
            message = f"{resolved.shown} will be a directory: the patch adds files in it."
            refuse("is_directory", resolved.shown, message, "Choose another path for one of them.")
        missing: list[str] = []
        folder = dirname(path)
        while folder not in self.folders:
            try:
                stat = self.files.stat(folder)
            except OSError as error:
                raise PatchRejectedError([problem_of(error, resolved.shown)]) from error
            node = self.nodes.get(folder)
            if stat is not None or (node is not None and node.now.kind != "absent"):
                if (stat is None or stat.kind != "folder") or (node is not None and node.now.kind == "file"):
                    display_path = self.guard.shown(folder)
                    message = f"{resolved.shown} can't be created: {display_path} is a file, not a directory."
                    refuse("not_a_file", resolved.shown, message, "Choose a path whose parents are directories.")
                break
            if not missing:
                self._check_depth(resolved, path)
            missing.append(folder)
            folder = dirname(folder)
        if missing and not self._dialect.make_parents:
            display_path = self.guard.shown(missing[0])
            message = f"The directory {display_path} of {resolved.shown} does not exist."
            refuse("not_found", resolved.shown, message, "Create it first, or choose an existing directory.")
        if len(self.folders) + len(missing) > MOST_NEW_FOLDERS:
            message = f"{resolved.shown} can't be created: this would make more than {MOST_NEW_FOLDERS:,} directories."
            hint = "Add fewer files at once."
            refuse("invalid_arguments", resolved.shown, message, hint, reason="too_many_directories")
        self.folders |= dict.fromkeys(reversed(missing))

    def _check_depth(self, resolved: ResolvedPath, path: str) -> None:
        """Refuse a path in new directories that are nested too deeply."""
        depth = self.guard.depth(path)
        if depth > DEEPEST_FOLDER:
            display_path = visible_path(resolved.shown)
            message = (
                f"{display_path} can't be created: it is {depth:,} directories deep, and {DEEPEST_FOLDER} is the limit."
            )
            hint = "Choose a path with fewer directories."
            refuse("invalid_arguments", resolved.shown, message, hint, reason="too_deep")

    def encoding_of(self, path: str) -> str | None:
        """The encoding that was set for a file, by its absolute path."""
        return self._settings.encoding_of(self.guard.shown(path))

    def encode(self, content: str, resolved: ResolvedPath, before: bytes | None = None) -> bytes:
        """A whole text as the bytes of a file, which had the content `before`."""
        return _encode_text(content, resolved.shown, self._settings, self.encoding_of(resolved.path), before)

    def note_unknown_bytes(self, problem: Problem) -> Problem:
        """A problem about lines, with how to set the encoding if that of the file is not known."""
        path = self.guard.absolute(problem.path)
        content = self.nodes[path].content if path in self.nodes else None
        if not content or not Text(content, self.encoding_of(path)).has_unknown_bytes:
            return problem

        return problem.replace(remarks=(*problem.remarks, UnknownBytes(problem.path)))

    def _exists(self, path: str) -> bool:
        """Whether a path from the root of the workspace exists and may be named."""
        try:
            return self.guard.resolve(path, relative_to="").found is not None
        except PatchRejectedError:
            return False

    def not_found(self, resolved: ResolvedPath) -> Problem:
        """A file does not exist; with similar paths that do."""
        display_path = resolved.shown
        hint: Advice
        if resolved.is_link:
            message = f"{display_path} is a broken symbolic link ({safe_text(', '.join(resolved.via))})."
            hint = "Use the path of the file itself, or create it first."
        else:
            message = f"File {display_path} not found."
            start = self.guard.relative_to
            path = display_path.removeprefix(f"{start}/") if start else ""
            if path != display_path and path and self._exists(path):
                hint = NameFromRoot(path, self.guard.roots[0][0])
                return Problem("not_found", message, display_path, None, {"path": display_path}, hint)
            if self._suggestions is None:
                from .suggestions import PathSuggestions

                self._suggestions = PathSuggestions(self.files, self.guard)
            near = self._suggestions.suggest(resolved.path)
            hint = f"Did you mean {' or '.join(near)}?" if near else FindPath()
        return Problem("not_found", message, display_path, None, {"path": display_path}, hint)


def _encode_text(
    content: str, display_path: str, settings: Settings, encoding: str | None, before: bytes | None = None
) -> bytes:
    """A whole text as bytes, with the BOM, the encoding and the line endings of the content before.

    Raises:
        PatchRejectedError: it has too many lines, control characters that are new in the file, or characters that can't
            be encoded.
    """
    check_lines(content, display_path, is_new=True)
    text = None
    if before is not None:
        # A binary file becomes a text.
        with suppress(PatchRejectedError):
            text = Text(before, encoding, display_path)
    if not settings.options.allow_control:
        refuse_control(content, before, encoding, display_path)
    raw = content
    if text is not None:
        raw = content.removeprefix("\ufeff")
        if text.newline != "\n" and "\r" not in raw:
            raw = raw.replace("\n", text.newline)
    data = (text or Text(b"", encoding, display_path)).content(raw)
    assert isinstance(data, bytes), "BUG: bytes in, bytes out"
    return data


def refuse_control(after: str, before: bytes | None, encoding: str | None, display_path: str) -> None:
    """Refuse a text with a control character that the content before does not have. A NUL would make it binary.

    Raises:
        PatchRejectedError: it has one.
    """
    character = control_character(after, "")
    if character is not None and before:
        character = control_character(after, characters_of(before, encoding))
    if character is not None:
        message = f"{display_path} would get the control character U+{ord(character):04X}."
        hint = "Leave it out, or write it as an escape sequence of the file's language."
        refuse("encoding_error", display_path, message, hint, reason="control_character", character=ord(character))


def refuse_placeholder(content: str, before: bytes | None, display_path: str) -> None:
    """Refuse a whole text in which a line stands for lines that were left out.

    Raises:
        PatchRejectedError: it has such a line, which the file before does not have.
    """
    line = placeholder_in(content, (before or b"").decode("utf-8", "replace"))
    if line is not None:
        message = (
            f"The new content of {display_path} has a placeholder, which would replace the lines it stands for: "
            f"{line.strip()}"
        )
        hint = Send("the whole file with all its lines, or only the edits.")
        refuse("invalid_arguments", display_path, message, hint, reason="placeholder", line=line)


def _link_text(guard: Guard, node: OverlayNode) -> str:
    """A link as `ResolvedPath.via` shows it."""
    return f"{guard.shown(node.path)} -> {node.before.target}"


def refuse(code: Code, path: str, message: str, hint: Advice, *, reason: str = "", **details: object) -> NoReturn:
    """Refuse an operation with one problem."""
    raise PatchRejectedError([Problem(code, message, path, None, {"path": path, **details}, hint, reason=reason)])
