"""What a Python text says, by the parser of the standard library: whether changed parts parse, names without a
definition, and equal programs.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import symtable
from bisect import bisect_left, bisect_right

from ..core.python_source import UNPARSABLE, parse_python, without_warnings
from .limits import LONGEST_PARSED, MOST_SYMBOL_PAIRS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_BUILT_IN = frozenset(dir(builtins)) | {"__file__", "__path__", "__class__", "__annotations__", "WindowsError"}

#: Lines that give a meaning to names: definitions, imports, loops, and so on.
_BINDING = re.compile(r"\b(?:as|case|class|def|except|for|from|global|import|lambda|nonlocal|with)\b|:=")
#: A line of a list that has names before anything else.
_PART_OF_LIST = re.compile(r"[\s(*]*[^\W\d]\w*(?:\s*,\s*\*?[^\W\d]\w*)*+(?=\s*(?:[,:)]|$))")
_NAME = re.compile(r"[^\W\d]\w*")
#: A line that assigns names or loops over them.
_ASSIGNED = re.compile(r"\s*(?:for\s+)?(?P<names>\w+(?:\s*,\s*\w+)*)\s*(?:(?::[^=]*)?=(?!=)|\bin\b)")
#: `self` and `cls` are parameters of nearly every method, and no line of a method says so.
_NEVER_UNBOUND = _BUILT_IN | frozenset(keyword.kwlist) | {"cls", "self"}
#: How a line begins that begins a function or a class.
_HEAD = re.compile(r"([ \t]*)(?:async[ \t]+def|def|class)\b")
_MULTI_LINE = ('"""', "'''")
#: A line that is a docstring: wherever it is, what follows is read in the same way as without it.
_DOCSTRING_LINE = re.compile(r'\s*[rRuU]?"""[^"\'\\#\n]*"""\s*$')
#: How a line begins that begins a statement of a module, unless it is inside of a quoted text.
_BLOCKS = ("def ", "class ", "async def ", "@")


def shared_parts(
    lines: Sequence[str], one: Iterable[tuple[int, int]], other: Iterable[tuple[int, int]], gone: Iterable[str]
) -> list[tuple[int, int]] | None:
    """The functions and classes of a merged text in which both sides have changed lines, as ranges of lines.

    If the text of each side parses, the merged text can only fail to parse there. `one` and `other` are the ranges of
    lines that the two sides have written, and `gone` are the lines that either has removed. None if a change may matter
    further down: if it has quotes of a text of several lines, goes on in the next line, ends the blocks around the
    function, or gives lines another indentation.
    """
    #: The removed lines, by what they have besides their indentation.
    removed = {line.strip(): line for line in gone}
    if any(map(_goes_on, removed.values())):
        return None
    heads = [number for number, line in enumerate(lines) if _HEAD.match(line)]
    around = _functions_around(lines, heads)
    functions_of_one = _changed_functions(lines, one, heads, around, removed)
    if functions_of_one is None:
        return None
    functions_of_other = _changed_functions(lines, other, heads, around, removed)
    if functions_of_other is None:
        return None
    starts = [0, *heads]
    parts: list[tuple[int, int]] = []
    for function in sorted(functions_of_one & functions_of_other):
        # What is inside of a part parses with it.
        is_inside_part = bool(parts) and starts[function] < parts[-1][1]
        if not is_inside_part:
            parts.append(_extent(lines, starts, function))
    return parts


def _changed_functions(
    lines: Sequence[str],
    changes: Iterable[tuple[int, int]],
    heads: Sequence[int],
    around: Sequence[int],
    removed: Collection[str],
) -> set[int] | None:
    """The numbers of the functions in which one side has changed lines, 0 for the module; None where unclear.

    `heads` are the lines at which functions begin; `removed` are the removed lines without their indentation.
    """
    functions: set[int] = set()
    for first, last in changes:
        # A change at the first line of a function also belongs to the one above, and one that ends there to the next.
        function_above, function_below = _last_function(heads, first - 1), _last_function(heads, last)
        functions.update(range(function_above, function_below + 1))
        for number in range(first, last):
            line = lines[number]
            function = _function_of(line, _last_function(heads, number), lines, heads, around)
            is_reindented = line.strip() != "" and line.strip() in removed
            if function is None or is_reindented or _goes_on(line):
                return None
            functions.add(function)
    return functions


