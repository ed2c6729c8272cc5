"""The history of a workspace for people: commits, undo and redo, and which commit wrote a line.

It reads and writes through a `Workspace`, whose rules hold here too. Nothing is guessed: a line that no commit of the
history explains belongs to none.
"""

from __future__ import annotations

from ..agent.configuration.project_workspace import open_project
from ..core.fingerprint import fingerprint
from ..core.json_values import JsonValue
from ..core.line_diff import split_lines
from ..core.outcome import Receipt  # noqa: TC001 - `from_json` looks it up by its name
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..core.readers import COMMAND
from ..core.text import Text
from ..workspace.changes import with_bom
from .earlier_version import EarlierVersion
from .file_texts import FileTexts
from .review_limits import LARGEST_TEXT, MOST_BLAMED, MOST_BLAMED_LINES, MOST_SEARCHED_COMMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change
    from ..workspace.workspace import Workspace

#: How many commits are read at a time.
PAGE = 200


class Reversal(JsonValue):
    """Whether a commit can be undone, or made again if it was undone; `reason` says why it can't."""

    commit: str
    action: str
    is_possible: bool
    reason: str = ""
    #: Whether a merge, which keeps what has changed since, may work instead.
    may_merge: bool = False


class SessionUndo(JsonValue):
    """What an undo of a whole session came to: the commits that took others back, and the one that it ended at."""

    session: str
    undone: tuple[str, ...] = ()
    #: The commit that can't be undone, and why; empty if all were.
    stopped_at: str = ""
    reason: str = ""


class BlamedLine(JsonValue):
    """A line of a file, and the id of the commit that wrote it; empty if no commit of the history did."""

    number: int
    text: str
    commit: str = ""


class Blame(JsonValue):
    """Which commit wrote each line of a file as it is now. `commits` are those that are named, newest first.

    `gap` says where the search ended if not at the beginning of the history.
    """

    path: str
    lines: tuple[BlamedLine, ...]
    commits: tuple[Receipt, ...] = ()
    gap: str = ""


