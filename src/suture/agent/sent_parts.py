"""What a model wrote, of the parts of an edit that were placed with concessions, so that a person can compare it."""

from __future__ import annotations

from ..core.value import Value
from .agent_limits import LONGEST_SENT_LINE, MOST_SENT_LINES, MOST_SENT_PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.outcome import Change, Plan


class SentPart(Value):
    """A hunk or a string edit as it was sent, and the lines of the file that it covers, from 1.

    `end` is the last of them, or `start - 1` for an insertion. `number` counts the hunks or edits of the file from 1.
    """

    path: str
    number: int
    start: int
    end: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def sent_parts(plan: Plan) -> tuple[SentPart, ...]:
    """The parts of an edit that were placed with concessions; none of a plan that was stored as JSON."""
    parts = [*_string_edits(plan), *_hunks(plan)]
    return tuple(
        [
            part
            for part in parts[:MOST_SENT_PARTS]
            if len(part.old) <= MOST_SENT_LINES and len(part.new) <= MOST_SENT_LINES
        ]
    )


def _string_edits(plan: Plan) -> Iterator[SentPart]:
    sent = plan.sent
    if not isinstance(sent, tuple):
        return
    for change in plan.changes:
        for number, (edit, applied) in enumerate(zip(sent, change.edits, strict=False), 1):
            if not applied.concessions or not applied.spans:
                continue
            span = applied.spans[0]
            yield _part(change, number, span.first_line, span.last_line, _lines(edit.old), _lines(edit.new))


def _hunks(plan: Plan) -> Iterator[SentPart]:
    for outcome in plan.outcomes:
        hunks = getattr(outcome.operation, "hunks", ())
        for change in outcome.changes:
            for match in change.matches:
                if match.concessions and 1 <= match.hunk <= len(hunks):
                    hunk = hunks[match.hunk - 1]
                    yield _part(change, match.hunk, match.start, match.end, hunk.old, hunk.new)


def _part(change: Change, number: int, start: int, end: int, old: Sequence[str], new: Sequence[str]) -> SentPart:
    cut = [tuple([line[:LONGEST_SENT_LINE] for line in lines]) for lines in (old, new)]
    return SentPart(change.path, number, start, end, *cut)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []
