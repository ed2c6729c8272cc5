"""What differs between operating systems, apart from the files of a workspace: flags, forks, users, signals, paths.

Code elsewhere asks here and does not look at the system's name. How open files are read and flushed is in
`descriptors`, and how those of a workspace are opened in `workspace/files`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

WINDOWS = sys.platform == "win32"

if sys.platform == "win32":
    #: For every descriptor: other programs don't inherit it, and its bytes are as they are.
    OWN = os.O_NOINHERIT | os.O_BINARY
    #: A link at the end of a path is not opened. Windows has no such flag; see `regular_files`.
    NO_LINK = 0
    #: Opening a FIFO does not wait, and a terminal does not become that of the process.
    NO_WAIT = 0
else:
    OWN = os.O_CLOEXEC
    NO_LINK = os.O_NOFOLLOW
    NO_WAIT = os.O_NONBLOCK | os.O_NOCTTY

#: What ends a program, apart from Ctrl-C: the user's session or its parent ends, or somebody asks for it.
ENDING_SIGNALS: tuple[int, ...] = (15, 21) if sys.platform == "win32" else (15, 1)

#: What comes before an absolute path in a URI.
FILE_SCHEME = "file:///" if WINDOWS else "file:"

#: How many seconds Python may wait before it looks whether Ctrl-C was pressed; None where Ctrl-C ends a wait itself.
_TICK = 0.1 if WINDOWS else None

#: To make a file that must not exist.
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | OWN | NO_LINK


def absolute_search_path() -> str:
    """The PATH without its relative directories: there, a repository or an agent could have put a program."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join([folder for folder in folders if os.path.isabs(folder)]) or os.defpath  # noqa: PTH117


def at_fork(
    before: Callable[[], object] | None = None,
    after_in_parent: Callable[[], object] | None = None,
    after_in_child: Callable[[], object] | None = None,
) -> None:
    """Register what is called around a fork. Windows has no forks."""
    if sys.platform != "win32":
        hooks = {"before": before, "after_in_parent": after_in_parent, "after_in_child": after_in_child}
        os.register_at_fork(**{name: hook for name, hook in hooks.items() if hook is not None})


def kill_this_process() -> NoReturn:
    """End this process at once, as if somebody had pulled its plug: nothing is cleaned up."""
    # Windows ends a process by any number but those of Ctrl-C; elsewhere 9 is SIGKILL.
    os.kill(os.getpid(), 9)
    raise AssertionError("BUG: a process that was killed goes on")


def wait_until(is_over: Callable[[float | None], bool]) -> None:
    """Call the `wait` of an event until it is over. Ctrl-C interrupts this on Windows too, where it ends no wait."""
    while not is_over(_TICK):
        pass


def user_and_group() -> tuple[int, int]:
    """The user and the group of this process; zeros on Windows, as the status of its files has them."""
    if sys.platform == "win32":
        ids = 0, 0
    else:
        ids = os.getuid(), os.getgid()
    return ids


def is_mine(status: os.stat_result) -> bool:
    """Whether a file belongs to this user. On Windows the access lists of its directories decide, not the owner."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def is_trusted(status: os.stat_result) -> bool:
    """Whether a file belongs to this user or to the administrator."""
    return is_mine(status) or status.st_uid == 0


def is_open_to_others(status: os.stat_result, permissions: int) -> bool:
    """Whether a file has any of these permissions for others. The modes that Windows reports say nothing of that."""
    return not WINDOWS and bool(status.st_mode & permissions)


def is_absolute(path: str, *, windows: bool = WINDOWS) -> bool:
    """Whether a path with slashes is absolute: `/a`, and on Windows `C:/a`."""
    return path[:1] == "/" or (windows and path[1:2] == ":" and path[2:3] in {"/", ""} and path[0].isalpha())


def anchor(path: str) -> tuple[str, str]:
    """Where an absolute path starts, and the rest of it: "/" or "C:"."""
    return ("/", path) if path[:1] == "/" else (path[:2], path[3:])


def without_anchor(path: str) -> str:
    """A path as globs and copies of files have it, relative to the root of all: `a` of `/a`, `C/a` of `C:/a`."""
    if is_absolute(path) and path[:1] != "/":
        return path[0] + path[2:]
    return path.lstrip("/")


def slashed(path: str, *, windows: bool = WINDOWS) -> str:
    """A path of the system as all of Suture has it: with slashes, a capital drive letter, no slash at the end."""
    if not windows:
        return path
    path = path.removeprefix("\\\\?\\").replace("\\", "/")
    if path[1:2] == ":":
        path = path[0].upper() + path[1:]
    return path.rstrip("/") or path


def configuration_home() -> str:
    """Where programs keep the user's settings: `XDG_CONFIG_HOME`, on Windows also `APPDATA`, if one is absolute."""
    for name in ("XDG_CONFIG_HOME", "APPDATA") if WINDOWS else ("XDG_CONFIG_HOME",):
        path = os.environ.get(name, "")
        if os.path.isabs(path):  # noqa: PTH117 - pathlib is slow to import
            return slashed(path)
    return slashed(os.path.expanduser("~/AppData/Roaming" if WINDOWS else "~/.config"))  # noqa: PTH111


def relative_path(path: str, start: str) -> str:
    """The path relative to a directory, with slashes; as it is if they are on different drives."""
    try:
        return slashed(os.path.relpath(path, start))
    except ValueError:
        return path


def real_path(path: str) -> str:
    """The path without links, absolute and with slashes."""
    return slashed(os.path.realpath(path))


def absolute_path(path: str) -> str:
    """The path as an absolute one, normalized and with slashes."""
    return slashed(os.path.abspath(path))  # noqa: PTH100 - pathlib is slow to import
