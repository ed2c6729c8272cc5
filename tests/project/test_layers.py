"""The modules stand in layers; imports go down only, and no file grows beyond what one can read."""

from __future__ import annotations

import ast
import graphlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.shared.source import FILES, SOURCE, broken, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: From the bottom up. A module imports from its own layer or from one below it.
LAYERS = (
    ("core",),
    ("format",),
    ("words",),
    ("place",),
    ("state",),
    ("workspace",),
    ("agent",),
    ("batch",),
    ("review",),
    ("adapters", "mcp", "replay", "testing"),
    ("cli",),
    ("__main__",),
)
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}

LINES_AT_MOST = 450
THIRD_PARTY = {"rapidfuzz"}
#: The most imports inside of functions. Most are in `place`, `format`, `workspace` and `cli`, which load first.
IMPORTS_IN_FUNCTIONS = 88
#: Folders and modules in which all imports are at the top.
ADVANCED = ("adapters", "agent.diagnostics", "agent.session", "agent.call", "agent.steps", "replay", "testing")
#: What the packages of an extra may import besides.
EXTRAS = {
    "adapters.anthropic": {"anthropic"},
    "adapters.deepagents": {"deepagents"},
    "adapters.google_adk": {"google"},
    "adapters.graph_interrupts": {"langgraph"},
    "adapters.langchain": {"langchain_core"},
    "adapters.openai_agents": {"agents"},
    "adapters.openai_editor": {"agents"},
    "adapters.pydantic_ai": {"pydantic_ai", "pydantic_core"},
    "adapters.smolagents": {"smolagents"},
    "mcp.http_transport": {"mcp", "starlette", "uvicorn"},
    "mcp.sdk_server": {"anyio", "mcp", "mcp_types"},
    "review.page_views": {"starlette"},
    "review.serve": {"uvicorn"},
    "review.api_call": {"starlette"},
    "review.history_routes": {"starlette"},
    "review.request_routes": {"starlette"},
    "review.server": {"starlette"},
    "review.watch": {"watchfiles"},
}


class Import(NamedTuple):
    """One imported module of ours, with the names taken from it."""

    module: str
    names: tuple[str, ...]
    line: int


def module_of(path: Path) -> str:
    """`place/hunks.py` is `place.hunks`; `place/__init__.py` is `place`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def is_module(name: str) -> bool:
    path = SOURCE.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def nodes_of(path: Path, *, for_types: bool = True) -> Iterator[ast.AST]:
    """All nodes of a file, with or without what stands below `if TYPE_CHECKING:`."""
    waiting: list[ast.AST] = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += [*(node.body if for_types else ()), *node.orelse]
        else:
            waiting += ast.iter_child_nodes(node)


def imports_of(path: Path, *, for_types: bool = True) -> Iterator[Import]:
    """Every import of a module of ours, those inside functions included."""
    folder = path.parent.relative_to(SOURCE).parts
    for node in nodes_of(path, for_types=for_types):
        if isinstance(node, ast.ImportFrom) and node.level:
            here = folder[: len(folder) - (node.level - 1)]
            base = ".".join([*here, *([node.module] if node.module else [])])
            names = tuple(alias.name for alias in node.names)
            # `from . import ladder` names modules, `from .ladder import fold` names what is in one.
            modules = [name for name in names if is_module(f"{base}.{name}" if base else name)]
            for name in modules:
                yield Import(f"{base}.{name}" if base else name, (), node.lineno)
            if len(modules) < len(names):
                yield Import(base, tuple(name for name in names if name not in modules), node.lineno)


# The public surface is above all layers: it resolves names of any of them.
LAYERED = [path for path in FILES if path != SOURCE / "__init__.py"]


def test_every_module_has_a_layer() -> None:
    assert [module_of(path) for path in LAYERED if module_of(path).split(".")[0] not in RANK] == []


def imports_upwards(path: Path) -> list[Import]:
    rank = RANK[module_of(path).split(".")[0]]
    upwards = [found for found in imports_of(path) if RANK.get(found.module.split(".")[0], len(LAYERS)) > rank]
    if module_of(path).startswith(("cli", "mcp")):
        # The programs tell the version, which stands in the public surface and nowhere else.
        upwards = [found for found in upwards if (found.module, found.names) != ("", ("__version__",))]
    return upwards


def test_imports_go_down_only() -> None:
    assert broken(LAYERED, imports_upwards) == {}


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {module_of(path): {found.module for found in imports_of(path, for_types=False)} for path in LAYERED}
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


def private_names_of_others(path: Path) -> set[str]:
    taken = {name for found in imports_of(path) for name in found.names if name.startswith("_")}
    return taken - {"__version__"}


def test_no_module_reaches_into_another() -> None:
    assert broken(LAYERED, private_names_of_others) == {}


def foreign_packages(path: Path) -> set[str]:
    absolute = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            absolute |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert node.module is not None, "BUG: an absolute import without a module"
            absolute.add(node.module.split(".")[0])
    extras = EXTRAS.get(module_of(path), EXTRAS.get(module_of(path).split(".")[0], set()))
    return absolute - sys.stdlib_module_names - THIRD_PARTY - extras


def test_what_is_not_ours_is_of_the_standard_library_or_a_named_dependency() -> None:
    assert broken(LAYERED, foreign_packages) == {}


def imports_inside_functions(path: Path) -> list[int]:
    """The lines of imports that are made when a function is called."""
    functions = [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {node for function in functions for node in ast.walk(function)}
    return sorted(node.lineno for node in inner if isinstance(node, ast.Import | ast.ImportFrom))


def test_imports_are_at_the_top_but_for_what_programs_load_at_their_start() -> None:
    """The number may only go down. Where there is one, it saves time at the start or needs a package of an extra."""
    counts = {module_of(path): len(imports_inside_functions(path)) for path in FILES}
    assert sum(counts.values()) <= IMPORTS_IN_FUNCTIONS
    assert [name for name in ADVANCED if any(counts[one] for one in counts if one.startswith(name))] == []


def waits_for_somebody(path: Path) -> bool:
    modules = {alias.name for node in nodes_of(path) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in nodes_of(path) if isinstance(node, ast.ImportFrom) and not node.level}
    return "asyncio" in {module.split(".")[0] for module in modules}


def test_nothing_up_to_the_workspace_waits_for_anybody() -> None:
    lower = [path for path in LAYERED if RANK[module_of(path).split(".")[0]] <= RANK["workspace"]]
    assert [module_of(path) for path in lower if waits_for_somebody(path)] == []


def test_a_file_can_be_read_in_one_sitting() -> None:
    sizes = {module_of(path): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {name: size for name, size in sizes.items() if size > LINES_AT_MOST} == {}


def test_no_test_file_is_longer() -> None:
    folder = Path(__file__).parents[1]
    long = {path.name for path in folder.rglob("*.py") if len(path.read_text("utf-8").splitlines()) > LINES_AT_MOST}
    assert long == set()


def test_a_module_says_what_it_is_responsible_for() -> None:
    assert [module_of(path) for path in FILES if not ast.get_docstring(tree_of(path))] == []
