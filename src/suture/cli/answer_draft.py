"""What a person has decided about a request so far: which hunks, in which parts, with which text, comments and message.

A draft knows no terminal. It becomes an answer in the end, and is kept until then.
"""

from __future__ import annotations

from ..agent.answers import Answer, LineComment, is_editable
from ..agent.partial_approval import keep_hunks
from ..core.line_hunks import line_hunks
from ..core.split_hunks import split_hunk
from ..review.edited_text import keep_unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from ..agent.requests import Request
    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change
    from ..review.file_texts import FileTexts


class DraftError(Exception):
    """Something can't be done with a request; the message says why."""


class FileDraft:
    """A file of a request: its hunks, which of them are chosen, and whether they are still those of the request."""

    def __init__(self, file: Change) -> None:
        self.file = file
        self.hunks: tuple[LineHunk, ...] = file.hunks
        #: The places of the chosen hunks, from 0. A file without hunks is one choice.
        self.chosen = set(range(self.count))
        self.is_changed = False

    @property
    def count(self) -> int:
        """How many things there are to choose."""
        return len(self.hunks) or 1

    @property
    def is_whole(self) -> bool:
        """Whether all of the file is chosen, as it was proposed."""
        return not self.is_changed and len(self.chosen) == self.count

    def split(self, place: int) -> bool:
        """Split a hunk, at unchanged lines or else by lines; False if it can't be split. All parts are as it was."""
        hunk = self.hunks[place]
        parts = split_hunk(hunk)
        if len(parts) == 1:
            parts = split_hunk(hunk, by_lines=True)
        if len(parts) == 1:
            return False
        was_chosen = place in self.chosen
        above = {chosen for chosen in self.chosen if chosen < place}
        # The parts take more places than the hunk, so the hunks below it move down.
        below = {chosen + len(parts) - 1 for chosen in self.chosen if chosen > place}
        of_parts = set(range(place, place + len(parts))) if was_chosen else set()
        self.hunks = (*self.hunks[:place], *parts, *self.hunks[place + 1 :])
        self.chosen = above | of_parts | below
        self.is_changed = True
        return True

    def text(self, before: str) -> str:
        """The text with the chosen hunks."""
        return keep_hunks(before, self.hunks, {place + 1 for place in self.chosen})

    def set_text(self, before: str, text: str) -> None:
        """Propose another text: its hunks take the place of the others."""
        self.hunks = line_hunks(before, text)
        self.chosen = set(range(len(self.hunks)))
        self.is_changed = True


class AnswerDraft:
    """An answer that is being made. `texts` gives a file of the request before and after."""

    def __init__(self, request: Request, texts: Callable[[str], FileTexts]) -> None:
        self.request = request
        self._texts = texts
        self.files = [FileDraft(file) for file in request.files]
        self.comments: list[LineComment] = []
        self.message = ""

    @property
    def choices(self) -> list[tuple[FileDraft, int]]:
        """All hunks in order, each with its file; a file without hunks is one choice."""
        return [(file, place) for file in self.files for place in range(file.count)]

    @property
    def is_whole(self) -> bool:
        """Whether everything is chosen, as it was proposed."""
        return all(file.is_whole for file in self.files)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is chosen."""
        return not any(file.chosen for file in self.files)

    def split(self, file: FileDraft, place: int) -> None:
        """Split a hunk.

        Raises:
            DraftError: it can't be split.
        """
        self._before(file)
        if not file.split(place):
            raise DraftError("This hunk can't be split. Press e to edit the text.")

    def edit(self, file: FileDraft, editor: Callable[[str], str]) -> bool:
        """Let the person edit the text of a file as it would be written; False if it stays the same.

        Raises:
            DraftError: it can't be edited.
        """
        before = self._before(file)
        proposed = file.text(before)
        edited = editor(proposed)
        try:
            text = keep_unseen(proposed, edited)
        except ValueError as error:
            message = f"Not edited: {error}."
            raise DraftError(message) from error
        if text == proposed:
            return False
        if text == before:
            raise DraftError("That is the file as it is. To leave it so, reject the request or leave out the hunks.")
        file.set_text(before, text)
        return True

    def comment(self, file: FileDraft, text: str) -> None:
        """Add a comment that begins with the number of its line: `12 why?`, or `-12 why?` for a removed line.

        Raises:
            DraftError: it has no number, or no text.
        """
        number, _, rest = text.strip().partition(" ")
        digits = number.removeprefix("-").rstrip(":")
        comment = rest.strip()
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 8
        if not is_number or int(digits) == 0 or not comment:
            raise DraftError("Not a comment: type the number of the line, a space, and the text.")
        side: Literal["after", "before"] = "before" if number.startswith("-") else "after"
        self.comments.append(LineComment(file.file.path, int(digits), comment, side))

    def approval(self) -> Answer:
        """The answer that approves what is chosen.

        Raises:
            DraftError: nothing is chosen, only a part is and all depends on one another, or a text can't be made.
        """
        if self.is_empty:
            raise DraftError("No hunk is chosen: press r to reject the request.")
        if self.is_whole:
            return self._with_remarks(Answer.once())
        if self.request.whole_only:
            raise DraftError("Its changes depend on one another: approve all hunks or none.")
        hunks: dict[str, list[int] | Literal["all"]] = {}
        edits: dict[str, str] = {}
        for file in self.files:
            if not file.chosen:
                continue
            text = self._own_text(file)
            if text is not None:
                edits[file.file.path] = text
            elif file.is_changed or file.is_whole:
                hunks[file.file.path] = "all"
            else:
                hunks[file.file.path] = [place + 1 for place in sorted(file.chosen)]
        if not edits and all(hunks.get(file.path) == "all" for file in self.request.files):
            return self._with_remarks(Answer.once())
        return self._with_remarks(Answer.some(hunks).replace(edits=edits))

    def rejection(self) -> Answer:
        """The answer that rejects the request."""
        return self._with_remarks(Answer.reject())

    def _with_remarks(self, answer: Answer) -> Answer:
        return answer.replace(message=self.message, comments=tuple(self.comments))

    def _own_text(self, file: FileDraft) -> str | None:
        """The text to write instead of the proposed one; None if it is that one, or if numbers say what is chosen."""
        if not file.is_changed:
            return None
        texts = self._texts(file.file.path)
        text = file.text(self._before(file))
        return None if text == texts.after else text

    def _before(self, file: FileDraft) -> str:
        """The text of a file as it is, to which parts of hunks or another text can be applied.

        Raises:
            DraftError: it can't be had.
        """
        if self.request.whole_only:
            raise DraftError("Its changes depend on one another: it can only be approved as it is.")
        if not is_editable(file.file):
            raise DraftError("Only a file that gets new lines of text can be edited or split.")
        texts = self._texts(file.file.path)
        if texts.after is None:
            raise DraftError(texts.reason or "The text can't be shown.")
        return texts.before or ""
