"""The connection to a store's file: opened when it is first needed, shared by threads, closed during a fork.

This module knows SQLite and what can be wrong with a file; the store knows the tables. Every error of SQLite and of the
system leaves here as a Problem. A file that can't be read is never changed or removed: it may be the only record of how
to repair a workspace.

Only transactions at level `FLUSHED` flush the write-ahead log, the first of them with its name. At the other level it
is flushed before its pages are moved into the database: a loss of power may lose the last transactions, but never
leaves an unreadable file, whatever levels the processes that share it use.
"""

from __future__ import annotations

# The public module also imports datetime, for conversions that are not used here: 1.1 ms of the 25 of `apply_patch`.
import _sqlite3 as sqlite3
import atexit
import os
import stat
import sys
import time
from _thread import RLock
from contextlib import suppress
from weakref import ref

from ..core.descriptors import flush, flush_folder
from ..core.fork_lock import ForkLock
from ..core.problems import PatchRejectedError, Problem
from ..core.system import FILE_SCHEME, OWN, at_fork
from ..core.system_errors import hint_of
from .locks import Flock, take, wait_for
from .state_folder import IN_USE, STORE
from .system_locks import EXCLUSIVE, SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: "Sutu", so that a database of another program is not taken for ours.
APPLICATION = 0x53757475

FLUSHED = 2
UNFLUSHED = 1
#: The endings of a database and of the files that SQLite puts next to it.
_COMPANIONS = ("", "-wal", "-shm", "-journal")
#: The size of a page in bytes; no database is smaller.
_PAGE = 4096

#: What SQLite and the system raise. Its messages about a damaged schema can have bytes that are not UTF-8.
_FAILURES = (sqlite3.Error, OSError, UnicodeDecodeError)

_MOVE_AWAY = (
    "It has the journal and the history of this workspace. To start a new history, the user can run: suture doctor "
    "--set-aside. It renames this file and those that belong to it; earlier commits can't be undone then."
)


