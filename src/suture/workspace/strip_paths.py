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
    added = {one.path for one in patch.operations if isinstance(one, AddFile | WriteFile)}
    added |= {one.move_to for one in patch.operations if isinstance(one, UpdateFile) and one.move_to}
    added |= {one.path for one in patch.operations if isinstance(one, UpdateFile) and one.is_from_nothing}
    changed = dict.fromkeys([one.path for one in patch.operations if one.path not in added])
    needed = list(changed)[:MOST_FILES_LOOKED_FOR]
    if not needed or all(guard.leads_somewhere(path) for path in needed):
        return patch
    if any(guard.has_directory_of(path) for path in needed if not guard.leads_somewhere(path)):
        return patch  # the file is gone from a directory that is there: another file of its name is not meant
    moved = [one.move_to for one in patch.operations if isinstance(one, UpdateFile) and one.move_to]
    if any(guard.leads_somewhere(path) for path in moved):
        return patch  # it was moved already: a shorter path may lead to the file where it is now
    if any(".." in path.split("/") or is_absolute(path) for path in (*needed, *added)):
        return patch  # a path that leads elsewhere is refused, not shortened
    for count in range(1, MOST_STRIPPED):
        shorter = [_strip(path, count) for path in needed]
        if not all(shorter):
            break
        if all(guard.leads_somewhere(path) for path in shorter):
            operations = tuple([_stripped(one, count) for one in patch.operations])
            return patch.replace(
                operations=operations,
                concessions=(*patch.concessions, Concession("path_prefix", patch.operations[0].line)),
            )
    return patch


def slash_paths(patch: Patch, guard: Guard) -> Patch:
    """The patch with slashes instead of the backslashes of Windows, where only that leads to a file or directory."""
    operations, lines = [], []
    for one in patch.operations:
        path = one.path.replace("\\", "/")
        if path != one.path and not guard.leads_somewhere(one.path) and _leads_somewhere(one, path, guard):
            changed = {"path": path}
            if isinstance(one, UpdateFile) and one.move_to:
                changed["move_to"] = one.move_to.replace("\\", "/")
            operations.append(one.replace(**changed))
            lines.append(one.line)
        else:
            operations.append(one)
    if not lines:
        return patch
    concessions = (*patch.concessions, Concession("backslash_path", lines[0]))
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
