"""Changes by line numbers: lines inserted, replaced or appended.

A line number alone is a weak claim: the file may have changed since it was counted. It counts where the caller says
which content the number is about (`is_known`), or where the call also says what the lines are.
"""

from __future__ import annotations

from ..core.control_characters import control_character
from ..core.display import plural
from ..core.patch import Concession
from ..core.text import Text, check_growth, check_size
from ..core.text_changes import AppendText, InsertLines, ReplaceLines
from ..core.value import Value
from ..words.change_problems import change_refusal
from ..words.message_lines import visible
from .limits import FEWEST_APPENDED_LINES, MOST_LINES_REFUSED
from .new_text import placeholder_in
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.problems import PatchRejectedError
    from ..core.text_changes import LineChange


class ChangedText(Value):
    """A content after a change, of the type that was given, and what was conceded."""

    text: Any
    concessions: tuple[Concession, ...] = ()


def change_lines(
    content: bytes,
    change: LineChange,
    *,
    path: str,
    encoding: str | None,
    is_known: bool,
    allow_control: bool,
    allow_placeholders: bool,
    max_size: int,
    skip_applied: bool = False,
) -> ChangedText:
    """The content with lines inserted, replaced or appended.

    Raises:
        PatchRejectedError: the lines are not those that the change claims, or nothing confirms their numbers.
    """
    check_size(content, path, max_size)
    text = Text(content, encoding, path)
    new = change.text.replace("\r\n", "\n")
    _check_new(text, new, allow_control=allow_control, allow_placeholders=allow_placeholders)
    if isinstance(change, AppendText):
        is_applied = _ends_with(text.body, new)
        if is_applied and skip_applied:
            return ChangedText(content, (Concession("already_applied"),))
        if is_applied:
            raise _applied(path)
        last = len(text.rows[0])
        first = last + 1
    else:
        first, last = _range(change)
        _check_range(text, change, first, last, is_known=is_known)
    after = _with_lines(text, first, last, new, ends_file=isinstance(change, AppendText))
    check_growth(text, len(after) - len(text.raw), max_size)
    return ChangedText(text.content(after))


def _range(change: InsertLines | ReplaceLines) -> tuple[int, int]:
    """The first and the last line that a change replaces; the last is before the first if it replaces none."""
    if isinstance(change, InsertLines):
        return change.after + 1, change.after
    return change.first, change.last


def _check_new(text: Text, new: str, *, allow_control: bool, allow_placeholders: bool) -> None:
    character = None if allow_control else control_character(new, text.body)
    if character is not None:
        message = f"The new text for {text.path} has the control character U+{ord(character):04X}."
        hint = "Leave it out, or write it as an escape of the file's language."
        raise change_refusal("encoding_error", text.path, message, hint, reason="control_character")
    line = None if allow_placeholders else placeholder_in(new, text.body)
    if line is not None:
        message = f"The new text has a placeholder, which would be written to {text.path} as it is: {visible(line)}."
        hint = "Write out the lines that it stands for."
        raise change_refusal("invalid_arguments", text.path, message, hint, reason="placeholder")


def _check_range(text: Text, change: InsertLines | ReplaceLines, first: int, last: int, *, is_known: bool) -> None:
    """Refuse lines that the file does not have, that are not what the change claims, or that nothing confirms."""
    lines = text.rows[0]
    has_order = first <= last or isinstance(change, InsertLines)
    # An insertion is between two lines: its last line is the one before its first, and may be 0.
    is_in_file = 1 <= first <= last + 1 <= len(lines) + 1
    if not has_order or not is_in_file:
        count = f"{len(lines)} {plural('line', len(lines))}"
        where = f"after line {last}" if isinstance(change, InsertLines) else f"lines {first}-{last}"
        message = f"{text.path} has {count}, and the change is about {where}."
        hint = "Count the lines of the file as it is now, or use an edit with the text to find instead."
        raise change_refusal("patch_apply_error", text.path, message, hint, reason="line_out_of_range")
    confirmed = False
    if isinstance(change, ReplaceLines):
        _check_claimed_line(text, change, first, change.first_text)
        _check_claimed_line(text, change, last, change.last_text)
        confirmed = are_confirmed(change)
    if not is_known and not confirmed:
        raise _unconfirmed(text, change, first, last)


