"""Text: what hunks are matched against, and what has to survive."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.core.text import Text

SWAP = Hunk((" one", "-two", "+2"))


def codes(refused: pytest.ExceptionInfo[PatchRejectedError]) -> list[str]:
    return [problem.code for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\rc\n", ["a", "b", "c"]),
        ("a\n\r\nb", ["a", "", "b"]),
        ("a\x0cb\x0bc\x1cd\x85e\u2028f\u2029g", ["a\x0cb\x0bc\x1cd\x85e\u2028f\u2029g"]),
        ("\ufeffa\nb", ["a", "b"]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_and_nowhere_else(content: str, lines: list[str]) -> None:
    assert Text(content).lines == lines


@pytest.mark.parametrize("content", ["", "a", "a\r\nb\rc\n", "\ufeffa\n", "\ufeff", "a\ud800\n"])
def test_a_text_gives_back_what_was_read(content: str) -> None:
    text = Text(content)
    assert text.content(text.raw) == content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a\r\nb\rc\n",
        BOM_UTF8 + b"a\n",
        b"\xff\xc3(\n",
        b"\xe4\xf6\xfc",
        BOM_UTF16_LE + "aä\r\n".encode("utf-16-le"),
        BOM_UTF16_BE + "aä\r\n".encode("utf-16-be"),
        BOM_UTF32_LE + "aä\r\n".encode("utf-32-le"),
        BOM_UTF32_BE + "aä\r\n".encode("utf-32-be"),
        BOM_UTF16_LE + b"a\x00\x00\xd8b\x00" + b"c",
        BOM_UTF32_LE + b"a\x00\x00\x00" + b"bcd",
    ],
)
def test_bytes_give_back_what_was_read(content: bytes) -> None:
    text = Text(content)
    assert text.content(text.raw) == content


@pytest.mark.parametrize(
    ("content", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\rb\r", "\r"),
        ("a\r\nb\nc\n", "\n"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\nb\n", "\r\n"),
        ("a\nb\r\n", "\n"),
        ("a\rb\r\nc\n", "\r"),
        ("a\nb\nc\r\nd\r\ne\r", "\n"),
        ("x\r\n\ny\r", "\r\n"),
    ],
)
def test_added_lines_take_the_ending_that_most_lines_have_the_first_on_a_tie(content: str, newline: str) -> None:
    assert Text(content).newline == newline


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\ntwo\n", "one\n2\n"),
        ("one\r\ntwo\r\n", "one\r\n2\r\n"),
        ("one\rtwo\r", "one\r2\r"),
        ("one\ntwo\r\nthree\r\n", "one\n2\r\nthree\r\n"),
        ("one\r\ntwo\nthree\n", "one\r\n2\nthree\n"),
        ("one\ntwo", "one\n2"),
        ("one\r\ntwo", "one\r\n2"),
        ("\ufeffone\r\ntwo", "\ufeffone\r\n2"),
        ("one\ntwo\n\x0c\u2028\n", "one\n2\n\x0c\u2028\n"),
    ],
)
def test_an_update_keeps_every_ending(before: str, after: str) -> None:
    assert update(before, [SWAP]).text == after
    assert update(before.encode(), [SWAP]).text == after.encode()


def test_a_bom_is_no_part_of_the_first_line() -> None:
    assert update(BOM_UTF8 + b"one\ntwo\n", [SWAP]).text == BOM_UTF8 + b"one\n2\n"
    assert update("\ufeffone\ntwo\n", [SWAP]).matches[0].tier == "exact"


def test_a_line_that_is_added_above_the_first_comes_behind_the_bom() -> None:
    assert update("\ufeffone\n", [Hunk(("+zero", " one"))]).text == "\ufeffzero\none\n"


@pytest.mark.parametrize(
    ("bom", "codec"),
    [
        (BOM_UTF16_LE, "utf-16-le"),
        (BOM_UTF16_BE, "utf-16-be"),
        (BOM_UTF32_LE, "utf-32-le"),
        (BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_wide_encodings_are_told_by_their_bom(bom: bytes, codec: str) -> None:
    before, after = (bom + f"one\r\n{word}\r\nä\U0001f600\r\n".encode(codec) for word in ("two", "2"))
    assert update(before, [SWAP]).text == after


def test_bytes_behind_the_last_whole_unit_are_kept() -> None:
    before, after = (BOM_UTF16_LE + f"one\n{word}\nx\n".encode("utf-16-le") + b"\x07" for word in ("two", "2"))
    assert update(before, [SWAP]).text == after


def test_an_encoding_is_named_never_guessed() -> None:
    before = "one\ntwo\nä\n".encode("latin-1")
    assert update(before, [SWAP], encoding="latin-1").text == "one\n2\nä\n".encode("latin-1")
    assert update(before, [SWAP]).text == "one\n2\nä\n".encode("latin-1")
    with pytest.raises(PatchRejectedError):
        update(before, [Hunk((" ä", "+x"))])
    assert update(before, [Hunk((" ä", "+ö"))], encoding="latin-1").text == "one\ntwo\nä\nö\n".encode("latin-1")


def test_undecodable_bytes_elsewhere_are_carried_through() -> None:
    assert update(b"one\ntwo\n\xff\xfe\xc3(\n", [SWAP]).text == b"one\n2\n\xff\xfe\xc3(\n"


def test_undecodable_bytes_in_context_stay_where_the_rest_of_the_line_is_close() -> None:
    before = b"one\ntwo\nthe caf\xe9 of the town\nfour lines\nfive lines\n"
    hunk = Hunk((" one", "-two", "+2", " the café of the town", " four lines", " five lines"))
    assert update(before, [hunk]).text == before.replace(b"two", b"2")


@pytest.mark.parametrize("content", ["a\0b\n", b"a\0b\n", BOM_UTF8 + b"a\0b\n"])
def test_a_file_with_nul_bytes_is_binary(content: str | bytes) -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update(content, [Hunk(("-a", "+b"))], path="a.bin")
    assert codes(refused) == ["binary_file"]
    (problem,) = refused.value.problems
    assert (problem.path, problem.details["path"], problem.recoverable) == ("a.bin", "a.bin", False)


def test_a_named_encoding_may_have_nul_bytes() -> None:
    before, after = (f"one\n{word}\n".encode("utf-16-le") for word in ("two", "2"))
    assert update(before, [SWAP], encoding="utf-16-le").text == after


@pytest.mark.parametrize("encoding", ["no-such-codec", "rot13", "hex", "undefined", "\0", "x" * 1000, "ütf"])
def test_an_encoding_that_does_not_exist_is_an_encoding_error(encoding: str) -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update(b"one\ntwo\n", [SWAP], encoding=encoding)
    assert codes(refused) == ["encoding_error"]


def test_bytes_that_a_named_encoding_cannot_carry_are_an_encoding_error() -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update(b"one\ntwo\n\xfd\xd8", [SWAP], encoding="utf-16")
    assert codes(refused) == ["encoding_error"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_an_encoding_that_writes_a_bom_of_its_own_is_refused_rather_than_changed(encoding: str) -> None:
    before = "one\ntwo\n".encode(f"{encoding}-le")
    with pytest.raises(PatchRejectedError) as refused:
        update(before, [SWAP], encoding=encoding)
    assert codes(refused) == ["encoding_error"]


def test_a_character_that_the_encoding_lacks_is_an_encoding_error() -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update("one\ntwo\n".encode("latin-1"), [Hunk((" one", "-two", "+zwei €"))], encoding="latin-1", path="a.txt")
    assert codes(refused) == ["encoding_error"]
    assert "U+20AC" in refused.value.problems[0].message
    assert refused.value.problems[0].path == "a.txt"


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\x9b", "\r", "\ud800"])
def test_new_control_characters_are_refused_with_a_setting(character: str) -> None:
    """SPEC §5: "New control characters (but tab and form feed) in added text are refused, with a setting." """
    hunk = Hunk((" one", f"+a{character}b"))
    with pytest.raises(PatchRejectedError) as refused:
        update("one\n", [hunk])
    assert codes(refused) == ["encoding_error"]
    assert update("one\n", [hunk], allow_control=True).text == f"one\na{character}b\n"


@pytest.mark.parametrize("character", ["\t", "\x0c", "\xa0", "\u2028", "\u200b", "é", "\U0001f600", "\ufeff", "\xad"])
def test_other_characters_may_be_added(character: str) -> None:
    assert update("one\n", [Hunk((" one", f"+a{character}b"))]).text == f"one\na{character}b\n"


def test_control_characters_of_the_file_are_not_new() -> None:
    assert update("a\x07\nb\n", [Hunk((" a\x07", "-b", "+c"))]).text == "a\x07\nc\n"


def test_a_control_character_that_only_moves_is_not_new() -> None:
    """A removed line that is added again, changed elsewhere, brings nothing new into the file."""
    assert update("a\x1b[0m\nb\n", [Hunk(("-a\x1b[0m", "+A\x1b[0m"))]).text == "A\x1b[0m\nb\n"


def test_a_file_beyond_the_limit_is_refused() -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update("one\ntwo\n", [SWAP], max_size=7, path="a.txt")
    assert codes(refused) == ["file_too_large"]
    assert update("one\ntwo\n", [SWAP], max_size=8).text == "one\n2\n"


@pytest.mark.parametrize("odd", ["00001100", "ffffffff", "00d80000"])
@pytest.mark.parametrize(("bom", "codec"), [(BOM_UTF32_LE, "utf-32-le"), (BOM_UTF32_BE, "utf-32-be")])
def test_a_unit_beyond_unicode_is_carried_through(odd: str, bom: bytes, codec: str) -> None:
    unit = bytes.fromhex(odd)
    before, after = (
        bom + f"one\n{word}\n".encode(codec) + unit + "x\n".encode(codec) + unit * 2 for word in ("two", "2")
    )
    assert update(before, [SWAP]).text == after
