"""The views of requests in `suture review --terminal`: what they show, and what each key does.

What has not been on the screen can't be approved: a list only opens a request, and a request is approved once all of
its chosen hunks were shown.
"""

from __future__ import annotations

import shlex
from time import monotonic

from ..agent.answers import Answer
from ..agent.requests import describe, is_told_by_name, notes_of, without_lines
from ..core.display import one_line, plural
from ..review.inbox import RefusedAnswerError
from .render import format_time
from .terminal_view import ScrolledView, TerminalView, hunk_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal

    from ..agent.requests import Request
    from ..review.inbox import InboxItem
    from .review_terminal import ReviewViews
    from .terminal_view import Row

#: How long a key does not answer a request that has just taken the place of another, in seconds.
PAUSE = 1.0


class PendingList(TerminalView):
    """All requests that wait."""

    keys = "enter open  r reject  m message  t timeline  q quit"

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
        return f"{count} {plural('request', count)} waiting" if count else "Nothing waits for an answer"

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
        elif item is not None and key in ("a", "A"):
            self.views.open(RequestView(self.views, item))
            self.views.say("Look at it first: press the key again to approve it.")
        elif key == "r" and monotonic() - self._replaced < PAUSE:
            self.views.say("Another request has taken this place: press the key again to answer it.")
        elif item is not None and key in ("r", "m"):
            RequestView(self.views, item).press(key)
        else:
            super().press(key)


