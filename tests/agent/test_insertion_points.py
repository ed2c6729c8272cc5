"""Mode `exact`: a change beside the point of an insertion is a change of its place, also at the end of the file."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.agents import Agent, code, edit
from tests.shared.sites import envelope

from suture.agent.line_ranges import changes_meet, insertion_points

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture.agent.read_checks import Mode

ONE = "import app\n\n\ndef test_one():\n    assert app.one() == 1\n"
ADDED = "\n\ndef test_two():\n    assert app.two() == 2\n"
OTHER = ["", "", "def test_two():", "    assert app.two() == 'two'"]


def patch(*lines: str) -> tuple[str, dict[str, str]]:
    return "apply_patch", {"patchText": envelope("*** Update File: test_app.py", *lines)}


APPENDED = [f"+{line}" for line in OTHER]
#: What these tests are about. In the default mode, such edits are merged or are conflicts.
EXACT: dict[str, Mode] = {"edit": "exact", "apply_patch": "exact"}
#: Ways to append the same function.
APPENDS: dict[str, tuple[str, dict[str, Any]]] = {
    "context above": patch("@@", "     assert app.one() == 1", *APPENDED),
    "more context": patch("@@", " def test_one():", "     assert app.one() == 1", *APPENDED),
    "end of file": patch("@@", "     assert app.one() == 1", *APPENDED, "*** End of File"),
    "only at the end": patch("@@", *APPENDED, "*** End of File"),
    "below an anchor": patch("@@     assert app.one() == 1", *APPENDED),
    "replaced line": patch("@@", "-    assert app.one() == 1", "+    assert app.one() == 1", *APPENDED),
    "string edit": edit("== 1\n", "\n".join(["== 1", *OTHER, ""]), "test_app.py"),
}


def agents(folder: Path) -> tuple[Agent, Agent]:
    """Two agents at work in the same folder, who have both read the file."""
    pair = Agent(folder, reads=EXACT), Agent(folder, reads=EXACT)
    pair[0].put("test_app.py", ONE)
    for agent in pair:
        agent.call(("read", {"filePath": "test_app.py"}))
    return pair


@pytest.mark.parametrize("call", APPENDS.values(), ids=APPENDS)
def test_two_agents_append_the_same_function(tmp_path: Path, call: tuple[str, dict[str, Any]]) -> None:
    """Issue 25, B11: "two agents append `test_two`, both copies land"."""
    first, second = agents(tmp_path)
    added = [f"+{line}" for line in ADDED.splitlines()]
    assert not first.call(patch("@@", "     assert app.one() == 1", *added)).is_error
    refused = second.call(call)
    assert code(refused) in ("stale_file", "patch_apply_error", "multiple_matches")
    assert second.text("test_app.py") == ONE + ADDED
    if code(refused) == "stale_file":
        assert "+def test_two():" in refused.output, "the refusal shows what has come in"


SCRIPT = """
import sys
from suture import SyncSession, Workspace

root, state, text = sys.argv[1:]
with SyncSession(Workspace(root, state_dir=state), rules=[("edit", "*", "allow")]) as session:
    session.read("test_app.py")
    print("ready", flush=True)
    sys.stdin.readline()
    result = session.call("apply_patch", {"patchText": text})
    print(result.metadata["problems"][0]["code"] if result.is_error else "applied", flush=True)
