"""The list of requests in `suture review --terminal`, and several requests that are answered at once.

A list shows no diff, so it only opens requests. Several are approved once all of their rows have been on the screen.
"""

from __future__ import annotations

from posixpath import basename, dirname
from time import monotonic, time

from ..agent.requests import describe, is_told_by_name, without_lines
from ..core.display import one_line, plural
from ..review.inbox import RefusedAnswerError
from .answer_draft import DraftError
from .render import format_time
from .review_views import PAUSE, RequestView, fact_rows, of_file
from .terminal_view import Row, ScrolledView, TerminalView, hunk_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..review.inbox import InboxItem
    from .review_terminal import ReviewViews


class PendingList(TerminalView):
    """All requests that wait, by workspace and session, the oldest first."""

    keys = "enter open  space mark  * all  a approve marked  / find  t timeline  ? help"
    help = (
        ("j, k", "the next, the previous request"),
        ("Enter", "open the request"),
        ("Space", "mark the request, and go to the next"),
        ("*", "mark all that are listed, or none"),
        ("a", "show all marked requests, to approve them at once"),
        ("!", "the next request that needs a closer look, such as a deletion"),
        ("r", "reject the selected request"),
        ("/", "list what has a text in its files, actor, tool or reason"),
        ("t", "the timeline: what was written, to undo it"),
        ("f", "refused edits, beside the file"),
        ("q", "quit"),
    )

    def __init__(self, views: ReviewViews) -> None:
        super().__init__(views)
        self.items: list[InboxItem] = []
        self._total = 0
        self._search = ""
        self._marked: set[str] = set()
        #: When another request has taken the place of the selected one.
        self._replaced = 0.0
        self.refresh()

    @property
    def title(self) -> str:  # type: ignore[override]
        """How many wait."""
        count = len(self.items)
        if self._search:
            return f"{count} of {self._total} requests with “{one_line(self._search)}” (/ and Enter lists all)"
        marked = f", {len(self._marked)} marked" if self._marked else ""
        return f"{count} {plural('request', count)} waiting{marked}" if count else "Nothing waits for an answer"

    def refresh(self) -> None:
        """Read the requests; the selected one stays selected."""
        selected_id = self.items[self.selected].id if self.items else ""
        waiting = self.views.inbox.pending()
        self._total = len(waiting)
        self.items = _in_groups([item for item in waiting if self._search.lower() in _searched(item)])
        self._marked &= {item.id for item in waiting}
        ids = [item.id for item in self.items]
        if selected_id in ids:
            self.selected = ids.index(selected_id)
        elif selected_id:
            self._replaced = monotonic()
        super().refresh()

    def count(self) -> int:
        """How many requests are listed."""
        return len(self.items)

    def rows(self) -> list[Row]:
        """A line for each."""
        return [self._row(item) for item in self.items]

    def frame(self, columns: int, room: int) -> list[Row]:  # noqa: ARG002 - a long row is cut by the terminal
        """The lines around the selected one, with a heading where another workspace or session begins."""
        rows: list[Row] = []
        place = 0
        groups = {_group(item) for item in self.items}
        for number, item in enumerate(self.items):
            is_first = number == 0 or _group(self.items[number - 1]) != _group(item)
            if len(groups) > 1 and is_first:
                rows.append(Row(f"  {_heading(item)}", "bold"))
            if number == self.selected:
                place = len(rows)
            rows.append(self._row(item, ">" if number == self.selected else " "))
        top = max(0, min(place - 2, len(rows) - room), place + 1 - room)
        return rows[top : top + room]

    def _row(self, item: InboxItem, sign: str = " ") -> Row:
        request = item.request
        mark = "[x]" if item.id in self._marked else "[ ]"
        clock = format_time(request.time)[11:16] if request.time else ""
        flags = _flags(item)
        reason = f"  ({one_line(request.reason)})" if request.reason else ""
        text = f"{sign}{mark} {clock:5} {one_line(request.actor or '-')[:10]:10} {flags}{_what(item)}{reason}"
        return Row(text, "red" if flags else "")

    def press(self, key: str) -> None:
        """Open, mark or answer requests, or go elsewhere."""
        item = self.items[self.selected] if self.items else None
        if key == "t":
            self.views.open_timeline()
        elif key == "f":
            self.views.open_refused()
        elif key == "/":
            self.views.ask("Find: ", self._search, self._find)
        elif key in ("q", "quit", "back"):
            self.views.close()
        elif item is not None:
            self._press_item(key, item)

    def _press_item(self, key: str, item: InboxItem) -> None:
        if key in ("enter", "l"):
            self.views.open(RequestView(self.views, item))
        elif key == " ":
            self._marked ^= {item.id}
            super().press("j")
        elif key == "*":
            listed = {one.id for one in self.items}
            self._marked = self._marked - listed if listed <= self._marked else self._marked | listed
        elif key == "!":
            self._select_flagged()
        elif key == "a" and self._marked:
            self._open_marked()
        elif key in ("a", "A"):
            # The key may have been meant for a request that has gone, or is held down.
            self.views.open(RequestView(self.views, item, pauses=True))
            self.views.say("Look at it first: press the key again to approve it.")
        elif key == "r" and monotonic() - self._replaced < PAUSE:
            self.views.say("Another request has taken this place: press the key again to answer it.")
        elif key == "r":
            RequestView(self.views, item).press(key)
        elif key in ("m", "c", "e", "s"):
            view = RequestView(self.views, item)
            self.views.open(view)
            view.press(key)
        else:
            super().press(key)

    def _select_flagged(self) -> None:
        """Select the next request that needs a closer look."""
        after = [*range(self.selected + 1, len(self.items)), *range(self.selected + 1)]
        flagged = [place for place in after if _flags(self.items[place])]
        if flagged:
            self.selected = flagged[0]
        else:
            self.views.say("No request deletes a file, is outside the workspace, or was matched loosely.")

    def _open_marked(self) -> None:
        """Show the marked requests together, without those that something was decided about already."""
        marked = [one for one in self.items if one.id in self._marked]
        plain = [one for one in marked if self.views.draft_of(one).is_whole]
        if plain:
            self.views.open(SeveralView(self.views, plain))
        if len(plain) < len(marked):
            others = len(marked) - len(plain)
            self.views.say(f"{others} marked {plural('request', others)} with hunks left out or edited: open it first.")

    def _find(self, text: str) -> None:
        self._search = text.strip()
        self.selected = 0
        self.refresh()


