"""The history of a workspace for people: commits, undo and redo, and which commit wrote a line.

It reads and writes through a `Workspace`, whose rules hold here too. Nothing is guessed: a line that no commit of the
history explains belongs to none.
"""

from __future__ import annotations

from ..agent.configuration.project_workspace import open_project
from ..core.json_values import JsonValue
from ..core.line_diff import changed_blocks
from ..core.patch import BOM
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..core.readers import COMMAND
from ..place.update import update
from ..words.patch_hunks import to_patch_hunk
from ..workspace.outcome import Receipt  # noqa: TC001 - `from_json` looks it up by its name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from ..core.line_hunks import LineHunk
    from ..workspace.outcome import Change
    from ..workspace.workspace import Workspace

#: How many commits one look goes through, and how many are read at a time.
MOST_SEARCHED = 10_000
PAGE = 200
#: How many commits of a file a blame goes back, and how many lines it has.
MOST_BLAMED = 500
MOST_LINES = 20_000


class Reversal(JsonValue):
    """Whether a commit can be undone, or made again if it was undone; `reason` says why it can't."""

    commit: str
    action: str
    is_possible: bool
    reason: str = ""
    #: Whether a merge, which keeps what has changed since, may work instead.
    may_merge: bool = False


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
        found: list[Receipt] = []
        for receipt in self._all(before, path):
            if receipt.time < since or len(found) >= limit:
                break
            if receipt.time <= until and session in ("", receipt.session):
                found.append(receipt)
        return found

    def commit(self, commit: str) -> Receipt:
        """One commit, by its id or the beginning of it.

        Raises:
            PatchRejectedError: there is none, or there are several.
        """
        return self.workspace.show(commit)

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
        told = [problem.told_to(COMMAND) for problem in problems[:3]]
        reason = "\n".join([f"{problem.message} {problem.hint}".strip() for problem in told])
        may_merge = all(problem.code == "stale_file" for problem in problems)
        return Reversal(receipt.id, action, is_possible=False, reason=reason, may_merge=may_merge)

    def undo(self, commit: str, *, merge: bool = False, path: str | None = None, actor: str = "review") -> Receipt:
        """Take a commit back, or only what it did to one file.

        Raises:
            SutureError: it can't be undone; the message says why.
        """
        return self.workspace.undo(self.workspace.show(commit).id, merge=merge, path=path, actor=actor)

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
        lines = content.text.removesuffix("\n").split("\n")[:MOST_LINES]
        writers = [""] * len(lines)
        named: dict[str, Receipt] = {}
        version = _Version(content.path, lines, list(range(len(lines))))
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

    def _in_effect(self, version: _Version) -> Iterator[Receipt]:
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
        for _ in range(MOST_SEARCHED // PAGE):
            page = self.workspace.log(PAGE, before=before, path=path)
            yield from page
            if len(page) < PAGE:
                return
            before = page[-1].id


class _Version:
    """A file as it was before some of its commits, and which of its lines are still there now."""

    def __init__(self, path: str, lines: list[str], numbers: list[int]) -> None:
        self.path = path
        self._lines = lines
        #: The index that each line has now; -1 if it is no longer there.
        self._numbers = numbers

    @property
    def is_explained(self) -> bool:
        """Whether no line of it is still there."""
        return not any(number >= 0 for number in self._numbers)

    def go_back(self, receipt: Receipt) -> list[int] | None:
        """Go back to before a commit; the indexes of the lines that it wrote, or None if that is unknown."""
        written: list[int] = []
        for change in reversed(receipt.changes):
            if change.content_name != self.path:
                continue
            earlier = [] if change.kind == "add" else _revert(self._lines, change)
            if earlier is None:
                return None
            numbers = [-1] * len(earlier)
            old = new = 0
            end = (len(earlier), len(earlier), len(self._lines), len(self._lines))
            for a, b, c, d in [*changed_blocks(earlier, self._lines), end]:
                numbers[old:a] = self._numbers[new:c]
                written += [number for number in self._numbers[c:d] if number >= 0]
                old, new = b, d
            self._lines, self._numbers = earlier, numbers
            self.path = change.path if change.move_to else self.path
        return written


def _revert(lines: list[str], change: Change) -> list[str] | None:
    """The lines of a file before a change: by the positions of its hunks, else like a patch; None if neither fits."""
    reverted = _revert_at_positions(lines, change.hunks)
    if reverted is not None:
        return reverted
    hunks = [to_patch_hunk(hunk.reverted).replace(line_hint=None) for hunk in change.hunks]
    try:
        text: str = update("\n".join(lines) + "\n", hunks, path=change.path, allow_control=True).text
    except PatchRejectedError:
        return None
    return text.removesuffix("\n").split("\n")


def _revert_at_positions(lines: list[str], hunks: Sequence[LineHunk]) -> list[str] | None:
    earlier: list[str] = []
    done = 0
    for hunk in hunks:
        new = [_shown(line) for line in hunk.new]
        end = hunk.new_start + len(new)
        if lines[hunk.new_start : end] != new:
            return None
        earlier += lines[done : hunk.new_start]
        earlier += [_shown(line) for line in hunk.old]
        done = end
    return earlier + lines[done:]


def _shown(line: str) -> str:
    """A line as a blame compares it: without its ending and a byte order mark."""
    return line.removesuffix("\n").removesuffix("\r").removeprefix(BOM)