def _last_function(heads: Sequence[int], number: int) -> int:
    """The number of the last function that begins at a line or above it, counted from 1; 0 for the module."""
    return bisect_right(heads, number)


def _extent(lines: Sequence[str], starts: Sequence[int], number: int) -> tuple[int, int]:
    """All lines of a function or class, to the next one that is not inside of it; of a module, to its first one."""
    start = starts[number]
    # No function is indented by as many characters as there are lines: any of them ends the part of the module.
    depth = len(lines) if number == 0 else len(_indentation(lines[start]))
    for next_number in range(number + 1, len(starts)):
        next_start = starts[next_number]
        if len(_indentation(lines[next_start])) <= depth:
            return start, next_start
    return start, len(lines)


def parts_parse(lines: Sequence[str], parts: Iterable[tuple[int, int]]) -> bool:
    """Whether ranges of lines that begin at a function or class parse, each alone."""
    return all(_program(_as_module(lines[start:end])) is not None for start, end in parts)


def _as_module(part: Sequence[str]) -> str:
    """Lines of a part as a text of its own: those that are indented belong to a block."""
    first = next((line for line in part if line.strip()), "")
    return f"{'if 1:' if _indentation(first) else ''}\n{''.join(part)}"


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _goes_on(line: str) -> bool:
    """Whether what is on a line can decide how the next ones are read."""
    if any(quotes in line for quotes in _MULTI_LINE) and not _DOCSTRING_LINE.match(line):
        return True
    return line.rstrip("\r\n").endswith("\\")


def _functions_around(lines: Sequence[str], heads: Sequence[int]) -> list[int]:
    """For each function, counted from 1, the nearest one above it that is indented less; 0 where there is none."""
    # Number 0 is the module.
    around = [0]
    depths = [len(_indentation(lines[head])) for head in heads]
    for number, depth in enumerate(depths, 1):
        outer = number - 1
        while outer and depths[outer - 1] >= depth:
            outer = around[outer]
        around.append(outer)
    return around


def _function_of(
    line: str, number: int, lines: Sequence[str], heads: Sequence[int], around: Sequence[int]
) -> int | None:
    """The number of the function in which a line leaves the code below it; None if it may end all functions.

    It is the function of this number, which is the last one that begins above the line, unless the line is indented
    less: then it is the next one around that. Functions are counted from 1, and 0 is the module.
    """
    if not line.strip():
        return number
    while number > 0 and not line.startswith(_indentation(lines[heads[number - 1]])):
        number = around[number]
        if number == 0:
            return None
    return number


def changed_parts_parse(lines: Sequence[str], changes: Iterable[tuple[int, int]]) -> bool:
    """Whether the functions and classes with these lines parse, each alone, if that is less than half of the text.

    What has as many opening as closing quotes and brackets, and begins and ends at a definition, does not depend on the
    rest. Where it is False, only the whole text can tell.
    """
    starts = [number for number, line in enumerate(lines) if line.startswith(_BLOCKS)]
    parts: list[tuple[int, int]] = []
    for first, last in sorted(changes):
        # From the last definition that begins above the change, or with it, to the first one that begins below.
        count_above = bisect_right(starts, min(first, len(lines) - 1))
        number_below = bisect_left(starts, last)
        start = starts[count_above - 1] if count_above > 0 else 0
        end = starts[number_below] if number_below < len(starts) else len(lines)
        touches_part_above = bool(parts) and start <= parts[-1][1]
        if touches_part_above:
            # Both are one part.
            start, end_above = parts.pop()
            end = max(end, end_above)
        parts.append((start, end))
    if 2 * sum(end - start for start, end in parts) > len(lines):
        return False
    return all(_program("".join(lines[start:end])) is not None for start, end in parts)


