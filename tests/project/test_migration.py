"""The migration pages: every name of the systems that readers know has its entry, and what they say is true."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.project.test_docs_complete import PUBLIC
from tests.shared.agents import Agent, code
from tests.shared.pages import ROOT, links_of, name_of, text_of
from tests.shared.sites import digest, envelope, updated

import suture
from suture import DIALECTS, PatchRejectedError, Session, Workspace, apply_in_memory
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

FOLDER = ROOT / "docs" / "migration"

# fmt: off
#: What each of the five systems calls things in its own documentation: types, fields, functions, arguments, events,
#: errors, messages, files and settings.
NAMES = {
    "opencode-patch-format": [
        "*** Begin Patch", "*** End Patch", "*** Add File:", "*** Delete File:", "*** Update File:", "*** Move to:",
        "*** End of File", "@@", "UpdateFileChunk", "old_lines", "new_lines", "change_context", "is_end_of_file",
        "ParseError", "ComputeReplacements", "IoError", "--- a/", "+++ b/", "@@ -n,m +n,m @@",
    ],
    "opencode-patch-tool": [
        "PatchTool", "BashTool", "MultiEditTool", "Patch", "patch/index.ts", "parsePatch", "computeRepl",
        "computeReplacements", "applyHunks", "Hunk", "type", "add", "delete", "update", "path", "contents",
        "move_path", "chunks", "UpdateFileChunk", "old_lines", "new_lines", "change_context", "is_end_of_file",
        "ApplyPatchAction", "changes", "patch", "cwd", "ApplyPatchFileChange", "content", "unified_diff",
        "new_content", "AffectedPaths", "added", "modified", "deleted", "applyPatch", "patchText", "hunks",
        "maybeParseApplyPatch", "argv", "MaybeApplyPatch", "apply_patch", "maybeParseApplyPatchVerified",
        "MaybeApplyPatchVerified", "ApplyPatchError", "ParseError", "IoError", "ComputeReplacements",
        "ImplicitInvocation", "ctx.ask()", "FileTime", "FileWatcher.Event.Updated", "createTwoFilesPatch", "diff",
        "PatchParams", "z.object", "z.string", "describe", "title", "metadata", "output", "patch.txt", "multiedit",
        "edit", "Instance.directory",
    ],
    "strict-patch-api": [
        "apply_patch", "*** Begin Patch", "*** End Patch", "*** Add File", "*** Update File", "*** Delete File",
        "*** Move File: from -> to", "@@", r"\ No newline at end of file", "patch_parse_error", "outside_workspace",
        "command_failed", "not_found", "already_exists", "multiple_matches", "patch_apply_error", "details",
        "path", "hunkIndex", "reason", "context_not_found", "overlapping_edits", "delete_file",
        "expectedSha256ByPath", "stale_file", "details.path", '""', "atomic", "atomic: true", "atomic: false",
        "<path>.<rand>.apply-patch.tmp", "fsync", "changedFiles", "data.atomic",
    ],
    "codex-instructions": [
        "apply_patch", "*** Begin Patch", "*** End Patch", "*** Add File:", "*** Delete File:", "*** Update File:",
        "*** Move to:", "*** End of File", "@@", "@@ class BaseClass", "[context_before]", "[context_after]",
        "[old_code]", "[new_code]", "Patch", "Begin", "End", "FileOp", "AddFile", "DeleteFile", "UpdateFile",
        "MoveTo", "Hunk", "HunkLine", "header", "newPath", "path", "line", "text", "NEWLINE", "command",
    ],
    "opencode-edit-tool": [
        "EditTool", "Tool.define", "edit.txt", "parameters", "z.object", "z.string", "z.boolean", "execute", "params",
        "ctx", "filePath", "oldString", "stats.isDirectory",
        "newString", "replaceAll", "Instance.directory", "isAbsolute", "join", "assertExternalDirectory",
        "FileTime.withLock", "FileTime.assert", "FileTime.read", "FileTime.get", "ctx.sessionID", "sessionID",
        "file.stat", "file.text", "file.write", "contentOld", "contentNew", "replace", "ctx.ask", "permission",
        "patterns", "relativePath", "always", "metadata", "metadata.filepath", "metadata.diff", "Bus.publish",
        "File.Event.Edited", "LSP.touchFile", "LSP.diagnostics", "LSP.Diagnostic.pretty", "diagnosticErrors",
        "metadata.diagnostics", "filediff", "file", "before", "after", "additions", "deletions", "title", "output",
        "createTwoFilesPatch", "diffLines", "trimDiff", "normalizeLineEndings", "MAX_DIAGNOSTICS_PER_FILE",
        "filePath is required", "oldString and newString must be different", "File {path} not found",
        "Path is a directory, not a file: {path}", "oldString not found in content", "Found multiple matches",
        "Provide more surrounding lines", "Edit applied successfully.",
    ],
}
# fmt: on
#: Words that these systems use outside of code.
WORDS = {
    "opencode-patch-format": ["chunk", "context seek marker"],
    "opencode-patch-tool": ["do not use", "Thread safety", "time limit", "largest file", "binary files"],
    "strict-patch-api": ["zero-fuzz", "guard", "trash", "sentinel", "pre-image", "stale file protocol", "error kind"],
    "codex-instructions": ["instructions", "grammar", "absolute paths"],
    "opencode-edit-tool": ["replacers", "lock", "diagnostics"],
}

#: A name of ours in an entry: a class with attributes, the session with attributes, or a full name.
OURS = re.compile(r"(?P<class>[A-Z]\w+)(?P<attributes>(?:\.\w+)*)|(?P<full>(?:session|suture)(?:\.\w+)+)\b.*")


@pytest.mark.parametrize(("page", "name"), [(page, name) for page, names in NAMES.items() for name in names])
def test_every_name_is_in_a_table_in_code(page: str, name: str) -> None:
    rows = [line for line in text_of(FOLDER / f"{page}.md").splitlines() if line.startswith("| ")]
    said = [code for row in rows for code in re.findall("`([^`]+)`", row)]
    assert any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) for code in said)


@pytest.mark.parametrize(("page", "word"), [(page, word) for page, words in WORDS.items() for word in words])
def test_every_other_word_is_found(page: str, word: str) -> None:
    assert word.lower() in text_of(FOLDER / f"{page}.md").lower()


def test_the_index_leads_to_every_page() -> None:
    linked = {there for _, there, _ in links_of(FOLDER / "README.md")}
    assert [name_of(page) for page in FOLDER.glob("*.md") if page.name != "README.md" and page not in linked] == []


@pytest.mark.parametrize("page", NAMES)
def test_what_the_entries_name_is_there(page: str) -> None:
    names = list(_ours(page))
    assert len(names) >= 10
    assert [name for name in names if not _is_there(name)] == []


@pytest.mark.parametrize("page", NAMES)
def test_every_difference_has_a_reason(page: str) -> None:
    rows = [_cells(line) for line in _section(page, "What changes").splitlines() if line.startswith("| ")]
    assert len(rows) >= 7
    assert [row for row in rows if len(row) != 4 or not row[3]] == []


def _section(page: str, heading: str) -> str:
    """The text below a heading, up to the next of its rank."""
    below = text_of(FOLDER / f"{page}.md").split(f"\n## {heading}\n")[1]
    return below.split("\n## ")[0]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _ours(page: str) -> Iterator[str]:
    """The names of ours that the last cells of a page's entries say in code."""
    for line in _section(page, "Names").splitlines():
        if line.startswith("| "):
            for code in re.findall(r"`([^`]+)`", _cells(line)[-1]):
                match = OURS.fullmatch(code)
                if match:
                    yield match["full"] or code


