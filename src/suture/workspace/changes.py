"""What is told of an operation: the change with its diff and counts, where its hunks went, what has gone stale."""

from __future__ import annotations

from codecs import BOM_UTF8

from ..apply.update import line_ranges
from ..core.dialect import UPDATE
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text, is_plain
from ..diff.write_diff import count_changes, unified_diff
from .outcome import Change, PlacedHunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..apply.update import Update
    from ..core.patch import Hunk, UpdateFile
    from .outcome import Kind
    from .record import Snapshot

#: Problems that are looked at once more, and files in which their hunks are looked for.
MOST_PROBLEMS = 20
MOST_FILES = 50
#: How many bytes are searched for them.
MOST_WORK = 20_000_000


def change_of(
    kind: Kind,
    path: str,
    before: tuple[Snapshot, bytes | None],
    after: tuple[Snapshot, bytes | None],
    *,
    move_to: str = "",
    target: str = "",
    encoding: str | None = None,
) -> Change:
    """The change of a file from one state to another."""
    diff = _diff(before[1], after[1], path, move_to, encoding)
    additions, deletions = count_changes(diff)
    return Change(kind, path, move_to, target, additions, deletions, diff, before[0].sha256, after[0].sha256)


def _diff(before: bytes | None, after: bytes | None, path: str, move_to: str, encoding: str | None) -> str:
    contents = [content for content in (before, after) if content is not None]
    if encoding is None and all(map(is_plain, contents)):
        return unified_diff(before, after, path, to_path=move_to or None)
    try:
        texts = [None if content is None else marked(Text(content, encoding, path)) for content in (before, after)]
    except PatchRejectedError:
        # What is no text has no diff.
        return ""
    return unified_diff(texts[0], texts[1], path, to_path=move_to or None)


def marked(text: Text) -> str:
    """A text as a diff has it: for git and patch the BOM of UTF-8 is a character of the first line."""
    return f"\ufeff{text.raw}" if text.bom == BOM_UTF8 else text.raw


def placed(done: Update) -> tuple[PlacedHunk, ...]:
    """Where the hunks of an update went, as plain data."""
    pairs = zip(done.matches, line_ranges(done.matches), strict=True)
    return tuple([PlacedHunk(m.hunk, *lines, m.tier, m.score, m.rivals, m.concessions) for m, lines in pairs])


def stale(path: str, expected: str, found: str) -> Problem:
    """A file is not as the caller or the plan knows it."""
    message = f"{path} is not as it was expected: its content has changed."
    if not expected:
        message = f"{path} exists, and it was expected not to."
    elif not found:
        message = f"{path} does not exist, and it was expected to."
    details = {"path": path, "expected": expected, "found": found}
    hint = "Read it again, and send the edit for what it has now."
    return Problem("stale_file", message, path, None, details, hint)


def look_elsewhere(
    problems: list[Problem], updates: Iterable[UpdateFile], contents: Mapping[str, bytes], encoding: str | None
) -> None:
    """Say of a hunk that has no place where its lines stand in another file of the patch."""
    from ..locate.search import find_block

    known = list(updates)
    bodies: dict[str, str] = {}
    work = 0
    for number, problem in enumerate(problems[:MOST_PROBLEMS]):
        hunk = _hunk_of(problem, known)
        for shown, content in list(contents.items())[:MOST_FILES] if hunk is not None else ():
            work += len(content)
            if shown == problem.path or work > MOST_WORK:
                continue
            if shown not in bodies:
                bodies[shown] = _body(content, encoding)
            if hunk is not None and find_block(bodies[shown], hunk.old, ("exact", "trailing")) is not None:
                message = f"{problem.message}\nIts lines stand in another file of the patch, {shown}."
                hint = f"If that one is meant, put the hunk below {UPDATE}{shown}."
                problems[number] = problem.replace(message=message, hint=hint)
                break


def _hunk_of(problem: Problem, updates: Iterable[UpdateFile]) -> Hunk | None:
    """The hunk that a problem is about, where it was not found. A file may stand in several sections."""
    named = problem.hunk
    if named is None or problem.details.get("reason") != "context_not_found":
        return None
    for update in updates:
        if len(update.hunks) == named.of and update.hunks[named.number - 1].line == named.line:
            return update.hunks[named.number - 1]
    return None


def _body(content: bytes, encoding: str | None) -> str:
    try:
        return Text(content, encoding).body
    except PatchRejectedError:
        return ""
