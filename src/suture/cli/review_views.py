"""The views of requests in `suture review --terminal`: what they show, and what each key does.

A view gives its rows and has a selected one. Nothing here knows about the terminal.
"""

from __future__ import annotations

import shlex
from time import monotonic

from ..core.display import one_line, visible_whitespace
from ..permissions.answers import Answer
from ..review.inbox import RefusedAnswerError
from .render import format_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal

    from ..permissions.requests import Request
    from ..review.inbox import InboxItem
    from .review_terminal import ReviewViews

#: How many rows a view has at most, and how many covered files are listed.
MOST_ROWS = 20_000
MOST_COVERED = 100
#: How long a key does not answer a request that has just taken the place of another, in seconds.
PAUSE = 1.0
#: How many rows a page key scrolls inside a long hunk.
PAGE = 15
SIGNS = {"+": "added", "-": "removed", "@": "cyan"}

#: A row: its text and its style.
Row = tuple[str, str]


class TerminalView:
    """Rows with a selected one. `keys` says what the keys do."""

    keys = ""
    title = ""

    def __init__(self, views: ReviewViews) -> None:
        self.views = views
        self.selected = 0
        #: How many rows it is scrolled beyond the selected ones.
        self.offset = 0

    def rows(self) -> list[Row]:
        """What it shows."""
        raise NotImplementedError

    def shown(self) -> tuple[int, int]:
        """The rows that should be visible, from and up to; by default, the selected one."""
        return self.selected, self.selected + 1

    def count(self) -> int:
        """How many rows can be selected."""
        return len(self.rows())

    def press(self, key: str) -> None:
        """Do what a key says."""
        moves = {"j": 1, "k": -1, "page down": 10, "page up": -10, "end": MOST_ROWS, "home": -MOST_ROWS}
        if key in moves:
            self.selected = max(0, min(self.count() - 1, self.selected + moves[key]))

    def refresh(self) -> None:
        """Read anew what it shows."""
        self.selected = max(0, min(self.count() - 1, self.selected))


def diff_rows(diff: str) -> list[Row]:
    """The lines of a diff, as many as a view has."""
    lines = diff.removesuffix("\n").split("\n")[:MOST_ROWS]
    return [(line[:1] + visible_whitespace(line[1:]), SIGNS.get(line[:1], "")) for line in lines]


class PendingList(TerminalView):
    """All requests that wait."""

    keys = "enter open  a approve  r reject  m message  A always  t timeline  q quit"

    def __init__(self, views: ReviewViews) -> None:
        super().__init__(views)
        self.items: list[InboxItem] = []
        #: When another request has taken the place of the selected one.
        self._replaced = 0.0
        self.refresh()

    @property
    def title(self) -> str:  # type: ignore[override]
        """How many wait."""
        count = len(self.items)
        return f"{count} request{'s' * (count != 1)} waiting" if count else "Nothing waits for an answer"

    def refresh(self) -> None:
        """Read the requests; the selected one stays selected."""
        chosen = self.items[self.selected].id if self.items else ""
        self.items = self.views.inbox.pending()
        place = next((n for n, item in enumerate(self.items) if item.id == chosen), None)
        if place is None and chosen:
            self._replaced = monotonic()
        self.selected = self.selected if place is None else place
        super().refresh()

    def rows(self) -> list[Row]:
        """A line for each."""
        rows = []
        for item in self.items:
            request = item.request
            time = format_time(request.time)[11:] if request.time else ""
            who = one_line(request.actor or "-")[:16]
            stale = "changed! " if item.stale else ""
            rows.append((f"{time:8} {who:16} {one_line(request.tool)[:12]:12} {stale}{one_line(request.subject)}", ""))
        return rows

    def press(self, key: str) -> None:
        """Open or answer the selected request, or go elsewhere."""
        item = self.items[self.selected] if self.items else None
        if key == "t":
            self.views.open_timeline()
        elif key in ("q", "quit", "back"):
            self.views.close()
        elif item is not None and key in ("enter", "l"):
            self.views.open(RequestView(self.views, item))
        elif key in ("a", "r") and monotonic() - self._replaced < PAUSE:
            self.views.say("Another request has taken this place: press the key again to answer it.")
        elif item is not None and key in ("a", "r", "m", "A"):
            RequestView(self.views, item).press(key)
        else:
            super().press(key)


