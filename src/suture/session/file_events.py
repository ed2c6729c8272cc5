"""The events of a commit: which files the session edited, and what a file watcher would report."""

from __future__ import annotations

from ..events.event import FileChanged, FileEdited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..events.event import Event
    from ..workspace.outcome import Receipt


def file_events(receipt: Receipt) -> Iterator[Event]:
    """The events of all changes of a commit, in order."""
    for change in receipt.changes:
        if change.kind == "move":
            yield FileChanged(change.path, "unlink")
        yield FileEdited(change.move_to or change.path, receipt.id)
        if change.kind == "delete":
            yield FileChanged(change.path, "unlink")
        elif change.kind == "move" or (change.kind == "add" and not change.sha256_before):
            yield FileChanged(change.move_to or change.path, "add")
        else:
            yield FileChanged(change.path, "change")
