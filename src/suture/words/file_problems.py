"""Problems of operations on whole files: a file is not the one that was expected, or the operation is done already."""

from __future__ import annotations

from ..core.dialect import DELETE, UPDATE
from ..core.paths import visible_path
from ..core.problems import Problem
from .message_lines import compare_lines, visible
from .next_steps import LeaveFileOut, LookAndSend, MakeDiffAgain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def stale_file(path: str, expected: str, actual: str) -> Problem:
    """A file is not as the caller or the plan expects it; both contents by their SHA-256."""
    message = f"{path} has changed: its content is not the expected one."
    if not expected:
        message = f"{path} exists, but was expected not to."
    elif not actual:
        message = f"{path} does not exist, but was expected to."
    details = {"path": path, "expected": expected, "found": actual}
    return Problem("stale_file", message, path, None, details, LookAndSend("the edit for its current content."))


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
    reason = "already_applied"
    return Problem("patch_apply_error", message, path, None, {"path": path}, LeaveFileOut(), reason=reason)


def other_endings(path: str, *, is_applied: bool) -> Problem:
    """A diff that changes line endings or a byte order mark is not for the lines that the file has at its numbers."""
    if is_applied:
        message = f"The diff of {path} has already been applied: its lines end as the diff leaves them."
        return applied_already(path, message)
    message = (
        f"The diff of {path} has several kinds of line endings, or adds or removes a byte order mark. "
        "Then its lines must be exactly at their line numbers, and they are not."
    )
    reason = "context_not_found"
    return Problem("patch_apply_error", message, path, None, {"path": path}, MakeDiffAgain(path), reason=reason)


def not_expressible(path: str, why: str) -> Problem:
    """The change to a file can't be written as a patch."""
    message = f"The change to {visible_path(path)} can't be expressed in a patch: {why}."
    return Problem("encoding_error", message, path, None, {"path": path}, recoverable=False)


def other_content(path: str, ours: Sequence[str], lines: Sequence[str], number: int) -> Problem:
    """A file that a diff deletes has other lines than the diff, from this index on."""
    message = f"The diff deletes {path}, but the file has other lines. "
    if number < min(len(ours), len(lines)):
        message += f"Line {number + 1} differs:{compare_lines(number + 1, lines[number], ours[number], 'diff')}"
    else:
        longer, side = (lines, "the file") if number < len(lines) else (ours, "the diff")
        message += f"Only {side} has a line {number + 1}: {visible(longer[number])}"
    whatever = f"To delete the file whatever it contains, use {DELETE}{path} in a patch."
    hint = LookAndSend(f"the diff again with all lines that it has now. {whatever}")
    details = {"path": path, "line": number + 1}
    return Problem("patch_apply_error", message, path, None, details, hint, reason="context_not_found")
