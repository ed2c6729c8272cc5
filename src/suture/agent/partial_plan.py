"""The part of a patch that can be applied: its operations up to the first that fails."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Patch
    from ..core.problems import Problem
    from ..workspace.outcome import Plan
    from ..workspace.workspace import Expected, Workspace


def plan_up_to_failure(
    workspace: Workspace, patch: Patch, text: str, expected: Expected, dialect: Dialect
) -> tuple[Plan, Sequence[Problem]]:
    """The plan of all operations before the first one that fails, and the problems of that one."""
    operations = patch.operations

    def plan(count: int) -> Plan:
        part = patch.replace(operations=operations[:count])
        return workspace.plan(part, dialect=dialect, text=text, expected_sha256=expected).replace(atomic=False)

    whole = plan(len(operations))
    if not whole.problems:
        return whole, ()
    good, bad = 0, len(operations)
    failed = whole
    while bad - good > 1:
        middle = (good + bad) // 2
        part = plan(middle)
        good, bad, failed = (good, middle, part) if part.problems else (middle, bad, failed)
    # Where even the first operation fails, all problems of the patch are reported at once.
    return (plan(good), failed.problems) if good else (whole, whole.problems)
