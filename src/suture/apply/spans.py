"""Where edits went, as the caller counts: characters of a str or bytes of bytes, and line numbers."""

from __future__ import annotations

from itertools import islice

from ..core.line_diff import changed_blocks, common_ends
from ..core.splices import blocks_of, compose, follow, in_order, reverse
from ..core.string_edits import AppliedEdit, Span
from ..locate.edit_readings import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Range, Splice
    from ..core.text import Text
    from .edit_step import EditStep

    #: For each step its ranges in the text before all steps and in the text after all; and all steps as one.
    Trail = tuple[list[list[Range]], list[list[Range]], Sequence[Splice]]

#: The most places of a list of edits with a span each. Above it, each edit has one span: the whole text.
MOST_SPANS = 10_000


def applied_edits(
    before: Text, after: Text, steps: Sequence[EditStep], *, on_original: bool = False
) -> tuple[AppliedEdit, ...]:
    """Where each step went: those of a list, each made on the result of the one before or all on the original."""
    if sum([step.count for step in steps]) > MOST_SPANS:
        old, new = (spans_of(text, [(0, len(text.raw))]) for text in (before, after))
        return tuple([AppliedEdit(step.replacer, old, new, step.concessions) for step in steps])
    if on_original:
        there, written = [list(step.ranges) for step in steps], written_ranges(steps)
    else:
        there, written, _ = trace(_with_ranges(before, steps))
    old_spans, new_spans = (
        iter(spans_of(text, [one for ranges in every for one in ranges]))
        for text, every in ((before, there), (after, written))
    )
    return tuple(
        [
            AppliedEdit(
                step.replacer,
                tuple(islice(old_spans, step.count)),
                tuple(islice(new_spans, step.count)),
                step.concessions,
            )
            for step in steps
        ]
    )


def _with_ranges(text: Text, steps: Sequence[EditStep]) -> list[EditStep]:
    """The steps of a list with their ranges, which takes the texts between if one of them lacks its own."""
    if all(step.ranges for step in steps):
        return list(steps)
    complete: list[EditStep] = []
    for step in steps:
        complete.append(step.with_ranges(text))
        text = text.with_raw(step.apply(text.raw))
    return complete


def written_ranges(steps: Sequence[EditStep]) -> list[list[Range]]:
    """Where the ranges of steps that were all made on the same text are in the text after them."""
    splices = in_order([one for step in steps for one in step.splices])
    blocks = blocks_of(splices)
    block_of = {id(one): block for one, block in zip(splices, blocks, strict=True)}
    written: list[list[Range]] = []
    for step in steps:
        ranges = follow(step.ranges, blocks)
        for number, own in enumerate(step.changes):
            if own:
                # What is inserted at an edge is outside of a range, unless the step itself inserts it.
                first, last = block_of[id(own[0])], block_of[id(own[-1])]
                ranges[number] = min(ranges[number][0], first[2]), max(ranges[number][1], last[3])
        written.append(ranges)
    return written


def trace(steps: Sequence[EditStep]) -> Trail:
    """Follow steps of which each was made on the result of the one before. Halves are traced and then composed."""
    if len(steps) == 1:
        return [list(steps[0].ranges)], written_ranges(steps), steps[0].splices
    middle = len(steps) // 2
    before, between, first = trace(steps[:middle])
    later, after, second = trace(steps[middle:])
    there, back = blocks_of(second), reverse(blocks_of(first))
    before += [follow(ranges, back) for ranges in later]
    return before, [follow(ranges, there) for ranges in between] + after, compose(first, second)


def spans_of(text: Text, ranges: Sequence[Range]) -> tuple[Span, ...]:
    """Ranges of the raw text as the caller counts. The text before them is read once."""
    spans: dict[int, Span] = {}
    raw = text.raw
    size = len(raw)
    position, line, offset = 0, 1, text.first_offset
    for number in sorted(range(len(ranges)), key=ranges.__getitem__):
        start, end = min(ranges[number][0], size), min(ranges[number][1], size)
        offset += text.content_size(raw[position:start])
        line += _endings(raw, position, start)
        position = start
        length = text.content_size(raw[start:end])
        ends_line = end > start and raw[end - 1] in "\n\r"
        last_line = line + _endings(raw, start, end) - ends_line
        spans[number] = Span(offset, offset + length, line, max(line, last_line))
    return tuple([spans[number] for number in range(len(ranges))])


def _endings(raw: str, start: int, end: int) -> int:
    """How many lines end between two positions."""
    return raw.count("\n", start, end) + raw.count("\r", start, end) - raw.count("\r\n", start, end)


def count_lines(before: Text, after: Text) -> tuple[int, int]:
    """How many lines were added and deleted."""
    old, new = before.body, after.body
    head, tail = common_ends(old, new)
    # Whole lines: from where the first that differs begins to where the last one ends.
    start = old.rfind("\n", 0, head) + 1
    end = old.find("\n", len(old) - tail) + 1 or len(old)
    additions = deletions = 0
    for a, b, c, d in changed_blocks(lines_of(old[start:end]), lines_of(new[start : end + len(new) - len(old)])):
        additions += d - c
        deletions += b - a
    return additions, deletions
