"""Code that reads: no arithmetic with conditions, no loop in one expression, no variable named after nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from tests.shared.source import FILES, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Participles that do not say what a variable holds.
EMPTY_NAMES = {"found", "planned", "shown", "told", "wanted"}
ARITHMETIC = ast.Mult | ast.Add | ast.Sub | ast.FloorDiv | ast.Mod | ast.Pow


def is_condition(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def is_puzzle(node: ast.AST) -> bool:
    """Whether a condition is counted with or chooses by its number, or a loop with a condition is one expression."""
    match node:
        case ast.BinOp(left, op, right) if isinstance(op, ARITHMETIC):
            return is_condition(left) or is_condition(right)
        case ast.AugAssign(_, op, value) if isinstance(op, ARITHMETIC):
            return is_condition(value)
        case ast.Slice(lower, upper):
            return is_condition(lower) or is_condition(upper)
        case ast.Subscript(_, index):
            return is_condition(index)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return len(node.generators) > 1 and any(one.ifs for one in node.generators)
    return False


def puzzles_in(source: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.expr | ast.stmt | ast.Slice) and is_puzzle(node)
    ]


def empty_names_in(source: str) -> Iterator[tuple[int, str]]:
    """Variables of functions with a name that says nothing. A field or an argument has a docstring beside it."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY_NAMES:
                    yield node.lineno, node.id


MODULES = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in FILES}


@pytest.mark.parametrize(
    "source",
    [
        "number += line[0] != '+'",
        "notes += ('carried',) * ('carried' in names)",
        "length = size + (not is_last)",
        "names = ('line', 'lines')[count > 1]",
        "rest = parts[is_first is None:]",
        "names = [name for file in files for name in file if name]",
    ],
)
def test_a_puzzle_is_seen(source: str) -> None:
    assert puzzles_in(source) == [1]


def test_no_module_has_a_puzzle() -> None:
    puzzles = {name: puzzles_in(source) for name, source in MODULES.items()}
    assert {name: lines for name, lines in puzzles.items() if lines} == {}


def test_a_variable_says_what_it_holds() -> None:
    assert list(empty_names_in("def find():\n    found = 1\n    return found")) == [(2, "found")]
    names = {name: list(empty_names_in(source)) for name, source in MODULES.items()}
    assert {name: lines for name, lines in names.items() if lines} == {}
