"""The link that opens the page: good once, for a minute, and in no command line.

Other users of the machine can read the arguments of every process, so a browser is not started with a link that has a
secret: they could use it first. It is started with a file that only the user can read, which leads to the link.
"""

from __future__ import annotations

import hmac
import os
import threading
import time
import webbrowser
from contextlib import contextmanager
from html import escape
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How many seconds a link is good for: as long as a browser may take to start.
LINK_SECONDS = 60.0


class OneTimeCode:
    """The code of the last link. The page exchanges it for the token."""

    def __init__(self) -> None:
        self._code = b""
        self._end = 0.0

    def renew(self) -> str:
        """A new code; the one before is no longer good."""
        code = token_urlsafe(24)
        self._code = code.encode()
        self._end = time.monotonic() + LINK_SECONDS
        return code

    def take(self, code: str) -> bool:
        """Whether this is the code, for the first time and in time."""
        is_right = bool(self._code) and hmac.compare_digest(code.encode("utf-8", "replace"), self._code)
        is_in_time = time.monotonic() < self._end
        if is_right:
            self._code = b""
        return is_right and is_in_time


@contextmanager
def opened_in_browser(link: str) -> Iterator[None]:
    """Open a link in the user's browser, by way of a file that exists inside of this context."""
    with TemporaryDirectory(prefix="suture-review-") as folder:
        page = Path(folder, "open.html")
        with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_page(link))
        # Some browsers return only when they are closed.
        threading.Thread(target=webbrowser.open, args=[page.as_uri()], daemon=True).start()
        yield


def _page(link: str) -> str:
    """A page that leads to the link."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Suture review</title>'
        f'<meta http-equiv="refresh" content="0; url={escape(link)}">'
        f'<p><a href="{escape(link)}">Open the review</a></p></html>\n'
    )
