"""What a path is at this moment, as a snapshot, with its content."""

from __future__ import annotations

from ...core.fingerprint import fingerprint
from ...core.record import ABSENT, Snapshot
from .file_system import is_other_spelling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .file_system import Files


def look(
    files: Files, path: str, limit: int, *, known: bytes | None = None, snapshot: Snapshot = ABSENT
) -> tuple[Snapshot, bytes | None]:
    """What has a name, and its content. If that is the `known` content, the hash is taken from `snapshot`."""
    now, data = look_without_hash(files, path, limit, known)
    if data is None or now.kind != "file":
        return now, data
    return now.replace(sha256=snapshot.sha256 if data is known else fingerprint(data)), data


def look_without_hash(files: Files, path: str, limit: int, known: bytes | None = None) -> tuple[Snapshot, bytes | None]:
    """What has a name, and its content, for those who hash it in another way."""
    stat = files.stat(path)
    if stat is None or is_other_spelling(files, path):
        return ABSENT, None
    if stat.kind == "link":
        return Snapshot("link", "", 0, 0, files.link(path)), b""
    if stat.kind != "file":
        return Snapshot(stat.kind), None
    data, stat = files.read(path, limit, known)
    return Snapshot("file", "", len(data), stat.mode, "", stat.uid, stat.gid), data
