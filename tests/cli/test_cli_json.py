"""`--json`: one document on standard output for every command and every outcome, as the schemas of the package say."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from tests.shared.programs import APP, Place, patch, update

from suture.cli.table import COMMANDS
from suture.core.problems import PEER_NAMES

if TYPE_CHECKING:
    from pathlib import Path

SCHEMAS = {
    path.name: json.loads(path.read_text("utf-8"))
    for path in files("suture.cli").joinpath("schemas").iterdir()
    if path.name.endswith(".json")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()]
)

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
LENIENT = f"Here:\n```\n{ONE.replace(' def', ' def ')}```\n"
NOWHERE = patch(update("app.py", "-nowhere", "+anywhere"))
HALF = patch("*** Add File: new.txt", "+new", update("app.py", "-nowhere", "+anywhere"))
EDIT = json.dumps({"filePath": "app.py", "oldString": "return 1", "newString": "return 11"})
EDITS = json.dumps([{"oldString": "return 1", "newString": "return 11"}])

BLOCK = "app.py\n<<<<<<< SEARCH\n    return {}\n=======\n    return 11\n>>>>>>> REPLACE\n"
DIFF = "--- a/app.py\n+++ b/app.py\n@@ ... @@\n def one():\n-    return 1\n+    return 11\n"
CALL = f'{{"name": "Edit", "input": {EDIT}}}'
MARKUP = "<write_to_file>\n<path>app.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>\n"
FILE = "app.py\n```python\nx = 1\n```\n"

#: What is run, what it reads, and how it ends.
RUNS = [
    (["apply"], ONE, 0),
    (["apply"], LENIENT, 0),
    (["apply"], NOWHERE, 1),
    (["apply"], "no patch", 1),
    (["apply"], b"\xff", 1),
    (["apply", "nowhere.patch"], "", 1),
    (["apply", "--nonsense"], "", 2),
    (["apply", "--dry-run"], ONE, 0),
    (["apply", "--dry-run"], NOWHERE, 1),
    (["apply", "--no-atomic"], HALF, 3),
    *[(["apply"], text, 0) for text in (BLOCK.format(1), DIFF, CALL, MARKUP)],
    *[(["parse"], text, 0) for text in (BLOCK.format(1), DIFF, CALL, MARKUP)],
    *[([name, "--format", "whole"], FILE, 0) for name in ("apply", "parse")],
    (["apply"], BLOCK.format(7), 1),
    (["explain"], BLOCK.format(7), 1),
    (["apply"], CALL.replace("return 1", "return 7"), 1),
    (["apply"], FILE, 1),
    (["check"], BLOCK.format(1), 0),
    (["check"], ONE, 0),
    (["check"], NOWHERE, 1),
    (["edit"], EDIT, 0),
    (["edit", "app.py", "--old", "x", "--new", "y"], "", 1),
    (["multiedit", "app.py"], EDITS, 0),
    (["multiedit"], "{", 1),
    (["diff", "app.py", "app.py"], "", 0),
    (["diff", "app.py", "other.py"], "", 0),
    (["diff", "-u", "app.py", "other.py"], "", 0),
    (["diff", "app.py", "nowhere"], "", 1),
    (["convert"], ONE, 0),
    (["convert"], NOWHERE, 1),
    (["convert"], "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 0),
    (["parse"], patch("*** Add File: a", "+x", "*** Delete File: b", update("c", "-x", "+y")), 0),
    (["parse"], "no patch", 1),
    (["explain"], ONE, 0),
    (["explain"], NOWHERE, 1),
    (["log"], "", 0),
    (["show", "beef"], "", 1),
    (["undo"], "", 1),
    (["recover"], "", 0),
    (["doctor"], "", 0),
    (["trust"], "", 0),
    (["redo"], "", 1),
    (["review"], "", 0),
    (["completion", "bash"], "", 0),
    (["completion", "tcsh"], "", 2),
    (["install", "cursor", "--yes"], "", 0),
    (["install", "cursor", "--print"], "", 0),
    (["install", "cursor"], "", 2),
    (["uninstall", "cursor", "--yes"], "", 0),
    (["tool", "read"], '{"filePath": "app.py"}', 0),
    (["tool", "edit", "--preview"], EDIT, 0),
    (["tool", "edit"], EDIT, 1),
]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.write("other.py", APP.replace("1", "one"))
    return made


def document(place: Place, *arguments: str, stdin: str | bytes = "", status: int = 0) -> dict[str, Any]:
    """The document of a run, as its schema says."""
    done = place.suture(*arguments, "--json", stdin=stdin)
    assert (done.status, done.err) == (status, "")
    found: dict[str, Any] = json.loads(done.out)
    assert (found["exit_status"], found["ok"], found["command"]) == (status, status == 0, arguments[0])
    Draft202012Validator(SCHEMAS[f"{arguments[0]}.json"], registry=REGISTRY).validate(found)
    return found


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_every_command_has_a_schema() -> None:
    assert {f"{command.name}.json" for command in COMMANDS} | {"common.json"} == SCHEMAS.keys()


def test_the_schema_has_every_code() -> None:
    codes = SCHEMAS["common.json"]["$defs"]["problem"]["properties"]["code"]["enum"]
    assert set().union(*PEER_NAMES.values()) <= set(codes)


@pytest.mark.parametrize(("arguments", "stdin", "status"), RUNS, ids=lambda value: str(value)[:30])
def test_a_run_is_one_document(place: Place, arguments: list[str], stdin: str | bytes, status: int) -> None:
    found = document(place, *arguments, stdin=stdin, status=status)
    assert bool(found["problems"]) == (status != 0)


def test_the_history_as_documents(place: Place) -> None:
    applied = document(place, "apply", stdin=LENIENT)
    name = applied["receipt"]["id"]
    assert [concession["name"] for concession in applied["concessions"]]
    assert document(place, "log")["commits"][0]["receipt"]["id"] == name
    shown = document(place, "show", name[:5])
    assert shown["changes"] == applied["changes"]
    assert document(place, "undo", name)["receipt"]["undoes"] == name
    assert document(place, "show", name)["receipt"]["undone_by"]
    redone = document(place, "redo")
    assert redone["ok"]
    assert redone["receipt"]["tool"] == "redo"
    assert not document(place, "show", name)["receipt"]["undone_by"]


def test_a_partly_applied_patch_has_its_receipt(place: Place) -> None:
    found = document(place, "apply", "--no-atomic", stdin=HALF, status=3)
    assert [change["path"] for change in found["changes"]] == ["new.txt"]
    assert document(place, "undo", found["receipt"]["id"])["ok"]


def test_problems_are_told_as_data(place: Place) -> None:
    (problem,) = document(place, "check", stdin=NOWHERE, status=1)["problems"]
    assert (problem["code"], problem["path"], problem["hunk"]) == (
        "patch_apply_error",
        "app.py",
        {"number": 1, "of": 1, "line": 3},
    )


def test_a_document_is_ascii_so_that_no_terminal_or_byte_is_in_its_way(place: Place) -> None:
    place.write("odd.txt", b"\xff\n\xe4\n")
    done = place.suture("edit", "odd.txt", "--old", "\udcff", "--new", "ü", "--json")
    assert done.out.isascii()
    json.loads(done.out)
