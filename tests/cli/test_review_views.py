"""The views of `suture review --terminal` without a terminal: what is drawn, and what each key does."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pytest

from suture import Workspace
from suture.agent import Answer, ApprovalFolder, Request
from suture.cli import pending_views, review_views
from suture.cli.raw_terminal import RawTerminal
from suture.cli.review_terminal import ReviewViews
from suture.cli.review_views import RequestView
from suture.cli.screen import Screen
from suture.cli.terminal_view import Row, hunk_rows, wrap
from suture.core.line_hunks import line_hunks
from suture.review import Inbox
from suture.review.review_settings import ReviewSettings
from suture.state.state_folder import approvals_path
from suture.workspace.refused_edits import keep_refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
AFTER = BEFORE.replace("line 2\n", "line two\n").replace("line 4\n", "line four\n").replace("line 20\n", "twenty\n")


class NoTerminal(RawTerminal):
    """A terminal that nothing is drawn on."""

    def __init__(self) -> None:
        pass

    @contextmanager
    def lent(self) -> Iterator[None]:
        yield


class Desk:
    """A person at the views of a review: the requests, the keys and the lines of the screen."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.folder = ApprovalFolder(approvals_path(str(root)))
        self.workspace = Workspace(root, durability="process")
        self.editor: Callable[[str], str] = str
        monkeypatch.setattr(review_views, "PAUSE", 0.0)
        monkeypatch.setattr(pending_views, "PAUSE", 0.0)
        monkeypatch.setattr("suture.cli.review_terminal.edit_text", self._edit)
        self._views: ReviewViews | None = None

    def _edit(self, text: str, _name: str, *, exact: bool) -> str:
        assert exact
        return self.editor(text)

    def ask(self, name: str = "a.py", before: str = BEFORE, after: str = AFTER, **more: Any) -> Request:
        """A request to write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(before.encode())
        plan = self.workspace.plan_write(name, after)
        request = Request.from_plan(plan, actor="claude", tool="write")
        return self.put(request.replace(workspace=str(self.root), session="s1", time=1e9, **more))

    def put(self, request: Request) -> Request:
        self.folder.put(request)
        return request

    @property
    def views(self) -> ReviewViews:
        if self._views is None:
            self._views = ReviewViews(Inbox(), ReviewSettings(str(self.root)), Screen(), NoTerminal())
        return self._views

    def press(self, keys: str, columns: int = 80, lines: int = 24) -> list[str]:
        """Press keys, each on a screen that was drawn; the lines of the screen after the last."""
        names = {"\r": "enter", "\x1b": "back", "\x15": "clear", "↓": "page down"}
        for key in keys:
            self.views.draw(columns, lines)
            self.views.press(names.get(key, key))
            self.views.refresh()
        return self.views.draw(columns, lines)[0]

    def answer(self, request: Request) -> Answer:
        """The answer that was given."""
        given = self.folder.answer(request)
        assert given is not None
        return given


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "work").mkdir()
    return Desk(tmp_path / "work", monkeypatch)


class TestRows:
    def test_lines_have_numbers_and_signs(self) -> None:
        (hunk,) = line_hunks("a\nb\nc\n", "a\nB\nc\nd\n")
        texts = [row.text for row in hunk_rows(hunk)]
        assert texts == ["@@ -1,3 +1,4 @@", "1  a", "2 -b", "2 +B", "3  c", "4 +d"]

    def test_the_words_that_differ_are_marked(self) -> None:
        (hunk,) = line_hunks("say one word\n", "say two word\n")
        marked = [row.text[start:end] for row in hunk_rows(hunk) for start, end in row.marks]
        assert marked == ["one", "two"]

    def test_marks_follow_a_row_over_the_end_of_a_line(self, desk: Desk) -> None:
        old = "x" * 90 + " old end\n"
        desk.ask(before=old, after=old.replace("old", "new"))
        (item,) = desk.views.inbox.pending()
        rows = RequestView(desk.views, item).frame(60, 20)
        assert [row.text[start:end] for row in rows for start, end in row.marks] == ["old", "new"]

    def test_no_newline_at_the_end_is_told(self) -> None:
        (hunk,) = line_hunks("a", "b\n")
        assert [row.text for row in hunk_rows(hunk)][1:] == ["1 -a", r"  \ No newline at end of file", "1 +b"]

    def test_a_wrapped_row_is_whole(self) -> None:
        text = "é" * 200
        assert "".join(wrap(text, 30)) == text


class TestOneRequest:
    def test_the_sentence_the_reason_and_the_counts_are_shown(self, desk: Desk) -> None:
        desk.ask(reason="Names are words.\u202e")
        shown = desk.press("\r")
        assert shown[0] == "claude wants to edit a.py"
        assert "  reason:    Names are words.⟨U+202E⟩" in shown
        assert "  update a.py +3 -3" in shown
        assert any("hunk 1/2 @@" in line for line in shown)

    def test_help_lists_the_keys_and_goes_away(self, desk: Desk) -> None:
        desk.ask()
        assert any(line.startswith("  s            split the hunk") for line in desk.press("\r?"))
        assert desk.press("?")[0] == "claude wants to edit a.py"

    def test_a_hunk_is_split_and_a_part_left_out(self, desk: Desk) -> None:
        request = desk.ask()
        shown = desk.press("\rs ")
        assert any("[ ] hunk 1/3" in line for line in shown)
        desk.press("↓a")
        answer = desk.answer(request)
        assert answer.edits == {"a.py": AFTER.replace("line two", "line 2")}

    def test_what_was_edited_has_to_be_shown_and_is_approved(self, desk: Desk) -> None:
        request = desk.ask()
        desk.editor = lambda text: text.replace("line two", "line 2!")
        shown = desk.press("\re")
        assert "  update a.py +3 -3 (edited by you)" in shown
        assert any("+line 2!" in line for line in shown)
        assert desk.folder.answer(request) is None
        desk.press("↓a")
        assert desk.answer(request).edits == {"a.py": AFTER.replace("line two", "line 2!")}

    def test_an_edited_row_that_was_not_shown_is_not_approved(self, desk: Desk) -> None:
        request = desk.ask()
        desk.press("\r↓↓")
        desk.editor = lambda text: text + "".join(f"more {number}\n" for number in range(100))
        assert "not shown yet" in desk.press("ea")[-2]
        assert desk.folder.answer(request) is None

    def test_the_same_line_of_another_file_counts_as_another(self, desk: Desk) -> None:
        """A change of the marks draws all rows anew; none of them becomes seen by that."""
        for name in ("a.py", "b.py"):
            (desk.root / name).write_text("x\n")
        patch = "".join(f"*** Update File: {name}\n@@\n-x\n+y\n" for name in ("a.py", "b.py"))
        plan = desk.workspace.plan(f"*** Begin Patch\n{patch}*** End Patch")
        request = desk.put(Request.from_plan(plan).replace(workspace=str(desk.root), time=1e9))
        shown = desk.press("\r", lines=9)
        assert not any("b.py" in line for line in shown[1:])
        assert "not shown yet" in desk.press("  a", lines=9)[-2]
        assert desk.folder.answer(request) is None

    def test_a_draft_is_kept_while_another_request_is_open(self, desk: Desk) -> None:
        desk.ask()
        desk.press("\rm")
        desk.press("Later.\r")
        desk.press("c")
        desk.press("Why?\r")
        shown = desk.press(" q\r")
        assert "  message:   Later." in shown
        assert any(line.startswith("> [ ] hunk 1/2") for line in shown)
        assert any("line 2: Why?" in line for line in desk.press("↓"))
        assert not any("Why?" in line for line in desk.press("z↓"))

    def test_a_comment_goes_with_a_rejection(self, desk: Desk) -> None:
        request = desk.ask()
        desk.press("\rc")
        desk.press("Why two?\r")
        desk.press("r")
        answer = desk.answer(request)
        assert answer.kind == "reject"
        assert [str(comment) for comment in answer.comments] == ["a.py:2: Why two?"]

    def test_no_key_answers_what_has_just_changed(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        request = desk.ask()
        desk.press("\r↓")
        monkeypatch.setattr(review_views, "PAUSE", 1e9)
        (desk.root / "a.py").write_text("other\n")
        for key in "arA":
            assert "What is shown has just changed" in desk.press(f"k{key}")[-2]
        assert desk.folder.answer(request) is None
        monkeypatch.setattr(review_views, "PAUSE", 0.0)
        assert "a.py has changed since" in desk.press("a")[-2]
        desk.press("r")
        assert desk.answer(request).kind == "reject"

    def test_a_request_that_ends_stays_with_what_is_typed_and_no_key_answers_another_one(self, desk: Desk) -> None:
        request, other = desk.ask("a.py"), desk.ask("b.py")
        desk.press("\rmnot lik")
        desk.folder.withdraw(request)
        assert desk.press("e ra")[-1] == "Message for the model: not like ra"
        shown = desk.press("\r")
        assert "claude wants to edit a.py" in shown[0]
        assert "withdrawn" in shown[-2]
        for key in "raA cesmz":
            assert "withdrawn" in desk.press(f"k{key}")[-2]
        assert "withdrawn" in desk.press("k")[-2]
        assert desk.folder.answer(other) is None
        assert "b.py" in desk.press("q")[1]

    @pytest.mark.parametrize("keys", ["A", "A\r"], ids=["while a pattern is typed", "while its files are listed"])
    def test_always_does_not_approve_what_came_meanwhile(self, desk: Desk, keys: str) -> None:
        request = desk.ask(after=BEFORE.replace("line 2\n", "line two\n"))
        desk.press(f"\r{keys}", lines=60)
        rmtree(Path(desk.folder.path) / request.id)
        evil = desk.ask(after=BEFORE.replace("line 2\n", "evil\n"))
        rmtree(Path(desk.folder.path) / evil.id)
        replaced = desk.put(evil.replace(id=request.id))
        desk.press("\ry" if keys == "A" else "y", lines=60)
        assert desk.folder.answer(replaced) is None

    def test_a_key_that_is_held_down_approves_nothing_that_it_opens(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        requests = [desk.ask(f"{name}.py", "a\n", "b\n") for name in "xyz"]
        monkeypatch.setattr(review_views, "PAUSE", 1e9)
        desk.press("\raaaaaa")
        answered = [desk.folder.answer(request) is not None for request in requests]
        assert sorted(answered) == [False, False, True]

    def test_always_offers_the_files_of_the_request_and_not_with_hunks_left_out(self, desk: Desk) -> None:
        desk.ask()
        assert desk.press("\r↓A")[-1] == "Always for: a.py"
        desk.press("\x1b")
        assert "Always approves everything as it is" in desk.press(" A")[-2]

    def test_a_deadline_is_shown_and_a_late_answer_says_what_will_happen(self, desk: Desk) -> None:
        request = desk.ask(deadline=2e9, stays_open=True)
        assert "The agent waits" in desk.press("\r")[-2]
        desk.folder.extend(request.id, 1.0)
        assert "The agent no longer waits" in desk.press("k")[-2]
        assert "takes effect when it sends the same call again" in desk.press("↓a", columns=200)[-2]


class TestList:
    def test_the_name_comes_first_then_the_directory_and_the_reason(self, desk: Desk) -> None:
        desk.ask("src/deep/module.py", reason="Because.")
        assert desk.press("")[1].endswith("claude     edit module.py +3 -3  src/deep  (Because.)")

    def test_sessions_are_groups_and_the_oldest_request_is_first(self, desk: Desk) -> None:
        for number, session in enumerate(("one", "two", "one")):
            plan = desk.workspace.plan_write(f"{number}.py", "x\n")
            desk.put(Request.from_plan(plan).replace(session=session, workspace="/w", time=1e9 + number))
        shown = [line[4:].split("+")[0].split()[-1] for line in desk.press("")[1:6]]
        assert shown == ["one", "0.py", "2.py", "two", "1.py"]

    def test_what_needs_a_closer_look_is_flagged_and_found(self, desk: Desk) -> None:
        desk.ask("a.py")
        (desk.root / "gone.py").write_text("x\n")
        desk.put(Request.from_plan(desk.workspace.plan_delete("gone.py")).replace(workspace="/w", time=2e9))
        shown = desk.press("!")
        (line,) = [line for line in shown if line.startswith(">")]
        assert "DELETE delete gone.py" in line

    def test_a_search_lists_what_has_the_text(self, desk: Desk) -> None:
        desk.ask("a.py", reason="Types.")
        desk.ask("b.py", reason="Docs.")
        shown = desk.press("/docs\r")
        assert shown[0].startswith("1 of 2 requests with “docs”")
        assert "b.py" in shown[1]
        assert desk.press("/\x15\r")[0] == "2 requests waiting"

    def test_several_are_approved_once_all_of_them_were_shown(self, desk: Desk) -> None:
        requests = [desk.ask(f"{number}.py", reason="Types.") for number in range(3)]
        shown = desk.press("*a")
        assert shown[0] == "3 requests, 3 files +9 -9"
        assert "not shown yet" in desk.press("a")[-2]
        assert all(desk.folder.answer(request) is None for request in requests)
        assert "Approved 3 requests." in desk.press("↓↓↓↓a")[-2]
        assert [desk.answer(request).kind for request in requests] == ["once"] * 3

    def test_several_say_which_agent_no_longer_waits(self, desk: Desk) -> None:
        for name in ("a.py", "b.py"):
            desk.ask(name, deadline=1.0 if name == "a.py" else 0.0)
        shown = desk.press("*a", lines=60)
        notes = [number for number, line in enumerate(shown) if "The agent no longer waits" in line]
        assert [shown[number - 1].endswith("a.py") for number in notes] == [True]

    def test_one_that_something_was_left_out_of_is_not_approved_with_others(self, desk: Desk) -> None:
        requests = [desk.ask(f"{number}.py") for number in range(2)]
        desk.press("\r q")
        shown = desk.press("*a")
        assert shown[0] == "1 request, 1 file +3 -3"
        assert "1 marked request with hunks left out or edited" in shown[-2]
        desk.press("↓↓a")
        assert desk.folder.answer(requests[0]) is None

    def test_one_that_is_closed_meanwhile_is_left_out(self, desk: Desk) -> None:
        requests = [desk.ask(f"{number}.py") for number in range(2)]
        desk.press("*a")
        desk.folder.withdraw(requests[0])
        assert "1 request no longer waits." in desk.press("↓")[-2]
        desk.press("a↓↓a")
        assert desk.answer(requests[1]).kind == "once"

    def test_refused_edits_are_shown_beside_the_file(self, desk: Desk) -> None:
        (desk.root / "a.py").write_text("def one():\n    return 1\n")
        plan = desk.workspace.plan_edit("a.py", "def one():\n    return 11\n", "x\n")
        keep_refused(desk.workspace, plan, Screen().reader, tool="edit", actor="claude", session="s1")
        shown = desk.press("f")
        assert shown[0].startswith("1 refused edit: ")
        assert "claude     edit        a.py: " in shown[1]
        text = "\n".join(desk.press("\r", lines=50))
        assert "-    return 11" in text
        assert "+    return 1" in text
        assert desk.press("q")[0].startswith("1 refused edit: ")


class TestApplyHere:
    """A refused edit is asked for at a place, and written once it is approved."""

    def refuse(self, desk: Desk, text: str = "def one():\n    return 1\n") -> None:
        (desk.root / "a.py").write_text(text)
        plan = desk.workspace.plan_edit("a.py", "def one():\n    return 11\n", "def two():\n    return 2\n")
        assert plan.problems
        keep_refused(desk.workspace, plan, Screen().reader, tool="edit", actor="claude", session="s1")

    def test_it_is_written_after_the_approval(self, desk: Desk) -> None:
        self.refuse(desk)
        text = "\n".join(desk.press("f\r", lines=50))
        assert "Place 1: Lines 1 to 2 of the file" in text
        assert "The edit would have written:\n         def two():" in text
        shown = desk.press("a\r", lines=50)
        assert "a.py" in shown[0]
        assert any("+def two():" in line for line in shown)
        assert (desk.root / "a.py").read_text() == "def one():\n    return 1\n", "nothing is written before it"
        assert "Approved" in desk.press("a", lines=50)[-2]
        # Whoever approves and leaves at once has approved it.
        desk.views.__exit__(None, None, None)
        assert (desk.root / "a.py").read_text() == "def two():\n    return 2\n"
        assert "It was written by the commit" in desk.press(" ", lines=50)[-2]

    def test_it_is_not_written_if_it_is_rejected_or_left(self, desk: Desk) -> None:
        self.refuse(desk)
        desk.press("f\ra\rr", lines=50)
        desk.press("a\r", lines=50)
        desk.views.__exit__(None, None, None)
        assert (desk.root / "a.py").read_text() == "def one():\n    return 1\n"
        assert Inbox().count() == 0, "nothing waits for ever"

    @pytest.mark.parametrize("number", ["0", "2", "x", "-1", "", "²"])
    def test_only_a_place_that_is_shown(self, desk: Desk, number: str) -> None:
        self.refuse(desk)
        assert "Type a number from 1 to 1." in desk.press(f"f\ra\x15{number}\r", lines=50)[-2]
        assert Inbox().count() == 0

    def test_a_place_that_has_changed(self, desk: Desk) -> None:
        self.refuse(desk)
        desk.press("f\r")
        (desk.root / "a.py").write_text("def other():\n    return 1\n")
        assert "a.py has changed at lines 1 to 2" in desk.press("a\r")[-2]
        assert Inbox().count() == 0

    def test_an_edit_with_nothing_near(self, desk: Desk) -> None:
        (desk.root / "a.py").write_text("x\n")
        plan = desk.workspace.plan_edit("a.py", "completely(different, text)\n", "y\n")
        keep_refused(desk.workspace, plan, Screen().reader, tool="edit", actor="claude", session="s1")
        assert "There is no place to apply it at" in desk.press("f\ra")[-2]


def test_a_row_is_what_its_key_says() -> None:
    assert Row("[x] hunk 1/2 @@", key="@@").identity == Row("[ ] hunk 2/3 @@", key="@@").identity == "@@"
    assert Row("a").identity == "a"
