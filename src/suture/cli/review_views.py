"""The view of one request in `suture review --terminal`: what it shows, and what each key does.

What has not been on the screen can't be approved: a request is approved once all of its chosen hunks were shown.
"""

from __future__ import annotations

import re
import shlex
from posixpath import splitext
from time import monotonic, time

from ..agent.answers import Answer
from ..agent.requests import describe, is_told_by_name, notes_of, without_lines
from ..core.display import one_line, plural
from ..review.inbox import RefusedAnswerError
from ..words.notebook_diff import cell_hunks
from .answer_draft import DraftError
from .terminal_view import Row, ScrolledView, TerminalView, hunk_rows
from .user_commands import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..agent.requests import Request
    from ..core.outcome import Change
    from ..review.inbox import InboxItem
    from .answer_draft import FileDraft
    from .review_terminal import ReviewViews

#: How long no key answers after another request, or another text of it, has come on the screen, in seconds.
PAUSE = 1.0
#: What an answer did, as a word.
DONE = {"once": "Approved", "always": "Approved always", "some": "Approved in part", "reject": "Rejected"}


class RequestView(ScrolledView):
    """One request: who wants what and why, and its hunks to choose from."""

    keys = "a approve  r reject  space choose  s split  c comment  e edit  m message  ?"
    help = (
        ("j, k", "the next, the previous hunk"),
        ("Space", "choose the hunk, or leave it out"),
        ("s", "split the hunk at unchanged lines, or by lines"),
        ("e", "edit the text of the file in your editor; the agent is told what you changed"),
        ("c", "comment on a line: its number, a space, and the text; -12 is line 12 before the change"),
        ("m", "a message for the model, with whatever answer you give"),
        ("a", "approve what is chosen"),
        ("r", "reject the request"),
        ("A", "approve, and later changes of the same files too"),
        ("z", "forget the choice, edits, comments and message"),
    )

    def __init__(self, views: ReviewViews, item: InboxItem, *, pauses: bool = False) -> None:
        super().__init__(views)
        #: When what is shown became something else, while it was shown; or, if it `pauses`, when it was opened.
        self._changed = monotonic() if pauses else -PAUSE
        #: Why the request has ended; empty as long as it waits.
        self._ended = ""
        self._rows: list[Row] = []
        self.item = item
        self.draft = views.draft_of(item)
        self._load(item)

    def _load(self, item: InboxItem) -> None:
        """Show a request, as it is now."""
        before = self._rows
        self.item = item
        #: The first row of each hunk, and the one behind its last.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._rows = self._all_rows(item.request)
        self.forget_seen(before)

    @property
    def title(self) -> str:  # type: ignore[override]
        """Who wants what."""
        return one_line(self.item.request.sentence)

    def count(self) -> int:
        """How many hunks there are."""
        return len(self.draft.choices)

    def is_selected(self, row: int) -> bool:
        """Whether a row is of the selected hunk."""
        return bool(self._starts) and row in self._rows_of(self.selected)

    def refresh(self) -> None:
        """Tell if the request has changed or ended. One that has ended stays, with what is being typed about it."""
        try:
            item = self.views.inbox.item(self.item.id)
        except RefusedAnswerError as gone:
            self._ended = gone.reason
            if self.views.is_for_one_request:
                self.views.say(gone.reason)
                self.views.leave(self)
            return
        if item != self.item:
            self._changed = monotonic()
            self._load(item)

    def notice(self) -> str:
        """How long the agent waits or why the request has ended, and which rows are on the screen."""
        return " ".join(filter(None, [self._ended or self.item.waiting_note(time()), super().notice()]))

    def rows(self) -> list[Row]:
        """The facts, and the hunks with their marks."""
        return self._rows

    def press(self, key: str) -> None:
        """Choose hunks, or answer."""
        actions: dict[str, Callable[[], None]] = {
            " ": self._toggle,
            "s": self._split,
            "e": self._edit,
            "c": self._comment,
            "m": self._write_message,
            "z": self._start_again,
            "a": self._approve,
            "r": lambda: self._answer(self.draft.rejection()),
            "A": self._approve_always,
            "q": lambda: self.views.leave(self),
            "back": lambda: self.views.leave(self),
        }
        if key in ("page down", "page up", "home", "end"):
            super().press(key)
            self._select_visible()
        elif key in ("j", "k"):
            TerminalView.press(self, key)
            self._show_selected()
        elif self._ended and key in actions and key not in ("q", "back"):
            self.views.say(self._ended)
        elif key in ("a", "r", "A") and monotonic() - self._changed < PAUSE:
            self.views.say("What is shown has just changed: look at it, then press the key again.")
        elif key in actions:
            try:
                actions[key]()
            except DraftError as error:
                self.views.say(str(error))

    def _rows_of(self, hunk: int) -> range:
        """The rows of a hunk, by its place in the list."""
        return range(self._starts[hunk], self._ends[hunk])

    def _select_visible(self) -> None:
        """Select the first hunk on the screen, unless the selected one is there."""
        visible = self.visible_rows()
        on_screen = [hunk for hunk in range(len(self._starts)) if _overlap(self._rows_of(hunk), visible)]
        if on_screen and self.selected not in on_screen:
            self.selected = on_screen[0]

    def _show_selected(self) -> None:
        """Scroll to the selected hunk, unless all of it is on the screen."""
        visible = self.visible_rows()
        rows = self._rows_of(self.selected) if self._starts else visible
        if rows[0] not in visible or rows[-1] not in visible:
            self.top = (max(0, rows[0] - 2), 0)

    # What the person makes of it.

    def _selected_choice(self) -> tuple[FileDraft, int]:
        choices = self.draft.choices
        if not choices:
            raise DraftError("There is nothing to choose.")
        return choices[self.selected]

    def _toggle(self) -> None:
        file, place = self._selected_choice()
        file.chosen ^= {place}
        self._load(self.item)

    def _split(self) -> None:
        self.draft.split(*self._selected_choice())
        self._load(self.item)
        self._show_selected()

    def _edit(self) -> None:
        file, _ = self._selected_choice()
        name = f"proposed{safe_suffix(file.file.path)}"
        if self.draft.edit(file, lambda text: self.views.edit_text(text, name)):
            self.selected = min(self.selected, self.count() - 1)
            self._load(self.item)
            self._show_selected()
            self.views.say("Edited. The agent will be told what you changed. Press a to approve it.")
        else:
            self.views.say("Nothing was changed.")

    def _comment(self) -> None:
        file, place = self._selected_choice()

        def add(text: str) -> None:
            try:
                self.draft.comment(file, text)
            except DraftError as error:
                self.views.say(str(error))
                return
            self._load(self.item)
            self.views.say(self._ended or "The comment goes with your answer: press a to approve, r to reject.")

        self.views.ask("Line and comment: ", f"{_first_changed_line(file, place)} ", add)

    def _write_message(self) -> None:
        def keep(text: str) -> None:
            self.draft.message = text.strip()
            self._load(self.item)
            self.views.say(self._ended or "The message goes with your answer: press a to approve, r to reject.")

        self.views.ask("Message for the model: ", self.draft.message, keep)

    def _start_again(self) -> None:
        self.draft = self.views.draft_of(self.item, anew=True)
        self.selected = min(self.selected, self.count() - 1)
        self._load(self.item)

    # Answers.

    def _unseen(self) -> list[int]:
        """The rows that were not on the screen, without those of hunks that are left out and of deleted files."""
        needless: set[int] = set()
        for number, (file, place) in enumerate(self.draft.choices):
            if place not in file.chosen or is_told_by_name(file.file):
                needless.update(self._rows_of(number))
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

    def _approve(self) -> None:
        if self.item.stale:
            self.views.say(f"Not answered. {' '.join(self.item.stale)}")
            return
        answer = self.draft.approval()
        if self._is_shown():
            self._answer(answer)

    def _approve_always(self) -> None:
        """Ask for the patterns of an answer "always", which approves all of this request too."""
        if not self.draft.is_whole:
            self.views.say("Always approves everything as it is: choose all hunks first, or approve these with a.")
        elif self._is_shown():
            self.views.ask("Always for: ", join_globs(self.item.request.always), self._show_coverage)

    def _show_coverage(self, text: str) -> None:
        """Open a view of what an answer for these globs would approve, before it is given."""
        try:
            coverage = self.views.inbox.coverage(self.item.id, split_words(text, escapes=False))
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
        answer = Answer.always(*coverage.patterns, message=self.draft.message)
        answer = answer.replace(comments=tuple(self.draft.comments))
        item = self.item
        act = (lambda: self._answer_always(answer, item)) if coverage.is_complete else None
        self.views.open(CoverageView(self.views, rows, act))

    def _answer_always(self, answer: Answer, item: InboxItem) -> None:
        """Answer "always", unless the request has become another one while its patterns were looked at."""
        if self.item.fingerprint != item.fingerprint:
            self.views.say("Not answered: what is shown has just changed. Look at it, then press A again.")
        elif self._is_shown():
            self._answer(answer)

    def _answer(self, answer: Answer) -> None:
        late = self.item.late_note(time())
        try:
            self.views.inbox.answer(self.item.id, answer, self.item.fingerprint)
        except RefusedAnswerError as refused:
            self.views.say(f"Not answered. {refused.reason}")
            if refused.item is not None:
                self._changed = monotonic()
                self._load(refused.item)
            return
        except ValueError as error:
            self.views.say(f"Not answered: {error}")
            return
        self.views.forget_draft(self.item.id)
        done = "Approved with your changes" if answer.edits else DONE[answer.kind]
        self.views.say(f"{done}: {one_line(self.item.request.subject)}. {late}".rstrip())
        self.views.leave(self)

    # Rows.

    def _all_rows(self, request: Request) -> list[Row]:
        rows: list[Row] = [Row(reason, "red") for reason in self.item.stale]
        rows += fact_rows(request)
        if self.draft.message:
            rows.append(Row(f"{'message:':11}{one_line(self.draft.message)}", "yellow"))
        self._starts, self._ends = [], []
        count, number = len(self.draft.choices), 0
        for file in self.draft.files:
            edited = " (edited by you)" if file.is_changed else ""
            rows.append(Row(one_line(describe(file.file)) + edited, "bold"))
            listed = [hunk_rows(hunk) for hunk in cell_hunks(file.file.path, file.hunks)] or [
                [Row(without_lines(file.file))]
            ]
            for place, hunk in enumerate(listed):
                number += 1
                self._starts.append(len(rows))
                mark = "[x]" if place in file.chosen else "[ ]"
                first, *rest = of_file(file.file, hunk)
                rows += [first._replace(text=f"{mark} hunk {number}/{count} {first.text}"), *rest]
                self._ends.append(len(rows))
            for comment in self.draft.comments:
                if comment.path == file.file.path:
                    before = " before the change" if comment.side == "before" else ""
                    rows.append(Row(f"  line {comment.line}{before}: {one_line(comment.text)}", "yellow"))
        return rows


