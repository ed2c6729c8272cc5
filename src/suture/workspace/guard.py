"""Which paths may be touched: every path that a model writes is checked here before anything is read or written.

A path is resolved as the system would resolve it, symbolic links included, but nothing outside the roots is ever read:
a step that would leave them is refused. The result is a path without links. A link may still appear before the path is
used; `Files` never follows one, which closes the gap between check and use.
"""

from __future__ import annotations

import errno
import os
import posixpath

from ..core.common_limits import LONGEST_PATH
from ..core.file_errors import failure
from ..core.paths import check_path, normalized, refuse_path, same_name, visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.system import anchor, is_absolute
from ..core.value import Value, copied
from .files.file_system import problem_of
from .globs import shared_globs
from .workspace_limits import MOST_LOOKUPS, MOST_PATH_LINKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from typing import ClassVar, NoReturn, TypeAlias

    from .files.file_system import Files, Stat

    #: Refuses an absolute path by raising PatchRejectedError. It also gets the path as it is shown and as it was
    #: written, and whether a symbolic link was followed on the way.
    PathCheck: TypeAlias = Callable[[str, str, str, bool], None]

#: Globs that are denied unless they are lifted by name: the repository's own data, and secrets.
DEFAULT_DENY: tuple[str, ...] = (
    "**/.git",
    "**/.git/**",
    "**/.env",
    "**/.env.*",
    "**/id_rsa*",
    "**/id_ed25519*",
    "**/*.pem",
    "**/*.key",
)
#: Endings of files that only show what the secret ones look like.
_EXAMPLES = ("example", "sample", "template")
_EXCEPTIONS = {"**/.env.*": tuple([f"**/.env{more}.{end}" for end in _EXAMPLES for more in ("", ".*")])}


_INSIDE = "Use a path inside the workspace, relative to its root."


class ResolvedPath(Value):
    """A path that may be touched.

    `name` is the absolute path with links followed in all parts but the last; `path` has all links followed. `shown` is
    `name` as people and models see it: relative to the first root, or absolute in another root.
    """

    name: str
    path: str
    shown: str
    is_link: bool = False
    #: The links that were followed, each as "link -> target".
    via: tuple[str, ...] = ()
    #: What was at `path` when it was resolved.
    found: Stat | None = None
    #: `path` in the letters in which it was written, if the directories have others for the same names.
    spelled: str = ""

    _not_compared: ClassVar[tuple[str, ...]] = ("found",)


