"""The `@@` line of a hunk in a unified diff."""

from __future__ import annotations

from .value import Value


class HunkHeader(Value):
    """The `@@` line of a hunk in a unified diff: `@@ -1,3 +1,4 @@ text`; `closed` tells if it has its second `@@`."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    text: str
    closed: bool


def read_hunk_header(line: str) -> HunkHeader | None:
    """The hunk header on a line of a unified diff; None for any other line."""
    if not line.startswith("@@ -"):
        return None
    old, _, rest = line[4:].partition(" +")
    new, closing, text = rest.partition(" @@")
    ranges = _read_range(old), _read_range(new)
    if ranges[0] is None or ranges[1] is None:
        return None
    return HunkHeader(*ranges[0], *ranges[1], text.removeprefix(" "), closing != "")


def _read_range(text: str) -> tuple[int, int] | None:
    """The two numbers of `1,3`; the second is 1 where it is left out."""
    start, comma, count = text.partition(",")
    count = count if comma else "1"
    valid = start.isdecimal() and count.isdecimal() and len(text) < 20
    return (int(start), int(count)) if valid else None
