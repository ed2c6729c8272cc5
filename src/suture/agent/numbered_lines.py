"""Changes by line number in a session: a number counts only against the text that the session showed, by its hash.

If somebody else has changed the file since, the change is planned on the text that was shown and merged, like any other
call. If the session itself has changed it, nobody can tell whether a number is from before or after that: it counts if
that makes no difference, or if the call also has the text of the lines, and no other lines have it.
"""

from __future__ import annotations

from ..core.outcome import Plan
from ..core.patch import ChangeFile
from ..core.paths import NOTEBOOK
from ..core.problems import Problem
from ..core.text import Text
from ..core.text_changes import InsertLines, ReplaceLines
from ..place.moved_lines import is_only_place, keeps_numbers
from ..words.message_lines import visible
from .agent_limits import MOST_REFUSED_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text_changes import TextChange
    from ..workspace.files.file_system import FileContent
    from ..workspace.workspace import Workspace
    from .reads import Reads


def plan_numbered(
    workspace: Workspace, reads: Reads, path: str, change: InsertLines | ReplaceLines, *, tool: str
) -> Plan:
    """The plan of a change by line numbers in the file as the workspace has it.

    Raises:
        PatchRejectedError: there is no such file, or it is not text.
    """
    file = workspace.read(path)
    absolute = workspace.guard().resolve(path).path
    encoding = workspace.encoding_of(absolute)
    problem = _unusable(file, reads, absolute, encoding, change)
    if problem is not None:
        return Plan(problems=(problem,), tool=tool)
    return plan_change(workspace, path, change, tool=tool, expected=file.sha256)


def plan_change(workspace: Workspace, path: str, change: TextChange, *, tool: str, expected: str = "") -> Plan:
    """The plan of a change that names its place; line numbers need the hash of the content that they are about."""
    workspace.recover_if_needed()
    planner = workspace.planner(expected_sha256={path: expected} if expected else None)
    planner.operations([ChangeFile(path, change)])
    return planner.plan(f"{tool} {path}\n{change.text}", tool)


def _unusable(
    file: FileContent, reads: Reads, absolute: str, encoding: str | None, change: InsertLines | ReplaceLines
) -> Problem | None:
    """Why the numbers of a change do not count in a file; None if they do."""
    if file.path.endswith(NOTEBOOK):
        message = f"{file.path} is a notebook: the numbers that were shown are of its cells, not of lines of the file."
        return _problem(
            file.path, message, "Use an edit with lines of one cell as the text to find.", reason="notebook_lines"
        )
    first, last = _claim(change)
    numbered_sha256 = reads.numbered(absolute)
    if numbered_sha256 == file.sha256 or not numbered_sha256:
        # That it was not read is told like for every other edit.
        return None
    now = Text(file.content, encoding, file.path).lines
    if isinstance(change, ReplaceLines) and is_only_place(now, change):
        return None
    before = reads.base(absolute, numbered_sha256)
    if before is not None and keeps_numbers(Text(before, encoding, file.path).lines, now, last):
        return None
    return _moved(file.path, now, first, last)


def _claim(change: InsertLines | ReplaceLines) -> tuple[int, int]:
    """The first and the last line that a change is about."""
    return (change.after, change.after) if isinstance(change, InsertLines) else (change.first, change.last)


def _moved(path: str, now: Sequence[str], first: int, last: int) -> Problem:
    """The refusal of numbers that may be from before or after a change of this session."""
    message = (
        f"{path} has changed since its lines were shown, and lines above line {last} were added or removed: it is not "
        "certain which lines the numbers mean."
    )
    lines = now[max(0, first - 1) : last]
    rows = [f"\n{number:>6}\t{visible(line)}" for number, line in enumerate(lines[:MOST_REFUSED_LINES], max(1, first))]
    if rows:
        more = f"\n  … and {len(lines) - MOST_REFUSED_LINES} more" if len(lines) > MOST_REFUSED_LINES else ""
        message += f" The file now has there:{''.join(rows)}{more}"
    hint = "Read the file again and use its current numbers, or send the text of the lines too."
    return _problem(path, message, hint, reason="lines_moved", first=first, last=last)


def _problem(path: str, message: str, hint: str, *, reason: str, **details: object) -> Problem:
    return Problem("patch_apply_error", message, path, None, {"path": path, "reason": reason, **details}, hint)
