"""What a Python text says, by the parser of the standard library: whether changed parts parse, names without a
definition, and equal programs.
"""

from __future__ import annotations

import ast
import builtins
import symtable

from ..core.python_source import parse_python, without_warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BUILT_IN = frozenset(dir(builtins)) | {"__file__", "__path__", "__class__", "__annotations__", "WindowsError"}

#: How a line begins that begins a statement of a module, unless it is inside of a quoted text.
_BLOCKS = ("def ", "class ", "async def ", "@")


def changed_parts_parse(lines: Sequence[str], changes: Iterable[tuple[int, int]]) -> bool:
    """Whether the functions and classes with these lines parse, each alone, if that is less than half of the text.

    What has as many opening as closing quotes and brackets, and begins and ends at a definition, does not depend on the
    rest. Where it is False, only the whole text can tell.
    """
    parts: list[tuple[int, int]] = []
    for first, last in sorted(changes):
        start, end = min(first, len(lines) - 1), last
        while start > 0 and not lines[start].startswith(_BLOCKS):
            start -= 1
        while end < len(lines) and not lines[end].startswith(_BLOCKS):
            end += 1
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
        else:
            parts.append((start, end))
    if 2 * sum(end - start for start, end in parts) > len(lines):
        return False
    return all(_program("".join(lines[start:end])) is not None for start, end in parts)


def _program(text: str) -> ast.Module | None:
    """What a text parses to; None if it does not."""
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    assert isinstance(tree, ast.Module), "BUG: another mode"
    return tree


def unbound_names(text: str) -> frozenset[tuple[str, str]]:
    """Each name with the block that uses it. None where the text does not parse, or imports names by `*`."""
    if "import *" in text:
        return frozenset()
    try:
        with without_warnings():
            table = symtable.symtable(text, "<merge>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    defined = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    defined |= {child.get_name() for child in table.get_children()}
    unbound: set[tuple[str, str]] = set()
    pending = [table]
    while pending:
        block = pending.pop()
        pending += block.get_children()
        for symbol in block.get_symbols():
            name = symbol.get_name()
            if symbol.is_declared_global() and symbol.is_assigned():
                defined.add(name)
            is_global = symbol.is_referenced() and (symbol.is_global() or block is table)
            if is_global and name not in _BUILT_IN:
                unbound.add((block.get_name(), name))
    return frozenset([(block, name) for block, name in unbound if name not in defined])


def same_program(one: str, other: str) -> bool | None:
    """Whether two Python texts parse to the same program, but for the layout of docstrings; None if one does not."""
    first, second = _program(one), _program(other)
    if first is None or second is None:
        return None
    return _dump(first) == _dump(second)


def _dump(program: ast.Module) -> str:
    """A program as text, in which docstrings are stripped line by line, as formatters do."""
    for node in ast.walk(program):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            value.value = "\n".join([line.strip() for line in value.value.strip().splitlines()])
    return ast.dump(program)
