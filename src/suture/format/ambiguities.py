"""Edits of one file that may be the same change twice: in two forms, or as two whole files."""

from __future__ import annotations

from .leftovers import KeepOne
from .parse_fault import ParseFault
from .whole_files import WholeFileBlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.patch import Operation
    from ..core.problems import Problem
    from .blocks import Block


def ambiguities(blocks: Iterable[tuple[Block, Sequence[Operation]]]) -> list[Problem]:
    """A problem for each file that is changed in two forms, maybe by the same change, or given twice as a whole."""
    first: dict[str, Block] = {}
    problems: list[Problem] = []
    for block, operations in blocks:
        for operation in operations:
            other = first.setdefault(operation.path, block)
            if isinstance(block, WholeFileBlock) and other is not block:
                message = f"{operation.path} is given twice as a whole file; the other one is at line {other.line}."
                block.error(message, "Keep one of them.", path=operation.path)
            elif other.form != block.form:
                message = (
                    f"{operation.path} is changed in two forms, by {other.name} at line "
                    f"{other.line} and by {block.name} at line {block.line}. They may be the same change."
                )
                more = {"path": operation.path, "forms": [other.form, block.form]}
                fault = ParseFault(block.line, message, KeepOne(other.form), more=more)
                problems.append(fault.problem(operation.path))
                first[operation.path] = block
    return problems
