"""A change is its hunks: the diff and the counts follow from them, and JSON has these instead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.hunks import hunks_of

from suture import Workspace
from suture.agent import Request
from suture.workspace import Change, MemoryFiles, Plan, Receipt
from suture.workspace.changes import lines_changed

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, str | bytes] = {
    "a.txt": "one\ntwo\n",
    "gone.txt": "gone",
    "logo.png": b"\0\1",
    "crlf.txt": b"\xef\xbb\xbfone\r\n",
}
OPERATIONS = {
    "update": "*** Update File: a.txt\n@@\n-two\n+TWO\n",
    "add": "*** Add File: new.txt\n+new\n",
    "add an empty file": "*** Add File: empty.txt\n",
    "delete": "*** Delete File: gone.txt\n",
    "delete a binary file": "*** Delete File: logo.png\n",
    "move": "*** Update File: a.txt\n*** Move to: b.txt\n@@\n-two\n+TWO\n",
    "rename": "*** Update File: a.txt\n*** Move to: b.txt\n",
    "rename a binary file": "*** Update File: logo.png\n*** Move to: icon.png\n",
    "byte order mark and carriage returns": "*** Update File: crlf.txt\n@@\n-one\n+two\n",
}


def plan_of(operation: str) -> Plan:
    plan = Workspace(MemoryFiles(FILES)).plan(f"*** Begin Patch\n{operation}*** End Patch\n")
    assert plan.problems == ()
    return plan


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_change_survives_the_way_through_json(operation: str) -> None:
    plan = plan_of(operation)
    (change,) = plan.changes
    (read,) = Plan.from_json(plan.to_json()).changes
    assert (read, read.hunks, read.diff, bool(read.binary)) == (change, change.hunks, change.diff, bool(change.binary))


def test_json_has_the_diff_and_the_counts_and_no_hunks() -> None:
    (data,) = json.loads(plan_of(OPERATIONS["update"]).to_json())["changes"]
    assert (data["additions"], data["deletions"]) == (1, 1)
    assert data["diff"] == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n"
    assert data.keys().isdisjoint({"hunks", "binary", "resolved"})


def test_the_counts_that_json_claims_are_not_believed() -> None:
    plan = plan_of(OPERATIONS["update"])
    forged = plan.to_json().replace('"additions": 1', '"additions": 99')
    assert forged != plan.to_json()
    assert Plan.from_json(forged).changes[0].additions == 1


def test_a_binary_file_that_is_renamed_has_the_header_of_git() -> None:
    (change,) = plan_of(OPERATIONS["rename a binary file"]).changes
    header = "diff --git a/logo.png b/icon.png\nrename from logo.png\nrename to icon.png\n"
    assert (change.binary, change.diff) == ("", header)


def test_the_diff_of_a_link_does_not_create_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "other").symlink_to("nowhere")
    patch = "*** Begin Patch\n*** Delete File: link\n*** Update File: other\n*** Move to: moved\n*** End Patch\n"
    with Workspace(tmp_path, state_dir=tmp_path.parent / "state") as workspace:
        deleted, moved = workspace.plan(patch).changes
    assert deleted.diff == ""
    assert moved.diff == "diff --git a/other b/moved\nrename from other\nrename to moved\n"


def test_a_deleted_program_is_deleted_as_a_program(tmp_path: Path) -> None:
    program = tmp_path / "run.sh"
    program.write_text("echo\n")
    program.chmod(0o755)
    with Workspace(tmp_path, state_dir=tmp_path.parent / "state") as workspace:
        receipt = workspace.apply("*** Begin Patch\n*** Delete File: run.sh\n*** End Patch\n")
        (kept,) = workspace.show(receipt.id).changes
    assert kept == receipt.changes[0]
    assert "deleted file mode 100755\n" in kept.diff


def test_the_hunks_of_a_request_are_read_one_by_one() -> None:
    texts = ["@@ -1 +1 @@\n-a\n+b\n", "@@ -9 +9 @@\n-c\n+d\n"]
    request = Request("1", "edit", (Change("update", "a", hunks=hunks_of(*texts)),))
    data = json.loads(request.to_json())
    assert data["files"][0]["hunks"] == texts
    assert Request.from_json(request.to_json()) == request
    data["files"][0]["hunks"] = ["".join(texts)]
    with pytest.raises(ValueError, match="where a hunk was expected"):
        Request.from_json(json.dumps(data))


def test_a_receipt_of_an_earlier_version_has_its_hunks() -> None:
    """Its JSON has the diff, and so has that of today."""
    diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"
    change = {"kind": "update", "path": "a", "additions": 1, "deletions": 1, "diff": diff}
    receipt = {"id": "1", "time": 0, "actor": "", "tool": "edit", "atomic": True, "files": [], "changes": [change]}
    (read,) = Receipt.from_json(json.dumps(receipt)).changes
    assert read.hunks == hunks_of("@@ -1 +1 @@\n-a\n+b\n")


@pytest.mark.parametrize(
    ("before", "after", "lines", "binary"),
    [
        (b"one\n", b"two\n", ["-one\n", "+two\n"], ""),
        (None, b"two\n", ["+two\n"], ""),
        (b"one\n", None, ["-one\n"], ""),
        (b"one\n", b"\0", [], "becomes"),
        (None, b"\0", [], "becomes"),
        (b"\0", b"one\n", [], "was"),
        (b"\0", None, [], "was"),
        (b"\0", b"\1\0", [], "is"),
        (b"\0", b"\0", [], ""),
    ],
)
def test_a_difference_is_one_of_lines_unless_a_content_is_binary(
    before: bytes | None, after: bytes | None, lines: list[str], binary: str
) -> None:
    hunks, kind = lines_changed(before, after, None)
    assert ([line for hunk in hunks for line in hunk.lines], kind) == (lines, binary)