@cache
def _known() -> dict[str, object]:
    """What the first part of a name of ours can be. Some attributes are those of objects, not of their classes."""
    workspace = Workspace(MemoryFiles())
    session = Session(workspace)
    return {**PUBLIC, "None": None, "Session": session, "Workspace": workspace, "session": session, "suture": suture}


def _is_there(name: str) -> bool:
    first, *attributes = name.split(".")
    if first not in _known():
        return False
    value = _known()[first]
    for attribute in attributes:
        if not hasattr(value, attribute):
            return False
        value = getattr(value, attribute)
    return True


class TestDifferences:
    """What the pages say of behavior, and no example shows."""

    @pytest.mark.parametrize("dialect", DIALECTS)
    @pytest.mark.parametrize(
        ("anchor", "line"),
        [("import { OLD }", "import { OLD } from './old'"), ("class BaseClass", "class BaseClass:")],
        ids=["opencode-patch-format", "codex-instructions"],
    )
    def test_an_anchor_is_a_whole_line_in_the_dialects_of_programs(self, dialect: str, anchor: str, line: str) -> None:
        patch = envelope("*** Update File: a", f"@@ {anchor}", f" {line}", "+new")
        if dialect in {"standard", "strict"}:
            assert apply_in_memory(patch, {"a": f"{line}\n"}, dialect=dialect).texts == {"a": f"{line}\nnew\n"}
        else:
            with pytest.raises(PatchRejectedError) as refused:
                apply_in_memory(patch, {"a": f"{line}\n"}, dialect=dialect)
            assert refused.value.problems[0].details["reason"] == "anchor_not_found"

    @pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb\n"], ids=["crlf", "bom"])
    def test_strict_compares_lines_without_their_endings_and_without_a_bom(
        self, tmp_path: Path, content: bytes
    ) -> None:
        agent = Agent(tmp_path, settings={"dialect": "strict"})
        agent.put("f", content)
        assert not agent.call(_patch(*updated("f", "a", "x"))).is_error
        assert (agent.root / "f").read_bytes() == content.replace(b"a", b"x")

    def test_strict_refuses_a_patch_that_has_crlf_itself(self, tmp_path: Path) -> None:
        tool, arguments = _patch(*updated("f", "a", "x"))
        arguments["patchText"] = arguments["patchText"].replace("\n", "\r\n")
        agent = Agent(tmp_path, settings={"dialect": "strict"})
        assert code(agent.call((tool, arguments))) == "patch_parse_error"

    @pytest.mark.parametrize(
        ("second", "given", "rules", "expected"),
        [
            (updated("b", "b", "x"), {"expectedSha256ByPath": {"b": digest("other")}}, [], "stale_file"),
            (updated("b", "b", "x"), {}, [("edit", "b", "deny")], "rejected"),
            (updated("b", "b", "x"), {}, [("edit", "b", "ask")], "rejected"),
            (("*** Delete File: b",), {}, [], "not_read"),
        ],
        ids=["hash", "rule", "approval", "read"],
    )
    def test_without_atomic_what_is_about_the_whole_call_still_writes_nothing(
        self, tmp_path: Path, second: tuple[str, ...], given: dict[str, Any], rules: list[Any], expected: str
    ) -> None:
        agent = Agent(tmp_path, settings={"dialect": "strict"}, rules=[("edit", "*", "allow"), *rules])
        agent.put("a", "a\n")
        agent.put("b", "b\n")
        result = agent.call(_patch(*updated("a", "a", "x"), *second, atomic=False, **given))
        assert code(result) == expected
        assert (result.metadata["atomic"], result.metadata["changedFiles"]) == (False, [])
        assert agent.text("a") == "a\n"

    def test_a_hash_of_a_path_that_the_patch_does_not_touch_is_checked(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.put("a", "a\n")
        given = {"expectedSha256ByPath": {"src/app.py": digest("other")}}
        assert code(agent.call(_patch(*updated("a", "a", "x"), **given))) == "stale_file"

    @pytest.mark.parametrize("profile", ["core", "all", "codex", "opencode"])
    def test_models_are_offered_the_patch_tool(self, tmp_path: Path, profile: str) -> None:
        assert "apply_patch" in [tool["name"] for tool in Agent(tmp_path, profile=profile).session.tools("json")]


def _patch(*lines: str, **more: object) -> tuple[str, dict[str, Any]]:
    return "apply_patch", {"patchText": envelope(*lines), **more}
