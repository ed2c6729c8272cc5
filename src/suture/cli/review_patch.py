"""`suture apply --review`: asks for one plan like an agent does, shows the question, and waits for the answer.

The question is in the queue of the workspace, so that any review that is open can answer. It is shown in the page if
that is installed and there is a desktop, otherwise in the terminal; without either, only others can answer. Nothing is
written here.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import sleep, time

from ..agent.answers import Decision
from ..agent.approval_folder import ApprovalFolder
from ..agent.local_server import listen, stop_on_signals
from ..agent.partial_approval import approved_plan
from ..agent.requests import Request
from ..core.display import printable
from ..core.paths import visible_path
from ..core.problems import PatchRejectedError, Problem
from ..review.notification import has_desktop
from ..review.review_settings import ReviewSettings
from ..state.state_folder import approvals_path
from .review_terminal import can_show, run_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from ..agent.answers import Answer
    from ..core.outcome import Plan
    from ..workspace.workspace import Workspace
    from .screen import Screen


def review_plan(workspace: Workspace, plan: Plan, screen: Screen, *, actor: str = "") -> Plan:
    """The part of a plan that is approved.

    Raises:
        PatchRejectedError: the plan has problems, or is rejected.
    """
    if plan.problems:
        raise PatchRejectedError(plan.problems, plan)
    request = Request.from_plan(plan, tool="suture apply", actor=actor or "suture apply")
    request = request.replace(workspace=workspace.root, time=time())
    folder = ApprovalFolder(approvals_path(workspace.root))
    answer = None
    folder.put(request)
    try:
        answer = _show(folder, request, ReviewSettings(workspace.root, request=request.id), screen)
    finally:
        folder.withdraw(request, answer)
    decision = None if answer is None else Decision(request, answer)
    if decision is None or answer is None:
        raise PatchRejectedError([Problem("rejected", "The review was closed without an answer.")])
    if answer.kind in ("reject", "unreachable") or not any(decision.is_approved(file.path) for file in request.files):
        said = f": {printable(answer.message)}" if answer.message else "."
        raise PatchRejectedError([Problem("rejected", f"The patch was rejected{said}")])
    for path, numbers in decision.left_out.items():
        screen.error(", ".join([f"Not approved: {visible_path(path)}", *[f"hunk {number}" for number in numbers]]))
    if answer.message:
        screen.error(f"Message: {printable(answer.message)}")
    return approved_plan(plan, decision)


def _show(folder: ApprovalFolder, request: Request, settings: ReviewSettings, screen: Screen) -> Answer | None:
    """Show the question until it is answered; None if the user leaves without an answer."""
    pages = None
    if has_desktop() or not can_show(screen):
        with suppress(PageNotInstalledError):
            pages = page_server()
    if pages is not None:
        answer, is_interrupted = asyncio.run(_serve(pages, folder, request, settings, screen))
        if is_interrupted:
            raise KeyboardInterrupt
        return answer
    if can_show(screen):
        run_terminal(settings, screen)
        return folder.answer(request)
    screen.error("Waiting for an answer: open `suture review` in a terminal of its own.")
    while (answer := folder.answer(request)) is None:
        sleep(folder.poll)
    return answer


async def _serve(
    pages: ModuleType, folder: ApprovalFolder, request: Request, settings: ReviewSettings, screen: Screen
) -> tuple[Answer | None, bool]:
    """Serve the page until the question is answered; the answer, and whether a signal came before it."""
    stop = asyncio.Event()
    review = pages.ReviewServer(settings)
    with (
        listen(settings.host, settings.port) as listener,
        stop_on_signals(stop.set),
        pages.announced(review, listener, screen.error),
    ):
        serving = asyncio.ensure_future(pages.run_server(review, listener, screen.error, stop))
        try:
            while (answer := folder.answer(request)) is None and not serving.done():
                await asyncio.wait([serving], timeout=folder.poll)
            is_interrupted = answer is None and stop.is_set()
        finally:
            stop.set()
            await serving
    return answer, is_interrupted


class PageNotInstalledError(Exception):
    """The page needs a package that is not installed. The message is its name."""


def page_server() -> ModuleType:
    """The module that serves the page, which needs an extra.

    Raises:
        PageNotInstalledError: a package of the extra is missing.
    """
    try:
        from ..review import serve
    except ModuleNotFoundError as error:
        if (error.name or "suture").partition(".")[0] == "suture":
            raise
        raise PageNotInstalledError(error.name) from None
    return serve
