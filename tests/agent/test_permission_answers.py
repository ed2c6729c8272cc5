"""What a model is told of permissions, word for word: `tests/golden/permission-<name>.txt`.

To write the golden files anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/test_permission_answers.py
"""

from __future__ import annotations

import pytest
from tests.shared.goldens import FOLDER, compare
from tests.shared.hunks import hunks_of
from tests.shared.permission_requests import edit, refusal, three_hunk_request, three_hunks

from suture import Workspace
from suture.agent.answers import Answer, Decision
from suture.agent.approvers import ApprovalQueue, Callback, DenyAll
from suture.agent.authorization import Permissions
from suture.agent.requests import Request
from suture.workspace import Change, MemoryFiles


@pytest.mark.parametrize("numbers", [[0], [-1], [4], [1, 4], [True], ["1"]], ids=str)
def test_an_answer_names_hunks_that_the_request_has(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="has 3 hunks; there is no hunk"):
        Answer("some", hunks={"a.py": tuple(numbers)}).check(three_hunk_request())


def test_an_answer_may_name_the_first_and_the_last_hunk() -> None:
    Answer.some({"a.py": [1, 3]}).check(three_hunk_request())


def _refused(name: str) -> str:
    files = edit("src/app.py", "uv.lock")
    cases: dict[str, tuple[Permissions, Request]] = {
        "denied": (Permissions([("edit", "*.lock", "deny")]), files),
        "denied-read": (Permissions([("read", "secrets", "deny")]), edit("secrets/a").replace(permission="read")),
        "denied-external": (
            Permissions([("external_directory", "*", "deny")]),
            Request("r1", "external_directory", (Change("update", "/data/a.txt", resolved="/data/a.txt"),)),
        ),
        "denied-other": (Permissions([("web", "*", "deny")]), Request("r1", "web")),
        "nobody": (Permissions(), files),
        "declined": (Permissions(approver=DenyAll()), files),
        "declined-with-reason": (Permissions(approver=DenyAll("Edits are frozen.")), files),
        "unreachable": (Permissions(approver=Callback(lambda _: Answer.unreachable())), files),
        "unreachable-with-reason": (
            Permissions(approver=Callback(lambda _: Answer.unreachable("the client is gone"))),
            files,
        ),
        "rejected": (Permissions(approver=Callback(lambda _: Answer.reject())), files),
        "rejected-with-message": (
            Permissions(approver=Callback(lambda _: Answer.reject("Keep the old name."))),
            edit("src/app.py"),
        ),
        "timeout": (Permissions(approver=ApprovalQueue(), timeout=0.001), files),
        "approver-failed": (Permissions(approver=Callback(lambda _: 1 / 0)), files),  # type: ignore[arg-type, return-value]
    }
    return refusal(*cases[name]).for_model()


def _partly(name: str) -> str:
    before, after = three_hunks()
    workspace = Workspace(MemoryFiles({"src/app.py": before, "b.py": "b\n"}))
    plan = workspace.plan_write("src/app.py", after)
    request = Request.from_plan(plan)
    request = request.replace(files=(*request.files, Change("delete", "b.py", hunks=hunks_of("@@ -1 +0,0 @@\n-b\n"))))
    answer = {
        "some-hunks": Answer.some({"src/app.py": [1, 3], "b.py": "all"}),
        "some-files": Answer.some({"src/app.py": [2]}, "Leave b.py, it is still in use."),
        "allowed-with-message": Answer.once("Run the tests afterwards."),
    }[name]
    answer.check(request)
    return Decision(request, answer).for_model()


REFUSED = [
    "declined",
    "declined-with-reason",
    "unreachable",
    "unreachable-with-reason",
    "denied",
    "denied-read",
    "denied-external",
    "denied-other",
    "nobody",
    "rejected",
    "rejected-with-message",
    "timeout",
    "approver-failed",
]
PARTLY = ["some-hunks", "some-files", "allowed-with-message"]


@pytest.mark.parametrize("name", [*REFUSED, *PARTLY])
def test_what_a_model_is_told_reads_as_its_golden_file(name: str) -> None:
    text = (_refused(name) if name in REFUSED else _partly(name)) + "\n"
    compare(f"permission-{name}.txt", text)


def test_every_golden_file_has_its_case() -> None:
    found = {file.stem for file in FOLDER.glob("permission-*.txt")}
    assert found == {f"permission-{name}" for name in [*REFUSED, *PARTLY]}
