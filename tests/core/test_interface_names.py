"""Messages use the names of the interface in use: flags for people, arguments for models, Python's names here."""

from __future__ import annotations

import asyncio
import threading

import pytest

from suture import PatchRejectedError, Session, Workspace, multiedit, replace
from suture.agent import Rules
from suture.core.interface_names import (
    APPLY_PATCH,
    COMMAND,
    COMMAND_WITH_JSON,
    PYTHON,
    TOOL,
    InterfaceNames,
    interface_names,
    use_interface,
)
from suture.workspace import MemoryFiles

TABLES = {"python": PYTHON, "tool": TOOL, "command": COMMAND, "json": COMMAND_WITH_JSON, "apply_patch": APPLY_PATCH}


def refusal(content: str, old: str, new: str, words: InterfaceNames = PYTHON) -> str:
    with use_interface(words), pytest.raises(PatchRejectedError) as caught:
        replace(content, old, new, path="a.py")
    return caught.value.for_model()


@pytest.mark.parametrize(
    ("words", "old", "every"),
    [
        (PYTHON, "old", "set replace_all"),
        (TOOL, "oldString", "set replaceAll"),
        (COMMAND, "--old", "use --all"),
        (COMMAND_WITH_JSON, "the old text", 'put "replace_all": true in the edit'),
    ],
)
def test_several_places_are_told_in_the_words_of_the_interface(words: InterfaceNames, old: str, every: str) -> None:
    text = refusal("x = 1\ny = 1\n", "1", "2", words)
    assert text.startswith(f"Found multiple matches for {old} in a.py: it occurs 2 times.")
    assert f"Provide more surrounding lines in {old}, so that it occurs once, or {every} to change all of them." in text


@pytest.mark.parametrize("words", TABLES.values(), ids=TABLES)
def test_no_message_has_a_name_of_another_interface(words: InterfaceNames) -> None:
    own = {words.old, words.new}
    others = {name for one in TABLES.values() for name in (one.old, one.new) if len(name) > 3} - own
    cases = [("a\n", "b", "b"), ("a\n", "", "b"), ("a\n", "zzz yyy", "b"), ("x\nx\n", "x", "y"), ("a\n", "a", "\0")]
    for content, old, new in cases:
        text = refusal(content, old, new, words)
        assert not [name for name in others if name in text], text


def test_an_edit_of_a_list_is_named_before_its_text() -> None:
    with use_interface(COMMAND), pytest.raises(PatchRejectedError) as caught:
        multiedit("a\n", [("a", "b"), ("zz zz", "c")], path="a.py")
    assert caught.value.problems[0].message.startswith("Edit 2 of 2: --old was not found in a.py")


def test_a_denied_path_names_what_the_user_can_do() -> None:
    hints = {}
    for name, words in TABLES.items():
        with use_interface(words):
            [problem] = Workspace(MemoryFiles({".env": "A=1\n"})).plan_edit(".env", "A=1", "A=2").problems
        hints[name] = problem.hint.removeprefix("Leave it alone and go on without it. The user can allow it with ")
    assert hints == {
        "python": "lift=['**/.env'].",
        "tool": "the setting lift: ['**/.env'].",
        "command": "To allow it, use --allow '.env'.",
        "json": "To allow it, use --allow '.env'.",
        "apply_patch": "the environment variable SUTURE_ALLOW: '.env'.",
    }


def test_a_session_speaks_to_a_model_and_the_library_to_a_programmer() -> None:
    workspace = Workspace(MemoryFiles({"a.py": "x\nx\n"}))
    session = Session(workspace, rules=Rules([("*", "*", "allow")]))

    async def run() -> tuple[str, str]:
        await session.read("a.py")
        called = await session.call("edit", {"filePath": "a.py", "oldString": "x", "newString": "y"})
        with pytest.raises(PatchRejectedError) as caught:
            await session.edit("a.py", "x", "y")
        await session.close()
        return called.output, str(caught.value)

    for text in asyncio.run(run()):
        assert "oldString" in text
        assert "replaceAll" in text
    [problem] = workspace.plan_edit("a.py", "x", "y").problems
    assert "set replace_all" in problem.hint


def test_a_thread_of_its_own_has_pythons_names_again() -> None:
    names: list[str] = []
    with use_interface(COMMAND):
        thread = threading.Thread(target=lambda: names.append(interface_names().old))
        thread.start()
        thread.join()
        names.append(interface_names().old)
    assert names == ["old", "--old"]
    assert interface_names() is PYTHON
