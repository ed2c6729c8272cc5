"""Walks the files that a search may show: within the guard and the rules, without links and without what git ignores.

Each directory is opened once, from the one that contains it, and everything in it is reached from there. So a step
costs the same at every depth. What is visited has limits, and `cut` says when one of them was met.
"""

from __future__ import annotations

import errno
from contextlib import suppress

from ..core.common_limits import DEEPEST_FOLDER
from ..core.file_errors import FileTooLargeError
from ..core.problems import PatchRejectedError
from ..core.value import Value
from ..workspace.glob_automaton import Work
from .agent_limits import LARGEST_IGNORE_FILE, MOST_WALK_WORK, MOST_WALKED
from .ignore_files import IgnoreFile, IgnoreRules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..workspace.files.file_system import OpenFolder, Stat
    from ..workspace.guard import Guard, ResolvedPath

_IGNORE_FILE = ".gitignore"


class FoundFile(Value):
    """A file that a search may show."""

    path: str
    shown: str
    stat: Stat


class _Level:
    """A directory that is open, and what is still to be walked in it."""

    def __init__(self, folder: OpenFolder, path: str, rules: IgnoreRules) -> None:
        self.folder = folder
        self.path = path.rstrip("/")
        self.rules = rules
        #: The names of the directories in it, the first one last.
        self.waiting: list[str] = []


class FileWalk:
    """One walk below a file or directory."""

    def __init__(self, guard: Guard, start: ResolvedPath) -> None:
        self._guard = guard
        self._start = start
        self._visited = 0
        self._work = Work()
        self._is_over = False
        #: Why not everything was visited; empty if it was.
        self.cut = ""

    def files(self) -> Iterator[FoundFile]:
        """The files below the start that may be read: those of a directory, then those of the directories in it."""
        stat = self._start.found
        if stat is not None and stat.kind == "file":
            yield FoundFile(self._start.path, self._start.shown, stat)
        elif stat is not None:
            yield from self._files_below_start()

    def _files_below_start(self) -> Iterator[FoundFile]:
        levels: list[_Level] = []
        try:
            level = self._first_level()
            while level is not None:
                levels.append(level)
                yield from self._files_in(level)
                level = self._next_level(levels)
        finally:
            for level in levels:
                level.folder.close()

    def _first_level(self) -> _Level | None:
        """The start, with the `.gitignore` files above it; None if they leave it out, or if it is gone."""
        start = self._start.path
        roots = [root for root, prefix in self._guard.roots if start == root or start.startswith(prefix)]
        root = roots[0] if roots else start
        rules = IgnoreRules()
        try:
            folder = self._guard.files.open_folder(root)
        except OSError as error:
            self._note(error)
            return None
        for name in [name for name in start[len(root) :].split("/") if name]:
            rules = self._with_ignore_file(rules, folder)
            below = None if rules.ignores(name, is_folder=True) else self._open(folder, name)
            folder.close()
            if below is None:
                return None
            folder, rules = below, rules.below(name)
        return _Level(folder, start, rules)

    def _next_level(self, levels: list[_Level]) -> _Level | None:
        """The next directory to walk; those that are done are closed."""
        while levels and not self._is_over:
            if not levels[-1].waiting:
                levels.pop().folder.close()
                continue
            level = self._level_below(levels[-1], levels[-1].waiting.pop(), len(levels))
            if level is not None:
                return level
        return None

    def _level_below(self, level: _Level, name: str, depth: int) -> _Level | None:
        if depth > DEEPEST_FOLDER:
            self.cut = f"directories more than {DEEPEST_FOLDER} levels deep were left out"
            return None
        folder = self._open(level.folder, name)
        return None if folder is None else _Level(folder, f"{level.path}/{name}", level.rules.below(name))

    def _files_in(self, level: _Level) -> Iterator[FoundFile]:
        """The files of a directory that may be read. Its directories are noted in it."""
        level.rules = self._with_ignore_file(level.rules, level.folder)
        folders: list[str] = []
        try:
            names = level.folder.names()
        except OSError as error:
            self._note(error)
            return
        for name in names:
            path = f"{level.path}/{name}"
            if self._is_too_much(path):
                return
            stat = self._stat(level.folder, name, path)
            if stat is None or level.rules.ignores(name, is_folder=stat.kind == "folder"):
                continue
            if stat.kind == "folder":
                folders.append(name)
            elif stat.kind == "file":
                yield FoundFile(path, self._guard.shown(path), stat)
        level.waiting = folders[::-1]

    def _is_too_much(self, path: str) -> bool:
        """Count a path, and end the walk if there were too many."""
        self._visited += 1
        self._work.amount += len(path)
        if self._visited > MOST_WALKED:
            self.cut = f"only the first {MOST_WALKED:,} files and directories were visited"
            self._is_over = True
        elif self._work.amount > MOST_WALK_WORK:
            self.cut = f"only the first {self._visited:,} files and directories were visited: the names are too long"
            self.cut += f", or the {_IGNORE_FILE} files too large"
            self._is_over = True
        return self._is_over

    def _stat(self, folder: OpenFolder, name: str, path: str) -> Stat | None:
        """What a path is; None if it may not be named or is gone."""
        try:
            self._guard.check_globs(path, path)
        except PatchRejectedError as refused:
            # A directory that is not among the allowed paths may lead to some.
            if refused.problems[0].reason != "not_allowed":
                return None
            stat = _stat_in(folder, name)
            return stat if stat is not None and stat.kind == "folder" else None
        return _stat_in(folder, name)

    def _with_ignore_file(self, rules: IgnoreRules, folder: OpenFolder) -> IgnoreRules:
        try:
            content = folder.read(_IGNORE_FILE, LARGEST_IGNORE_FILE)
        except FileTooLargeError:
            self.cut = f"{_IGNORE_FILE} files over {LARGEST_IGNORE_FILE:,} bytes were not used"
            return rules
        except OSError:
            return rules
        return rules.and_also(IgnoreFile(content, self._work))

    def _open(self, folder: OpenFolder, name: str) -> OpenFolder | None:
        try:
            return folder.open_folder(name)
        except OSError as error:
            self._note(error)
            return None

    def _note(self, error: OSError) -> None:
        """A directory that can't be opened is left out. That is normal, unless this process can't open any more."""
        if error.errno in (errno.EMFILE, errno.ENFILE):
            self.cut = "too many files are open, so directories were left out"


def _stat_in(folder: OpenFolder, name: str) -> Stat | None:
    with suppress(OSError):
        return folder.stat(name)
    return None
