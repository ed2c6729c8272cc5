"""Whoever copies the code of an adapter's page has every name of Suture that it uses."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.project.test_public_api import NAMES
from tests.shared.pages import ROOT, blocks_of, name_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted(path for path in (ROOT / "docs" / "adapters").glob("*.md") if path.name != "README.md")
SOURCE = ROOT / "src" / "suture"


def imports_in(tree: ast.AST) -> list[tuple[str, str]]:
    """The names that code imports from Suture, each with its module."""
    return [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "suture"
        for alias in node.names
    ]


def names_defined_in(path: Path) -> set[str]:
    """The functions and classes of a module, which is not imported: it may need a framework."""
    return {
        node.name
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def code_on(page: Path) -> ast.AST:
    """The code of a page, which may use `await` outside of functions."""
    code = "\n".join(block.code for block in blocks_of(text_of(page)) if block.language == "py")
    tree: ast.AST = compile(code, str(page), "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return tree


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_imports_every_name_of_suture_that_it_uses(page: Path) -> None:
    tree = code_on(page)
    imports = imports_in(tree)
    public = {name for names in NAMES.values() for name in names}
    public |= {name for module in (SOURCE / "adapters").glob("*.py") for name in names_defined_in(module)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imports
    assert sorted(used & public - {name for _, name in imports}) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_imports_from_suture_is_there(page: Path) -> None:
    for module, name in imports_in(code_on(page)):
        if module.startswith("suture.adapters."):
            assert name in names_defined_in(SOURCE / "adapters" / f"{module.rpartition('.')[2]}.py")
        else:
            assert hasattr(import_module(module), name)
