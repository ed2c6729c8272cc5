"""Every kind of refusal over MCP, in every profile, names the arguments of the tool and no other interface."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.raw_client import APP, RawClient, make_project

from suture import Workspace
from suture.agent.profiles import PROFILES, isolated_profile
from suture.agent.tools import TOOLS, snake_case

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent.profiles import Profile

#: Options of the command line, and names of functions in Python.
OTHER_INTERFACES = re.compile(r"--[a-z]|\blift=|\bexclude=|\bmerge=True|\brelative_to\b|\bpass form=|\ba Workspace\b")
#: What the user can do.
FOR_THE_USER = (
    "the user can start the server with --approve client or queue",
    "The user has to start the server with another directory in --approvals.",
    "the user can run: suture doctor --set-aside.",
)
#: A command of Suture, and the words before it where it is named as something that the user can do.
COMMAND = re.compile(
    r"(?P<by>[Tt]he user can run: )?\bsuture (apply|edit|log|show|undo|redo|review|isolated|doctor|trust)\b"
)
CAMEL = re.compile(r"\b(filePath|oldString|newString|replaceAll|patchText|toPath)\b")
SNAKE = re.compile(r"\b(file_path|old_string|new_string|replace_all|patch_text|to_path)\b")


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def edit(path: str, old: Any, new: Any, **more: Any) -> dict[str, Any]:
    return {"filePath": path, "oldString": old, "newString": new, **more}


def definition(path: str, name: str, content: str) -> dict[str, Any]:
    return {"filePath": path, "name": name, "content": content}


def sketch(path: str, text: str) -> dict[str, Any]:
    return {"targetFile": path, "codeEdit": text}


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
        edit("app.py", "'Hi '", "'\x07'"),
        edit("linked.py", "L = 1", "L = 2"),
        edit("outward.py", "a", "b"),
        edit("circle.py", "a", "b"),
        edit("app.py", "def greet(name):\n    ...\n    nothing of it\nprint(greet('world'))", "x"),
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
            patch("*** Update File: app.py", "@@", " def greet(name):", "+    return 'Hi ' + name"),
            patch(
                "*** Update File: app.py", "@@ def nowhere():", "-    return 'Hi ' + name", "+    return 'Ho ' + name"
            ),
            patch("*** Update File: app.py", "@@", "-def greet(name):", "+def hail(name):", "*** End of File"),
            patch("*** Update File: app.py", *["@@", "-    return 'Hi ' + name", "+    return 'Ho ' + name"] * 2),
            patch("*** Update File: twice.py", "@@", "+x = 2"),
            patch("*** Update File: app.py", "@@", " def greet(name):", "     nothing = 1", "-    return 'Hi ' + name"),
            patch("*** Update File: ", "@@", "-a", "+b"),
            patch(),
            "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n-nowhere\n+x\n",
            "app.py\n<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE\n",
            "GIT binary patch\n",
        )
    ],
    "delete": [{"filePath": "none.py"}, {"filePath": "unread.py"}, {"filePath": ".env"}, {"filePath": "folder"}],
    "move": [{"filePath": "none.py", "toPath": "b"}, {"filePath": "app.py", "toPath": "twice.py"}, {}],
    "insert": [{"filePath": "app.py", "content": "x"}, {"filePath": "app.py", "content": "x", "line": 99}],
    "replace_lines": [
        {"filePath": "app.py", "content": "x"},
        {"filePath": "app.py", "startLine": 98, "endLine": 99, "content": "x"},
        {"filePath": "app.py", "startLine": 3, "endLine": 2, "content": "x"},
        {"filePath": "app.py", "startLine": "one", "endLine": 2, "content": "x"},
        {"filePath": "unread.py", "startLine": 1, "endLine": 1, "content": "x"},
        {"filePath": "stale.py", "startLine": 1, "endLine": 1, "content": "x"},
        {"filePath": "cells.ipynb", "startLine": 1, "endLine": 1, "content": "x"},
        {"filePath": ".env", "startLine": 1, "endLine": 1, "content": "x"},
        {"filePath": "none.py", "startLine": 1, "endLine": 1, "content": "x"},
    ],
    "replace_definition": [
        {},
        definition("app.py", "nowhere", "def nowhere():\n    pass"),
        definition("app.py", "greet", "def other(name):\n    pass"),
        definition("app.py", "greet", "def greet(name)\n    pass"),
        definition("app.py", "greet", ""),
        definition("app.py", "greet", "def greet(name):\n    return 'Hi ' + name"),
        definition("several.py", "f", "def f(self):\n    return 3"),
        definition("several.py", "x", "x = 3"),
        definition("latin.txt", "alpha", "alpha"),
        definition("broken.py", "f", "def f():\n    pass"),
        definition("unread.py", "q", "def q():\n    pass"),
        definition("cells.ipynb", "q", "def q():\n    pass"),
        definition(".env", "q", "def q():\n    pass"),
        definition("none.py", "q", "def q():\n    pass"),
    ],
    "insert_definition": [
        {},
        definition("app.py", "nowhere", "def new():\n    pass"),
        definition("app.py", "greet", "def greet(name):\n    pass"),
        definition("app.py", "greet", "nonsense here"),
        {**definition("app.py", "greet", "def new():\n    pass"), "where": "sideways"},
        definition("several.py", "f", "def new():\n    pass"),
        definition("latin.txt", "alpha", "alpha"),
        definition("unread.py", "q", "def new():\n    pass"),
        definition(".env", "q", "def new():\n    pass"),
    ],
    "edit_file": [
        {},
        sketch("app.py", "# ... existing code ...\nnowhere\n"),
        sketch("app.py", "def greet(name):\n    pass\n"),
        sketch("app.py", "# ... existing code ...\n"),
        sketch("app.py", ""),
        sketch("several.py", "# ... existing code ...\n    def f(self):\n        return 9\n# ... existing code ...\n"),
        sketch("unread.py", "# ... existing code ...\n    return 4\n"),
        sketch("none.py", "# ... existing code ...\n    return 4\n"),
        sketch("cells.ipynb", "# ... existing code ...\n    return 4\n"),
        sketch(".env", "x"),
    ],
    "glob": [{}, {"pattern": "*", "path": "none"}, {"pattern": "[" * 10}],
    "grep": [{}, {"pattern": "("}, {"pattern": "x", "path": "../.."}],
    "undo": [{}, {"commit": "beef"}],
    "history": [{"filePath": "../x"}, {"limit": "many"}],
    "merge": [{"filePath": "app.py"}],
    "discard": [{"filePath": "none.py"}, {"filePath": 7}],
}
CELLS = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}


#: The files that are read before.
READ = ("app.py", "twice.py", "stale.py", "latin.txt", "several.py", "broken.py", "linked.py", "cells.ipynb")


def make_files(root: Path) -> None:
    (root / "twice.py").write_text("x = 1\ny = 1\n\nx = 1\n")
    (root / "unread.py").write_text("A = 1\nB = 2\n")
    (root / "stale.py").write_text("S = 1\n")
    (root / ".env").write_text("a\n")
    (root / "several.py").write_text("class A:\n    def f(self): ...\n\n\nclass B:\n    def f(self): ...\n")
    (root / "broken.py").write_text("def (:\n")
    (root / "cells.ipynb").write_text(json.dumps(CELLS))
    (root / "folder").mkdir()
    (root / "linked.py").write_text("L = 1\n")
    os.link(root / "linked.py", root / "linked too.py")
    if sys.platform != "win32":
        (root / "outward.py").symlink_to("/etc/hosts")
        (root / "circle.py").symlink_to("circle.py")
    (root / "binary").write_bytes(b"\x00\x01a\x02")
    (root / "latin.txt").write_bytes(b"alpha\nbet\xe9\n")


def check_words(text: str, foreign: re.Pattern[str], about: str) -> None:
    """Check that a text names nothing of another interface."""
    about = f"{about}: {text}"
    for sentence in FOR_THE_USER:
        text = text.replace(sentence, "")
    assert not OTHER_INTERFACES.search(text), about
    assert not foreign.search(text), about
    assert all(found["by"] for found in COMMAND.finditer(text)), about


def foreign_names(profile: Profile) -> re.Pattern[str]:
    """The names of arguments in the other style."""
    return CAMEL if profile.snake_case else SNAKE


def named(arguments: Any, profile: Profile) -> Any:
    """Arguments with the names that a profile gives them."""
    if isinstance(arguments, list):
        return [named(one, profile) for one in arguments]
    if not isinstance(arguments, dict) or not profile.snake_case:
        return arguments
    return {snake_case(key): named(value, profile) for key, value in arguments.items()}


@pytest.mark.parametrize("is_isolated", [False, True], ids=["", "isolated"])
@pytest.mark.parametrize("name", PROFILES)
def test_a_refusal_names_the_arguments_of_the_tool(name: str, is_isolated: bool, tmp_path: Path) -> None:
    profile = isolated_profile(PROFILES[name]) if is_isolated else PROFILES[name]
    root = make_project(tmp_path)
    make_files(root)
    refusals = 0
    with RawClient(root, "--profile", name, *["--isolated"] * is_isolated) as client:
        if "read" in profile.tools:
            for path in READ:
                client.call(profile.tools["read"], **named({"filePath": path}, profile))
        (root / "stale.py").write_text("S = 1\nT = 2\n" * 200)
        for tool in profile.tools:
            for arguments in REFUSED[tool]:
                result = client.call(profile.tools[tool], **named(arguments, profile))
                check_words(result["content"][0]["text"], foreign_names(profile), f"{tool} {arguments}")
                refusals += result["isError"]
        assert "The tools are " in client.text("nonsense")
        if not is_isolated:
            tool, arguments = fitting_call(profile)
            assert "needs an approval" in client.text(tool, **arguments)
    assert refusals >= 12


def test_every_tool_is_refused_in_some_profile() -> None:
    assert set(REFUSED) == set(TOOLS)
    assert {tool for profile in PROFILES.values() for tool in isolated_profile(profile).tools} == set(TOOLS)


@pytest.mark.parametrize("name", PROFILES)
def test_a_merge_that_meets_other_changes_is_refused_in_the_words_of_the_tool(name: str, tmp_path: Path) -> None:
    profile = isolated_profile(PROFILES[name])
    root = make_project(tmp_path)
    merge, discard = profile.tools["merge"], profile.tools["discard"]
    with RawClient(root, "--profile", name, "--isolated", "--approve", "client") as client:
        if "read" in profile.tools:
            client.call(profile.tools["read"], **named({"filePath": "app.py"}, profile))
        tool, arguments = fitting_call(profile)
        said = [client.text(tool, **arguments)]
        assert f"before {merge} brings it into the workspace" in said[0]
        (root / "app.py").write_text(APP.replace("'Hi '", "'Moin '"))
        said.append(client.text(merge))
        assert "app.py has changed in the workspace since it was changed in isolation" in said[1]
        said += [client.text(discard), client.text(discard), client.text(merge)]
        for text in said:
            check_words(text, foreign_names(profile), name)
    assert (root / "app.py").read_text() == APP.replace("'Hi '", "'Moin '")


@pytest.mark.parametrize("name", [name for name, profile in PROFILES.items() if "read" in profile.tools])
def test_a_file_that_another_session_claims_is_refused_in_the_words_of_the_tool(name: str, tmp_path: Path) -> None:
    profile = PROFILES[name]
    root = make_project(tmp_path)
    options = ("--profile", name, "--approve", "client", "--claims", "600")
    with RawClient(root, *options) as first, RawClient(root, *options) as second:
        for client in (first, second):
            client.call(profile.tools["read"], **named({"filePath": "app.py"}, profile))
        tool, arguments = fitting_call(profile)
        text = second.text(tool, **arguments)
        assert "may be working on it" in text
        check_words(text, foreign_names(profile), name)
    assert (root / "app.py").read_text() == APP


def problem_codes(result: dict[str, Any]) -> list[str]:
    """The codes of what was wrong with a call, without what they were about."""
    return [code.split()[0] for code in result["_meta"]["suture/problems"]]


# One of each style: arguments in camel case, in snake case, and a patch alone.
@pytest.mark.parametrize("name", ["core", "claude", "codex"])
def test_what_is_wrong_with_the_workspace_is_said_in_the_words_of_the_tool(name: str, tmp_path: Path) -> None:
    profile = PROFILES[name]
    root = make_project(tmp_path)
    os.mkfifo(root / "pipe")
    (root / "large.txt").write_text("x = 1\n" * 1000)
    (root / ".suture.toml").write_text("[limits]\nmax_size = 1000\nlock_timeout = 0.1\n")
    tool, arguments = fitting_call(profile)

    def refusal(client: RawClient, path: str = "app.py") -> list[str]:
        about = json.loads(json.dumps(arguments).replace("app.py", path))
        if "read" in profile.tools:
            client.call(profile.tools["read"], **named({"filePath": path}, profile))
        result = client.call(tool, **about)
        check_words(result["content"][0]["text"], foreign_names(profile), f"{name} {path}")
        return problem_codes(result)

    with Workspace(root, state_dir=str(tmp_path / "state")) as workspace:
        workspace.write("new.txt", "new\n")
    elsewhere = str(tmp_path / "approvals")
    with RawClient(root, "--profile", name, "--approve", "client") as client:
        assert refusal(client, "pipe") == ["not_a_file"]
        assert refusal(client, "large.txt") == ["file_too_large"]
        with Workspace(root, state_dir=str(tmp_path / "state")) as workspace, workspace.lock("app.py"):
            assert refusal(client) == ["locked"]
    with RawClient(root, "--profile", name, "--approve", "queue", "--approvals", str(root / "inside")) as client:
        assert refusal(client) == ["rejected"]
    waiting = ("--approve", "queue", "--approvals", elsewhere, "--approval-timeout", "0.1")
    with RawClient(root, "--profile", name, *waiting) as client:
        assert refusal(client) == ["timeout"]
    [store] = (tmp_path / "state").glob("*/store.db")
    store.write_bytes(b"nothing of a database" * 1000)
    with RawClient(root, "--profile", name, "--approve", "client") as client:
        assert refusal(client) == ["io_error"]
    assert (root / "app.py").read_text() == APP


def fitting_call(profile: Profile) -> tuple[str, dict[str, Any]]:
    """A tool, and a call of it that fits."""
    if "edit" in profile.tools:
        return profile.tools["edit"], named(edit("app.py", "'Hi '", "'Hello '"), profile)
    text = patch("*** Update File: app.py", "@@", "-    return 'Hi ' + name", "+    return 'x'")
    return profile.tools["apply_patch"], named({"patchText": text}, profile)
