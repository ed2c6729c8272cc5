"""The library is silent: only the programs print, and nothing logs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import suture

SOURCE = Path(suture.__file__).parent
LIBRARY = [path for path in sorted(SOURCE.rglob("*.py")) if "cli" not in path.relative_to(SOURCE).parts]
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


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_neither_prints_nor_logs(path: Path) -> None:
    said = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Name | ast.Attribute):
            said.add(ast.unparse(node))
        elif isinstance(node, ast.Import):
            said |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            said.add(str(node.module))
    assert said & LOUD == ALLOWED.get(path.name, set())
