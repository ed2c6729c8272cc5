"""The events of a commit: which files the session edited, and what a file watcher would report."""

from __future__ import annotations

from .event import FileChanged, FileEdited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..core.outcome import Receipt
    from .event import Event


def file_events(receipt: Receipt, absolute: Callable[[str], str]) -> Iterator[Event]:
    """The events of all changes of a commit, in order; `absolute` gives the absolute path of one in the receipt."""
    for change in receipt.changes:
        path = change.move_to or change.path
        edited = absolute(change.content_name)
        if change.kind == "move":
            yield FileChanged(change.path, "unlink", absolute(change.path))
        yield FileEdited(path, receipt.id, edited)
        if change.kind == "delete":
            yield FileChanged(path, "unlink", absolute(path))
        elif change.kind == "move" or (change.kind == "add" and not change.sha256_before):
            yield FileChanged(path, "add", absolute(path))
        else:
            yield FileChanged(path, "change", edited)
