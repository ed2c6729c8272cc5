"""What a request says to the person who is asked: who wants to do what, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent, edit
from tests.shared.hunks import hunks_of

from suture.adapters.bridge import Question
from suture.agent import Answer, Callback, Pending, PermissionAsked, Request
from suture.agent.agent_limits import LONGEST_REASON
from suture.agent.answer_log import AnswerRecord
from suture.agent.profiles import PROFILES
from suture.agent.requests import read_reason
from suture.agent.tool_styles import definitions
from suture.agent.tools import TOOLS
from suture.mcp.questions import form_of
from suture.workspace import Change

if TYPE_CHECKING:
    from pathlib import Path

HUNKS = hunks_of("@@ -1 +1 @@\n-a\n+b\n")
UPDATE = Change("update", "a.py", hunks=HUNKS, sha256_before="1", sha256_after="2")
DELETE = Change("delete", "b.py", sha256_before="1")
RENAME = Change("move", "c.py", "d.py", sha256_before="1", sha256_after="1")


class TestSentences:
    @pytest.mark.parametrize(
        ("files", "words"),
        [
            ([UPDATE], "edit a.py"),
            ([DELETE], "delete b.py"),
            ([Change("add", "n.py", sha256_after="1")], "create n.py"),
            ([RENAME], "rename c.py to d.py"),
            ([RENAME.replace(sha256_after="2")], "rename and edit c.py as d.py"),
            ([UPDATE.replace(mode="100755", hunks=(), sha256_after="1")], "change the mode of a.py"),
            ([UPDATE, UPDATE.replace(path="e.py"), UPDATE.replace(path="f.py")], "edit a.py and 2 more files"),
            ([UPDATE, DELETE], "edit a.py, and delete b.py"),
            ([UPDATE, RENAME, DELETE, DELETE], "edit a.py, rename c.py to d.py, and delete b.py and 1 more file"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_each_thing_that_would_be_done_is_named(self, files: list[Change], words: str) -> None:
        request = Request.for_files("edit", files, actor="claude")
        assert request.action == words
        assert request.sentence == f"claude wants to {words}"

    def test_other_permissions_have_their_own_words(self) -> None:
        read = Request.for_files("read", [Change("read", ".env")])
        assert read.sentence == "An agent wants to read .env"
        outside = Request("1", "external_directory", patterns=("/etc/**",))
        assert outside.action == "use files outside the workspace: /etc/**"
        assert Request("1", "deploy", patterns=("x",)).action == "use the permission 'deploy' for x"


class TestReasons:
    def test_a_reason_is_with_the_request_the_event_and_the_question_of_a_form(self, tmp_path: Path) -> None:
        asked: list[Request] = []

        def answer(request: Request) -> Answer:
            asked.append(request)
            return Answer.once()

        agent = Agent(tmp_path, rules=(), approver=Callback(answer), reads={"edit": "off"})
        assert not agent.call(edit(reason="Greets\nin English.")).is_error
        (request,) = asked
        assert request.reason == "Greets in English."
        assert [event.request.reason for event in agent.heard if isinstance(event, PermissionAsked)] == [request.reason]
        assert form_of(request).message.split("\n")[:2] == [
            "May the model edit src/app.py?",
            "Its reason: Greets in English.",
        ]
        assert Request.from_json(request.to_json()).reason == request.reason

    @pytest.mark.parametrize("name", ["reason", "explanation", "justification"])
    @pytest.mark.parametrize("profile", ["core", "claude", "opencode"])
    def test_every_profile_takes_a_reason(self, tmp_path: Path, name: str, profile: str) -> None:
        agent = Agent(tmp_path, profile=profile, reads={"edit": "off"})
        assert not agent.call(edit(**{name: "Because."})).is_error

    def test_an_approval_does_not_depend_on_the_reason(self, tmp_path: Path) -> None:
        async def fingerprints(session: object) -> list[str]:
            found = []
            for words in ("One.", "Two.", ""):
                pending = await session.start(*edit(reason=words))  # type: ignore[attr-defined]
                assert isinstance(pending, Pending)
                assert pending.request.reason == words
                assert "reason" not in pending.arguments
                found.append(pending.fingerprint)
            return found

        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        assert len(set(agent.run(fingerprints))) == 1

    def test_a_call_that_goes_on_keeps_its_reason(self, tmp_path: Path) -> None:
        async def work(session: object) -> Pending:
            pending = await session.start(*edit(reason="Because."))  # type: ignore[attr-defined]
            agent.put("src/app.py", "print('Hi ' + 'you')\n")
            again = await session.resume(Pending.from_json(pending.to_json()), Answer.once())  # type: ignore[attr-defined]
            assert isinstance(again, Pending)
            return again

        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        again: Pending = agent.run(work)
        assert again.request.reason == "Because."
        question = Question(again)
        assert question.to_data()["reason"] == "Because."
        assert str(question).endswith("\nIts reason: Because.")

    def test_a_reason_has_one_line_and_a_limit_and_shows_what_has_no_ink(self) -> None:
        assert read_reason(" a\r\n\tb\u2028c \n") == "a b c"
        long = read_reason("word " * 1_000_000)
        assert len(long) == LONGEST_REASON
        assert long.endswith("…")
        request = Request.for_files("edit", [UPDATE]).replace(reason="a\u202eb\x1b[2J")
        lines = form_of(request).message.split("\n")
        assert lines[1] == "Its reason: a⟨U+202E⟩b⟨U+001B⟩[2J"
        assert lines[2] == ""

    def test_the_log_of_answers_has_the_reason(self) -> None:
        record = AnswerRecord("1", 0.0, 1.0, Answer.once(), reason="Because.")
        assert AnswerRecord.from_json(record.to_json()).reason == "Because."

    def test_models_are_asked_for_a_reason_where_their_tools_are_ours(self) -> None:
        """Profiles of other programs keep the arguments that models know, except over MCP."""
        for name, profile in PROFILES.items():
            ours = {theirs: our for our, theirs in profile.tools.items()}
            is_asked = name in ("core", "all", "minimal", "lines", "definitions")
            for tool in definitions(profile, "anthropic"):
                changes = not TOOLS[ours[tool["name"]]].read_only
                assert ("reason" in tool["input_schema"]["properties"]) == (is_asked and changes)
                assert "reason" not in tool["input_schema"]["required"]
            for tool in definitions(profile, "mcp"):
                changes = not TOOLS[ours[tool["name"]]].read_only
                assert ("reason" in tool["inputSchema"]["properties"]) == changes

    def test_a_patch_in_free_form_has_no_place_for_a_reason(self) -> None:
        patch = next(tool for tool in definitions(PROFILES["core"], "openai-freeform") if tool["type"] == "custom")
        assert "parameters" not in patch
