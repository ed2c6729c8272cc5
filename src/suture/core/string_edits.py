"""String edits as values: what was asked for, and where it went. Light, as plans and receipts carry them along."""

from __future__ import annotations

from .patch import Concession  # noqa: TC001 - `from_json` looks it up by its name
from .value import Value


class Span(Value):
    """A part of a content: offsets of its first character and the one behind it, and its first and last line from 1."""

    start: int
    end: int
    first_line: int
    last_line: int


class StringEdit(Value):
    """One string edit of a list."""

    old: str
    new: str
    replace_all: bool = False


class AppliedEdit(Value):
    """One edit of a list: where it went, in the content that was given and in the text that came of all edits."""

    replacer: str
    spans: tuple[Span, ...]
    written: tuple[Span, ...]
    concessions: tuple[Concession, ...]
