"""Pending requests and their answers as files, so that another process can answer.

Each pending request is a directory with `request.json`, created complete by a rename. An answer is `answer.json` next
to it, created complete by a hard link that only the first can make. The process that asked removes the directory by a
rename, so that a late answer fails and is reported. It holds a lock on the request file while it lives; what a dead
process has left is removed by whoever finds it.

Requests and answers are texts here; what they say is known to `agent`.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from math import isfinite
from pathlib import Path
from time import sleep, time
from weakref import WeakSet

from ..core.regular_files import open_regular
from ..core.system import NEW_FILE, WINDOWS, at_fork, is_mine
from .answer_lines import AnswerLines
from .private_files import UnsafeStateError, check_private_folders, make_private_folder, open_private, read_private
from .state_folder import state_base
from .state_limits import LARGEST_ANSWER, MOST_PATH_STEPS
from .system_locks import EXCLUSIVE, SHARED, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

REQUEST = "request.json"
ANSWER = "answer.json"
#: The file that says that somebody was told about a request.
_NOTICED = "noticed"
#: The file that says until when the agent waits, where that is later than the request says.
_DEADLINE = "deadline"
#: The suffix of an answer that is being written.
_STAGED = ".tmp"
#: The prefixes of directories that are being created or removed.
_NEW, _REMOVED = ".new-", ".gone-"
#: The age in seconds from which such a directory counts as abandoned.
_ABANDONED = 60.0
#: The age in seconds from which an invalid answer is no longer being written, and is removed.
_WRITTEN = 1.0


#: The folders of this process.
_folders: WeakSet[RequestFiles] = WeakSet()


class NotPendingError(LookupError):
    """The request is not pending: it was answered or withdrawn, or never existed."""


class RequestFiles:
    """A directory of pending requests. One process writes them; any other process of the same user may answer.

    `check` raises ValueError for a text that is not the request of an id.
    """

    def __init__(self, path: str | os.PathLike[str], check: Callable[[str, str], object]) -> None:
        self.path = Path(path).absolute()
        self._check = check
        #: What became of the closed requests.
        self.log = AnswerLines(self.path)
        #: The descriptors that hold the locks of this process's requests.
        self._held: dict[str, int] = {}
        _folders.add(self)

    # For the process that asks.

    def put(self, name: str, text: str) -> None:
        """Open a request of this id.

        Raises:
            OSError: the directory can't be written, or other users can write there.
        """
        check_id(name)
        self._make()
        # Windows can't rename a directory with an open file in it. There, others see that the request is incomplete.
        new = self.path / (name if WINDOWS else f"{_NEW}{name}")
        new.mkdir(0o700)
        descriptor = -1
        try:
            descriptor = os.open(new / REQUEST, NEW_FILE, 0o600)
            lock(descriptor, EXCLUSIVE)
            _write(descriptor, text)
            if not WINDOWS:
                new.rename(self.path / name)
        except BaseException:
            if descriptor >= 0:
                os.close(descriptor)
            _remove(new)
            raise
        self._held[name] = descriptor

    def extend(self, name: str, deadline: float) -> None:
        """Say that the agent waits again, until another time. A request that is closed meanwhile is left alone."""
        check_id(name)
        folder = self.path / name
        staged = folder / f"{os.urandom(6).hex()}{_STAGED}"
        with suppress(FileNotFoundError):
            staged.write_text(f"{deadline:f}", encoding="ascii")
            staged.rename(folder / _DEADLINE)

    def answer(self, name: str) -> str | None:
        """The answer to a request, if there is one; empty if it can't be read, or others could have written it."""
        try:
            return read_private(self._base(), f"{self.path}/{name}/{ANSWER}", LARGEST_ANSWER).decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            return ""

    def remove_answer(self, name: str) -> None:
        """Remove an invalid answer, unless it may still be being written."""
        where = self.path / name / ANSWER
        with suppress(OSError):
            if where.lstat().st_mtime < time() - _WRITTEN:
                where.unlink()

    def check_outside(self, roots: Iterable[str]) -> None:
        """Refuse a directory inside a workspace, in which the model could approve its own edits.

        Raises:
            ValueError: it is inside one of these roots, or a link on its path is, which the model could replace.
        """
        steps = _steps(self.path)
        for root in roots:
            if any(step.is_relative_to(os.path.realpath(root)) for step in steps):
                message = f"expected an approval folder outside the workspace {root}, or the model could approve its "
                message += f"own edits; found {self.path}"
                raise ValueError(message)

    def withdraw(self, name: str, line: str) -> None:
        """Close a request, and log a line about it if this process has asked. After the rename it can't be answered."""
        gone = self.path / f"{_REMOVED}{name}"
        descriptor = self._held.pop(name, -1)
        if WINDOWS and descriptor >= 0:
            # It could not be renamed otherwise. Who answers now finds that nobody waits.
            os.close(descriptor)
        try:
            _rename_folder(str(self.path / name), str(gone))
            _remove(gone)
        except FileNotFoundError:
            # Somebody has removed the directory.
            pass
        finally:
            if descriptor >= 0:
                if not WINDOWS:
                    os.close(descriptor)
                self.log.append(line)

    # For the process that answers.

    def ids(self) -> list[str]:
        """The ids of what may be pending, oldest first. `look` says which are."""
        self._sweep()
        return [name for name in self._names() if not name.startswith(".")]

    def reply(self, name: str, text: str) -> None:
        """Answer a request. The first answer counts.

        Raises:
            NotPendingError: the request was answered or withdrawn, or the process that asked is gone.
        """
        folder = self.path / name
        staged = folder / f"{os.urandom(6).hex()}{_STAGED}"
        try:
            descriptor = os.open(staged, NEW_FILE, 0o600)
            try:
                _write(descriptor, text)
            finally:
                os.close(descriptor)
            (folder / ANSWER).hardlink_to(staged)
        except (FileExistsError, FileNotFoundError):
            raise NotPendingError(not_pending(name)) from None
        finally:
            staged.unlink(missing_ok=True)
        if self._is_abandoned(folder):
            raise NotPendingError(not_pending(name))

    def deadline(self, name: str) -> float | None:
        """Until when the agent waits for an answer; None if that is as the request says."""
        try:
            later = float(read_private(self._base(), f"{self.path}/{name}/{_DEADLINE}", 100))
        except (OSError, ValueError):
            return None
        return later if isfinite(later) else None

    def claim_notice(self, name: str) -> bool:
        """Whether nobody was told about a request yet; from now on, somebody was.

        Raises:
            OSError: there is no such request.
            ValueError: it is not an id.
        """
        check_id(name)
        try:
            os.close(os.open(self.path / name / _NOTICED, NEW_FILE, 0o600))
        except FileExistsError:
            return False
        return True

    def look(self, name: str, known: int = -1) -> tuple[int, str | None]:
        """The text of a pending request, and the number of its file; no text if that number is `known`.

        Raises:
            NotPendingError: it was answered or withdrawn, or the process that asked is gone.
            ValueError: it is not an id.
        """
        check_id(name)
        folder = self.path / name
        try:
            descriptor = open_private(self._base(), str(folder / REQUEST))
        except OSError:
            raise NotPendingError(not_pending(name)) from None
        try:
            if _is_free(descriptor):
                # The process that asked is dead, or this is no request at all: then it is not ours to remove.
                self._check(name, _text(descriptor))
                _remove(folder)
                raise NotPendingError(not_pending(name))
            # If it was closed since it was opened, its answer is no longer at this path, but neither is the request.
            if os.path.lexists(folder / ANSWER) or not os.path.lexists(folder / REQUEST):
                raise NotPendingError(not_pending(name))
            number = os.fstat(descriptor).st_ino
            if number == known:
                return number, None
            return number, _text(descriptor)
        except ValueError:
            raise NotPendingError(not_pending(name)) from None
        finally:
            os.close(descriptor)

    def _is_abandoned(self, folder: Path) -> bool:
        """Whether the process that asked has died. A living one renames the directory before it lets go of the lock."""
        try:
            descriptor = open_regular(str(folder / REQUEST))
        except OSError:
            return False
        try:
            return _is_free(descriptor) and os.path.lexists(folder / REQUEST)
        finally:
            os.close(descriptor)

    def _names(self) -> list[str]:
        try:
            return sorted([entry.name for entry in self.path.iterdir()])
        except FileNotFoundError:
            return []

    def _make(self) -> None:
        """Create the directory. One that other users can write to is refused: they could approve."""
        make_private_folder(str(self.path))
        try:
            check_private_folders(self._base(), str(self.path))
            is_ours = not self.path.is_symlink() and is_mine(self.path.lstat())
        except UnsafeStateError:
            is_ours = False
        if not is_ours:
            raise PermissionError(errno.EPERM, "other users can write there, so they could approve", str(self.path))

    def _base(self) -> str:
        """The directory from which on no other user may be able to write: that of the state, if it is in there."""
        base = state_base()
        return base if self.path.is_relative_to(base) else str(self.path)

    def _sweep(self) -> None:
        """Remove what was left by processes that died while they opened or closed a request."""
        for name in self._names():
            if name.startswith((_NEW, _REMOVED)):
                with suppress(FileNotFoundError):
                    if (self.path / name).lstat().st_mtime < time() - _ABANDONED:
                        _remove(self.path / name)


