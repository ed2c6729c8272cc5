"""Documents as a server has them, and the addresses under which it knows files."""

from __future__ import annotations

import asyncio
import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .report import Diagnostic

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Document:
    """A text as the server has it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.uri = uri_of(path)
        self.text = text
        self.version = 1
        #: What the file on the disk looked like, to notice that somebody else has written it.
        self.stamp = stamp_of(path)
        #: The last push for this version, when it came, and whether it named the version.
        self.pushed: tuple[list[Any], float, bool] | None = None
        #: The last version for which there was a push.
        self.answered = 0
        #: What is known of this version, and at which count of changes to all documents.
        self.known: tuple[int, list[Diagnostic]] | None = None
        #: Set when there is something new about it.
        self.news = asyncio.Event()


def sendable(text: str) -> str:
    """A text as editors send it: without a byte order mark, which is no column, and without bytes that are no Unicode.

    Such a byte stands in ours as a lone surrogate, and most servers choke on it.
    """
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text.removeprefix("\ufeff"))


def uri_of(path: str) -> str:
    """A file's address."""
    return "file://" + quote_from_bytes(os.fsencode(path))


def path_of(uri: object) -> str:
    """The path of an address, however it is quoted; empty where it is none of a file."""
    if not isinstance(uri, str) or not uri.startswith("file://"):
        return ""
    try:
        return os.fsdecode(unquote_to_bytes(uri.removeprefix("file://")))
    except ValueError:  # a lone surrogate
        return ""


def stamp_of(path: str) -> tuple[int, int, int] | None:
    """What changes when somebody writes a file; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
