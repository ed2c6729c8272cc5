"""A session's tools: what each does, in which order, and what it answers."""

from __future__ import annotations

import asyncio
import json
import subprocess
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit
from tests.shared.sites import envelope, updated

from suture import PartlyAppliedError, PatchInvalidError, PatchRejectedError, Session, SutureError, Workspace
from suture.agent import Result
from suture.agent.agent_limits import MOST_OUTPUT_CHARACTERS
from suture.agent.diagnostics.report import Diagnostic, Report
from suture.agent.tools import TOOLS
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

HELLO = APP.replace("'Hi '", "'Hello '")
PATCH = envelope(*updated("src/app.py", "    print('Hi ' + name)", "    print('Hello ' + name)"))


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


class TestTools:
    def test_edit(self, agent: Agent) -> None:
        result = agent.call(READ, edit())
        assert not result.is_error
        assert agent.text("src/app.py") == HELLO
        assert result.title == "src/app.py"
        assert result.output == "Edit applied successfully.\nM src/app.py +1 -1"

    def test_edit_of_every_place(self, agent: Agent) -> None:
        agent.call(READ, edit("name", "who", replaceAll=True))
        assert agent.text("src/app.py") == APP.replace("name", "who")

    def test_an_empty_old_string_makes_a_file(self, agent: Agent) -> None:
        result = agent.call(edit("", "new\n", "made/new.txt"))
        assert result.output == "Edit applied successfully.\nA made/new.txt +1 -0"
        assert agent.text("made/new.txt") == "new\n"

    def test_multiedit(self, agent: Agent) -> None:
        edits = [{"oldString": "'Hi '", "newString": "'Hey '"}, {"old_string": "'Hey '", "new_string": "'Hello '"}]
        result = agent.call(READ, ("multiedit", {"filePath": "src/app.py", "edits": edits}))
        assert result.output == "All edits applied successfully.\nM src/app.py +1 -1"
        assert agent.text("src/app.py") == HELLO

    def test_multiedit_is_all_or_none_and_names_the_edit(self, agent: Agent) -> None:
        edits = [{"oldString": "'Hi '", "newString": "'Hey '"}, {"oldString": "lost()", "newString": "x"}]
        result = agent.call(READ, ("multiedit", {"filePath": "src/app.py", "edits": edits}))
        assert result.output.startswith("Edit 2 of 2: oldString not found in content")
        assert agent.text("src/app.py") == APP

    def test_write(self, agent: Agent) -> None:
        result = agent.call(("write", {"filePath": "a/b/c.txt", "content": "one\n"}))
        assert result.output == "File written.\nA a/b/c.txt +1 -0"
        assert agent.text("a/b/c.txt") == "one\n"

    def test_write_over_a_file_that_was_read(self, agent: Agent) -> None:
        result = agent.call(READ, ("write", {"filePath": "src/app.py", "content": HELLO}))
        assert result.output == "File written.\nM src/app.py +1 -1"

    def test_delete_can_be_undone(self, agent: Agent) -> None:
        result = agent.call(READ, ("delete", {"filePath": "src/app.py"}))
        assert (result.title, result.output) == ("src/app.py", "File deleted.\nD src/app.py +0 -6")
        agent.workspace.undo(result.metadata["receipt"])
        assert agent.text("src/app.py") == APP

    def test_move(self, agent: Agent) -> None:
        result = agent.call(READ, ("move", {"filePath": "src/app.py", "toPath": "src/main.py"}))
        assert (result.title, result.output) == ("src/main.py", "File moved.\nM src/app.py -> src/main.py")
        assert agent.text("src/main.py") == APP

    def test_a_moved_file_counts_as_read_under_its_new_name(self, agent: Agent) -> None:
        move = ("move", {"filePath": "src/app.py", "toPath": "src/main.py"})
        assert not agent.call(READ, move, edit(path="src/main.py")).is_error

    def test_apply_patch(self, agent: Agent) -> None:
        patch = envelope(*PATCH.splitlines()[1:-1], "*** Add File: b.txt", "+b", "*** Add File: c.txt", "+c")
        result = agent.call(("apply_patch", {"patchText": patch}))
        assert result.title == "3 files changed"
        assert result.output == (
            "Patch applied successfully. 3 files changed:\nM src/app.py +1 -1\nA b.txt +1 -0\nA c.txt +1 -0"
        )
        assert agent.text("src/app.py") == HELLO

    def test_a_patch_of_one_file_has_its_path_as_title(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": PATCH}))
        assert result.title == "src/app.py"
        assert result.output == "Patch applied successfully. 1 file changed:\nM src/app.py +1 -1"

    def test_a_dry_run_changes_nothing(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": PATCH, "dryRun": True}))
        assert result.output == "Nothing was changed. The patch would do this:\nM src/app.py +1 -1"
        assert result.metadata["receipts"] == []
        assert agent.text("src/app.py") == APP
        assert agent.heard == []

    def test_a_dry_run_says_what_is_wrong(self, agent: Agent) -> None:
        patch = envelope(*updated("src/app.py", "lost()", "found()"))
        assert code(agent.call(("apply_patch", {"patchText": patch, "dryRun": True}))) == "patch_apply_error"

    def test_a_hash_that_does_not_hold_is_stale(self, agent: Agent) -> None:
        expected = {"src/app.py": sha256(b"other").hexdigest()}
        arguments = {"patchText": PATCH, "expectedSha256ByPath": expected}
        assert code(agent.call(("apply_patch", arguments))) == "stale_file"
        arguments["expectedSha256ByPath"] = {"src/app.py": sha256(APP.encode()).hexdigest()}
        assert not agent.call(("apply_patch", arguments)).is_error

    def test_a_loose_place_shows_its_concession(self, agent: Agent) -> None:
        result = agent.call(READ, edit("  print('Hi ' + name)\n", "  print('Hello ' + name)\n"))
        assert result.output.startswith("Edit applied successfully.\nM src/app.py +1 -1")

    @pytest.mark.parametrize(
        ("call", "problem"),
        [
            (("write", {"filePath": "src", "content": "x"}), "is_directory"),
            (("write", {"filePath": "src/app.py", "content": APP}), "no_change"),
            (("write", {"filePath": "src/app.py/x", "content": "x"}), "not_a_file"),
            (("delete", {"filePath": "src"}), "is_directory"),
            (("delete", {"filePath": "lost"}), "not_found"),
            (("move", {"filePath": "lost", "toPath": "x"}), "not_found"),
            (("move", {"filePath": "src/app.py", "toPath": "b.py"}), "already_exists"),
            (("multiedit", {"filePath": "src/app.py", "edits": []}), "invalid_arguments"),
            (("multiedit", {"filePath": "src/app.py", "edits": ["x"]}), "invalid_arguments"),
            (edit("", "x"), "invalid_arguments"),
            (edit("'Hi '", "# ... existing code ..."), "invalid_arguments"),
        ],
        ids=lambda one: one if isinstance(one, str) else one[0],
    )
    def test_what_can_not_be_done_is_told(self, agent: Agent, call: tuple[str, Any], problem: str) -> None:
        agent.put("b.py", "b\n")
        assert code(agent.call(READ, ("read", {"filePath": "b.py"}), call)) == problem
        assert agent.text("src/app.py") == APP

    @pytest.mark.parametrize("where", ["src/app.py", "./src/app.py", "src/../src/app.py"])
    def test_relative_paths(self, agent: Agent, where: str) -> None:
        assert agent.call(("read", {"filePath": where}), edit(path=where)).title == "src/app.py"

    def test_absolute_paths(self, agent: Agent) -> None:
        where = str(agent.root / "src" / "app.py")
        assert agent.call(("read", {"filePath": where}), edit(path=where)).title == "src/app.py"

    def test_a_path_outside_is_refused(self, agent: Agent) -> None:
        assert code(agent.call(("read", {"filePath": "../other.txt"}))) == "outside_workspace"
        assert code(agent.call(("write", {"filePath": "/etc/motd", "content": "x"}))) == "outside_workspace"

    def test_what_the_workspace_denies_is_refused(self, agent: Agent) -> None:
        assert code(agent.call(("read", {"filePath": ".env"}))) == "permission_denied"

    def test_an_edit_through_a_link_writes_its_target(self, agent: Agent) -> None:
        (agent.root / "link.py").symlink_to("src/app.py")
        result = agent.call(READ, edit(path="link.py"))
        assert agent.text("src/app.py") == HELLO
        assert result.metadata["filediff"]["before"] == APP
        assert result.metadata["filediff"]["after"] == HELLO

    def test_all_of_it_works_in_memory(self) -> None:
        session = Session(Workspace(MemoryFiles({"a.py": "x = 1\n"})), rules=ALLOW)

        async def main() -> Result:
            await session.read("a.py")
            return await session.edit("a.py", "1", "2")

        assert asyncio.run(main()).output == "Edit applied successfully.\nM a.py +1 -1"


class TestOneByOne:
    PATCH = envelope(
        *updated("src/app.py", "    print('Hi ' + name)", "    print('Hello ' + name)"),
        "*** Delete File: lost.txt",
        "*** Add File: late.txt",
        "+late",
    )

    def test_what_was_done_before_the_failure_stays_and_is_told(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": self.PATCH, "atomic": False}))
        assert code(result) == "not_found"
        assert result.output.endswith("These were done before it and stay: M src/app.py +1 -1.")
        assert agent.text("src/app.py") == HELLO
        assert not (agent.root / "late.txt").exists()
        assert agent.changed() == [("src/app.py", "change")]
        assert "+    print('Hello ' + name)" in result.metadata["diff"]
        agent.workspace.undo(result.metadata["receipts"][0])
        assert agent.text("src/app.py") == APP

    def test_what_was_found_out_about_the_part_that_was_done_is_told_too(self, tmp_path: Path) -> None:
        class Finding:
            async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109
                del before, after, timeout
                return Report(path, "problems", (Diagnostic(path, 1, 1, 1, 2, "error", "no such name"),))

            async def close(self) -> None:
                """There is nothing to close."""

        agent = Agent(tmp_path, diagnoser=Finding())
        result = agent.call(("apply_patch", {"patchText": self.PATCH, "atomic": False}))
        assert result.is_error
        assert "no such name" in result.output

    def test_what_was_done_counts_as_read(self, agent: Agent) -> None:
        patch = ("apply_patch", {"patchText": self.PATCH, "atomic": False})
        assert not agent.call(patch, edit("'Hello '", "'Hey '")).is_error

    def test_the_method_raises_partly_applied(self, agent: Agent) -> None:
        with pytest.raises(PartlyAppliedError) as caught:
            agent.run(lambda session: session.apply_patch(self.PATCH, atomic=False))
        assert caught.value.done == ("M src/app.py +1 -1",)

    def test_all_or_none_is_the_default(self, agent: Agent) -> None:
        assert code(agent.call(("apply_patch", {"patchText": self.PATCH}))) == "not_found"
        assert agent.text("src/app.py") == APP

    def test_where_the_first_fails_nothing_is_changed(self, agent: Agent) -> None:
        patch = envelope("*** Delete File: lost.txt", "*** Add File: late.txt", "+late")
        result = agent.call(("apply_patch", {"patchText": patch, "atomic": False}))
        assert result.output.endswith("No file was changed.")
        assert not (agent.root / "late.txt").exists()

    def test_where_all_works_it_says_that_it_was_not_atomic(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": PATCH, "atomic": False}))
        assert result.metadata["atomic"] is False

    def test_what_the_rules_deny_stays_denied_behind_a_link(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[*ALLOW, ("edit", "secrets", "deny")])
        agent.put("secrets/key.txt", "old\n")
        (agent.root / "link.txt").symlink_to("secrets/key.txt")
        patch = envelope(*updated("link.txt", "old", "new"), "*** Delete File: lost.txt")
        assert code(agent.call(("apply_patch", {"patchText": patch, "atomic": False}))) == "rejected"
        assert agent.text("secrets/key.txt") == "old\n"

    def test_where_what_was_done_comes_to_nothing_the_failure_is_told(self, agent: Agent) -> None:
        lines = ("*** Add File: a.txt", "+a", "*** Delete File: a.txt", "*** Delete File: lost.txt")
        result = Agent(agent.folder, settings={"dialect": "codex"}).call(
            ("apply_patch", {"patchText": envelope(*lines), "atomic": False})
        )
        assert result.output.endswith("No file was changed.")
        assert code(result) == "not_found"

    def test_a_file_that_was_not_read_is_asserted_too(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, reads={"apply_patch": "require"})
        assert code(agent.call(("apply_patch", {"patchText": self.PATCH, "atomic": False}))) == "not_read"
        assert agent.text("src/app.py") == APP


class TestResults:
    def test_the_metadata_has_all_that_the_peers_have(self, agent: Agent) -> None:
        metadata = agent.call(READ, edit()).metadata
        filediff = metadata["filediff"]
        assert {key: filediff[key] for key in ("file", "before", "after", "additions", "deletions")} == {
            "file": "src/app.py",
            "before": APP,
            "after": HELLO,
            "additions": 1,
            "deletions": 1,
        }
        assert metadata["filediffs"] == [filediff]
        assert (metadata["atomic"], metadata["diagnostics"]) == (True, {})
        assert metadata["receipts"] == [metadata["receipt"]]

    def test_the_diff_can_be_applied(self, agent: Agent, tmp_path: Path) -> None:
        agent.put("win.txt", "\tone\r\n\ttwo\r\n")
        read, change = ("read", {"filePath": "win.txt"}), edit("\ttwo", "\tthree", "win.txt")
        result = agent.call(read, change)
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "win.txt").write_bytes(b"\tone\r\n\ttwo\r\n")
        diff = result.metadata["diff"].encode()
        subprocess.run(["git", "apply", "-"], input=diff, cwd=tmp_path / "copy", check=True)
        assert (tmp_path / "copy" / "win.txt").read_bytes() == b"\tone\r\n\tthree\r\n"

    @pytest.mark.parametrize("tool", ["edit", "write", "apply_patch"])
    def test_the_diff_of_a_file_with_a_bom_can_be_applied(self, tmp_path: Path, tool: str) -> None:
        """For git the BOM is a character of the first line."""
        agent = Agent(tmp_path, reads={"edit": "off", "write": "off"})
        before, after = "\ufeffone\ntwo\n".encode(), "\ufeffone\n2\n".encode()
        agent.put("a.cs", before)
        calls = {
            "edit": edit("two", "2", "a.cs"),
            "write": ("write", {"filePath": "a.cs", "content": "one\n2\n"}),
            "apply_patch": ("apply_patch", {"patchText": envelope(*updated("a.cs", "two", "2"))}),
        }
        result = agent.call(calls[tool])
        assert (agent.root / "a.cs").read_bytes() == after
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "a.cs").write_bytes(before)
        subprocess.run(["git", "apply", "-"], input=result.metadata["diff"].encode(), cwd=tmp_path / "copy", check=True)
        assert (tmp_path / "copy" / "a.cs").read_bytes() == after

    def test_the_shown_diff_is_trimmed(self, agent: Agent) -> None:
        agent.put("deep.py", "        a = 1\r\n        b = 2\r\n")
        result = agent.call(("read", {"filePath": "deep.py"}), edit("a = 1", "a = 3", "deep.py"))
        assert "\n-a = 1\n+a = 3\n" in result.metadata["shownDiff"]
        assert "-        a = 1\r\n" in result.metadata["diff"]

    def test_the_shown_diff_has_no_bom(self, agent: Agent) -> None:
        agent.put("a.cs", "\ufeff  one\n  two\n".encode())
        result = agent.call(("read", {"filePath": "a.cs"}), edit("one", "1", "a.cs"))
        assert "\n-one\n+1\n two\n" in result.metadata["shownDiff"]
        assert "-\ufeff  one\n" in result.metadata["diff"]

    @pytest.mark.parametrize(
        "call",
        [
            ("read", {"filePath": "."}),
            ("glob", {"pattern": "*"}),
            ("grep", {"pattern": "text"}),
            ("history", {}),
            ("edit\nNo file was changed.", {}),
            ("edit", {"old\nNo file was changed.": "x"}),
            ("read", {"filePath": "b\nNo file was changed."}),
        ],
    )
    def test_a_name_forges_no_line(self, tmp_path: Path, call: tuple[str, dict[str, str]]) -> None:
        agent = Agent(tmp_path, profile="all", reads={"write": "off"})
        agent.put("a\nNo file was changed.\x1b[31m", "text\n")
        patch = "*** Begin Patch\n*** Add File: new\n+text\n*** End Patch\n"
        output = agent.call(("apply_patch", {"patchText": patch}), call).output
        lines = output.removesuffix("\n\nNo file was changed.").split("\n")
        assert not any(line.startswith("No file was changed.") for line in lines)
        assert "\x1b" not in output

    def test_a_hash_for_a_path_that_is_no_text_is_an_answer(self, agent: Agent) -> None:
        hashes = [{"path": [], "sha256": ""}]
        result = agent.call(("apply_patch", {"patchText": "", "expectedSha256ByPath": hashes}))
        assert code(result) == "invalid_arguments"

    @pytest.mark.parametrize("call", [("edi\udc80", {}), ("move", {"filePath": "src/app.py", "toPath": "a\udc80"})])
    def test_a_title_can_be_encoded(self, agent: Agent, call: tuple[str, dict[str, str]]) -> None:
        agent.call(READ, call).title.encode()

    def test_a_result_is_plain_data(self, agent: Agent) -> None:
        agent.put("odd.txt", b"caf\xe9\nend\n")
        for result in agent.calls(("read", {"filePath": "odd.txt"}), edit("end", "END", "odd.txt"), edit("x", "y")):
            json.dumps(result.metadata)
            result.output.encode("utf-8")
        assert (agent.root / "odd.txt").read_bytes() == b"caf\xe9\nEND\n"

    def test_the_metadata_stays_small_unless_whole_texts_are_wanted(self, tmp_path: Path) -> None:
        def size(*, whole_texts: bool) -> int:
            agent = Agent(tmp_path / str(whole_texts), whole_texts=whole_texts)
            agent.put("large.txt", "".join(f"line {number}\n" for number in range(15_000)))
            read = ("read", {"filePath": "large.txt", "offset": 7000})
            result = agent.call(read, edit("line 7000\n", "seven thousand\n", "large.txt"))
            assert not result.is_error
            return len(json.dumps(dict(result.metadata)))

        assert size(whole_texts=False) < 2000
        assert size(whole_texts=True) > 300_000

    def test_a_binary_file_that_is_moved_has_no_text(self, agent: Agent) -> None:
        agent.put("a.bin", b"\0\1")
        patch = envelope("*** Update File: a.bin", "*** Move to: b.bin")
        result = Agent(agent.folder, reads={"apply_patch": "off"}).call(("apply_patch", {"patchText": patch}))
        assert not result.is_error
        assert result.metadata["filediff"]["before"] is None

    def test_results_can_be_compared_and_kept_in_sets(self, agent: Agent) -> None:
        first, second = agent.calls(READ, READ)
        assert first == second
        assert len({first, second}) == 1

    def test_a_patch_that_comes_to_nothing_says_so(self, agent: Agent) -> None:
        patch = envelope("*** Add File: a.txt", "+a", "*** Delete File: a.txt")
        result = Agent(agent.folder, settings={"dialect": "codex"}).call(("apply_patch", {"patchText": patch}))
        assert result.output.startswith("Nothing was changed.")
        assert result.metadata["receipts"] == []

    def test_the_output_is_capped(self, agent: Agent) -> None:
        lines = [line for number in range(1500) for line in (f"*** Add File: many/file{number}.txt", "+x")]
        result = agent.call(("apply_patch", {"patchText": envelope(*lines)}))
        assert result.title == "1500 files changed"
        assert MOST_OUTPUT_CHARACTERS - 100 < len(result.output) <= MOST_OUTPUT_CHARACTERS
        assert result.output.endswith("more characters)")

    def test_the_history_knows_tool_and_actor(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, actor="agent 7")
        agent.call(
            READ, edit(), ("move", {"filePath": "src/app.py", "toPath": "b.py"}), ("delete", {"filePath": "b.py"})
        )
        log = [(receipt.tool, receipt.actor) for receipt in agent.workspace.log()]
        assert log == [("delete", "agent 7"), ("move", "agent 7"), ("edit", "agent 7")]


class TestCall:
    def test_what_is_refused_is_an_answer(self, agent: Agent) -> None:
        result = agent.call(READ, edit("lost()", "x"))
        assert result.is_error
        assert result.title == "edit"
        assert result.output.endswith("No file was changed.")
        assert result.metadata["error"] == "PatchRejectedError"

    def test_a_patch_that_cannot_be_read_is_an_answer(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": "change it, please"}))
        assert (code(result), result.metadata["error"]) == ("patch_parse_error", "PatchInvalidError")

    def test_the_methods_raise(self, agent: Agent) -> None:
        with pytest.raises(PatchRejectedError):
            agent.run(lambda session: session.edit("src/app.py", "x", "x"))
        with pytest.raises(PatchInvalidError):
            agent.run(lambda session: session.apply_patch(""))

    def test_arguments_as_json(self, agent: Agent) -> None:
        assert not agent.call(("read", json.dumps(READ[1]))).is_error

    def test_an_unknown_tool(self, agent: Agent) -> None:
        result = agent.call(("format_disk", {}))
        assert result.output.startswith("There is no tool format_disk.\nThe tools are read, write, edit")

    def test_a_method_that_is_no_tool_can_not_be_called(self, agent: Agent) -> None:
        assert code(agent.call(("close", {}))) == "invalid_arguments"

    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    )

    @given(
        st.sampled_from([*TOOLS]),
        st.dictionaries(st.sampled_from([a.name for t in TOOLS.values() for a in t.arguments]), values) | values,
    )
    def test_whatever_a_model_sends_there_is_an_answer(self, name: str, arguments: Any) -> None:
        session = Session(Workspace(MemoryFiles({"a.py": "x\n"})), rules=ALLOW)
        result = asyncio.run(session.call(name, arguments))
        assert isinstance(result, Result)
        result.output.encode("utf-8")


def test_a_mode_of_reading_that_does_not_exist_is_a_wrong_call() -> None:
    workspace = Workspace(MemoryFiles())
    for reads in ({"edit": "sometimes"}, {"read": "off"}):
        with pytest.raises(ValueError, match="expected reads to map"):
            Session(workspace, reads=reads)  # type: ignore[arg-type]
    assert issubclass(PatchRejectedError, SutureError)