class SeveralView(ScrolledView):
    """Several requests, one below the other, to be approved at once."""

    keys = "page down  a approve all of them  q back"
    help = (
        ("j, k", "scroll"),
        ("a", "approve all of these requests, once all rows were on the screen"),
    )

    def __init__(self, views: ReviewViews, items: list[InboxItem]) -> None:
        super().__init__(views)
        self._items = items
        self._changed = -PAUSE
        self._rows = self._all_rows()

    @property
    def title(self) -> str:  # type: ignore[override]
        """How many there are, and what they change."""
        files = [file for item in self._items for file in item.request.files]
        counts = f"+{sum([file.additions for file in files])} -{sum([file.deletions for file in files])}"
        count = len(self._items)
        return f"{count} {plural('request', count)}, {len(files)} {plural('file', len(files))} {counts}"

    def rows(self) -> list[Row]:
        """All of each request."""
        return self._rows

    def refresh(self) -> None:
        """Leave out those that are closed; show those that have changed as they are now."""
        waiting = {item.id: item for item in self.views.inbox.pending()}
        items = [waiting[item.id] for item in self._items if item.id in waiting]
        if items == self._items:
            return
        gone = len(self._items) - len(items)
        if gone:
            self.views.say(f"{gone} {plural('request', gone)} no longer {'waits' if gone == 1 else 'wait'}.")
        before, self._items, self._changed = self._rows, items, monotonic()
        self._rows = self._all_rows()
        self.forget_seen(before)
        if not items:
            self.views.leave(self)

    def notice(self) -> str:
        """What of it was not shown yet, or that all of it can be approved."""
        unseen = len(self._unseen())
        if unseen:
            return f"{super().notice()} {unseen:,} {plural('row', unseen)} not shown yet.".strip()
        return f"{super().notice()} All was shown: press a to approve.".strip()

    def press(self, key: str) -> None:
        """Approve all, go back, or scroll."""
        if key in ("q", "back"):
            self.views.leave(self)
        elif key == "a":
            self._approve()
        else:
            super().press(key)

    def _unseen(self) -> list[int]:
        return [row for row in range(len(self._rows)) if not self.is_seen(row)]

    def _approve(self) -> None:
        unseen = self._unseen()
        if monotonic() - self._changed < PAUSE:
            self.views.say("What is shown has just changed: look at it, then press the key again.")
        elif unseen:
            self.show_unseen(unseen[0])
            count = f"{len(unseen):,} {plural('row', len(unseen))}"
            self.views.say(f"Not approved: {count} not shown yet. Page Down shows them, then press a.")
        else:
            self._answer_all()

    def _answer_all(self) -> None:
        """Approve all requests of this view, and say which of them could not be approved."""
        approved: list[InboxItem] = []
        refused: list[str] = []
        for item in self._items:
            try:
                self.views.inbox.answer(item.id, self.views.draft_of(item).approval(), item.fingerprint)
            except (RefusedAnswerError, DraftError, ValueError) as error:
                refused.append(f"{one_line(item.request.subject)}: {error}")
            else:
                approved.append(item)
                self.views.forget_draft(item.id)
        said = [f"Approved {len(approved)} {plural('request', len(approved))}."]
        late = len([item for item in approved if item.late_note(time())])
        if late:
            said.append(f"{late} of the agents no longer wait: it takes effect when they send the same call again.")
        if refused:
            said.append(f"Not answered: {'; '.join(refused)}")
        self.views.say(" ".join(said))
        self.views.leave(self)

    def _all_rows(self) -> list[Row]:
        """The rows of all requests, each with its facts and its files."""
        rows: list[Row] = []
        for number, item in enumerate(self._items, 1):
            request = item.request
            rows.append(Row(f"── {number}/{len(self._items)} {one_line(request.sentence)}", "bold", key=request.id))
            notes = [*item.stale, *filter(None, [item.late_note(time())])]
            rows += [Row(note, "red", key=f"{item.id}{note}") for note in notes]
            facts = [row for row in fact_rows(request) if not row.text.startswith(("tool:", "rule:"))]
            rows += [row._replace(key=f"{item.id}{row.text}") for row in facts]
            for file in request.files:
                rows.append(Row(one_line(describe(file)), "bold", key=f"{item.id}{describe(file)}"))
                if is_told_by_name(file):
                    continue
                for hunk in [hunk_rows(hunk) for hunk in file.hunks] or [[Row(without_lines(file))]]:
                    rows += [row._replace(key=item.id + row.key) for row in of_file(file, hunk)]
        return rows


