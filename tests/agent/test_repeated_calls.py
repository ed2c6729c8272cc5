"""The same call again: after a success it is refused as applied, after a failure it is not."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, Agent
from tests.shared.sites import envelope

from suture import PatchRejectedError, Session, SyncSession, Workspace
from suture.agent import Answer, Formatter, Pending, Rule, applied_calls
from suture.state import session_records
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture.agent import Result

#: Two equal blocks, of which an edit changes one.
CONFIG = "[one]\nhost = a\ndebug = on\n\n[two]\nhost = b\ndebug = on\n\n[three]\nhost = c\n"
FIRST = CONFIG.replace("debug = on", "debug = off", 1)
READ = ("read", {"filePath": "app.ini"})


def patch(*lines: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "apply_patch", {"patchText": envelope("*** Update File: app.ini", *lines), **more}


def edit(old: str, new: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "edit", {"filePath": "app.ini", "oldString": old, "newString": new, **more}


#: In the dialect of Codex, the first of several places is taken, so that the same patch fits the next one.
NEXT = patch("@@", "-debug = on", "+debug = off")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return make(tmp_path)


def make(folder: Path, content: str = CONFIG, **given: Any) -> Agent:
    settings = {"profile": "all", "rules": ALLOW, "id": "s", "reads": {"apply_patch": "off"}, **given}
    agent = Agent(folder, settings={"dialect": "codex"}, **settings)
    if not (agent.root / "app.ini").exists():
        agent.put("app.ini", content)
    return agent


def reason(result: Result) -> str:
    """Why a call was refused; empty if it was not."""
    if not result.is_error:
        return ""
    (problem,) = result.metadata["problems"]
    return str(problem["details"].get("reason", problem["code"]))


def test_a_patch_whose_old_text_was_there_twice_does_not_go_to_the_other_place(agent: Agent) -> None:
    first, second, third = agent.calls(NEXT, NEXT, NEXT)
    assert [reason(one) for one in (first, second, third)] == ["", "already_applied", "already_applied"]
    assert agent.text("app.ini") == FIRST
    assert second.output == (
        "This call has already been applied: its result is in app.ini at line 3, "
        "and the file has not been read since.\n"
        "Go on with the next step. To change another place, send the call with more of the lines around it. "
        "To apply the same call again on purpose, read the file first.\n\nNo file was changed."
    )
    assert second.metadata["problems"][0]["details"] == {
        "path": "app.ini",
        "reason": "already_applied",
        "line": 3,
        "repeated": True,
    }


README = "class Development:\n    debug = True\n\n\nclass Production:\n    debug = True\n"


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_the_example_of_the_readme_is_applied_once(tmp_path: Path, dialect: str) -> None:
    agent = Agent(tmp_path, settings={"dialect": dialect})
    agent.put("app.ini", README)
    call = patch("@@ class Development:", "-    debug = True", "+    debug = False")
    results = agent.calls(READ, call, call, call)[1:]
    assert [reason(one) for one in results] == ["", "already_applied", "already_applied"]
    assert agent.text("app.ini") == README.replace("True", "False", 1)


def test_after_a_read_of_the_file_it_is_applied_again(agent: Agent) -> None:
    results = agent.calls(NEXT, READ, NEXT)
    assert [reason(one) for one in results] == [""] * 3
    assert agent.text("app.ini") == CONFIG.replace("debug = on", "debug = off")


def test_a_read_of_another_file_does_not_count(agent: Agent) -> None:
    agent.put("other.ini", "x\n")
    assert reason(agent.calls(NEXT, ("read", {"filePath": "other.ini"}), NEXT)[-1]) == "already_applied"


def test_a_call_with_more_context_is_another_call(agent: Agent) -> None:
    call = patch("@@", " host = b", "-debug = on", "+debug = off")
    assert [reason(one) for one in agent.calls(NEXT, call)] == ["", ""]
    assert agent.text("app.ini") == CONFIG.replace("debug = on", "debug = off")


def test_the_same_call_after_a_failure_is_tried_again(agent: Agent) -> None:
    """106 of 130 identical calls of real sessions came after a failure."""
    missing = edit("debug = maybe", "debug = off")
    first, second = agent.calls(READ, missing, missing)[1:]
    assert reason(first) == reason(second) == "context_not_found"
    agent.put("app.ini", CONFIG.replace("debug = on", "debug = maybe", 1))
    assert reason(agent.calls(READ, missing)[-1]) == ""


def test_it_is_applied_again_once_its_result_is_gone(agent: Agent) -> None:
    back = patch("@@", " host = a", "-debug = off", "+debug = on")
    results = agent.calls(NEXT, back, NEXT)
    assert [reason(one) for one in results] == [""] * 3
    assert agent.text("app.ini") == FIRST
    undone = agent.calls(("undo", {}), NEXT)
    assert [reason(one) for one in undone] == [""] * 2


def test_the_result_still_stands_where_lines_have_moved(agent: Agent) -> None:
    agent.call(NEXT)
    agent.put("app.ini", "# new\n# new\n" + FIRST)
    result = agent.call(NEXT)
    assert reason(result) == "already_applied"
    assert "at line 5," in result.output


DOUBLED = {
    "a new text with the old one in it": ("v = count\n", edit("count", "count2")),
    "every occurrence, with the old one in it": ("v = a\nw = a\n", edit("a", "aa", replaceAll=True)),
    "a list": ("v = a\n", ("multiedit", {"filePath": "app.ini", "edits": [{"oldString": "a", "newString": "aa"}]})),
    "a bracket": ("x\ny\nz\n", edit("y\n", "y\n}\n")),
    "an insertion at a line": ("x\ny\nz\n", ("insert", {"filePath": "app.ini", "line": 2, "content": "}"})),
    "an insertion after a text": ("x\ny\nz\n", ("insert", {"filePath": "app.ini", "after": "y", "content": "}"})),
    "added at the end": ("x\ny\nz\n", patch("@@", "+}")),
    "an inner line": ("x\ny\nz\n", patch("@@", " y", "+}")),
}  # fmt: skip


@pytest.mark.parametrize(("content", "call"), DOUBLED.values(), ids=DOUBLED)
def test_a_call_that_fits_its_own_result_is_not_applied_to_it(
    tmp_path: Path, content: str, call: tuple[str, dict[str, Any]]
) -> None:
    agent = make(tmp_path, content)
    _, first, second = agent.calls(READ, call, call)
    assert reason(first) == ""
    once = agent.text("app.ini")
    assert reason(second) == "already_applied"
    assert agent.text("app.ini") == once
    again = agent.calls(READ, call)[-1]
    assert reason(again) in ("", "multiple_matches", "already_applied")


@pytest.mark.parametrize(
    ("content", "call"),
    [
        ("x = 1\ny\n", edit("x = 1", "x = 2")),
        ("f(a)\n", edit("a", "a, a")),
        ("x = 1\ny\n", patch("@@", "-x = 1", "+x = 2", " y")),
    ],
    ids=["gone", "doubled", "hunk"],
)
def test_a_call_that_finds_no_place_any_more_is_told_that_it_was_applied(
    tmp_path: Path, content: str, call: tuple[str, dict[str, Any]]
) -> None:
    agent = make(tmp_path, content)
    _, first, second, _, third = agent.calls(READ, call, call, READ, call)
    assert [reason(first), reason(second)] == ["", "already_applied"]
    assert "its result is in app.ini at line 1," in second.output or "already" in second.output
    assert third.is_error
    assert "This call has already" not in third.output


def test_new_occurrences_are_replaced_by_the_same_call(tmp_path: Path) -> None:
    agent = make(tmp_path, "foo = 1\na\nb\nc\nd\nfoo = 2\n")
    every = edit("foo", "bar", replaceAll=True)
    results = agent.calls(READ, every, edit("c\n", "c = foo\n"), every)
    assert [reason(one) for one in results] == [""] * 4
    assert agent.text("app.ini") == "bar = 1\na\nb\nc = bar\nd\nbar = 2\n"


TWIN = "def a():\n    if x:\n        run(1)\n\n\ndef b():\n    run(1)\n"


@pytest.mark.parametrize("drift", ["", "# new\n"])
def test_a_place_that_only_looks_like_the_one_that_was_changed_is_left_alone(tmp_path: Path, drift: str) -> None:
    """It was there before, at another depth, so the model means the same place as before."""
    agent = make(tmp_path, TWIN, reads={"edit": "warn"})
    change = edit("        run(1)\n", "        run(2)\n")
    agent.call(READ, change)
    once = drift + TWIN.replace("run(1)", "run(2)", 1)
    agent.put("app.ini", once)
    assert reason(agent.call(change)) == "already_applied"
    assert agent.text("app.ini") == once


def test_a_file_with_many_places_is_not_changed_again(tmp_path: Path) -> None:
    agent = make(tmp_path, "".join(f"value{n}\nother\n" for n in range(50)))
    every = edit("value", "value_of", replaceAll=True)
    assert [reason(one) for one in agent.calls(READ, every, every)] == ["", "", "already_applied"]


@pytest.mark.parametrize("change", [edit("x = 1", "x = 2"), patch("@@", "-x = 1", "+x = 2")], ids=["edit", "patch"])
def test_after_a_restart_what_is_elsewhere_counts_as_new(tmp_path: Path, change: tuple[str, dict[str, Any]]) -> None:
    content = "x = 1\na\nb\nc\nd\n"
    make(tmp_path, content).call(READ, change)
    agent = make(tmp_path, reads={"edit": "warn", "apply_patch": "off"})
    agent.put("app.ini", "x = 2\na\nb\nc\nd\nx = 1\n")
    assert reason(agent.call(change)) == ""


def test_only_so_many_contents_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applied_calls, "MOST_CONTENTS", 2)
    agent = make(tmp_path, "n0\nn1\nn2\n")
    agent.calls(READ, *[edit(f"n{n}", f"m{n}") for n in range(3)])
    kept = agent.session.reads.applied._contents
    assert list(kept.values()) == [b"m0\nm1\nn2\n", b"m0\nm1\nm2\n"]
    monkeypatch.setattr(applied_calls, "MOST_CONTENT_BYTES", 10)
    agent.call(edit("m0", "o0"))
    assert list(kept.values()) == [b"o0\nm1\nm2\n"]


def test_a_unique_old_text_that_has_come_back_elsewhere_is_changed(tmp_path: Path) -> None:
    agent = make(tmp_path, "x = 1\na\nb\nc\nd\n")
    change = edit("x = 1", "x = 2")
    results = agent.calls(READ, change, edit("d\n", "d\nx = 1\n"), change)
    assert [reason(one) for one in results] == [""] * 4
    assert agent.text("app.ini") == "x = 2\na\nb\nc\nd\nx = 2\n"


def test_it_is_remembered_over_a_restart(tmp_path: Path) -> None:
    make(tmp_path).call(NEXT)
    assert reason(make(tmp_path).call(NEXT)) == "already_applied"
    assert reason(make(tmp_path, id="another").call(NEXT)) == ""


def test_other_sessions_have_calls_of_their_own(tmp_path: Path) -> None:
    assert [reason(make(tmp_path, id=name).call(NEXT)) for name in ("a", "b")] == ["", ""]


def test_only_so_many_calls_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_records, "MOST_CALLS", 2)
    agent = make(tmp_path, CONFIG + "".join(f"n{n} = {n}\n" for n in range(3)))
    others = [patch("@@", f"-n{n} = {n}", f"+n{n} = {n}{n}") for n in range(3)]
    assert [reason(one) for one in agent.calls(NEXT, others[0], NEXT)][-1] == "already_applied"
    assert [reason(one) for one in agent.calls(*others[1:], NEXT)] == [""] * 3


@pytest.mark.parametrize("limit", ["MOST_REMEMBERED_PLACES", "MOST_REMEMBERED_CHARACTERS"])
def test_of_too_many_places_only_the_hash_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(applied_calls, limit, 0)
    agent = make(tmp_path)
    assert reason(agent.calls(NEXT, NEXT)[-1]) == "already_applied"
    agent.put("app.ini", "# new\n" + FIRST)
    assert reason(agent.call(NEXT)) == ""


def test_the_path_may_be_written_in_another_way(tmp_path: Path) -> None:
    agent = make(tmp_path, "v = count\n")
    call = edit("count", "count2")
    other = ("edit", {"file_path": str(agent.root / "app.ini"), "old_string": "count", "new_string": "count2"})
    assert reason(agent.calls(READ, call, other)[-1]) == "already_applied"


def test_a_call_that_was_approved_in_part_can_be_sent_for_the_rest(tmp_path: Path) -> None:
    content = "v = a\n" + "x\n" * 10 + "w = a\n"
    agent = make(tmp_path, content, rules=[])
    change = edit("a", "aa", replaceAll=True)

    async def work(session: Session) -> list[Result | Pending]:
        await session.call(*READ)
        pending = await session.start(*change)
        assert isinstance(pending, Pending)
        first = await session.resume(pending, Answer.some({"app.ini": [1]}))
        second = await session.start(*change)
        return [first, second]

    first, second = agent.run(work)
    assert not first.is_error
    assert isinstance(second, Pending)


def test_a_pending_call_that_is_resumed_is_remembered(tmp_path: Path) -> None:
    agent = make(tmp_path, rules=[])

    async def work(session: Session) -> list[Any]:
        pending = await session.start(*NEXT)
        assert isinstance(pending, Pending)
        return [
            await session.resume(pending, Answer.once()),
            await session.start(*NEXT),
            (await session.preview(*NEXT)).action,
        ]

    first, second, action = agent.run(work)
    assert [reason(first), reason(second), action] == ["", "already_applied", "fail"]


def test_what_was_formatted_still_stands(tmp_path: Path) -> None:
    upper = Formatter("**", (sys.executable, "-c", "import sys; print(sys.stdin.read().replace('off', 'OFF'), end='')"))
    agent = make(tmp_path, formatters=[upper])
    assert [reason(one) for one in agent.calls(NEXT, NEXT)] == ["", "already_applied"]
    assert agent.text("app.ini") == FIRST.replace("off", "OFF")


def test_commands_are_calls_too() -> None:
    workspace = Workspace(MemoryFiles({"app.ini": CONFIG}))
    command = ["apply_patch", NEXT[1]["patchText"]]
    with SyncSession(workspace, rules=[Rule("edit", "*", "allow")], profile="codex") as session:
        results = [session.apply_command(command) for _ in range(2)]
    assert [reason(one) for one in results if one is not None] == ["", "already_applied"]
    assert workspace.read("app.ini").text == FIRST


def test_methods_raise_what_calls_answer(tmp_path: Path) -> None:
    agent = make(tmp_path)

    async def work(session: Session) -> None:
        await session.apply_patch(NEXT[1]["patchText"])
        with pytest.raises(PatchRejectedError, match="This call has already been applied"):
            await session.apply_patch(NEXT[1]["patchText"])
        with pytest.raises(PatchRejectedError, match="This call has already been applied"):
            await session.apply_patch(patch_text=NEXT[1]["patchText"], atomic=True)

    agent.run(work)


def test_of_several_files_one_that_stands_is_enough_to_refuse(tmp_path: Path) -> None:
    """The other one was put back; to apply the patch again would change the wrong place of the first."""
    agent = make(tmp_path)
    agent.put("b.ini", CONFIG)
    lines = ["*** Update File: b.ini", "@@", "-debug = on", "+debug = off"]
    both = patch("@@", "-debug = on", "+debug = off", *lines)
    agent.call(both)
    agent.put("b.ini", CONFIG)
    result = agent.call(both)
    assert [problem["path"] for problem in result.metadata["problems"]] == ["app.ini"]
    assert (agent.text("app.ini"), agent.text("b.ini")) == (FIRST, CONFIG)


def test_a_call_that_wrote_only_a_part_can_be_sent_again(tmp_path: Path) -> None:
    agent = make(tmp_path)
    call = patch("@@", "-debug = on", "+debug = off", "*** Delete File: none.ini", atomic=False)
    first, second = agent.calls(call, call)
    assert first.is_error
    assert "This call has already" not in second.output


def test_damaged_records_refuse_nothing(tmp_path: Path) -> None:
    agent = make(tmp_path)
    agent.call(NEXT)
    records = agent.workspace.state.own().store.sessions
    with records._database as connection:
        connection.execute("UPDATE applied SET result = '{}'")
    assert reason(agent.call(NEXT)) == ""


def test_the_library_does_not_remember() -> None:
    workspace = Workspace(MemoryFiles({"app.ini": CONFIG}), dialect="codex")
    for _ in range(2):
        workspace.apply(NEXT[1]["patchText"])
    assert workspace.read("app.ini").text == CONFIG.replace("debug = on", "debug = off")


def test_two_calls_at_once_are_applied_once(tmp_path: Path) -> None:
    agent = make(tmp_path)

    async def work(session: Session) -> list[Result]:
        return list(await asyncio.gather(*[session.call(*NEXT) for _ in range(3)]))

    assert sorted(map(reason, agent.run(work))) == ["", "already_applied", "already_applied"]
    assert agent.text("app.ini") == FIRST