class RequestView(ScrolledView):
    """One request: who asks for what, and its hunks to choose from."""

    keys = "j/k hunk  space choose  a approve  r reject  m message  A always  q back"

    def __init__(self, views: ReviewViews, item: InboxItem) -> None:
        super().__init__(views)
        request = item.request
        #: The hunks in order; a file without any is one choice. All are chosen at first.
        self.hunks = [
            (file.path, number) for file in request.files for number in (range(1, len(file.hunks) + 1) or (0,))
        ]
        self.chosen = set(self.hunks)
        self._load(item)

    def _load(self, item: InboxItem) -> None:
        """Show a request, as it is now."""
        self.item = item
        #: The first row of each hunk, and the one behind its last.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._rows = self._all_rows(item.request)
        self.forget_seen()

    @property
    def title(self) -> str:  # type: ignore[override]
        """What is asked."""
        request = self.item.request
        return one_line(f"{request.actor or 'An agent'} asks: {request.permission} {request.subject}")

    def count(self) -> int:
        """How many hunks there are."""
        return len(self.hunks)

    def is_selected(self, row: int) -> bool:
        """Whether a row is of the selected hunk."""
        return bool(self.hunks) and row in self._rows_of(self.selected)

    def refresh(self) -> None:
        """Go back if the request is closed; tell if it has changed."""
        try:
            item = self.views.inbox.item(self.item.id)
        except RefusedAnswerError as gone:
            self.views.say(gone.reason)
            self.views.leave(self)
            return
        if item != self.item:
            self._load(item)

    def rows(self) -> list[Row]:
        """The facts, and the hunks with their marks."""
        return self._rows

    def press(self, key: str) -> None:
        """Choose hunks, or answer."""
        request = self.item.request
        if key in ("page down", "page up", "home", "end"):
            super().press(key)
            self._select_visible()
        elif key in ("j", "k"):
            TerminalView.press(self, key)
            self._show_selected()
        elif key == " " and self.hunks:
            self._toggle(self.selected)
        elif key == "a":
            self._approve(request)
        elif key == "r":
            self._answer(Answer.reject())
        elif key == "m":
            self.views.ask("Message for the model: ", "", lambda text: self._answer(Answer.reject(text)))
        elif key == "A":
            self._approve_always(request)
        elif key in ("q", "back"):
            self.views.leave(self)

    def _rows_of(self, hunk: int) -> range:
        """The rows of a hunk, by its place in the list."""
        return range(self._starts[hunk], self._ends[hunk])

    def _select_visible(self) -> None:
        """Select the first hunk on the screen, unless the selected one is there."""
        visible = self.visible_rows()
        on_screen = [hunk for hunk in range(len(self.hunks)) if _overlap(self._rows_of(hunk), visible)]
        if on_screen and self.selected not in on_screen:
            self.selected = on_screen[0]

    def _show_selected(self) -> None:
        """Scroll to the selected hunk, unless all of it is on the screen."""
        visible = self.visible_rows()
        rows = self._rows_of(self.selected) if self.hunks else visible
        if rows[0] not in visible or rows[-1] not in visible:
            self.top = (max(0, rows[0] - 2), 0)

    def _toggle(self, hunk: int) -> None:
        """Choose a hunk, or leave it out."""
        self.chosen ^= {self.hunks[hunk]}
        row = self._starts[hunk]
        text, style = self._rows[row]
        self._rows[row] = (f"{self._mark(self.hunks[hunk])}{text[3:]}", style)

    def _mark(self, hunk: tuple[str, int]) -> str:
        return "[x]" if hunk in self.chosen else "[ ]"

    def _unseen(self) -> list[int]:
        """The rows that were not on the screen, without those of hunks that are left out and of deleted files."""
        deleted = {file.path for file in self.item.request.files if is_told_by_name(file)}
        needless: set[int] = set()
        for place, hunk in enumerate(self.hunks):
            if hunk not in self.chosen or hunk[0] in deleted:
                needless.update(self._rows_of(place))
        return [row for row in range(len(self._rows)) if not self.is_seen(row) and row not in needless]

    def _is_shown(self) -> bool:
        """Whether everything that is chosen was on the screen; if not, it shows the first row that was not."""
        unseen = self._unseen()
        if unseen:
            self.show_unseen(unseen[0])
            self._select_visible()
            count = f"{len(unseen):,} {plural('row', len(unseen))}"
            self.views.say(f"Not approved: {count} not shown yet. Page Down shows them, then press a.")
        return not unseen

    def _approve(self, request: Request) -> None:
        if self.item.stale:
            self.views.say(f"Not answered. {' '.join(self.item.stale)}")
        elif not self.chosen:
            self.views.say("No hunk is chosen: press r to reject the request.")
        elif len(self.chosen) < len(self.hunks) and request.whole_only:
            self.views.say("Its changes depend on one another: approve all hunks or none.")
        elif not self._is_shown():
            return
        elif len(self.chosen) == len(self.hunks):
            self._answer(Answer.once())
        else:
            hunks: dict[str, list[int] | Literal["all"]] = {
                file.path: [number for path, number in self.chosen if path == file.path and number] or "all"
                for file in request.files
                if any(path == file.path for path, _ in self.chosen)
            }
            self._answer(Answer.some(hunks))

    def _approve_always(self, request: Request) -> None:
        """Ask for the patterns of an answer "always", which approves all hunks of this request too."""
        if len(self.chosen) < len(self.hunks):
            self.views.say("Always approves all hunks: choose all of them first, or approve the chosen ones with a.")
        elif self._is_shown():
            self.views.ask("Always for: ", join_globs(request.always), self._show_coverage)

    def _show_coverage(self, text: str) -> None:
        try:
            coverage = self.views.inbox.coverage(self.item.id, split_globs(text))
        except (RefusedAnswerError, ValueError) as error:
            self.views.say(str(error))
            return
        files, others = len(coverage.files) + coverage.more, len(coverage.requests)
        rows = [one_line(f"{' '.join(coverage.patterns)} covers {files} {plural('file', files)} as of now:")]
        rows += [f"  {one_line(path)}" for path in coverage.files]
        if coverage.more or coverage.cut:
            note = ", and not all files were looked at" if coverage.cut else ""
            rows.append(f"  … and {coverage.more} more{note}")
        if others:
            rows.append(f"It also approves {others} other {plural('request', others)} of this session.")
        if not coverage.covers_request:
            rows.append("It does not cover this request, which is approved once.")
        answer = (lambda: self._answer(Answer.always(*coverage.patterns))) if coverage.is_complete else None
        self.views.open(CoverageView(self.views, rows, answer))

    def _answer(self, answer: Answer) -> None:
        try:
            self.views.inbox.answer(self.item.id, answer, self.item.fingerprint)
        except RefusedAnswerError as refused:
            self.views.say(f"Not answered. {refused.reason}")
            if refused.item is not None:
                self._load(refused.item)
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
        facts += [("note", note) for file in request.files for note in notes_of(file)]
        diagnostics = request.metadata.get("diagnostics")
        facts += [("errors", str(diagnostics))] if diagnostics else []
        rows: list[Row] = [(reason, "red") for reason in self.item.stale]
        rows += [(f"{name + ':':11}{one_line(value)}", "dim") for name, value in facts if value]
        self._starts, self._ends = [], []
        for file in request.files:
            rows.append((one_line(describe(file)), "bold"))
            rows_of_hunks = [hunk_rows(hunk) for hunk in file.hunks] or [[(without_lines(file), "")]]
            for number, hunk in enumerate(rows_of_hunks, min(1, len(file.hunks))):
                self._starts.append(len(rows))
                text, style = hunk[0]
                rows += [(f"{self._mark((file.path, number))} {text}", style), *hunk[1:]]
                self._ends.append(len(rows))
        return rows


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


class CoverageView(ScrolledView):
    """What an answer "always" would cover, before it is given."""

    keys = "y answer always  q back"
    title = "Approve always?"

    def __init__(self, views: ReviewViews, rows: list[str], answer: Callable[[], None] | None) -> None:
        super().__init__(views)
        self._rows = rows
        self._act = answer

    def rows(self) -> list[Row]:
        """The patterns and the files."""
        return [(row, "") for row in self._rows]

    def press(self, key: str) -> None:
        """Answer, if all of it was on the screen, or go back."""
        if key == "y":
            self._answer()
        elif key in ("q", "back"):
            self.views.leave(self)
        else:
            super().press(key)

    def _answer(self) -> None:
        unseen = [row for row in range(len(self._rows)) if not self.is_seen(row)]
        if self._act is None:
            self.views.say("Not answered: more files than can be listed. Use a narrower pattern, or DIRECTORY/**.")
        elif unseen:
            self.show_unseen(unseen[0])
            self.views.say("Not answered: not everything was shown yet. Page Down shows more, then press y.")
        else:
            self.views.leave(self)
            self._act()


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