class Timeline:
    """The history of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @classmethod
    def open(cls, root: str) -> Self:
        """The history of the workspace at `root`, with the settings of its configuration.

        Raises:
            SutureError: there is no such directory, or its configuration is wrong.
        """
        return cls(open_project(root))

    def commits(
        self,
        limit: int = 100,
        *,
        before: str | None = None,
        path: str | None = None,
        session: str = "",
        since: float = 0.0,
        until: float = float("inf"),
    ) -> list[Receipt]:
        """Commits, newest first: before another, of a file, of a session, from a time on, or up to a time.

        Times are seconds since 1970. At most the last ten thousand commits are searched.

        Raises:
            PatchRejectedError: there is no commit `before`, or the path may not be touched.
        """
        receipts: list[Receipt] = []
        for receipt in self._all(before, path):
            if receipt.time < since or len(receipts) >= limit:
                break
            if receipt.time <= until and session in ("", receipt.session):
                receipts.append(receipt)
        return receipts

    def commit(self, commit: str) -> Receipt:
        """One commit, by its id or the beginning of it.

        Raises:
            PatchRejectedError: there is none, or there are several.
        """
        return self.workspace.show(commit)

    def texts(self, commit: str, change: Change) -> FileTexts:
        """A file before and after a change of a commit.

        The file as it is now is followed back through the later commits, by the positions of their hunks. The hash of
        the change proves the result.
        """
        unknown = FileTexts(change.path, None, None, "What the file was then is not known any more.")
        path = change.content_name
        data = self._content(path)
        if data is None or not change.sha256_after:
            return unknown
        encoding = self.workspace.encoding_of(path)
        try:
            text = Text(data, encoding, path)
            after: str | None = with_bom(text)
        except PatchRejectedError:
            return unknown
        if fingerprint(data) != change.sha256_after:
            after = self._followed_back(commit, path, str(after))
            try:
                if after is None or fingerprint(_encoded(text, after)) != change.sha256_after:
                    return unknown
            except PatchRejectedError:
                return unknown
        before = apply_at_positions(str(after), [hunk.reverted for hunk in change.hunks])
        return FileTexts(change.path, before if change.sha256_before else None, after)

    def _content(self, path: str) -> bytes | None:
        try:
            resolved = self.workspace.guard().resolve(path)
            return self.workspace.files.read(resolved.path, LARGEST_TEXT)[0]
        except (SutureError, OSError):
            return None

    def _followed_back(self, commit: str, path: str, text: str) -> str | None:
        """A text as it was right after a commit; None if the later commits do not explain what it is now."""
        now: str | None = text
        for count, receipt in enumerate(self._all(None, path)):
            if receipt.id == commit:
                return now
            for change in reversed(receipt.changes):
                if change.content_name == path and now is not None:
                    now = apply_at_positions(now, [hunk.reverted for hunk in change.hunks])
            if now is None or count > MOST_BLAMED:
                return None
        return None

    def reversal(self, commit: str) -> Reversal:
        """Whether a commit can be undone, or redone.

        Raises:
            PatchRejectedError: there is no such commit, or there are several.
        """
        receipt = self.workspace.show(commit)
        target = receipt.undone_by or receipt.id
        action = "redo" if receipt.undone_by or receipt.tool == "undo" else "undo"
        try:
            problems = self.workspace.plan_undo(target).problems
        except SutureError as error:
            problems = error.problems
        if not problems:
            return Reversal(receipt.id, action, is_possible=True)
        for_people = [problem.told_to(COMMAND) for problem in problems[:3]]
        reason = "\n".join([f"{problem.message} {problem.hint}".strip() for problem in for_people])
        may_merge = all(problem.code == "stale_file" for problem in problems)
        return Reversal(receipt.id, action, is_possible=False, reason=reason, may_merge=may_merge)

    def undo(self, commit: str, *, merge: bool = False, path: str | None = None, actor: str = "review") -> Receipt:
        """Take a commit back, or only what it did to one file.

        Raises:
            SutureError: it can't be undone; the message says why.
        """
        return self.workspace.undo(self.workspace.show(commit).id, merge=merge, path=path, actor=actor)

    def undo_hunk(self, commit: str, number: int, hunk: int, *, actor: str = "review") -> Receipt:
        """Take back one hunk, counted from 1, of the change with that number, from 0. The file must be as it was left.

        Raises:
            PatchRejectedError: there is no such hunk, the file has changed since, or its encoding lacks a character.
        """
        receipt = self.workspace.show(commit)
        change = receipt.changes[number] if number < len(receipt.changes) else None
        if change is None or not 1 <= hunk <= len(change.hunks) or not change.sha256_before:
            raise PatchRejectedError([Problem("not_found", "The commit has no such hunk that can be taken back.")])
        path = change.content_name
        after = self.texts(receipt.id, change).after
        data = self._content(path)
        if data is None or after is None or fingerprint(data) != change.sha256_after:
            message = f"{path} has changed since the commit {receipt.id}, so one hunk of it can't be taken back."
            raise PatchRejectedError([Problem("stale_file", message, path)])
        reverted = apply_at_positions(after, [change.hunks[hunk - 1].reverted])
        assert reverted is not None, "BUG: the hash says that the lines are there"
        content = _encoded(Text(data, self.workspace.encoding_of(path), path), reverted)
        plan = self.workspace.plan_write(path, content, expected_sha256=change.sha256_after)
        return self.workspace.commit(plan, actor=actor, tool="undo hunk")

    def undo_session(self, session: str, *, merge: bool = False, actor: str = "review") -> SessionUndo:
        """Take back the commits of a session that are in effect, the newest first: all of them, or none.

        Whether all can be taken back is checked before the first one is. Only if a file changes in between, or with
        `merge`, which finds out as it goes, can it end at a commit with others undone already. Each commit is undone by
        one of its own, so that each can be redone alone.
        """
        if not session:
            return SessionUndo(session)
        in_effect = [
            one for one in self.commits(MOST_SEARCHED_COMMITS, session=session) if not one.undone_by and not one.undoes
        ]
        if not merge:
            obstacle = self._obstacle(in_effect)
            if obstacle is not None:
                return obstacle.replace(session=session)
        undone: list[str] = []
        for receipt in in_effect:
            try:
                undone.append(self.undo(receipt.id, merge=merge, actor=actor).id)
            except SutureError as error:
                return SessionUndo(session, tuple(undone), receipt.id, _reason(error))
        return SessionUndo(session, tuple(undone))

    def _obstacle(self, receipts: Sequence[Receipt]) -> SessionUndo | None:
        """The first of some commits, newest first, that could not be undone after those before it; None if all can.

        A file that a later one of them changed has to be, after that one is undone, as the earlier one left it.
        """
        #: The hash of each file once the commits so far are undone; empty where there is none.
        hashes: dict[str, str] = {}
        for receipt in receipts:
            left = {change.content_name: change.sha256_after for change in receipt.changes}
            changed = [path for path, sha256 in left.items() if hashes.get(path, sha256) != sha256]
            if changed:
                reason = f"{changed[0]} was changed after the commit {receipt.id} by something other than the session."
                return SessionUndo("", stopped_at=receipt.id, reason=reason)
            if not hashes.keys() & left.keys():
                try:
                    problems = self.workspace.plan_undo(receipt.id).problems
                except SutureError as error:
                    problems = error.problems
                if problems:
                    return SessionUndo("", stopped_at=receipt.id, reason=_reason(PatchRejectedError(problems)))
            for change in reversed(receipt.changes):
                hashes[change.content_name] = ""
                hashes[change.path] = change.sha256_before
        return None

    def redo(self, commit: str, *, merge: bool = False, actor: str = "review") -> Receipt:
        """Make a commit again that was undone.

        Raises:
            SutureError: it was not undone, or can't be made again; the message says why.
        """
        receipt = self.workspace.show(commit)
        undo = receipt.undone_by or (receipt.id if receipt.tool == "undo" else "")
        if not undo:
            message = f"The commit {receipt.id} is not undone, so it cannot be redone."
            raise PatchRejectedError([Problem("no_change", message, details={"id": receipt.id})])
        return self.workspace.undo(undo, merge=merge, actor=actor)

    def blame(self, path: str) -> Blame:
        """Which commit wrote each line of a file: back from the file as it is now, also through renames.

        Where the file was changed between two commits by something else, a commit is taken back like a patch. If that
        does not fit, the search ends there.

        Raises:
            PatchRejectedError: there is no such text file, or it may not be read.
        """
        content = self.workspace.read(path)
        if content.text is None:
            message = f"{content.path} is a binary file, which has no lines."
            raise PatchRejectedError([Problem("binary_file", message, content.path)])
        lines = content.text.removesuffix("\n").split("\n")[:MOST_BLAMED_LINES]
        writers = [""] * len(lines)
        named: dict[str, Receipt] = {}
        version = EarlierVersion(content.path, lines, list(range(len(lines))))
        gap = ""
        for count, receipt in enumerate(self._in_effect(version)):
            if count >= MOST_BLAMED:
                gap = f"Only the last {MOST_BLAMED} commits of the file were searched."
                break
            written = version.go_back(receipt)
            if written is None:
                gap = f"Something else changed the file around the commit {receipt.id}; who wrote the rest is unknown."
                break
            for number in written:
                writers[number] = receipt.id
                named[receipt.id] = receipt
        blamed = [BlamedLine(number, line, writers[number - 1]) for number, line in enumerate(lines, 1)]
        return Blame(content.path, tuple(blamed), tuple(named.values()), gap)

    def _in_effect(self, version: EarlierVersion) -> Iterator[Receipt]:
        """The commits of a file that are in effect, newest first, under the name that the file had then.

        An undo and what it undid cancel each other out.
        """
        before = None
        while not version.is_explained:
            receipt = next(iter(self.workspace.log(1, before=before, path=version.path)), None)
            if receipt is None:
                return
            before = receipt.id
            if not receipt.undone_by and not self._is_reversal(receipt):
                yield receipt

    def _is_reversal(self, receipt: Receipt) -> bool:
        """Whether a commit did nothing but take all of another one back."""
        if not receipt.undoes:
            return False
        try:
            return self.workspace.show(receipt.undoes).undone_by == receipt.id
        except PatchRejectedError:
            return False

    def _all(self, before: str | None, path: str | None) -> Iterator[Receipt]:
        for _ in range(MOST_SEARCHED_COMMITS // PAGE):
            page = self.workspace.log(PAGE, before=before, path=path)
            yield from page
            if len(page) < PAGE:
                return
            before = page[-1].id


def _reason(error: SutureError) -> str:
    """Why something can't be undone, as a sentence."""
    for_people = error.told_to(COMMAND).problems[:1]
    return " ".join([f"{problem.message} {problem.hint}".strip() for problem in for_people]) or str(error)


def apply_at_positions(text: str, hunks: Sequence[LineHunk]) -> str | None:
    """A text with hunks applied exactly where they say; None if their lines are not there."""
    lines = split_lines(text)
    written: list[str] = []
    done = 0
    for hunk in hunks:
        end = hunk.old_start + hunk.old_count
        if hunk.old_start < done or lines[hunk.old_start : end] != hunk.old:
            return None
        written += [*lines[done : hunk.old_start], *hunk.new]
        done = end
    return "".join([*written, *lines[done:]])


def _encoded(text: Text, raw: str) -> bytes:
    """Another text in the encoding of one that was read, with its byte order mark.

    Raises:
        PatchRejectedError: the encoding lacks a character of the text.
    """
    whole = text.with_bom_in_text() if text.bom and not text.is_wide else text
    content = whole.content(raw)
    assert isinstance(content, bytes), "BUG: bytes in, bytes out"
    return content
