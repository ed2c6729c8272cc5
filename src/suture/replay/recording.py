"""What transcripts say, as values: tool calls, the files they changed, and turns. Readers fill a `Recording`."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..core.value import Value
from . import transcript_limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from ..core.string_edits import StringEdit

    #: How an edit is written; `whole` and `read` are no edits, but tell what is in a file.
    Form = Literal["string", "strings", "envelope", "search-replace", "whole", "read"]


class TranscriptFile(Value):
    """A file with a transcript: its name and its bytes."""

    name: str
    data: bytes


class FileChange(Value):
    """What a call did to a file, would have done to it, or showed of it."""

    path: str
    form: Form
    #: The edits of a string tool, or the text of a patch. Empty for `whole` and `read`.
    edit: tuple[StringEdit, ...] | str = ()
    before: str | None = None
    after: str | None = None
    #: The unified diff that the agent recorded.
    diff: str = ""
    moved_to: str = ""
    #: The commit that has the result; its parent has the file before.
    commit: str = ""


class RecordedCall(Value):
    """A call of a tool. `accepted` is None if no answer was recorded."""

    id: str
    tool: str
    time: float = 0.0
    model: str = ""
    changes: tuple[FileChange, ...] = ()
    accepted: bool | None = None
    answer: str = ""
    #: Whether it may have changed files in a way that is not recorded, as a shell command may.
    may_write: bool = False


class Turn(Value):
    """A prompt of the user, or an answer of the model with the tokens that it cost."""

    id: str
    time: float = 0.0
    tokens: int = 0
    is_prompt: bool = False


class Recording:
    """The sessions of one agent, from all documents that belong together, and what could not be read."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.sessions: dict[str, dict[str, RecordedCall | Turn]] = {}
        self.documents = 0
        #: Records that the reader does not know, by name; and those that could not be parsed.
        self.unknown: Counter[str] = Counter()
        self.broken = 0
        self._items = 0

    def add(self, session: str, item: RecordedCall | Turn) -> None:
        """Add an item. Copies of a session repeat their items; one with an answer replaces one without."""
        items = self.sessions.setdefault(session, {})
        known = items.get(item.id)
        if known is None:
            if self._items >= transcript_limits.MOST_ITEMS:
                self.broken += 1
                return
            self._items += 1
            items[item.id] = item
        elif isinstance(known, RecordedCall) and known.accepted is None:
            items[item.id] = item

    def count_unknown(self, name: object) -> None:
        """Count a record that the reader does not know."""
        known = str(name)[: transcript_limits.LONGEST_RECORD_NAME]
        has_room = len(self.unknown) < transcript_limits.MOST_RECORD_NAMES
        self.unknown[known if known in self.unknown or has_room else "…"] += 1

    def timelines(self) -> Iterator[tuple[str, list[RecordedCall | Turn]]]:
        """Each session with its items in order of time; an item without a time stays behind the one before it."""
        for session, items in self.sessions.items():
            latest, ordered = 0.0, []
            for position, item in enumerate(items.values()):
                latest = item.time or latest
                ordered.append((latest, position, item))
            yield session, [item for *_, item in sorted(ordered, key=lambda entry: entry[:2])]


class TranscriptReader:
    """The base of all readers: reads documents into its recording."""

    agent = ""
    #: Names of record types that are known and say nothing about edits.
    ignored: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.recording = Recording(self.agent)
        self._lines: set[bytes] = set()

    @staticmethod
    def recognizes(name: str, head: bytes) -> bool:
        """Whether a document is of this agent, by its name and its first bytes."""
        raise NotImplementedError

    def read(self, document: TranscriptFile) -> None:
        """Add what a document says to the recording."""
        raise NotImplementedError

    def lines(self, document: TranscriptFile, *, skip_copies: bool = False) -> Iterator[dict[str, Any]]:
        """The records of a document with one JSON object a line; without those that an earlier document had."""
        data, start = document.data, 0
        while start < len(data):
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            line, start = data[start:end], end + 1
            if not line.strip() or (skip_copies and self._is_copy(line)):
                continue
            record = self.parse(line) if len(line) <= transcript_limits.LONGEST_TRANSCRIPT_LINE else None
            if isinstance(record, dict):
                yield record
            else:
                self.recording.broken += 1

    def _is_copy(self, line: bytes) -> bool:
        key = hashlib.blake2b(line, digest_size=16).digest()
        is_known = key in self._lines
        self._lines.add(key)
        return is_known

    def parse(self, data: bytes) -> Any:  # noqa: ANN401 - JSON
        """JSON, or None."""
        if len(data) > transcript_limits.LARGEST_JSON:
            return None
        try:
            return json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None


def pick(record: object, *keys: str | int) -> Any:  # noqa: ANN401 - JSON
    """What is at these keys, or None if something on the way is missing or of another type."""
    for key in keys:
        if isinstance(key, str) and isinstance(record, dict):
            record = record.get(key)
        elif isinstance(key, int) and isinstance(record, list) and -len(record) <= key < len(record):
            record = record[key]
        else:
            return None
    return record


def text(record: object, *keys: str | int) -> str:
    """The text at these keys, or an empty one."""
    value = pick(record, *keys)
    return value if isinstance(value, str) else ""


def optional_text(record: object, *keys: str | int) -> str | None:
    """The text at these keys, or None."""
    value = pick(record, *keys)
    return value if isinstance(value, str) else None


def number(record: object, *keys: str | int) -> int:
    """The number at these keys, or 0."""
    value = pick(record, *keys)
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 53 else 0


def items(record: object, *keys: str | int) -> list[dict[str, Any]]:
    """The objects in the list at these keys."""
    value = pick(record, *keys)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def plain_text(value: object) -> str:
    """The text of a message: itself, or that of its parts."""
    if isinstance(value, str):
        return value
    return "\n".join(text(part, "text") or text(part, "content") for part in items(value))


def seconds(value: object) -> float:
    """A time as seconds: from a date in ISO format, or from milliseconds."""
    if isinstance(value, int | float):
        return float(value) / 1000 if 0 < value < 1 << 53 else 0.0
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def between(answer: str, opening: str, closing: str) -> Iterator[str]:
    """What is between each pair of marks, in one pass over the text."""
    start = answer.find(opening)
    while start >= 0:
        end = answer.find(closing, start + len(opening))
        if end < 0:
            return
        yield answer[start + len(opening) : end]
        start = answer.find(opening, end + len(closing))
