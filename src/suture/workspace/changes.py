"""What a plan reports of an operation: the change with its diff and counts, placed hunks, stale files."""

from __future__ import annotations

from codecs import BOM_UTF8

from ..core.dialect import DELETE, UPDATE
from ..core.problems import PatchRejectedError, Problem, hunk_ref
from ..core.text import Text, is_plain
from ..words.write_diff import count_changes, unified_diff
from .outcome import Change, PlacedHunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..core.patch import Hunk, Mode, UpdateFile
    from ..place.update import Update
    from .outcome import Kind
    from .record import Snapshot

#: How many problems get a search for their hunk in other files, in how many files, and in how many bytes.
MOST_PROBLEMS = 20
MOST_FILES = 50
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
    modes = before[0].git_mode, after[0].git_mode
    diff = _diff(before[1], after[1], path, move_to, encoding, *modes)
    additions, deletions = count_changes(diff)
    mode: Mode = modes[1] if after[0].kind == "file" and modes[0] != modes[1] else ""
    digests = before[0].sha256, after[0].sha256
    return Change(kind, path, move_to, target, additions, deletions, diff, *digests, mode=mode)


def _diff(
    before: bytes | None,
    after: bytes | None,
    path: str,
    move_to: str,
    encoding: str | None,
    old_mode: Mode,
    new_mode: Mode,
) -> str:
    contents = [content for content in (before, after) if content is not None]
    to_path = move_to or None
    if encoding is None and all(map(is_plain, contents)):
        return unified_diff(before, after, path, to_path=to_path, old_mode=old_mode, new_mode=new_mode)
    try:
        texts = [None if content is None else with_bom(Text(content, encoding, path)) for content in (before, after)]
    except PatchRejectedError:
        # A binary file has no diff, except for its name and its mode.
        is_same = before == after and old_mode != new_mode
        return unified_diff("", "", path, to_path=to_path, old_mode=old_mode, new_mode=new_mode) if is_same else ""
    return unified_diff(texts[0], texts[1], path, to_path=to_path, old_mode=old_mode, new_mode=new_mode)


def with_bom(text: Text) -> str:
    """A text as in a diff: for git and patch the BOM of UTF-8 is a character of the first line."""
    return f"\ufeff{text.raw}" if text.bom == BOM_UTF8 else text.raw


def placed_hunks(updated: Update) -> tuple[PlacedHunk, ...]:
    """Where the hunks of an update were placed."""
    return tuple(
        [PlacedHunk(m.hunk, m.start, m.end, m.tier, m.score, m.rivals, m.concessions) for m in updated.matches]
    )


def placed_exactly(number: int, hunk: Hunk) -> PlacedHunk:
    """A hunk of a diff at its own line number."""
    first = max(1, hunk.line_hint or 0) if hunk.old else (hunk.line_hint or 0) + 1
    return PlacedHunk(number, first, first + len(hunk.old) - 1, "exact", 1.0, (), ())


def stale_file(path: str, expected: str, actual: str) -> Problem:
    """A file is not as the caller or the plan expects it; both contents by their SHA-256."""
    from ..core.interface_names import interface_names

    message = f"{path} has changed: its content is not the expected one."
    if not expected:
        message = f"{path} exists, but was expected not to."
    elif not actual:
        message = f"{path} does not exist, but was expected to."
    details = {"path": path, "expected": expected, "found": actual}
    names = interface_names()
    hint = f"{names.look}, and {names.send.lower()} the edit for its current content."
    return Problem("stale_file", message, path, None, details, hint)


def stale_add(path: str, expected: str, actual: str) -> Problem:
    """A file to add was expected to have a content, by its SHA-256; only "" is right for a file that is added."""
    there = f"is there, with the SHA-256 {actual}" if actual else "does not exist"
    message = f"{path} {there}, but the patch adds it and expects it to have a content."
    details = {"path": path, "expected": expected, "found": actual}
    hint = 'To add a new file, expect "" for it.'
    if actual:
        hint = f"Use {UPDATE}{path} with hunks to change it, or choose another path."
    return Problem("stale_file", message, path, None, details, hint)


