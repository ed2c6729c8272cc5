"""`suture review --terminal` on a real terminal of 80 columns and 24 lines, and in a pipe."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.hunks import hunks_of
from tests.shared.permission_requests import three_hunks
from tests.shared.programs import APP, BIN, Place, patch, update
from tests.shared.review_terminals import ReviewTerminal
from tests.shared.reviews import AskingAgent, until, write_call

from suture.agent import Answer, ApprovalFolder, Request
from suture.cli.review_views import join_globs
from suture.cli.side_by_side import display_width
from suture.cli.terminal_keys import split_keys
from suture.cli.user_commands import split_words
from suture.review import Inbox, RefusedAnswerError
from suture.state.state_folder import approvals_path
from suture.workspace import Change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    made.environment["TERM"] = "xterm"
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        made.environment.pop(name, None)
    monkeypatch.setenv("SUTURE_STATE_DIR", made.environment["SUTURE_STATE_DIR"])
    monkeypatch.setenv("HOME", made.environment["HOME"])
    made.write("a.py", three_hunks()[0])
    return made


@pytest.fixture
def agent(place: Place) -> Iterator[AskingAgent]:
    with AskingAgent(place.root, write_call("a.py", three_hunks()[1])) as asking:
        until(lambda: Inbox().count() == 1)
        yield asking


@pytest.fixture
def terminal(place: Place) -> Iterator[ReviewTerminal]:
    """A review that waits for keys."""
    opened = ReviewTerminal(place)
    yield opened
    opened.process.kill()
    opened.process.wait()


class TestDecisions:
    def test_hunks_are_chosen_and_approved(self, place: Place, agent: AskingAgent, terminal: ReviewTerminal) -> None:
        assert "1 request waiting" in terminal.screen("1 request waiting")[0]
        terminal.send("\r")
        shown = terminal.screen("[x] hunk")
        assert shown[0] == "agent wants to edit a.py"
        assert any(line.startswith("> [x] hunk 1/3 @@ -1,5 +1,5 @@") for line in shown)
        terminal.send("j ")
        assert any(line.startswith("> [ ] hunk 2/3 @@ -12,7 +12,7 @@") for line in terminal.screen("> [ ] hunk"))
        terminal.page_down()
        terminal.send("a")
        assert "Approved in part: a.py" in terminal.screen("Approved in part")[-2]
        assert "hunk 2 of 3" in agent.answer()[0]
        assert place.files()["a.py"].count("LINE") == 2
        terminal.quit()

    def test_the_list_shows_no_diff_so_its_key_opens_the_request_first(
        self, place: Place, terminal: ReviewTerminal
    ) -> None:
        with AskingAgent(place.root, write_call("one.txt", "x\n")) as agent:
            terminal.screen("1 request waiting")
            terminal.send("aa")
            terminal.screen("has just changed")
            assert len(Inbox().pending()) == 1
            while Inbox().pending():  # until the pause after it was opened is over
                terminal.send("a")
            terminal.screen("Nothing waits for an answer")
            assert agent.answer()[1] is False
        terminal.quit()

    def test_a_key_pressed_twice_does_not_answer_the_next_request(self, place: Place, terminal: ReviewTerminal) -> None:
        calls = [write_call(name, "x\n") for name in ("one.txt", "two.txt")]
        with AskingAgent(place.root, *calls) as agent:
            terminal.screen("2 requests waiting")
            terminal.send("rr")
            terminal.screen("press the key again")
            assert agent.answer()[1] is True
            assert len(Inbox().pending()) == 1
        terminal.quit()

    def test_a_message_for_the_model_is_typed(self, agent: AskingAgent, terminal: ReviewTerminal) -> None:
        terminal.screen("1 request waiting")
        terminal.send("m")
        terminal.screen("Message for the model:")
        terminal.send("use tabsx\x7f – bitte\r")
        assert "  message:   use tabs – bitte" in terminal.screen("The message goes with your answer")
        terminal.send("r")
        terminal.screen("Rejected: a.py")
        assert "use tabs – bitte" in agent.answer()[0]
        terminal.quit()

    def test_a_pattern_is_edited_and_what_it_covers_is_shown_first(
        self, place: Place, agent: AskingAgent, terminal: ReviewTerminal
    ) -> None:
        """Keys that were typed ahead, rows below the screen and files that can't be listed approve nothing."""
        for number in range(220):
            place.write(f"file_{number}.py", "x\n")
        terminal.screen("1 request waiting")
        terminal.send("\r")
        terminal.screen("[x] hunk")
        terminal.page_down()
        terminal.send("A")
        terminal.screen("Always for: a.py")
        terminal.send("\x15*.py\ry")
        terminal.screen("Not answered: more files than can be listed.")
        terminal.send("qA\x15file_1*.py\ry")
        shown = terminal.screen("Not answered: not everything was shown yet.")
        assert "  file_1*.py covers 111 files as of now:" in [line.replace(">", " ", 1) for line in shown]
        assert "    file_1.py" in shown
        assert len(Inbox().pending()) == 1
        terminal.page_down()
        terminal.send("y")
        terminal.screen("Approved always: a.py")
        assert agent.answer()[1] is False
        terminal.quit()

    def test_a_hunk_that_is_longer_than_the_screen_is_scrolled(self, place: Place, terminal: ReviewTerminal) -> None:
        with AskingAgent(place.root, write_call("long.py", "".join(f"row {number}\n" for number in range(100)))):
            terminal.screen("1 request waiting")
            terminal.send("\r")
            terminal.screen("+row 10")
            terminal.send("\x1b[6~\x1b[6~")
            assert ">  41 +row 40" in terminal.screen("+row 40")
            terminal.send("\x1b[5~\x1b[5~")
            assert "> [x] hunk 1/1 @@ -0,0 +1,100 @@" in terminal.screen("[x]")
        # What is open stays, and says that it has ended.
        terminal.screen("no longer waits")
        terminal.send("q")
        terminal.screen("Nothing waits")
        terminal.quit()

    def test_what_has_changed_is_not_approved(self, place: Place, agent: AskingAgent, terminal: ReviewTerminal) -> None:
        terminal.screen("1 request waiting")
        terminal.send("\r")
        terminal.screen("[x] hunk")
        terminal.page_down()
        place.write("a.py", "other\n")
        terminal.send("a")
        terminal.screen("a.py has changed since")
        # For a second, no key answers what has just changed.
        while Inbox().pending():
            terminal.send("r")
        assert agent.answer()[1] is True
        terminal.quit()

    def test_a_request_whose_agent_is_killed_disappears_by_itself(
        self, agent: AskingAgent, terminal: ReviewTerminal
    ) -> None:
        terminal.screen("1 request waiting")
        agent.kill()
        terminal.screen("Nothing waits for an answer")
        terminal.quit()


