"""Where a server works, and who answers for the user."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.servers import (
    APP,
    APPROVE,
    ERAS,
    PATIENCE,
    Form,
    command,
    environment,
    http_server,
    make_project,
    run,
    stdio,
    text_of,
)

from mcp import types
from suture.agent import Answer, ApprovalFolder
from suture.agent.agent_limits import MOST_RUNNING, MOST_WAITING
from suture.review import Inbox

if TYPE_CHECKING:
    from pathlib import Path

    from suture.review import InboxItem

#: How many searches of a session run or wait at most.
MOST = MOST_RUNNING + MOST_WAITING
HELLO = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def roots_of(*paths: Path) -> Any:
    async def list_roots(context: object) -> Any:
        del context
        return types.ListRootsResult(roots=[types.Root(uri=path.as_uri()) for path in paths])

    return list_roots


def test_the_first_root_of_the_client_is_the_workspace(root: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "b.txt").write_text("b\n")

    async def main() -> None:
        callback = roots_of(root, second, tmp_path / "home")
        async with stdio(root, "handshake", cwd=tmp_path / "home", list_roots_callback=callback) as agent:
            assert "'Hi '" in await agent.text("read", filePath="app.py")
            # The others need an approval, which this client can't ask for.
            assert "needs an approval" in await agent.text("read", filePath=str(second / "b.txt"))

    run(main())


def test_the_root_that_was_set_wins(root: Path, tmp_path: Path) -> None:
    other = make_project(tmp_path / "other")
    (other / "only.txt").write_text("only here\n")

    async def main() -> None:
        callback = roots_of(root)
        async with stdio(root, "handshake", "--root", str(other), list_roots_callback=callback) as agent:
            assert "only here" in await agent.text("read", filePath="only.txt")

    run(main())


@pytest.mark.parametrize("name", [".suture.toml", "pyproject.toml"])
@pytest.mark.parametrize("kind", ["fifo", "endless"])
def test_settings_that_are_no_file_are_reported_by_the_first_call(root: Path, name: str, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(root / name)
    else:
        (root / name).symlink_to("/dev/zero")

    async def main() -> None:
        async with stdio(root, "stateless") as agent:
            refused = await agent.call("read", filePath="app.py")
            assert refused.is_error
            assert f"{name} cannot be read" in text_of(refused)

    run(main())


def test_the_home_directory_is_no_workspace(root: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with stdio(root, "stateless", cwd=tmp_path / "home") as agent:
            refused = await agent.call("read", filePath="app.py")
            assert refused.is_error
            assert "--root DIR" in text_of(refused)

    run(main())


def test_another_process_answers_through_the_queue(root: Path, tmp_path: Path) -> None:
    async def answer(folder: ApprovalFolder) -> None:
        while not (pending := await asyncio.to_thread(folder.pending)):  # noqa: ASYNC110 - files of another process
            await asyncio.sleep(0.05)
        await asyncio.to_thread(folder.reply, pending[0].id, Answer.once("by the queue"))

    async def main() -> None:
        folder = ApprovalFolder(tmp_path / "approvals")
        options = ("--approve", "queue", "--approvals", str(folder.path))
        async with stdio(root, "stateless", *options) as agent:
            await agent.call("read", filePath="app.py")
            edited, _ = await asyncio.gather(agent.call("edit", **HELLO), answer(folder))
            assert "by the queue" in text_of(edited)
        inside = ("--approve", "queue", "--approvals", str(root / "approvals"))
        async with stdio(root, "stateless", *inside) as agent:
            assert "outside the workspace" in await agent.text("write", filePath="new.txt", content="x")

    run(main())
    assert "Hello" in (root / "app.py").read_text()


def test_a_review_finds_the_requests_of_a_server_without_being_told(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = environment(tmp_path)
    for name in ("HOME", "SUTURE_STATE_DIR", "XDG_STATE_HOME"):
        if name in own:
            monkeypatch.setenv(name, own[name])

    async def answer(inbox: Inbox) -> InboxItem:
        while not (pending := await asyncio.to_thread(inbox.pending)):  # noqa: ASYNC110 - files of another process
            await asyncio.sleep(0.05)
        await asyncio.to_thread(inbox.answer, pending[0].id, Answer.reject("not like this"), pending[0].fingerprint)
        return pending[0]

    async def main() -> None:
        async with stdio(root, "stateless", "--approve", "queue") as agent:
            await agent.call("read", filePath="app.py")
            edited, item = await asyncio.gather(agent.call("edit", **HELLO), answer(Inbox()))
            assert "not like this" in text_of(edited)
            assert (item.request.workspace, item.request.tool) == (str(root), "edit")
            assert item.request.session

    run(main())


def test_an_answer_is_kept_for_later_sessions_on_request(root: Path) -> None:
    """With the names that Claude's models know."""

    async def main() -> None:
        form = Form({"decision": "approve always"})
        for number in range(2):
            options = ("--keep-always", "--profile", "claude")
            async with stdio(root, "stateless", *options, elicitation_callback=form) as agent:
                await agent.call("Read", file_path="app.py")
                written = await agent.call("Write", file_path="app.py", content=f"{APP}# {number}\n")
                assert not written.is_error, text_of(written)
        assert len(form.shown) == 1

    run(main())


