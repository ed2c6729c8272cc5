"""Calls of tools by the SDK's client, in both eras of the protocol and over both transports."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from tests.mcp.servers import (
    APP,
    APPROVE,
    Form,
    connect,
    http_server,
    make_project,
    problems_of,
    run,
    stdio,
    text_of,
    watch,
)

from suture.mcp.server_limits import MOST_RESOURCE_CHARACTERS

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("handshake", "stateless", "http handshake", "http stateless")
each_kind = pytest.mark.parametrize("kind", KINDS)
each_era = pytest.mark.parametrize("era", KINDS[:2])

PATCH = """*** Begin Patch
*** Update File: app.py
@@
-    return 'Hi ' + name
+    return 'Hello ' + name
*** Update File: other.py
@@
-A = 1
+A = 10
*** Add File: new.py
+NEW = True
*** End Patch
"""
HELLO = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path)


@each_kind
def test_the_same_call_again_is_refused_as_applied(kind: str, root: Path) -> None:
    (root / "app.ini").write_text("[one]\ndebug = on\n\n[two]\ndebug = on\n")
    patch = "*** Begin Patch\n*** Update File: app.ini\n@@ [one]\n-debug = on\n+debug = off\n*** End Patch\n"

    async def main() -> None:
        async with connect(kind, root, elicitation_callback=Form(APPROVE, APPROVE)) as agent:
            await agent.text("read", filePath="app.ini")
            assert not (await agent.call("apply_patch", patchText=patch)).is_error
            again = await agent.call("apply_patch", patchText=patch)
            assert again.is_error
            assert problems_of(again)[0].endswith(" already_applied")

    run(main())
    assert (root / "app.ini").read_text() == "[one]\ndebug = off\n\n[two]\ndebug = on\n"


@each_kind
def test_files_are_read_and_written_in_the_configured_encoding(kind: str, root: Path) -> None:
    (root / ".suture.toml").write_text('[encodings]\n"*.txt" = "latin-1"\n')
    (root / "l.txt").write_bytes(b"alpha\nbet\xe9\n")
    (root / "u.ini").write_bytes(b"alpha\nbet\xe9\n")

    async def main() -> None:
        async with connect(kind, root, elicitation_callback=Form(APPROVE)) as agent:
            assert "beté" in await agent.text("read", filePath="l.txt")
            edit = {"oldString": "beté", "newString": "bétä"}
            assert not (await agent.call("edit", filePath="l.txt", **edit)).is_error
            await agent.text("read", filePath="u.ini")
            refused = await agent.text("edit", filePath="u.ini", oldString="alpha", newString="älpha")
            assert "with encodings in the configuration" in refused
            missing = await agent.text("edit", filePath="l.txt", oldString="nothing", newString="x")
            assert missing.startswith("oldString not found in content of l.txt"), "not --old, which is an option"

    run(main())
    assert (root / "l.txt").read_bytes() == b"alpha\nb\xe9t\xe4\n"


@each_kind
def test_a_model_reads_edits_and_patches_with_approvals(kind: str, root: Path) -> None:
    some = {"decision": "approve some", "hunks": "2, 3", "message": "not the greeting"}
    form = Form(APPROVE, "decline", APPROVE, some)

    async def main() -> None:
        async with connect(kind, root, "--profile", "all", elicitation_callback=form) as agent:
            listed = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
            assert (listed["read"].annotations.read_only_hint, listed["edit"].title) == (True, "Edit a file")
            unread = await agent.call("edit", **HELLO)
            assert unread.is_error
            assert problems_of(unread)[0] == "not_read"
            assert "return 'Hi ' + name" in await agent.text("read", filePath="app.py")
            seen: list[str] = []
            edited = await agent.client.call_tool("edit", HELLO, progress_callback=watch(seen))
            assert text_of(edited) == "Edit applied successfully.\nM app.py +1 -1"
            assert (edited.is_error, edited.structured_content) == (False, None)
            assert edited.meta["suture/files"] == ["app.py"]
            assert (seen[0], seen[-1]) == ("Planning edit", "Applying")
            assert [(await agent.call("undo")).is_error for _ in range(2)] == [True, False]
            assert (root / "app.py").read_text() == APP
            applied = await agent.call("apply_patch", patchText=PATCH)
            assert not applied.is_error, text_of(applied)
            assert "approved only a part" in text_of(applied)
            assert "not the greeting" in text_of(applied)

    run(main())
    assert "[1] @@" in form.shown[0]
    assert ((root / "app.py").read_text(), (root / "other.py").read_text()) == (APP, "A = 10\nB = 2\n")
    assert (root / "new.py").read_text() == "NEW = True\n"
    assert not form.answers


REFUSALS: list[tuple[Any, str]] = [
    ({"decision": "reject", "message": "not now"}, "The user rejected the edit of app.py and said: not now"),
    ("decline", "was declined, perhaps automatically."),
    ("cancel", "was declined, perhaps automatically."),
    ({}, "nobody could be reached: the client answered without a decision."),
    ({"decision": "yes"}, "nobody could be reached: the client answered without a decision."),
]


@each_era
def test_nothing_is_written_without_an_explicit_approval(era: str, root: Path) -> None:
    async def main() -> None:
        async with stdio(root, era, elicitation_callback=Form(*[answer for answer, _ in REFUSALS])) as agent:
            await agent.call("read", filePath="app.py")
            for answer, told in REFUSALS:
                refused = await agent.call("edit", **HELLO)
                assert refused.is_error, answer
                assert told in text_of(refused)

    run(main())
    assert (root / "app.py").read_text() == APP


@each_era
def test_a_person_who_mistypes_the_hunks_is_asked_again(era: str, root: Path) -> None:
    form = Form({"decision": "approve some", "hunks": "1 9"}, {"decision": "approve some", "hunks": "1"})

    async def main() -> None:
        async with stdio(root, era, elicitation_callback=form) as agent:
            assert not (await agent.call("apply_patch", patchText=PATCH)).is_error

    run(main())
    assert form.shown[1].startswith("Expected numbers from 1 to 3; found '1 9'.")
    assert not (root / "new.py").exists()


def test_a_client_that_cannot_show_forms_is_told_how_to_go_on(root: Path) -> None:
    async def main() -> None:
        async with stdio(root, "stateless") as agent:
            await agent.call("read", filePath="app.py")
            assert "--approve client or queue" in await agent.text("edit", **HELLO)

    run(main())
    assert (root / "app.py").read_text() == APP


@each_era
def test_an_approval_for_files_that_have_changed_is_not_used_and_the_merge_is_asked_for(era: str, root: Path) -> None:
    form = Form(APPROVE, {"decision": "reject"})

    async def change(*given: Any) -> Any:
        (root / "app.py").write_text(APP.replace("world", "moon"))
        return await form(*given)

    async def main() -> None:
        async with stdio(root, era, elicitation_callback=change) as agent:
            await agent.call("read", filePath="app.py")
            refused = await agent.call("edit", **HELLO)
            assert refused.is_error

    run(main())
    assert len(form.shown) == 2
    assert (root / "app.py").read_text() == APP.replace("world", "moon")


def test_a_deny_rule_holds_whoever_approves(root: Path) -> None:
    (root / ".suture.toml").write_text('[[rules]]\npermission = "edit"\nglob = "app.py"\naction = "deny"\n')

    async def main() -> None:
        async with stdio(root, "stateless", "--approve", "client") as agent:
            await agent.call("read", filePath="app.py")
            assert "denies it" in await agent.text("edit", **HELLO)
            assert not (await agent.call("write", filePath="free.txt", content="x")).is_error

    run(main())
    assert (root / "app.py").read_text() == APP


def test_an_answer_after_the_call_has_ended_is_used_by_the_next_call(root: Path) -> None:
    """Handshake era: the call ends before the client gives up on it, and the question stays open."""

    async def main() -> None:
        form = Form(APPROVE)
        form.reply.clear()
        async with stdio(root, "handshake", "--approval-timeout", "0.1", elicitation_callback=form) as agent:
            await agent.call("read", filePath="app.py")
            early = await agent.call("edit", **HELLO)
            assert early.is_error
            assert "send the same call again" in text_of(early)
            assert problems_of(early) == ["timeout timeout"]
            form.reply.set()
            while (again := await agent.call("edit", **HELLO)).is_error:
                assert "send the same call again" in text_of(again)
            assert "Edit applied" in text_of(again)
        assert len(form.shown) == 1

    run(main())
    assert "Hello" in (root / "app.py").read_text()


def test_a_question_outlives_a_call_that_the_client_gave_up_on(root: Path) -> None:
    async def main() -> None:
        form = Form(APPROVE)
        form.reply.clear()
        async with stdio(root, "handshake", elicitation_callback=form) as agent:
            await agent.call("read", filePath="app.py")
            with pytest.raises(MCPError):
                await agent.client.call_tool("edit", HELLO, read_timeout_seconds=0.5)
            assert (root / "app.py").read_text() == APP
            form.reply.set()
            assert "Edit applied" in await agent.text("edit", **HELLO)
        assert len(form.shown) == 1

    run(main())


def test_a_slow_answer_does_not_time_out_in_the_stateless_era(root: Path) -> None:
    async def main() -> None:
        form = Form(APPROVE)
        form.reply.clear()
        async with stdio(root, "stateless", "--approval-timeout", "0.1", elicitation_callback=form) as agent:
            await agent.call("read", filePath="app.py")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: _expect_applied(agent))
                await form.is_shown.wait()
                form.reply.set()

    run(main())
    assert "Hello" in (root / "app.py").read_text()


async def _expect_applied(agent: Any) -> None:
    assert "Edit applied" in await agent.text("edit", **HELLO)


@each_era
def test_a_cancelled_call_leaves_nothing_half_done(era: str, root: Path) -> None:
    async def main() -> None:
        form = Form(APPROVE)
        form.reply.clear()
        async with stdio(root, era, elicitation_callback=form) as agent:
            await agent.call("read", filePath="app.py")
            call = asyncio.ensure_future(agent.call("apply_patch", patchText=PATCH))
            await form.is_shown.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            # The server goes on, and nothing was written.
            assert "'Hi '" in await agent.text("read", filePath="app.py")

    run(main())
    assert ((root / "app.py").read_text(), (root / "new.py").exists()) == (APP, False)


def test_diagnostics_of_the_project_are_in_the_answer(root: Path) -> None:
    (root / "lint").write_text('#!/bin/sh\ngrep -q Hello $1 && echo "$1:1:1: error: that is wrong"\nexit 0\n')
    (root / "lint").chmod(0o755)
    home = root.parent / "home" / ".config" / "suture"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(f'[diagnostics]\ncommand = ["{root}/lint", "{{path}}"]\nendings = [".py"]\n')

    async def main() -> None:
        async with stdio(root, "stateless", "--approve", "client", "--structured") as agent:
            await agent.call("read", filePath="app.py")
            edited = await agent.call("edit", **HELLO)
            assert "that is wrong" in text_of(edited), text_of(edited)
            assert edited.structured_content["changedFiles"] == ["app.py"]

    run(main())


def test_the_resource_of_a_large_commit_is_cut(root: Path) -> None:
    async def main() -> None:
        async with stdio(root, "stateless", "--approve", "client") as agent:
            lines = f"{'y' * 99}\n" * (MOST_RESOURCE_CHARACTERS // 100)
            assert not (await agent.call("write", filePath="large.txt", content=lines)).is_error
            [commit] = (await agent.client.list_resources()).resources
            text = (await agent.client.read_resource(commit.uri)).contents[0].text
            assert MOST_RESOURCE_CHARACTERS < len(text) < MOST_RESOURCE_CHARACTERS + 50
            assert text.endswith(" more characters)")

    run(main())


def test_history_is_a_resource_without_files_that_may_not_be_read(root: Path) -> None:
    async def main() -> None:
        async with stdio(root, "stateless", "--approve", "client") as agent:
            assert not (await agent.call("apply_patch", patchText=PATCH)).is_error
            [commit] = (await agent.client.list_resources()).resources
            text = (await agent.client.read_resource(commit.uri)).contents[0].text
            assert {"+A = 10", "+NEW = True"} <= set(text.splitlines())
            [template] = (await agent.client.list_resource_templates()).resource_templates
            assert template.uri_template == "suture://history/{commit}"
            for wrong in ("suture://history/../x", "suture://history/0000", "file:///etc/passwd"):
                with pytest.raises(MCPError):
                    await agent.client.read_resource(wrong)
            prompt = await agent.client.get_prompt("edit_format", {"form": "unified"})
            assert "---" in prompt.messages[0].content.text
        (root / ".suture.toml").write_text('[[rules]]\npermission = "read"\nglob = "other.py"\naction = "deny"\n')
        async with stdio(root, "stateless") as agent:
            [commit] = (await agent.client.list_resources()).resources
            text = (await agent.client.read_resource(commit.uri)).contents[0].text
            assert "other.py" not in f"{commit.title}{text}"
            assert "+NEW = True" in text

    run(main())


@pytest.mark.parametrize("era", KINDS[:2])
def test_two_clients_of_one_server_share_no_reads(era: str, root: Path) -> None:
    async def main() -> None:
        with http_server(root, "--approve", "client") as server:
            async with server.client(era, "one") as one, server.client(era, "two") as two:
                await one.call("read", filePath="app.py")
                assert problems_of(await two.call("edit", **HELLO))[0] == "not_read"
                both = asyncio.gather(one.call("edit", **HELLO), two.call("write", filePath="two.txt", content="two\n"))
                assert [result.is_error for result in await both] == [False, False]
                assert problems_of(await two.call("delete", filePath="app.py"))[0] == "not_read"

    run(main())


def test_without_a_session_an_edit_has_to_be_exact(root: Path) -> None:
    async def main() -> None:
        with http_server(root, "--approve", "client") as server:
            async with server.client("stateless") as agent:
                await agent.call("read", filePath="app.py")
                assert (await agent.call("delete", filePath="app.py")).is_error
                assert (await agent.call("edit", **{**HELLO, "oldString": "  return  'Hi ' "})).is_error
                assert not (await agent.call("edit", **HELLO)).is_error

    run(main())


def test_an_idle_session_ends(root: Path) -> None:
    async def main() -> None:
        with http_server(root, "--approve", "client", "--session-timeout", "0.2") as server:
            async with server.client("stateless", "one") as agent:
                codes = set()
                while "not_read" not in codes:
                    await agent.call("read", filePath="app.py")
                    await asyncio.sleep(0.4)
                    answer = await agent.call("delete", filePath="app.py")
                    if not answer.is_error:
                        (root / "app.py").write_text(APP)
                    else:
                        codes.add(problems_of(answer)[0])

    run(main())