class TestWhatWasShown:
    """What has not been on the screen can't be approved."""

    def ask(self, place: Place, file: Change) -> None:
        ApprovalFolder(approvals_path(str(place.root))).put(Request("r1", "edit", (file,), (file.path,)))

    @pytest.fixture
    def opened(self, place: Place, terminal: ReviewTerminal, content: str) -> Iterator[ReviewTerminal]:
        """A request to write the content to a new file, on the screen."""
        with AskingAgent(place.root, write_call("new.py", content)) as self.agent:
            terminal.screen("1 request waiting")
            terminal.send("\r")
            terminal.screen("[x] hunk")
            yield terminal

    @pytest.mark.parametrize("content", ["".join(f"row {number}\n" for number in range(100))])
    def test_a_long_hunk_is_approved_only_once_all_of_it_was_shown(self, place: Place, opened: ReviewTerminal) -> None:
        opened.send("a")
        opened.screen("rows not shown yet.")
        opened.send("\x1b[F")
        opened.screen("row 99")
        opened.send("a")
        shown = [line[2:] for line in opened.screen("rows not shown yet.")]
        assert "new.py" not in place.files()
        shown += opened.page_down()
        assert [number for number in range(40, 100) if f"{number + 1:3} +row {number}" not in shown] == []
        opened.send("a")
        opened.screen("Approved: new.py")
        assert self.agent.answer()[1] is False

    @pytest.mark.parametrize("content", ["x" * 5000 + "; rm -rf ~\n", "長" * 2500 + "; rm -rf ~\n"], ids=["x", "wide"])
    def test_a_long_line_is_wrapped_and_seen_to_its_end(
        self, place: Place, opened: ReviewTerminal, content: str
    ) -> None:
        opened.send("a")
        opened.screen("Not approved: 1 row not shown yet.")
        assert "new.py" not in place.files()
        shown = "".join(opened.page_down()).rstrip()
        assert shown.endswith(content.rstrip()[-500:])
        opened.send("a")
        opened.screen("Approved: new.py")

    def test_no_row_of_a_very_long_hunk_is_left_out(self, place: Place, terminal: ReviewTerminal) -> None:
        hunk = "@@ -0,0 +1,25000 @@\n" + "".join(f"+row {number}\n" for number in range(25_000))
        self.ask(place, Change("add", "a.py", hunks=hunks_of(hunk)))
        terminal.screen("1 request waiting")
        terminal.send("\r")
        terminal.screen("[x] hunk")
        terminal.send("\x1b[F")
        terminal.screen("+row 24999")
        terminal.send("a")
        terminal.screen("Not approved: 24,9")
        terminal.quit()

    @pytest.mark.parametrize("content", ["".join(f"row {number}\n" for number in range(100))])
    def test_always_needs_that_too(self, opened: ReviewTerminal) -> None:
        opened.send("A")
        opened.screen("rows not shown yet.")

    def test_the_rest_of_a_long_line_is_not_taken_for_a_line_of_its_own(
        self, place: Place, terminal: ReviewTerminal
    ) -> None:
        hunk = "@@ -0,0 +1 @@\n+" + "y" * 75 + "-looks like a removed line\n"
        self.ask(place, Change("add", "a.py", hunks=hunks_of(hunk)))
        terminal.screen("1 request waiting")
        terminal.send("\r")
        assert ">↪-looks like a removed line" in terminal.screen("[x] hunk")
        terminal.quit()

    def test_hunks_that_are_left_out_need_not_be_shown_and_always_would_write_them(
        self, place: Place, agent: AskingAgent, terminal: ReviewTerminal
    ) -> None:
        terminal.screen("1 request waiting")
        terminal.send("\r")
        terminal.screen("[x] hunk")
        terminal.send("j jj ")
        terminal.screen("> [ ] hunk 3/3 @@ -26,5 +26,5 @@")
        terminal.send("A")
        terminal.screen("Always approves everything as it is")
        terminal.send("a")
        terminal.screen("Approved in part: a.py")
        assert agent.answer()[1] is False
        assert place.files()["a.py"].count("LINE") == 1
        terminal.quit()

    def test_a_deleted_file_is_told_by_its_name(self, place: Place, terminal: ReviewTerminal) -> None:
        hunk = "@@ -1,99 +0,0 @@\n" + "-x\n" * 99
        file = Change("delete", "a.py", hunks=hunks_of(hunk))
        self.ask(place, file)
        terminal.screen("1 request waiting")
        terminal.send("\r")
        terminal.screen("[x] hunk")
        terminal.send("a")
        terminal.screen("Approved: a.py")
        terminal.quit()


