"""Whether a text is for the parser of envelopes alone, which also explains what was meant to be one."""

from __future__ import annotations

from .call_blocks import JsonBlock, MarkupBlock
from .opening_lines import is_illustration
from .parse_fault import fault_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation
    from ..core.problems import Problem
    from .blocks import Block


def is_envelope_alone(
    text: str,
    edits: Sequence[tuple[Block, Sequence[Operation]]],
    problems: Sequence[Problem],
    faults: Sequence[Problem],
) -> bool:
    """Whether a text with these edits is an envelope and nothing else, or was meant to be one.

    `problems` are those of its blocks, and `faults` these and the lines that no block has taken.
    """
    forms = {block.form for block, _ in edits}
    if "envelope" in forms:
        # A diff without a file beside a patch is an illustration. Any other edit that can't be read is an error.
        others = [problem for problem in problems if not is_illustration(problem)]
        in_blocks = any(fault_of(problem).form for problem in others)
        if in_blocks or any(isinstance(block, MarkupBlock) for block, _ in edits):
            return False
        embedded = [block for block, _ in edits if isinstance(block, JsonBlock)]
        return len(forms) == 1 and len(embedded) < 2 and not (others and embedded)
    if edits:
        return False
    is_other = any(fault_of(problem).form != "envelope" for problem in faults)
    is_any = any(fault_of(problem).form == "" for problem in problems)
    return is_any or not text.strip() or ("***" in text and not is_other)