def _check_claimed_line(text: Text, change: ReplaceLines, number: int, claimed: str | None) -> None:
    """Refuse a change that says that a line is another one than it is."""
    line = text.rows[0][number - 1]
    if claimed is None or claimed.strip() == line.strip():
        return
    message = f"Line {number} of {text.path} is {visible(line)}, but the change says that it is {visible(claimed)}."
    hint = "Use the numbers and lines that the file has now, or an edit with the text to find."
    raise change_refusal(
        "patch_apply_error", text.path, message, hint, reason="other_line", first=change.first, last=change.last
    )


def are_confirmed(change: ReplaceLines) -> bool:
    """Whether a change also says what its first and its last line are, and that tells them from others."""
    if change.first_text is None or change.last_text is None:
        return False
    return any(is_distinctive(line) or len(line.split()) > 1 for line in (change.first_text, change.last_text))


def _unconfirmed(text: Text, change: InsertLines | ReplaceLines, first: int, last: int) -> PatchRejectedError:
    """The refusal of line numbers that nothing confirms, with the lines that the file has there."""
    if isinstance(change, InsertLines):
        what = f"inserts after line {last}"
        # The lines above and below the insertion.
        low, high = max(1, last), last + 1
    else:
        what = f"replaces lines {first}-{last}"
        low, high = first, last
    message = f"The change {what} of {text.path} by number alone, and numbers may be out of date."
    lines = text.rows[0][low - 1 : high]
    rows = [f"\n  {number}: {visible(line)}" for number, line in enumerate(lines[:MOST_LINES_REFUSED], low)]
    if rows:
        more = f"\n  … and {len(lines) - MOST_LINES_REFUSED} more" if len(lines) > MOST_LINES_REFUSED else ""
        message += f" The file has there:{''.join(rows)}{more}"
    hint = (
        "If these lines are meant, use an edit with them as the text to find, or name the SHA-256 of the file that the "
    )
    hint += "numbers are about."
    return change_refusal(
        "patch_apply_error", text.path, message, hint, reason="line_number_alone", first=first, last=last
    )


def _ends_with(body: str, new: str) -> bool:
    """Whether a file ends with lines that are distinctive enough to say that they were appended before."""
    lines = [line for line in new.split("\n") if line.strip()]
    if len(lines) < FEWEST_APPENDED_LINES:
        return False
    # With a newline before them, the new lines are found at the start of a line only.
    return f"\n{body}".rstrip("\n").endswith("\n" + new.strip("\n"))


def _with_lines(text: Text, first: int, last: int, new: str, *, ends_file: bool) -> str:
    """The raw text with new lines in place of those from `first` to `last`.

    Behind a last line without a newline, a file that goes on to end in the same way has none either; with `ends_file`
    it gets one.
    """
    lines, starts = text.rows
    raw, newline = text.raw, text.newline
    added = new.removesuffix("\n").replace("\n", newline)
    if first > len(lines):
        # The new lines are behind all lines of the file.
        lacks_newline = bool(raw) and raw[-1] not in "\r\n"
        before = f"{raw}{newline}" if lacks_newline else raw
        if not new:
            return before
        keeps_open_end = lacks_newline and not ends_file
        return before + added + ("" if keeps_open_end else newline)
    start = text.raw_offset(starts[first - 1])
    if last < len(lines):
        end, line_end = text.raw_offset(starts[last]), newline
    else:
        end = len(raw)
        line_end = newline if raw[-1:] in ("\n", "\r") else ""
    return raw[:start] + (added + line_end if new else "") + raw[end:]


def _applied(path: str) -> PatchRejectedError:
    message = f"The text seems to be appended already: {path} ends with it."
    return change_refusal("patch_apply_error", path, message, "Leave the change out.", reason="already_applied")