class TestTimeline:
    def test_a_commit_is_shown_undone_and_redone(self, place: Place, terminal: ReviewTerminal) -> None:
        place.suture("edit", "a.py", "--old", "line 7", "--new", "LINE 7", "--actor", "me")
        terminal.screen("Nothing waits")
        terminal.send("t")
        assert "me             a.py +1 -1" in terminal.screen("Commits")[1]
        terminal.send("\r")
        assert "   7 +LINE 7" in terminal.screen("Commit ")
        terminal.send("u")
        terminal.screen("took it back")
        assert "LINE" not in place.files()["a.py"]
        terminal.send("ju")
        terminal.screen("made it again")
        assert "LINE 7" in place.files()["a.py"]
        terminal.send("fa.py\r")
        terminal.screen("Commits of a.py")
        terminal.send("b\r")
        assert any("me" in line and "LINE 7" in line for line in terminal.screen("Blame of a.py"))
        terminal.quit()

    def test_the_reason_is_told_where_a_commit_cannot_be_undone(self, place: Place, terminal: ReviewTerminal) -> None:
        place.suture("edit", "a.py", "--old", "line 7", "--new", "LINE 7")
        place.write("a.py", "other\n")
        terminal.screen("Nothing waits")
        terminal.send("tu")
        assert "It can't be undone. a.py has changed since" in terminal.screen("can't be undone")[-2]
        terminal.send("b\x15nowhere\r")
        terminal.screen("nowhere")
        terminal.quit()


class TestHostileRequests:
    def test_every_line_fits_and_nothing_steers_the_terminal(self, place: Place, terminal: ReviewTerminal) -> None:
        name = "\x1b[2J\x1b]0;evil\x07長い" * 20 + "\n> [x] forged\u202e"
        hunk = "@@ -1 +1 @@\n-\x1b[31mold\r\x08\n+\x9b2J new\u2028 tab\t" + "ж" * 500 + "\n"
        file = Change("update", name, hunks=hunks_of(hunk), resolved="/nowhere")
        folder = ApprovalFolder(approvals_path(str(place.root)))
        folder.put(Request("r1", "edit", (file,), (name,), actor=name, tool=name, session=name, workspace=name))
        screens = []
        for keys, text in (("", "1 request waiting"), ("\r", "Page Down shows more")):
            terminal.send(keys)
            screens.append(terminal.screen(text))
        while "more" in screens[-1][-2]:
            terminal.send("\x1b[6~")
            screens.append(terminal.screen("Rows "))
        for keys, text in (("A", "Always for"), ("\r", "covers 0 files")):
            terminal.send(keys)
            screens.append(terminal.screen(text))
        for lines in screens:
            assert len(lines) == 24
            assert all(display_width(line) <= 80 and line.isprintable() for line in lines), lines
        terminal.quit()


