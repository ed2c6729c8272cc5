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
        if _ends_with(text.body, new):
            if not skip_applied:
                raise _applied(path)
            return ChangedText(content, (Concession("already_applied"),))
        first, last = len(text.rows[0]) + 1, len(text.rows[0])
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
    is_range = first <= last or isinstance(change, InsertLines)
    if not (is_range and 1 <= first <= last + 1 <= len(lines) + 1):
        count = f"{len(lines)} {plural('line', len(lines))}"
        where = f"after line {last}" if isinstance(change, InsertLines) else f"lines {first}-{last}"
        message = f"{text.path} has {count}, and the change is about {where}."
        hint = "Count the lines of the file as it is now, or use an edit with the text to find instead."
        raise change_refusal("patch_apply_error", text.path, message, hint, reason="line_out_of_range")
    confirmed = False
    if isinstance(change, ReplaceLines):
        for number, said in ((first, change.first_text), (last, change.last_text)):
            if said is not None and said.strip() != lines[number - 1].strip():
                message = f"Line {number} of {text.path} is {visible(lines[number - 1])}, but the change says that it "
                message += f"is {visible(said)}."
                hint = "Use the numbers and lines that the file has now, or an edit with the text to find."
                raise change_refusal(
                    "patch_apply_error", text.path, message, hint, reason="other_line", first=first, last=last
                )
        confirmed = are_confirmed(change)
    if not is_known and not confirmed:
        raise _unconfirmed(text, change, first, last)


def are_confirmed(change: ReplaceLines) -> bool:
    """Whether a change also says what its first and its last line are, and that tells them from others."""
    if change.first_text is None or change.last_text is None:
        return False
    return any(is_distinctive(line) or len(line.split()) > 1 for line in (change.first_text, change.last_text))


def _unconfirmed(text: Text, change: InsertLines | ReplaceLines, first: int, last: int) -> PatchRejectedError:
    """The refusal of line numbers that nothing confirms, with the lines that the file has there."""
    is_insertion = isinstance(change, InsertLines)
    what = f"inserts after line {last}" if is_insertion else f"replaces lines {first}-{last}"
    message = f"The change {what} of {text.path} by number alone, and numbers may be out of date."
    low, high = (max(1, last), last + 1) if is_insertion else (first, last)
    lines = text.rows[0][low - 1 : high]
    rows = [f"\n  {low + index}: {visible(line)}" for index, line in enumerate(lines[:MOST_LINES_REFUSED])]
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
    return len(lines) >= FEWEST_APPENDED_LINES and f"\n{body}".rstrip("\n").endswith("\n" + new.strip("\n"))


def _with_lines(text: Text, first: int, last: int, new: str, *, ends_file: bool) -> str:
    """The raw text with new lines in place of those from `first` to `last`.

    Behind a last line without a newline, a file that goes on to end in the same way has none either; with `ends_file`
    it gets one.
    """
    lines, starts = text.rows
    raw, newline = text.raw, text.newline
    added = new.removesuffix("\n").replace("\n", newline) if new else None
    if first > len(lines):
        is_open = bool(raw) and raw[-1] not in "\r\n"
        before = f"{raw}{newline}" if is_open else raw
        if added is None:
            return before
        return before + added + (newline if ends_file or not is_open else "")
    start = text.raw_offset(starts[first - 1])
    if last >= len(lines):
        end, ending = len(raw), newline if raw[-1:] in ("\n", "\r") else ""
    else:
        end, ending = text.raw_offset(starts[last]), newline
    return raw[:start] + ("" if added is None else added + ending) + raw[end:]


def _applied(path: str) -> PatchRejectedError:
    message = f"The text seems to be appended already: {path} ends with it."
    return change_refusal("patch_apply_error", path, message, "Leave the change out.", reason="already_applied")
