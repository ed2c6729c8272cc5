"""The modules of the library as trees, each read once: rules about code are tested on all of them together."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import suture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    Key = TypeVar("Key")

SOURCE = Path(suture.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """A module as a tree, which nobody changes."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a module."""
    return tuple(ast.walk(tree_of(path)))


def broken(keys: Iterable[Key], faults: Callable[[Key], object]) -> dict[Key, object]:
    """What is wrong with each of some things; those with nothing wrong are left out."""
    return {key: fault for key in keys if (fault := faults(key))}