class Database:
    """A database file with the tables of `schema`, as a context manager that returns the connection.

    `upgrades` are the statements that make a file of an earlier version one of the next.

    Inside the context, no other thread uses it. A transaction that is open at its end is rolled back. `in_use` is the
    lock of that name if the caller already holds it.
    """

    def __init__(
        self,
        folder: str | None,
        schema: Sequence[str],
        version: int,
        upgrades: Mapping[int, Sequence[str]],
        *,
        patience: float,
        in_use: Flock | None = None,
    ) -> None:
        self._folder = folder
        self._schema = schema
        self._version = version
        self._upgrades = upgrades
        self._patience = patience
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._given = in_use
        self._in_use: Flock | None = None
        self._level = UNFLUSHED
        self._wait_seconds = patience
        #: The device and the inode of the open file.
        self._file = (0, 0)
        key = id(self)
        _databases[key] = ref(self, lambda _: _databases.pop(key, None))

    @property
    def path(self) -> str:
        """The file, or SQLite's name for a database in memory."""
        return ":memory:" if self._folder is None else f"{self._folder}/{STORE}"

    def exists(self) -> bool:
        """Whether there is anything to read."""
        return self._connection is not None if self._folder is None else os.path.lexists(self.path)

    def __enter__(self) -> sqlite3.Connection:
        self._lock.acquire()
        try:
            if self.is_open() and not self._is_in_place():
                self.close()
            self.wait(self._patience)
            return self._connection or self._open()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, _FAILURES):
                raise failure(self.path, error) from error
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            connection = self._connection
            if connection is not None and connection.in_transaction:
                connection.rollback()
        except sqlite3.Error as another:
            error = error or another
        finally:
            self._lock.release()
        if isinstance(error, _FAILURES):
            raise failure(self.path, error) from error

    def _is_in_place(self) -> bool:
        """Whether the open file still has its name. What is written to one that was removed is lost."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._file

    def level(self, level: int) -> None:
        """Set whether the following transactions are flushed when they end. Only inside the context."""
        assert self._connection is not None, "BUG: a level is set inside the context"
        if level != self._level:
            self._connection.execute(f"PRAGMA synchronous={level}")
            self._level = level

    def wait(self, seconds: float) -> None:
        """Set how long other processes are waited for until the context ends. Only inside the context."""
        if seconds != self._wait_seconds and self._connection is not None:
            self._connection.execute(f"PRAGMA busy_timeout={int(seconds * 1000)}")
            self._wait_seconds = seconds

    def __del__(self) -> None:
        # Nobody uses it, or there would be a reference. Python 3.13 warns of a connection that is left open.
        self.close()

    def close(self) -> None:
        """Close the file. The next use opens it again; a database in memory is lost."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                _connections.discard(self._connection)
                self._connection = None
            if self._in_use is not self._given and self._in_use is not None:
                self._in_use.release()
            self._in_use = None

    def close_if_idle(self) -> None:
        """Close the file unless another thread is using it."""
        if self._lock.acquire(blocking=False):
            try:
                self.close()
            finally:
                self._lock.release()

    def leave(self) -> None:
        """Leave the file and its log as they are, for a process that ends now.

        Closing by the last process moves the log into the database and flushes both, which takes longer than a commit.
        The next process reads the log again, and moves it once it is long.
        """
        with self._lock:
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._folder is None:
            in_memory = self._connect(":memory:")
            self._make_tables(in_memory)
            return self._keep(in_memory)
        deadline = time.monotonic() + self._patience
        folder = self._folder
        in_use = self._given or wait_for(lambda: take(folder, IN_USE, SHARED), deadline)
        if in_use is None:
            raise sqlite3.OperationalError("the state directory is being removed")
        connection = None
        _opening.acquire()
        try:
            if not os.path.lexists(self.path):
                self._create(deadline)
            self._check_file()
            # mode=rw, because a file that is removed now must not be made again, empty.
            escaped = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            connection = self._connect(f"{FILE_SCHEME}{escaped}?mode=rw")
            self._check_version(connection)
            connection.execute(f"PRAGMA synchronous={UNFLUSHED}")
            # The log is truncated again after one large commit.
            connection.execute("PRAGMA journal_size_limit=16777216")
            if sys.platform == "darwin":
                connection.execute("PRAGMA fullfsync=1")
                connection.execute("PRAGMA checkpoint_fullfsync=1")
            status = os.stat(self.path)
            self._file = status.st_dev, status.st_ino
            self._in_use = in_use
            self._level = UNFLUSHED
            return self._keep(connection)
        except BaseException:
            if connection is not None:
                connection.close()
            if in_use is not self._given:
                in_use.release()
            raise
        finally:
            _opening.release()

    def _keep(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        self._wait_seconds = self._patience
        _connections.add(connection)
        self._connection = connection
        return connection

    def _connect(self, where: str) -> sqlite3.Connection:
        return sqlite3.connect(
            where, timeout=self._patience, isolation_level=None, check_same_thread=False, uri=where.startswith("file:")
        )

    def _create(self, deadline: float) -> None:
        """Make the database under another name and rename it, so that there is a complete one or none.

        This happens once, so it is flushed at any durability: a log that is flushed later is useless without it.
        """
        assert self._folder is not None, "BUG: a database in memory has no file"
        folder = self._folder
        creating = wait_for(lambda: take(folder, "create", EXCLUSIVE), deadline)
        if creating is None:
            raise sqlite3.OperationalError("another process is making it and does not finish")
        new = f"{self.path}.new"
        try:
            if os.path.lexists(self.path):
                return
            if os.path.lexists(f"{self.path}-wal"):
                # SQLite would apply the log of the old database to the new one.
                raise _damaged(self.path, "it is missing, but its log exists")
            for companion in _COMPANIONS:
                with suppress(FileNotFoundError):
                    os.unlink(new + companion)
            descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | OWN, 0o600)
            try:
                connection = self._connect(new)
                try:
                    self._make_tables(connection)
                finally:
                    connection.close()
                flush(descriptor)
            finally:
                os.close(descriptor)
            os.rename(new, self.path)
            flush_folder(folder)
        finally:
            creating.release()

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        for statement in (
            f"PRAGMA page_size={_PAGE}",
            "PRAGMA synchronous=0",
            "PRAGMA journal_mode=MEMORY",
            f"PRAGMA application_id={APPLICATION}",
            f"PRAGMA user_version={self._version}",
            "BEGIN",
            *self._schema,
            "COMMIT",
            "PRAGMA journal_mode=WAL",
        ):
            connection.execute(statement)

    def _check_file(self) -> None:
        """Refuse what SQLite would take for an empty database, or would block on."""
        status = os.lstat(self.path)
        if not stat.S_ISREG(status.st_mode):
            raise _damaged(self.path, "it is not a regular file")
        if status.st_size < _PAGE:
            raise _damaged(self.path, "it is empty or truncated")

    def _check_version(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION:
            raise _damaged(self.path, "it is the database of another program")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > self._version:
            message = f"{self.path} was written by a newer Suture: it has version {version}, not {self._version}."
            hint = f"Use the newer Suture. {_MOVE_AWAY}"
            details = {"path": self.path, "reason": "newer_store", "version": version}
            raise PatchRejectedError([Problem("io_error", message, details=details, hint=hint, recoverable=False)])
        if version < self._version:
            self._upgrade(connection)

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have been quicker.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for earlier in range(version, self._version):
            if earlier not in self._upgrades:
                raise _damaged(self.path, f"it has the version {earlier}")
            for statement in self._upgrades[earlier]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version={self._version}")
        connection.execute("COMMIT")

    def before_fork(self) -> None:
        """Close the file: SQLite's locks are lost in the child, and it does not notice.

        https://www.sqlite.org/howtocorrupt.html, 2.6. A database in memory has no locks and is copied.
        """
        self._lock.acquire()
        if self._folder is not None and not (self._connection and self._connection.in_transaction):
            self.close()

    def is_open(self) -> bool:
        """Whether it has a file open."""
        return self._folder is not None and self._connection is not None

    def after_fork_in_parent(self) -> None:
        """Let the other threads continue."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Start over: the child has none of the other threads, and must not use the parent's files."""
        self._lock = RLock()
        if self._folder is not None:
            # If the hook before the fork could not close it, neither may we: that would end the parent's log.
            self._connection = None
        self._in_use = None


#: Every database of this process, for the hooks around a fork.
_databases: dict[int, ref[Database]] = {}
#: Those whose locks are held for a fork.
_forking: list[Database] = []
#: Held while a file is opened, and during a fork. Taken after the lock of a database.
_opening = ForkLock()
#: Every open connection. Without this, the garbage collector could finalize a connection before its database, which
#: closes it. Connections that must not be closed stay here.
_connections: set[sqlite3.Connection] = set()


def _live_databases() -> list[Database]:
    return [database for reference in list(_databases.values()) if (database := reference()) is not None]


def _before_fork() -> None:
    locked: dict[int, Database] = {}
    while True:
        for database in _live_databases():
            if id(database) not in locked:
                database.before_fork()
                locked[id(database)] = database
        _opening.acquire()
        if not any(database.is_open() for database in _live_databases() if id(database) not in locked):
            break
        _opening.release()  # another thread has just opened one
    _forking[:] = locked.values()


def _after_fork_in_parent() -> None:
    while _forking:
        _forking.pop().after_fork_in_parent()
    _opening.release()


def _after_fork_in_child() -> None:
    _forking.clear()
    for database in _live_databases():
        database.after_fork_in_child()
    _opening.release()


# Hooks before a fork run in reverse order of registration: first the databases are closed, which needs the locks, then
# the hook of the locks runs.
at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


def _close_at_exit() -> None:
    """Close what is still open while the modules that this needs still exist.

    A database that a daemon thread is using is left to the end of the process, which SQLite can handle.
    """
    for database in _live_databases():
        database.close_if_idle()


atexit.register(_close_at_exit)


def failure(path: str, error: sqlite3.Error | OSError | UnicodeDecodeError) -> PatchRejectedError:
    """An error of SQLite or of the system as an exception with a problem."""
    if isinstance(error, (UnicodeDecodeError, sqlite3.DataError)):
        return _damaged(path, str(error))
    if isinstance(error, OSError):
        return _unusable(path, error, error.strerror or str(error))
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT}:
        return _damaged(path, str(error))
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        message = f"Another process has been using {path} for too long."
        details = {"path": path, "reason": "store_in_use"}
        return PatchRejectedError([Problem("locked", message, details=details, hint="Try the same edit again later.")])
    return _unusable(path, error, str(error))


