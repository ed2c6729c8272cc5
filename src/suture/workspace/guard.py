"""Which paths may be touched: every path text of a model goes through here before anything is read or written.

A path is resolved as the system would resolve it, symbolic links included, but nothing outside the roots is looked at:
the moment that a step would leave them it is refused. What comes out is a path without links. It is not a promise that
there will be none when it is used: `Files` refuses to follow any, and that closes the gap between check and use.
"""

from __future__ import annotations

import errno
import os
import posixpath

from ..core.paths import LONGEST_PATH, check_path, refuse_path, visible_path
from ..core.problems import PatchRejectedError
from ..core.value import Value
from .files import failure, problem_of
from .globs import Globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import ClassVar, NoReturn

    from .files import Files, Stat

#: What no path may match unless it is lifted by name: the repository's own data, and secrets.
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
#: Files that only show what the secret ones look like.
_SHOWN_AS = ("example", "sample", "template")
_EXCEPTIONS = {"**/.env.*": tuple([f"**/.env{more}.{end}" for end in _SHOWN_AS for more in ("", ".*")])}

#: How many links one path may lead through, as Linux has it, and how many looks at the disk one path may cost.
_MOST_LINKS = 40
_MOST_LOOKS = 250

_INSIDE = "Use a path inside the workspace, relative to its folder."


class ResolvedPath(Value):
    """A path that may be touched.

    `name` is the absolute path of the name itself: links before its last part are followed, that one is not. `path` is
    where all links lead. `shown` is `name` for people and models: relative to the first root, or absolute in another.
    """

    name: str
    path: str
    shown: str
    is_link: bool = False
    #: The links on the way, each as "link -> target".
    via: tuple[str, ...] = ()
    #: What stood at `path` when it was resolved.
    found: Stat | None = None

    _not_compared: ClassVar[tuple[str, ...]] = ("found",)


