"""The order in which the files of a git diff are changed.

A diff of git is about the files as they were before it, whatever its order: a file may be moved to a path before the
file that has this path is moved away, and copied after it was changed. Operations run one after another, so they are
put into an order in which that gives the same result.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from ..core.patch import AddFile, DeleteFile, UpdateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.patch import Operation, Patch
    from .guard import Guard


def order_moves(patch: Patch, guard: Guard) -> Patch:
    """The patch with operations that free a path before those that need it, and copies before their original changes.

    If they wait for one another, as when two files are exchanged, the order stays.
    """
    operations = patch.operations
    if not any(isinstance(one, UpdateFile) and one.move_to is not None for one in operations):
        return patch
    freed = {one.path: number for number, one in enumerate(operations) if _frees_path(one)}
    first_changes: dict[str, int] = {}
    for number, one in enumerate(operations):
        if not (isinstance(one, UpdateFile) and one.is_copy):
            first_changes.setdefault(one.path, number)
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(operations)), ()))
    is_ordered = True
    for number, one in enumerate(operations):
        target = _new_path(one)
        blocker = freed.get(target, -1)
        if blocker > number and guard.leads_somewhere(target):
            sorter.add(number, blocker)  # after the blocker
            is_ordered = False
        change = first_changes.get(one.path, number)
        if isinstance(one, UpdateFile) and one.is_copy and change < number:
            sorter.add(change, number)  # after the copy
            is_ordered = False
    if is_ordered:
        return patch
    order: list[int] = []
    try:
        sorter.prepare()
    except CycleError:
        return patch
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return patch.replace(operations=tuple([operations[number] for number in order]))


def _frees_path(operation: Operation) -> bool:
    """Whether the path of an operation has no file afterwards."""
    if isinstance(operation, UpdateFile):
        return operation.move_to is not None and not operation.is_copy
    return isinstance(operation, DeleteFile)


def _new_path(operation: Operation) -> str:
    """The path at which an operation makes a file; empty if it makes none."""
    if isinstance(operation, AddFile):
        return operation.path
    return (operation.move_to or "") if isinstance(operation, UpdateFile) else ""
