"""Converting the positions of the Language Server Protocol (LSP) to ours.

In LSP, lines end at LF, CR LF or CR, and positions count from 0 in code units of an encoding that server and client
negotiate. We count from 1, in characters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The encodings offered to a server; the first needs no conversion.
ENCODINGS = ("utf-32", "utf-16", "utf-8")


def lines_of(text: str) -> list[str]:
    """Split a text into lines without their endings; there is one more line than line endings."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def column_of(lines: Sequence[str], line: int, units: int, encoding: str) -> int:
    """The column, from 1, that is `units` code units into a line, or just past its end if it is shorter."""
    if not 0 <= line < len(lines):
        return 1
    text = lines[line]
    if encoding == "utf-32" or text.isascii():
        return min(units, len(text)) + 1
    codec, size = ("utf-8", 1) if encoding == "utf-8" else ("utf-16-le", 2)
    before = text.encode(codec, "surrogatepass")[: units * size]
    return len(before.decode(codec, "ignore")) + 1
