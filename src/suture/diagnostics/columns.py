"""Lines and columns as the protocol of language servers counts them, and as we do.

The protocol ends a line at LF, CR LF or CR, counts from 0, and counts characters in code units of an encoding that
server and client agree upon. We count from 1, in characters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The encodings that a server may choose from, the one that needs no counting first.
ENCODINGS = ("utf-32", "utf-16", "utf-8")


def lines_of(text: str) -> list[str]:
    """The lines of a text without their endings; one more than it has line endings."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def column_of(lines: Sequence[str], line: int, units: int, encoding: str) -> int:
    """The column, from 1, of so many code units into a line; behind its last character where it has fewer."""
    if not 0 <= line < len(lines):
        return 1
    text = lines[line]
    if encoding == "utf-32" or text.isascii():
        return min(units, len(text)) + 1
    codec, size = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    before = text.encode(codec, "surrogatepass")[: units * size]
    return len(before.decode(codec, "ignore")) + 1
