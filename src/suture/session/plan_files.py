"""What a plan says of one of its files: which changes are made to it, what it held, and what it holds then."""

from __future__ import annotations

from ..workspace.changes import change_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Patch
    from ..core.problems import Problem
    from ..workspace.outcome import Plan, PlannedFile
    from ..workspace.workspace import Expected, Workspace


def after_formatting(plan: Plan, file: PlannedFile, formatted: Plan, encoding: str | None) -> Plan:
    """A plan in which a file has the content that a second plan, of its formatter, has given it."""
    new = formatted.files[0]
    files = [one.replace(content=new.content, after=new.after) if one is file else one for one in plan.files]
    changes = plan.changes_of(file)
    if len(changes) != 1:
        return plan.replace(files=tuple(files), changes=(*plan.changes, *formatted.changes))
    (change,) = changes
    origin = plan.origin_of(file)
    net = change_of(
        change.kind,
        change.path,
        (origin.before, origin.was),
        (new.after, new.content),
        move_to=change.move_to,
        target=change.target,
        encoding=encoding,
    )
    net = net.replace(matches=change.matches, edits=change.edits, concessions=change.concessions)
    return plan.replace(files=tuple(files), changes=tuple([net if one is change else one for one in plan.changes]))


def plan_up_to_failure(
    workspace: Workspace, patch: Patch, text: str, expected: Expected
) -> tuple[Plan, Sequence[Problem]]:
    """The plan of all operations before the first that fails, and what is wrong with that one."""
    operations = patch.operations

    def plan(count: int) -> Plan:
        return workspace.plan(patch.replace(operations=operations[:count]), text=text, expected_sha256=expected)

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
