"""A constant that a sketch adds to an enumeration never replaces one that looks like it."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError
from suture.place.sketches import apply_sketch

if TYPE_CHECKING:
    from collections.abc import Iterator

ENUMERATIONS = {
    "Problem.java": """\
public enum Problem {
    CONNECTION_TIMED_OUT("The connection timed out", 408),
    AUTHENTICATION_FAILED("The authentication failed", 401),
    PERMISSION_IS_MISSING("A permission is missing", 403),
    RESOURCE_IS_LOCKED("A resource is locked", 423);

    private final String message;
}
""",
    "event.ts": """\
export enum Event {
  ConnectionOpened = "connection-opened",
  ConnectionClosed = "connection-closed",
  MessageReceived = "message-received",
  MessageRejected = "message-rejected",
}
""",
    "problem.rs": """\
pub enum Problem {
    ConnectionTimedOut(Duration, SocketAddress),
    AuthenticationFailed(UserName, Duration),
    PermissionMissing(UserName, PermissionName),
    ResourceLocked(ResourceName, Duration),
}
""",
    "Problem.cs": """\
public enum Problem
{
    ConnectionTimedOut = ErrorCodes.ConnectionTimedOut,
    AuthenticationFailed = ErrorCodes.AuthenticationFailed,
    PermissionMissing = ErrorCodes.PermissionMissing,
    ResourceLocked = ErrorCodes.ResourceLocked,
}
""",
}
_NAME = re.compile(r"[A-Z]\w+")


def twins(line: str) -> Iterator[str]:
    """Constants that look like the one of a line."""
    yield _NAME.sub(lambda name: f"{name[0]}{'_AGAIN' if name[0].isupper() else 'Again'}", line, count=1)
    yield re.sub(r"(?i)failed|missing|locked|opened|closed|received|rejected|timed_?out", "Renewed", line)


@pytest.mark.parametrize(("path", "text"), ENUMERATIONS.items(), ids=ENUMERATIONS)
def test_a_new_constant_replaces_no_other(path: str, text: str) -> None:
    lines = text.splitlines()
    constants = [number for number, line in enumerate(lines) if line.endswith((",", ");")) and line[0].isspace()]
    marker = "// ... existing code ..."
    for number, above, below in product(constants, range(4), range(3)):
        for new in twins(lines[number]):
            contexts = [
                (lines[max(0, number - above) : number], lines[number : number + below]),
                ([], lines[number + 1 : number + 1 + below]),
                (lines[number : number + 1], []),
            ]
            for before, after in contexts:
                sketch = "\n".join([marker, *before, new, *after, marker, ""])
                try:
                    result = str(apply_sketch(text, sketch, path=path))
                except PatchRejectedError:
                    continue
                assert set(lines) <= set(result.splitlines()), sketch
