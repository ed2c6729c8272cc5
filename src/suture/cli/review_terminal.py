"""`suture review --terminal`: decide in the terminal, also over ssh. In a pipe it prints what waits, and exits."""

from __future__ import annotations

from ..core.display import one_line, printable
from ..review.inbox import Inbox
from .render import colorize, format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..permissions.requests import Request
    from ..review.review_settings import ReviewSettings
    from .screen import Screen


def run_terminal(settings: ReviewSettings, screen: Screen) -> int:
    """Show the terminal until the user quits, or print what waits."""
    inbox = Inbox(settings.approvals)
    items = inbox.pending()
    for item in items:
        screen.print(request_line(item.request))
        for file in item.request.files:
            screen.print(f"  {printable(str(file))}")
            for line in colorize(screen, file.diff):
                screen.print(f"    {line}")
    if not items:
        screen.error("Nothing waits for an answer.")
    return 0


def request_line(request: Request) -> str:
    """A request as a line: its id, when it was asked, who asks, and what it is about."""
    who = " ".join(filter(None, [one_line(request.tool), f"by {one_line(request.actor)}" if request.actor else ""]))
    return f"{request.id}  {format_time(request.time)}  {who}  {one_line(request.subject)}"
