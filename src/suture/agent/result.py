"""The answer of a tool: a title, a text for the model, and the same as data for programs."""

from __future__ import annotations

from ..core.display import model_text, plural
from ..core.json_values import to_data
from ..core.outcome import Receipt
from ..core.paths import visible_path
from ..core.problems import PartlyAppliedError, PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from .agent_limits import MOST_OUTPUT_CHARACTERS
from .diagnostics.summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..core.outcome import Change, Plan
    from ..core.problems import Problem, SutureError
    from ..core.record import PlannedFile
    from .diagnostics.report import Report


class Result(Value):
    """The answer of a tool. `metadata` is plain data that JSON can hold."""

    title: str
    output: str
    metadata: Mapping[str, Any] = {}
    is_error: bool = False
    #: What the call changed, or would change.
    changes: tuple[Change, ...] = ()
    #: What was wrong, if it was refused or failed.
    problems: tuple[Problem, ...] = ()

    def __hash__(self) -> int:
        return hash((self.title, self.output, self.is_error))


def cap_output(text: str) -> str:
    """A text for a model, safe to show and cut to the limit."""
    text = model_text(text)
    kept = MOST_OUTPUT_CHARACTERS - 50
    return text if len(text) <= MOST_OUTPUT_CHARACTERS else f"{text[:kept]}\n… ({len(text) - kept} more characters)"


def count_files(changes: Sequence[Change]) -> str:
    """How many files changed, in words."""
    files = len({change.path for change in changes})
    return f"{files} {plural('file', files)} changed"


def change_result(
    first: str,
    plan: Plan,
    receipts: Sequence[Receipt],
    notices: Sequence[str],
    reports: Mapping[str, Report],
    *,
    whole_texts: bool = False,
) -> Result:
    """The answer to a call that changed files with these commits, or would change them.

    Its metadata has the whole texts before and after only where they are wanted: it is stored with every step of a
    conversation.
    """
    lines = [first, *(str(change) for change in plan.changes), *follow_up(notices, reports)]
    paths = {change.path: change.move_to or change.path for change in plan.changes}
    title = next(iter(paths.values())) if len(paths) == 1 else count_files(plan.changes)
    metadata = _metadata(plan, receipts, reports, whole_texts=whole_texts)
    return Result(visible_path(title), cap_output("\n".join(lines)), metadata, changes=plan.changes)


def follow_up(notices: Sequence[str], reports: Mapping[str, Report]) -> list[str]:
    """The paragraphs of an answer that follow the list of changes: notices and diagnostics."""
    return [*notices, *(summarize(report, name=name) for name, report in reports.items() if report.asked)]


def _metadata(
    plan: Plan, receipts: Sequence[Receipt], reports: Mapping[str, Report], *, whole_texts: bool
) -> dict[str, Any]:
    """What a result says to programs: the diffs, the commits and the diagnostics of a plan."""
    by_name = {file.shown: file for file in plan.files}
    filediffs = [_change_data(change) for change in plan.changes]
    if whole_texts:
        for change, filediff in zip(plan.changes, filediffs, strict=True):
            filediff.update(_texts(change, plan, by_name.get(change.content_name) or by_name.get(change.path)))
    metadata: dict[str, Any] = {
        "diff": plan.diff,
        "shownDiff": plan.trimmed_diff,
        "filediffs": filediffs,
        "concessions": to_data(plan.concessions),
        "diagnostics": {name: to_data(report) for name, report in reports.items()},
        "atomic": plan.atomic,
        "changedFiles": _changed_files(plan.changes) if receipts else [],
        "receipt": receipts[0].id if receipts else None,
        "receipts": [receipt.id for receipt in receipts],
    }
    if len(filediffs) == 1:
        metadata["filediff"] = filediffs[0]
    return metadata


def _change_data(change: Change) -> dict[str, Any]:
    """A change as the metadata has it. The names are those of OpenCode."""
    additions, deletions = change.counts
    return {
        "file": change.move_to or change.path,
        "kind": change.kind,
        "additions": additions,
        "deletions": deletions,
        "sha256Before": change.sha256_before,
        "sha256After": change.sha256_after,
        "matches": to_data(change.matches),
        "edits": to_data(change.edits),
        "concessions": to_data(change.concessions),
    }


def _texts(change: Change, plan: Plan, file: PlannedFile | None) -> dict[str, Any]:
    return {
        "before": _text(None if file is None else plan.content_before(file), file),
        "after": _text(None if file is None or change.kind == "delete" else file.content_after, file),
    }


def _text(content: bytes | None, file: PlannedFile | None) -> str | None:
    """A content of a file as text: empty where there is no file, None where it is binary."""
    if content is None:
        return ""
    try:
        encoding = None if file is None else file.encoding or None
        return Text(content, encoding).raw.encode("utf-8", "replace").decode("utf-8")
    except PatchRejectedError:
        return None


def _changed_files(changes: Sequence[Change]) -> list[str]:
    """The files that were changed, each once: moved ones under their new paths, deleted ones too."""
    return list(dict.fromkeys([change.move_to or change.path for change in changes]))


def error_result(title: str, error: SutureError, arguments: Mapping[str, Any] | None = None) -> Result:
    """The answer to a call with these arguments that was refused or failed."""
    atomic = (arguments or {}).get("atomic", True)
    metadata = {
        "error": type(error).__name__,
        "problems": to_data(error.problems),
        "atomic": atomic,
        "changedFiles": [],
    }
    if isinstance(error, PartlyAppliedError) and isinstance(error.receipt, Receipt):
        receipt = error.receipt
        metadata |= {"diff": receipt.diff, "receipts": list(receipt.parts or (receipt.id,))}
        metadata["changedFiles"] = _changed_files(receipt.changes)
    # Notices and diagnostics of the part that was applied are attached to the error as notes.
    lines = [error.for_model(), *getattr(error, "__notes__", ())]
    output = cap_output("\n".join(lines))
    return Result(visible_path(title), output, metadata, is_error=True, problems=error.problems)
