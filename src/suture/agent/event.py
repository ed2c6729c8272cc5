"""What happens in a session, as values, and which of them a commit is."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

    from ..core.outcome import Receipt
    from .answers import Answer
    from .diagnostics.report import Report
    from .requests import Request


class Event(Value):
    """The base class of all events."""


class FileEdited(Event):
    """A tool of the session wrote a file. `receipt_id` names the commit, and `undo` takes it.

    `path` is relative to the workspace, or absolute outside its first root. `resolved` is the absolute path of the file
    itself, behind a symbolic link.
    """

    path: str
    receipt_id: str
    resolved: str = ""


class FileChanged(Event):
    """A file was added, changed or deleted, as a file watcher would report it. The paths are those of `FileEdited`."""

    path: str
    kind: Literal["add", "change", "unlink"]
    resolved: str = ""
    #: Who changed it and in which commit, if that was another session or program, in this process or another.
    actor: str = ""
    receipt_id: str = ""


class PermissionAsked(Event):
    """A request needs an answer. Exactly one `PermissionReplied` follows."""

    request: Request


class PermissionReplied(Event):
    """A request is closed. The answer is "withdrawn" if the caller gave up or the time ran out."""

    request_id: str
    answer: Answer


class DiagnosticsReceived(Event):
    """A file was checked after an edit. The paths are those of `FileEdited`."""

    path: str
    report: Report
    resolved: str = ""


class SubscriberFailed(Event):
    """A subscriber raised: its name, the event it received, and the error as text."""

    subscriber: str
    event: Event
    error: str


def file_events(receipt: Receipt, absolute: Callable[[str], str]) -> Iterator[Event]:
    """The events of all changes of a commit, in order: what the session edited, and what a file watcher would report.

    `absolute` gives the absolute path of one in the receipt.
    """
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
