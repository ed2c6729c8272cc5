"""The settings of `suture review`: where it listens, what it shows, and how it notifies."""

from __future__ import annotations

from ..core.value import Value


class ReviewSettings(Value):
    """The settings of a review."""

    #: The workspace whose history is shown first.
    root: str
    #: Approval folders besides those of the state directory.
    approvals: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    #: The port of the page; 0 for any that is free.
    port: int = 0
    #: Whether to open the page in a browser.
    opens_browser: bool = True
    #: How the user is notified of requests: "desktop", "off", or a command.
    notify: str | tuple[str, ...] = "desktop"
    #: The id of the one request that this review is for; it ends when that is closed.
    request: str = ""
