"""Which contents the page may draw: pictures whose heads say that they have few enough points."""

from __future__ import annotations

import struct

import pytest

from suture.review.pictures import picture_type
from suture.review.review_limits import LARGEST_PICTURE, MOST_PICTURE_PASSES, MOST_PICTURE_POINTS


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\0\0\0"


def jpeg(width: int, height: int, *, before: bytes = b"", passes: int = 1) -> bytes:
    comment = b"\xff\xfe\x00\x06abcd"
    frame = b"\xff\xc2\x00\x0b\x08" + struct.pack(">HH", height, width) + b"\x01\x01\x11\x00"
    return b"\xff\xd8" + comment + before + frame + b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" * passes + b"\xff\xd9"


def gif(width: int, height: int, *, screen: tuple[int, int] = (1, 1), left: int = 0) -> bytes:
    note = b"!\xfe\x03abc\x02de\x00"
    head = b"GIF89a" + struct.pack("<HHBBB", *screen, 0x81, 0, 0) + b"\0" * 12
    return head + note + b"," + struct.pack("<HHHHB", left, 0, width, height, 0) + b"\x02\x00;"


def webp(width: int, height: int, kind: bytes = b"VP8X") -> bytes:
    if kind == b"VP8X":
        data = b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == b"VP8L":
        data = b"/" + (width - 1 | (height - 1) << 14).to_bytes(4, "little")
    else:
        data = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"WEBP" + kind + struct.pack("<I", len(data)) + data


KINDS = {
    "png": png,
    "jpeg": jpeg,
    "gif": gif,
    "screen of a gif": lambda width, height: gif(1, 1, screen=(width, height)),
    "webp": webp,
    "lossless webp": lambda width, height: webp(width, height, b"VP8L"),
    "lossy webp": lambda width, height: webp(width, height, b"VP8 "),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_a_picture_is_told_by_its_head_and_its_points_are_counted(make: object) -> None:
    assert callable(make)
    assert picture_type(make(300, 200)).startswith("image/")
    side = int(MOST_PICTURE_POINTS**0.5)
    assert picture_type(make(side, side)).startswith("image/")
    assert picture_type(make(16_000, 16_000)) == ""
    assert picture_type(make(300, 200) + bytes(LARGEST_PICTURE)) == ""


def test_a_picture_that_makes_the_screen_of_a_gif_grow_is_counted() -> None:
    assert picture_type(gif(200, 16_000, left=65_000)) == ""


def test_a_jpeg_that_is_drawn_in_very_many_passes_is_none() -> None:
    assert picture_type(jpeg(10, 10, passes=MOST_PICTURE_PASSES)) == "image/jpeg"
    assert picture_type(jpeg(10, 10, passes=MOST_PICTURE_PASSES + 1)) == ""
    assert picture_type(jpeg(10, 10, passes=2000)) == ""


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        png(0, 10),
        png(10, 10).replace(b"IHDR", b"IHDX"),
        b"\x89PNG\r\n\x1a\n",
        jpeg(10, 10, before=b"garbage"),
        jpeg(10, 10, before=b"\xff\xda\x00\x02"),
        jpeg(10, 10, before=b"\xff\xd8"),
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\xff\xff",
        b"GIF89a=1;alert(1)//",
        b"GIF89a" + b"!" * 1000,
        b"RIFF1234WEBPVP8X",
        b"RIFF1234WEBPJUNK" + bytes(100),
    ],
    ids=repr,
)
def test_what_has_no_clear_head_is_no_picture(content: bytes) -> None:
    assert picture_type(content) == ""