class Guard:
    """Resolves paths and refuses those that may not be touched.

    `allow` and `deny` are globs for the path relative to its root. Without `allow`, everything is allowed; `deny` wins
    over it, and also matches everything below what it matches. `lift` disables globs of `DEFAULT_DENY`, or all of them
    for the paths that another glob matches.
    `hard_links=False` refuses files with several names, since another name may be outside; `allow_absolute=False`
    refuses absolute paths. `relative_to` is the directory that relative paths start from, relative to the first root.
    """

    def __init__(
        self,
        files: Files,
        *,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        lift: Iterable[str] = (),
        hard_links: bool = True,
        allow_absolute: bool = True,
        relative_to: str = "",
    ) -> None:
        self.files = files
        lifted = frozenset(lift)
        self._lift = shared_globs(sorted(lifted.difference(DEFAULT_DENY)), below=True)
        self._allow = shared_globs(allow)
        self._default = shared_globs(
            [glob for glob in DEFAULT_DENY if glob not in lifted], below=True, exceptions=_EXCEPTIONS
        )
        self._deny = shared_globs(deny, below=True)
        self._hard_links = hard_links
        self._allow_absolute = allow_absolute
        self.relative_to = relative_to
        #: The absolute path of each root, and the same as the beginning of the paths below it.
        self.roots = tuple([(root, root if root == "/" else root + "/") for root in files.roots])
        #: The directory that relative paths start from, as an absolute path.
        self.cwd = self.roots[0][1] + relative_to if relative_to else self.roots[0][0]
        self._check: PathCheck | None = None
        #: The absolute paths that need not pass it.
        self._passed: Container[str] = ()

    def restricted(self, check: PathCheck, passed: Container[str] = ()) -> Guard:
        """This guard with one more check, which comes first; absolute paths that have `passed` it are free."""
        other = copied(self)
        other._check, other._passed = check, passed  # noqa: SLF001 - a copy of this one
        return other

    def over(self, files: Files) -> Guard:
        """This guard for other files below the same roots."""
        other = copied(self)
        other.files = files
        return other

    def resolve(self, path_text: str, *, relative_to: str | None = None) -> ResolvedPath:
        """Where a path leads. A relative path starts at `relative_to`, which is itself relative to the first root.

        That is the guard's own by default; "" for a path as `shown` has it.

        Raises:
            PatchRejectedError: it may not be touched, or it is not a path; with one problem.
        """
        windows = self.files.windows_names
        text = check_path(path_text, windows=windows)
        starts_absolute = is_absolute(text, windows=windows)
        if starts_absolute and not self._allow_absolute:
            message = f"{visible_path(text)} is an absolute path; only relative paths are accepted."
            refuse_path("command_failed", path_text, message, "absolute", _INSIDE)
        relative_to = self.relative_to if relative_to is None else relative_to
        if relative_to and not starts_absolute:
            text = f"{relative_to}/{text}"
        return _Resolution(self, path_text, from_anywhere=starts_absolute).resolve(text)

    def leads_somewhere(self, path: str) -> bool:
        """Whether a path may be touched and names something that exists."""
        try:
            return self.resolve(path).found is not None
        except PatchRejectedError:
            return False

    def has_directory_of(self, path: str) -> bool:
        """Whether a path names a directory in front of its last name, and that directory exists."""
        folder = path.rpartition("/")[0]
        return bool(folder) and self.leads_somewhere(folder)

    def names(self, paths: Iterable[str]) -> list[str]:
        """The absolute paths that a change of these paths touches: their own, and where links lead.

        Raises:
            PatchRejectedError: one of them may not be touched, or it is not a path; with one problem.
        """
        resolved = [self.resolve(path) for path in paths]
        return [name for one in resolved for name in (one.name, one.path)]

    def check_file(self, resolved: ResolvedPath, stat: Stat | None) -> None:
        """Refuse what is not a regular file, and with `hard_links=False` a file with several names. Absent is fine.

        Raises:
            PatchRejectedError: with one problem.
        """
        if stat is None or (stat.kind == "file" and (stat.links == 1 or self._hard_links)):
            return
        label = visible_path(resolved.shown)
        if resolved.via:
            label += f" (through the symbolic link {visible_path(', '.join(resolved.via))})"
        if stat.kind == "folder":
            message, hint = f"Path is a directory, not a file: {label}.", "Name a file in this directory."
            refuse_path("is_directory", resolved.shown, message, "folder", hint)
        if stat.kind != "file":
            message = f"{label} is not a regular file, so it can't be edited."
            hint = "It is a device, a FIFO or a socket: leave it alone."
            refuse_path("not_a_file", resolved.shown, message, "special", hint, recoverable=False)
        message = f"{label} has {stat.links} hard links, and the others may be outside the workspace."
        hint = "Leave it alone. The user can allow such files with hard_links=True."
        refuse_path("permission_denied", resolved.shown, message, "hard_link", hint, recoverable=False)

    def shown(self, path: str) -> str:
        """An absolute path as people and models see it: relative to the first root, absolute in any other."""
        root, prefix = self.roots[0]
        return "." if path == root else path.removeprefix(prefix)

    def absolute(self, display_path: str) -> str:
        """The absolute path of what `shown` gave."""
        root, prefix = self.roots[0]
        if is_absolute(display_path, windows=self.files.windows_names):
            return display_path
        return root if display_path == "." else prefix + display_path

    def check_globs(self, path: str, path_text: str, via: Sequence[str] = ()) -> None:
        """Refuse an absolute path that is denied or not allowed; `path_text` is what the model wrote.

        Raises:
            PatchRejectedError: with one problem.
        """
        if self._check is not None and path not in self._passed:
            self._check(path, self.shown(path), path_text, bool(via))
        relative = self._relative(path)
        if not relative:
            return
        globs = self._default.matching(relative)
        if globs and self._lift and self._lift.matching(relative):
            globs = []
        denied = globs or (self._deny.matching(relative) if self._deny else ())
        allowed = not self._allow or self._allow.matching(relative)
        if allowed and not denied:
            return
        named = visible_path(path_text)
        if via:
            links = visible_path(", ".join(via))
            named += f" (which is {visible_path(self.shown(path))}, through the symbolic link {links})"
        from ..words.denied_path import DeniedPath, UnlistedPath

        cause = DeniedPath(path_text, named, denied[0], relative, globs) if denied else UnlistedPath(path_text, named)
        path = visible_path(path_text)
        raise PatchRejectedError([Problem("permission_denied", path=path, cause=cause, recoverable=False)])

    def depth(self, path: str) -> int:
        """How many directories are above an absolute path, up to its root."""
        return self._relative(path).count("/")

    def _relative(self, path: str) -> str:
        for root, prefix in self.roots:
            if path.startswith(prefix):
                return path[len(prefix) :]
            if path == root:
                return ""
        raise AssertionError("BUG: a path outside every root: " + path)

    def is_inside(self, path: str) -> bool:
        """Whether an absolute path is a root or below one."""
        return any(path.startswith(prefix) or path == root for root, prefix in self.roots)

    def from_a_root(self, path: str) -> tuple[str, str]:
        """Where to start resolving an absolute path, and the rest of it: at a root if it passes through one.

        Everything above a root is a directory on a real path, so nothing has to be looked up to get down to the root.
        """
        for alias, root in (*self.files.aliases, *self._other_spellings(path)):
            if path == alias or path.startswith(alias + "/"):
                path = root + path[len(alias) :]
                break
        for root, prefix in self.roots:
            if path.startswith(prefix):
                return root, path[len(prefix) :]
        return anchor(path)

    def _other_spellings(self, path: str) -> Iterable[tuple[str, str]]:
        """The roots that a path starts with in other letters, where those name the same directory."""
        if not self.files.folds_names:
            return ()
        parts = path.split("/")
        starts = [("/".join(parts[: root.count("/") + 1]), root) for root, _ in self.roots]
        return [(start, root) for start, root in starts if self._is_other_spelling(start, root)]

    def _is_other_spelling(self, path: str, root: str) -> bool:
        """Whether a path is a root in other letters. A letter that folds to two, as in `ß`, may be another name."""
        if not self.files.windows_names:
            path, root = normalized("NFC", path), normalized("NFC", root)
        return len(path) == len(root) and same_name(path) == same_name(root)

    def is_above_a_root(self, path: str) -> bool:
        """Whether an absolute path is an ancestor of a root."""
        below = path if path == "/" else path + "/"
        return any(root.startswith(below) for root, _ in self.roots)