def of_file(file: Change, rows: Sequence[Row]) -> list[Row]:
    """Rows of a file, which show something else than the same rows of another file."""
    return [row._replace(key=f"{file.path}\0{row.text}") for row in rows]


def fact_rows(request: Request) -> list[Row]:
    """What a request says besides its changes: why, where, with which tool, and what was forgiven."""
    session = f", session {request.session}" if request.session else ""
    facts = [
        ("reason", request.reason, "bold"),
        ("workspace", request.workspace, "dim"),
        ("tool", f"{request.tool}{session}", "dim"),
        ("rule", request.rule or "no rule matches, so it asks", "dim"),
    ]
    for file in request.files:
        facts += [("note", note, "yellow") for note in notes_of(file)]
    diagnostics = request.metadata.get("diagnostics")
    if diagnostics:
        facts.append(("errors", str(diagnostics), "red"))
    return [Row(f"{name + ':':11}{one_line(value)}", style) for name, value, style in facts if value]


def _first_changed_line(file: FileDraft, place: int) -> str:
    """The number of the first line that a hunk changes, as a comment names it."""
    if not file.hunks:
        return "1"
    hunk = file.hunks[place]
    above = next((number for number, line in enumerate(hunk.lines) if line[0] != " "), 0)
    if hunk.additions:
        return str(hunk.new_start + above + 1)
    return f"-{hunk.old_start + above + 1}"


def safe_suffix(path: str) -> str:
    """How the name of a file ends, for an editor, if it is as such endings are."""
    suffix = splitext(path)[1]
    return suffix if re.fullmatch(r"\.[A-Za-z0-9]{1,10}", suffix) else ".txt"


def _overlap(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


class CoverageView(ScrolledView):
    """What an answer "always" would cover, before it is given."""

    keys = "y answer always  q back"
    title = "Approve always?"
    help = (("y", "approve the request, and later changes of these files"),)

    def __init__(self, views: ReviewViews, rows: list[str], answer: Callable[[], None] | None) -> None:
        super().__init__(views)
        self._rows = rows
        self._act = answer

    def rows(self) -> list[Row]:
        """The patterns and the files."""
        return [Row(row) for row in self._rows]

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
