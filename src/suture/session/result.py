"""The answer of a tool: a title, a text for the model, and the same as data for programs."""

from __future__ import annotations

from ..diff import trimmed_diff
from ..problems import PatchRejected
from ..text import Text
from ..value import Value
from ..workspace.outcome import to_data
from .diagnostics.answer import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..problems import SutureError
    from ..workspace.outcome import Change, Plan, PlannedFile, Receipt
    from .diagnostics.report import Report

#: Characters of a text for a model.
MOST_OUTPUT = 30_000


class Result(Value):
    """What a tool has to say. `metadata` is plain data, which JSON can hold."""

    title: str
    output: str
    metadata: Mapping[str, Any] = {}
    is_error: bool = False

    def __hash__(self) -> int:
        return hash((self.title, self.output, self.is_error))


def capped(text: str) -> str:
    """A text for a model that is not too long."""
    return text if len(text) <= MOST_OUTPUT else f"{text[:MOST_OUTPUT]}\n… ({len(text) - MOST_OUTPUT} characters more)"


def title_of(changes: Sequence[Change]) -> str:
    """What was changed, in a few words."""
    if len(changes) == 1:
        return changes[0].move_to or changes[0].path
    return f"{len(changes)} files"


def told(
    first: str,
    plan: Plan,
    receipt: Receipt | None,
    notices: Sequence[str],
    reports: Mapping[str, Report],
    *,
    atomic: bool = True,
) -> Result:
    """The answer to a call that has changed files, or would."""
    changes = plan.changes if receipt is None else receipt.changes
    lines = [first, *(str(change) for change in changes), *notices]
    lines += [shown(report, name=name) for name, report in reports.items()]
    return Result(
        title_of(changes), capped("\n".join(lines)), _metadata(plan, changes, receipt, reports, atomic=atomic)
    )


def _metadata(
    plan: Plan, changes: Sequence[Change], receipt: Receipt | None, reports: Mapping[str, Report], *, atomic: bool
) -> dict[str, Any]:
    filediffs = [_filediff(change, plan) for change in changes]
    metadata: dict[str, Any] = {
        "diff": "".join(change.diff for change in changes),
        "shownDiff": "".join(trimmed_diff(change.diff) for change in changes),
        "filediffs": filediffs,
        "concessions": to_data(plan.concessions),
        "diagnostics": {name: to_data(report) for name, report in reports.items()},
        "atomic": atomic,
        "receipt": None if receipt is None else receipt.id,
    }
    if len(filediffs) == 1:
        metadata["filediff"] = filediffs[0]
    return metadata


def _filediff(change: Change, plan: Plan) -> dict[str, Any]:
    by_name = {file.shown: file for file in plan.files}
    before, after = by_name.get(change.path), by_name.get(change.move_to or change.path)
    return {
        "file": change.move_to or change.path,
        "kind": change.kind,
        "before": _text(None if before is None else before.was),
        "after": _text(_content(after)),
        "additions": change.additions,
        "deletions": change.deletions,
        "matches": to_data(change.matches),
        "edits": to_data(change.edits),
    }


def _content(file: PlannedFile | None) -> bytes | None:
    if file is None or file.after.kind != "file":
        return None
    return file.was if file.moved_from else file.content


def _text(content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return Text(content).raw.encode("utf-8", "replace").decode("utf-8")
    except PatchRejected:
        return None


def failed(title: str, error: SutureError) -> Result:
    """The answer to a call that was refused or failed."""
    metadata = {"error": type(error).__name__, "problems": to_data(error.problems)}
    return Result(title, error.for_model(), metadata, is_error=True)
