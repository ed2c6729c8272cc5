"""What a model is told about the merge of an isolated session with what has changed in the workspace since."""

from __future__ import annotations

from .line_ranges import carry, join_ranges
from .stale_calls import MergedCall, lines_of, merge_notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..workspace.isolation_merge import MergePlan
    from .line_ranges import Ranges
    from .session import Session


def merged_isolation(session: Session, merge: MergePlan) -> MergedCall | None:
    """The merge as a call that was merged; None where no file has changed on both sides."""
    known: dict[str, Ranges] = {}
    notices: list[str] = []
    for file in merge.plan.files:
        merged = merge.merged.get(file.path)
        if merged is None:
            continue
        last = session.reads.find(file.path)
        since = f"{file.shown} had changed in the workspace since it was changed in isolation"
        notice, read_lines = merge_notice(session.tree, file, merged, since, 0.0 if last is None else last.time)
        notices.append(notice)
        mine = lines_of(file, merge.mine[file.path])
        before = () if last is None else last.lines
        still_known = carry(before, mine, lines_of(file, file.content), is_change_known=False)
        known[file.path] = join_ranges(still_known, read_lines)
    return MergedCall(merge.plan, tuple(notices), known) if notices else None
