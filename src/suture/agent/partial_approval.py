"""Partial approvals: a plan with only some of the hunks of its changes, or with other texts than the proposed ones.

Hunks are those that a person saw, numbered from 1. They say which lines they replace, so no search is
needed: the lines of a rejected hunk stay as they were, byte for byte.
"""

from __future__ import annotations

from ..core.fingerprint import fingerprint
from ..core.line_diff import split_lines
from ..core.text import Text, check_lines
from ..workspace.changes import change_of
from ..workspace.overlay import refuse_control

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change, Plan
    from ..core.record import PlannedFile
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

    The change of a file with rejected hunks, or with another text than the proposed one, no longer says how its hunks
    were placed. Such a text is checked like a proposed one.

    Raises:
        PatchRejectedError: a text that a person wants instead of the proposed one can't be written.
        ValueError: the plan was read from JSON, which does not have the contents before.
    """
    if decision.is_whole:
        return plan
    by_name = {file.shown: file for file in plan.files}
    changes: list[Change] = []
    files: dict[str, PlannedFile] = {}
    for change in plan.changes:
        if not decision.is_approved(change.path):
            continue
        files |= {name: by_name[name] for name in change.names if name in by_name}
        approved = _approved_text(change, by_name, decision)
        if approved is None:
            changes.append(change)
            continue
        part, written = _with_text(change, by_name, approved)
        if change.path in decision.edits:
            _check_edited(change, by_name, written, approved)
        if part.kind == "update" and part.sha256_before == part.sha256_after and not part.mode:
            # Nothing of it is left to write.
            for name in change.names:
                files.pop(name, None)
            continue
        changes.append(part)
        files[written.shown] = written
    kept = tuple([files[file.shown] for file in plan.files if file.shown in files])
    return plan.replace(changes=tuple(changes), files=kept, folders=tuple(_needed_folders(plan.folders, kept)))


def _source_of(change: Change, by_name: Mapping[str, PlannedFile]) -> PlannedFile:
    """The file that a change is made from: where its path is a link, the file that this leads to."""
    return by_name[change.target or change.path]


def _approved_text(change: Change, by_name: Mapping[str, PlannedFile], decision: Decision) -> str | None:
    """The text that is approved for a file; None if it is the proposed one."""
    if change.path in decision.edits:
        return decision.edits[change.path]
    hunks, numbers = decision.request.file(change.path).hunks, decision.hunks_of(change.path)
    if len(numbers) == len(hunks):
        return None
    source = _source_of(change, by_name)
    if source.was is None:
        message = f"the plan does not have the content of {change.path} before: make it again"
        raise ValueError(message)
    return keep_hunks(text_in_diff(source.was, change, by_name).raw, hunks, numbers)


def text_in_diff(content: bytes | None, change: Change, by_name: Mapping[str, PlannedFile]) -> Text:
    """A content of a file as its diff has it: with a BOM as the first character."""
    text = Text(content or b"", _source_of(change, by_name).encoding or None, change.path)
    return text.with_bom_in_text() if text.bom and not text.is_wide else text


def _with_text(change: Change, by_name: Mapping[str, PlannedFile], raw: str) -> tuple[Change, PlannedFile]:
    """A change that leaves this text, and the file that it writes. It keeps its encoding."""
    source, written = _source_of(change, by_name), by_name[change.content_name]
    # A new file has the encoding of what was proposed for it.
    origin = written.content_after if source.was is None else source.was
    content = text_in_diff(origin, change, by_name).content(raw)
    assert isinstance(content, bytes), "BUG: bytes in, bytes out"
    after = written.after.replace(sha256=fingerprint(content), size=len(content))
    part = change_of(
        change.kind,
        change.path,
        (source.before, source.was),
        (after, content),
        move_to=change.move_to,
        target=change.target,
        encoding=source.encoding or None,
    )
    return part.replace(concessions=change.concessions), written.replace(content=content, after=after)


def _check_edited(change: Change, by_name: Mapping[str, PlannedFile], written: PlannedFile, raw: str) -> None:
    """Refuse what no tool may write either: too many lines, and control characters that are new.

    Raises:
        PatchRejectedError: the text has some that neither the file nor the proposed text has.
    """
    check_lines(written.content, change.path, is_new=True)
    known: set[str] = set()
    for content in (_source_of(change, by_name).was, by_name[change.content_name].content_after):
        known.update(text_in_diff(content, change, by_name).raw)
    refuse_control("".join(sorted(set(raw) - known)), None, None, change.path)


def _needed_folders(folders: Iterable[str], files: Sequence[PlannedFile]) -> Iterator[str]:
    """The directories that the files need."""
    for folder in folders:
        if any(file.path.startswith(folder + "/") for file in files):
            yield folder
