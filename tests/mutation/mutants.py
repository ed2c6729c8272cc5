"""The mutants of a module: one condition or limit changed in each.

A mutant is named by its function and its text, not by its line, so that a list of survivors outlives edits elsewhere.
Not mutated: `assert` (a broken invariant), `TYPE_CHECKING` blocks, and annotations.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import CodeType

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Mutant:
    """One change of one module: of a function's condition (`code`), or of a module's number (`constant`)."""

    name: str
    path: Path
    lines: range
    constant: str = ""
    change: tuple[ast.expr, ast.AST] | None = None

    @property
    def module(self) -> str:
        """The name that the module is imported by: the name of a mutant begins with its file."""
        return f"suture.{self.name.partition('.py ')[0].replace('/', '.')}".removesuffix(".__init__")

    def places(self) -> Iterator[tuple[str, int]]:
        """The lines that have the change, or use the number: files and line numbers."""
        if not self.constant:
            yield from ((str(self.path), line) for line in self.lines)
            return
        package = self.path.parents[self.name.partition(".py ")[0].count("/")]
        for path, names in _names(package).items():
            yield from ((path, line) for line in names.get(self.constant, ()))

    def compile(self) -> CodeType:
        """The code of the whole module with the change in it."""
        assert self.change is not None, "BUG: a number is changed in place"
        tree = _Replacement(*self.change).visit(ast.parse(self.path.read_text(encoding="utf-8")))
        assert isinstance(tree, ast.Module), "BUG: a module stays a module"
        return compile(ast.fix_missing_locations(tree), str(self.path), "exec")


@cache
def _names(folder: Path) -> dict[str, dict[str, list[int]]]:
    """The lines of all modules below a folder, by the names that they use."""
    found: dict[str, dict[str, list[int]]] = {}
    for path in sorted(folder.rglob("*.py")):
        lines = found[str(path)] = {}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                lines.setdefault(node.id if isinstance(node, ast.Name) else node.attr, []).append(node.lineno)
    return found


def find_mutants(path: Path, label: str) -> list[Mutant]:
    """All mutants of the module at a path, in the order of its lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    found = []
    for owner, node, change in _find_changes(tree):
        mutated = change(copy.deepcopy(node))
        name = f"{label} {owner}: {_text(node)} → {_text(mutated)}"
        seen[name] += 1
        if seen[name] > 1:
            name += f" ({seen[name]})"
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            assert isinstance(target, ast.Name), "BUG: only numbers with a name are mutated"
            found.append(Mutant(name, path, lines, target.id))
        else:
            found.append(Mutant(name, path, lines, change=(node, mutated)))
    return found


def mutate_number(value: float) -> float:
    """A limit a little or much too high, whichever a test should notice."""
    return value + 1 if isinstance(value, int) and abs(value) < 100 else value * 2


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 110 else f"{text[:70]}…{text[-35:]}"


def _find_changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr | ast.Assign, Callable[[ast.AST], ast.AST]]]:
    """Each node to be changed with the function it is in and the change."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and _is_number(statement):
            yield "module", statement, _raise_number
    stack: list[tuple[str, ast.AST]] = [("module", tree)]
    while stack:
        owner, node = stack.pop()
        for child in reversed(list(ast.iter_child_nodes(node))):
            inside = owner
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inside = child.name if owner == "module" else f"{owner}.{child.name}"
            if not _is_skipped(child):
                stack.append((inside, child))
        if owner != "module" or isinstance(node, ast.Lambda):
            for changed, change in _changes_of(node):
                yield owner, changed, change


def _is_skipped(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.If) and _text(node.test) == "TYPE_CHECKING")


def _is_number(node: ast.Assign) -> bool:
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    plain = all(
        isinstance(part, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        for part in ast.walk(node.value)
    )
    return (
        len(names) == 1
        and plain
        and not any(
            isinstance(part, ast.Constant) and isinstance(part.value, str | bool | None)
            for part in ast.walk(node.value)
        )
    )


def _changes_of(node: ast.AST) -> Iterator[tuple[ast.expr, Callable[[ast.AST], ast.AST]]]:
    if isinstance(node, ast.Compare):
        for at in range(len(node.ops)):
            yield node, _flip(at)
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            yield node, _drop(at)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, lambda same: same.operand  # type: ignore[attr-defined]
    for test in _tests_of(node):
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            yield test, lambda same: ast.UnaryOp(ast.Not(), same)  # type: ignore[arg-type]


def _tests_of(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        return [node.test]
    if isinstance(node, ast.comprehension):
        return node.ifs
    if isinstance(node, ast.BoolOp):
        return node.values
    return []


def _flip(at: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Compare), "BUG: only comparisons are flipped"
        node.ops[at] = _OPPOSITES[type(node.ops[at])]()
        return node

    return change


def _drop(at: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.BoolOp), "BUG: only operands of and/or are dropped"
        del node.values[at]
        return node.values[0] if len(node.values) == 1 else node

    return change


def _raise_number(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Assign), "BUG: only numbers with a name are raised"
    node.value = ast.Call(ast.Name("higher", ast.Load()), [node.value], [])
    return node


class _Replacement(ast.NodeTransformer):
    """Puts the mutated node where the original is, found by its position."""

    def __init__(self, original: ast.AST, mutated: ast.AST) -> None:
        self.key, self.mutated = _key(original), mutated

    def visit(self, node: ast.AST) -> ast.AST:
        return self.mutated if _key(node) == self.key else self.generic_visit(node)


def _key(node: ast.AST) -> tuple[object, ...]:
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return (type(node), *(getattr(node, name, None) for name in names)) if hasattr(node, "lineno") else (id(node),)