class TestOnePatch:
    @pytest.fixture
    def patch_file(self, place: Place) -> str:
        (place.root.parent / "change.patch").write_text(
            patch(update("app.py", "-    return 1", "+    return 11"), "*** Add File: b.py", "+b")
        )
        return "../change.patch"

    @pytest.fixture
    def applying(self, place: Place, patch_file: str) -> Iterator[ReviewTerminal]:
        opened = ReviewTerminal(place, "apply", "--review", patch_file)
        yield opened
        opened.process.kill()
        opened.process.wait()

    def test_the_chosen_part_is_written(self, place: Place, applying: ReviewTerminal) -> None:
        applying.screen("suture apply wants to edit app.py, and create b.py")
        applying.send(" a")
        status, said = applying.end()
        assert (status, "Commit" in said) == (0, True)
        assert (place.files()["app.py"], place.files()["b.py"]) == (APP, "b\n")

    def test_a_rejection_or_no_answer_writes_nothing(self, place: Place, applying: ReviewTerminal) -> None:
        applying.screen("suture apply wants to")
        applying.send("mno, thanks\rr")
        status, said = applying.end()
        assert (status, "The patch was rejected: no, thanks" in said) == (1, True)
        again = ReviewTerminal(place, "apply", "--review", "../change.patch")
        again.screen("suture apply wants to")
        again.send("q")
        status, said = again.end()
        assert (status, "closed without an answer" in said) == (1, True)
        assert "b.py" not in place.files()
        assert Inbox().count() == 0

    def test_an_interrupt_from_the_keyboard_withdraws_the_request(self, applying: ReviewTerminal) -> None:
        applying.screen("suture apply wants to")
        applying.send("\x03")
        status, said = applying.end()
        assert (status, "Interrupted." in said) == (130, True)
        assert [str(record) for record in Inbox().history()] == ["withdrawn"]

    def test_another_review_may_answer(self, place: Place, applying: ReviewTerminal) -> None:
        applying.screen("suture apply wants to")
        (item,) = Inbox().pending()
        Inbox().answer(item.id, Answer.some({"b.py": "all"}, "app\x1b[2J later"), item.fingerprint)
        status, said = applying.end()
        assert (status, "Not approved: app.py, hunk 1" in said) == (0, True)
        assert "Message: app⟨U+001B⟩[2J later" in said
        assert "b.py" in place.files()

    def test_without_a_terminal_it_waits_for_another_review(self, place: Place, patch_file: str) -> None:
        command = [str(BIN / "suture"), "apply", "--review", patch_file]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with subprocess.Popen(command, cwd=place.root, env=place.environment, text=True, **pipes) as waiting:  # type: ignore[call-overload]
            (item,) = until(lambda: Inbox().pending() or None)
            place.write("app.py", "other\n")
            with pytest.raises(RefusedAnswerError):
                Inbox().answer(item.id, Answer.once(), item.fingerprint)
            waiting.send_signal(signal.SIGTERM)
            assert "Interrupted." in waiting.communicate(timeout=60)[0]
        assert waiting.returncode == 130
        assert Inbox().count() == 0
        assert [str(record) for record in Inbox().history()] == ["withdrawn"]

    def test_what_does_not_apply_is_not_asked_for(self, place: Place) -> None:
        nowhere = patch(update("app.py", "-nowhere", "+anywhere"))
        assert place.suture("apply", "--review", stdin=nowhere).status == 1
        assert place.suture("apply", "--review", "-i", stdin=nowhere).status == 2
        assert Inbox().history() == []


class TestPipes:
    def test_over_a_pipe_it_prints_what_waits_and_exits(self, place: Place, agent: AskingAgent) -> None:
        outcome = place.suture("review", "--terminal")
        assert outcome.status == 0
        assert "write by agent  edit a.py" in outcome.out
        assert "+LINE 15" in outcome.out
        agent.kill()
        assert place.suture("review", "--terminal").err == "Nothing waits for an answer.\n"

    def test_a_time_beyond_all_dates_hides_nothing(self, place: Place) -> None:
        folder = ApprovalFolder(approvals_path(str(place.root)))
        request = Request("late", "edit", (Change("update", "a.py", resolved="/a.py"),), ()).replace(time=1e300)
        folder.put(request)
        assert "late  " in place.suture("review", "--terminal").out
        folder.withdraw(request)


def test_keys_are_told_apart() -> None:
    assert split_keys("aж\x1b[A\x1b[5~\x1b[1;5Cj\x1b") == ["a", "ж", "k", "page up", "j", "back"]
    assert split_keys("\x1b[") == ["back", "["]


@given(st.lists(st.text(st.sampled_from("/*?\\ab \t'\"#é"), min_size=1), max_size=4))
def test_globs_on_one_line_are_read_as_they_were_shown(globs: list[str]) -> None:
    assert split_words(join_globs(globs), escapes=False) == globs
