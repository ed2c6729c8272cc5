"""The inbox: what waits on this machine, from real processes, and answers that count or are refused."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent
from tests.shared.permission_requests import edit_request, three_hunks
from tests.shared.reviews import AskingAgent, until, waits, write_call

from suture.agent import Answer, ApprovalFolder, ApprovalQueue
from suture.review import Inbox, RefusedAnswerError
from suture.state.state_folder import approvals_base, approvals_path

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent import Request


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state directory that only this test uses."""
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_text(three_hunks()[0])
    return folder


def put(root: Path, *requests: Request) -> ApprovalFolder:
    """Pending requests of this process."""
    folder = ApprovalFolder(approvals_path(str(root)))
    for request in requests:
        folder.put(request)
    return folder


class TestProcesses:
    def test_two_agents_ask_at_once_and_each_gets_its_own_answer(self, tmp_path: Path, root: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        inbox = Inbox()
        with (
            AskingAgent(root, write_call("a.py", three_hunks()[1]), actor="one") as one,
            AskingAgent(other, write_call("b.py", "b\n"), actor="two") as two,
        ):
            items = {item.request.actor: item for item in waits(inbox, 2)}
            assert [item.request.time for item in inbox.pending()] == sorted(
                [item.request.time for item in items.values()], reverse=True
            )
            asked = items["one"].request
            assert (asked.workspace, asked.tool, asked.rule) == (str(root), "write", "")
            assert asked.session
            assert len(asked.files[0].hunks) == 3
            inbox.answer(items["one"].id, Answer.some({"a.py": [1, 3]}), items["one"].fingerprint)
            inbox.answer(items["two"].id, Answer.reject("not here"), items["two"].fingerprint)
            assert "hunk 2 of 3" in one.answer()[0]
            assert "not here" in two.answer()[0]
        assert (root / "a.py").read_text().count("LINE") == 2
        assert not (other / "b.py").exists()
        assert {(record.actor, str(record)) for record in inbox.history()} == {
            ("one", "approved in part"),
            ("two", "rejected: not here"),
        }

    def test_an_answer_is_at_the_agent_in_less_than_three_tenths_of_a_second(self, root: Path) -> None:
        inbox = Inbox()
        delays = []
        with AskingAgent(root, *[write_call(f"{number}.py", "b\n") for number in range(3)]) as agent:
            for item in waits(inbox, 3):
                answered = time.time()
                inbox.answer(item.id, Answer.once(), item.fingerprint)
                output, is_error, told = agent.answer()
                assert (output.startswith("File written."), is_error) == (True, False)
                delays.append(told - answered)
        # Another process may have had the processor meanwhile.
        assert min(delays) < 0.3

    def test_the_request_of_a_killed_agent_is_gone_and_cannot_be_answered(self, root: Path) -> None:
        inbox = Inbox()
        with AskingAgent(root, write_call("b.py", "b\n")) as agent:
            (item,) = waits(inbox)
            agent.kill()
            with pytest.raises(RefusedAnswerError, match="the program that asked has ended"):
                inbox.answer(item.id, Answer.once(), item.fingerprint)
        assert inbox.pending() == []

    def test_a_child_of_a_killed_agent_does_not_keep_its_request(self, root: Path) -> None:
        program = (
            "import os, sys, time\n"
            "from suture.agent import ApprovalFolder, Request\n"
            "folder = ApprovalFolder(sys.argv[1])\n"
            "folder.put(Request('r1', 'edit'))\n"
            "if os.fork() == 0:\n"
            "    print(os.getpid(), flush=True)\n"
            "time.sleep(60)\n"
        )
        command = [sys.executable, "-c", program, approvals_path(str(root))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            child = int(parent.stdout.readline())
            assert Inbox().count() == 1
            parent.kill()
            parent.wait()
            assert Inbox().count() == 0
            os.kill(child, signal.SIGKILL)

    def test_an_agent_that_dies_after_the_check_does_not_take_the_answer(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        inbox = Inbox()
        with AskingAgent(root, write_call("b.py", "b\n")) as agent:
            (item,) = waits(inbox)
            checked = Answer.check

            def die(self: Answer, request: Request) -> None:
                checked(self, request)
                agent.kill()

            monkeypatch.setattr(Answer, "check", die)
            with pytest.raises(RefusedAnswerError):
                inbox.answer(item.id, Answer.once(), item.fingerprint)

    def test_always_for_a_pattern_answers_what_it_covers(self, root: Path) -> None:
        inbox = Inbox()
        calls = [write_call(f"docs/{name}.md", "x\n") for name in "ab"]
        with AskingAgent(root, *calls, write_call("src/c.py", "x\n")) as agent:
            items = {item.request.subject: item for item in waits(inbox, 3)}
            item = items["docs/a.md"]
            covered = inbox.coverage(item.id, ["docs/**"])
            assert covered.requests == (items["docs/b.md"].id,)
            inbox.answer(item.id, Answer.always("docs/**"), item.fingerprint)
            assert [agent.answer()[1] for _ in range(2)] == [False, False]
            (left,) = waits(inbox)
            assert left.request.subject == "src/c.py"
            with pytest.raises(RefusedAnswerError, match="it was approved always"):
                inbox.answer(item.id, Answer.reject(), item.fingerprint)


class TestStaleAnswers:
    def test_a_file_that_has_changed_can_be_rejected_but_not_approved(self, root: Path) -> None:
        inbox = Inbox()
        with AskingAgent(root, write_call("a.py", three_hunks()[1])) as agent:
            (item,) = waits(inbox)
            (root / "a.py").write_text("other\n")
            for answer in (Answer.once(), Answer.always("*"), Answer.some({"a.py": [1]})):
                with pytest.raises(
                    RefusedAnswerError, match=r"a\.py has changed since the request was made"
                ) as refused:
                    inbox.answer(item.id, answer, item.fingerprint)
                assert refused.value.item == item.replace(stale=("a.py has changed since the request was made.",))
            inbox.answer(item.id, Answer.reject(), item.fingerprint)
            assert "a.py has changed since the request was made. Read it again" in agent.answer()[0]

    def test_an_answer_to_something_else_than_was_shown_is_refused(self, root: Path) -> None:
        inbox = Inbox()
        put(root, edit_request())
        with pytest.raises(RefusedAnswerError, match="has changed since it was shown") as refused:
            inbox.answer("r1", Answer.once(), "0" * 64)
        assert refused.value.item == inbox.item("r1")

    def test_the_second_answer_is_told_about_the_first(self, root: Path) -> None:
        async def main() -> None:
            inbox = Inbox()
            asking = asyncio.create_task(ApprovalQueue(approvals_path(str(root))).ask(edit_request()))
            await asyncio.sleep(0)
            item = inbox.item("r1")
            inbox.answer("r1", Answer.reject("no"), item.fingerprint)
            assert await asking == Answer.reject("no")
            with pytest.raises(RefusedAnswerError, match=r"it was rejected: no\.$"):
                inbox.answer("r1", Answer.once(), item.fingerprint)

        asyncio.run(main())

    def test_a_withdrawn_request_is_told_to_be_withdrawn(self, root: Path) -> None:
        async def main() -> None:
            asking = asyncio.create_task(ApprovalQueue(approvals_path(str(root))).ask(edit_request()))
            await asyncio.sleep(0)
            fingerprint = Inbox().item("r1").fingerprint
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            with pytest.raises(RefusedAnswerError, match="it was withdrawn"):
                Inbox().answer("r1", Answer.once(), fingerprint)

        asyncio.run(main())

    def test_a_pattern_that_is_no_glob_is_refused_before_it_is_sent(self, root: Path) -> None:
        put(root, edit_request())
        inbox = Inbox()
        with pytest.raises(ValueError, match="glob"):
            inbox.answer("r1", Answer.always(" "), inbox.item("r1").fingerprint)
        assert inbox.count() == 1


class TestTexts:
    def ask(self, root: Path, tool: str, arguments: dict[str, object]) -> Request:
        agent = Agent(root.parent, rules=(), reads=dict.fromkeys(("edit", "write", "apply_patch"), "off"))
        preview = agent.run(lambda session: session.preview(tool, arguments))
        assert preview.request is not None
        request: Request = preview.request
        put(root, request)
        return request

    def test_a_file_has_its_text_before_and_after(self, root: Path) -> None:
        request = self.ask(root, "edit", {"filePath": "src/app.py", "oldString": "Hi", "newString": "Hello"})
        texts = Inbox().texts(request.id, "src/app.py")
        assert texts.before is not None
        assert texts.after == texts.before.replace("Hi", "Hello")

    def test_an_added_file_has_no_text_before_and_a_deleted_one_none_after(self, root: Path) -> None:
        added = self.ask(root, "write", {"filePath": "new.py", "content": "one\n"})
        assert (Inbox().texts(added.id, "new.py").before, Inbox().texts(added.id, "new.py").after) == (None, "one\n")
        (root / "old.py").write_text("gone\n")
        patch = "*** Begin Patch\n*** Delete File: old.py\n*** End Patch\n"
        deleted = self.ask(root, "apply_patch", {"patchText": patch})
        texts = Inbox().texts(deleted.id, "old.py")
        assert (texts.before, texts.after, texts.reason) == ("gone\n", None, "")

    def test_concessions_and_hashes_are_part_of_a_request(self, root: Path) -> None:
        patch = (
            "*** Begin Patch\n*** Update File: src/app.py\n@@\n-  print('Hi ' + name)\n+  print(name)\n*** End Patch\n"
        )
        (file,) = self.ask(root, "apply_patch", {"patchText": patch}).files
        assert any("indentation" in note for note in file.notes())
        assert len(file.sha256_before) == len(file.sha256_after) == 64

    def test_a_fifo_in_the_place_of_a_file_does_not_block(self, root: Path) -> None:
        request = self.ask(root, "edit", {"filePath": "src/app.py", "oldString": "Hi", "newString": "Hello"})
        (root / "src" / "app.py").unlink()
        os.mkfifo(root / "src" / "app.py")
        inbox = Inbox()
        assert inbox.item(request.id).stale
        assert inbox.texts(request.id, "src/app.py").before is None


class TestCoverage:
    def test_the_files_of_a_pattern_are_listed_up_to_a_limit(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (root / "src").mkdir()
        (root / ".git").mkdir()
        for name in ("src/a.py", "src/b.py", "src/c.txt", ".git/src.py"):
            (root / name).write_text("")
        put(root, edit_request().replace(workspace=str(root), always=("*",)))
        covered = Inbox().coverage("r1", ["src/*.py"])
        assert (covered.files, covered.more, covered.cut) == (("src/a.py", "src/b.py"), 0, False)
        assert (Inbox().coverage("r1").patterns, Inbox().coverage("r1").covers_request) == (("*",), True)
        assert not covered.covers_request
        monkeypatch.setattr("suture.review.inbox.MOST_COVERED", 1)
        assert Inbox().coverage("r1", ["**"]).more == 3
        assert not Inbox().coverage("r1", ["src/*.py"]).is_complete
        monkeypatch.setattr("suture.review.inbox.MOST_VISITED", 2)
        assert Inbox().coverage("r1", ["**"]).cut

    @pytest.mark.parametrize(
        ("patterns", "is_complete"),
        [
            (["*"], True),
            (["**"], True),
            (["src/**"], True),
            ([r"src\*/**"], True),
            (["src/**", "docs/*.md"], True),
            (["*/**"], False),
            ([r"src\\*/**"], False),
            (["src/*"], False),
            (["docs/*.md", "src/*.py"], False),
        ],
    )
    def test_files_need_not_be_listed_only_if_a_pattern_covers_their_directory_wholly(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, patterns: list[str], is_complete: bool
    ) -> None:
        for name in ("src/a.py", "src/b.py", "src*/a", "src*/b", r"src\x/a", r"src\y/b", "docs/c.md"):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text("")
        put(root, edit_request().replace(workspace=str(root)))
        monkeypatch.setattr("suture.review.inbox.MOST_COVERED", 1)
        assert Inbox().coverage("r1", patterns).is_complete == is_complete


#: Requests that are almost right: times that JSON does not have, and the id of another.
ODD = [
    '{"id": "r2", "permission": "edit", "time": NaN}',
    '{"id": "r2", "permission": "edit", "time": 1e999}',
    '{"id": "r3", "permission": "edit"}',
]


class TestHostileContent:
    def test_names_and_contents_of_any_kind_come_through_as_they_are(self, root: Path) -> None:
        name = "<script>alert(1)</script>\n\x1b[2J'\"\udcff.py"
        folder = put(root, edit_request().replace(actor=name, tool=name))
        item = Inbox().item("r1")
        assert (item.request.actor, item.request.tool) == (name, name)
        folder.withdraw(item.request, Answer.reject(name))
        (record,) = Inbox().history()
        assert (record.actor, record.answer.message) == (name, name)

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"id": 1}', "\xff", '{"id": "r2", "permission": 7}', *ODD])
    def test_a_request_that_cannot_be_read_is_left_out(self, root: Path, text: str) -> None:
        folder = put(root, edit_request(), edit_request("r2"))
        (folder.path / "r2" / "request.json").write_text(text, "latin-1")
        (folder.path / "..x").mkdir()
        (folder.path / "no id").mkdir()
        assert [item.id for item in Inbox().pending()] == ["r1"]

    def test_a_damaged_history_does_not_hide_the_rest(self, root: Path) -> None:
        folder = put(root, edit_request(), edit_request("r2"))
        folder.withdraw(edit_request(), Answer.once())
        with (folder.path / ".answers.jsonl").open("ab") as file:
            file.write(b'{"id": \xff\nnull\n')
        folder.withdraw(edit_request("r2"), Answer.reject())
        assert [record.id for record in Inbox().history()] == ["r2", "r1"]


class TestMany:
    @pytest.mark.slow
    def test_five_hundred_requests_are_listed_and_read_once(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = put(root, *[edit_request(f"r{number:03}").replace(time=float(number)) for number in range(500)])
        inbox = Inbox()
        assert [item.id for item in inbox.pending()] == [f"r{number:03}" for number in reversed(range(500))]
        monkeypatch.setattr(json, "loads", None)
        assert inbox.count() == 500
        for number in range(500):
            folder.withdraw(edit_request(f"r{number:03}"))
        assert inbox.pending() == []
        assert len(inbox.history(1000)) == 500

    def test_what_was_answered_is_forgotten_even_if_nobody_lists_the_rest(self, root: Path) -> None:
        inbox = Inbox()
        folder = put(root)
        for number in range(5):
            folder.put(edit_request(f"r{number}"))
            inbox.answer(f"r{number}", Answer.once(), inbox.item(f"r{number}").fingerprint)
        assert len(inbox._known) == 0

    def test_what_is_known_is_bounded(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("suture.review.inbox.MOST_PENDING", 3)
        inbox = Inbox()
        put(root, *[edit_request(f"r{number}") for number in range(8)])
        assert [inbox.item(f"r{number}").id for number in range(8)] == [f"r{number}" for number in range(8)]
        assert len(inbox._known) <= 4

    def test_the_history_stays_small(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("suture.state.answer_lines.LARGEST_ANSWER_LOG", 5000)
        folder = put(root)
        for number in range(60):
            folder.put(edit_request(f"r{number}"))
            folder.withdraw(edit_request(f"r{number}"), Answer.once())
        records = Inbox().history(1000)
        assert records[0].id == "r59"
        assert 10 < len(records) < 60
        assert sum(path.stat().st_size for path in folder.path.glob(".answers*")) < 12_000

    @pytest.mark.slow
    def test_a_burst_from_two_processes_loses_no_answer(self, root: Path) -> None:
        inbox = Inbox()
        calls = [[write_call(f"{name}{number}.txt", "x\n") for number in range(20)] for name in "ab"]
        with AskingAgent(root, *calls[0], actor="a") as one, AskingAgent(root, *calls[1], actor="b") as two:
            given: set[str] = set()
            while len(given) < 40:
                for item in inbox.pending():
                    answer = Answer.once() if len(given) % 2 else Answer.reject(item.request.subject)
                    inbox.answer(item.id, answer, item.fingerprint)
                    given.add(item.id)
            answers = [agent.answer() for agent in (one, two) for _ in range(20)]
        assert sum(is_error for _, is_error, _ in answers) == 20
        assert len(list(root.glob("*.txt"))) == 20
        until(lambda: len(inbox.history(1000)) == 40)


class TestFolders:
    def test_what_is_idle_for_long_is_removed_and_what_waits_is_not(self, tmp_path: Path, root: Path) -> None:
        waiting = put(root, edit_request())
        idle = ApprovalFolder(approvals_path(str(tmp_path / "idle")))
        idle.put(edit_request("r2"))
        idle.withdraw(edit_request("r2"), Answer.once())
        fresh = ApprovalFolder(approvals_path(str(tmp_path / "fresh")))
        fresh.put(edit_request("r3"))
        fresh.withdraw(edit_request("r3"), Answer.once())
        for folder in (waiting, idle):
            for path in (*folder.path.iterdir(), folder.path):
                os.utime(path, (0, 0))
        Inbox.prune()
        assert (idle.path.exists(), fresh.path.exists()) == (False, True)
        assert [item.id for item in Inbox().pending()] == ["r1"]
        assert [record.id for record in Inbox().history()] == ["r3"]

    def test_old_files_behind_a_link_are_not_removed(self, tmp_path: Path, root: Path) -> None:
        base = put(root, edit_request()).path.parent
        (tmp_path / "photos").mkdir()
        photo = tmp_path / "photos" / "old.jpg"
        photo.write_text("")
        os.utime(photo, (1, 1))
        (base / "link").symlink_to(photo.parent)
        Inbox.prune()
        assert photo.exists()

    @pytest.mark.skipif(os.geteuid() == 0, reason="the administrator can read everything")
    def test_a_folder_of_another_user_hides_nothing(self, root: Path) -> None:
        base = put(root, edit_request()).path.parent
        (base / "a").mkdir(0)
        assert [item.id for item in Inbox().pending()] == ["r1"]
        assert Inbox().item("r1").id == "r1"

    def test_other_folders_are_read_as_well(self, tmp_path: Path, root: Path) -> None:
        more = ApprovalFolder(tmp_path / "more")
        more.put(edit_request("r2"))
        put(root, edit_request())
        assert sorted(item.id for item in Inbox([more.path]).pending()) == ["r1", "r2"]
        assert Inbox([tmp_path / "nowhere"]).count() == 1

    def test_a_link_among_the_folders_is_not_followed(self, tmp_path: Path, root: Path) -> None:
        more = ApprovalFolder(tmp_path / "more")
        more.put(edit_request("r2"))
        put(root, edit_request())
        (tmp_path / "state" / "approvals" / "link").symlink_to(more.path)
        assert [item.id for item in Inbox().pending()] == ["r1"]
        assert approvals_base() == str(tmp_path / "state" / "approvals")
