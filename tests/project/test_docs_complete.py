"""The documentation is complete: what a user can meet, set or be told has its entry, and no entry is left over."""

from __future__ import annotations

import ast
import inspect
import json
import re
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.shared.pages import PAGES, README, ROOT, code_of, name_of, rows_of, text_of

from suture import EditOptions, Session, Workspace
from suture.agent.permission_kinds import PERMISSIONS
from suture.agent.tools import TOOLS
from suture.cli.table import COMMANDS, COMMON
from suture.place.readings import READINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = ROOT / "src" / "suture"
#: What is public and has settings of its own.
#: The modules that have public names, and all of these.
MODULES = ("", ".agent", ".agent.diagnostics", ".format", ".place", ".workspace")
PUBLIC = {
    name: getattr(module, name)
    for module in map(import_module, [f"suture{m}" for m in MODULES])
    for name in module.__all__
}
WITH_SETTINGS = (
    "ApprovalQueue",
    "Callback",
    "CommandDiagnoser",
    "Formatter",
    "LanguageServers",
    "PatchParser",
    *[name for name in PUBLIC if inspect.isfunction(PUBLIC[name])],
)


def literal(module: str, name: str) -> set[str]:
    """The strings of a `Literal` that a module defines for type checkers alone."""
    tree = ast.parse((SOURCE / module).read_text("utf-8"))
    found = next(n for n in ast.walk(tree) if isinstance(n, ast.AnnAssign) and ast.unparse(n.target) == name)
    return words(found)


def words(node: ast.AST | None) -> set[str]:
    """The strings in a piece of code that are names."""
    constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)] if node else []
    return {value for value in constants if isinstance(value, str) and re.fullmatch("[a-z][a-z_]+", value)}


