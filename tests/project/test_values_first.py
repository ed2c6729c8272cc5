"""DESIGN: "Nothing above a step parses … a diff of our own to learn what the step already knew"."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import suture

SOURCE = Path(suture.__file__).parent
#: What reads diffs that others wrote: models, git, and the tools of agents in their transcripts.
READS_FOREIGN_DIFFS = ("format", "replay/recorded_diff.py", "replay/readers", "replay/patch_sections.py")
#: The one module that reads a diff of ours: from JSON, where a change is kept and sent.
READS_STORED_DIFFS = "core/stored_diff.py"
#: Methods that take a text apart.
TAKES_APART = {"split", "splitlines", "partition", "rpartition", "startswith", "removeprefix", "count", "find", "index"}
#: Ways to name the text of a diff: `change.diff`, `plan.diff`, `diff`, `str(hunk)`, `str(section)`.
DIFF_NAMES = {"diff", "diffs", "unified"}
WRITTEN_VALUES = {"hunk", "section"}


def own_modules() -> list[str]:
    names = [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py"))]
    return [name for name in names if not name.startswith(READS_FOREIGN_DIFFS) and name != READS_STORED_DIFFS]


def modules_with(name: str) -> list[str]:
    return [module for module in own_modules() if name in (SOURCE / module).read_text("utf-8")]


def is_diff_text(node: ast.expr) -> bool:
    """Whether an expression is the text of a diff that we wrote."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name == "str" and len(node.args) == 1:
            return getattr(node.args[0], "id", getattr(node.args[0], "attr", "")) in WRITTEN_VALUES
        # What a method makes of the text of a diff is such a text too.
        return name in ("unified_diff", "join_sections") or (
            isinstance(node.func, ast.Attribute) and is_diff_text(node.func.value)
        )
    return getattr(node, "id", getattr(node, "attr", "")) in DIFF_NAMES


def places_that_take_diffs_apart(source: str) -> list[int]:
    """The lines in which the text of a diff is split or searched."""
    lines: list[int] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in TAKES_APART:
            assert isinstance(node.func, ast.Attribute)
            lines += [node.lineno] if is_diff_text(node.func.value) else []
        if isinstance(node, ast.Compare) and any(is_diff_text(one) for one in node.comparators):
            lines += [node.lineno for one in node.ops if isinstance(one, ast.In | ast.NotIn)]
    return lines


@pytest.mark.parametrize(
    "source",
    [
        "change.diff.count('\\n@@ ')",
        "diff.removesuffix('\\n').split('\\n')",
        "str(hunk).partition('\\n')",
        "'\\n@@ ' not in diff",
        "unified_diff(a, b, path).startswith('---')",
    ],
)
def test_the_search_finds_what_takes_a_diff_apart(source: str) -> None:
    assert places_that_take_diffs_apart(source) == [1]


def test_no_module_takes_a_diff_apart_that_we_wrote() -> None:
    places = {name: places_that_take_diffs_apart((SOURCE / name).read_text("utf-8")) for name in own_modules()}
    assert {name: lines for name, lines in places.items() if lines} == {}


def test_stored_diffs_are_read_for_changes_from_json_alone() -> None:
    assert modules_with("stored_diff") == ["core/outcome.py"]


def test_the_header_of_a_hunk_is_read_by_readers_of_diffs_alone() -> None:
    """Whoever has a hunk has its line numbers."""
    assert modules_with("read_hunk_header") == ["core/hunk_header.py"]
