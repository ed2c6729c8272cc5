"""What a session has changed in isolation: the files that it made, changed and removed, and what these were before.

The files of the workspace are not touched. A path is kept as the number of its root and what is below that, so that a
workspace can be moved. Each change is one transaction, so that a process that dies leaves the state before it or after.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from shutil import rmtree
from time import monotonic, time, time_ns
from zlib import compress, decompress

from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from ..core.problems import PatchRejectedError, Problem
from ..core.record import Snapshot
from ..core.system import WINDOWS
from ..core.value import Value
from .database import FLUSHED, UNFLUSHED, Database
from .journal_rows import from_sql, to_sql
from .locks import take, wait_for
from .state_folder import IN_USE, STORE, make_folder
from .system_locks import EXCLUSIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from .locks import Flock

    #: The number of a root, and the path below it.
    Place: TypeAlias = tuple[int, str]

VERSION = 2

_REPLACED = """CREATE TABLE replaced (
    root INTEGER NOT NULL, path BLOB NOT NULL, text BLOB NOT NULL, PRIMARY KEY (root, path, text)) WITHOUT ROWID"""

_SCHEMA = (
    """CREATE TABLE node (
        id INTEGER PRIMARY KEY AUTOINCREMENT, root INTEGER NOT NULL, path BLOB NOT NULL, kind TEXT NOT NULL,
        mode INTEGER NOT NULL, target TEXT NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
        content BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX node_place ON node (root, path)",
    """CREATE TABLE origin (
        root INTEGER NOT NULL, path BLOB NOT NULL, kind TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
        mode INTEGER NOT NULL, target TEXT NOT NULL, content BLOB NOT NULL, from_root INTEGER NOT NULL,
        from_path BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID""",
    "CREATE TABLE about (session TEXT NOT NULL, actor TEXT NOT NULL, time REAL NOT NULL)",
    "CREATE TABLE merging (token TEXT NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL, id INTEGER NOT NULL)",
    _REPLACED,
)
#: What makes a file of an earlier version one of the next.
_UPGRADES = {1: (_REPLACED,)}
_NODE = "SELECT id, kind, mode, target, size, mtime, {content} FROM node WHERE root = ? AND path = ?"
_WITH_CONTENT, _WITHOUT_CONTENT = (_NODE.format(content=content) for content in ("content", "x''"))
#: The directories of isolated sessions in the state directory of a workspace, and of one: its files, and its history.
ISOLATED, _FILES, _HISTORY = "isolated", "files", "history"
#: The lock that a commit and a merge of the session take.
_TURN = "turn"


class StoredNode(Value):
    """What an isolated session has made of a path: a `file`, a `link`, a `folder`, or nothing (`absent`)."""

    id: int
    kind: str
    mode: int = 0
    target: str = ""
    size: int = 0
    mtime_ns: int = 0
    content: bytes = b""


class StoredOrigin(Value):
    """What a path was in the workspace when the session first changed it, and which path its file had then.

    The content is there only where it is written, or was asked for.
    """

    place: Place
    snapshot: Snapshot
    content: bytes | None
    #: None where the file is new, or removed.
    origin: Place | None


class IsolatedState(Value):
    """An isolated session whose changes are kept: its id, who it is, and when it last changed something."""

    folder: str
    session: str
    actor: str
    time: float