def set_aside(folder: str) -> list[str]:
    """Rename the store of a state directory, so that the next commit begins a new one; return the new paths.

    Raises:
        PatchRejectedError: another process uses it, or it can't be renamed.
    """
    path = f"{folder}/{STORE}"
    try:
        in_use = take(folder, IN_USE, EXCLUSIVE)
        if in_use is None:
            raise failure(path, sqlite3.OperationalError("another process uses it"))
        try:
            suffix = f"damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}"
            moved = []
            # The log first: without it, the store is only older.
            for companion in reversed(_COMPANIONS):
                with suppress(FileNotFoundError):
                    os.rename(f"{path}{companion}", f"{path}.{suffix}{companion}")
                    moved.append(f"{path}.{suffix}{companion}")
            flush_folder(folder)
            return moved[::-1]
        finally:
            in_use.release()
    except OSError as error:
        raise failure(path, error) from error


def _unusable(path: str, error: Exception, reason: str) -> PatchRejectedError:
    message = f"{path}, the journal of this workspace, can't be used: {reason}."
    hint = hint_of(error, "Check the free disk space, the modes and `ulimit -n`, or set SUTURE_STATE_DIR elsewhere.")
    details = {"path": path, "reason": "store"}
    return PatchRejectedError([Problem("io_error", message, details=details, hint=hint, recoverable=False)])


def _damaged(path: str, reason: str) -> PatchRejectedError:
    message = f"{path} can't be read as a store of Suture: {reason}."
    details = {"path": path, "reason": "damaged_store"}
    return PatchRejectedError([Problem("io_error", message, details=details, hint=_MOVE_AWAY, recoverable=False)])
