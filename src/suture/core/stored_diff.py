"""Reading the hunks of a change back from JSON, which has them as a unified diff.

JSON is where a change leaves the process: the journal keeps it, an approval waits for it, a client of another language
reads it. Its public form is the diff, and this is the only module that reads one that we wrote. Within a process,
everything takes the hunks of the change. What models write as diffs is read by `format.diff_blocks`.
"""

from __future__ import annotations

from .hunk_header import read_hunk_header
from .line_hunks import LineHunk
from .patch import EXECUTABLE


def read_stored_diff(diff: str) -> tuple[LineHunk, ...]:
    """The hunks of a diff. Each is as long as its header says; other lines are skipped."""
    hunks: list[LineHunk] = []
    lines: list[str] = []
    old = new = 0
    for line in diff.split("\n"):
        header = read_hunk_header(line) if old <= 0 and new <= 0 else None
        if header is not None and header.closed:
            old, new = header.old_count, header.new_count
            # An empty range is named by the line before it.
            old_start = header.old_start - 1 if old else header.old_start
            new_start = header.new_start - 1 if new else header.new_start
            _close(hunks, lines)
            lines = []
            hunks.append(LineHunk(old_start, new_start, ()))
        elif line[:1] == "\\" and lines:
            lines[-1] = lines[-1].removesuffix("\n")
        elif (old > 0 or new > 0) and (line[:1] in (" ", "+", "-") or not line):
            # Editors and mailers remove the space of an empty context line.
            lines.append(f"{line or ' '}\n")
            if not line.startswith("+"):
                old -= 1
            if not line.startswith("-"):
                new -= 1
    _close(hunks, lines)
    return tuple(hunks)


def read_stored_hunk(text: str) -> LineHunk:
    """The hunk of a text.

    Raises:
        ValueError: it has none, or several.
    """
    hunks = read_stored_diff(text)
    if len(hunks) != 1:
        message = f"found {text!r:.60} where a hunk was expected"
        raise ValueError(message)
    return hunks[0]


def _close(hunks: list[LineHunk], lines: list[str]) -> None:
    """Give the last hunk its lines."""
    if hunks:
        hunks[-1] = hunks[-1].replace(lines=tuple(lines))


def deletes_executable(diff: str) -> bool:
    """Whether a diff deletes a file that is executable."""
    header, _, _ = diff.partition("\n@@ ")
    return f"\ndeleted file mode {EXECUTABLE}\n" in f"{header}\n"
