"""A patch × files → a `Plan`: its operations one after another.

All operations run in memory, in order, each on the result of those before it. One that fails does not stop the others:
the plan has the problems of all, and an outcome for each.
"""

from __future__ import annotations

from ..core.patch import UpdateFile
from ..core.problems import PatchRejectedError
from ..words.file_problems import applied_already
from .changes import name_other_files
from .operation_planner import OperationPlanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation, Patch


class PatchPlanner(OperationPlanner):
    """Makes the plan of one patch."""

    def patch(self, patch: Patch, *, atomic: bool = True) -> None:
        """Plan a patch. If it is not `atomic`, the plan ends before the first operation that fails.

        Where that is the very first operation, the plan has the problems of all, as that of an atomic patch has.
        """
        self._sent, self._form = patch, patch.form
        if patch.form == "unified":
            # A message about a diff does not advise to use a marker of envelopes.
            self._dialect = self._dialect.replace(end_of_file=False)
        self.operations(patch.operations, atomic=atomic)

    def operations(self, operations: Sequence[Operation], *, atomic: bool = True) -> None:
        """Plan operations, one after another."""
        for operation in operations:
            self._source = self._target = None
            if not atomic and not self._problems:
                self._overlay.begin_operation()
            first_change, first_problem = len(self._changes), len(self._problems)
            is_planned = self._attempt(self._operation, operation)
            self._planned.append(
                (operation, slice(first_change, len(self._changes)), slice(first_problem, len(self._problems)))
            )
            if is_planned:
                continue
            if not atomic and self._is_worth_committing():
                self._ends_before_failure = True
                break
            self._fail()
        self._attempt(self._check_modes)
        if self._problems:
            updates = [operation for operation in operations if isinstance(operation, UpdateFile)]
            contents = {self._guard.shown(n.path): n.was for n in self._overlay.nodes.values() if n.was is not None}
            self._problems = name_other_files(self._problems, updates, contents, self._settings.encoding_of, self._form)

    def _is_worth_committing(self) -> bool:
        """Whether the operations before the first that failed can be committed, once that one is taken back."""
        _, changes, problems = self._planned[-1]
        if len(self._planned) == 1 or problems.start > 0:
            return False
        self._overlay.take_operation_back()
        del self._changes[changes.start :]
        return not self._modes_set or any(node.is_changed for node in self._overlay.nodes.values())

    def _fail(self) -> None:
        """Mark the paths of a failed operation: later problems with them would be misleading."""
        source, target = self._source, self._target
        for path in (source.name, source.path) if source is not None else ():
            self._overlay.fail(path)
        if target is not None and (target.found is None or target.is_link):
            self._overlay.fail(target.name)

    def _check_modes(self) -> None:
        """Refuse a patch that only gives files the modes that they have."""
        is_changed = any(node.is_changed for node in self._overlay.nodes.values())
        if self._modes_set and not is_changed and not self._problems and not self._settings.options.skip_applied:
            raise PatchRejectedError(
                [applied_already(path, f"{path} already has this mode.") for path in self._modes_set]
            )
