"""The approval folder: requests that another process answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import edit_request
from tests.shared.processes import open_files

from suture import Session, Workspace
from suture.agent.answers import Answer
from suture.agent.approval_folder import ApprovalFolder
from suture.agent.approvers import ApprovalQueue
from suture.agent.requests import Request
from suture.state import approval_requests
from suture.state.approval_requests import NotPendingError

if TYPE_CHECKING:
    from pathlib import Path

#: Waits until there is a request, and does with it what the third argument says.
ANSWERER = """
import os, sys, time
from suture.agent.answers import Answer
from suture.agent.approval_folder import ApprovalFolder
folder, how = ApprovalFolder(sys.argv[1]), sys.argv[2]
while not (found := folder.pending()):
    time.sleep(0.001)
(request,) = found
if how == "answers":
    folder.reply(request.id, Answer.some({request.files[0].path: [1]}, "from another process"))
elif how == "is killed":
    # The answer is half written, and that is the end of it.
    (folder.path / request.id / "half.tmp").write_text('{"kind": "on')
    os.kill(os.getpid(), 9)
"""
#: Asks, says so, and waits for ever.
ASKER = """
import asyncio, sys
from suture.agent.approvers import ApprovalQueue
from suture.agent.requests import Request
async def main():
    asking = asyncio.create_task(ApprovalQueue(sys.argv[1]).ask(Request("dead", "edit")))
    await asyncio.sleep(0)
    print("asked", flush=True)
    await asking
asyncio.run(main())
"""


#: Asks and dies, but a child that it has forked lives on until its standard input ends.
FORKING_ASKER = """
import os, sys
from suture.agent.approval_folder import ApprovalFolder
from suture.agent.requests import Request
folder = ApprovalFolder(sys.argv[1])
folder.put(Request("dead", "edit"))
if os.fork() == 0:
    print("forked", flush=True)
    sys.stdin.read()
