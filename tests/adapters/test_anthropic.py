"""The Anthropic SDK: its tool runner with a scripted API, and Claude's text editor tool."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP, LONG

from suture import Session, SyncSession, Workspace
from suture.agent import Answer, Callback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from suture.agent import Request

anthropic = pytest.importorskip("anthropic")
import httpx2 as httpx  # noqa: E402

from suture.adapters.anthropic import TextEditor, suture_tools  # noqa: E402

EDITOR = "str_replace_based_edit_tool"
ALLOW = [("edit", "*", "allow")]
HELLO = APP.replace("'Hi '", "'Hello '")
VIEW = (EDITOR, {"command": "view", "path": "app.py"})
REPLACE = (EDITOR, {"command": "str_replace", "path": "app.py", "old_str": "'Hi '", "new_str": "'Hello '"})


class Api:
    """An API whose model makes these calls, one each turn, and what it was sent."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = calls
        #: The requests. A later one may have only what is new.
        self.sent: list[dict[str, Any]] = []

    def __call__(self, request: Any) -> Any:
        turns = len(self.sent)
        self.sent.append(json.loads(request.content))
        content: dict[str, Any] = {"type": "text", "text": "done"}
        if turns < len(self.calls):
            name, given = self.calls[turns]
            content = {"type": "tool_use", "id": f"toolu_{turns}", "name": name, "input": given}
        message = {
            "id": "msg", "type": "message", "role": "assistant", "model": "claude", "content": [content],
            "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }  # fmt: skip
        return httpx.Response(200, json=message)

    @property
    def results(self) -> list[tuple[str, bool]]:
        """What the model has seen of its calls: the text, and whether it is an error."""
        found = {
            part["tool_use_id"]: part
            for sent in self.sent
            for message in sent["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "tool_result"
        }
        return [(_text(part["content"]), bool(part.get("is_error"))) for part in found.values()]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:
        yield workspace


@contextmanager
def open_session(workspace: Workspace, **settings: Any) -> Iterator[Session]:
    """A `Session` where there is no event loop."""
    yield Session(workspace, **settings)


def run_sync(
    workspace: Workspace, *calls: tuple[str, dict[str, Any]], kind: Callable[..., Any] = SyncSession, **settings: Any
) -> Api:
    """Run the calls with the blocking client."""
    api = Api(*calls)
    transport = httpx.MockTransport(api)
    with (
        kind(workspace, **settings) as session,
        anthropic.Anthropic(api_key="none", http_client=httpx.Client(transport=transport)) as client,
    ):
        tools = [TextEditor(session), *suture_tools(session, only=["apply_patch"])]
        go = [{"role": "user", "content": "go"}]
        client.beta.messages.tool_runner(
            model="claude", max_tokens=9, tools=tools, messages=go, max_iterations=9
        ).until_done()
    return api


def run_async(
    workspace: Workspace, *calls: tuple[str, dict[str, Any]], kind: Callable[..., Any] = Session, **settings: Any
) -> Api:
    """Run the calls with the asynchronous client."""

    async def main() -> Api:
        api = Api(*calls)
        transport = httpx.MockTransport(api)
        async with (
            AsyncExitStack() as stack,
            anthropic.AsyncAnthropic(api_key="none", http_client=httpx.AsyncClient(transport=transport)) as client,
        ):
            opened = kind(workspace, **settings)
            blocks = isinstance(opened, SyncSession)
            session = stack.enter_context(opened) if blocks else await stack.enter_async_context(opened)
            tools = [TextEditor(session), *suture_tools(session, only=["apply_patch"])]
            go = [{"role": "user", "content": "go"}]
            await client.beta.messages.tool_runner(
                model="claude", max_tokens=9, tools=tools, messages=go, max_iterations=9
            ).until_done()
        return api

    return asyncio.run(main())


@pytest.fixture(params=[run_sync, run_async], ids=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Callable[..., Api]:
    found: Callable[..., Api] = request.param
    return found


def test_claude_views_replaces_creates_and_inserts(run: Callable[..., Api], workspace: Workspace, folder: Path) -> None:
    create = (EDITOR, {"command": "create", "path": "new.py", "file_text": "x = 1\n"})
    insert = (EDITOR, {"command": "insert", "path": "app.py", "insert_line": 0, "insert_text": "import os\n"})
    api = run(workspace, VIEW, REPLACE, create, insert, rules=ALLOW)
    assert [is_error for _, is_error in api.results] == [False] * 4
    assert api.sent[0]["tools"][0] == {"type": "text_editor_20250728", "name": EDITOR}
    assert (folder / "root" / "app.py").read_text() == "import os\n" + HELLO
    assert (folder / "root" / "new.py").read_text() == "x = 1\n"


def test_a_range_of_lines_is_viewed(workspace: Workspace) -> None:
    ranges: list[dict[str, Any]] = [
        {"view_range": [3, 4]},
        {"view_range": [19, -1]},
        {"view_range": "all"},
        {"view_range": [1]},
    ]
    api = run_sync(workspace, *[(EDITOR, {"command": "view", "path": "long.txt", **one}) for one in ranges])
    (first, _), (second, _), *wrong = api.results
    assert [number for number in range(1, 21) if f"line {number}\n" in f"{first}\n"] == [3, 4]
    assert "line 19" in second
    assert "line 18" not in second
    assert [is_error for _, is_error in wrong] == [True, True]


def test_a_patch_of_several_files_is_one_call(run: Callable[..., Api], workspace: Workspace, folder: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: long.txt\n@@\n line 1\n-line 2\n+two\n*** Add File: b.txt\n+b\n*** End Patch"
    )
    api = run(workspace, ("apply_patch", {"patchText": patch}), rules=ALLOW)
    assert api.results[0][1] is False
    assert (folder / "root" / "long.txt").read_text() == LONG.replace("line 2\n", "two\n")
    assert (folder / "root" / "b.txt").read_text() == "b\n"


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"command": "undo_edit", "path": "app.py"}, "The commands are view, str_replace, create, insert."),
        ({"command": "str_replace", "path": "app.py"}, "needs old_str"),
        ({"command": "str_replace", "path": "app.py", "old_str": "name", "new_str": "who"}, "old_str"),
        ({"path": "app.py"}, "There is no command None"),
        ({"command": "view", "path": "../../etc/passwd"}, "outside"),
    ],
)
def test_a_wrong_call_is_an_error_in_the_words_of_the_tool(
    workspace: Workspace, folder: Path, given: dict[str, Any], part: str
) -> None:
    text, is_error = run_sync(workspace, VIEW, (EDITOR, given), rules=ALLOW).results[1]
    assert is_error
    assert part in text
    assert "oldString" not in text
    assert (folder / "root" / "app.py").read_text() == APP


