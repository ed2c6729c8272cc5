"""A plan for files as they were × the files as they are → a plan for the files as they are.

The edits of a plan are merged with what has changed since. Whatever can't be merged is a problem, and then the plan
does nothing at all. Only changes of texts are merged: a file that was to be deleted or moved must be as the plan knows
it.
"""

from __future__ import annotations

from posixpath import join, normpath

from ..core.common_limits import NO_LIMIT
from ..core.fingerprint import fingerprint
from ..core.line_diff import changed_blocks
from ..core.patch import EditFile
from ..core.problems import PatchRejectedError, Problem
from ..core.splices import follow
from ..core.text import Text
from ..place.merge_contents import merge_contents, rebased_concession, replaced_texts
from ..words.file_problems import applied_already, stale_file
from .base_view import base_view
from .changes import change_of
from .files.file_system import problem_of
from .files.look import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..core.match import Match
    from ..core.outcome import Change, Plan
    from ..core.patch import Concession
    from ..core.record import PlannedFile, Snapshot
    from ..core.string_edits import StringEdit
    from ..place.merge_contents import MergedContent
    from .guard import Guard
    from .workspace import Workspace


class PlanMerge:
    """The merge of one plan: `plan` is what can be committed, `merged` has what was merged by path."""

    def __init__(self, workspace: Workspace, plan: Plan, bases: Mapping[str, bytes]) -> None:
        self._workspace = workspace
        self._bases = bases
        self.merged: dict[str, MergedContent] = {}
        self._problems: list[Problem] = []
        self.plan = self._rebase(plan)

    def _rebase(self, plan: Plan) -> Plan:
        if plan.problems:
            return plan
        files: list[PlannedFile] = []
        changes = list(plan.changes)
        for file in plan.files:
            if file.path not in self._bases:
                files.append(file)
                continue
            try:
                now, data = look(self._workspace.files, file.path, NO_LIMIT)
                merged = self._file(plan, file, now, data)
            except PatchRejectedError as refused:
                self._problems += refused.problems
            except OSError as error:
                self._problems.append(problem_of(error, file.shown))
            else:
                files.append(merged)
                changes = self._with_net_change(changes, merged)
        if self._problems:
            return plan.replace(changes=(), problems=tuple(self._problems), files=(), folders=())
        return plan.replace(changes=tuple(changes), files=tuple(files))

    def _file(self, plan: Plan, file: PlannedFile, now: Snapshot, data: bytes | None) -> PlannedFile:
        """A planned file, merged with what the file is now."""
        base = self._bases[file.path]
        edited = file.content_after
        is_text_change = all(change.kind == "update" for change in plan.changes_of(file)) and not file.moved_from
        if data is None or edited is None or not is_text_change:
            raise PatchRejectedError([stale_file(file.shown, fingerprint(base), now.sha256)])
        replaced = replaced_texts(string_edits_of(plan, file, self._workspace.guard()))
        merged = merge_contents(base, data, edited, file.shown, self._workspace.encoding_of(file.path), replaced)
        content: bytes = merged.content
        mode = file.after.mode if file.after.mode != file.before.mode else now.mode
        if content == data and mode == now.mode:
            raise PatchRejectedError([applied_already(file.shown, f"{file.shown} already has what the edit does.")])
        self.merged[file.path] = merged
        after = file.after.replace(sha256=fingerprint(content), size=len(content), mode=mode)
        return file.replace(before=now, after=after, content=content, was=data)

    def _with_net_change(self, changes: list[Change], file: PlannedFile) -> list[Change]:
        """The changes, with one that says what becomes of the file in the place of those that were planned for it."""
        own = [change for change in changes if file.shown in change.names]
        net = self._net_change(own, file)
        merged = []
        for change in changes:
            if change is own[0]:
                merged.append(net)
            elif change not in own:
                merged.append(change)
        return merged

    def _net_change(self, planned: list[Change], file: PlannedFile) -> Change:
        """What becomes of a file, with the concessions of all changes that were planned for it."""
        first = planned[0]
        encoding = self._workspace.encoding_of(file.path)
        before, after = (file.before, file.was), (file.after, file.content)
        net = change_of("update", first.path, before, after, target=first.target, encoding=encoding)
        concessions: list[Concession] = []
        for change in planned:
            concessions += change.concessions
        for change in planned:
            for edit in change.edits:
                concessions += edit.concessions
        # Of several changes, the later ones were placed in what the earlier ones made of the file.
        matches = first.matches if len(planned) == 1 else ()
        return net.replace(
            matches=self._moved(matches, file, encoding),
            concessions=(*dict.fromkeys(concessions), rebased_concession(self.merged[file.path])),
        )

    def _moved(self, matches: tuple[Match, ...], file: PlannedFile, encoding: str | None) -> tuple[Match, ...]:
        """Where hunks that were placed in the base are in the file as it is."""
        old, new = (Text(content, encoding).lines for content in (self._bases[file.path], file.was or b""))
        places = follow([(match.start - 1, match.end) for match in matches], changed_blocks(old, new))
        moved = zip(matches, places, strict=True)
        return tuple([match.replace(start=low + 1, end=high, rivals=()) for match, (low, high) in moved])


def string_edits_of(plan: Plan, file: PlannedFile, guard: Guard) -> tuple[StringEdit, ...]:
    """The string edits of a plan that were sent for a file."""
    if plan.sent is None or isinstance(plan.sent, tuple):
        return plan.sent or ()
    edits: list[StringEdit] = []
    for operation in plan.sent.operations:
        if not isinstance(operation, EditFile):
            continue
        if guard.shown(normpath(join(guard.cwd, operation.path))) == file.shown:
            edits += operation.edits
    return tuple(edits)


def plan_rebased(workspace: Workspace, bases: Mapping[str, bytes], make_plan: Callable[[Workspace], Plan]) -> Plan:
    """A plan that is made on earlier contents of files, by their absolute paths, merged with what they are now."""
    return PlanMerge(workspace, make_plan(base_view(workspace, bases)), bases).plan