os._exit(0)
"""


def another_process(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


def left_in(folder: ApprovalFolder) -> list[Path]:
    """What is in a folder besides the log of its answers."""
    return [path for path in folder.path.iterdir() if path.name != ".answers.jsonl"]


@pytest.fixture
def folder(tmp_path: Path) -> ApprovalFolder:
    return ApprovalFolder(tmp_path / "approvals", poll=0.001)


class TestProcesses:
    def test_another_process_answers(self, folder: ApprovalFolder) -> None:
        with another_process(ANSWERER, str(folder.path), "answers") as process:
            answer = asyncio.run(asyncio.wait_for(ApprovalQueue(folder).ask(edit_request()), 60))
        assert process.returncode == 0
        assert answer == Answer.some({"a.py": [1]}, "from another process")
        assert left_in(folder) == []

    def test_one_that_dies_while_it_answers_leaves_the_request_open_for_another(self, folder: ApprovalFolder) -> None:
        async def main() -> Answer:
            asking = asyncio.create_task(ApprovalQueue(folder).ask(edit_request()))
            with another_process(ANSWERER, str(folder.path), "is killed") as first:
                assert await asyncio.to_thread(first.wait) == -9
            assert folder.pending() == [edit_request()]
            assert not asking.done()
            with another_process(ANSWERER, str(folder.path), "answers") as second:
                assert await asyncio.to_thread(second.wait) == 0
            return await asyncio.wait_for(asking, 60)

        assert asyncio.run(main()).message == "from another process"
        assert left_in(folder) == []

    def test_the_requests_of_a_process_that_died_are_not_open(self, folder: ApprovalFolder) -> None:
        with another_process(ASKER, str(folder.path)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "asked\n"
            assert folder.pending() == [Request("dead", "edit")]
            process.kill()
        assert (folder.path / "dead").exists()
        with pytest.raises(NotPendingError, match="the request dead is not pending"):
            folder.reply("dead", Answer.once())
        assert folder.pending() == []
        assert left_in(folder) == []

    def test_a_child_does_not_keep_the_requests_of_its_dead_parent_open(self, folder: ApprovalFolder) -> None:
        command = [sys.executable, "-c", FORKING_ASKER, str(folder.path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "forked\n"
            assert parent.wait() == 0
            assert folder.pending() == []


class TestForeignFiles:
    """Whoever can write into the folder can put anything there; it must not block the one that asks."""

    @pytest.mark.parametrize("kind", ["FIFO", "link", "folder", "link to a FIFO"])
    def test_an_answer_that_is_no_file_does_not_block_and_is_removed(
        self, folder: ApprovalFolder, kind: str, tmp_path: Path
    ) -> None:
        folder.put(edit_request())
        where = folder.path / "r1" / "answer.json"
        if kind == "FIFO":
            os.mkfifo(where)
        elif kind == "folder":
            where.mkdir()
        else:
            target = tmp_path / "target"
            if kind == "link":
                target.write_text(Answer.once().to_json())
            else:
                os.mkfifo(target)
            where.symlink_to(target)
        assert folder.answer(edit_request()) is None
        os.utime(where, (1, 1), follow_symlinks=False)
        assert folder.answer(edit_request()) is None
        assert os.path.lexists(where) is (kind == "folder")
        if kind != "folder":
            folder.reply("r1", Answer.once())
            assert folder.answer(edit_request()) == Answer.once()
        folder.withdraw(edit_request())

    def test_a_time_limit_holds_although_the_answer_is_a_fifo(self, folder: ApprovalFolder) -> None:
        async def main() -> None:
            asking = asyncio.create_task(ApprovalQueue(folder).ask(edit_request()))
            await asyncio.sleep(0)
            os.mkfifo(folder.path / "r1" / "answer.json")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asking, 0.05)

        asyncio.run(main())

    @pytest.mark.parametrize("name", ["r2", ".new-r2", ".gone-r2"])
    def test_a_link_is_not_followed_and_nothing_behind_it_is_removed(
        self, folder: ApprovalFolder, tmp_path: Path, name: str
    ) -> None:
        target = tmp_path / "target"
        target.mkdir()
        (target / "request.json").write_text(edit_request("r2").to_json())
        os.utime(target, (1, 1))
        folder.path.mkdir()
        (folder.path / name).symlink_to(target)
        (folder.path / ".new-loop").symlink_to(".new-loop")
        assert folder.pending() == []
        assert [path.name for path in target.iterdir()] == ["request.json"]

    def test_a_link_to_the_pending_request_of_another_folder_is_not_pending(
        self, folder: ApprovalFolder, tmp_path: Path
    ) -> None:
        other = ApprovalFolder(tmp_path / "other")
        other.put(edit_request())
        folder.path.mkdir()
        (folder.path / "r1").symlink_to(other.path / "r1")
        assert folder.pending() == []
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.once())
        assert other.pending() == [edit_request()]
        other.withdraw(edit_request())

    @pytest.mark.parametrize("name", ["api", ".new-api"])
    def test_a_directory_of_something_else_keeps_its_files(self, folder: ApprovalFolder, name: str) -> None:
        other = folder.path / name
        other.mkdir(parents=True)
        (other / "main.py").write_text("")
        (other / "request.json").write_text('{"id": 1}')
        os.utime(other, (1, 1))
        assert folder.pending() == []
        assert (other / "main.py").exists()
        assert (other / "request.json").exists() == (name == "api")

    def test_a_log_that_is_a_fifo_blocks_nobody(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        os.mkfifo(folder.path / ".answers.jsonl")
        folder.withdraw(edit_request(), Answer.once())
        assert folder.log.records() == []

    def test_a_request_under_the_name_of_another_is_not_pending(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        (folder.path / "r1/request.json").write_text(edit_request("r2").to_json())
        assert folder.pending() == []
        folder.withdraw(edit_request())

    def test_a_request_that_is_a_fifo_is_not_pending(self, folder: ApprovalFolder) -> None:
        (folder.path / "r2").mkdir(parents=True)
        os.mkfifo(folder.path / "r2" / "request.json")
        assert folder.pending() == []

    @pytest.mark.parametrize(
        "where", ["approvals", ".", "link/approvals", "out", "out/deep", "link/out", "twice", "sub/../x"]
    )
    def test_a_session_refuses_a_folder_in_which_its_model_could_approve(self, tmp_path: Path, where: str) -> None:
        root = tmp_path / "root"
        root.mkdir()
        (tmp_path / "link").symlink_to(root)
        # The model could replace a link in the workspace by a directory of its own.
        (tmp_path / "safe" / "deep").mkdir(parents=True)
        (root / "out").symlink_to("../safe")
        (root / "twice").symlink_to(tmp_path / "link" / "out" / "deep")
        inside = tmp_path / where if where.startswith("link") else root / where
        with Workspace(root, state_dir=tmp_path / "state") as workspace:
            with pytest.raises(ValueError, match="outside the workspace"):
                Session(workspace, approver=ApprovalQueue(inside))
            Session(workspace, approver=ApprovalQueue(tmp_path / "root-approvals"))


class TestFolder:
    def test_the_first_answer_counts_and_the_second_is_told_so(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        folder.reply("r1", Answer.once())
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.reject())
        assert folder.pending() == []
        assert folder.answer(edit_request()) == Answer.once()
        folder.withdraw(edit_request())
        assert left_in(folder) == []

    def test_of_many_that_answer_at_once_exactly_one_has(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        done: list[str] = []
        late: list[str] = []

        def answer(name: str) -> None:
            try:
                folder.reply("r1", Answer.reject(name))
                done.append(name)
            except NotPendingError:
                late.append(name)

        threads = [threading.Thread(target=answer, args=(str(number),)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(done), len(late)) == (1, 7)
        assert folder.answer(edit_request()) == Answer.reject(done[0])
        folder.withdraw(edit_request())

    def test_an_answer_to_what_was_withdrawn_is_told_so(self, folder: ApprovalFolder) -> None:
        async def main() -> None:
            asking = asyncio.create_task(ApprovalQueue(folder).ask(edit_request()))
            await asyncio.sleep(0)
            assert folder.pending() == [edit_request()]
            asking.cancel()
            await asyncio.wait([asking])

        asyncio.run(main())
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.once())
        assert left_in(folder) == []

    def test_a_request_that_is_closed_while_it_is_read_is_not_pending(
        self, folder: ApprovalFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder.put(edit_request())
        folder.reply("r1", Answer.once())
        is_free = approval_requests._is_free

        def close_meanwhile(descriptor: int) -> bool:
            (folder.path / "r1").rename(folder.path / ".gone-r1")
            return is_free(descriptor)

        monkeypatch.setattr(approval_requests, "_is_free", close_meanwhile)
        assert folder.pending() == []

    def test_a_task_may_answer_what_is_in_a_folder_too(self, folder: ApprovalFolder) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue(folder)
            asking = asyncio.create_task(queue.ask(edit_request()))
            await asyncio.sleep(0)
            queue.reply("r1", Answer.once())
            return await asking

        assert asyncio.run(main()) == Answer.once()
        assert left_in(folder) == []

    def test_the_oldest_request_comes_first(self, folder: ApprovalFolder) -> None:
        for name in ("a2", "a1", "a3"):
            folder.put(edit_request(name))
        assert [one.id for one in folder.pending()] == ["a1", "a2", "a3"]
        for name in ("a2", "a1", "a3"):
            folder.withdraw(edit_request(name))

    def test_what_is_no_answer_is_refused_before_it_is_written(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        with pytest.raises(ValueError, match="no file"):
            folder.reply("r1", Answer.some({"b.py": "all"}))
        assert folder.pending() == [edit_request()]
        folder.withdraw(edit_request())

    @pytest.mark.parametrize("text", ["", '{"kind": "on', '{"kind": "yes"}', "\ufffd"])
    def test_an_answer_by_hand_that_is_none_is_waited_for_and_then_taken_away(
        self, folder: ApprovalFolder, text: str
    ) -> None:
        folder.put(edit_request())
        by_hand = folder.path / "r1/answer.json"
        by_hand.write_text(text, "utf-8")
        assert folder.answer(edit_request()) is None
        assert by_hand.exists()
        long_ago = time.time() - 10
        os.utime(by_hand, (long_ago, long_ago))
        assert folder.answer(edit_request()) is None
        assert not by_hand.exists()
        by_hand.write_text('{"kind": "reject", "message": "by hand"}')
        assert folder.answer(edit_request()) == Answer.reject("by hand")
        folder.withdraw(edit_request())

    def test_what_a_process_has_left_that_died_in_between_is_swept_away(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        for name in (".new-x", ".gone-y"):
            (folder.path / name).mkdir()
            (folder.path / name / "request.json").write_text("{")
        assert len(list(folder.path.iterdir())) == 3
        long_ago = time.time() - 100
        for name in (".new-x", ".gone-y"):
            os.utime(folder.path / name, (long_ago, long_ago))
        assert folder.pending() == [edit_request()]
        assert [entry.name for entry in folder.path.iterdir()] == ["r1"]
        folder.withdraw(edit_request())

    def test_a_request_that_cannot_be_read_is_not_shown(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        (folder.path / "r1/request.json").write_text("{")
        assert folder.pending() == []
        folder.withdraw(edit_request())

    def test_a_folder_that_is_cleared_away_meanwhile_does_no_harm(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        (folder.path / "r1/request.json").unlink()
        (folder.path / "r1").rmdir()
        assert folder.answer(edit_request()) is None
        folder.withdraw(edit_request())
        assert folder._kept._held == {}  # type: ignore[attr-defined]

    def test_only_the_user_can_look_into_it(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        modes = [entry.stat().st_mode & 0o777 for entry in (folder.path, *folder.path.rglob("*"))]
        assert modes == [0o700, 0o700, 0o600]
        folder.withdraw(edit_request())

    @pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702, 0o1777], ids=oct)
    def test_a_folder_that_others_can_write_is_refused(self, folder: ApprovalFolder, mode: int) -> None:
        folder.path.mkdir()
        folder.path.chmod(mode)
        with pytest.raises(PermissionError, match="could approve"):
            asyncio.run(ApprovalQueue(folder).ask(edit_request()))
        assert list(folder.path.iterdir()) == []

    @pytest.mark.parametrize("mode", [0o700, 0o755], ids=oct)
    def test_a_folder_that_others_can_only_read_is_used(self, folder: ApprovalFolder, mode: int) -> None:
        folder.path.mkdir()
        folder.path.chmod(mode)
        folder.put(edit_request())
        assert folder.pending() == [edit_request()]
        folder.withdraw(edit_request())

    def test_a_folder_of_another_user_is_refused(self, folder: ApprovalFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.path.mkdir(0o700)
        other_user = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other_user)
        with pytest.raises(PermissionError, match="could approve"):
            folder.put(edit_request())

    def test_a_link_to_a_folder_is_refused(self, folder: ApprovalFolder, tmp_path: Path) -> None:
        """Whoever owns the link decides where the answers are."""
        (tmp_path / "elsewhere").mkdir(0o700)
        folder.path.symlink_to("elsewhere")
        with pytest.raises(PermissionError, match="could approve"):
            folder.put(edit_request())

    def test_a_request_that_cannot_be_written_leaves_nothing_behind(
        self, folder: ApprovalFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_descriptor: int, _text: str) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(approval_requests, "_write", full)
        queue = ApprovalQueue(folder)
        with pytest.raises(OSError, match="No space"):
            asyncio.run(queue.ask(edit_request()))
        assert (list(folder.path.iterdir()), folder._kept._held, queue.pending()) == ([], {}, ())  # type: ignore[attr-defined]

    @pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".x", "ä", "a b"])
    def test_an_id_cannot_lead_elsewhere(self, folder: ApprovalFolder, name: str) -> None:
        with pytest.raises(ValueError, match="expected an id"):
            folder.reply(name, Answer.once())
        with pytest.raises(ValueError, match="expected an id"):
            folder.put(edit_request(name))

    def test_a_folder_that_is_not_there_has_nothing_in_it(self, folder: ApprovalFolder) -> None:
        assert folder.pending() == []
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.once())

    def test_requests_leave_no_descriptor_behind(self, folder: ApprovalFolder) -> None:
        folder.put(edit_request())
        before = open_files()
        for number in range(20):
            folder.put(edit_request(str(number)))
            folder.reply(str(number), Answer.once())
            folder.withdraw(edit_request(str(number)))
        assert open_files() == before
        folder.withdraw(edit_request())
