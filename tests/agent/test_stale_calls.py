"""The mode `rebase`: an edit of a file that has changed since it was read is merged, and the answer shows the lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit
from tests.shared.goldens import compare

from suture import Answer, PatchRejectedError
from suture.agent import Formatter, Pending
from suture.state import session_records
from suture.state.state_limits import MOST_BASES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from suture import Session
    from suture.workspace import Plan, Receipt

MODES = dict.fromkeys(("edit", "multiedit", "write", "apply_patch", "insert"), "rebase")
#: What somebody else makes of the file.
LATER = "import os\n\n\n" + APP.replace("'Hi '", "'Hey '")
BYE = edit("'Bye '", "'See you '")
RESULT = LATER.replace("'Bye '", "'See you '")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent that has read the file before somebody else changed it."""
    agent = Agent(tmp_path, reads=MODES)
    assert not agent.call(READ).is_error
    agent.put("src/app.py", LATER)
    return agent


PATCH = "*** Begin Patch\n*** Update File: src/app.py\n@@\n-    print('Bye ' + name)\n+    print('See you ' + name)\n"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(BYE, id="edit"),
        pytest.param(
            ("multiedit", {"filePath": "src/app.py", "edits": [{"oldString": "'Bye '", "newString": "'See you '"}]}),
            id="multiedit",
        ),
        pytest.param(("write", {"filePath": "src/app.py", "content": APP.replace("Bye", "See you")}), id="write"),
        pytest.param(("apply_patch", {"patchText": f"{PATCH}*** End Patch\n"}), id="apply_patch"),
    ],
)
def test_a_call_is_merged_with_what_has_changed_since(agent: Agent, call: tuple[str, Any]) -> None:
    result = agent.call(call)
    assert (result.is_error, agent.text("src/app.py")) == (False, RESULT)
    assert "merged with a later change of the file; lines of the file 1-3, 5, of the edit 9" in result.output


def test_a_line_number_is_one_of_the_text_that_was_read(agent: Agent) -> None:
    agent.run(lambda session: session.insert("src/app.py", "    # last\n", line=5))
    assert agent.text("src/app.py") == LATER.replace("def part(name):\n", "def part(name):\n    # last\n")


def test_the_answer_shows_what_the_lines_now_read(agent: Agent) -> None:
    compare("rebase-answer.txt", agent.call(BYE).output + "\n")


def test_programs_find_the_merge_in_the_metadata(agent: Agent) -> None:
    concessions = agent.call(BYE).metadata["filediff"]["concessions"]
    assert concessions == [{"name": "rebased", "line": 0, "about": "of the file 1-3, 5, of the edit 9"}]


def test_what_the_answer_shows_counts_as_read(agent: Agent) -> None:
    agent.call(BYE)
    read = agent.session.reads.get("src/app.py")
    assert read is not None
    assert read.lines is None, "all of the file: what was read before, and what the answer shows"
    assert not agent.call(edit("'Hey '", "'Hello '")).is_error


def test_what_the_answer_can_not_show_counts_as_unread(agent: Agent) -> None:
    agent.put("src/app.py", "".join([f"constant_{number} = {number}\n" for number in range(200)]) + LATER)
    result = agent.call(BYE)
    assert "The other change is too long to be shown." in result.output
    read = agent.session.reads.get("src/app.py")
    assert read is not None
    assert read.lines is not None
    assert read.lines[0][0] > 200


def test_who_has_changed_the_file_is_told(agent: Agent) -> None:
    agent.put("src/app.py", APP)
    agent.workspace.edit("src/app.py", "'Hi '", "'Hey '", actor="claude")
    assert re.search(
        r"src/app\.py had changed since it was read by claude, \d+ s ago: line 2\.", agent.call(BYE).output
    )


def test_a_conflict_says_who_has_changed_the_file(agent: Agent) -> None:
    agent.put("src/app.py", APP)
    agent.workspace.edit("src/app.py", "'Bye '", "'Ciao '", actor="claude")
    refused = agent.call(BYE)
    assert code(refused) == "conflict"
    assert re.search(r"since the text that the edit is for \(by claude, \d+ s ago\), and the change", refused.output)


def test_a_conflict_shows_both_sides_and_the_next_call_is_right(agent: Agent) -> None:
    refused, done = agent.calls(edit("'Hi '", "'Hello '"), edit("'Hey '", "'Hello '"))
    assert code(refused) == "conflict"
    compare("rebase-conflict-answer.txt", refused.output + "\n")
    assert (done.is_error, agent.text("src/app.py")) == (False, LATER.replace("'Hey '", "'Hello '"))