class Guard:
    """Tells for each path text where it leads and whether that may be touched.

    `allow` and `deny` are globs on the path relative to its root. With no `allow` all is allowed; `deny` goes before it
    and matches all that is below what it matches. `lift` takes globs of `DEFAULT_DENY` out of force. `hard_links=False`
    refuses files that have another name, which may be outside; `allow_absolute=False` refuses absolute paths.
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
    ) -> None:
        self.files = files
        lifted = frozenset(lift)
        if unknown := lifted.difference(DEFAULT_DENY):
            raise ValueError("Only what is denied by default can be lifted, and not: " + ", ".join(sorted(unknown)))
        self._allow = Globs(allow)
        self._default = Globs([glob for glob in DEFAULT_DENY if glob not in lifted], below=True, exceptions=_EXCEPTIONS)
        self._deny = Globs(deny, below=True)
        self._hard_links = hard_links
        self._allow_absolute = allow_absolute
        self.roots = tuple([(root, root if root == "/" else root + "/") for root in files.roots])

    def resolve(self, path_text: str, *, relative_to: str = "") -> ResolvedPath:
        """Where a path text leads. A relative one starts at `relative_to`, which is itself relative to the first root.

        Raises:
            PatchRejectedError: it may not be touched, or it is no path; with the one problem.
        """
        text = check_path(path_text)
        if text[0] == "/" and not self._allow_absolute:
            message = f"{visible_path(text)} is an absolute path, and only relative ones are accepted."
            refuse_path("command_failed", path_text, message, "absolute", _INSIDE)
        if relative_to and text[0] != "/":
            text = f"{relative_to}/{text}"
        return _Walk(self, path_text).to_the_end(text)

    def check_file(self, resolved: ResolvedPath, stat: Stat | None) -> None:
        """Refuse what is no regular file, and where it is asked for a file with another name. What is absent passes.

        Raises:
            PatchRejectedError: with the one problem.
        """
        if stat is None or (stat.kind == "file" and (stat.links == 1 or self._hard_links)):
            return
        shown = visible_path(resolved.shown)
        if resolved.via:
            shown += f" (by the symbolic link {visible_path(', '.join(resolved.via))})"
        if stat.kind == "folder":
            message, hint = f"Path is a directory, not a file: {shown}.", "Name a file in it."
            refuse_path("is_directory", resolved.shown, message, "folder", hint)
        if stat.kind != "file":
            message = f"{shown} is not a regular file: only texts can be edited."
            hint = "Leave it alone: a device, a FIFO or a socket can't be edited."
            refuse_path("not_a_file", resolved.shown, message, "special", hint, recoverable=False)
        message = f"{shown} has {stat.links} names (hard links), and the others may be outside the workspace."
        hint = "Leave it alone. Whoever runs this can allow such files with hard_links=True."
        refuse_path("permission_denied", resolved.shown, message, "hard_link", hint, recoverable=False)

    def shown(self, path: str) -> str:
        """An absolute path as people and models see it: relative to the first root, as it is in any other."""
        root, prefix = self.roots[0]
        return "." if path == root else path.removeprefix(prefix)

    def check_globs(self, path: str, path_text: str, via: Sequence[str] = ()) -> None:
        """Refuse an absolute path that is denied or not allowed; `path_text` is what the model wrote.

        Raises:
            PatchRejectedError: with the one problem.
        """
        relative = self._relative(path)
        if not relative:
            return
        globs = self._default.matching(relative)
        denied = globs or (self._deny.matching(relative) if self._deny else ())
        allowed = not self._allow or self._allow.matching(relative)
        if allowed and not denied:
            return
        named = visible_path(path_text)
        if via:
            named += (
                f" (which is {visible_path(self.shown(path))}, by the symbolic link {visible_path(', '.join(via))})"
            )
        hint = "Leave it alone and go on without it. Whoever runs this can allow it with "
        if not denied:
            message = f"{named} may not be touched: it is none of the paths that are allowed."
            hint += "the setting allow."
            refuse_path("permission_denied", path_text, message, "not_allowed", hint, recoverable=False)
        message = f"{named} may not be touched: it matches {denied[0]}, which is denied."
        hint += f"lift={globs}." if globs else "the setting deny."
        refuse_path("permission_denied", path_text, message, "denied", hint, recoverable=False, glob=denied[0])

    def _relative(self, path: str) -> str:
        for root, prefix in self.roots:
            if path.startswith(prefix):
                return path[len(prefix) :]
            if path == root:
                return ""
        raise AssertionError("BUG: a path beneath no root: " + path)

    def is_inside(self, path: str) -> bool:
        """Whether an absolute path is a root or below one."""
        return any(path.startswith(prefix) or path == root for root, prefix in self.roots)

    def from_a_root(self, path: str) -> tuple[str, str]:
        """Where the walk along an absolute path begins, and what is left of it: at a root if it leads through one.

        What is above a root is a folder on a real path, so nothing has to be looked at to come down to it again.
        """
        for alias, root in self.files.aliases:
            if path == alias or path.startswith(alias + "/"):
                path = root + path[len(alias) :]
                break
        for root, prefix in self.roots:
            if path.startswith(prefix):
                return root, path[len(prefix) :]
        return "/", path

    def is_above_a_root(self, path: str) -> bool:
        """Whether an absolute path is on the way to a root."""
        below = path if path == "/" else path + "/"
        return any(root.startswith(below) for root, _ in self.roots)


class _Walk:
    """The way of one path text: links are followed as texts, one after the other, and each look is counted."""

    def __init__(self, guard: Guard, path_text: str) -> None:
        self._guard = guard
        self._path_text = path_text
        self._via: list[str] = []
        self._looks = 0
        #: The last link that was followed, and what it says.
        self._link = self._target = ""

    def to_the_end(self, text: str) -> ResolvedPath:
        guard = self._guard
        here, text = guard.from_a_root(text) if text[0] == "/" else (guard.roots[0][0], text)
        waiting = _parts(text)
        name = ""
        is_link = looked = False
        found: Stat | None = None
        while waiting:
            first = waiting[0]
            if first == ".." and here == guard.roots[0][0] == "/":
                # For the system there is nothing above it, but whoever writes this means something else.
                self._refuse_outside()
            if first == ".." or not guard.is_inside(here):
                # `here` is a real path, so what is above it is what its text says, and what is on the way from there
                # down to a root needs no look.
                here = posixpath.dirname(here) if first == ".." else _join(here, [first])
                if not (guard.is_inside(here) or guard.is_above_a_root(here)):
                    self._refuse_outside()
                waiting = waiting[1:]
                looked = False
                continue
            # All up to the next `..` in one look. It says which link stands in the way, if one does.
            end = waiting.index("..") if ".." in waiting else len(waiting)
            there, rest = _join(here, waiting[:end]), waiting[end:]
            found, link = self._look(there)
            if not link:
                here, waiting, looked = there, rest, True
                name = name or ("" if rest else there)
                continue
            guard.check_globs(there, self._path_text, self._via)
            target = self._follow(link)
            if target is None:
                continue
            behind = _parts(there[len(link) :])
            if not (name or behind or rest):
                name, is_link = link, True
            here, target = guard.from_a_root(target) if target[:1] == "/" else (posixpath.dirname(link), target)
            waiting = [*_parts(target), *behind, *rest]
            looked = False
        if not guard.is_inside(here):
            self._refuse_outside()
        if not looked:
            found, link = self._look(here)
            if link:
                # It was a folder a moment ago: somebody swaps it.
                raise PatchRejectedError([problem_of(failure(errno.ELOOP, link), guard.shown(link))])
        name = name or here
        guard.check_globs(here, self._path_text, self._via)
        return ResolvedPath(name, here, guard.shown(name), is_link, tuple(self._via), found)

    def _look(self, path: str) -> tuple[Stat | None, str]:
        """What stands at a path, and the first link on the way to it or at its end."""
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            self._refuse_loop()
        if len(path) > LONGEST_PATH // 4 and len(os.fsencode(path)) > LONGEST_PATH:
            message = f"{visible_path(self._path_text)} leads to a path of more than {LONGEST_PATH} bytes."
            refuse_path("invalid_arguments", self._path_text, message, "too_long", "Choose a shorter path.")
        try:
            found = self._guard.files.stat(path)
        except OSError as error:
            link = error.filename
            if error.errno == errno.ELOOP and isinstance(link, str) and f"{path}/".startswith(f"{link}/"):
                return None, link
            raise PatchRejectedError([problem_of(error, self._guard.shown(path))]) from error
        return found, path if found is not None and found.kind == "link" else ""

    def _follow(self, link: str) -> str | None:
        """What a link says; None where it is none any more, and has to be looked at again."""
        if len(self._via) >= _MOST_LINKS:
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
            way = f"{visible_path(self._link)} -> {visible_path(self._target)}"
            message = f"{path} is outside the workspace: the symbolic link {way} leads out of it."
            hint = "Leave what is behind this link alone. " + _INSIDE
            link = {"link": self._link, "target": self._target}
            refuse_path("outside_workspace", self._path_text, message, "link", hint, recoverable=False, **link)
        if self._path_text[0] == "/":
            refuse_path("outside_workspace", self._path_text, f"{path} is outside the workspace.", "absolute", _INSIDE)
        message = f"{path} is outside the workspace: it leads above the workspace's folder."
        refuse_path("outside_workspace", self._path_text, message, "parent", _INSIDE)

    def _refuse_loop(self) -> NoReturn:
        way = f"{visible_path(self._link)} -> {visible_path(self._target)}"
        message = f"{visible_path(self._path_text)} leads nowhere: symbolic links lead round in a circle"
        message += f", one of them {way}." if self._link else "."
        hint = "Leave it alone, or remove the link."
        link = {"link": self._link, "target": self._target}
        refuse_path("outside_workspace", self._path_text, message, "loop", hint, recoverable=False, **link)


def _parts(text: str) -> list[str]:
    return [part for part in text.split("/") if part not in {"", "."}]


def _join(folder: str, parts: Sequence[str]) -> str:
    return ("" if folder == "/" else folder) + "/" + "/".join(parts)
