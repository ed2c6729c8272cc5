"""Every kind of refusal over MCP, in every profile, names the arguments of the tool and no other interface."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.raw_client import RawClient, make_project

from suture.agent.profiles import PROFILES
from suture.agent.tools import snake_case

if TYPE_CHECKING:
    from pathlib import Path

#: Options of the command line, and names of functions in Python.
OTHER_INTERFACES = re.compile(r"--[a-z]|\blift=|\bexclude=|\bmerge=True|\brelative_to\b|\bpass form=|\ba Workspace\b")
#: What the user can do, who starts the server.
FOR_THE_USER = "the user can start the server with --approve client or queue"
CAMEL = re.compile(r"\b(filePath|oldString|newString|replaceAll|patchText|toPath)\b")
SNAKE = re.compile(r"\b(file_path|old_string|new_string|replace_all|patch_text|to_path)\b")


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def edit(path: str, old: Any, new: Any, **more: Any) -> dict[str, Any]:
    return {"filePath": path, "oldString": old, "newString": new, **more}


TWICE = edit("twice.py", "x = 1", "x = 2")
#: Calls that are refused, by tool.
REFUSED: dict[str, list[dict[str, Any]]] = {
    "read": [{}, {"filePath": 7}, {"filePath": "none.py"}, {"filePath": ".env"}, {"filePath": "../x"}],
    "edit": [
        {},
        edit("app.py", "nowhere to be found", "x"),
        edit("app.py", "    return 'Ho ' + nane", "x"),
        TWICE,
        edit("app.py", "same", "same"),
        edit("app.py", "", ""),
        edit("app.py", "", "x"),
        edit("app.py", "    return 'Hi ' + name", "# ... existing code ..."),
        edit("none.py", "a", "b"),
        edit("../out.py", "a", "b"),
        edit("/etc/passwd", "a", "b"),
        edit(".env", "a", "b"),
        edit(".git/config", "a", "b"),
        edit("folder", "a", "b"),
        edit("binary", "a", "b"),
        edit("latin.txt", "alpha", "älpha"),
        edit("unread.py", "B = 2", "B = 3"),
        edit("stale.py", "S = 1", "S = 3"),
        edit("app.py", 7, "x"),
        edit("app.py", "a", "b", replaceAll="perhaps"),
        edit("app.py", "a", "b", nonsense=1),
    ],
    "multiedit": [
        {"filePath": "app.py", "edits": []},
        {"filePath": "app.py", "edits": "nonsense"},
        {"filePath": "app.py", "edits": [{"oldString": "nowhere", "newString": "x"}]},
        {"filePath": "twice.py", "edits": [{"oldString": "x = 1", "newString": "x = 2"}]},
    ],
    "write": [
        {"filePath": "unread.py", "content": "x"},
        {"filePath": ".env", "content": "x"},
        {"filePath": "a/../../x"},
    ],
    "apply_patch": [
        {"patchText": text}
        for text in (
            "",
            "nonsense",
            "*** Begin Patch\n*** Update File: app.py\n@@\n-nowhere",
            patch("*** Update File: app.py", "@@", "-nowhere", "+x"),
            patch("*** Update File: twice.py", "@@", "-x = 1", "+x = 2"),
            patch("*** Update File: none.py", "@@", "-a", "+b"),
            patch("*** Update File: .env", "@@", "-a", "+b"),
            patch("*** Add File: app.py", "+x"),
            patch("*** Delete File: none.py"),
            patch("*** Update File: app.py", "*** Move to: twice.py"),
            patch("*** Update File: app.py", "nonsense"),
            "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n-nowhere\n+x\n",
            "app.py\n<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE\n",
            "GIT binary patch\n",
        )
    ],
    "delete": [{"filePath": "none.py"}, {"filePath": "unread.py"}, {"filePath": ".env"}, {"filePath": "folder"}],
    "move": [{"filePath": "none.py", "toPath": "b"}, {"filePath": "app.py", "toPath": "twice.py"}, {}],
    "insert": [{"filePath": "app.py", "content": "x"}, {"filePath": "app.py", "content": "x", "line": 99}],
    "glob": [{}, {"pattern": "*", "path": "none"}, {"pattern": "[" * 10}],
    "grep": [{}, {"pattern": "("}, {"pattern": "x", "path": "../.."}],
    "undo": [{}, {"commit": "beef"}],
    "history": [{"filePath": "../x"}, {"limit": "many"}],
}


def make_files(root: Path) -> None:
    (root / "twice.py").write_text("x = 1\ny = 1\n\nx = 1\n")
    (root / "unread.py").write_text("A = 1\nB = 2\n")
    (root / "stale.py").write_text("S = 1\n")
    (root / ".env").write_text("a\n")
    (root / "folder").mkdir()
    (root / "binary").write_bytes(b"\x00\x01a\x02")
    (root / "latin.txt").write_bytes(b"alpha\nbet\xe9\n")


@pytest.mark.parametrize("name", PROFILES)
def test_a_refusal_names_the_arguments_of_the_tool(name: str, tmp_path: Path) -> None:
    profile = PROFILES[name]
    foreign = CAMEL if profile.snake_case else SNAKE
    root = make_project(tmp_path)
    make_files(root)

    def named(arguments: Any) -> Any:
        if isinstance(arguments, list):
            return [named(one) for one in arguments]
        if not isinstance(arguments, dict) or not profile.snake_case:
            return arguments
        return {snake_case(key): named(value) for key, value in arguments.items()}

    refusals = 0
    with RawClient(root, "--profile", name) as client:
        if "read" in profile.tools:
            for path in ("app.py", "twice.py", "stale.py", "latin.txt"):
                client.call(profile.tools["read"], **named({"filePath": path}))
        (root / "stale.py").write_text("S = 1\nT = 2\n" * 200)
        for tool in profile.tools:
            for arguments in REFUSED[tool]:
                result = client.call(profile.tools[tool], **named(arguments))
                text = result["content"][0]["text"]
                about = f"{tool} {arguments}: {text}"
                assert not OTHER_INTERFACES.search(text.replace(FOR_THE_USER, "")), about
                assert not foreign.search(text), about
                refusals += result["isError"]
        assert "The tools are " in client.text("nonsense")
        approval = client.text(*approved_call(profile.tools), **named(approved_arguments(profile.tools)))
        assert "needs an approval" in approval
    assert refusals >= 12


def approved_call(tools: Any) -> tuple[str]:
    """A tool whose call fits, so that somebody would have to approve it."""
    return (tools["edit"] if "edit" in tools else tools["apply_patch"],)


def approved_arguments(tools: Any) -> dict[str, Any]:
    if "edit" in tools:
        return edit("app.py", "'Hi '", "'Hello '")
    return {"patchText": patch("*** Update File: app.py", "@@", "-    return 'Hi ' + name", "+    return 'x'")}