def test_a_rule_denies_an_edit(run: Callable[..., Api], workspace: Workspace, folder: Path) -> None:
    api = run(workspace, VIEW, REPLACE, rules=[*ALLOW, ("edit", "app.py", "deny")])
    assert api.results[1][1]
    assert (folder / "root" / "app.py").read_text() == APP


def test_the_approver_of_the_session_is_asked(run: Callable[..., Api], workspace: Workspace, folder: Path) -> None:
    answers = [Answer.reject("Keep it short."), Answer.once()]
    asked: list[Request] = []

    async def ask(request: Request) -> Answer:
        asked.append(request)
        return answers[len(asked) - 1]

    api = run(workspace, VIEW, REPLACE, REPLACE, approver=Callback(ask))
    assert [file.path for request in asked for file in request.files] == ["app.py", "app.py"]
    assert api.results[1][1]
    assert "Keep it short." in api.results[1][0]
    assert (api.results[2][1], (folder / "root" / "app.py").read_text()) == (False, HELLO)


def test_an_approval_in_part_and_a_file_that_changes_meanwhile(workspace: Workspace, folder: Path) -> None:
    path = folder / "root" / "long.txt"

    async def ask(request: Request) -> Answer:
        if "b.txt" in request.patterns:
            return Answer.some({"long.txt": "all"}, "Only this.")
        path.write_text("all new\n")
        return Answer.once()

    patch = (
        "*** Begin Patch\n*** Update File: long.txt\n@@\n line 1\n-line 2\n+two\n*** Add File: {}\n+b\n*** End Patch"
    )
    calls = [
        ("apply_patch", {"patchText": patch.format("b.txt")}),
        ("apply_patch", {"patchText": patch.format("c.txt")}),
    ]
    calls[1][1]["patchText"] = calls[1][1]["patchText"].replace("line 1", "two").replace("-line 2\n+two", "-line 3\n+3")
    api = run_sync(workspace, *calls, approver=Callback(ask))
    assert "Only this." in api.results[0][0]
    assert api.results[1][1]
    assert path.read_text() == "all new\n"
    assert not (folder / "root" / "c.txt").exists()


def test_what_is_sent_of_an_edit_stays_small_where_files_are_large(workspace: Workspace, folder: Path) -> None:
    large = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    (folder / "root" / "large.py").write_text(large)
    view = {"command": "view", "path": "large.py", "view_range": [1, 20]}
    edit = {"command": "str_replace", "path": "large.py", "old_str": "value_7 = 7\n", "new_str": "value_7 = 8\n"}
    api = run_sync(workspace, (EDITOR, view), (EDITOR, edit), rules=ALLOW)
    assert (folder / "root" / "large.py").read_text() == large.replace("= 7\n", "= 8\n", 1)
    assert len(json.dumps([sent["messages"] for sent in api.sent])) < 10_000


def test_a_session_that_blocks_works_with_the_asynchronous_client_too(workspace: Workspace, folder: Path) -> None:
    api = run_async(workspace, VIEW, REPLACE, VIEW, kind=SyncSession, rules=ALLOW)
    assert [is_error for _, is_error in api.results] == [False] * 3
    assert "'Hello '" in api.results[2][0]
    assert (folder / "root" / "app.py").read_text() == HELLO


def test_a_session_that_needs_an_event_loop_changes_nothing_with_the_blocking_client(
    workspace: Workspace, folder: Path
) -> None:
    create = (EDITOR, {"command": "create", "path": "new.py", "file_text": "x = 1\n"})
    text, is_error = run_sync(workspace, create, kind=open_session, rules=ALLOW).results[0]
    assert is_error
    assert "SyncSession" in text
    assert not (folder / "root" / "new.py").exists()


def test_without_an_approver_the_model_learns_that_nobody_can_be_asked(workspace: Workspace, folder: Path) -> None:
    text, is_error = run_sync(workspace, VIEW, REPLACE).results[1]
    assert is_error
    assert "approve" in text
    assert (folder / "root" / "app.py").read_text() == APP
