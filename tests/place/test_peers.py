"""What OpenCode's edit tool and Codex's and OpenCode's patch interface name has its counterpart here, row by row.

docs/migration has the same rows as tables, and says for each name what to use (tests/project/test_migration.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit
from tests.shared.sites import envelope, updated

from suture import AddFile, DeleteFile, PatchInvalidError, PatchRejectedError, UpdateFile, Workspace, parse
from suture.core.problems import PEER_NAMES
from suture.format import parse_invocation
from suture.workspace import MemoryFiles, verify_invocation

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

PATCH = envelope(*updated("src/app.py", "    print('Hi ' + name)", "    print('Hello ' + name)"))


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path)


class TestTheErrorTableOfTheEditTool:
    """One test for each row, by its condition; where a message is given ours begins with it."""

    @pytest.mark.parametrize("given", [{}, {"filePath": ""}])
    def test_missing_filepath(self, agent: Agent, given: dict[str, Any]) -> None:
        result = agent.call(("edit", {"oldString": "a", "newString": "b", **given}))
        assert code(result) == "invalid_arguments"
        assert result.output.startswith("filePath is required")

    def test_oldstring_equals_newstring(self, agent: Agent) -> None:
        result = agent.call(edit("name", "name"))
        assert code(result) == "no_change"
        assert result.output.startswith("oldString and newString must be different")

    def test_file_does_not_exist(self, agent: Agent) -> None:
        result = agent.call(edit("a", "b", "src/lost.py"))
        assert code(result) == "not_found"
        assert result.output.startswith("File src/lost.py not found")

    def test_path_is_directory(self, agent: Agent) -> None:
        result = agent.call(edit("a", "b", "src"))
        assert code(result) == "is_directory"
        assert result.output.startswith("Path is a directory, not a file: src")

    def test_never_read_file(self, agent: Agent) -> None:
        assert code(agent.call(edit())) == "not_read"

    def test_file_modified_externally(self, tmp_path: Path) -> None:
        """By default it is merged (SPEC §14); the mode `require` refuses it."""
        agent = Agent(tmp_path, reads={"edit": "require"})
        agent.call(READ)
        agent.put("src/app.py", APP + "# more\n")
        assert code(agent.call(edit())) == "stale_file"

    def test_no_match_found(self, agent: Agent) -> None:
        result = agent.call(READ, edit("lost()", "x"))
        assert code(result) == "old_text_not_found"
        assert result.output.startswith("oldString not found in content")

    def test_multiple_matches(self, agent: Agent) -> None:
        result = agent.call(READ, edit("name)", "who)"))
        assert code(result) == "multiple_matches"
        assert result.output.startswith("Found multiple matches")
        assert "Provide more surrounding lines" in result.output


class TestTheEntryPointsOfThePatchInterface:
    def test_apply_patch(self, agent: Agent) -> None:
        """1. applyPatch(patchText): the affected paths."""
        patch = envelope("*** Add File: new.txt", "+x", *PATCH.splitlines()[1:-1])
        receipt = agent.workspace.apply(patch)
        assert (receipt.added, receipt.modified, receipt.deleted) == (("new.txt",), ("src/app.py",), ())

    def test_parse_patch(self) -> None:
        """2. parsePatch(patchText): structured, without side effects."""
        patch = parse(envelope("*** Add File: a", "+x", "*** Delete File: b", *updated("c", "x", "y")))
        assert [type(operation) for operation in patch.operations] == [AddFile, DeleteFile, UpdateFile]

    def test_maybe_parse_apply_patch_direct(self) -> None:
        """3. maybeParseApplyPatch(argv): ["apply_patch", "<patch>"]."""
        invocation = parse_invocation(["apply_patch", PATCH], "/w")
        assert invocation is not None
        assert invocation.patch == parse(PATCH)

    def test_maybe_parse_apply_patch_heredoc(self) -> None:
        """3. maybeParseApplyPatch(argv): ["bash", "-lc", "apply_patch <<<'PATCH' … PATCH"]."""
        invocation = parse_invocation(["bash", "-lc", f"apply_patch <<<'PATCH'\n{PATCH}PATCH"], "/w")
        assert invocation is not None
        assert invocation.patch.operations == parse(PATCH).operations

    def test_maybe_parse_apply_patch_something_else(self) -> None:
        assert parse_invocation(["ls"], "/w") is None

    def test_maybe_parse_apply_patch_verified(self, agent: Agent) -> None:
        """4. maybeParseApplyPatchVerified(argv, cwd): existence checked, diffs computed, nothing written."""
        plan = verify_invocation(["apply_patch", PATCH], str(agent.root), agent.workspace)
        assert plan is not None
        assert "+    print('Hello ' + name)" in plan.changes[0].diff
        assert agent.text("src/app.py") == APP
        lost = verify_invocation(["apply_patch", PATCH.replace("app.py", "lost.py")], str(agent.root), agent.workspace)
        assert lost is not None
        assert [problem.code for problem in lost.problems] == ["not_found"]


class TestTheErrorTypesOfThePatchInterface:
    def name_of(self, problem_code: str) -> list[str]:
        return [name for name, codes in PEER_NAMES.items() if problem_code in codes]

    def test_parse_error(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": "*** Begin Patch\n*** Rename File: a\n*** End Patch\n"}))
        assert self.name_of(code(result)) == ["ParseError"]

    def test_io_error(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": envelope("*** Delete File: lost.txt")}))
        assert self.name_of(code(result)) == ["IoError"]

    def test_compute_replacements(self, agent: Agent) -> None:
        result = agent.call(("apply_patch", {"patchText": envelope(*updated("src/app.py", "lost()", "found()"))}))
        assert self.name_of(code(result)) == ["ComputeReplacements"]

    def test_implicit_invocation(self) -> None:
        with pytest.raises(PatchInvalidError) as caught:
            parse_invocation([PATCH], "/w")
        assert self.name_of(caught.value.problems[0].code) == ["ImplicitInvocation"]


class TestTheToolsOfThePatchInterface:
    def test_external_directory_validation(self, agent: Agent) -> None:
        patch = envelope("*** Add File: ../out.txt", "+x")
        assert code(agent.call(("apply_patch", {"patchText": patch}))) == "outside_workspace"

    def test_tool_output(self, agent: Agent) -> None:
        """The title, the metadata and the output of a patch of three files."""
        patch = envelope(*(line for name in "abc" for line in (f"*** Add File: src/{name}.ts", "+x")))
        result = agent.call(("apply_patch", {"patchText": patch}))
        assert result.title == "3 files changed"
        assert result.metadata["diff"].count("+++ b/src/") == 3
        assert result.output.startswith("Patch applied successfully. 3 files changed:\n")


def test_what_is_refused_is_raised_by_a_workspace_too() -> None:
    with pytest.raises(PatchRejectedError, match="Path is a directory, not a file"):
        Workspace(MemoryFiles({"src/app.py": APP})).edit("src", "a", "b")