def applied_already(path: str, message: str) -> Problem:
    """An operation on a file has already been applied, as the file itself tells."""
    from ..core.interface_names import interface_names

    details = {"path": path, "reason": "already_applied"}
    hint = f"Leave this file out{interface_names().or_skip}."
    return Problem("patch_apply_error", message, path, None, details, hint)


def other_endings(path: str, *, is_applied: bool) -> Problem:
    """A diff that changes line endings or a byte order mark is not for the lines that the file has at its numbers."""
    if is_applied:
        message = f"The diff of {path} has already been applied: its lines end as the diff leaves them."
        return applied_already(path, message)
    from ..core.interface_names import interface_names

    message = (
        f"The diff of {path} has several kinds of line endings, or adds or removes a byte order mark. "
        "Then its lines must be exactly at their line numbers, and they are not."
    )
    details = {"path": path, "reason": "context_not_found"}
    names = interface_names()
    hint = f"{names.look}, and make the diff again. {names.leave_out(path)}"
    return Problem("patch_apply_error", message, path, None, details, hint)


def check_deleted(content: str, found: str | bytes, path: str, encoding: str | None) -> None:
    """Check that a file has the lines that a diff deletes. Line endings and trailing whitespace may differ.

    Raises:
        PatchRejectedError: it has other lines.
    """
    ours, lines = Text(content).lines, Text(found, encoding, path).lines
    pairs = zip(ours, lines, strict=False)
    number = next(
        (n for n, (one, line) in enumerate(pairs) if one.rstrip() != line.rstrip()), min(len(ours), len(lines))
    )
    if number == len(ours) == len(lines):
        return
    from ..core.interface_names import interface_names
    from ..place.message_lines import compare_lines, visible

    message = f"The diff deletes {path}, but the file has other lines. "
    if number < min(len(ours), len(lines)):
        message += f"Line {number + 1} differs:{compare_lines(number + 1, lines[number], ours[number], 'diff')}"
    else:
        longer, side = (lines, "the file") if number < len(lines) else (ours, "the diff")
        message += f"Only {side} has a line {number + 1}: {visible(longer[number])}"
    names = interface_names()
    hint = f"{names.look}, and {names.send.lower()} the diff again with all lines that it has now. To delete the file "
    hint += f"whatever it contains, use {DELETE}{path} in a patch."
    details = {"path": path, "reason": "context_not_found", "line": number + 1}
    raise PatchRejectedError([Problem("patch_apply_error", message, path, None, details, hint)])


def name_other_files(
    problems: Sequence[Problem],
    updates: Sequence[UpdateFile],
    contents: Mapping[str, bytes],
    encoding_of: Callable[[str], str | None],
    form: str = "envelope",
) -> list[Problem]:
    """The problems; that of a hunk without a place names another file of the patch that has its lines."""
    from ..place.search import find_block

    texts: dict[str, str] = {}
    named: list[Problem] = []
    work = 0
    for problem in problems:
        hunk = _hunk_of(problem, updates) if len(named) < MOST_PROBLEMS else None
        for shown, content in list(contents.items())[:MOST_FILES] if hunk is not None else ():
            work += len(content)
            if shown == problem.path or work > MOST_WORK:
                continue
            if shown not in texts:
                texts[shown] = _body(content, encoding_of(shown))
            if hunk is not None and find_block(texts[shown], hunk.old, ("exact", "trailing")) is not None:
                message = f"{problem.message}\nAnother file of the patch has these lines: {shown}."
                where = f"{UPDATE}{shown}" if form == "envelope" else f"the path {shown}"
                hint = f"If you meant that file, put the hunk under {where}."
                problem = problem.replace(message=message, hint=hint)  # noqa: PLW2901 - the same one, with more to say
                break
        named.append(problem)
    return named


def _hunk_of(problem: Problem, updates: Iterable[UpdateFile]) -> Hunk | None:
    """The hunk that a problem is about, if its lines were not found. A file may have several sections."""
    ref = problem.hunk
    if ref is None or problem.details.get("reason") != "context_not_found":
        return None
    for update in updates:
        for number, hunk in enumerate(update.hunks, 1):
            if hunk_ref(hunk, number, len(update.hunks)) == ref:
                return hunk
    return None


def _body(content: bytes, encoding: str | None) -> str:
    try:
        return Text(content, encoding).body
    except PatchRejectedError:
        return ""
