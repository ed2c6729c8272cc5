"""Which contents are pictures that a page may draw: raster types alone, told by their first bytes, never by a name.

A few bytes can stand for billions of points, which a browser would keep in memory, so the number of points is read from
the head of a picture first. A head that is not exactly as the format says is no picture: a decoder may read it in
another way.
"""

from __future__ import annotations

from .review_limits import LARGEST_PICTURE, MOST_PICTURE_PASSES, MOST_PICTURE_POINTS


def picture_type(content: bytes) -> str:
    """The media type of a picture; empty if it is none, or too large. A drawing with scripts, such as SVG, is none."""
    if len(content) > LARGEST_PICTURE:
        return ""
    kind, size = "", (0, 0)
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        kind, size = "image/png", _png_size(content)
    elif content.startswith(b"\xff\xd8\xff"):
        kind, size = "image/jpeg", _jpeg_size(content)
    elif content.startswith((b"GIF87a", b"GIF89a")):
        kind, size = "image/gif", _gif_size(content)
    elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind, size = "image/webp", _webp_size(content)
    return kind if 0 < size[0] * size[1] <= MOST_PICTURE_POINTS else ""


def _png_size(content: bytes) -> tuple[int, int]:
    """The width and height of a PNG; 0 if its head is damaged, here and below."""
    if content[8:16] != b"\x00\x00\x00\rIHDR":
        return 0, 0
    return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """The width and height of a JPEG, from the head of its frame."""
    if content.count(b"\xff\xda") > MOST_PICTURE_PASSES:
        return 0, 0
    at = 2
    while content[at : at + 1] == b"\xff" and at + 4 <= len(content):
        marker = content[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(content[at + 5 : at + 7])
            width = int.from_bytes(content[at + 7 : at + 9])
            return width, height
        is_restart_or_scan = 0xD0 <= marker <= 0xDA
        if marker < 0xC0 or is_restart_or_scan or marker == 0xFF:
            # No segment that may be before the head of the frame.
            break
        at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return 0, 0


def _gif_size(content: bytes) -> tuple[int, int]:
    """The size of the screen, or of the first picture where that is larger: it makes the screen grow."""
    screen_width, screen_height, flags = _number(content, 6), _number(content, 8), content[10:11]
    at = 13
    has_colors = bool(flags) and flags[0] & 0x80 != 0
    if has_colors:
        at += 6 << (flags[0] & 7)
    while content[at : at + 1] == b"!":
        at = _end_of_extension(content, at)
    if content[at : at + 1] != b"," or len(content) < at + 10:
        return 0, 0
    left, top = _number(content, at + 1), _number(content, at + 3)
    width, height = _number(content, at + 5), _number(content, at + 7)
    return max(screen_width, left + width), max(screen_height, top + height)


def _end_of_extension(content: bytes, at: int) -> int:
    """Where an extension of a GIF ends: two bytes, then blocks that begin with their length, then a length of 0."""
    at += 2
    while at < len(content) and content[at] > 0:
        at += 1 + content[at]
    return at + 1


def _webp_size(content: bytes) -> tuple[int, int]:
    """The width and height of a WebP, which has three kinds: lossy, lossless and extended."""
    chunk = content[12:16]
    if chunk == b"VP8 " and content[23:26] == b"\x9d\x01\x2a":
        return _number(content, 26) & 0x3FFF, _number(content, 28) & 0x3FFF
    if chunk == b"VP8L" and content[20:21] == b"/":
        # Two numbers of 14 bits, each one less than the size.
        bits = int.from_bytes(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8X" and len(content) >= 30:
        return 1 + int.from_bytes(content[24:27], "little"), 1 + int.from_bytes(content[27:30], "little")
    return 0, 0


def _number(content: bytes, at: int) -> int:
    """The number in two bytes, the lower one first."""
    return int.from_bytes(content[at : at + 2], "little")