def _program(text: str) -> ast.Module | None:
    """What a text parses to; None if it does not, or is too long to be parsed."""
    if len(text) > LONGEST_PARSED:
        return None
    try:
        tree = parse_python(text)
    except UNPARSABLE:
        return None
    assert isinstance(tree, ast.Module), "BUG: another mode"
    return tree


def names_bound(lines: Iterable[str]) -> frozenset[str]:
    """All names that some of these lines may give a meaning to, such as those of parameters; rather too many."""
    names: set[str] = set()
    for line in lines:
        code = line.partition("#")[0]
        if "'" in code or '"' in code:
            # The hash may be in a quoted text, so all of the line counts.
            code = line
        code = code.strip()
        if _BINDING.search(code):
            names.update(_NAME.findall(code))
            continue
        targets, equals_sign, _ = code.rpartition("=")
        if equals_sign:
            names.update(_NAME.findall(targets))
        # One line of a list of parameters, targets or imports.
        part_of_list = _PART_OF_LIST.match(code)
        if part_of_list:
            names.update(_NAME.findall(part_of_list[0]))
    return frozenset(names - _NEVER_UNBOUND)


def imported_names(line: str) -> frozenset[str]:
    """The names that an import on one line gives a meaning to; none of a package that is imported with a module."""
    head, _, names = line.partition("#")[0].strip().rpartition("import ")
    if head.strip() and not head.startswith("from "):
        return frozenset()
    bound = [name.rpartition(" as ")[2].strip(" ()") for name in names.split(",")]
    return frozenset([name for name in bound if name.isidentifier()])


def names_assigned(lines: Iterable[str]) -> frozenset[str]:
    """The names that some of these lines assign, import or loop over."""
    names: set[str] = set()
    for line in lines:
        assignment = _ASSIGNED.match(line)
        if assignment:
            names.update(_NAME.findall(assignment["names"]))
    return frozenset(names)


def hidden_globals(text: str, merged: str, names: Iterable[str]) -> set[str]:
    """Those of some names that a function of a text takes from its module, and that are its own in a merged text."""
    at_start = "".join([line for line in text.splitlines(keepends=True) if line[:1] not in " \t"])
    shared = (_BUILT_IN | set(_NAME.findall(at_start))).intersection(names)
    if not shared:
        return set()
    table, merged_table = _symbols(text), _symbols(merged)
    if table is None or merged_table is None:
        return set()
    merged_functions = _functions(merged_table)
    hidden: set[str] = set()
    for path, function in _functions(table).items():
        merged_function = merged_functions.get(path)
        if merged_function is None:
            continue
        for name in shared.intersection(function.get_identifiers()):
            if _is_taken_from_module(function, name) and _is_local(merged_function, name):
                hidden.add(name)
    return hidden


def _is_taken_from_module(function: symtable.SymbolTable, name: str) -> bool:
    """Whether a function uses or assigns a name of its module."""
    symbol = _symbol(function, name)
    return symbol is not None and symbol.is_global() and (symbol.is_referenced() or symbol.is_assigned())


def _is_local(function: symtable.SymbolTable, name: str) -> bool:
    """Whether a name is a function's own."""
    symbol = _symbol(function, name)
    return symbol is not None and symbol.is_local()


def _symbols(text: str) -> symtable.SymbolTable | None:
    """The names of a text by its blocks; None where it does not parse or is too long."""
    if len(text) > LONGEST_PARSED:
        return None
    try:
        with without_warnings():
            return symtable.symtable(text, "<merge>", "exec")
    except UNPARSABLE:
        return None


def _functions(table: symtable.SymbolTable) -> dict[tuple[str, ...], symtable.SymbolTable]:
    """The functions of a text, by their names and those around them."""
    functions: dict[tuple[str, ...], symtable.SymbolTable] = {}
    pending: list[tuple[tuple[str, ...], symtable.SymbolTable]] = [((), table)]
    while pending:
        path, block = pending.pop()
        if block.get_type() == "function":
            functions[path] = block
        pending += [((*path, child.get_name()), child) for child in block.get_children()]
    return functions


