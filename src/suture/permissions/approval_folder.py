"""Requests and answers as files, so that another process can answer.

Each open request is a folder of its own with `request.json` in it, which appears whole by a rename. An answer appears
whole as `answer.json` beside it, by a hard link that only the first can make. Whoever asked takes the folder away by a
rename, so that a late answer has no place to go and is told so. A request file is locked by its process as long as that
lives; what a dead one has left is cleared away by whoever comes upon it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from time import time

from .answers import Answer
from .requests import Request

REQUEST = "request.json"
ANSWER = "answer.json"
#: Folders that come or go have names of which these are the beginnings.
_COMING, _GOING = ".new-", ".gone-"
#: How old such a folder is, in seconds, when nobody works on it any more.
_FORSAKEN = 60.0
#: How old an answer is, in seconds, when it will not become a good one any more: it is no longer being written.
_WRITTEN = 1.0


class NotPendingError(LookupError):
    """An answer came for a request that is not open: it was answered or withdrawn, or there never was one."""


class ApprovalFolder:
    """A folder of open requests; one process puts them there, any other of the same user may answer.

    It has to lie outside of the workspace: who can write into it can approve. `poll` is how often the one who asks
    looks for answers, in seconds.
    """

    def __init__(self, path: str | os.PathLike[str], *, poll: float = 0.05) -> None:
        self.path = Path(path).absolute()
        self.poll = poll
        #: The descriptors that hold the locks of our own requests.
        self._held: dict[str, int] = {}

    # For the one who asks.

    def put(self, request: Request) -> None:
        """Open a request.

        Raises:
            OSError: the folder can't be written, or is open to others.
        """
        _check_id(request.id)
        self._make()
        new = self.path / f"{_COMING}{request.id}"
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
        """The answer to a request, if there is one. What is none, and stays so, is taken away."""
        where = self.path / request.id / ANSWER
        try:
            found = _read_answer(where, request)
            if found is None and where.stat().st_mtime < time() - _WRITTEN:
                where.unlink()
        except FileNotFoundError:
            return None
        return found

    def withdraw(self, request: Request) -> None:
        """Close a request, answered or not. From the rename on nobody can answer it any more."""
        gone = self.path / f"{_GOING}{request.id}"
        try:
            (self.path / request.id).rename(gone)
            _remove(gone)
        except FileNotFoundError:
            # Somebody has cleared the folder away.
            pass
        finally:
            descriptor = self._held.pop(request.id, -1)
            if descriptor >= 0:
                os.close(descriptor)

    # For the one who answers.

    def pending(self) -> list[Request]:
        """The open requests, the oldest first."""
        self._sweep()
        found = []
        for name in self._names():
            if not name.startswith("."):
                with suppress(NotPendingError):
                    found.append(self._request(name))
        return found

    def reply(self, request_id: str, answer: Answer) -> None:
        """Answer a request. The first answer counts.

        Raises:
            NotPendingError: the request was answered or withdrawn, or whoever asked is gone.
            ValueError: it is no answer to this request.
        """
        request = self._request(request_id)
        answer.check(request)
        folder = self.path / request_id
        staged = folder / f"{os.urandom(6).hex()}.tmp"
        try:
            descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _write(descriptor, answer.to_json())
            finally:
                os.close(descriptor)
            (folder / ANSWER).hardlink_to(staged)
        except (FileExistsError, FileNotFoundError):
            raise NotPendingError(_ended(request_id)) from None
        finally:
            staged.unlink(missing_ok=True)

    # How it is done.

    def _request(self, name: str) -> Request:
        _check_id(name)
        folder = self.path / name
        try:
            descriptor = os.open(folder / REQUEST, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            raise NotPendingError(_ended(name)) from None
        try:
            if _is_free(descriptor):
                # Whoever asked is dead.
                _remove(folder)
                raise NotPendingError(_ended(name))
            if (folder / ANSWER).exists():
                raise NotPendingError(_ended(name))
            with open(descriptor, encoding="utf-8", closefd=False) as file:
                return Request.from_json(file.read())
        except ValueError:
            raise NotPendingError(_ended(name)) from None
        finally:
            os.close(descriptor)

    def _names(self) -> list[str]:
        try:
            return sorted([entry.name for entry in self.path.iterdir()])
        except FileNotFoundError:
            return []

    def _make(self) -> None:
        """Make the folder. One that others can reach is refused: they could approve."""
        self.path.mkdir(0o700, parents=True, exist_ok=True)
        found = self.path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise PermissionError(errno.EPERM, "others can write there, so they could approve", str(self.path))

    def _sweep(self) -> None:
        """Clear away what was left by processes that died while they opened or closed a request."""
        for name in self._names():
            if name.startswith((_COMING, _GOING)):
                with suppress(FileNotFoundError):
                    if (self.path / name).stat().st_mtime < time() - _FORSAKEN:
                        _remove(self.path / name)


def _check_id(name: str) -> None:
    """Refuse what is no id: it becomes a name in the folder."""
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        message = f"expected an id of letters, digits, - and _; found {name!r}"
        raise ValueError(message)


def _ended(request_id: str) -> str:
    return f"the request {request_id} is not open: it was answered, or withdrawn by whoever asked, or never there"


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


def _read_answer(path: Path, request: Request) -> Answer | None:
    """An answer; None for a file that is none (yet).

    Raises:
        FileNotFoundError: there is no file.
    """
    data = path.read_bytes()
    try:
        answer = Answer.from_json(data.decode("utf-8"))
        answer.check(request)
    except ValueError:
        return None
    return answer


def _remove(folder: Path) -> None:
    """Remove a folder of one request with the files in it. What can't be removed stays for `pending` to sweep away."""
    with suppress(OSError):
        for entry in folder.iterdir():
            entry.unlink(missing_ok=True)
        folder.rmdir()
