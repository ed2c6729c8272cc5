"""A refused edit at a place that a person points to: asked for like any other edit, and written once it is approved.

Nothing is searched. The lines of the place must still be those that the person saw.
"""

from __future__ import annotations

import threading
from time import time

from ..agent.answers import Decision
from ..agent.approval_folder import ApprovalFolder
from ..agent.configuration.project_workspace import open_project
from ..agent.partial_approval import approved_plan
from ..agent.requests import Request
from ..core.common_limits import LARGEST_CONTENT
from ..core.fingerprint import fingerprint
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..core.readers import COMMAND
from ..core.text import Text
from ..state.state_folder import approvals_path
from .review_limits import MOST_OUTCOMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..agent.answers import Answer
    from ..core.outcome import Plan
    from ..state.refused_files import RefusedEdit
    from ..workspace.workspace import Workspace

#: The tool that such a request names.
TOOL = "suture review"


def plan_here(workspace: Workspace, edit: RefusedEdit, problem: int, place: int) -> Plan:
    """The plan that replaces the lines of one place by what a refused edit wanted there.

    Raises:
        PatchRejectedError: the place is not the one that was kept any more, or the edit was not kept whole.
        IndexError: there is no such problem or place.
    """
    hunk = edit.problems[problem]
    excerpt = hunk.places[place]
    path = hunk.problem.path or ""
    if not hunk.is_whole:
        raise PatchRejectedError(
            [Problem("invalid_arguments", f"{path}: the edit was too long to be kept whole.", path)]
        )
    resolved = workspace.guard().resolve(path, relative_to="")
    data, _ = workspace.files.read(resolved.path, LARGEST_CONTENT)
    text = Text(data, workspace.encoding_of(resolved.path), path)
    lines = text.raw.split("\n")
    above, below = excerpt.start - excerpt.first, excerpt.end - excerpt.first + 1
    there = [line.removesuffix("\r") for line in lines[excerpt.start - 1 : excerpt.end]]
    if there != [line.removesuffix("\r") for line in excerpt.lines[above:below]]:
        message = f"{path} has changed at lines {excerpt.start} to {excerpt.end} since the edit was refused."
        raise PatchRejectedError([Problem("stale_file", message, path)])
    ending = "\r" if lines[excerpt.start - 1].endswith("\r") else ""
    new = [f"{line.removesuffix(chr(13))}{ending}" for line in hunk.new]
    raw = "\n".join([*lines[: excerpt.start - 1], *new, *lines[excerpt.end :]])
    content = text.content(raw)
    assert isinstance(content, bytes), "BUG: bytes in, bytes out"
    return workspace.plan_write(path, content, expected_sha256=fingerprint(data))


class AppliedHere:
    """Edits that wait for their approval, each in a thread of its own, and what became of them."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        #: By the id of the refused edit: the id of the request, and what became of it.
        self.outcomes: dict[str, tuple[str, str]] = {}

    def ask(self, root: str, edit: RefusedEdit, problem: int, place: int) -> str:
        """Ask for a refused edit at a place; the id of the request.

        Raises:
            SutureError: it can't be applied there.
            IndexError: there is no such problem or place.
        """
        with open_project(root) as workspace:
            plan = plan_here(workspace, edit, problem, place)
        if plan.problems:
            raise PatchRejectedError(plan.problems, plan)
        asker = edit.actor or edit.session or edit.tool
        reason = f"Apply the edit of {asker} that was refused, at a place that you chose."
        request = Request.from_plan(plan, tool=TOOL, actor="review", metadata={"refused": edit.id, "reason": reason})
        request = request.replace(workspace=root, time=time())
        folder = ApprovalFolder(approvals_path(root))
        folder.put(request)
        self._remember(edit.id, request.id, "")
        thread = threading.Thread(target=self._wait, args=(root, folder, request, plan, edit.id), daemon=True)
        self._threads = [*[one for one in self._threads if one.is_alive()], thread]
        thread.start()
        return request.id

    def close(self) -> None:
        """Withdraw what still waits."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _remember(self, edit: str, request: str, outcome: str) -> None:
        self.outcomes[edit] = request, outcome
        while len(self.outcomes) > MOST_OUTCOMES:
            self.outcomes.pop(next(iter(self.outcomes)))

    def _wait(self, root: str, folder: ApprovalFolder, request: Request, plan: Plan, edit: str) -> None:
        answer: Answer | None = None
        try:
            while answer is None and not self._stop.wait(folder.poll):
                answer = folder.answer(request)
            # Whoever approves and leaves at once has approved it.
            answer = answer or folder.answer(request)
        finally:
            folder.withdraw(request, answer)
        if answer is not None:
            self._remember(edit, request.id, _write(root, plan, Decision(request, answer)))


def _write(root: str, plan: Plan, decision: Decision) -> str:
    """Write what was approved; what became of it, as a sentence."""
    answer = decision.answer
    if answer is None or answer.kind in ("reject", "unreachable"):
        return "It was rejected."
    try:
        with open_project(root) as workspace:
            receipt = workspace.commit(approved_plan(plan, decision), actor="review", tool=TOOL)
    except SutureError as error:
        return error.told_to(COMMAND).problems[0].message if error.problems else str(error)
    return f"It was written by the commit {receipt.id}."
