"""`skip_applied`: what is applied already is skipped and named, and the rest goes on."""

from __future__ import annotations

import asyncio

import pytest

from suture import Hunk, PatchRejectedError, Session, StringEdit, Workspace, apply_in_memory, multiedit, update
from suture.agent import Rules
from suture.workspace import MemoryFiles

TEXT = "import os\nimport sys\n\ndef f():\n    return 1\n"
AGAIN = Hunk((" import os", "+import sys", " "))
CHANGE = Hunk((" def f():", "-    return 1", "+    return 2"))
RESULT = TEXT.replace("1", "2")


@pytest.mark.parametrize("dialect", ["standard", "strict"])
@pytest.mark.parametrize("hunks", [[AGAIN, CHANGE], [CHANGE, AGAIN]])
def test_a_hunk_that_is_applied_already_is_skipped_where_the_caller_says_so(dialect: str, hunks: list[Hunk]) -> None:
    """SPEC §13: "In a batch or a list it names the edit, and the rest can go on where the caller says so"."""
    with pytest.raises(PatchRejectedError) as refused:
        update(TEXT, hunks, dialect=dialect)
    assert refused.value.problems[0].details["hunkIndex"] == hunks.index(AGAIN)
    done = update(TEXT, hunks, dialect=dialect, skip_applied=True)
    assert done.text == RESULT
    assert [match.hunk for match in done.matches] == [1, 2]
    skipped = done.matches[hunks.index(AGAIN)]
    assert [concession.name for concession in skipped.concessions] == ["already_applied"]
    assert skipped.end == skipped.start - 1


def test_a_hunk_whose_old_lines_are_gone_is_skipped_too() -> None:
    done = update(RESULT, [CHANGE, Hunk((" import os", "-import sys", "+import re"))], skip_applied=True)
    assert done.text == RESULT.replace("sys", "re")


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_where_the_first_place_counts_a_skipped_hunk_still_says_from_where_on(dialect: str) -> None:
    """The hunk after it must not be placed above it, where it would not be without the skip."""
    text = "head\nx = 1\nfoot\nmark = 2\nalpha\nx = 1\nfoot\n"
    hunks = [Hunk(("-mark = 1", "+mark = 2", " alpha")), Hunk(("-x = 1", "+x = 9"))]
    expected = "head\nx = 1\nfoot\nmark = 2\nalpha\nx = 9\nfoot\n"
    assert update(text.replace("mark = 2", "mark = 1"), hunks, dialect=dialect).text == expected
    done = update(text, hunks, dialect=dialect, skip_applied=True)
    assert done.text == expected
    assert [concession.name for concession in done.matches[0].concessions] == ["already_applied"]
    assert done.matches[1].start == 6


def test_other_problems_name_the_hunk_by_its_number_in_the_patch() -> None:
    absent = Hunk((" nowhere", "-to be", "+found"))
    with pytest.raises(PatchRejectedError) as refused:
        update(TEXT, [AGAIN, CHANGE, absent], skip_applied=True)
    assert [problem.details["hunkIndex"] for problem in refused.value.problems] == [2]
    assert "Hunk 3 of 3" in refused.value.problems[0].message


def test_a_text_that_has_all_of_it_stays_as_it_is() -> None:
    assert update(TEXT, [AGAIN], skip_applied=True).text == TEXT
    assert multiedit(TEXT, [("import os\n", "import os\nimport sys\n")], skip_applied=True).text == TEXT


@pytest.mark.parametrize("against", ["result", "original"])
def test_an_edit_of_a_list_that_is_applied_already_is_skipped(against: str) -> None:
    edits = [StringEdit("import os\n", "import os\nimport sys\n"), StringEdit("return 1", "return 2")]
    with pytest.raises(PatchRejectedError):
        multiedit(TEXT, edits, against=against)  # type: ignore[arg-type]
    done = multiedit(TEXT, edits, against=against, skip_applied=True)  # type: ignore[arg-type]
    assert done.text == RESULT
    assert [edit.spans == () for edit in done.edits] == [True, False]
    assert [concession.name for concession in done.edits[0].concessions] == ["already_applied"]


def test_a_patch_goes_on_with_its_other_files() -> None:
    patch = """*** Begin Patch
*** Update File: a.py
@@
 import os
+import sys
*** Update File: b.py
@@
-x = 1
+x = 2
*** End Patch
"""
    texts = {"a.py": TEXT, "b.py": "x = 1\n"}
    with pytest.raises(PatchRejectedError):
        apply_in_memory(patch, texts)
    done = apply_in_memory(patch, texts, skip_applied=True)
    assert done.texts == {"a.py": TEXT, "b.py": "x = 2\n"}
    assert done.plan.changes[0].matches[0].concessions[0].name == "already_applied"


def test_a_session_goes_on_with_the_rest_and_records_nothing_if_there_is_none() -> None:
    workspace = Workspace(MemoryFiles({"a.py": TEXT}), skip_applied=True)
    applied = {"oldString": "import os\n", "newString": "import os\nimport sys\n"}
    section = "*** Begin Patch\n*** Update File: a.py\n@@\n import os\n+import sys\n"

    async def run() -> list[tuple[str, object]]:
        session = Session(workspace, rules=Rules([("*", "*", "allow")]))
        await session.read("a.py")
        calls: list[tuple[str, dict[str, object]]] = [
            ("apply_patch", {"patchText": f"{section}*** Add File: b.py\n+x = 1\n*** End Patch\n"}),
            ("apply_patch", {"patchText": f"{section}*** End Patch\n"}),
            ("multiedit", {"filePath": "a.py", "edits": [applied]}),
            (
                "multiedit",
                {"filePath": "a.py", "edits": [applied, {"oldString": "import os", "newString": "import re"}]},
            ),
        ]
        results = [await session.call(name, arguments) for name, arguments in calls]
        await session.close()
        return [(result.output.partition(".")[0], len(result.metadata["receipts"])) for result in results]

    assert asyncio.run(run()) == [
        ("Patch applied successfully", 1),
        ("Nothing was changed", 0),
        ("Nothing was changed", 0),
        ("All edits applied successfully", 1),
    ]
    assert len(workspace.log()) == 2
