"""Where edits went, as the caller counts: characters of a str or bytes of bytes, and line numbers."""

from __future__ import annotations

from itertools import islice

from ..core.line_diff import changed_blocks
from ..core.splices import blocks_of, compose, follow, in_order, reverse
from ..core.string_edits import AppliedEdit, Span
from .edit_step import MOST_SPANS, EditStep, settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Range, Splice
    from ..core.text import Text

    #: The ranges of all steps in the text before all of them and in the text after all; and all steps as one.
    Trail = tuple[list[Range], list[Range], Sequence[Splice]]


def applied_edits(before: Text, after: Text, steps: Sequence[EditStep], on_original: bool) -> tuple[AppliedEdit, ...]:
    """Where each step went: those of a list, each made on the result of the one before or all on the original."""
    if sum([len(step.splices) for step in steps]) > MOST_SPANS:
        whole, edited = (spans_of(text, [(0, len(text.raw))]) for text in (before, after))
        return tuple([AppliedEdit(step.replacer, whole, edited, step.concessions) for step in steps])
    there, written, _ = _trace_apart(before, steps) if on_original else _trace([step.splices for step in steps])
    old, new = iter(spans_of(before, there)), iter(spans_of(after, written))
    edits: list[AppliedEdit] = []
    for step in steps:
        spans, others = (tuple(islice(some, len(step.splices))) for some in (old, new))
        edits.append(AppliedEdit(step.replacer, spans, others, step.concessions))
    return tuple(edits)


def _trace_apart(text: Text, steps: Sequence[EditStep]) -> Trail:
    """Follow steps that were all made on the same text."""
    listed = [one for step in steps for one in step.splices]
    splices = in_order(listed)
    settled = settle(text, splices)
    block_of = {id(one): block for one, block in zip(splices, blocks_of(settled), strict=True)}
    blocks = [block_of[id(one)] for one in listed]
    return [block[:2] for block in blocks], [block[2:] for block in blocks], settled


def _trace(steps: Sequence[Sequence[Splice]]) -> Trail:
    """Follow steps of which each was made on the result of the one before. Halves are traced and then composed."""
    if len(steps) == 1:
        blocks = blocks_of(steps[0])
        return [block[:2] for block in blocks], [block[2:] for block in blocks], steps[0]
    middle = len(steps) // 2
    before, between, first = _trace(steps[:middle])
    later, after, second = _trace(steps[middle:])
    there, back = blocks_of(second), reverse(blocks_of(first))
    return before + follow(later, back), follow(between, there) + after, compose(first, second)


def spans_of(text: Text, ranges: Sequence[Range]) -> tuple[Span, ...]:
    """Ranges of the raw text as the caller counts. The text before them is read once."""
    raw, position, offset, line = text.raw, 0, text.first_offset, 1
    at: dict[int, tuple[int, int, int]] = {}
    for edge in sorted({edge for one in ranges for edge in one}):
        offset += text.content_size(raw[position:edge])
        # CRLF ends a line with its second half, and what ends a line is part of it.
        ends = raw.count("\n", position, edge) + raw.count("\r", position, edge)
        line += ends - raw.count("\r\n", position, edge + 1)
        is_behind = raw[edge - 1 : edge] in ("\n", "\r") and raw[edge - 1 : edge + 1] != "\r\n"
        at[edge] = offset, line, line - is_behind
        position = edge
    return tuple([Span(at[a][0], at[b][0], at[a][1], max(at[a][1], at[b][2])) for a, b in ranges])


def count_lines(before: Text, after: Text) -> tuple[int, int]:
    """How many lines were added and deleted."""
    blocks = changed_blocks(before.lines, after.lines)
    return sum([d - c for _, _, c, d in blocks]), sum([b - a for a, b, _, _ in blocks])
