"""Writes a plan in three steps: stage, publish, finish. If one of them fails, everything is put back.

The journal first records what will be touched and what it held. Then directories are made, and every new content is
staged next to its target and flushed. Then names change, one rename after another; a deleted file is only set aside.
Then the directories are flushed and the bytes on the disk are compared with the plan. Only then are the files that were
set aside removed and the journal entry closed. The caller holds the locks.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.common_limits import LONGEST_FILE_NAME
from ..core.line_diff import common_ends
from ..core.problems import CommitFailedError, PatchRejectedError, Problem, RecoveryNeededError
from ..core.record import STAGED, FileRecord, Snapshot
from ..words.file_problems import stale_file
from .files.file_system import problem_of
from .files.look import look
from .files.restore import restore_all
from .files.write_together import publish, stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.outcome import Plan
    from ..core.record import Entry, PlannedFile
    from ..state.backend import StateBackend
    from .files.file_system import Files


def commit(
    files: Files,
    state: StateBackend,
    plan: Plan,
    entry: Entry,
    *,
    flush: bool,
    copies: Sequence[tuple[str, bytes]] = (),
) -> dict[str, str]:
    """Write a plan, all of it or none. The entry is its record in the journal; `copies` go to the trash.

    Returns what files lost, as names of concessions by path: set-user-id and the like, or extended attributes.

    Raises:
        PatchRejectedError: the journal can't be written; nothing was changed.
        CommitFailedError: it failed, and everything was rolled back.
        RecoveryNeededError: it failed and could not be rolled back; the journal is kept.
    """
    try:
        state.store.begin(entry)
    except BaseException as error:
        # It may have been recorded anyway, unless the store was locked all the time. If it can't be removed either,
        # recovery will find nothing to do.
        if not _was_locked(error):
            with suppress(PatchRejectedError, OSError):
                state.store.forget(entry.id)
        if isinstance(error, OSError):
            raise PatchRejectedError(_problems(error, plan)) from error
        raise
    is_untouched = True
    try:
        for path, content in copies:
            state.put_in_trash(path, content)
        folders, losses = stage(files, plan.files, entry, flush=flush)
        is_untouched = False
        publish(files, plan.files, entry, folders, losses, flush=flush)
        state.store.finish(entry.id)
    except BaseException as error:
        _roll_back(files, state, plan, entry, error, flush=flush, is_untouched=is_untouched)
        raise
    return losses


def _was_locked(error: BaseException) -> bool:
    """Whether others kept the store locked, so that nothing was recorded."""
    return isinstance(error, PatchRejectedError) and error.problems[0].code == "locked"


def check(files: Files, files_to_write: Sequence[PlannedFile], limit: int) -> list[tuple[Snapshot, bytes | None]]:
    """What a plan's files are, and their contents, if they are still what the plan read.

    Raises:
        PatchRejectedError: some have changed since (`stale_file`), with a problem for each.
    """
    states: list[tuple[Snapshot, bytes | None]] = []
    problems: list[Problem] = []
    for file in files_to_write:
        try:
            now, data = look(files, file.path, limit, known=file.was, snapshot=file.before)
        except OSError as error:
            problems.append(problem_of(error, file.shown))
            continue
        if not now.is_as(file.before):
            problems.append(stale_file(file.shown, file.before.sha256, now.sha256))
        states.append((now, data))
    if problems:
        raise PatchRejectedError(problems)
    return states


def records(
    files_to_write: Sequence[PlannedFile], states: Sequence[tuple[Snapshot, bytes | None]]
) -> tuple[FileRecord, ...]:
    """What the journal keeps of each file: of the content before, the part that differs from the content after."""
    file_records: list[FileRecord] = []
    for file, (now, before) in zip(files_to_write, states, strict=True):
        head = tail = 0
        middle = before or b""
        if middle and file.after.kind == "file" and not file.moved_from:
            head, tail = common_ends(middle, file.content)
            middle = middle[head : len(middle) - tail]
        file_records.append(
            FileRecord(file.path, now, file.after, head, tail, middle, staged_name(file.path), file.moved_from)
        )
    return tuple(file_records)


def staged_name(path: str) -> str:
    """A new name next to a path, unique by chance."""
    folder, _, name = path.rpartition("/")
    end = f".{os.urandom(4).hex()}{STAGED}"
    kept = name.encode("utf-8", "surrogateescape")[: LONGEST_FILE_NAME - len(end)]
    return f"{folder}/{kept.decode('utf-8', 'ignore')}{end}"


def _roll_back(
    files: Files,
    state: StateBackend,
    plan: Plan,
    entry: Entry,
    error: BaseException,
    *,
    flush: bool,
    is_untouched: bool,
) -> None:
    """Undo what was done so far, and raise what became of it. `is_untouched` says that no file was changed yet."""
    try:
        left_alone = restore_all(files, entry, flush=flush).left_alone
        if entry.undoes:
            state.store.mark_undone(entry.undoes, "")
        state.store.forget(entry.id)
    except BaseException as worse:  # noqa: BLE001 - whatever it is, the journal is kept and must be reported
        problems = [*_problems(error, plan), *_problems(worse, plan)]
        raise RecoveryNeededError(problems, is_untouched) from error
    if left_alone or isinstance(error, OSError | PatchRejectedError):
        changed = [_left_alone(file.shown) for file in plan.files if file.path in left_alone]
        raise CommitFailedError([*_problems(error, plan), *changed]) from error


def _left_alone(path: str) -> Problem:
    message = f"Another program has changed {path} in the meantime, so it was not restored."
    return Problem("stale_file", message, path, None, {"path": path}, "Read it before you go on.")


def _file_at(path: str, plan: Plan) -> str:
    """The file of a plan that a path of an error means: its own, a directory above it, or its staged copy."""
    if not path:
        return ""
    for file in plan.files:
        if f"{file.path}/".startswith(f"{path}/"):
            return file.shown
    for file in plan.files:
        if path.startswith(f"{file.path}.") and path.endswith(STAGED):
            return file.shown
    return ""


def _problems(error: BaseException, plan: Plan) -> list[Problem]:
    if isinstance(error, PatchRejectedError | CommitFailedError):
        return list(error.problems)
    if isinstance(error, OSError):
        path = error.filename if isinstance(error.filename, str) else ""
        return [problem_of(error, _file_at(path, plan) or path or "The commit")]
    message = f"The commit was interrupted by {type(error).__name__}."
    return [Problem("cancelled" if isinstance(error, KeyboardInterrupt) else "io_error", message)]
