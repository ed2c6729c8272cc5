"""Files in memory: texts and bytes, and what can be no path."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from suture.workspace.files.memory import MemoryFiles


def test_texts_come_back_as_they_were_given() -> None:
    texts: dict[str, str | bytes] = {"b/c.py": "text\n", "a": b"\xff\xfe", "d": "lone \ud800", "e": ""}
    assert MemoryFiles(texts).texts() == texts
    assert list(MemoryFiles(texts).texts()) == ["a", "b/c.py", "d", "e"]


def test_texts_are_bytes_only_where_they_are_no_text() -> None:
    files = MemoryFiles({"a": b"text"})
    files.stage("/b", "ä".encode(), flush=False)
    files.stage("/c", b"\xff", flush=False)
    files.make_link("/d", "a")
    files.make_folder("/e")
    assert files.texts() == {"a": "text", "b": "ä", "c": b"\xff"}


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "./a", "../a", "a/../b", "a\0b"])
def test_a_key_that_is_no_relative_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        MemoryFiles({path: ""})


@pytest.mark.parametrize("paths", [("a", "a/b"), ("a/b", "a"), ("a", "a/b/c")])
def test_a_path_can_not_be_a_file_and_a_folder(paths: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="directory"):
        MemoryFiles(dict.fromkeys(paths, ""))


@given(st.dictionaries(st.sampled_from(["a", "b", "c/d", "c/e", "f/g/h"]), st.text() | st.binary()))
def test_what_is_given_is_what_is_there(texts: dict[str, str | bytes]) -> None:
    files = MemoryFiles(texts)
    for path, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        assert files.read(f"/{path}", len(data))[0] == data


def test_a_directory_may_only_take_the_name_of_an_empty_one() -> None:
    files = MemoryFiles({"old/a": "one", "full/b": "two"})
    files.make_folder("/empty")
    with pytest.raises(OSError, match="not empty"):
        files.rename("/old", "/full", replace=True)
    files.rename("/old", "/empty", replace=True)
    assert files.texts() == {"empty/a": "one", "full/b": "two"}
