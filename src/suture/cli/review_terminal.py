"""`suture review --terminal`: decide in the terminal, also over ssh. In a pipe it prints what waits, and exits.

This module has the terminal: keys in, lines out. What is shown, and what a key does, is in `pending_views`,
`review_views`, `history_views` and `refused_views`. The whole screen is drawn anew when a key is pressed or something
has changed, in plain lines that fit, so that it works in 80 columns and 24 lines and over a slow connection.
"""

from __future__ import annotations

import os
import sys

from ..agent.requests import describe
from ..core.display import one_line, printable
from ..core.problems import SutureError
from ..review.apply_here import AppliedHere
from ..review.inbox import Inbox
from ..review.notification import Notifier
from ..review.timeline import Timeline
from ..review.watch import Watch
from ..words.notebook_diff import cell_hunks
from .answer_draft import AnswerDraft, DraftError
from .arguments import UsageError
from .editor import edit_text
from .history_views import BlameView, TimelineView
from .pending_views import PendingList
from .refused_views import RefusedList
from .render import colored_diff, format_time
from .review_views import RequestView
from .screen import size
from .screen_limits import LONGEST_INPUT, MOST_DRAFTS
from .side_by_side import cut, display_width
from .terminal_view import HelpView, Row

if sys.platform == "win32":
    from .windows_terminal import WindowsTerminal as RawTerminal
else:
    from .raw_terminal import RawTerminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from ..agent.requests import Request
    from ..review.inbox import InboxItem
    from ..review.review_settings import ReviewSettings
    from .screen import Screen
    from .terminal_view import TerminalView


def run_terminal(settings: ReviewSettings, screen: Screen) -> int:
    """Show the terminal until the user quits; in a pipe, print what waits."""
    inbox = Inbox(settings.approvals)
    if not can_show(screen):
        return _print_all(inbox, screen)
    with (
        Notifier(inbox, settings.notify, folders=settings.approvals),
        RawTerminal(screen) as terminal,
        Watch(terminal.wake, folders=settings.approvals, roots=[settings.root]),
        ReviewViews(inbox, settings, screen, terminal) as views,
    ):
        while not views.is_done:
            terminal.draw(*views.draw(*size()))
            for key in terminal.read_keys():
                views.press(key)
            views.refresh()
    return 0


def can_show(screen: Screen) -> bool:
    """Whether there is a terminal that can show more than lines."""
    is_dumb = os.environ.get("TERM", "dumb") == "dumb"
    return screen.is_terminal and not is_dumb and sys.stdin is not None and sys.stdin.isatty()


def _print_all(inbox: Inbox, screen: Screen) -> int:
    items = inbox.pending()
    for item in items:
        screen.print(request_line(item.request))
        for reason in item.stale:
            screen.print(f"  Note: {printable(reason)}")
        for file in item.request.files:
            screen.print(f"  {printable(describe(file))}")
            for line in colored_diff(screen, [file.section.replace(hunks=cell_hunks(file.path, file.hunks))]):
                screen.print(f"    {line}")
    if not items:
        screen.error("Nothing waits for an answer.")
    return 0


def request_line(request: Request) -> str:
    """A request as a line: its id, when it was asked, who asks, and what it is about."""
    who = " ".join(filter(None, [one_line(request.tool), f"by {one_line(request.actor)}" if request.actor else ""]))
    reason = f"  ({one_line(request.reason)})" if request.reason else ""
    return f"{request.id}  {format_time(request.time)}  {who}  {one_line(request.action)}{reason}"


