"""Which sessions are at work and claim the files that they have read: advice for others, which holds nobody back.

Each such session has a file in the state directory, which its process keeps locked. The kernel releases the lock when
the process ends, so a dead process claims nothing. Which files a session has read is in the store.

The first line of the file says who it is, and never changes. The second has the files that it has finished with. If
that is just being written, or had no room, the session still claims them: others are held up, and nothing is missed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from time import time

from ..core.descriptors import read_all
from ..core.file_errors import FileTooLargeError
from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from ..core.system import NO_LINK, OWN, WINDOWS
from ..core.value import Value
from .private_files import make_private_folder
from .state_limits import LARGEST_CLAIM
from .system_locks import EXCLUSIVE, SHARED, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .workspace_state import WorkspaceState

#: The directory of the files, in the state directory of a workspace.
CLAIMS = "claims"
_OPEN = os.O_RDWR | OWN | NO_LINK


class Claimant(Value):
    """A session that is at work: who it is, for how many seconds a read claims a file, and which it has finished with.

    `released` has the times at which it finished with files, by their absolute paths.
    """

    session: str
    actor: str
    seconds: float
    released: Mapping[str, float]

    def __hash__(self) -> int:
        return hash(self.session)


class ClaimFile:
    """The file of a session that is at work. It is held until `close`, or until the process ends."""

    def __init__(self, state: str, session: str, actor: str, seconds: float) -> None:
        make_private_folder(f"{state}/{CLAIMS}")
        name = fingerprint(session.encode("utf-8", "surrogatepass"))[:16]
        self._path = f"{state}/{CLAIMS}/{name}-{os.urandom(4).hex()}"
        self._seconds = seconds
        self._released: dict[str, float] = {}
        self._lock = ForkLock()
        self._first = json.dumps([session, actor, seconds]).encode() + b"\n"
        if len(self._first) > LARGEST_CLAIM // 2:
            message = f"expected the id and the actor of a session with less than {LARGEST_CLAIM // 2:,} bytes"
            raise ValueError(message)
        self._file = self._open_locked()
        try:
            self._write(self._first, 0)
        except OSError:
            self.close()
            raise

    def _open_locked(self) -> int:
        """A new file, locked. One that others took for that of a dead process before it was locked is made again."""
        while True:
            file = os.open(self._path, _OPEN | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                lock(file, EXCLUSIVE)
                if os.path.samestat(os.fstat(file), os.lstat(self._path)):
                    return file
            except (BlockingIOError, FileNotFoundError):
                pass
            except OSError:
                os.close(file)
                raise
            os.close(file)
            with suppress(OSError):
                os.unlink(self._path)

    def release(self, paths: Iterable[str]) -> None:
        """The session has finished with files: others may change them, until it reads them again."""
        with self._lock:
            now = time()
            # An older read claims nothing any more, so it need not be known that the session has finished with it.
            kept = {path: when for path, when in self._released.items() if when > now - self._seconds}
            self._released = _that_fit(kept | dict.fromkeys(paths, now), LARGEST_CLAIM - len(self._first))
            self._write(json.dumps(self._released).encode(), len(self._first))

    def close(self) -> None:
        """Claim nothing any more."""
        with self._lock:
            if self._file >= 0:
                if WINDOWS:
                    # What is open can't be removed there.
                    os.close(self._file)
                with suppress(OSError):
                    os.unlink(self._path)
                if not WINDOWS:
                    os.close(self._file)
                self._file = -1

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            self.close()

    def _write(self, data: bytes, start: int) -> None:
        """Write what the file has from some byte on."""
        os.lseek(self._file, start, os.SEEK_SET)
        left = memoryview(data)
        while left:
            left = left[os.write(self._file, left) :]
        os.ftruncate(self._file, start + len(data))


def _that_fit(released: dict[str, float], room: int) -> dict[str, float]:
    """The latest of the files that a session has finished with, as many as have room in JSON."""
    latest = sorted(released.items(), key=lambda item: item[1], reverse=True)
    kept: dict[str, float] = {}
    for path, when in latest:
        room -= len(json.dumps({path: when}))
        if room < 0:
            break
        kept[path] = when
    return kept


def claimants(state: WorkspaceState) -> list[Claimant]:
    """The sessions that are at work; none in a state in memory. What dead processes have left is removed.

    Raises:
        OSError: a session can't be looked at, and may claim anything.
    """
    folder = state.folder()
    sessions: list[Claimant] = []
    if folder is None:
        return sessions
    with suppress(FileNotFoundError):
        for name in sorted(os.listdir(f"{folder}/{CLAIMS}")):
            path = f"{folder}/{CLAIMS}/{name}"
            try:
                file = os.open(path, _OPEN)
            except (FileNotFoundError, PermissionError):
                continue  # it has ended; on Windows, such a file can't be opened any more
            is_left = False
            try:
                if _is_held(file):
                    sessions += _read(file)
                else:
                    is_left = True
            finally:
                os.close(file)
            if is_left:
                with suppress(OSError):
                    os.unlink(path)
    return sessions


def _is_held(file: int) -> bool:
    """Whether a living process has a file locked."""
    try:
        lock(file, SHARED)
    except BlockingIOError:
        return True
    return False


def _read(file: int) -> list[Claimant]:
    """What a session has written; nothing before it has said who it is."""
    try:
        data = read_all(file, os.fstat(file).st_size, "a claim", LARGEST_CLAIM)
        first, _, second = data.partition(b"\n")
        session, actor, seconds = json.loads(first)
        claimant = Claimant(str(session), str(actor), float(seconds), {})
    except (ValueError, TypeError, FileTooLargeError):
        return []
    try:
        released = {str(path): float(when) for path, when in json.loads(second).items()}
    except (ValueError, TypeError, AttributeError):
        return [claimant]
    return [claimant.replace(released=released)]