class RequestView(TerminalView):
    """One request: who asks for what, and its hunks to choose from."""

    keys = "j/k hunk  space choose  a approve  r reject  m message  A always  q back"

    def __init__(self, views: ReviewViews, item: InboxItem) -> None:
        super().__init__(views)
        self.item = item
        request = item.request
        #: The hunks in order; a file without any is one choice. All are chosen at first.
        self.hunks = [
            (file.path, number) for file in request.files for number in (range(1, len(file.hunks) + 1) or (0,))
        ]
        self.chosen = set(self.hunks)
        self._starts: list[int] = []
        self._rows = self._all_rows(request)

    @property
    def title(self) -> str:  # type: ignore[override]
        """What is asked."""
        request = self.item.request
        return one_line(f"{request.actor or 'An agent'} asks: {request.permission} {request.subject}")

    def count(self) -> int:
        """How many hunks there are."""
        return len(self.hunks)

    def shown(self) -> tuple[int, int]:
        """The selected hunk."""
        ends = [*self._starts[1:], len(self._rows)]
        return (self._starts[self.selected], ends[self.selected]) if self._starts else (0, 1)

    def refresh(self) -> None:
        """Go back if the request is closed; tell if it has changed."""
        try:
            item = self.views.inbox.item(self.item.id)
        except RefusedAnswerError as gone:
            self.views.say(gone.reason)
            self.views.leave(self)
            return
        if item != self.item:
            self.item = item
            self._rows = self._all_rows(item.request)

    def rows(self) -> list[Row]:
        """The facts, and the hunks with their marks."""
        rows = list(self._rows)
        for number, start in enumerate(self._starts):
            text, style = rows[start]
            mark = "[x]" if self.hunks[number] in self.chosen else "[ ]"
            rows[start] = (f"{mark} {text}", "bold" if number == self.selected else style)
        return rows

    def press(self, key: str) -> None:
        """Choose hunks, or answer."""
        request = self.item.request
        if key in ("page down", "page up"):
            start, end = self.shown()
            self.offset = max(0, min(end - start - 1, self.offset + (PAGE if key == "page down" else -PAGE)))
        elif key == " " and self.hunks:
            self.chosen ^= {self.hunks[self.selected]}
        elif key == "a":
            self._approve(request)
        elif key == "r":
            self._answer(Answer.reject())
        elif key == "m":
            self.views.ask("Message for the model: ", "", lambda text: self._answer(Answer.reject(text)))
        elif key == "A":
            self.views.ask("Always for: ", join_globs(request.always), self._show_coverage)
        elif key in ("q", "back"):
            self.views.leave(self)
        else:
            self.offset = 0
            super().press(key)

    def _approve(self, request: Request) -> None:
        if len(self.chosen) == len(self.hunks):
            self._answer(Answer.once())
        elif not self.chosen:
            self.views.say("No hunk is chosen: press r to reject the request.")
        elif request.whole_only:
            self.views.say("Its changes depend on one another: approve all hunks or none.")
        else:
            hunks: dict[str, list[int] | Literal["all"]] = {
                file.path: [number for path, number in self.chosen if path == file.path and number] or "all"
                for file in request.files
                if any(path == file.path for path, _ in self.chosen)
            }
            self._answer(Answer.some(hunks))

    def _show_coverage(self, text: str) -> None:
        try:
            coverage = self.views.inbox.coverage(self.item.id, split_globs(text))
        except (RefusedAnswerError, ValueError) as error:
            self.views.say(str(error))
            return
        files, others = len(coverage.files) + coverage.more, len(coverage.requests)
        rows = [one_line(f"{' '.join(coverage.patterns)} covers {files} file{'s' * (files != 1)} as of now:")]
        rows += [f"  {one_line(path)}" for path in coverage.files[:MOST_COVERED]]
        rows += ["  …"] * (len(coverage.files) > MOST_COVERED or coverage.more > 0 or coverage.cut)
        rows += [f"It also approves {others} other request{'s' * (others != 1)} of this session."] * bool(others)
        rows += ["It does not cover this request, which is approved once."] * (not coverage.covers_request)
        self.views.open(CoverageView(self.views, rows, lambda: self._answer(Answer.always(*coverage.patterns))))

    def _answer(self, answer: Answer) -> None:
        try:
            self.views.inbox.answer(self.item.id, answer, self.item.fingerprint)
        except RefusedAnswerError as refused:
            self.views.say(f"Not answered. {refused.reason}")
            if refused.item is not None:
                self.item = refused.item
            return
        except ValueError as error:
            self.views.say(f"Not answered: {error}")
            return
        words = {"once": "Approved", "always": "Approved always", "some": "Approved in part", "reject": "Rejected"}
        self.views.say(f"{words[answer.kind]}: {one_line(self.item.request.subject)}")
        self.views.leave(self)

    def _all_rows(self, request: Request) -> list[Row]:
        facts = [("workspace", request.workspace), ("session", request.session), ("tool", request.tool)]
        facts += [("rule", request.rule or "no rule matches, so it asks")]
        facts += [("note", note) for file in request.files for note in file.notes]
        diagnostics = request.metadata.get("diagnostics")
        facts += [("errors", str(diagnostics))] if diagnostics else []
        rows: list[Row] = [(reason, "red") for reason in self.item.stale]
        rows += [(f"{name + ':':11}{one_line(value)}", "dim") for name, value in facts if value]
        self._starts = []
        for file in request.files:
            rows.append((one_line(str(file)), "bold"))
            if not file.hunks:
                self._starts.append(len(rows))
                rows.append(("the whole file: it has no lines to show", ""))
            for hunk in file.hunks:
                self._starts.append(len(rows))
                rows += diff_rows(hunk)
        return rows


class CoverageView(TerminalView):
    """What an answer "always" would cover, before it is given."""

    keys = "y answer always  q back"
    title = "Approve always?"

    def __init__(self, views: ReviewViews, rows: list[str], answer: Callable[[], None]) -> None:
        super().__init__(views)
        self._rows = rows
        self._act = answer

    def rows(self) -> list[Row]:
        """The patterns and the files."""
        return [(row, "") for row in self._rows]

    def press(self, key: str) -> None:
        """Answer, or go back."""
        if key in ("y", "q", "back"):
            self.views.leave(self)
            if key == "y":
                self._act()
        else:
            super().press(key)


def join_globs(globs: Iterable[str]) -> str:
    """Globs on one line. One with a blank or a quotation mark is in quotation marks."""
    return " ".join([shlex.quote(glob) if set(glob) & set(" \t'\"") else glob for glob in globs])


def split_globs(text: str) -> list[str]:
    """The globs on a line. A backslash is part of a glob.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    words.escape = words.commenters = ""
    return list(words)