def test_a_new_occurrence_is_shown_before_every_one_is_replaced(agent: Agent) -> None:
    """What the conflict shows counts as read, so the same call then replaces them all."""
    agent.put("src/app.py", f"{LATER}\n\nprint('Ho ' + name)\n")
    every = ("edit", {"filePath": "src/app.py", "oldString": "+ name", "newString": "+ who", "replaceAll": True})
    refused = agent.call(every)
    assert (refused.is_error, "print('Ho ' + name)" in refused.output) == (True, True)
    agent.call(READ)
    assert not agent.call(every).is_error
    assert "+ name" not in agent.text("src/app.py")


def test_any_conflict_refuses_the_whole_patch(agent: Agent) -> None:
    agent.put("other.py", "x = 1\n")
    hunk = "*** Update File: src/app.py\n@@\n-    print('Hi ' + name)\n+    print('Hello ' + name)\n"
    text = f"*** Begin Patch\n*** Update File: other.py\n@@\n-x = 1\n+x = 2\n{hunk}*** End Patch\n"
    assert code(agent.call(("apply_patch", {"patchText": text}))) == "conflict"
    assert (agent.text("other.py"), agent.text("src/app.py")) == ("x = 1\n", LATER)


def test_what_somebody_else_has_done_already_is_not_done_twice(agent: Agent) -> None:
    agent.put("src/app.py", RESULT)
    assert "already" in agent.call(BYE).output
    assert agent.text("src/app.py") == RESULT


@pytest.mark.parametrize("tool", ["delete", "move"])
def test_deletes_and_moves_are_not_merged(agent: Agent, tool: str) -> None:
    more = {"toPath": "b.py"} if tool == "move" else {}
    assert code(agent.call((tool, {"filePath": "src/app.py", **more}))) == "stale_file"


def test_an_expected_hash_stays_strict(agent: Agent) -> None:
    arguments = {"patchText": f"{PATCH}*** End Patch\n", "expectedSha256ByPath": {"src/app.py": "0" * 64}}
    assert code(agent.call(("apply_patch", arguments))) == "stale_file"


def test_a_file_that_was_not_read_is_refused_as_ever(agent: Agent) -> None:
    agent.put("new.py", "x = 1\n")
    assert code(agent.call(edit("x = 1", "x = 2", path="new.py"))) == "not_read"


def test_lines_that_were_not_read_of_the_earlier_text_are_no_base(tmp_path: Path) -> None:
    agent = Agent(tmp_path, reads=MODES)
    agent.call(("read", {"filePath": "src/app.py", "offset": 1, "limit": 1}))
    agent.put("src/app.py", LATER)
    assert code(agent.call(("write", {"filePath": "src/app.py", "content": "x = 1\n"}))) == "stale_file"


#: The place of the edit, and another one far from it.
TWICE = f"print('Bye ' + 'you')\n\n\n{LATER}"


@pytest.mark.parametrize(
    ("now", "expected"),
    [(TWICE, "multiple_matches"), (TWICE.replace("Bye", "Ciao"), "stale_file")],
    ids=["two", "none"],
)
def test_an_edit_with_several_places_in_a_text_that_was_read_is_not_placed_by_an_earlier_one(
    agent: Agent, now: str, expected: str
) -> None:
    # The model has seen two places after the one, so nothing says that it means the second.
    agent.put("src/app.py", TWICE)
    assert not agent.call(READ).is_error
    agent.put("src/app.py", now)
    result = agent.call(BYE)
    assert (code(result), agent.text("src/app.py")) == (expected, now)


def test_a_change_of_layout_alone_does_not_matter(tmp_path: Path) -> None:
    agent = Agent(tmp_path, reads=MODES)
    agent.call(READ)
    agent.put(
        "src/app.py",
        APP.replace("'", '"').replace("print(", "print(\n        ").replace("name)\n\n", "name,\n    )\n\n"),
    )
    result = agent.call(edit("print('Hi ' + name)", "print('Hello ' + name.title())"))
    assert not result.is_error, result.output
    assert 'print(\n        "Hello " + name.title(),\n    )\n' in agent.text("src/app.py")
    assert "in layout alone" in result.output


def test_the_formatter_of_the_session_does_not_matter(tmp_path: Path) -> None:
    """The model edits the text that it wrote, which a formatter has changed since."""
    script = "import sys; t = sys.stdin.read(); print(t.replace(chr(39), chr(34)), end='')"
    agent = Agent(tmp_path, reads=MODES, formatters=[Formatter("**/*.py", ("python3", "-c", script))])
    results = agent.calls(READ, edit(), edit("print('Hello ' + name)", "print('Hey ' + name)"))
    assert [result.is_error for result in results] == [False, False, False], results[-1].output
    assert agent.text("src/app.py") == APP.replace("'Hi '", "'Hey '").replace("'", '"')


