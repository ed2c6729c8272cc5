"""Partial approvals: the hunks of a unified diff one by one, and a plan with only some of them.

Hunks are those of the diff that a person saw, numbered from 1. They say which lines they replace, so no search is
needed: the lines of a rejected hunk stay as they were, byte for byte.
"""

from __future__ import annotations

from ..core.line_diff import split_lines
from ..core.text import Text
from ..words.read_diff import hunk_texts
from ..workspace.changes import change_of
from ..workspace.fingerprint import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from ..workspace.outcome import Change, Plan, PlannedFile
    from .answers import Decision


def split_hunks(diff: str) -> tuple[str, ...]:
    """The hunks of a unified diff of one file, each with its `@@` line, without the lines that name the file."""
    return tuple(["".join([f"{line}\n" for line in lines]) for _, _, lines in hunk_texts(diff)])


def keep_hunks(before: str, hunks: Sequence[str], numbers: Container[int]) -> str:
    """The text with only the hunks of these numbers, which count from 1."""
    lines = split_lines(before)
    kept: list[str] = []
    done = 0
    for number, hunk in enumerate(hunks, 1):
        ((start, count, written),) = hunk_texts(hunk)
        # An empty range is named by the line before it.
        start -= count > 0
        kept += lines[done:start]
        kept += _new_lines(written[1:]) if number in numbers else lines[start : start + count]
        done = start + count
    return "".join([*kept, *lines[done:]])


def _new_lines(hunk: Sequence[str]) -> list[str]:
    new: list[str] = []
    last = ""
    for line in hunk:
        if line[0] in "+ ":
            new.append(f"{line[1:]}\n")
        elif line[0] == "\\" and last != "-":
            new[-1] = new[-1].removesuffix("\n")
        last = line[0]
    return new


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
    hunks: Sequence[str],
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