"""


def test_two_processes_append_the_same_function(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "test_app.py").write_text(ONE)
    text = APPENDS["context above"][1]["patchText"]
    command = [sys.executable, "-c", SCRIPT, str(root), str(tmp_path / "state")]
    texts = [text, text.replace("'two'", "22")]
    processes = [
        subprocess.Popen([*command, one], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for one in texts
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        answers = [process.communicate("go\n", timeout=60)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert answers == ["applied\n", "conflict\n"]
    assert (root / "test_app.py").read_text() == ONE + "\n".join([*OTHER, ""])


LINES = [f"line {number}" for number in range(1, 10)]


@pytest.mark.parametrize(
    ("hunk", "drift", "applied"),
    [
        # The insertion is between lines 5 and 6, with context on one side or on both.
        ([" line 4", " line 5", "+new"], (5, 5, ["other"]), False),
        ([" line 4", " line 5", "+new"], (5, 6, ["other"]), False),
        ([" line 4", " line 5", "+new"], (5, 6, []), False),
        (["+new", " line 6", " line 7"], (5, 5, ["other"]), False),
        (["+new", " line 6", " line 7"], (4, 5, ["other"]), False),
        (["+new", " line 6", " line 7"], (4, 5, []), False),
        # There is an unchanged line between the two.
        ([" line 4", " line 5", "+new"], (6, 7, ["other"]), True),
        ([" line 4", " line 5", "+new"], (6, 6, ["other"]), True),
        (["+new", " line 6", " line 7"], (3, 4, ["other"]), True),
        ([" line 5", "+new", " line 6"], (6, 7, ["other"]), True),
        ([" line 5", "+new", " line 6"], (3, 4, ["other"]), True),
        # More lines come than go, or as many.
        (["-line 5", "+new", "+newer"], (5, 6, ["other"]), False),
        (["-line 5", "+new", "+newer"], (3, 4, ["other"]), False),
        (["-line 5", "+new"], (5, 6, ["other"]), True),
        (["-line 5"], (5, 6, ["other"]), True),
    ],
)
def test_an_unchanged_line_between_the_insertion_and_the_change_is_enough(
    tmp_path: Path, hunk: list[str], drift: tuple[int, int, list[str]], applied: bool
) -> None:
    agent = Agent(tmp_path, reads=EXACT)
    agent.put("test_app.py", "\n".join([*LINES, ""]))
    agent.call(("read", {"filePath": "test_app.py"}))
    start, end, lines = drift
    agent.put("test_app.py", "\n".join([*LINES[:start], *lines, *LINES[end:], ""]))
    result = agent.call(patch("@@", *hunk))
    assert ("applied" if not result.is_error else code(result)) == ("applied" if applied else "stale_file")


def test_a_file_that_is_moved_by_the_same_section_is_checked_too(tmp_path: Path) -> None:
    first, second = agents(tmp_path)
    assert not first.call(APPENDS["context above"]).is_error
    moved = patch("*** Move to: test_all.py", "@@", "     assert app.one() == 1", "+    assert app.two()")
    assert code(second.call(moved)) == "stale_file"


def test_what_was_read_before_a_restart_is_known(tmp_path: Path) -> None:
    first = Agent(tmp_path, id="s", reads=EXACT)
    first.put("test_app.py", ONE)
    first.call(("read", {"filePath": "test_app.py"}))
    again = Agent(tmp_path, id="s", reads=EXACT)
    again.put("test_app.py", "import os\n" + ONE)
    assert not again.call(APPENDS["context above"]).is_error


TEXTS = st.lists(st.sampled_from("ab"), max_size=8)


@given(TEXTS, st.integers(0, 8), st.lists(st.sampled_from("ab"), min_size=1, max_size=3))
def test_every_point_at_which_the_same_lines_could_have_come_in_is_one(
    before: list[str], at: int, added: list[str]
) -> None:
    """Nobody can tell at which of them they have."""
    at = min(at, len(before))
    after = [*before[:at], *added, *before[at:]]
    size = len(added)
    possible = [n for n in range(len(before) + 1) if [*before[:n], *after[n : n + size], *before[n:]] == after]
    (point,) = insertion_points(before, after)
    assert point == (min(possible), max(possible))
    assert changes_meet(before, after, [(n, n) for n in (min(possible), max(possible) + size)])
    outside = [(n, n) for n in range(len(after) + 1) if not min(possible) <= n <= max(possible) + size]
    assert not changes_meet(before, after, outside)
    assert changes_meet(after, before, [point])
