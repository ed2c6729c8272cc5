"""What a person decides about a request, and the answer that comes of it."""

from __future__ import annotations

import pytest

from suture import Workspace
from suture.agent import Request
from suture.agent.answers import Decision
from suture.agent.partial_approval import approved_plan
from suture.cli.answer_draft import AnswerDraft, DraftError
from suture.review.file_texts import FileTexts
from suture.workspace import MemoryFiles, Plan

BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
AFTER = BEFORE.replace("line 2\n", "two\n").replace("line 4\n", "four\n").replace("line 20\n", "twenty\n")


def plan_of(before: str = BEFORE, after: str = AFTER) -> Plan:
    return Workspace(MemoryFiles({"a.py": before})).plan_write("a.py", after)


def draft_of(plan: Plan, before: str = BEFORE, after: str = AFTER) -> AnswerDraft:
    return AnswerDraft(Request.from_plan(plan), lambda path: FileTexts(path, before, after))


def written(plan: Plan, draft: AnswerDraft) -> str:
    """What the answer of a draft writes."""
    answer = draft.approval()
    answer.check(draft.request)
    part = approved_plan(plan, Decision(draft.request, answer))
    return part.files[0].content.decode() if part.files else ""


class TestChoices:
    def test_everything_is_approved_at_first(self) -> None:
        draft = draft_of(plan_of())
        assert draft.is_whole
        assert draft.approval().kind == "once"

    def test_a_hunk_is_left_out_by_its_number(self) -> None:
        plan = plan_of()
        draft = draft_of(plan)
        draft.files[0].chosen = {1}
        assert draft.approval().hunks == {"a.py": (2,)}
        assert written(plan, draft) == BEFORE.replace("line 20\n", "twenty\n")

    def test_without_a_choice_there_is_no_approval(self) -> None:
        draft = draft_of(plan_of())
        draft.files[0].chosen.clear()
        with pytest.raises(DraftError, match="press r"):
            draft.approval()


class TestSplitting:
    def test_a_part_of_a_hunk_is_left_out(self) -> None:
        plan = plan_of()
        draft = draft_of(plan)
        draft.split(draft.files[0], 0)
        assert len(draft.choices) == 3
        draft.files[0].chosen = {1, 2}
        answer = draft.approval()
        assert answer.hunks == {}
        assert written(plan, draft) == BEFORE.replace("line 4\n", "four\n").replace("line 20\n", "twenty\n")

    def test_all_parts_are_the_hunk(self) -> None:
        draft = draft_of(plan_of())
        draft.split(draft.files[0], 0)
        assert not draft.is_whole
        assert draft.approval().kind == "once"
        assert draft.approval().edits == {}

    def test_the_parts_of_a_hunk_that_is_left_out_are_left_out(self) -> None:
        draft = draft_of(plan_of())
        file = draft.files[0]
        file.chosen = {1}
        draft.split(file, 0)
        assert file.chosen == {2}

    def test_where_no_line_stays_lines_are_split(self) -> None:
        before, after = "a\nb\n", "A\nB\n"
        plan = plan_of(before, after)
        draft = draft_of(plan, before, after)
        draft.split(draft.files[0], 0)
        draft.files[0].chosen = {1}
        assert written(plan, draft) == "a\nB\n"
        with pytest.raises(DraftError, match="can't be split"):
            draft.split(draft.files[0], 0)


class TestEditing:
    def test_the_edited_text_is_the_answer(self) -> None:
        plan = plan_of()
        draft = draft_of(plan)
        assert draft.edit(draft.files[0], lambda text: text.replace("two", "TWO"))
        assert written(plan, draft) == AFTER.replace("two", "TWO")
        assert draft.approval().edits == {"a.py": AFTER.replace("two", "TWO")}

    def test_the_editor_has_the_chosen_hunks_alone(self) -> None:
        draft = draft_of(plan_of())
        draft.files[0].chosen = {1}
        shown: list[str] = []

        def editor(text: str) -> str:
            shown.append(text)
            return text

        assert not draft.edit(draft.files[0], editor)
        assert shown == [BEFORE.replace("line 20\n", "twenty\n")]

    def test_a_hunk_of_the_edited_text_can_be_left_out(self) -> None:
        plan = plan_of()
        draft = draft_of(plan)
        draft.edit(draft.files[0], lambda text: text.replace("twenty", "TWENTY"))
        draft.files[0].chosen = {1}
        assert written(plan, draft) == BEFORE.replace("line 20\n", "TWENTY\n")

    def test_the_file_as_it_is_is_no_edit(self) -> None:
        draft = draft_of(plan_of())
        with pytest.raises(DraftError, match="as it is"):
            draft.edit(draft.files[0], lambda _: BEFORE)

    def test_carriage_returns_that_an_editor_drops_come_back(self) -> None:
        before, after = "a\r\nb\r\n", "a\r\nB\r\n"
        plan = plan_of(before, after)
        draft = draft_of(plan, before, after)
        draft.edit(draft.files[0], lambda text: text.replace("\r\n", "\n").replace("B", "BB"))
        assert written(plan, draft) == "a\r\nBB\r\n"

    def test_what_depends_on_one_another_is_neither_split_nor_edited(self) -> None:
        draft = draft_of(plan_of())
        whole = AnswerDraft(draft.request.replace(whole_only=True), lambda path: FileTexts(path, BEFORE, AFTER))
        for act in (lambda: whole.split(whole.files[0], 0), lambda: whole.edit(whole.files[0], str)):
            with pytest.raises(DraftError, match="depend on one another"):
                act()

    def test_a_text_that_can_not_be_shown_says_why(self) -> None:
        draft = AnswerDraft(draft_of(plan_of()).request, lambda path: FileTexts(path, None, None, "It is too large."))
        with pytest.raises(DraftError, match="too large"):
            draft.split(draft.files[0], 0)


class TestRemarks:
    def test_comments_and_the_message_go_with_every_answer(self) -> None:
        draft = draft_of(plan_of())
        draft.message = "Almost."
        draft.comment(draft.files[0], "2 why?")
        draft.comment(draft.files[0], "-4: keep it")
        for answer in (draft.approval(), draft.rejection()):
            answer.check(draft.request)
            assert answer.message == "Almost."
            assert [str(one) for one in answer.comments] == ["a.py:2: why?", "a.py:4 (before the change): keep it"]

    @pytest.mark.parametrize("text", ["", "why?", "0 why?", "2", "2 ", "²  why?", "12345678 why?", "--2 why?"])
    def test_a_comment_has_the_number_of_a_line_and_a_text(self, text: str) -> None:
        draft = draft_of(plan_of())
        with pytest.raises(DraftError):
            draft.comment(draft.files[0], text)
