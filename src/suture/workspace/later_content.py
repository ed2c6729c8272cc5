"""The content that a commit left in a file which has changed since, from what the later commits have recorded."""

from __future__ import annotations

from ..core.fingerprint import fingerprint
from .files.restore import before_of
from .workspace_limits import MOST_LATER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.record import Entry, FileRecord
    from ..state.backend import Journal


def content_after(store: Journal, entry: Entry, record: FileRecord, now: bytes) -> bytes | None:
    """The content of a file right after a commit; None if something else than later commits has changed it since."""
    content = now
    for later in store.log(MOST_LATER, None, record.path):
        if later.id == entry.id:
            return content if fingerprint(content) == record.after.sha256 else None
        whole = store.entry(later.id)
        for one in whole.files if whole is not None else ():
            if one.path != record.path:
                continue
            before = before_of(one, content) if fingerprint(content) == one.after.sha256 else None
            if before is None:
                return None
            content = before
    return None
