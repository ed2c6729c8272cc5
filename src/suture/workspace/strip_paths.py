"""Paths of a patch that lead nowhere as they are written, but were surely meant.

A diff can have other directories in front, which `patch -pN` is told by hand. All paths of a diff were written in the
same place, so they lose the same number of directories: the smallest with which every file that the diff changes
exists. If the directory of a missing file exists, no path is shortened: another file of that name is not meant. A path
can have the backslashes of Windows. If no such reading leads to files, the paths stay as they are, and the plan reports
them.
"""

from __future__ import annotations

from ..core.patch import AddFile, Concession, UpdateFile, WriteFile
from ..core.system import is_absolute
from .workspace_limits import MOST_FILES_LOOKED_FOR, MOST_STRIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation, Patch
    from .guard import Guard


def strip_paths(patch: Patch, guard: Guard) -> Patch:
    """The patch without the first directories of its paths, if its files exist only then.

    All paths lose the same number of directories. The patch stays as it is if its files exist under their own paths, or
    are not all there whatever is removed.
    """
    added = _added_paths(patch)
    changed = dict.fromkeys([operation.path for operation in patch.operations if operation.path not in added])
    needed = list(changed)[:MOST_FILES_LOOKED_FOR]
    absent = [path for path in needed if not guard.leads_somewhere(path)]
    if not absent:
        return patch
    if any(guard.has_directory_of(path) for path in absent):
        return patch  # the file is gone from a directory that is there: another file of its name is not meant
    if any(guard.leads_somewhere(path) for path in _move_targets(patch)):
        return patch  # it was moved already: a shorter path may lead to the file where it is now
    if any(".." in path.split("/") or is_absolute(path) for path in (*needed, *added)):
        return patch  # a path that leads elsewhere is refused, not shortened
    for count in range(1, MOST_STRIPPED):
        shorter = [_strip(path, count) for path in needed]
        if not all(shorter):
            break
        if all(guard.leads_somewhere(path) for path in shorter):
            operations = tuple([_stripped(operation, count) for operation in patch.operations])
            concession = Concession("path_prefix", patch.operations[0].line)
            return patch.replace(operations=operations, concessions=(*patch.concessions, concession))
    return patch


def _added_paths(patch: Patch) -> set[str]:
    """The paths that a patch makes, so that no file has to be there before."""
    added = set(_move_targets(patch))
    for operation in patch.operations:
        is_from_nothing = isinstance(operation, UpdateFile) and operation.is_from_nothing
        if is_from_nothing or isinstance(operation, AddFile | WriteFile):
            added.add(operation.path)
    return added


def _move_targets(patch: Patch) -> list[str]:
    """The paths that a patch moves files to."""
    updates = [operation for operation in patch.operations if isinstance(operation, UpdateFile)]
    return [update.move_to for update in updates if update.move_to]


def slash_paths(patch: Patch, guard: Guard) -> Patch:
    """The patch with slashes instead of the backslashes of Windows, where only that leads to a file or directory."""
    operations: list[Operation] = []
    changed_lines: list[int] = []
    for operation in patch.operations:
        path = operation.path.replace("\\", "/")
        has_backslash = path != operation.path
        if has_backslash and not guard.leads_somewhere(operation.path) and _leads_somewhere(operation, path, guard):
            changed = {"path": path}
            if isinstance(operation, UpdateFile) and operation.move_to:
                changed["move_to"] = operation.move_to.replace("\\", "/")
            operations.append(operation.replace(**changed))
            changed_lines.append(operation.line)
        else:
            operations.append(operation)
    if not changed_lines:
        return patch
    concessions = (*patch.concessions, Concession("backslash_path", changed_lines[0]))
    return patch.replace(operations=tuple(operations), concessions=concessions)


def _leads_somewhere(operation: Operation, path: str, guard: Guard) -> bool:
    """Whether a path names an existing file, or that of a new file an existing directory."""
    is_new = isinstance(operation, AddFile | WriteFile)
    return guard.leads_somewhere(path) or (is_new and guard.has_directory_of(path))


def _strip(path: str, count: int) -> str:
    return path.split("/", count)[count] if path.count("/") >= count else ""


def _stripped(operation: Operation, count: int) -> Operation:
    """The operation with shorter paths; one that has not so many directories stays."""
    changed = {"path": _strip(operation.path, count) or operation.path}
    if isinstance(operation, UpdateFile) and operation.move_to:
        changed["move_to"] = _strip(operation.move_to, count) or operation.move_to
    return operation.replace(**changed)
