"""An adapter loads its own framework and no other, and names its extra where a package is missing."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import suture

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "anthropic": "anthropic",
    "deepagents": "deepagents",
    "google_adk": "google.adk",
    "langchain": "langgraph",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
    "smolagents": "smolagents",
}
MISSING = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in {*sys.stdlib_module_names, "suture", "rapidfuzz"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
import suture.adapters
for module in sys.argv[1:]:
    try:
        __import__(f"suture.adapters.{module}")
    except ImportError as error:
        print(error)
"""


def output_of(code: str, *arguments: str) -> str:
    folder = str(Path(suture.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r})\n{code}", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_missing_package_is_reported_with_the_extra_that_has_it() -> None:
    lines = output_of(MISSING, *PACKAGES).splitlines()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert len(lines) == len(PACKAGES)
    for module, line in zip(PACKAGES, lines, strict=True):
        extra = module.replace("_", "-")
        assert line.endswith(f"; install suture[{extra}]")
        assert all("<" in requirement and ">=" in requirement for requirement in extras[extra])


@pytest.mark.slow
@pytest.mark.parametrize("module", PACKAGES)
def test_an_adapter_loads_its_own_framework_and_no_other(module: str) -> None:
    pytest.importorskip(PACKAGES[module])
    code = (
        "__import__(f'suture.adapters.{sys.argv[1]}')\nprint(*[name for name in sys.argv[2:] if name in sys.modules])"
    )
    # deepagents is built on LangGraph.
    expected = {PACKAGES[module]} | ({"langgraph"} if module == "deepagents" else set())
    assert set(output_of(code, module, *PACKAGES.values()).split()) == expected


def test_no_adapter_imports_another() -> None:
    """With test_layers.py, which says which packages each may import."""
    folder = Path(suture.__file__).parent / "adapters"
    found = {
        (module, name)
        for module in PACKAGES
        for name in re.findall(r"from \.(\w+) import", (folder / f"{module}.py").read_text("utf-8"))
    }
    assert {name for _, name in found} == {"bridge", "graph_interrupts", "openai_editor"}


def test_the_package_itself_loads_no_framework() -> None:
    packages = [package for package in PACKAGES.values() if find_spec(package.split(".")[0]) is not None]
    code = f"import suture.adapters; suture.adapters.reply\nprint([p for p in {packages!r} if p in sys.modules])"
    assert output_of(code).strip() == "[]"