def called(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def assigned(node: ast.AST, name: str) -> ast.expr | None:
    """What a statement assigns to a variable or an attribute of that name."""
    if isinstance(node, ast.Assign):
        return node.value if name in map(called, node.targets) else None
    return node.value if isinstance(node, ast.AnnAssign) and called(node.target) == name else None


def trees(*, without: str = "") -> Iterator[ast.Module]:
    for path in SOURCE.rglob("*.py"):
        if without not in path.parts:
            yield ast.parse(path.read_text("utf-8"))


def reasons_in(tree: ast.Module) -> set[str]:
    """What a module gives as `reason`: by that keyword, in that place of a call, under that key, in that variable, or
    from a property of that name.
    """
    # A function of another module that takes a reason.
    places = {"refuse_path": 3}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
            if "reason" in names:
                places[node.name] = names.index("reason")
    found: set[str] = set()
    for node in ast.walk(tree):
        found |= words(assigned(node, "reason"))
        if isinstance(node, ast.FunctionDef) and node.name == "reason":
            found |= {word for part in ast.walk(node) if isinstance(part, ast.Return) for word in words(part.value)}
        if isinstance(node, ast.Call):
            given = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
            place = places.get(called(node.func))
            given += node.args[place : place + 1] if place is not None else []
            found |= {word for value in given for word in words(value)}
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                found |= words(value) if isinstance(key, ast.Constant) and key.value == "reason" else set()
    return found


def concessions_in(tree: ast.Module) -> set[str]:
    """What a module notes as a concession by its name: in a call that does, or in a tuple of notes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        found |= words(assigned(node, "notes"))
        if isinstance(node, ast.Call) and called(node.func) in {"Concession", "_note", "note", "noted"}:
            found |= {word for argument in node.args for word in words(argument)}
        elif isinstance(node, ast.Tuple):
            starred = [part for part in node.elts if isinstance(part, ast.Starred)]
            found |= words(node) if any(called(part.value) == "notes" for part in starred) else set()
    return found


class TestErrors:
    """docs/errors.md"""

    def test_every_code_is_listed_and_no_other(self) -> None:
        codes = literal("core/problems.py", "Code")
        assert len(codes) >= 25
        assert sorted(rows_of("docs/errors.md", below="## Codes")) == sorted(codes)

    def test_every_code_has_an_example_but_for_two_that_depend_on_the_moment(self) -> None:
        shown = set(re.findall(r"^### `(\w+)`", text_of("docs/errors.md"), re.MULTILINE))
        assert literal("core/problems.py", "Code") - shown == {"locked", "cancelled"}

    def test_every_reason_is_listed_and_no_other(self) -> None:
        # The reason of a Report is a sentence, and no part of a Problem.
        reasons = set().union(*map(reasons_in, trees(without="diagnostics")))
        assert {"not_at_end", "link", "rule", "quote"} <= reasons
        assert sorted(rows_of("docs/errors.md", below="## Reasons")) == sorted(reasons)

    def test_every_reason_comes_with_codes_that_there_are(self) -> None:
        rows = re.findall(r"^\| `\w+` \| (`[^|]*) \| [^|]* \|$", text_of("docs/errors.md"), re.MULTILINE)
        named = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
        assert named
        assert named <= literal("core/problems.py", "Code")


class TestConcessions:
    """docs/format.md; tests/place/test_concessions.py holds an example of each to the same list."""

    def test_every_one_is_listed(self) -> None:
        named = set(READINGS).union(*map(concessions_in, trees()))
        assert {"fence", "out_of_order", "line_numbers", "final_newline"} <= named
        assert named <= set(rows_of("docs/format.md", below="## Concessions"))


class TestPrograms:
    """docs/cli.md"""

    def test_every_command_is_listed_with_its_arguments(self) -> None:
        rows = [row.split() for row in rows_of("docs/cli.md", below="## suture") if row.startswith("suture ")]
        assert sorted(row[1] for row in rows) == sorted(command.name for command in COMMANDS)
        for row in rows:
            command = next(command for command in COMMANDS if command.name == row[1])
            given = set(re.findall(r"[A-Z]+", " ".join(row[2:]))) - {"TEXT"}
            assert given == {argument.name for argument in command.arguments}, command.name

    def test_every_option_is_listed_with_the_commands_that_have_it(self) -> None:
        page = text_of("docs/cli.md").replace(r"\|", "/")
        told = {
            (command, flag)
            for options, commands in re.findall(r"^\| (`-[^|]*) \| (`[^|]*) \|", page, re.MULTILINE)
            for command in re.findall(r"`(\w+)`", commands)
            for flag in re.findall(r"`(--?[\w-]+)", options)
        }
        assert told == {(c.name, flag) for c in COMMANDS for option in c.options for flag in option.flags}
        common = {row.split()[0] for row in rows_of("docs/cli.md", below="## suture") if row.startswith("-")}
        assert {flag for option in COMMON for flag in option.flags} <= common

    def test_every_field_of_a_document_is_told(self) -> None:
        told = {word for code in code_of("docs/cli.md") for word in re.findall(r"\w+", code)}
        for schema in sorted((SOURCE / "cli" / "schemas").glob("*.json")):
            assert set(_properties(json.loads(schema.read_text("utf-8")))) - told == set(), schema.name

    def test_every_variable_of_the_environment_is_listed(self) -> None:
        read = {
            str(node.args[0].value)
            for tree in trees()
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"os.environ.get", "os.getenv"}
            if isinstance(node.args[0], ast.Constant)
        }
        # The first two are read in a loop, the last one is a part of a path.
        read |= {"COLUMNS", "LINES", "LOCALAPPDATA"}
        listed = {row.partition("=")[0] for row in rows_of("docs/cli.md", below="### Environment")}
        assert {"SUTURE_STATE_DIR", "NO_COLOR"} <= read
        assert sorted(listed) == sorted(read)


def _properties(schema: object) -> Iterator[str]:
    """The names of all properties that a JSON schema describes."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    if isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from _properties(part)


class TestSettings:
    """docs/workspace.md, docs/sessions.md and the others"""

    def test_those_of_a_workspace_are_listed(self) -> None:
        parameters = set(inspect.signature(Workspace).parameters)
        settings = (parameters | set(inspect.signature(EditOptions).parameters)) - {"root", "settings"}
        rows = [
            row
            for heading in ("## Settings", "## Which paths are allowed")
            for row in rows_of("docs/workspace.md", below=heading)
        ]
        assert sorted(row.partition("=")[0] for row in rows) == sorted(settings)

    def test_those_of_a_session_are_listed(self) -> None:
        settings = set(inspect.signature(Session).parameters) - {"workspace"}
        assert sorted(rows_of("docs/sessions.md", below="## Settings")) == sorted(settings)

    def test_the_tools_and_their_arguments_are_listed(self) -> None:
        rows = dict(re.findall(r"^\| `(\w+)` \| (`[^|]*|none) \|", text_of("docs/sessions.md"), re.MULTILINE))
        for tool in TOOLS.values():
            wanted = [argument.name for argument in tool.arguments]
            assert re.findall(r"`(\w+)`", rows[tool.name]) == wanted, tool.name

    def test_the_permissions_are_listed(self) -> None:
        assert set(PERMISSIONS) <= set(rows_of("docs/permissions.md", below="## Rules"))

    @pytest.mark.parametrize("name", WITH_SETTINGS)
    def test_those_of_anything_else_that_is_public_are_told_somewhere(self, name: str) -> None:
        settings = set(inspect.signature(PUBLIC[name]).parameters) - {"settings"}
        assert settings - _told() == set()


def test_every_public_name_is_told_somewhere() -> None:
    assert PUBLIC.keys() - _told() == set()


def _told() -> set[str]:
    """The words that the pages of users say in code."""
    pages = [page for page in PAGES if name_of(page.parent) == "docs" or page == README]
    return {word for page in pages for code in code_of(page, "python") for word in re.findall(r"\w+", code)}


class TestFigures:
    """The figures of other pages are those of the benchmarks."""

    HERE = text_of("docs/comparison.md")
    THERE = text_of("benchmarks/README.md")

    def test_every_row_is_one_of_the_benchmarks(self) -> None:
        sections = {"patch": "## Accuracy: patches\n", "string": "## Accuracy: string edits\n"}
        rows = [_cells(line) for line in self.HERE.splitlines() if line.startswith(("| patch |", "| string |"))]
        assert len(rows) >= 8
        for kind, tool, _, *figures in rows:
            section = self.THERE.split(sections[kind])[1]
            there = next(_cells(line) for line in section.splitlines() if line.startswith(f"| {tool} |"))
            exact, wrong, refused, stale_refused, stale_wrong = there[2], there[4], there[5], there[7], there[8]
            assert figures == [exact, wrong, refused, stale_refused, stale_wrong], tool

    def test_every_other_figure_is_there_too(self) -> None:
        pages = [README, ROOT / "docs" / "comparison.md", ROOT / "docs" / "promises.md"]
        figures = [figure for page in pages for figure in _figures(text_of(page))]
        assert len(figures) >= 15
        assert set(figures) - set(_figures(self.THERE)) == set()


def _figures(text: str) -> list[str]:
    """Percentages and ratios, without the space before the sign."""
    return [number + sign for number, sign in re.findall(r"(\d[\d.,]*) ?(×|%)", text)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
