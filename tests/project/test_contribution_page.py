"""CONTRIBUTING.md is true: the files and names that one has to change are there, and no list of names is forgotten."""

from __future__ import annotations

import re

import pytest
from tests.shared.pages import ROOT, text_of

from suture import DIALECTS, Workspace
from suture.agent.call import ToolCall
from suture.agent.configuration.settings import faults
from suture.agent.permission_kinds import permission_kind
from suture.agent.tools import TOOLS
from suture.cli import table
from suture.format.stream_parser import FORMS
from suture.words.conversion import WRITABLE

ROWS = re.findall(r"^\| (an? [^|]+) \| (.+) \|$", text_of("CONTRIBUTING.md"), re.MULTILINE)


@pytest.mark.parametrize(("thing", "places"), ROWS, ids=[thing for thing, _ in ROWS])
def test_the_places_for_a_new_thing_are_there(thing: str, places: str) -> None:
    """Paths begin at `src/suture` or, where they are of tests, docs, examples or a file at the top, at the root."""
    paths = [path for path in re.findall(r"`([\w./-]+)`", places) if "/" in path and "NAME" not in path]
    assert paths or thing == "a public name"
    assert [path for path in paths if not ((ROOT / "src/suture" / path).exists() or (ROOT / path).exists())] == []


@pytest.mark.parametrize(("thing", "places"), ROWS, ids=[thing for thing, _ in ROWS])
def test_a_name_in_a_file_is_in_that_file(thing: str, places: str) -> None:
    lost = [
        (thing, name, path)
        for name, path in re.findall(r"`(\w+)` in `([\w/]+\.py)`", places)
        if not re.search(rf"\b{name}\b", (ROOT / "src/suture" / path).read_text("utf-8"))
    ]
    assert lost == []


def test_there_are_rows_for_what_is_added_most() -> None:
    expected = {"a tier", "a dialect", "a form of edits", "a tool for models", "a permission"}
    assert expected <= {thing for thing, _ in ROWS}


def test_a_dialect_of_the_table_is_an_option_and_a_setting() -> None:
    assert table.DIALECT.choices == tuple(DIALECTS)
    assert [name for name in DIALECTS if list(faults({"dialect": name}, user=True))] == []
    help_text = f"{Workspace.__doc__}{Workspace.__init__.__doc__}"
    assert [name for name in DIALECTS if name not in help_text] == []


def test_a_form_of_the_parser_is_an_option() -> None:
    assert (table.FORMS, table.WRITABLE_FORMS) == (FORMS, WRITABLE)


def test_a_tool_of_the_table_is_a_method() -> None:
    assert [name for name in TOOLS if not callable(getattr(ToolCall, name, None))] == []


def test_a_permission_is_named_in_its_table_and_where_it_is_asked_for() -> None:
    """Its words are in one row: messages, questions and the page read them there."""
    source = ROOT / "src/suture"
    quoted = re.compile('"external_directory"')
    named = {str(path.relative_to(source)) for path in source.rglob("*.*") if quoted.search(path.read_text("latin-1"))}
    assert "agent/permission_kinds.py" in named
    assert not named & {
        "agent/authorization.py",
        "mcp/questions.py",
        "review/page_views.py",
        "review/static/request_detail.js",
    }


def test_a_permission_that_is_not_in_the_table_is_called_by_its_name() -> None:
    kind = permission_kind("web{}")
    assert kind.denied == "used with the permission 'web{}'"
    assert kind.subject.format("x.org") == "'web{}' of x.org"
    assert (kind.question, kind.heading) == ("use the permission 'web{}' for", "web{}")


@pytest.mark.parametrize("path", ["Makefile", ".ci/run", ".github/workflows/ci.yml", "docs/platforms.md"])
def test_the_tests_that_are_run_by_name_are_there(path: str) -> None:
    """A file of tests that was moved would otherwise be missed by the run that names it, or end it."""
    named = set(re.findall(r"\btests/[\w*\[\]/]+(?:\.\w+)?", text_of(path)))
    assert named
    assert [name for name in sorted(named) if not list(ROOT.glob(name))] == []
