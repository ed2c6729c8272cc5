"""What happens in a session, as values."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

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