def _in_groups(items: Sequence[InboxItem]) -> list[InboxItem]:
    """Requests by session: the sessions by their last request in this list, and inside a session by time."""
    last_times: dict[tuple[str, str], float] = {}
    for item in items:
        last_times[_group(item)] = item.request.time
    return sorted(items, key=lambda item: (last_times[_group(item)], _group(item), item.request.time, item.id))


def _group(item: InboxItem) -> tuple[str, str]:
    return item.request.workspace, item.request.session


def _heading(item: InboxItem) -> str:
    """The workspace and the session of requests, the name of the directory first."""
    request = item.request
    session = f", session {one_line(request.session)[:8]}" if request.session else ""
    return one_line(f"{basename(request.workspace) or '-'}  {dirname(request.workspace)}") + session


def _what(item: InboxItem) -> str:
    """What a request would do, with the name of its first file before the directory."""
    request = item.request
    if not request.files or request.permission != "edit":
        return one_line(request.action)
    file = request.files[0]
    folder, name = dirname(file.path), basename(file.path)
    action = request.action.replace(file.path, name, 1) if folder else request.action
    counts = f" +{sum([one.additions for one in request.files])} -{sum([one.deletions for one in request.files])}"
    return one_line(f"{action}{counts}  {folder}".rstrip())


def _flags(item: InboxItem) -> str:
    """What needs a closer look, in capitals: that a file is deleted, is outside, or was matched loosely, and so on."""
    words = [*(["CHANGED"] if item.stale else []), *(["LATE"] if item.late_note(time()) else [])]
    words += [word.upper() for word in item.cautions]
    return "".join([f"{word} " for word in words])


def _searched(item: InboxItem) -> str:
    request = item.request
    paths = [name for file in request.files for name in (file.path, file.move_to)]
    parts = [*paths, request.actor, request.tool, request.workspace, request.reason, request.permission, request.action]
    return "\n".join(parts).lower()
