"""The library is silent: only the programs print, and nothing logs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.shared.source import FILES, SOURCE, nodes_of

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = [path for path in FILES if "cli" not in path.relative_to(SOURCE).parts]
LOUD = {"print", "sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__", "logging", "warnings", "breakpoint"}
#: The parse check keeps the compiler's own warnings from users. Rows go to standard output if they are to. The standard
#: output of a worker, a process of ours, is a pipe to the library. What uvicorn logs is passed on to the program.
ALLOWED = {
    "python_source.py": {"warnings"},
    "tables.py": {"sys.stdout"},
    "color_worker.py": {"sys.stdout"},
    "grep_worker.py": {"sys.stdout"},
    "database_worker.py": {"sys.stdout"},
    "server_log.py": {"logging"},
}


def loud_names(path: Path) -> set[str]:
    """What a module uses of what prints and logs."""
    said = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Name | ast.Attribute):
            said.add(ast.unparse(node))
        elif isinstance(node, ast.Import):
            said |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            said.add(str(node.module))
    return said & LOUD


def test_no_module_prints_or_logs() -> None:
    loud = {path.name: names for path in LIBRARY if (names := loud_names(path))}
    assert loud == ALLOWED
