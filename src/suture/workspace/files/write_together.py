"""Writes several files together: first all contents beside their files, then all names, then a comparison.

Who calls this has recorded the commit before, and puts everything back if it fails (`restore`).
"""

from __future__ import annotations

from posixpath import dirname

from ...core.file_errors import FileTooLargeError
from ...core.problems import CommitFailedError, Problem
from ...core.record import NEW_EXECUTABLE, Snapshot
from .look import look
from .restore import remove_emptied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.record import Entry, PlannedFile
    from .file_system import Files


def stage(
    files: Files, files_to_write: Sequence[PlannedFile], entry: Entry, *, flush: bool
) -> tuple[set[str], dict[str, str]]:
    """Make all directories and write all contents beside their files, which stay as they are.

    Returns the directories in which new ones were made, and what files lost, as `publish` takes them.
    """
    folders: set[str] = set()
    losses: dict[str, str] = {}
    for folder in entry.folders:
        try:
            files.make_folder(folder)
        except FileExistsError:
            # Another commit made it in the meantime.
            continue
        folders.add(dirname(folder))
    pairs = list(zip(files_to_write, entry.files, strict=True))
    modes = {file.path: file.before.mode for file in files_to_write}
    for file, record in pairs:
        if file.moved_from:
            continue
        if file.after.kind == "file":
            like = file.like if file.like and files.stat(file.like) is not None else None
            # The mode that the other file has now, which may have changed since the plan was made; unless the plan
            # sets a mode of its own.
            mode = None if like and modes.get(like) == file.after.mode else file.after.mode or None
            owner = file.after.uid, file.after.gid
            executable = mode == NEW_EXECUTABLE
            if executable:
                mode = None
            is_complete = files.stage(
                record.staged, file.content, like=like, mode=mode, owner=owner, executable=executable, flush=flush
            )
            if is_complete is False:
                losses[file.shown] = "special_permissions_dropped"
            if file.after.git_mode != file.before.git_mode and not _has_mode(files, record.staged, file.after):
                losses[file.shown] = "file_mode"
        elif file.after.kind == "link":
            files.make_link(record.staged, file.after.target)
    return folders, losses


def publish(
    files: Files,
    files_to_write: Sequence[PlannedFile],
    entry: Entry,
    folders: set[str],
    losses: dict[str, str],
    *,
    flush: bool,
) -> None:
    """Change all names, and remove the directories that are left without need.

    What files lose by it goes into `losses`, and the directories of the names into `folders`.
    """
    pairs = list(zip(files_to_write, entry.files, strict=True))
    moved = {file.moved_from for file in files_to_write if file.moved_from}
    if files.folds_names:
        # A file may get its own name back in other letters, which is free only when the old one is gone.
        pairs.sort(key=lambda pair: pair[0].after.kind != "absent")
    for file, record in pairs:
        folders.add(dirname(file.path))
        if file.moved_from:
            files.rename(file.moved_from, file.path, replace=False)
        elif file.after.kind != "absent":
            files.rename(record.staged, file.path, replace=file.before.kind != "absent")
        elif file.path not in moved:
            if files.attributes(file.path):
                losses[file.shown] = "attributes_dropped"
            files.rename(file.path, record.staged, replace=False)
    if flush:
        for folder in sorted(folders):
            files.flush_folder(folder)
    _verify(files, files_to_write)
    aside = [record for file, record in pairs if file.after.kind == "absent" and file.path not in moved]
    for record in aside:
        files.remove(record.staged)
    if flush:
        # Otherwise a file that was set aside could reappear after a loss of power, and nothing would clean it up.
        for folder in sorted({dirname(record.path) for record in aside}):
            files.flush_folder(folder)
    remove_emptied(files, entry)


def _has_mode(files: Files, path: str, expected: Snapshot) -> bool:
    """Whether a file can be executed as it should be. Some file systems have no modes, and don't say so."""
    stat = files.stat(path)
    return stat is not None and Snapshot("file", mode=stat.mode).git_mode == expected.git_mode


def _verify(files: Files, files_to_write: Sequence[PlannedFile]) -> None:
    """Compare what the disk has with the plan.

    Raises:
        CommitFailedError: it is something else: another program interfered, or the disk is failing.
    """
    for file in files_to_write:
        try:
            now, _ = look(files, file.path, file.after.size, known=file.content_after, snapshot=file.after)
        except FileTooLargeError:
            now = None
        if now is None or not now.is_as(file.after):
            message = f"{file.shown} is not what was written: another program has changed it, or the disk is failing."
            problem = Problem("io_error", message, file.shown, None, {"path": file.shown, "reason": "verification"})
            raise CommitFailedError([problem])
