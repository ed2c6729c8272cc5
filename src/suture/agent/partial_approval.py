"""Partial approvals: a plan with only some of the hunks of its changes.

Hunks are those that a person saw, numbered from 1. They say which lines they replace, so no search is
needed: the lines of a rejected hunk stay as they were, byte for byte.
"""

from __future__ import annotations

from ..core.line_diff import split_lines
from ..core.text import Text
from ..state.fingerprint import fingerprint
from ..workspace.changes import change_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from ..core.line_hunks import LineHunk
    from ..workspace.outcome import Change, Plan, PlannedFile
    from .answers import Decision


def keep_hunks(before: str, hunks: Sequence[LineHunk], numbers: Container[int]) -> str:
    """The text with only the hunks of these numbers, which count from 1."""
    lines = split_lines(before)
    kept: list[str] = []
    done = 0
    for number, hunk in enumerate(hunks, 1):
        end = hunk.old_start + hunk.old_count
        kept += lines[done : hunk.old_start]
        kept += hunk.new if number in numbers else lines[hunk.old_start : end]
        done = end
    return "".join([*kept, *lines[done:]])


def approved_plan(plan: Plan, decision: Decision) -> Plan:
    """The approved part of the plan that a request was made from. It can be committed, and may be empty.

    The change of a file with rejected hunks no longer says how its hunks were placed.

    Raises:
        ValueError: the plan was read from JSON, which does not have the contents before.
    """
    if decision.is_whole:
        return plan
    planned = {file.shown: file for file in plan.files}
    changes: list[Change] = []
    files: dict[str, PlannedFile] = {}
    for change in plan.changes:
        hunks = decision.request.file(change.path).hunks
        numbers = decision.hunks_of(change.path)
        if not decision.is_approved(change.path):
            continue
        files |= {name: planned[name] for name in change.names if name in planned}
        if len(numbers) < len(hunks):
            part, written = _part(change, planned, hunks, numbers)
            changes.append(part)
            files[written.shown] = written
        else:
            changes.append(change)
    kept = tuple([files[file.shown] for file in plan.files if file.shown in files])
    return plan.replace(changes=tuple(changes), files=kept, folders=tuple(_needed_folders(plan.folders, kept)))


def _part(
    change: Change,
    planned: Mapping[str, PlannedFile],
    hunks: Sequence[LineHunk],
    numbers: Sequence[int],
) -> tuple[Change, PlannedFile]:
    """A change with some of its hunks, and the file that it writes."""
    source, written = planned[change.target or change.path], planned[change.content_name]
    if source.was is None:
        message = f"the plan does not have the content of {change.path} before: make it again"
        raise ValueError(message)
    encoding = source.encoding or None
    text = Text(source.was, encoding, change.path)
    if text.bom and not text.is_wide:
        text = text.with_bom_in_text()
    content = text.content(keep_hunks(text.raw, hunks, numbers))
    assert isinstance(content, bytes), "BUG: bytes in, bytes out"
    after = written.after.replace(sha256=fingerprint(content), size=len(content))
    part = change_of(
        change.kind,
        change.path,
        (source.before, source.was),
        (after, content),
        move_to=change.move_to,
        target=change.target,
        encoding=encoding,
    )
    return part.replace(concessions=change.concessions), written.replace(content=content, after=after)


def _needed_folders(folders: Iterable[str], files: Sequence[PlannedFile]) -> Iterator[str]:
    """The directories that the files need."""
    for folder in folders:
        if any(file.path.startswith(folder + "/") and file.after.kind != "absent" for file in files):
            yield folder
