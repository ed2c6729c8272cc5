"""What a plan does to the content that each file had, through all of its operations."""

from __future__ import annotations

from ..core.patch import ChangeFile
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.outcome import Change, Plan


class ContentHistory(Value):
    """What a plan does to the content that a file had before, wherever it is moved.

    `is_lost` says that some operation removes all of it: it is deleted or written over. `is_named` says that the place
    of a change is named by a number, a definition or the like, and not by the text that it changes.
    """

    changes: tuple[Change, ...] = ()
    is_lost: bool = False
    is_named: bool = False

    @property
    def places(self) -> list[tuple[int, int]] | None:
        """The lines that are changed, from 0 with an exclusive end; None if they can't be told.

        The line numbers of a second change refer to the result of the first.
        """
        if self.is_lost or len(self.changes) != 1:
            return None
        (change,) = self.changes
        if self.is_named:
            return [lines for hunk in change.hunks for lines in hunk.changed_lines]
        spans = [span for edit in change.edits for span in edit.spans]
        return [(match.start - 1, match.end) for match in change.matches] + [
            (span.first_line - 1, span.last_line) for span in spans
        ]


def follow_content(plan: Plan) -> tuple[dict[str, ContentHistory], dict[str, str]]:
    """What happens to the content of each path, and whose content each path has in the end; "" for new content."""
    histories: dict[str, ContentHistory] = {}
    owners: dict[str, str] = {}
    named: list[Change] = []
    for outcome in plan.outcomes:
        if isinstance(outcome.operation, ChangeFile):
            named += outcome.changes

    def touch(path: str, change: Change, *, is_lost: bool) -> None:
        owner = owners.get(path, path)
        known = histories.get(owner, ContentHistory())
        is_named = known.is_named or change in named
        histories[owner] = ContentHistory((*known.changes, change), known.is_lost or is_lost, is_named)
        if is_lost and change.kind != "update":
            owners[path] = ""

    for change in plan.changes:
        source = change.target or change.path
        has_places = change.matches or change.edits or change in named
        is_rewritten = not has_places and change.sha256_before != change.sha256_after
        touch(source, change, is_lost=is_rewritten and change.kind != "move")
        if change.move_to:
            touch(change.move_to, change, is_lost=True)
            owners[change.move_to] = owners.get(change.path, change.path)
            owners[change.path] = ""
    histories.pop("", None)
    return histories, owners
