"""Several changes by line numbers in one answer: all numbers are about the file before it, and none may overlap."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from suture import SutureError, Workspace
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from typing import Any

TEXT = "".join(f"line {number}\n" for number in range(1, 9))


def lines_after(text: str, before: str = TEXT) -> list[str]:
    files = MemoryFiles({"a.txt": before})
    Workspace(files).apply(text, expected_sha256={"a.txt": hashlib.sha256(before.encode()).hexdigest()})
    return str(files.texts()["a.txt"]).splitlines()


def hashline(*edits: dict[str, Any]) -> str:
    return json.dumps({"name": "hashline_edit", "input": {"path": "a.txt", "edits": edits}})


def patched(*patches: dict[str, Any]) -> dict[str, Any]:
    return {"name": "patch_text_file_contents", "input": {"file_path": "a.txt", "patches": patches}}


@pytest.mark.parametrize(
    "text",
    [
        hashline({"op": "delete", "pos": "3:aa"}, {"op": "delete", "pos": "3:aa"}),
        hashline(
            {"op": "replace", "pos": "2:aa", "end": "4:bb", "lines": ["X"]},
            {"op": "replace", "pos": "3:aa", "end": "6:aa", "lines": ["P"]},
        ),
        "[a.txt#1A2B]\nSWAP 2.=5:\n+X\nDEL 3\n",
        "[a.txt#1A2B]\nSWAP 2.=5:\n+X\nINS.POST 3:\n+Y\n",
        json.dumps(patched({"start": 2, "end": 4, "contents": "X\n"}, {"start": 3, "end": 3, "contents": "Y\nZ\n"})),
    ],
)
def test_changes_that_overlap_are_refused(text: str) -> None:
    with pytest.raises(SutureError) as raised:
        lines_after(text)
    assert raised.value.problems[0].details["reason"] == "lines_moved"


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ("SWAP 3:\n+X\n+Y\nINS.POST 3:\n+B\n", ["line 2", "X", "Y", "B", "line 4"]),
        ("INS.POST 3:\n+B\nSWAP 3:\n+X\n+Y\n", ["line 2", "X", "Y", "B", "line 4"]),
        ("INS.PRE 3:\n+A\nSWAP 3:\n+X\nINS.PRE 3:\n+B\n", ["line 2", "A", "B", "X", "line 4"]),
        ("DEL 3\nINS.POST 2:\n+A\n", ["line 2", "A", "line 4"]),
        ("SWAP 3:\n+X\nSWAP 4:\n+Y\n", ["line 2", "X", "Y", "line 5"]),
    ],
)
def test_changes_beside_each_other_are_made_in_the_order_of_the_file(commands: str, expected: list[str]) -> None:
    after = lines_after(f"[a.txt#1A2B]\n{commands}")
    assert after[1 : 1 + len(expected)] == expected
    assert after[-3:] == ["line 6", "line 7", "line 8"]


def test_several_insertions_at_one_line_keep_their_order() -> None:
    entries = [{"insert_line": 2, "new_str": "A"}, {"insert_line": 2, "new_str": "B"}]
    call = {"name": "str-replace-editor", "input": {"path": "a.txt", "insert_line_entries": entries}}
    assert lines_after(json.dumps(call))[1:5] == ["line 2", "A", "B", "line 3"]


@pytest.mark.parametrize(
    "second",
    [
        {"name": "insert_content", "input": {"path": "a.txt", "line": 5, "content": "B"}},
        patched({"start": 5, "end": 5, "contents": "L5\n"}),
    ],
)
def test_a_number_below_an_earlier_change_of_the_answer_is_refused(second: dict[str, Any]) -> None:
    edit = {"filePath": "a.txt", "oldString": "line 1\n", "newString": "line 1\nnew\n"}
    calls = [{"name": "edit", "input": edit}, second]
    with pytest.raises(SutureError) as raised:
        lines_after("\n".join(map(json.dumps, calls)))
    assert raised.value.problems[0].details["reason"] == "lines_moved"
    # The other way around, it is about the file that the hash vouches for.
    assert "line 4" in lines_after("\n".join(map(json.dumps, calls[::-1])))


def test_among_equal_lines_nobody_can_tell_which_were_added() -> None:
    edit = {"filePath": "a.txt", "oldString": "first\nx\n", "newString": "first\nx\nx\n"}
    calls = [{"name": "edit", "input": edit}, patched({"start": 3, "end": 3, "contents": "C\n"})]
    with pytest.raises(SutureError):
        lines_after("\n".join(map(json.dumps, calls)), "first\nx\nx\nx\nlast\n")