def _symbol(table: symtable.SymbolTable, name: str) -> symtable.Symbol | None:
    try:
        return table.lookup(name)
    except KeyError:
        return None


def unbound_names(text: str) -> frozenset[tuple[str, str]] | None:
    """Each name without a definition, with the block that uses it; None where there are too many names to look at.

    There are no such names where the text is not parsed, or imports names by `*`.
    """
    if "import *" in text:
        return frozenset()
    module = _symbols(text)
    if module is None:
        return frozenset()
    if _symbol_pairs(module) > MOST_SYMBOL_PAIRS:
        return None
    defined = {child.get_name() for child in module.get_children()}
    for name in module.get_identifiers():
        # It takes `symtable` long to look a name up among many functions.
        if name not in defined:
            symbol = module.lookup(name)
            if symbol.is_assigned() or symbol.is_imported():
                defined.add(name)
    #: The names of the module that are used, each with the block that uses it.
    used: set[tuple[str, str]] = set()
    pending = [module]
    while pending:
        block = pending.pop()
        pending += block.get_children()
        for name in block.get_identifiers():
            if name in defined or name in _BUILT_IN:
                continue
            symbol = block.lookup(name)
            if symbol.is_declared_global() and symbol.is_assigned():
                defined.add(name)
            is_of_module = symbol.is_global() or block is module
            if symbol.is_referenced() and is_of_module:
                used.add((block.get_name(), name))
    return frozenset([(block_name, name) for block_name, name in used if name not in defined])


def _symbol_pairs(table: symtable.SymbolTable) -> int:
    """How many pairs of a name and a block inside of its block there are: `symtable` compares all of them."""
    pairs = 0
    pending = [table]
    while pending:
        block = pending.pop()
        blocks = block.get_children()
        pairs += len(blocks) * len(block.get_identifiers())
        pending += blocks
    return pairs


def same_program(one: str, other: str) -> bool | None:
    """Whether two Python texts parse to the same program, but for the layout of docstrings; None if one does not."""
    program, other_program = _program(one), _program(other)
    if program is None or other_program is None:
        return None
    if len(program.body) != len(other_program.body):
        return False
    lines, other_lines = _with_any_ending(one), _with_any_ending(other)
    for statement, other_statement in zip(program.body, other_program.body, strict=True):
        # What is written in the same way says the same, and need not be compared part by part.
        is_same_source = _source(statement, lines) == _source(other_statement, other_lines)
        if not is_same_source and not _says_the_same(statement, other_statement):
            return False
    return True


def _with_any_ending(text: str) -> list[str]:
    """The lines of a text, whatever they end with."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _source(statement: ast.stmt, lines: Sequence[str]) -> Sequence[str]:
    """The lines of a statement of a module."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *[one.lineno for one in decorators]])
    return lines[first - 1 : statement.end_lineno]


def _says_the_same(one: object, other: object) -> bool:
    """Whether two parts of programs are equal but for the layout of docstrings, which formatters strip line by line."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        assert isinstance(other, list), "BUG: another type"
        return len(one) == len(other) and all(map(_says_the_same, one, other))
    if isinstance(one, ast.Constant):
        assert isinstance(other, ast.Constant), "BUG: another type"
        return _is_same_constant(one.value, other.value)
    if isinstance(one, ast.Expr):
        assert isinstance(other, ast.Expr), "BUG: another type"
        docstring = _docstring(one)
        if docstring is not None:
            return docstring == _docstring(other)
    if isinstance(one, ast.AST):
        return all(_says_the_same(getattr(one, name), getattr(other, name)) for name in one._fields)
    return one == other


def _is_same_constant(one: object, other: object) -> bool:
    """Whether two constants of programs are the same. By `==`, 1 is equal to True, and 0.0 to -0.0."""
    if type(one) is not type(other):
        return False
    return one == other if isinstance(one, str) else repr(one) == repr(other)


def _docstring(statement: ast.Expr) -> list[str] | None:
    """The stripped lines of a statement that is a text alone; None if it is another one."""
    value = statement.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    return [line.strip() for line in value.value.strip().splitlines()]