class ReviewViews:
    """The views that are open, one on top of the other, the line that is being typed, and what was said last."""

    def __init__(self, inbox: Inbox, settings: ReviewSettings, screen: Screen, terminal: RawTerminal) -> None:
        self.inbox = inbox
        self._terminal = terminal
        #: What was decided about requests that are not answered yet, by their ids.
        self._drafts: dict[str, AnswerDraft] = {}
        self._settings = settings
        self._screen = screen
        self._timeline: Timeline | None = None
        #: Refused edits that were asked for at a place; they wait for their answer while the review is open.
        self.applied = AppliedHere()
        self._said = ""
        #: The question, what was typed so far, and what to do with it.
        self._prompt: tuple[str, str, Callable[[str], None]] | None = None
        self._stack: list[TerminalView] = [PendingList(self)]
        if settings.request:
            self._stack = [RequestView(self, inbox.item(settings.request))]

    @property
    def is_done(self) -> bool:
        """Whether the user has left."""
        return not self._stack

    @property
    def is_for_one_request(self) -> bool:
        """Whether the review ends with its one request."""
        return bool(self._settings.request)

    @property
    def timeline(self) -> Timeline:
        """The history of the workspace, which is opened when it is first needed."""
        if self._timeline is None:
            self._timeline = Timeline.open(self._settings.root)
        return self._timeline

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.applied.close()
        if self._timeline is not None:
            self._timeline.workspace.close()

    def open(self, view: TerminalView) -> None:
        """Show a view on top of the others."""
        self._stack.append(view)

    def draft_of(self, item: InboxItem, *, anew: bool = False) -> AnswerDraft:
        """What was decided about a request so far."""
        draft = self._drafts.get(item.id)
        if draft is None or anew:
            if len(self._drafts) >= MOST_DRAFTS:
                del self._drafts[next(iter(self._drafts))]
            draft = self._drafts[item.id] = AnswerDraft(item.request, lambda path: self.inbox.texts(item.id, path))
        return draft

    def forget_draft(self, request_id: str) -> None:
        """The request is answered."""
        self._drafts.pop(request_id, None)

    def edit_text(self, text: str, name: str) -> str:
        """Let the user edit a text in an editor; the text as it was if the editor fails."""
        with self._terminal.lent():
            try:
                return edit_text(text, name, exact=True)
            except UsageError as error:
                raise DraftError(str(error)) from error

    def open_request(self, request: str) -> None:
        """Show a request."""
        self.open(RequestView(self, self.inbox.item(request)))

    def open_refused(self) -> None:
        """Show the refused edits of the workspace."""
        self._guarded(lambda: self.open(RefusedList(self, self._settings.root)))

    def open_timeline(self) -> None:
        """Show the history."""
        self._guarded(lambda: self.open(TimelineView(self)))

    def blame(self, path: str) -> None:
        """Show who wrote each line of a file."""
        self._guarded(lambda: self.open(BlameView(self, path)))

    def leave(self, view: TerminalView) -> None:
        """Close a view, if it is open, and those on top of it."""
        if view in self._stack:
            del self._stack[self._stack.index(view) :]
        for one in self._stack[-1:]:
            one.refresh()

    def close(self) -> None:
        """Leave the review."""
        self._stack = []

    def say(self, text: str) -> None:
        """Show a sentence until the next key."""
        self._said = text

    def ask(self, question: str, text: str, act: Callable[[str], None]) -> None:
        """Let the user type a line, beginning with a text."""
        self._prompt = question, text, act

    def press(self, key: str) -> None:
        """Do what a key says."""
        self._said = ""
        if self.is_done:
            return
        if self._prompt is not None:
            self._type(key)
        elif key == "interrupt" and self._settings.request:
            # The program waits for an answer to this one request.
            raise KeyboardInterrupt
        elif key in ("quit", "interrupt"):
            self.close()
        elif key == "?" and not isinstance(self._stack[-1], HelpView):
            self.open(HelpView(self, self._stack[-1]))
        else:
            self._guarded(lambda: self._stack[-1].press(key))

    def refresh(self) -> None:
        """Read anew what the view on top shows."""
        for view in self._stack[-1:]:
            self._guarded(view.refresh)

    def draw(self, columns: int, lines: int) -> tuple[list[str], bool]:
        """The lines of the screen, and whether the last one is being typed."""
        view = self._stack[-1]
        room = max(1, lines - 3)
        drawn = [self._fit(Row(view.title, "bold"), columns)]
        drawn += [self._fit(row, columns) for row in view.frame(columns, room)]
        drawn += [""] * (room + 1 - len(drawn))
        drawn.append(self._fit(Row(one_line(self._said or view.notice()), "yellow"), columns))
        if self._prompt is not None:
            typed = f"{self._prompt[0]}{one_line(self._prompt[1])}"
            # The end of what is typed stays visible.
            return [*drawn, typed[-(columns - 1) :]], True
        return [*drawn, self._fit(Row(view.keys, "dim"), columns)], False

    def _fit(self, row: Row, columns: int) -> str:
        """A row as the terminal gets it: cut to its width, in its style, with the marked words in another."""
        text = row.text if display_width(row.text) <= columns else f"{cut(row.text, columns - 1)}…"
        if not row.style:
            return text
        parts: list[str] = []
        done = 0
        for start, end in row.marks:
            parts.append(self._screen.style(text[done:start], row.style))
            parts.append(self._screen.style(text[start:end], f"{row.style}_word"))
            done = end
        parts.append(self._screen.style(text[done:], row.style))
        return "".join(parts)

    def _type(self, key: str) -> None:
        assert self._prompt is not None, "BUG: nothing is typed"
        question, text, act = self._prompt
        if key in ("quit", "interrupt", "back"):
            self._prompt = None
        elif key == "enter":
            self._prompt = None
            self._guarded(lambda: act(text))
        elif key == "clear":
            self._prompt = question, "", act
        elif key == "backspace":
            self._prompt = question, text[:-1], act
        elif len(key) == 1 and key.isprintable() and len(text) < LONGEST_INPUT:
            self._prompt = question, text + key, act

    def _guarded(self, act: Callable[[], None]) -> None:
        """Do something; say what is wrong with it."""
        try:
            act()
        except SutureError as error:
            self.say(error.problems[0].message)
        except OSError as error:
            self.say(str(error.strerror or error))
