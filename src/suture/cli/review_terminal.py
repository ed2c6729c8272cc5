"""`suture review --terminal`: decide in the terminal, also over ssh. In a pipe it prints what waits, and exits.

This module has the terminal: keys in, lines out. What is shown, and what a key does, is in `review_views` and
`history_views`. The whole screen is drawn anew when a key is pressed or something has changed, in plain lines that fit,
so that it works in 80 columns and 24 lines and over a slow connection.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import suppress

from ..agent.requests import describe
from ..core.display import one_line, printable
from ..core.problems import SutureError
from ..review.inbox import Inbox
from ..review.notification import Notifier
from ..review.timeline import Timeline
from ..review.watch import Watch
from .history_views import BlameView, TimelineView
from .render import colored_diff, format_time
from .review_views import PendingList, RequestView
from .screen import size
from .side_by_side import cut, display_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Self

    from ..agent.requests import Request
    from ..review.review_settings import ReviewSettings
    from .screen import Screen
    from .terminal_view import TerminalView

#: How often requests are looked at although nothing was told, in seconds: a killed program tells nobody.
TICK = 1.0
#: The most characters that can be typed.
LONGEST_INPUT = 4000
#: The keys that a terminal sends as several characters.
SEQUENCES = {
    "\x1b[A": "k",
    "\x1b[B": "j",
    "\x1bOA": "k",
    "\x1bOB": "j",
    "\x1b[C": "enter",
    "\x1b[D": "back",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b": "back",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x15": "clear",
    "\x03": "interrupt",
    "\x04": "quit",
}


def run_terminal(settings: ReviewSettings, screen: Screen) -> int:
    """Show the terminal until the user quits; in a pipe, print what waits."""
    inbox = Inbox(settings.approvals)
    if not can_show(screen):
        return _print_all(inbox, screen)
    with (
        Notifier(inbox, settings.notify, folders=settings.approvals),
        _RawTerminal(screen) as terminal,
        Watch(terminal.wake, folders=settings.approvals, roots=[settings.root]),
        ReviewViews(inbox, settings, screen) as views,
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
            for line in colored_diff(screen, [file.section]):
                screen.print(f"    {line}")
    if not items:
        screen.error("Nothing waits for an answer.")
    return 0


def request_line(request: Request) -> str:
    """A request as a line: its id, when it was asked, who asks, and what it is about."""
    who = " ".join(filter(None, [one_line(request.tool), f"by {one_line(request.actor)}" if request.actor else ""]))
    return f"{request.id}  {format_time(request.time)}  {who}  {one_line(request.subject)}"


class ReviewViews:
    """The views that are open, one on top of the other, the line that is being typed, and what was said last."""

    def __init__(self, inbox: Inbox, settings: ReviewSettings, screen: Screen) -> None:
        self.inbox = inbox
        self._settings = settings
        self._screen = screen
        self._timeline: Timeline | None = None
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
        if self._timeline is not None:
            self._timeline.workspace.close()

    def open(self, view: TerminalView) -> None:
        """Show a view on top of the others."""
        self._stack.append(view)

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
        drawn = [self._fit(view.title, columns, "bold")]
        drawn += [self._fit(text, columns, style) for text, style in view.frame(columns, room)]
        drawn += [""] * (room + 1 - len(drawn))
        drawn.append(self._fit(one_line(self._said or view.notice()), columns, "yellow"))
        if self._prompt is not None:
            typed = f"{self._prompt[0]}{one_line(self._prompt[1])}"
            # The end of what is typed stays visible.
            return [*drawn, typed[-(columns - 1) :]], True
        return [*drawn, self._fit(view.keys, columns, "dim")], False

    def _fit(self, text: str, columns: int, style: str) -> str:
        plain = text if display_width(text) <= columns else f"{cut(text, columns - 1)}…"
        return self._screen.style(plain, style) if style else plain

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


class _RawTerminal:
    """The terminal without echo and line editing, on its alternate screen; as it was before, afterwards."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._input = sys.stdin.fileno()
        self._before: Any = None
        self._awake = os.pipe()
        self._drawn = ""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._input)
        tty.setraw(self._input, termios.TCSADRAIN)
        os.set_blocking(self._awake[1], False)
        self._screen.write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
        for descriptor in self._awake:
            os.close(descriptor)

    def wake(self) -> None:
        """End the wait for a key, from any thread."""
        with suppress(BlockingIOError):  # then it is awake already
            os.write(self._awake[1], b"!")

    def read_keys(self) -> list[str]:
        """The keys that were pressed, after a wait; none if something else has happened."""
        ready, _, _ = select.select([self._input, self._awake[0]], [], [], TICK)
        if self._awake[0] in ready:
            os.read(self._awake[0], 1000)
        if self._input not in ready:
            return []
        # A terminal that is gone is at its end.
        return split_keys(os.read(self._input, 1000).decode("utf-8", "ignore")) or ["quit"]

    def draw(self, lines: list[str], cursor: bool) -> None:
        """Show these lines, and the cursor at the end of the last one if that is edited."""
        screen_text = "\r\n".join([f"{line}\x1b[K" for line in lines])
        text = f"\x1b[H{screen_text}\x1b[J\x1b[?25{'h' if cursor else 'l'}"
        if text != self._drawn:
            self._drawn = text
            self._screen.write(text)


def split_keys(text: str) -> list[str]:
    """The keys in what a terminal has sent: names for special ones, characters for all others."""
    keys = []
    while text:
        sequence = next((one for one in SEQUENCES if text.startswith(one) and one != "\x1b"), None)
        if sequence is None and text[0] == "\x1b" and len(text) > 2 and text[1] in "[O":
            # A sequence of a key that is not used: up to its letter.
            end = next((n for n, char in enumerate(text[2:], 3) if char.isalpha() or char == "~"), len(text))
            text = text[end:]
            continue
        sequence = sequence or text[0]
        keys.append(SEQUENCES.get(sequence, sequence))
        text = text[len(sequence) :]
    return keys
