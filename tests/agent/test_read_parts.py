"""What a session knows of a file: which lines, where they went in a patch, and what a host can ask and tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit
from tests.shared.sites import digest, envelope

from suture import PatchRejectedError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


LONG = "".join(f"line {number}\n" for number in range(1, 11))
DELETE = ("delete", {"filePath": "long.txt"})
WRITE = ("write", {"filePath": "long.txt", "content": "x\n"})


def part(offset: int, limit: int) -> tuple[str, object]:
    return ("read", {"filePath": "long.txt", "offset": offset, "limit": limit})


class TestParts:
    """A read of some lines covers these lines."""

    @pytest.fixture
    def agent(self, agent: Agent) -> Agent:
        agent.put("long.txt", LONG)
        return agent

    @pytest.mark.parametrize("call", [WRITE, DELETE], ids=["write", "delete"])
    def test_what_is_removed_as_a_whole_must_have_been_read_as_a_whole(
        self, agent: Agent, call: tuple[str, object]
    ) -> None:
        refused, _, _, done = agent.calls(part(3, 2), call, part(1, 2), part(5, 6), call)[1:]
        assert code(refused) == "not_read"
        assert not done.is_error

    @pytest.mark.parametrize("call", [WRITE, DELETE], ids=["write", "delete"])
    def test_the_refusal_names_the_lines_and_how_to_read_them(self, agent: Agent, call: tuple[str, object]) -> None:
        result = agent.call(part(3, 2), call)
        assert code(result) == "not_read"
        assert result.output.startswith(
            "long.txt was read only in part: lines 1-2, 5-10 were not read in this session.\n"
            "Read it with offset=1 and limit=2, then send the call again."
        )
        assert agent.text("long.txt") == LONG

    def test_refused_again_it_shows_them(self, agent: Agent) -> None:
        results = agent.calls(part(3, 2), DELETE, DELETE, DELETE, DELETE, DELETE)
        assert "Its content:\n     1\tline 1\n     2\tline 2\n" in results[2].output
        assert "lines 5-10 were not read" in results[3].output
        assert "     5\tline 5\n" in results[4].output
        assert not results[5].is_error

    def test_to_move_a_file_is_to_keep_all_of_it(self, agent: Agent) -> None:
        move = ("move", {"filePath": "long.txt", "toPath": "b.txt"})
        moved, deleted = agent.calls(part(1, 1), move, ("delete", {"filePath": "b.txt"}))[1:]
        assert not moved.is_error
        assert code(deleted) == "not_read"
        assert "lines 2-10 were not read" in deleted.output

    def test_an_exact_edit_of_lines_that_were_not_read_is_applied_and_a_loose_one_refused(self, agent: Agent) -> None:
        agent.put("long.txt", "    one\n" + LONG)
        loose, exact = agent.calls(
            part(3, 2), edit("one\nline 1 ", "x", "long.txt"), edit("line 9", "nine", "long.txt")
        )[1:]
        assert code(loose) == "not_read"
        assert not exact.is_error
        assert agent.text("long.txt") == "    one\n" + LONG.replace("line 9", "nine")

    def test_a_loose_edit_of_lines_that_were_read_is_applied(self, agent: Agent) -> None:
        agent.put("long.txt", "    one\n" + LONG)
        assert not agent.call(part(1, 2), edit("one\nline 1 ", "x\ny", "long.txt")).is_error

    def test_what_was_read_stays_read_after_an_edit_and_what_was_not_does_not_become_so(self, agent: Agent) -> None:
        edited, deleted = agent.calls(part(1, 3), edit("line 2", "two\ntwo and a half", "long.txt"), DELETE)[1:]
        assert not edited.is_error
        assert "lines 5-11 were not read" in deleted.output

    def test_parts_survive_a_restart(self, tmp_path: Path) -> None:
        first = Agent(tmp_path, id="s1")
        first.put("long.txt", LONG)
        first.call(part(1, 4))
        first.workspace.close()
        assert "lines 5-10 were not read" in Agent(tmp_path, id="s1").call(DELETE).output

    def test_warn_names_the_lines(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, reads={"write": "warn"})
        agent.put("long.txt", LONG)
        assert agent.call(part(1, 4), WRITE).output.endswith(
            "Lines 5-10 of long.txt were not read before it was edited."
        )


APPEND = ("*** Update File: long.txt", "*** Move to: b.txt", "@@", "+appended", "*** End of File")


class TestContentIsFollowed:
    """What happens to content that was not read counts, wherever a patch has moved it."""

    @pytest.mark.parametrize(
        "lines",
        [
            (*APPEND, "*** Delete File: b.txt"),
            (*APPEND, "*** Update File: b.txt", "*** Move to: c.txt", "*** Delete File: c.txt"),
            (*APPEND, "*** Update File: b.txt", "@@", "-line 3  ", "+x"),
            ("*** Update File: long.txt", "@@", "-line 1", "+x", "*** Delete File: long.txt"),
            ("*** Update File: src/app.py", "*** Move to: long.txt", "@@", "-def greet(name):", "+def greet(who):"),
            ("*** Add File: long.txt", "+x"),
        ],
        ids=["delete", "move, delete", "loose update", "update, delete", "move onto it", "add over it"],
    )
    @pytest.mark.parametrize("dialect", ["standard", "codex"])
    def test_unread_content_is_not_destroyed(self, tmp_path: Path, lines: tuple[str, ...], dialect: str) -> None:
        agent = Agent(tmp_path, settings={"dialect": dialect})
        agent.put("long.txt", LONG)
        result = agent.call(("apply_patch", {"patchText": envelope(*lines)}))
        assert result.is_error
        assert agent.text("long.txt") == LONG
        if dialect == "codex":
            assert code(result) == "not_read"

    def test_content_that_only_grows_and_moves_needs_no_read(self, agent: Agent) -> None:
        agent.put("long.txt", LONG)
        assert not agent.call(("apply_patch", {"patchText": envelope(*APPEND)})).is_error
        assert agent.text("b.txt") == LONG + "appended\n"

    def test_an_edit_of_an_unread_file_does_not_make_it_a_read_one(self, agent: Agent) -> None:
        agent.put("long.txt", LONG)
        applied, deleted = agent.calls(
            ("apply_patch", {"patchText": envelope(*APPEND)}), ("delete", {"filePath": "b.txt"})
        )
        assert not applied.is_error
        assert code(deleted) == "not_read"
        assert "lines 1-10 were not read" in deleted.output

    def test_what_was_read_can_be_deleted_under_its_new_name(self, agent: Agent) -> None:
        agent.put("long.txt", LONG)
        patch = ("apply_patch", {"patchText": envelope(*APPEND, "*** Delete File: b.txt")})
        assert not agent.call(("read", {"filePath": "long.txt"}), patch).is_error
        assert not (agent.root / "long.txt").exists()


class TestHosts:
    """A host can ask what was read, and tell it."""

    def test_what_was_read_can_be_asked(self, agent: Agent) -> None:
        reads = agent.session.reads
        assert reads.get("src/app.py") is None
        agent.call(("read", {"filePath": "src/app.py", "limit": 2}))
        found = reads.get("src/app.py")
        assert found is not None
        assert (found.path, found.lines, found.sha256) == ("src/app.py", ((1, 2),), digest(APP))
        agent.call(READ)
        assert reads.get(str(agent.root / "src" / "app.py")).lines is None  # type: ignore[union-attr]

    def test_what_a_host_has_shown_counts_as_read(self, agent: Agent) -> None:
        assert agent.session.reads.record("src/app.py").lines is None
        assert not agent.call(edit()).is_error

    def test_a_host_can_say_which_lines_of_which_content(self, agent: Agent) -> None:
        record = agent.session.reads.record
        assert record("src/app.py", lines=[(1, 2)]).lines == ((1, 2),)
        assert record("src/app.py", lines=[(3, 4)]).lines == ((1, 4),)
        assert record("src/app.py", b"something older\n").sha256 == digest("something older\n")
        assert code(agent.call(edit())) == "stale_file"

    def test_what_is_forgotten_has_to_be_read_again(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, id="s1")
        agent.call(READ)
        agent.session.reads.forget("src/app.py")
        assert agent.session.reads.get("src/app.py") is None
        assert code(agent.call(edit())) == "not_read"
        assert code(Agent(tmp_path, id="s1").call(edit())) == "not_read"

    @pytest.mark.parametrize("lines", [[(0, 1)], [(3, 2)]])
    def test_lines_count_from_one(self, agent: Agent, lines: list[tuple[int, int]]) -> None:
        with pytest.raises(ValueError, match="line numbers from 1"):
            agent.session.reads.record("src/app.py", lines=lines)

    def test_a_path_outside_is_refused(self, agent: Agent) -> None:
        with pytest.raises(PatchRejectedError):
            agent.session.reads.get("../elsewhere")


class TestCutLines:
    """What a read or a refusal has cut counts as unread."""

    @pytest.mark.parametrize("call", [WRITE, DELETE], ids=["write", "delete"])
    def test_a_line_that_was_cut_was_not_read(self, agent: Agent, call: tuple[str, object]) -> None:
        content = "one\n" + "x" * 1_000_000 + "\nthree\n"
        agent.put("long.txt", content)
        for reads in ([part(0, 0)], [part(2, 1)], [part(1, 1), part(2, 2)]):
            refused = agent.call(*reads, call)
            assert code(refused) == "not_read"
        assert "long.txt was read only in part: lines 2 were not read" in refused.output
        assert "Line 2 has 1000000 characters, more than can be read." in refused.output
        assert agent.text("long.txt") == content

    @pytest.mark.parametrize("call", [WRITE, DELETE], ids=["write", "delete"])
    def test_the_refusal_says_how_to_read_a_long_line_and_then_it_was_read(
        self, agent: Agent, call: tuple[str, object]
    ) -> None:
        agent.put("long.txt", "one\n" + "x" * 5000 + "\nthree\n")
        _, refused, _, done = agent.calls(part(0, 0), call, part(2, 1), call)
        assert "Read it with offset=2 and limit=1, then send the call again." in refused.output
        assert not done.is_error, done.output

    def test_lines_before_a_long_one_are_read_first(self, agent: Agent) -> None:
        agent.put("long.txt", "one\ntwo\n" + "x" * 5000 + "\nfour\n")
        refused = agent.call(part(4, 1), DELETE)
        assert "Read it with offset=1 and limit=2, then send the call again." in refused.output

    def test_a_part_of_a_long_line_can_be_changed_by_an_exact_edit(self, agent: Agent) -> None:
        agent.put("long.txt", "a" * 3000 + "needle" + "b" * 1_000_000 + "\n")
        assert not agent.call(part(0, 0), edit("needle", "thread", "long.txt")).is_error

    @pytest.mark.parametrize("call", [WRITE, DELETE], ids=["write", "delete"])
    def test_a_line_that_a_second_refusal_cuts_was_not_read(self, agent: Agent, call: tuple[str, object]) -> None:
        agent.put("long.txt", "y" * 4000)
        results = agent.calls(call, call, call, call)
        assert [code(result) for result in results] == ["not_read"] * 4
        assert agent.text("long.txt") == "y" * 4000

    def test_a_file_whose_lines_had_no_place_in_the_answer_was_not_read(self, agent: Agent) -> None:
        names = [f"f{number}.txt" for number in range(4)]
        for name in names:
            agent.put(name, f"{'z' * 90} {name}\n" * 20)
        patch = ("apply_patch", {"patchText": envelope(*[f"*** Delete File: {name}" for name in names])})
        results = agent.calls(patch, *[patch] * 5)
        for result in results[1:5]:
            assert result.is_error
            assert result.output.count("Its content:") == 1
        assert not results[5].is_error, results[5].output

    def test_a_change_since_the_read_that_was_cut_was_not_read(self, agent: Agent) -> None:
        agent.put("long.txt", LONG)
        agent.call(part(0, 0))
        agent.put("long.txt", LONG + "😀" * 1400 + "\n")
        for result in agent.calls(DELETE, DELETE):
            assert code(result) == "stale_file"
            assert len(result.output.encode()) <= 4000
