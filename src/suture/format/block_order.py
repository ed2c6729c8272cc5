"""The operations of all blocks of an answer, in the order of its text."""

from __future__ import annotations

from .search_replace import SearchReplaceBlock, join_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation
    from .blocks import Block


def without_operations(
    by_block: list[tuple[Block, Sequence[Operation]]], left_out: Sequence[tuple[str, Operation]]
) -> list[tuple[Block, Sequence[Operation]]]:
    """The blocks without the operations that are left out, each for a reason."""
    if not left_out:
        return by_block
    # By identity: two operations that are equal can be in different blocks.
    left_out_ids = {id(operation) for _, operation in left_out}
    remaining: list[tuple[Block, Sequence[Operation]]] = []
    for block, operations in by_block:
        kept = [operation for operation in operations if id(operation) not in left_out_ids]
        if kept:
            remaining.append((block, kept))
    return remaining


def in_order(by_block: Sequence[tuple[Block, Sequence[Operation]]]) -> list[Operation]:
    """The operations in the order of the text, with the blocks of a file joined."""
    blocks: list[Operation] = []
    others: list[Operation] = []
    for block, operations in by_block:
        if isinstance(block, SearchReplaceBlock):
            blocks += operations
        else:
            others += operations
    if not blocks:
        return others
    joined = join_blocks(blocks)
    return sorted([*others, *joined], key=lambda operation: operation.line) if others else joined
