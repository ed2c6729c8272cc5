"""What a plan says of one of its files: which changes are made to it, what it held, and what it holds then."""

from __future__ import annotations

from ..workspace.changes import change_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Patch
    from ..core.problems import Problem
    from ..workspace.outcome import Change, Plan, PlannedFile
    from ..workspace.plans import Expected
    from ..workspace.workspace import Workspace


def content_after(file: PlannedFile) -> bytes | None:
    """What a file holds once the plan is written; None where there is none then."""
    if file.after.kind != "file":
        return None
    return file.was if file.moved_from else file.content


def content_before(plan: Plan, file: PlannedFile) -> bytes | None:
    """What a file held, also under the name that it had; None where it is new."""
    old = [change.path for change in plan.changes if change.move_to == file.shown]
    source = next((one for one in plan.files if one.shown in old and one.before.kind == "file"), file)
    return source.was if source.before.kind == "file" or file.moved_from else None


def changes_of(plan: Plan, file: PlannedFile) -> list[Change]:
    """The changes that are made to a file. Behind a symbolic link a file has another name than its change."""
    named = [change for change in plan.changes if file.shown in (change.path, change.move_to)]
    digests = (file.before.sha256, file.after.sha256)
    behind = [change for change in plan.changes if (change.sha256_before, change.sha256_after) == digests]
    return named or behind or list(plan.changes)


def file_of(plan: Plan, change: Change) -> PlannedFile | None:
    """The file that a change leaves something in: under its new name, its own, or behind a link."""
    for name in (change.move_to, change.path):
        found = next((file for file in plan.files if file.shown == name and file.before.kind != "link"), None)
        if found is not None:
            return found
    return next((file for file in plan.files if change in changes_of(plan, file) and file.before.kind == "file"), None)


def rewritten(plan: Plan, file: PlannedFile, then: Plan, encoding: str | None) -> Plan:
    """A plan in which a file has the content that another plan has given it behind this one."""
    new = then.files[0]
    files = [one.replace(content=new.content, after=new.after) if one is file else one for one in plan.files]
    own = changes_of(plan, file)
    if len(own) != 1:
        return plan.replace(files=tuple(files), changes=(*plan.changes, *then.changes))
    (change,) = own
    source = next((one for one in plan.files if one.shown == change.path and one.before.kind == "file"), file)
    before, after = (source.before, source.was), (new.after, new.content)
    net = change_of(change.kind, change.path, before, after, move_to=change.move_to, encoding=encoding)
    net = net.replace(matches=change.matches, edits=change.edits, concessions=change.concessions)
    changes = tuple([net if one is change else one for one in plan.changes])
    return plan.replace(files=tuple(files), changes=changes)


def plan_up_to_failure(
    workspace: Workspace, patch: Patch, text: str, expected: Expected
) -> tuple[Plan, Sequence[Problem]]:
    """The plan of all operations before the first that fails, and what is wrong with that one."""
    operations = patch.operations

    def plan(count: int) -> Plan:
        return workspace.plan_operations(operations[:count], patch, text, workspace.dialect, expected)

    workspace.ready()
    whole = plan(len(operations))
    if not whole.problems:
        return whole, ()
    good, bad = 0, len(operations)
    failed = whole
    while bad - good > 1:
        middle = (good + bad) // 2
        found = plan(middle)
        good, bad, failed = (good, middle, found) if found.problems else (middle, bad, failed)
    # Where nothing can be done, all that is wrong is told at once.
    return (plan(good), failed.problems) if good else (whole, whole.problems)
