"""The documents a server has open, and file URIs."""

from __future__ import annotations

import asyncio
import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

from ...core.system import WINDOWS, slashed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .report import Diagnostic

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Document:
    """A file whose text was sent to the server."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.uri = uri_of(path)
        self.text = text
        self.version = 1
        #: The state of the file on disk, to notice when another program writes it.
        self.stamp = stamp_of(path)
        #: The last push for this version, when it came, and whether it named the version.
        self.push: tuple[list[Any], float, bool] | None = None
        #: The last version that was answered or pushed for.
        self.answered_version = 0
        #: The diagnostics of this version, with the client's count of changes at that time.
        self.cached: tuple[int, list[Diagnostic]] | None = None
        #: Set when something about it may have changed.
        self.news = asyncio.Event()


def sendable(text: str) -> str:
    """A text as editors send it: without a byte order mark and without lone surrogates.

    The byte order mark is not a column. Surrogates stand for undecodable bytes, and most servers choke on them.
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text.removeprefix("\ufeff"))


def uri_of(path: str, *, windows: bool = WINDOWS) -> str:
    """The URI of a file."""
    if windows:
        # The drive has no escapes, as in the URIs of editors: file:///C:/a.
        return f"file:///{path[:2]}{quote_from_bytes(os.fsencode(path[2:].replace(chr(92), '/')))}"
    return "file://" + quote_from_bytes(os.fsencode(path))


def path_of(uri: object, *, windows: bool = WINDOWS) -> str:
    """The path of a file URI, however it is quoted; empty for any other URI."""
    if not isinstance(uri, str) or not uri.startswith("file://"):
        return ""
    try:
        path = os.fsdecode(unquote_to_bytes(uri.removeprefix("file://")))
    except ValueError:  # a lone surrogate
        return ""
    return slashed(path.removeprefix("/"), windows=True) if windows else path


def stamp_of(path: str) -> tuple[int, int, int] | None:
    """A value that changes when the file is written; None if there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
