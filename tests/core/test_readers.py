"""Messages use the names that their reader knows: flags for people, arguments for models, Python's names here."""

from __future__ import annotations

import asyncio

import pytest

from suture import PatchRejectedError, Session, Workspace, multiedit, replace
from suture.adapters.bridge import told_to
from suture.agent import Rules
from suture.core.readers import APPLY_PATCH, COMMAND, COMMAND_WITH_JSON, PYTHON, TEXT_EDITOR, TOOL, Reader
from suture.workspace import MemoryFiles

TABLES = {"python": PYTHON, "tool": TOOL, "command": COMMAND, "json": COMMAND_WITH_JSON, "apply_patch": APPLY_PATCH}


def refusal(content: str, old: str, new: str, words: Reader = PYTHON) -> str:
    with pytest.raises(PatchRejectedError) as caught:
        replace(content, old, new, path="a.py")
    return caught.value.told_to(words).for_model()


@pytest.mark.parametrize(
    ("words", "old", "every"),
    [
        (PYTHON, "old", "set replace_all"),
        (TOOL, "oldString", "set replaceAll"),
        (COMMAND, "--old", "use --all"),
        (COMMAND_WITH_JSON, "the old text", 'put "replace_all": true in the edit'),
    ],
)
def test_several_places_are_told_in_the_words_of_the_interface(words: Reader, old: str, every: str) -> None:
    text = refusal("x = 1\ny = 1\n", "1", "2", words)
    assert text.startswith(f"Found multiple matches for {old} in a.py: it occurs 2 times.")
    assert f"Provide more surrounding lines in {old}, so that it occurs once, or {every} to change all of them." in text


@pytest.mark.parametrize("words", TABLES.values(), ids=TABLES)
def test_no_message_has_a_name_of_another_interface(words: Reader) -> None:
    own = {words.old, words.new}
    others = {name for one in TABLES.values() for name in (one.old, one.new) if len(name) > 3} - own
    cases = [("a\n", "b", "b"), ("a\n", "", "b"), ("a\n", "zzz yyy", "b"), ("x\nx\n", "x", "y"), ("a\n", "a", "\0")]
    for content, old, new in cases:
        text = refusal(content, old, new, words)
        assert not [name for name in others if name in text], text


def test_an_edit_of_a_list_is_named_before_its_text() -> None:
    with pytest.raises(PatchRejectedError) as caught:
        multiedit("a\n", [("a", "b"), ("zz zz", "c")], path="a.py")
    assert caught.value.told_to(COMMAND).problems[0].message.startswith("Edit 2 of 2: --old was not found in a.py")


def test_a_denied_path_names_what_the_user_can_do() -> None:
    hints = {}
    for name, words in TABLES.items():
        [problem] = Workspace(MemoryFiles({".env": "A=1\n"})).plan_edit(".env", "A=1", "A=2").problems
        hint = problem.told_to(words).hint
        hints[name] = hint.removeprefix("Leave it alone and go on without it. The user can allow it with ")
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


def test_one_refusal_can_be_told_to_several_readers() -> None:
    with pytest.raises(PatchRejectedError) as caught:
        replace("x\nx\n", "x", "y")
    [problem] = caught.value.problems
    hints = [problem.told_to(reader).hint for reader in (TOOL, COMMAND, PYTHON)]
    assert [name for hint, name in zip(hints, ("replaceAll", "--all", "replace_all"), strict=True) if name in hint] == [
        "replaceAll",
        "--all",
        "replace_all",
    ]
    assert problem.hint == hints[2]


def test_a_session_that_an_adapter_renames_does_not_rename_the_one_it_was_given() -> None:
    session = Session(Workspace(MemoryFiles({"a.py": "x\nx\n"})), rules=Rules([("*", "*", "allow")]))

    async def outputs() -> list[str]:
        await session.read("a.py")
        arguments = {"filePath": "a.py", "oldString": "x", "newString": "y"}
        told = [await one.call("edit", arguments) for one in (told_to(session, TEXT_EDITOR), session)]
        await session.close()
        return [result.output for result in told]

    renamed, own = asyncio.run(outputs())
    assert ("old_str" in renamed, "oldString" in renamed) == (True, False)
    assert "oldString" in own
