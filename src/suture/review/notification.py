"""Notifies the user of requests: with a command of theirs, or on the desktop.

The process that shows the review does it, since it sees the requests of all programs. A request makes one notification,
even if several reviews are open. The command is started without a shell, and what comes from a request is only ever
part of a text that begins with a word of ours, so it can be neither code nor an option.
"""

from __future__ import annotations

import os
import sys
from html import escape
from pathlib import Path
from shutil import which
from subprocess import DEVNULL, PIPE, TimeoutExpired, run
from threading import Event, Thread

from ..core.display import one_line
from .review_limits import LONGEST_NOTIFIED, MOST_NOTIFIED
from .watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from .inbox import Inbox, InboxItem

#: How long a command may take, in seconds.
TIMEOUT = 10.0
#: How osascript gets the texts as arguments, so that they are not part of the script.
_SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


class Notifier:
    """Runs the command for each request that comes while it is open; for several at once, only once.

    `notify` is "desktop", "off", or a command in which `{title}` and `{message}` are replaced. The command gets the
    requests as JSON on its standard input. `report` is called once if it fails.
    """

    def __init__(
        self,
        inbox: Inbox,
        notify: str | Sequence[str] = "desktop",
        *,
        folders: Sequence[str] = (),
        report: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._inbox = inbox
        if notify == "desktop":
            self._command = desktop_command()
        else:
            self._command = () if isinstance(notify, str) else tuple(notify)
        self._report = report
        self._has_failed = False
        self._known: set[str] = set()
        self._changed = Event()
        self._is_closed = False
        self._watch = Watch(self._changed.set, folders=folders)
        self._thread = Thread(target=self._run, name="suture: notifier", daemon=True)

    def __enter__(self) -> Self:
        if self._command:
            # What waits already is on the screen anyway.
            self._known = {item.id for item in self._inbox.pending()}
            self._watch.start()
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._command:
            self._is_closed = True
            self._changed.set()
            self._watch.stop()
            self._thread.join()

    def _run(self) -> None:
        while not self._is_closed:
            self._changed.wait()
            self._changed.clear()
            if not self._is_closed:
                self._tell()

    def _tell(self) -> None:
        items = self._inbox.pending()
        new = [item for item in items if item.id not in self._known and self._inbox.claim_notice(item.id)]
        self._known = {item.id for item in items}
        if new:
            failure = notify(self._command, new)
            if failure and not self._has_failed:
                self._has_failed = True
                self._report(f"The notification failed: {failure}")


def notify(command: Sequence[str], items: Sequence[InboxItem]) -> str:
    """Run the command for some requests; why it failed, or nothing."""
    title, message = notice(items)
    if Path(command[0]).name == "notify-send":
        # Desktops read the message as markup.
        message = escape(message, quote=False)
    arguments = [part.replace("{title}", title).replace("{message}", message) for part in command]
    document = "[" + ",".join([item.request.to_json() for item in items]) + "]"
    try:
        done = run(  # noqa: S603 - the user's own choice, without a shell
            arguments, input=document.encode("utf-8"), stdout=DEVNULL, stderr=PIPE, timeout=TIMEOUT, check=False
        )
    except (OSError, ValueError) as error:
        return f"{command[0]}: {getattr(error, 'strerror', None) or error}"
    except TimeoutExpired:
        return f"{command[0]} did not end within {TIMEOUT:g} seconds"
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace").strip())[:LONGEST_NOTIFIED]
        return f"{command[0]} ended with status {done.returncode}" + (f": {said}" if said else "")
    return ""


def notice(items: Sequence[InboxItem]) -> tuple[str, str]:
    """The title and the message about some requests, each in one line."""
    count = len(items)
    title = "Suture: an edit waits for an answer" if count == 1 else f"Suture: {count} requests wait for an answer"
    named = [one_line(item.request.sentence)[:LONGEST_NOTIFIED] for item in items[:MOST_NOTIFIED]]
    more = [f"and {count - MOST_NOTIFIED} more"] if count > MOST_NOTIFIED else []
    return title, "Request: " + "; ".join([*named, *more])


def has_desktop() -> bool:
    """Whether programs can open windows here."""
    return sys.platform in {"darwin", "win32"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def desktop_command() -> tuple[str, ...]:
    """The command that shows a notification on this desktop; empty if there is none."""
    if sys.platform == "darwin" and which("osascript"):
        parts = [part for line in _SCRIPT for part in ("-e", line)]
        return ("osascript", *parts, "{title}", "{message}")
    if has_desktop() and which("notify-send"):
        return ("notify-send", "--app-name=suture", "--", "{title}", "{message}")
    return ()
