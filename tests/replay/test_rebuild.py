"""An edit of a transcript is certain only if nothing else can have happened to its file."""

from __future__ import annotations

import pytest
from tests.shared import transcripts as made

from suture import StringEdit
from suture.replay.git_history import Histories
from suture.replay.rebuild import Rebuilder, contradicts, proven
from suture.replay.recorded_edit import OTHER_FILE, RecordedEdit
from suture.replay.recording import FileChange, RecordedCall, Turn
from suture.replay.transcript_limits import LONGEST_ANSWER

BAD = (StringEdit(*made.BAD),)


def session(*items: RecordedCall | Turn) -> list[RecordedEdit]:
    """The edits of a session that has these items."""
    return list(Rebuilder("x", "", items, Histories()).edits(set()))


def seen(name: str, text: str) -> RecordedCall:
    """A call that shows all of a file."""
    return RecordedCall(name, "read", changes=(FileChange("/a.py", "read", after=text),), accepted=True)


def rejected(answer: str = "String to replace not found") -> RecordedCall:
    """A rejected edit of the same file."""
    return RecordedCall("edit", "edit", changes=(FileChange("/a.py", "string", BAD),), accepted=False, answer=answer)


SHELL = RecordedCall("shell", "bash", may_write=True)


@pytest.mark.parametrize(
    ("items", "before", "origin"),
    [
        ([rejected()], None, "the file is not shown"),
        ([seen("1", made.AFTER), rejected()], made.AFTER, "session: seen right before"),
        ([rejected(), seen("1", made.AFTER)], made.AFTER, "session: seen right after"),
        ([seen("1", made.AFTER), SHELL, rejected()], None, "changed in between"),
        ([rejected(), SHELL, seen("1", made.AFTER)], None, "changed in between"),
        ([rejected(), Turn("p", is_prompt=True), seen("1", made.AFTER)], None, "changed in between"),
        ([rejected(), Turn("t", tokens=5), seen("1", made.AFTER)], made.AFTER, "session: seen right after"),
        ([seen("1", made.AFTER), SHELL, rejected(), SHELL, seen("2", made.AFTER)], made.AFTER,
         "session: the same before and after"),
        ([seen("1", made.AFTER), SHELL, rejected(), SHELL, seen("2", made.LAST)], None, "changed in between"),
        ([seen("1", made.BAD[0]), rejected()], None, "the file found does not agree with the tool's answer"),
        ([seen("1", made.AFTER), rejected("Found 2 matches of the string")], None,
         "the file found does not agree with the tool's answer"),
    ],
)  # fmt: skip
def test_the_file_of_a_rejected_edit_is_certain_if_nothing_can_have_changed_it(
    items: list[RecordedCall | Turn], before: str | None, origin: str
) -> None:
    [edit] = session(*items)
    assert (edit.before, edit.origin) == (before, origin)


ONE, TWO = (StringEdit("old", "new"),), (StringEdit("old", "new"), StringEdit("other", "new"))


@pytest.mark.parametrize(
    ("reason", "before", "edit", "is_contradiction"),
    [
        ("not found", "nothing", ONE, False),
        ("not found", "old", ONE, True),
        ("not found", "old old", ONE, True),
        ("several matches", "nothing", ONE, True),
        ("several matches", "old", ONE, True),
        ("several matches", "old old", ONE, False),
        # Another reason says nothing about the text.
        ("file not read", "nothing", ONE, False),
        ("file not read", "old", ONE, False),
        ("file not read", "old old", ONE, False),
        # Of several edits, or of a patch, the answer may be about any part.
        ("not found", "old", TWO, False),
        ("several matches", "old", TWO, False),
        ("not found", "old", "@@\n-old\n+new\n", False),
    ],
)
def test_a_text_contradicts_an_answer_that_the_tool_cannot_have_given_about_it(
    reason: str, before: str, edit: tuple[StringEdit, ...] | str, is_contradiction: bool
) -> None:
    assert contradicts(reason, before, edit) is is_contradiction


@pytest.mark.parametrize(("replace_all", "result"), [(True, "new\nnew\n"), (False, None)])
def test_an_edit_of_a_text_with_several_matches_was_accepted_only_if_it_was_for_all(
    replace_all: bool, result: str | None
) -> None:
    diff = "@@ -1,2 +1,2 @@\n-old\n-old\n+new\n+new"
    edit = StringEdit("old", "new", replace_all)
    assert proven("old\nold\n", FileChange("/a.py", "string", (edit,), diff=diff)) == result


def test_only_the_beginning_of_an_answer_is_kept_and_read() -> None:
    answer = "String to replace not found" + " " * LONGEST_ANSWER + "in b.py"
    changes = tuple(FileChange(path, "string", BAD) for path in ("/a.py", "/b.py"))
    edits = session(RecordedCall("both", "edit", changes=changes, accepted=False, answer=answer))
    assert [edit.reason for edit in edits] == ["not found", "not found"]
    assert {len(edit.answer) for edit in edits} == {2000}


def test_an_accepted_edit_without_a_result_makes_its_file_unknown() -> None:
    good = RecordedCall(
        "good", "edit", changes=(FileChange("/a.py", "string", (StringEdit(*made.GOOD),)),), accepted=True
    )
    first, second = session(seen("1", made.BEFORE), good, rejected())
    assert (first.before, second.before) == (None, None)


def test_a_recorded_result_alone_does_not_say_what_was_there_before() -> None:
    change = FileChange("/a.py", "string", (StringEdit(*made.GOOD),), after=made.AFTER)
    [edit] = session(RecordedCall("good", "edit", changes=(change,), accepted=True))
    assert (edit.before, edit.origin) == (None, "no result is recorded")


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [
        ("String to replace not found in b.py", [OTHER_FILE, "not found"]),
        ("Found 2 matches of the string in b.py", ["several matches", "several matches"]),
        ("String to replace not found", ["not found", "not found"]),
    ],
)
def test_an_edit_is_not_blamed_for_a_text_that_was_not_found_in_another_file_of_the_call(
    answer: str, reasons: list[str]
) -> None:
    changes = tuple(FileChange(path, "string", BAD) for path in ("/a.py", "/b.py"))
    edits = session(RecordedCall("both", "edit", changes=changes, accepted=False, answer=answer))
    assert [edit.reason for edit in edits] == reasons


def test_what_follows_a_rejected_edit_ends_at_the_next_edit_of_its_file() -> None:
    """Reading the file, and editing others, is a part of it."""
    other = FileChange("/other.py", "string", (StringEdit("old", "new"),))
    edit_of_another = RecordedCall("other", "edit", changes=(other,), accepted=True)
    again = rejected().replace(id="again")
    edit, *_ = session(rejected(), seen("1", made.AFTER), edit_of_another, Turn("t", tokens=9), again, SHELL)
    assert (edit.follow_up_calls, edit.follow_up_tokens) == (3, 9)