def _let_go_in_child() -> None:
    """Leave the requests to the parent process: a child that outlives it must not keep them pending."""
    for folder in _folders:
        while folder._held:  # noqa: SLF001 - of this module
            os.close(folder._held.popitem()[1])  # noqa: SLF001


at_fork(after_in_child=_let_go_in_child)


def _steps(path: Path) -> list[Path]:
    """Every path that the system goes through to reach an absolute path, those of links too."""
    steps: list[Path] = []
    here, names = path, list(path.parts[::-1])
    while names and len(steps) < MOST_PATH_STEPS:
        name = names.pop()
        here = here.parent if name == ".." else here / name
        steps.append(here)
        with suppress(OSError):
            names += here.readlink().parts[::-1]
            here = here.parent
    return steps


def check_id(name: str) -> None:
    """Refuse an invalid id: it becomes the name of a directory."""
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        message = f"expected an id of letters, digits, - and _; found {name!r}"
        raise ValueError(message)


def _text(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8", closefd=False) as file:
        return file.read()


def not_pending(request_id: str) -> str:
    """That a request is not pending."""
    return f"the request {request_id} is not pending: it was answered or withdrawn, or never existed"


def _is_free(descriptor: int) -> bool:
    """Whether nobody holds the lock of a file."""
    try:
        lock(descriptor, SHARED)
    except BlockingIOError:
        return False
    return True


def _write(descriptor: int, text: str) -> None:
    data = memoryview(text.encode("utf-8"))
    while data:
        data = data[os.write(descriptor, data) :]


def _remove(folder: Path) -> None:
    """Remove the directory of a request. What can't be removed now is removed by `pending` later.

    A link is not followed, and a file that is no part of a request stays, and so does the directory then.
    """
    with suppress(OSError):
        for entry in () if folder.is_symlink() else folder.iterdir():
            if entry.name in (REQUEST, ANSWER, _NOTICED, _DEADLINE) or entry.suffix == _STAGED:
                entry.unlink(missing_ok=True)
        folder.rmdir()


def _rename_folder(old: str, new: str) -> None:
    """Rename a directory. On Windows it is tried again for a while if another program has a file in it open."""
    attempts = 50 if sys.platform == "win32" else 1
    while True:
        try:
            os.rename(old, new)
        except PermissionError:
            attempts -= 1
            if not attempts:
                raise
            sleep(0.02)
        else:
            return
