"""String edits as values: what was requested, and where it went. Light, because plans and receipts contain them."""

from __future__ import annotations

from .patch import Concession  # noqa: TC001 - `from_json` looks it up by its name
from .value import Value


class Span(Value):
    """A part of a content: the offsets of its start and end, and its first and last line from 1."""

    start: int
    end: int
    first_line: int
    last_line: int


class StringEdit(Value):
    """One string edit of a list.

    `count` is how many occurrences the edit says that it changes; None if it says nothing. `within` are the first and
    the last line between which it says that the old text is, in the file before all edits of its list.
    """

    old: str
    new: str
    replace_all: bool = False
    count: int | None = None
    within: tuple[int, int] | None = None


class AppliedEdit(Value):
    """One edit of a list and where it went: `spans` in the original content, `written` in the text after all edits."""

    replacer: str
    spans: tuple[Span, ...]
    written: tuple[Span, ...]
    concessions: tuple[Concession, ...]
