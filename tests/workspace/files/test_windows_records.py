"""Lists of names as Windows writes them: records, each with the distance to the next one, the last with 0."""

from __future__ import annotations

import pytest

from suture.workspace.files.windows_records import DirectoryNames, stream_names


def records(names: list[str], header: int, size_at: int) -> bytes:
    """Records with these names: the length of each is at `size_at`, and the name behind the header."""
    memory = b""
    for number, name in enumerate(names):
        text = name.encode("utf-16-le")
        record = bytearray(header) + text
        record[size_at : size_at + 4] = len(text).to_bytes(4, "little")
        record += bytes(-len(record) % 8)
        if number < len(names) - 1:
            record[:4] = len(record).to_bytes(4, "little")
        memory += record
    return memory


@pytest.mark.parametrize("names", [["a.py"], [".", "..", "a.py", "é.txt"], [".", ".."]])
def test_the_names_in_a_directory_are_those_of_all_records(names: list[str]) -> None:
    found = DirectoryNames()
    found.add(records(names, 12, 8))
    found.add(records(["last"], 12, 8) + b"what is behind the last record")
    assert found.names == [*(name for name in names if name not in (".", "..")), "last"]


@pytest.mark.parametrize(
    ("names", "streams"),
    [
        (["::$DATA"], []),
        (["::$DATA", ":Zone.Identifier:$DATA"], ["Zone.Identifier"]),
        ([":one:$DATA", "::$DATA", ":two:$DATA"], ["one", "two"]),
        ([""], []),
    ],
)
def test_the_streams_of_a_file_are_those_beside_its_content(names: list[str], streams: list[str]) -> None:
    assert stream_names(records(names, 24, 4)) == streams