def test_the_text_that_was_read_survives_a_restart(tmp_path: Path) -> None:
    first = Agent(tmp_path, reads=MODES)
    first.call(READ)
    first.workspace.close()
    again = Agent(tmp_path, reads=MODES, id=first.session.id)
    again.put("src/app.py", LATER)
    assert not again.call(BYE).is_error
    assert again.text("src/app.py") == RESULT


def test_a_text_that_is_no_longer_kept_is_refused(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_records, "MOST_BASE_BYTES", 0)
    agent.put("src/app.py", APP)
    agent.call(READ)
    agent.put("src/app.py", LATER)
    fresh = Agent(agent.folder, reads=MODES, id=agent.session.id)
    assert code(fresh.call(BYE)) == "stale_file"


def test_as_many_texts_of_a_file_are_kept_as_there_is_room_for(agent: Agent) -> None:
    for number in range(10):
        agent.put("src/app.py", f"x = {number}\n")
        agent.call(READ)
    path = str(agent.root / "src" / "app.py")
    kept = agent.workspace.records_of(agent.session.id).bases(path)
    assert len(kept) == MOST_BASES
    assert agent.workspace.records_of(agent.session.id).base(path, kept[0][0]) == b"x = 9\n"


def test_a_preview_records_nothing(agent: Agent) -> None:
    async def work(session: Session) -> None:
        before = session.reads.get("src/app.py")
        assert (await session.preview(*edit("'Hi '", "'Hello '"))).action == "fail"
        assert (await session.preview(*BYE)).action == "allow"
        assert session.reads.get("src/app.py") == before

    agent.run(work)
    assert agent.text("src/app.py") == LATER


def test_an_approval_is_about_the_file_as_it_is(tmp_path: Path) -> None:
    agent = Agent(tmp_path, reads=MODES, rules=[("edit", "*", "ask")])
    agent.call(READ)
    agent.put("src/app.py", LATER)

    async def work(session: Session) -> None:
        pending = await session.start(*BYE)
        assert isinstance(pending, Pending)
        (file,) = pending.request.files
        assert "-    print('Bye ' + name)" in file.diff
        assert "import os" not in file.diff
        # It changes once more before the answer: what was approved is no longer what would be done.
        agent.put("src/app.py", "first = 1\n" + LATER)
        other = await session.resume(pending, Answer("once"))
        assert isinstance(other, Pending)
        done = await session.resume(other, Answer("once"))
        assert not isinstance(done, Pending)
        assert not done.is_error, done.output

    agent.run(work)
    assert agent.text("src/app.py") == "first = 1\n" + RESULT


def racing(agent: Agent, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the file between the plan and the commit, so many times."""
    commit: Callable[..., Receipt] = agent.workspace.commit
    left = [times]

    def late(plan: Plan, **given: Any) -> Receipt:
        if left[0]:
            left[0] -= 1
            agent.put("src/app.py", f"count_{left[0]} = 1\n" + agent.text("src/app.py"))
        return commit(plan, **given)

    monkeypatch.setattr(agent.workspace, "commit", late)


def test_a_race_at_the_commit_is_planned_again(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    racing(agent, 3, monkeypatch)
    assert not agent.call(BYE).is_error
    assert agent.text("src/app.py") == "count_0 = 1\ncount_1 = 1\ncount_2 = 1\n" + RESULT


def test_after_the_fourth_race_the_call_is_refused(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    racing(agent, 4, monkeypatch)
    assert code(agent.call(BYE)) == "stale_file"
    assert "See you" not in agent.text("src/app.py")


def test_the_history_names_what_was_merged(agent: Agent) -> None:
    agent.call(BYE)
    (receipt,) = agent.workspace.log()
    assert [one.name for one in receipt.changes[0].concessions] == ["rebased"]
    agent.workspace.undo(receipt)
    assert agent.text("src/app.py") == LATER


def test_delete_and_move_have_no_such_mode(tmp_path: Path) -> None:
    for tool in ("delete", "move", "undo"):
        with pytest.raises(ValueError, match="rebase"):
            Agent(tmp_path, reads={tool: "rebase"})


def test_nothing_is_committed_where_the_merge_is_refused(agent: Agent) -> None:
    with pytest.raises(PatchRejectedError):
        agent.run(lambda session: session.edit("src/app.py", "'Hi '", "'Hello '"))
    assert not agent.workspace.log()
