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
    """Follow the content of each path through all changes of a plan.

    Returns:
        What happens to the content that each path had before the plan.
        The path whose earlier content each path has after the plan, or "" if its content is new. Paths that keep
        their own content are left out.
    """
    histories: dict[str, ContentHistory] = {}
    origins: dict[str, str] = {}
    # The changes of an operation that names its place by a number or a definition.
    placed_by_name: list[Change] = []
    for outcome in plan.outcomes:
        if isinstance(outcome.operation, ChangeFile):
            placed_by_name += outcome.changes

    def add(change: Change, path: str, *, is_lost: bool) -> None:
        """Add a change to the history of the content that a path has at this point of the plan."""
        origin = origins.get(path, path)
        if origin == "":
            # The plan itself has made this content.
            return
        history = histories.get(origin, ContentHistory())
        is_named = history.is_named or change in placed_by_name
        histories[origin] = ContentHistory((*history.changes, change), history.is_lost or is_lost, is_named)

    for change in plan.changes:
        # A change below a link is one of the file that the link leads to.
        path = change.target or change.path
        has_places = bool(change.matches or change.edits) or change in placed_by_name
        is_rewritten = not has_places and change.sha256_before != change.sha256_after and change.kind != "move"
        add(change, path, is_lost=is_rewritten)
        if is_rewritten and change.kind != "update":
            origins[path] = ""
        if change.move_to:
            add(change, change.move_to, is_lost=True)
            origins[change.move_to] = origins.get(change.path, change.path)
            origins[change.path] = ""
    return histories, origins
