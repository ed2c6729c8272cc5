"""Requests and answers as files, so that another process can answer.

Each pending request is a directory with `request.json`, created complete by a rename. An answer is `answer.json` next
to it, created complete by a hard link that only the first can make. The process that asked removes the directory by a
rename, so that a late answer fails and is reported. It holds a lock on the request file while it lives; what a dead
process has left is removed by whoever finds it.
"""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path
from time import time
from weakref import WeakSet

from ..state.private_files import (
    UnsafeStateError,
    check_private_folders,
    make_private_folder,
    open_private,
    read_private,
)
from ..state.regular_files import open_regular
from ..state.state_folder import state_base
from .answer_log import AnswerLog
from .answers import Answer
from .requests import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REQUEST = "request.json"
ANSWER = "answer.json"
#: The file that says that somebody was told about a request.
_NOTICED = "noticed"
#: The suffix of an answer that is being written.
_STAGED = ".tmp"
#: The prefixes of directories that are being created or removed.
_NEW, _REMOVED = ".new-", ".gone-"
#: The age in seconds from which such a directory counts as abandoned.
_ABANDONED = 60.0
#: The most bytes of an answer that are read.
_LARGEST = 10_000_000
#: The age in seconds from which an invalid answer is no longer being written, and is removed.
_WRITTEN = 1.0
#: The most names and links on the path of a folder.
_MOST_STEPS = 4000


#: The folders of this process.
_folders: WeakSet[ApprovalFolder] = WeakSet()


class NotPendingError(LookupError):
    """The request is not pending: it was answered or withdrawn, or never existed."""