class _Resolution:
    """The resolution of one path: links are followed one after another, and every lookup is counted."""

    def __init__(self, guard: Guard, path_text: str, *, from_anywhere: bool) -> None:
        self._guard = guard
        self._path_text = path_text
        self._from_anywhere = from_anywhere
        self._via: list[str] = []
        self._lookups = 0
        #: The last path that was looked up, as it was written.
        self._written = ""
        #: The last link that was followed, and its target.
        self._link = self._target = ""

    def resolve(self, text: str) -> ResolvedPath:
        guard = self._guard
        here, text = guard.from_a_root(text) if self._from_anywhere else (guard.roots[0][0], text)
        rest = _parts(text)
        # As it is written, before anything is looked up: a refusal does not depend on what is there.
        written = posixpath.normpath(_join(here, rest)) if ".." in rest or not rest else _join(here, rest)
        if guard.is_inside(written):
            guard.check_globs(written, self._path_text)
        name = ""
        is_link = looked = False
        stat: Stat | None = None
        while rest:
            first = rest[0]
            if first == ".." and here == guard.roots[0][0] == "/":
                # The system would stay at /, but the path was meant to lead elsewhere.
                self._refuse_outside()
            if first == ".." or not guard.is_inside(here):
                # `here` is a real path, so its parent is the text before the last slash, and nothing between there and
                # a root has to be looked up.
                here = posixpath.dirname(here) if first == ".." else _join(here, [first])
                if not (guard.is_inside(here) or guard.is_above_a_root(here)):
                    self._refuse_outside()
                rest = rest[1:]
                looked = False
                continue
            # Everything up to the next `..` in one lookup. It reports the first link on the way, if there is one.
            end = rest.index("..") if ".." in rest else len(rest)
            there, after = _join(here, rest[:end]), rest[end:]
            if guard.files.folds_names:
                # The names as the directories have them, so that one file has one path however it is written.
                self._written, there = there, guard.files.spelling(there)
            stat, link = self._look_up(there)
            if not link:
                here, rest, looked = there, after, True
                name = name or ("" if after else there)
                continue
            guard.check_globs(there, self._path_text, self._via)
            target = self._follow(link)
            if target is None:
                continue
            below = _parts(there[len(link) :])
            if not (name or below or after):
                name, is_link = link, True
            leads_anywhere = is_absolute(target, windows=guard.files.windows_names)
            here, target = guard.from_a_root(target) if leads_anywhere else (posixpath.dirname(link), target)
            rest = [*_parts(target), *below, *after]
            looked = False
        if not guard.is_inside(here):
            self._refuse_outside()
        if not looked:
            stat, link = self._look_up(here)
            if link:
                # It was a directory a moment ago: another program is replacing it.
                raise PatchRejectedError([problem_of(failure(errno.ELOOP, link), guard.shown(link))])
        name = name or here
        if here != written:
            guard.check_globs(here, self._path_text, self._via)
        is_respelled = not self._via and self._written not in {"", here} and same_name(self._written) == same_name(here)
        other = self._written if is_respelled else ""
        return ResolvedPath(name, here, guard.shown(name), is_link, tuple(self._via), stat, other)

    def _look_up(self, path: str) -> tuple[Stat | None, str]:
        """What is at a path, and the first link on the way to it or at its end."""
        self._lookups += 1
        if self._lookups > MOST_LOOKUPS:
            self._refuse_loop()
        if len(path) > LONGEST_PATH // 4 and len(os.fsencode(path)) > LONGEST_PATH:
            message = f"{visible_path(self._path_text)} resolves to a path of more than {LONGEST_PATH} bytes."
            refuse_path("invalid_arguments", self._path_text, message, "too_long", "Choose a shorter path.")
        try:
            stat = self._guard.files.stat(path)
        except OSError as error:
            link = error.filename
            if error.errno == errno.ELOOP and isinstance(link, str) and f"{path}/".startswith(f"{link}/"):
                return None, link
            raise PatchRejectedError([problem_of(error, self._guard.shown(path))]) from error
        return stat, path if stat is not None and stat.kind == "link" else ""

    def _follow(self, link: str) -> str | None:
        """The target of a link; None if it is not a link any more and has to be looked up again."""
        if len(self._via) >= MOST_PATH_LINKS:
            self._refuse_loop()
        try:
            target = self._guard.files.link(link)
        except OSError as error:
            if error.errno in {errno.EINVAL, errno.ENOENT, errno.ELOOP}:
                return None
            raise PatchRejectedError([problem_of(error, self._guard.shown(link))]) from error
        self._link, self._target = self._guard.shown(link), target
        self._via.append(f"{self._link} -> {target}")
        return target

    def _refuse_outside(self) -> NoReturn:
        path = visible_path(self._path_text)
        if self._link:
            link_text = f"{visible_path(self._link)} -> {visible_path(self._target)}"
            message = f"{path} is outside the workspace: the symbolic link {link_text} leads out of it."
            hint = "Leave the target of this link alone. " + _INSIDE
            link = {"link": self._link, "target": self._target}
            refuse_path("outside_workspace", self._path_text, message, "link", hint, recoverable=False, **link)
        if self._from_anywhere:
            refuse_path("outside_workspace", self._path_text, f"{path} is outside the workspace.", "absolute", _INSIDE)
        message = f"{path} is outside the workspace: it leads above the workspace's root."
        refuse_path("outside_workspace", self._path_text, message, "parent", _INSIDE)

    def _refuse_loop(self) -> NoReturn:
        link_text = f"{visible_path(self._link)} -> {visible_path(self._target)}"
        message = f"{visible_path(self._path_text)} leads nowhere: symbolic links form a loop"
        message += f", one of them {link_text}." if self._link else "."
        hint = "Leave it alone, or remove the link."
        link = {"link": self._link, "target": self._target}
        refuse_path("outside_workspace", self._path_text, message, "loop", hint, recoverable=False, **link)


def _parts(text: str) -> list[str]:
    return [part for part in text.split("/") if part not in {"", "."}]


def _join(folder: str, parts: Sequence[str]) -> str:
    return ("" if folder == "/" else folder) + "/" + "/".join(parts)
