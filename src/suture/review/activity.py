"""One line of time for a workspace: what was asked, answered, written and undone, with the links between them.

The link from an answer to its commit is evidence, not a guess: the commit is of the same session and tool, comes after
the answer, and began with the very content that was asked about.
"""

from __future__ import annotations

from ..agent.answers import APPROVALS
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from ..agent.answer_log import AnswerRecord
    from ..core.outcome import Receipt
    from .inbox import InboxItem


class HistoryEvent(Value):
    """Something that happened: `item`, `record` or `receipt` has the rest of it.

    `link` is the id of the commit that an answer led to, or of the request that a commit was approved by.
    """

    kind: Literal["asked", "answered", "written", "undone"]
    time: float
    item: InboxItem | None = None
    record: AnswerRecord | None = None
    receipt: Receipt | None = None
    link: str = ""


def events_of(
    pending: Iterable[InboxItem], records: Sequence[AnswerRecord], receipts: Sequence[Receipt]
) -> list[HistoryEvent]:
    """What happened, newest first."""
    commits = _commits_of_answers(records, receipts)
    requests = {commit: record for record, commit in commits.items()}
    events = [HistoryEvent("asked", item.request.time, item=item) for item in pending]
    events += [
        HistoryEvent("answered", record.time, record=record, link=commits.get(record.id, "")) for record in records
    ]
    for receipt in receipts:
        kind: Literal["written", "undone"] = "undone" if receipt.undoes else "written"
        events.append(HistoryEvent(kind, receipt.time, receipt=receipt, link=requests.get(receipt.id, "")))
    return sorted(events, key=lambda event: event.time, reverse=True)


def _commits_of_answers(records: Sequence[AnswerRecord], receipts: Sequence[Receipt]) -> dict[str, str]:
    """The commit that each approval led to, by the id of its request."""
    by_content: dict[tuple[str, str, str, str], list[Receipt]] = {}
    for receipt in reversed(receipts):
        for change in receipt.changes:
            key = receipt.session, receipt.tool, change.path, change.sha256_before
            by_content.setdefault(key, []).append(receipt)
    commits: dict[str, str] = {}
    taken: set[str] = set()
    for record in sorted(records, key=lambda record: record.time):
        if record.answer.kind not in APPROVALS:
            continue
        for path, before in record.hashes.items():
            later = by_content.get((record.session, record.tool, path, before), [])
            commit = next((one.id for one in later if one.time >= record.time and one.id not in taken), "")
            if commit:
                commits[record.id] = commit
                taken.add(commit)
                break
    return commits
