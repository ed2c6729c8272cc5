"""The views of the history in `suture review --terminal`: commits, one commit, and who wrote each line."""

from __future__ import annotations

from ..core.display import one_line, visible_whitespace
from ..core.problems import SutureError
from .render import format_time
from .screen_limits import MOST_COMMITS_LISTED
from .terminal_view import Row, ScrolledView, TerminalView, diff_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.outcome import Receipt
    from .review_terminal import ReviewViews


class TimelineView(TerminalView):
    """The commits of the workspace."""

    keys = "enter show  u undo/redo  f file  s session  x all  b blame  ? help  q back"
    help = (
        ("j, k", "the next, the previous commit"),
        ("Enter", "show the commit"),
        ("u", "undo the commit, or redo it if it was undone"),
        ("f", "only commits of a file"),
        ("s", "only commits of the session of the selected one"),
        ("x", "all commits again"),
        ("b", "who wrote each line of a file"),
    )

    def __init__(self, views: ReviewViews) -> None:
        super().__init__(views)
        self._path: str | None = None
        self._session = ""
        self._commits: list[Receipt] = []
        self.refresh()

    @property
    def title(self) -> str:  # type: ignore[override]
        """Which commits are shown."""
        which = f" of {one_line(self._path)}" if self._path else ""
        session = " of one session" if self._session else ""
        return f"Commits{which}{session}: {one_line(self.views.timeline.workspace.root)}"

    def refresh(self) -> None:
        """Read the commits."""
        try:
            self._commits = self.views.timeline.commits(MOST_COMMITS_LISTED, path=self._path, session=self._session)
        except SutureError as error:
            self.views.say(error.problems[0].message)
            self._path = None
        super().refresh()

    def rows(self) -> list[Row]:
        """A line for each commit."""
        return [Row(_commit_row(receipt), "dim" if receipt.undone_by else "") for receipt in self._commits]

    def press(self, key: str) -> None:
        """Show or undo the selected commit, or choose others."""
        receipt = self._commits[self.selected] if self._commits else None
        if key == "f":
            self.views.ask("File: ", self._path or "", self._filter)
        elif key == "x":
            self._path, self._session = None, ""
            self.refresh()
        elif key == "b":
            self.views.ask("Blame: ", self._path or "", self.views.blame)
        elif key in ("q", "back"):
            self.views.leave(self)
        elif receipt is not None and key == "s":
            self._session = receipt.session
            self.refresh()
        elif receipt is not None and key in ("enter", "l"):
            self.views.open(CommitView(self.views, receipt))
        elif receipt is not None and key == "u":
            CommitView(self.views, receipt).press(key)
            self.refresh()
        else:
            super().press(key)

    def _filter(self, path: str) -> None:
        self._path = path or None
        self.refresh()


class CommitView(ScrolledView):
    """One commit with its diff, or why it can't be undone."""

    keys = "j/k scroll  u undo/redo  ? help  q back"
    help = (("j, k", "scroll"), ("u", "undo the commit, or redo it if it was undone"))

    def __init__(self, views: ReviewViews, receipt: Receipt) -> None:
        super().__init__(views)
        self._receipt = receipt
        facts = [("time", format_time(receipt.time)), ("tool", receipt.tool), ("actor", receipt.actor)]
        facts += [("session", receipt.session), ("undoes", receipt.undoes), ("undone by", receipt.undone_by)]
        self._rows: list[Row] = [Row(f"{name + ':':11}{one_line(value)}", "dim") for name, value in facts if value]
        self._rows += [Row(one_line(str(change)), "bold") for change in receipt.changes]
        self._rows += diff_rows(receipt.changes)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Its id."""
        return f"Commit {self._receipt.id}"

    def rows(self) -> list[Row]:
        """The facts and the diff."""
        return self._rows

    def press(self, key: str) -> None:
        """Undo or redo it."""
        if key == "u":
            self._reverse()
        elif key in ("q", "back"):
            self.views.leave(self)
        else:
            super().press(key)

    def _reverse(self) -> None:
        timeline = self.views.timeline
        try:
            reversal = timeline.reversal(self._receipt.id)
            if not reversal.is_possible:
                first, _, _ = reversal.reason.partition("\n")
                self.views.say(f"It can't be {reversal.action.removesuffix('o')}one. {first}")
                return
            made = (timeline.redo if reversal.action == "redo" else timeline.undo)(self._receipt.id)
            self.views.say(f"Commit {made.id} {'made it again' if reversal.action == 'redo' else 'took it back'}.")
            self.views.leave(self)
        except SutureError as error:
            self.views.say(error.problems[0].message)


class BlameView(TerminalView):
    """A file with the commit that wrote each line."""

    keys = "enter show the commit  ? help  q back"
    help = (("j, k", "the next, the previous line"), ("Enter", "show the commit that wrote the line"))

    def __init__(self, views: ReviewViews, path: str) -> None:
        super().__init__(views)
        blame = views.timeline.blame(path)
        self._commits = {receipt.id: receipt for receipt in blame.commits}
        self._lines = blame.lines
        self.title = f"Blame of {one_line(blame.path)}"
        if blame.gap:
            views.say(blame.gap)

    def rows(self) -> list[Row]:
        """The commit, the number and the text of each line."""
        rows = []
        for line in self._lines:
            who = one_line(self._commits[line.commit].actor)[:10] if line.commit else ""
            rows.append(Row(f"{line.commit:12} {who:10} {line.number:5} {visible_whitespace(line.text)}"))
        return rows

    def press(self, key: str) -> None:
        """Show the commit of the selected line."""
        if key in ("enter", "l") and self._lines and self._lines[self.selected].commit:
            self.views.open(CommitView(self.views, self._commits[self._lines[self.selected].commit]))
        elif key in ("q", "back"):
            self.views.leave(self)
        else:
            super().press(key)


def _commit_row(receipt: Receipt) -> str:
    """A commit in a line that says the most in 80 columns."""
    names = list(dict.fromkeys([one_line(change.move_to or change.path) for change in receipt.changes]))
    files = f"{names[0] if names else ''}{f' and {len(names) - 1} more' if len(names) > 1 else ''}"
    counts = [sum(getattr(change, name) for change in receipt.changes) for name in ("additions", "deletions")]
    undone = " undone" if receipt.undone_by else ""
    who = one_line(receipt.actor or receipt.tool)[:14]
    return f"{receipt.id} {format_time(receipt.time)[5:16]} {who:14} {files} +{counts[0]} -{counts[1]}{undone}"
