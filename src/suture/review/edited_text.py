"""A text that a person has edited where some of its characters can't be kept, such as in a form of a page.

A text field has lines without carriage returns and drops a BOM. What the person did not touch must stay as it is.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks, split_lines
from ..core.text import BOM


def keep_unseen(proposed: str, edited: str) -> str:
    """The edited text with the line endings and the BOM of the proposed one.

    A line that was not edited has the ending that it had. Another one has that of the line before it, or the first of
    the file. An edited text that has carriage returns itself is as it is, and so is one for a text without any.

    Raises:
        ValueError: the proposed text has carriage returns inside of lines, which can't be put back.
    """
    if proposed.startswith(BOM) and not edited.startswith(BOM):
        edited = BOM + edited
    if "\r" not in proposed or "\r" in edited:
        return edited
    before, after = split_lines(proposed), split_lines(edited)
    plain = [_without_return(line) for line in before]
    if any("\r" in line for line in plain):
        message = "the text has carriage returns that are not at the end of a line, so it can't be edited here"
        raise ValueError(message)
    origins = _origins(plain, after)
    has_return = before[0].endswith("\r\n")
    lines: list[str] = []
    for line, origin in zip(after, origins, strict=True):
        if origin is not None:
            has_return = before[origin].endswith("\r\n")
        lines.append(f"{line[:-1]}\r\n" if has_return and line.endswith("\n") else line)
    return "".join(lines)


def _without_return(line: str) -> str:
    return f"{line[:-2]}\n" if line.endswith("\r\n") else line


def _origins(before: list[str], after: list[str]) -> list[int | None]:
    """For each line after, the number of the same line before, if it was there."""
    origins: list[int | None] = []
    done = 0
    for start, end, new_start, new_end in changed_blocks(before, after):
        origins += range(done, start)
        origins += [None] * (new_end - new_start)
        done = end
    return [*origins, *range(done, len(before))]
