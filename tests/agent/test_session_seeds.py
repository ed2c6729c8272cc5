"""What the documents that Suture comes from say of tools: atomicity, commands, paths, empty texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit
from tests.shared.sites import digest, envelope, updated

from suture import DIALECTS, Session, Workspace
from suture.agent import FileChanged, FileEdited, Rule
from suture.format import parse_invocation
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture.agent import Result

GOOD = updated("src/app.py", "    print('Hi ' + name)", "    greet(name)")
BAD = updated("src/app.py", "no such line at all", "x")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


def patch(*lines: str, **more: object) -> tuple[str, dict[str, object]]:
    return "apply_patch", {"patchText": envelope(*lines), **more}


class TestAtomic:
    """The flag is echoed as it was sent, in every result."""

    @pytest.mark.parametrize("atomic", [True, False])
    @pytest.mark.parametrize(
        "lines", [GOOD, BAD, (*GOOD, *BAD), ("*** Delete File: lost",)], ids=["good", "bad", "half", "missing"]
    )
    def test_the_result_says_what_was_asked_for(self, agent: Agent, lines: tuple[str, ...], atomic: bool) -> None:
        for dry_run in (True, False):
            result = agent.call(READ, patch(*lines, atomic=atomic, dryRun=dry_run))
            assert result.metadata["atomic"] is atomic
            changed = agent.text("src/app.py") != APP
            assert result.metadata["changedFiles"] == ["src/app.py"] * changed

    def test_a_patch_that_cannot_be_parsed_echoes_it_too(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": "nonsense", "atomic": False}))
        assert (result.metadata["atomic"], result.metadata["changedFiles"]) == (False, [])

    @pytest.mark.parametrize("lines", [GOOD, (*GOOD, "*** Delete File: lost")], ids=["whole", "half"])
    def test_the_stored_receipt_tells_the_truth(self, agent: Agent, lines: tuple[str, ...]) -> None:
        agent.call(patch(*lines, atomic=False))
        (receipt,) = agent.workspace.log()
        assert not receipt.atomic
        undone = agent.workspace.undo(receipt)
        assert agent.text("src/app.py") == APP
        assert undone.atomic

    def test_all_changed_files_are_listed_once_under_their_new_paths(self, agent: Agent) -> None:
        moved = ("*** Update File: src/app.py", "*** Move to: b.py", *GOOD[1:])
        added = ("*** Add File: c.py", "+x = 1", "*** Update File: c.py", "@@", "-x = 1", "+x = 2")
        result = agent.call(patch(*moved, *added))
        assert result.metadata["changedFiles"] == ["b.py", "c.py"]


class TestAbsolutePaths:
    """Seed 004: `Bus.publish(File.Event.Edited, { file: filePath })`, where `filePath` is absolute."""

    def test_events_have_the_absolute_path_of_each_file(self, agent: Agent) -> None:
        moved = ("*** Update File: src/app.py", "*** Move to: b.py", *GOOD[1:])
        agent.call(READ, patch(*moved, "*** Add File: c.py", "+x = 1"), ("delete", {"filePath": "c.py"}))
        root = agent.workspace.root
        found = [(event.path, event.resolved) for event in agent.heard if isinstance(event, FileEdited)]
        assert found == [(path, f"{root}/{path}") for path in ("b.py", "c.py", "c.py")]
        changed = [(event.path, event.resolved) for event in agent.heard if isinstance(event, FileChanged)]
        assert changed == [(path, f"{root}/{path}") for path in ("src/app.py", "b.py", "c.py", "c.py")]

    def test_behind_a_link_it_is_the_path_of_the_file(self, agent: Agent) -> None:
        (agent.root / "link.py").symlink_to("src/app.py")
        agent.call(READ, edit(path="link.py"))
        file = f"{agent.workspace.root}/src/app.py"
        found = [event for event in agent.heard if isinstance(event, FileEdited | FileChanged)]
        assert [(event.path, event.resolved) for event in found] == [("link.py", file)] * 2

    def test_a_file_of_an_extra_root_has_the_same_path_twice(self, tmp_path: Path) -> None:
        (tmp_path / "extra").mkdir()
        rules = [*ALLOW, Rule("external_directory", "*", "allow")]
        agent = Agent(tmp_path, settings={"extra_roots": [tmp_path / "extra"]}, rules=rules)
        path = str((tmp_path / "extra").resolve() / "new.py")
        agent.call(("write", {"filePath": path, "content": "x\n"}))
        found = [event for event in agent.heard if isinstance(event, FileEdited | FileChanged)]
        assert [(event.path, event.resolved) for event in found] == [(path, path)] * 2


class TestCommands:
    """A patch inside a shell command goes through the session."""

    def script(self, *lines: str, folder: str = "") -> list[str]:
        cd = f"cd {folder} && " if folder else ""
        return ["bash", "-lc", f"{cd}apply_patch <<'EOF'\n{envelope(*lines)}EOF\n"]

    def run(self, agent: Agent, argv: list[str], cwd: str = ".") -> Result | None:
        found: Result | None = agent.run(lambda session: session.apply_command(argv, cwd))
        return found

    def test_it_is_applied_with_events_and_can_be_undone(self, agent: Agent) -> None:
        result = self.run(agent, self.script("*** Update File: app.py", *GOOD[1:], folder="src"), str(agent.root))
        assert result is not None
        assert not result.is_error
        assert agent.text("src/app.py") == APP.replace("print('Hi ' + name)", "greet(name)")
        assert [event.path for event in agent.heard if isinstance(event, FileEdited)] == ["src/app.py"]
        assert agent.workspace.log()[0].tool == "apply_patch"

    def test_another_command_is_not_ours(self, agent: Agent) -> None:
        assert self.run(agent, ["ls", "-l"]) is None
        assert self.run(agent, ["bash", "-c", "ls"]) is None

    def test_a_bare_patch_is_an_answer_for_the_model(self, agent: Agent) -> None:
        result = self.run(agent, [envelope(*GOOD)])
        assert result is not None
        assert code(result) == "implicit_invocation"

    @pytest.mark.parametrize("rule", [("edit", "src", "deny"), ("read", "src", "deny")])
    def test_rules_hold_for_it(self, tmp_path: Path, rule: Any) -> None:
        agent = Agent(tmp_path, rules=[*ALLOW, rule])
        result = self.run(agent, ["apply_patch", envelope(*GOOD)])
        assert result is not None
        assert code(result) == "rejected"
        assert agent.text("src/app.py") == APP

    def test_reads_hold_for_it(self, agent: Agent) -> None:
        argv = ["apply_patch", envelope("*** Delete File: src/app.py")]
        result = self.run(agent, argv)
        assert result is not None
        assert code(result) == "not_read"
        agent.call(READ)
        again = self.run(agent, argv)
        assert again is not None
        assert not again.is_error

    def test_a_folder_that_is_missing_or_outside_is_refused(self, agent: Agent) -> None:
        for folder, expected in [("lost", "not_found"), ("..", "outside_workspace")]:
            result = self.run(agent, self.script(*GOOD, folder=folder))
            assert result is not None
            assert code(result) == expected

    def test_what_parse_invocation_gave_can_be_applied(self, agent: Agent) -> None:
        argv = self.script("*** Update File: app.py", *GOOD[1:])
        invocation = parse_invocation(argv, str(agent.root / "src"))
        assert invocation is not None
        result = agent.run(lambda session: session.apply_patch(invocation))
        assert result.output == "Patch applied successfully. 1 file changed:\nM src/app.py +1 -1"

    def test_it_is_read_in_the_dialect_of_the_command(self, agent: Agent) -> None:
        agent.put("new.txt", "old\n")
        agent.call(("read", {"filePath": "new.txt"}))
        # Only the dialect codex lets an added file replace another.
        result = self.run(agent, ["apply_patch", envelope("*** Add File: new.txt", "+x")])
        assert result is not None
        assert not result.is_error


@pytest.mark.parametrize("dialect", list(DIALECTS))
class TestDialects:
    """The dialect decides how patches are read, and nothing else."""

    def test_tools_take_absolute_paths_and_create_folders(self, tmp_path: Path, dialect: str) -> None:
        agent = Agent(tmp_path, settings={"dialect": dialect})
        path, deep = str(agent.root / "src" / "app.py"), str(agent.root / "one" / "two.txt")
        calls = [
            ("read", {"filePath": path}),
            edit(path=path),
            ("multiedit", {"filePath": path, "edits": [{"oldString": "'Hello '", "newString": "'Hey '"}]}),
            ("write", {"filePath": deep, "content": "x\n"}),
            edit("", "y\n", str(agent.root / "three" / "four.txt")),
            ("move", {"filePath": deep, "toPath": "five/six.txt"}),
            ("delete", {"filePath": str(agent.root / "five" / "six.txt")}),
        ]
        assert [result.output for result in agent.calls(*calls) if result.is_error] == []
        assert agent.text("src/app.py") == APP.replace("'Hi '", "'Hey '")

    def test_a_move_does_not_replace_a_file(self, tmp_path: Path, dialect: str) -> None:
        agent = Agent(tmp_path, settings={"dialect": dialect})
        agent.put("b.py", "x\n")
        moved = ("move", {"filePath": "src/app.py", "toPath": "b.py"})
        assert code(agent.call(READ, ("read", {"filePath": "b.py"}), moved)) == "already_exists"


class TestEmptyOldString:
    def test_by_default_a_file_with_content_is_refused_with_the_advice_to_write_it(self, agent: Agent) -> None:
        result = agent.call(READ, edit("", "x\n"))
        assert code(result) == "invalid_arguments"
        assert "write" in result.output
        assert agent.text("src/app.py") == APP

    def test_an_empty_file_gets_its_content_without_a_read(self, agent: Agent) -> None:
        agent.put("empty.txt", "")
        assert not agent.call(edit("", "x\n", "empty.txt")).is_error
        assert agent.text("empty.txt") == "x\n"

    def test_a_setting_overwrites_and_undo_takes_it_back(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, empty_old="overwrite")
        assert code(agent.call(edit("", "x\n"))) == "not_read"
        assert code(agent.call(("read", {"filePath": "src/app.py", "limit": 1}), edit("", "x\n"))) == "not_read"
        result = agent.call(READ, edit("", "x\n"))
        assert not result.is_error
        assert agent.text("src/app.py") == "x\n"
        assert not agent.call(edit("x", "y")).is_error
        for receipt in agent.workspace.log():
            agent.workspace.undo(receipt)
        assert agent.text("src/app.py") == APP

    def test_the_setting_also_creates(self, tmp_path: Path) -> None:
        assert not Agent(tmp_path, empty_old="overwrite").call(edit("", "x\n", "new.txt")).is_error

    def test_the_profile_of_opencode_turns_it_on(self, tmp_path: Path) -> None:
        assert not Agent(tmp_path, profile="opencode").call(READ, edit("", "x\n")).is_error
        refusing = Agent(tmp_path, profile="opencode", empty_old="create")
        assert code(refusing.call(READ, edit("", "y\n"))) == "invalid_arguments"

    def test_another_value_is_refused(self) -> None:
        with pytest.raises(ValueError, match="empty_old"):
            Session(Workspace(MemoryFiles()), empty_old="append")  # type: ignore[arg-type]

    def test_a_list_of_edits_can_create_the_file(self, agent: Agent) -> None:
        edits = [{"oldString": "", "newString": "a = 1\n"}, {"oldString": "1", "newString": "2"}]
        result = agent.call(("multiedit", {"filePath": "one/new.py", "edits": edits}))
        assert not result.is_error
        assert agent.text("one/new.py") == "a = 2\n"
        assert agent.workspace.log()[0].added == ("one/new.py",)

    def test_a_later_edit_of_a_list_does_not_create(self, agent: Agent) -> None:
        edits = [{"oldString": "a", "newString": "b"}, {"oldString": "", "newString": "x"}]
        assert code(agent.call(("multiedit", {"filePath": "new.py", "edits": edits}))) == "not_found"


class TestMessages:
    @pytest.mark.parametrize("path", ["src/app.py", "lost.py"])
    def test_equal_texts_are_reported_before_the_file_is_looked_for(self, agent: Agent, path: str) -> None:
        edits = [{"oldString": "a", "newString": "b"}, {"oldString": "x", "newString": "x"}]
        for call in (edit("x", "x", path), ("multiedit", {"filePath": path, "edits": edits})):
            result = agent.call(call)
            assert code(result) == "no_change"
            assert "oldString and newString must be different" in result.output

    def test_a_stale_add_says_what_is_there(self, agent: Agent) -> None:
        added = ("*** Add File: src/app.py", "+x")
        there = agent.call(patch(*added, expectedSha256ByPath={"src/app.py": digest(APP)}))
        assert code(there) == "stale_file"
        assert there.output.startswith(f"src/app.py is there, with the SHA-256 {digest(APP)}, but the patch adds it")
        assert there.metadata["problems"][0]["details"]["found"] == digest(APP)

    def test_a_hunk_without_lines_at_the_end_of_the_file_is_one_problem(self, agent: Agent) -> None:
        result = agent.call(patch("*** Update File: src/app.py", "@@", "*** End of File"))
        assert code(result) == "patch_parse_error"
        assert "This hunk has no lines." in result.output

    def test_a_moved_file_whose_content_changed_is_a_modified_one(self, agent: Agent) -> None:
        agent.put("same.txt", "x\n")
        moved = ("*** Update File: src/app.py", "*** Move to: b.py", *GOOD[1:])
        agent.call(("read", {"filePath": "same.txt"}), patch(*moved, "*** Update File: same.txt", "*** Move to: c.txt"))
        (receipt,) = agent.workspace.log()
        assert receipt.modified == ("b.py",)
        assert receipt.moved == (("src/app.py", "b.py"), ("same.txt", "c.txt"))
