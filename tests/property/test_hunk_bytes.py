"""Properties of the bytes around a hunk: line endings, encodings, and bytes that cannot be decoded."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from typing import NamedTuple

from hypothesis import assume, given, strategies as st
from tests.property.strategies import Change, changes, each_dialect, examples, hunks_of

from suture import Hunk, update


class Encoding(NamedTuple):
    """An encoding as files have it."""

    codec: str
    bom: bytes
    named: str | None = None


ENCODINGS = (
    Encoding("utf-8", b""),
    Encoding("utf-8", BOM_UTF8),
    Encoding("utf-16-le", BOM_UTF16_LE),
    Encoding("utf-16-be", BOM_UTF16_BE),
    Encoding("utf-32-le", BOM_UTF32_LE),
    Encoding("utf-32-be", BOM_UTF32_BE),
    Encoding("latin-1", b"", "latin-1"),
)


def most_common_ending(endings: list[str]) -> str:
    """The ending that most lines have, the first of them on a tie, LF where there is none."""
    ended = [ending for ending in endings if ending]
    return max(ended, key=lambda ending: (ended.count(ending), -ended.index(ending)), default="\n")


@examples(300)
@given(changes(distinct=True), st.data(), st.sampled_from(ENCODINGS), st.booleans())
def test_every_line_keeps_its_own_ending_and_encoding(
    change: Change, data: st.DataObject, encoding: Encoding, ends: bool
) -> None:
    """SPEC §5: "A text keeps, line by line, its own ending (LF, CRLF, CR), its BOM, its encoding and whether its last
    line ends in a newline." and "Added lines take the ending that most lines of the file have".
    """
    written = [hunk.replace(no_newline="") for hunk in hunks_of(change.before, change.after)]
    assume(written and any(line[0] != "+" for hunk in written for line in hunk.lines))
    endings = [data.draw(st.sampled_from(["\n", "\r\n", "\r"])) for _ in change.before]
    if not ends:
        endings[-1] = ""
    most = most_common_ending(endings)

    def encode(lines: list[str], with_endings: list[str]) -> bytes:
        text = "".join(line + ending for line, ending in zip(lines, with_endings, strict=True))
        return encoding.bom + text.encode(encoding.codec)

    after_endings = [most if origin is None else endings[origin] or most for origin in change.origin]
    if not ends and after_endings:
        after_endings[-1] = ""
    done = update(encode(change.before, endings), written, encoding=encoding.named)
    assert done.text == encode(change.after, after_endings)
    as_text = "".join(line + ending for line, ending in zip(change.before, endings, strict=True))
    in_text = "".join(line + ending for line, ending in zip(change.after, after_endings, strict=True))
    assert update(as_text, written).text == in_text


@examples(200)
@given(
    st.lists(st.binary(max_size=8).map(lambda b: b.translate(None, b"\n\r\0")), min_size=1, max_size=6),
    st.lists(st.binary(max_size=8).map(lambda b: b.translate(None, b"\n\r\0")), min_size=1, max_size=6),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.sampled_from([b"", BOM_UTF8]),
    each_dialect,
)
def test_undecodable_bytes_are_carried_through(
    above: list[bytes], below: list[bytes], ending: bytes, bom: bytes, dialect: str
) -> None:
    """SPEC §5: "Bytes that are not valid in the file's encoding are carried through untouched"."""
    assume(bom or not above[0].startswith((b"\xfe\xff", b"\xff\xfe", BOM_UTF8)))

    def content(middle: list[bytes]) -> bytes:
        return bom + ending.join([*above, *middle, *below, b""])

    hunk = Hunk((" the first of two", "-the old line", "+the new line"))
    before = content([b"the first of two", b"the old line"])
    assert update(before, [hunk], dialect=dialect).text == content([b"the first of two", b"the new line"])


@examples(200)
@given(
    st.sampled_from(ENCODINGS[2:6]),
    st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"").replace(b"\r", b"")),
    st.integers(0, 3),
)
def test_undecodable_bytes_of_wide_encodings_are_carried_through(encoding: Encoding, odd: bytes, more: int) -> None:
    """SPEC §5: "Bytes that are not valid in the file's encoding are carried through untouched"."""
    unit = 2 if "16" in encoding.codec else 4
    odd = odd[: len(odd) // unit * unit] + b"\x01" * more * (unit > more)
    whole, rest = odd[: len(odd) // unit * unit], odd[len(odd) // unit * unit :]

    def content(line: str) -> bytes:
        head, tail = (f"the first of two\n{line}\n", "\nthe last line\n")
        return encoding.bom + head.encode(encoding.codec) + whole + tail.encode(encoding.codec) + rest

    hunk = Hunk((" the first of two", "-the old line", "+the new line"))
    assert update(content("the old line"), [hunk]).text == content("the new line")