def test_a_signal_ends_the_server_while_a_client_is_connected(root: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, *command()],
        cwd=root,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_signal_ends_the_server_quietly_while_calls_run(root: Path, era: str) -> None:
    (root / "slow.txt").write_text("a" * 40 + "b")

    async def main() -> None:
        with http_server(root, "--profile", "all") as server:
            assert server.process.stderr is not None
            refused: list[Any] = []
            # The client fails because its server is gone.
            with suppress(ExceptionGroup):
                async with server.client(era, "tests" if era == "stateless" else "") as agent:
                    calls = [asyncio.create_task(agent.text("grep", pattern="(a+)+$")) for _ in range(MOST + 1)]
                    # Once one is refused, all the others run or wait.
                    done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
                    refused += [call.result() for call in done]
                    server.process.send_signal(signal.SIGTERM)
                    await asyncio.to_thread(server.process.wait, PATIENCE)
                    await asyncio.gather(*calls, return_exceptions=True)
            assert refused
            assert "searches of this session are running or waiting" in refused[0]
            assert server.process.wait(PATIENCE) == 0
            assert server.process.stderr.read() == ""

    run(main())


def test_input_that_is_no_pipe_is_read_to_its_end(root: Path, tmp_path: Path) -> None:
    """`/dev/null` and files can't be waited for: asyncio printed a traceback, and the server never ended."""
    request = tmp_path / "request.json"
    request.write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    for source_file, answer in ((tmp_path / os.devnull, b""), (request, b'"result":{}')):
        with source_file.open("rb") as source:
            done = subprocess.run(
                [sys.executable, *command()],
                cwd=root,
                env=environment(tmp_path),
                stdin=source,
                capture_output=True,
                timeout=PATIENCE,
                check=False,
            )
        assert (done.returncode, done.stderr) == (0, b"")
        assert answer in done.stdout


def test_the_queue_keeps_a_question_of_a_call_without_a_session(root: Path, tmp_path: Path) -> None:
    folder = ApprovalFolder(tmp_path / "approvals")
    arguments = {"filePath": "new.txt", "content": "new\n"}

    async def main() -> None:
        options = ("--approve", "queue", "--approvals", str(folder.path), "--approval-timeout", "0.1")
        with http_server(root, *options) as server:
            async with server.client("stateless") as agent:
                assert "send the same call again" in await agent.text("write", **arguments)
                [request] = folder.pending()
                folder.reply(request.id, Answer.once())
                while (again := await agent.call("write", **arguments)).is_error:
                    assert "send the same call again" in text_of(again)

    run(main())
    assert (root / "new.txt").read_text() == "new\n"


@pytest.mark.parametrize("era", ERAS)
def test_over_http_a_client_that_cuts_forms_is_shown_none(era: str, root: Path) -> None:
    async def main() -> None:
        form = Form(APPROVE)
        info = types.Implementation(name="claude-code", version="2.1.328")
        with http_server(root, "--reads", "exact", "--approval-timeout", "0.1") as server:
            async with server.client(era, client_info=info, elicitation_callback=form) as agent:
                assert "The user can run: suture review." in await agent.text("edit", **HELLO)
        assert form.shown == []

    run(main())
    assert (root / "app.py").read_text() == APP