class ApprovalFolder:
    """A directory of pending requests. One process writes them; any other process of the same user may answer.

    It must be outside the workspace: whoever can write there can approve. `poll` is the interval in seconds at which
    the asking process looks for answers.
    """

    def __init__(self, path: str | os.PathLike[str], *, poll: float = 0.05) -> None:
        self.path = Path(path).absolute()
        self.poll = poll
        #: What became of the closed requests.
        self.log = AnswerLog(self.path)
        #: The descriptors that hold the locks of this process's requests.
        self._held: dict[str, int] = {}
        _folders.add(self)

    # For the process that asks.

    def put(self, request: Request) -> None:
        """Open a request.

        Raises:
            OSError: the directory can't be written, or other users can write there.
        """
        _check_id(request.id)
        self._make()
        new = self.path / f"{_NEW}{request.id}"
        new.mkdir(0o700)
        descriptor = -1
        try:
            descriptor = os.open(new / REQUEST, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _write(descriptor, request.to_json())
            new.rename(self.path / request.id)
        except BaseException:
            if descriptor >= 0:
                os.close(descriptor)
            _remove(new)
            raise
        self._held[request.id] = descriptor

    def answer(self, request: Request) -> Answer | None:
        """The answer to a request, if there is one. An invalid answer is removed."""
        where = f"{self.path}/{request.id}/{ANSWER}"
        found = None
        try:
            found = _read_answer(self._base(), where, request)
        except FileNotFoundError:
            return None
        except OSError:
            pass  # it is not a file, or somebody else could have written it
        with suppress(OSError):
            if found is None and os.lstat(where).st_mtime < time() - _WRITTEN:
                os.unlink(where)  # noqa: PTH108
        return found

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

    def withdraw(self, request: Request, answer: Answer | None = None) -> None:
        """Close a request, and log its answer if it has one. After the rename it can't be answered."""
        gone = self.path / f"{_REMOVED}{request.id}"
        try:
            (self.path / request.id).rename(gone)
            _remove(gone)
        except FileNotFoundError:
            # Somebody has removed the directory.
            pass
        finally:
            descriptor = self._held.pop(request.id, -1)
            if descriptor >= 0:
                os.close(descriptor)
                self.log.append(request, answer)

    # For the process that answers.

    def pending(self) -> list[Request]:
        """The pending requests, oldest first."""
        found = []
        for name in self.ids():
            with suppress(NotPendingError):
                found.append(self.request(name))
        return found

    def ids(self) -> list[str]:
        """The ids of what may be pending, oldest first. `request` says which are."""
        self._sweep()
        return [name for name in self._names() if not name.startswith(".")]

    def reply(self, request_id: str, answer: Answer) -> None:
        """Answer a request. The first answer counts.

        Raises:
            NotPendingError: the request was answered or withdrawn, or the process that asked is gone.
            ValueError: it does not answer this request.
        """
        request = self.request(request_id)
        answer.check(request)
        folder = self.path / request_id
        staged = folder / f"{os.urandom(6).hex()}{_STAGED}"
        try:
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _write(descriptor, answer.to_json())
            finally:
                os.close(descriptor)
            (folder / ANSWER).hardlink_to(staged)
        except (FileExistsError, FileNotFoundError):
            raise NotPendingError(_not_pending(request_id)) from None
        finally:
            staged.unlink(missing_ok=True)
        if self._is_abandoned(folder):
            raise NotPendingError(_not_pending(request_id))

    def request(self, name: str) -> Request:
        """One pending request.

        Raises:
            NotPendingError: it was answered or withdrawn, or the process that asked is gone.
            ValueError: it is not an id.
        """
        _, text = self.look(name)
        try:
            return read_request(name, text or "")
        except ValueError:
            raise NotPendingError(_not_pending(name)) from None

    def claim_notice(self, name: str) -> bool:
        """Whether nobody was told about a request yet; from now on, somebody was.

        Raises:
            OSError: there is no such request.
            ValueError: it is not an id.
        """
        _check_id(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            os.close(os.open(self.path / name / _NOTICED, flags, 0o600))
        except FileExistsError:
            return False
        return True

    def look(self, name: str, known: int = -1) -> tuple[int, str | None]:
        """The text of a pending request, and the number of its file; no text if that number is `known`.

        Raises:
            NotPendingError: it was answered or withdrawn, or the process that asked is gone.
            ValueError: it is not an id.
        """
        _check_id(name)
        folder = self.path / name
        try:
            descriptor = open_private(self._base(), str(folder / REQUEST))
        except OSError:
            raise NotPendingError(_not_pending(name)) from None
        try:
            if _is_free(descriptor):
                # The process that asked is dead, or this is no request at all: then it is not ours to remove.
                read_request(name, _text(descriptor))
                _remove(folder)
                raise NotPendingError(_not_pending(name))
            # If it was closed since it was opened, its answer is no longer at this path, but neither is the request.
            if os.path.lexists(folder / ANSWER) or not os.path.lexists(folder / REQUEST):
                raise NotPendingError(_not_pending(name))
            number = os.fstat(descriptor).st_ino
            if number == known:
                return number, None
            return number, _text(descriptor)
        except ValueError:
            raise NotPendingError(_not_pending(name)) from None
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
            is_ours = not self.path.is_symlink() and self.path.lstat().st_uid == os.geteuid()
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


os.register_at_fork(after_in_child=_let_go_in_child)


def _steps(path: Path) -> list[Path]:
    """Every path that the system goes through to reach an absolute path, those of links too."""
    steps: list[Path] = []
    here, names = path, list(path.parts[::-1])
    while names and len(steps) < _MOST_STEPS:
        name = names.pop()
        here = here.parent if name == ".." else here / name
        steps.append(here)
        with suppress(OSError):
            names += here.readlink().parts[::-1]
            here = here.parent
    return steps


def _check_id(name: str) -> None:
    """Refuse an invalid id: it becomes the name of a directory."""
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        message = f"expected an id of letters, digits, - and _; found {name!r}"
        raise ValueError(message)


def read_request(name: str, text: str) -> Request:
    """The request in the directory of this name.

    Raises:
        ValueError: it is not a request, or that of a different directory, where an answer would not find it.
    """
    request = Request.from_json(text)
    if request.id != name:
        message = f"expected the request {name}; found {request.id!r}"
        raise ValueError(message)
    return request


def _text(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8", closefd=False) as file:
        return file.read()


def _not_pending(request_id: str) -> str:
    return f"the request {request_id} is not pending: it was answered or withdrawn, or never existed"


def _is_free(descriptor: int) -> bool:
    """Whether nobody holds the lock of a file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(descriptor: int, text: str) -> None:
    data = memoryview(text.encode("utf-8"))
    while data:
        data = data[os.write(descriptor, data) :]


def _read_answer(base: str, path: str, request: Request) -> Answer | None:
    """An answer; None if the file is not a valid answer (yet).

    Raises:
        OSError: there is no file, or it can't be read.
    """
    data = read_private(base, path, _LARGEST)
    try:
        answer = Answer.from_json(data.decode("utf-8"))
        answer.check(request)
    except ValueError:
        return None
    return answer


def _remove(folder: Path) -> None:
    """Remove the directory of a request. What can't be removed now is removed by `pending` later.

    A link is not followed, and a file that is no part of a request stays, and so does the directory then.
    """
    with suppress(OSError):
        for entry in () if folder.is_symlink() else folder.iterdir():
            if entry.name in (REQUEST, ANSWER, _NOTICED) or entry.suffix == _STAGED:
                entry.unlink(missing_ok=True)
        folder.rmdir()
