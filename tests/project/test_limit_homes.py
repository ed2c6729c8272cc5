"""Every limit of a folder is in one module of it, by a name that no other limit has."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import suture

SOURCE = Path(suture.__file__).parent
#: What the name of a limit looks like.
LIMIT = re.compile(r"_?(MOST|LARGEST|LONGEST|DEEPEST|FEWEST|SHORTEST)(_|$)|.*_LIMIT$|LINES_AROUND")
#: The module of each folder that has the limits.
HOMES = {
    "adapters": "adapter_limits.py",
    "agent": "agent_limits.py",
    "agent/configuration": "setting_limits.py",
    "agent/diagnostics": "diagnostic_limits.py",
    "batch": "batch_limits.py",
    "cli": "screen_limits.py",
    "core": "common_limits.py",
    "format": "format_limits.py",
    "mcp": "server_limits.py",
    "place": "limits.py",
    "replay": "transcript_limits.py",
    "review": "review_limits.py",
    "state": "state_limits.py",
    "words": "message_limits.py",
    "workspace": "workspace_limits.py",
    "workspace/files": "file_limits.py",
}
#: Programs that run in a process of their own and import nothing of ours.
PROGRAMS = {"replay/database_worker.py"}


def limits_of(path: Path) -> list[tuple[str, int]]:
    """The limits that a module defines, each with its line."""
    limits: list[tuple[str, int]] = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        limits += [(name, node.lineno) for name in names if LIMIT.match(name)]
    return limits


LIMITS = {path.relative_to(SOURCE).as_posix(): limits_of(path) for path in sorted(SOURCE.rglob("*.py"))}


def test_a_limit_is_defined_in_the_one_module_of_its_folder() -> None:
    homes = {f"{folder}/{name}" for folder, name in HOMES.items()} | PROGRAMS
    assert {name: limits for name, limits in LIMITS.items() if limits and name not in homes} == {}
    assert [name for name in homes if not LIMITS[name]] == []


def test_no_two_limits_have_the_same_name() -> None:
    names = Counter(name.lstrip("_") for limits in LIMITS.values() for name, _ in limits)
    assert [name for name, count in names.items() if count > 1] == []


def test_a_limit_has_a_sentence() -> None:
    """The sentence is above it, or above the limits before it that it belongs together with."""
    bare = []
    for name, limits in LIMITS.items():
        lines = (SOURCE / name).read_text("utf-8").splitlines()
        for limit, number in limits:
            above = number - 2
            while above >= 0 and re.match(r"[A-Z_]+(: \w+)? = ", lines[above]):
                above -= 1
            if not lines[above].startswith("#:"):
                bare.append((name, limit))
    assert bare == []