class OverlayStore:
    """The files of one isolated session, shared by threads and processes; in memory without a directory."""

    def __init__(self, folder: str | None, session: str, actor: str = "", *, patience: float = 10.0) -> None:
        self.folder = folder
        self._about = (to_sql(session), to_sql(actor))
        self._patience = patience
        self._turn = ForkLock()
        self._database = Database(
            None if folder is None else f"{folder}/{_FILES}", _SCHEMA, VERSION, _UPGRADES, patience=patience
        )

    @property
    def state_dir(self) -> str | None:
        """Where the history of the session is kept."""
        return None if self.folder is None else f"{self.folder}/{_HISTORY}"

    def close(self) -> None:
        """Close it. Another call opens it again, unless it is in memory."""
        if self.folder is not None:
            self._database.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A context in which no other commit of the session runs, and no merge is planned; also in other processes.

        Raises:
            PatchRejectedError: it takes too long (`locked`).
        """
        lock: Flock | None = None
        if self.folder is None:
            self._turn.acquire()
        else:
            folder = f"{self.folder}/{_FILES}"
            if not self._database.exists():
                make_folder(folder)
            lock = wait_for(lambda: take(folder, _TURN, EXCLUSIVE), monotonic() + self._patience)
            if lock is None:
                message = "Another call of this isolated session is committing or merging."
                raise PatchRejectedError([Problem("locked", message, hint="Try it again a little later.")])
        try:
            yield
        finally:
            if lock is None:
                self._turn.release()
            else:
                lock.release()

    # Reading.

    def node(self, place: Place, *, content: bool = False) -> StoredNode | None:
        """What was made of a path; None if nothing was."""
        if not self._database.exists():
            return None
        with self._database as connection:
            row = connection.execute(_WITH_CONTENT if content else _WITHOUT_CONTENT, _key(place)).fetchone()
        return None if row is None else _node(row)

    def kinds(self, places: Sequence[Place]) -> list[str]:
        """What was made of each of some paths: its kind, or empty."""
        if not self._database.exists():
            return [""] * len(places)
        with self._database as connection:
            query = "SELECT kind FROM node WHERE root = ? AND path = ?"
            rows = [connection.execute(query, _key(place)).fetchone() for place in places]
        return ["" if row is None else str(row[0]) for row in rows]

    def children(self, folder: Place) -> dict[str, StoredNode]:
        """What was made of the names in a directory, without contents."""
        if not self._database.exists():
            return {}
        root, path = _key(folder)
        start = path + b"/" if path else b""
        # The character after the slash: all paths below the directory are between the two.
        end = path + b"0" if path else b"\xff"
        query = """SELECT path, id, kind, mode, target, size, mtime, x'' FROM node
            WHERE root = ? AND path >= ? AND path < ?"""
        with self._database as connection:
            rows = connection.execute(query, (root, start, end)).fetchall()
        nodes = {}
        for below, *fields in rows:
            name = below[len(start) :]
            if name and b"/" not in name:
                nodes[_path(name)] = _node(tuple(fields))
        return nodes

    def nodes(self) -> dict[Place, StoredNode]:
        """Everything that was made, sorted by path, without contents."""
        if not self._database.exists():
            return {}
        query = "SELECT root, path, id, kind, mode, target, size, mtime, x'' FROM node ORDER BY root, path"
        with self._database as connection:
            return {(row[0], _path(row[1])): _node(row[2:]) for row in connection.execute(query)}

    def origins(self) -> dict[Place, StoredOrigin]:
        """What the paths were that the session has changed, without contents."""
        if not self._database.exists():
            return {}
        query = "SELECT root, path, kind, sha256, size, mode, target, from_root, from_path FROM origin"
        with self._database as connection:
            rows = connection.execute(query).fetchall()
        origins: dict[Place, StoredOrigin] = {}
        for root, path, kind, sha256, size, mode, target, from_root, from_path in rows:
            snapshot = Snapshot(str(kind), str(sha256), size, mode, from_sql(target))
            place = (root, _path(path))
            origins[place] = StoredOrigin(place, snapshot, None, (from_root, _path(from_path)))
        return origins

    def content_before(self, place: Place) -> bytes:
        """The content that a file had before the session changed it; empty if there was none."""
        if not self._database.exists():
            return b""
        with self._database as connection:
            query = "SELECT content FROM origin WHERE root = ? AND path = ? AND kind = 'file'"
            row = connection.execute(query, _key(place)).fetchone()
        return b"" if row is None else decompress(row[0])

    def replaced(self, place: Place) -> tuple[str, ...]:
        """The texts of which edits of the session have replaced every occurrence in a file."""
        if not self._database.exists():
            return ()
        with self._database as connection:
            rows = connection.execute("SELECT text FROM replaced WHERE root = ? AND path = ?", _key(place)).fetchall()
        return tuple([_path(row[0]) for row in rows])

    def size(self) -> int:
        """How many bytes its files have, with what they were before, which is packed but has to be merged unpacked."""
        if not self._database.exists():
            return 0
        with self._database as connection:
            (nodes,) = connection.execute("SELECT total(size) FROM node").fetchone()
            (origins,) = connection.execute("SELECT total(size) FROM origin").fetchone()
            (texts,) = connection.execute("SELECT total(length(text)) FROM replaced").fetchone()
        return int(nodes + origins + texts)

    # Writing.

    def keep_origins(self, origins: Iterable[StoredOrigin]) -> None:
        """Record what paths were before the session changes them, unless it has changed them already.

        A file that comes from another path keeps what that path was.
        """
        origins = list(origins)
        with self._writing() as connection:
            is_changed = {one.place: self._is_changed(connection, one.place) for one in origins}
            sources = [self._source(connection, one) for one in origins]
            for one, source in zip(origins, sources, strict=True):
                key = _key(one.place)
                if is_changed[one.place]:
                    query = "UPDATE origin SET from_root = ?, from_path = ? WHERE root = ? AND path = ?"
                    connection.execute(query, (*source, *key))
                    continue
                was = one.snapshot
                values = (was.kind, was.sha256, was.size, was.mode, to_sql(was.target), compress(one.content or b"", 1))
                marks = ", ".join("?" * 10)
                connection.execute(f"INSERT OR REPLACE INTO origin VALUES ({marks})", (*key, *values, *source))  # noqa: S608

    def keep_replaced(self, texts: Mapping[Place, Iterable[str]]) -> None:
        """Record of which texts every occurrence is replaced in some files."""
        rows = [(*_key(place), text.encode("utf-8", "surrogatepass")) for place, some in texts.items() for text in some]
        if rows:
            with self._writing() as connection:
                connection.executemany("INSERT OR IGNORE INTO replaced VALUES (?, ?, ?)", rows)

    def _source(self, connection: Connection, one: StoredOrigin) -> tuple[int, bytes]:
        """The path that a file had before all changes of the session."""
        if one.origin is None or not self._is_changed(connection, one.origin):
            return _key(one.origin or one.place)
        query = "SELECT from_root, from_path FROM origin WHERE root = ? AND path = ?"
        row = connection.execute(query, _key(one.origin)).fetchone()
        return _key(one.origin) if row is None else (row[0], row[1])

    def _is_changed(self, connection: Connection, place: Place) -> bool:
        """Whether something was made of a path."""
        query = "SELECT 1 FROM node JOIN origin USING (root, path) WHERE root = ? AND path = ?"
        return connection.execute(query, _key(place)).fetchone() is not None

    def put(self, place: Place, node: StoredNode) -> bool:
        """Make a path this, whatever it was; its id counts only where it is not 0."""
        with self._writing() as connection:
            _put(connection, place, node)
        return True

    def add(self, place: Place, node: StoredNode) -> bool:
        """Make a path this if nothing was made of it, or it is absent; False if something is there."""
        with self._writing() as connection:
            row = connection.execute(_WITHOUT_CONTENT, _key(place)).fetchone()
            if row is not None and _node(row).kind != "absent":
                return False
            _put(connection, place, node)
        return True

    def rename(self, old: Place, new: Place, *, leaves_absent: bool) -> bool:
        """Give what was made of a path another one; False if nothing was. The old path may become absent."""
        with self._writing() as connection:
            if connection.execute("SELECT 1 FROM node WHERE root = ? AND path = ?", _key(old)).fetchone() is None:
                return False
            connection.execute("DELETE FROM node WHERE root = ? AND path = ?", _key(new))
            query = "UPDATE node SET root = ?, path = ? WHERE root = ? AND path = ?"
            connection.execute(query, (*_key(new), *_key(old)))
            if leaves_absent:
                _put(connection, old, StoredNode(0, "absent"))
        return True

    def forget(self, places: Iterable[Place]) -> None:
        """Forget what was made of paths: they are what the workspace has."""
        with self._writing() as connection:
            for place in places:
                connection.execute("DELETE FROM node WHERE root = ? AND path = ?", _key(place))

    # Merging: what was merged is forgotten, unless it has changed since.

    def begin_merge(self, token: str, nodes: Mapping[Place, int]) -> None:
        """Record that a commit with this token brings some nodes, by their ids, into the workspace."""
        with self._writing(FLUSHED) as connection:
            connection.execute("DELETE FROM merging")
            rows = [(token, *_key(place), number) for place, number in nodes.items()]
            connection.executemany("INSERT INTO merging VALUES (?, ?, ?, ?)", rows)

    def merging(self) -> str:
        """The token of a merge that was begun, and of which it is not known whether it was committed."""
        if not self._database.exists():
            return ""
        with self._database as connection:
            row = connection.execute("SELECT token FROM merging LIMIT 1").fetchone()
        return "" if row is None else str(row[0])

    def end_merge(self, *, is_done: bool) -> None:
        """Forget the merge; if it is done, also what was merged and has not changed since."""
        with self._writing() as connection:
            if is_done:
                connection.execute("DELETE FROM node WHERE (root, path, id) IN (SELECT root, path, id FROM merging)")
                _forget_origins(connection)
            connection.execute("DELETE FROM merging")

    def discard(self, places: Iterable[Place] | None = None) -> None:
        """Forget what was made of some paths, or of all: they are what the workspace has."""
        with self._writing() as connection:
            if places is None:
                connection.execute("DELETE FROM node")
            else:
                keys = [_key(place) for place in places]
                connection.executemany("DELETE FROM node WHERE root = ? AND path = ?", keys)
            _forget_origins(connection)

    def flush(self) -> None:
        """Wait until the disk has everything."""
        with self._writing(FLUSHED):
            pass

    @contextmanager
    def _writing(self, level: int = UNFLUSHED) -> Iterator[Connection]:
        """A transaction. The first one makes the database."""
        if self.folder is not None and not self._database.exists():
            make_folder(f"{self.folder}/{_FILES}")
        with self._database as connection:
            self._database.level(level)
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("UPDATE about SET time = ?", (time(),)).rowcount:
                connection.execute("INSERT INTO about VALUES (?, ?, ?)", (*self._about, time()))
            yield connection
            connection.execute("COMMIT")


def isolated_folder(state: str, session: str) -> str:
    """The directory of an isolated session in the state directory of a workspace. Its id can be any text."""
    return f"{state}/{ISOLATED}/{fingerprint(session.encode('utf-8', 'surrogatepass'))[:16]}"


def isolated_states(state: str) -> list[IsolatedState]:
    """The isolated sessions that have something in the state directory of a workspace, newest first."""
    states: list[IsolatedState] = []
    with suppress(FileNotFoundError):
        for name in os.listdir(f"{state}/{ISOLATED}"):
            folder = f"{state}/{ISOLATED}/{name}"
            database = Database(f"{folder}/{_FILES}", _SCHEMA, VERSION, _UPGRADES, patience=1.0)
            if not os.path.lexists(f"{folder}/{_FILES}/{STORE}"):
                continue
            with database as connection:
                row = connection.execute("SELECT session, actor, time FROM about").fetchone()
                count = connection.execute("SELECT count(*) FROM node").fetchone()[0]
            database.close()
            if row is not None and count:
                states.append(IsolatedState(folder, from_sql(row[0]), from_sql(row[1]), row[2]))
    return sorted(states, key=lambda one: one.time, reverse=True)


def remove_isolated(folder: str, *, only_empty: bool = False) -> None:
    """Remove the directory of an isolated session, with its history, unless somebody has it open.

    With `only_empty`, one with changes stays too.
    """
    if not os.path.lexists(folder):
        return
    files = f"{folder}/{_FILES}"
    with suppress(OSError, PatchRejectedError):
        in_use = take(files, IN_USE, EXCLUSIVE)
        if in_use is None:
            return
        try:
            if only_empty and not _is_empty(files, in_use):
                return
            if WINDOWS:
                # What is open can't be removed there.
                in_use.release()
            rmtree(folder, ignore_errors=True)
        finally:
            in_use.release()


def _is_empty(files: str, in_use: Flock) -> bool:
    """Whether a session has no changes. Nobody else has them open."""
    database = Database(files, _SCHEMA, VERSION, {}, patience=0, in_use=in_use)
    if not database.exists():
        return True
    try:
        with database as connection:
            return connection.execute("SELECT 1 FROM node LIMIT 1").fetchone() is None
    finally:
        database.close()


def _key(place: Place) -> tuple[int, bytes]:
    """A path for SQLite, as bytes: names may have lone surrogates, and are compared."""
    return place[0], place[1].encode("utf-8", "surrogatepass")


def _path(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def _node(row: Sequence[Any]) -> StoredNode:
    number, kind, mode, target, size, mtime, content = row
    return StoredNode(number, str(kind), mode, from_sql(target), size, mtime, bytes(content))


def _forget_origins(connection: Connection) -> None:
    """Forget what paths were that nothing is made of any more, and that no file comes from."""
    connection.execute(
        """DELETE FROM origin WHERE (root, path) NOT IN (SELECT root, path FROM node) AND (root, path) NOT IN
        (SELECT from_root, from_path FROM origin JOIN node USING (root, path))"""
    )
    connection.execute("DELETE FROM replaced WHERE (root, path) NOT IN (SELECT root, path FROM origin)")


def _put(connection: Connection, place: Place, node: StoredNode) -> None:
    key = _key(place)
    connection.execute("DELETE FROM node WHERE root = ? AND path = ?", key)
    row = (node.id or None, *key, node.kind, node.mode, to_sql(node.target), node.size, node.mtime_ns or time_ns())
    connection.execute("INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, node.content))
