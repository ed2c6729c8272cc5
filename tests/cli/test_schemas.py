"""The schemas of `--json` are written from the types in `cli/json_documents.py` and `cli/json_document_parts.py`.

To write them anew, set `SUTURE_GOLDEN=write` in the environment, run this test without `-n`, and read the diff.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.goldens import WRITE

import suture.cli.json_documents
from suture.cli.json_document_parts import COMMON
from suture.cli.json_documents import DOCUMENTS
from suture.core.json_schema import field_schemas, required_fields, type_schema

if TYPE_CHECKING:
    from typing import Any

FOLDER = Path(suture.cli.json_documents.__file__).with_name("schemas")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLES = {"mcp": "suture mcp --json, which prints a document only where it fails"}


def address_in(file: str, kind: object, *, own: object = None) -> str:
    """Where the schema of a type is that documents share, unless it is `own`."""
    name = next((name for name, shared in COMMON.items() if kind == shared and kind != own), "")
    return f"{file}#/$defs/{name}" if name else ""


def common_schemas() -> dict[str, Any]:
    """What `common.json` has to be."""
    # A type itself is written out; what is inside of it is referred to.
    schemas = {name: type_schema(kind, partial(address_in, "", own=kind)) for name, kind in COMMON.items()}
    # A document has more fields than its head.
    del schemas["head"]["additionalProperties"]
    return {
        "$schema": DIALECT,
        "$id": "common.json",
        "title": "What the documents of suture --json share",
        "$defs": schemas,
    }


def document_schema(command: str) -> dict[str, Any]:
    """What the schema of a command has to be."""
    properties: dict[str, Any] = {"command": {"const": command}}
    for shape in DOCUMENTS[command]:
        properties |= field_schemas(shape, partial(address_in, "common.json"))
    required = [{"required": required_fields(shape)} for shape in DOCUMENTS[command]]
    return {
        "$schema": DIALECT,
        "$id": f"{command}.json",
        "title": TITLES.get(command, f"suture {command} --json"),
        "allOf": [{"$ref": "common.json#/$defs/head"}],
        "properties": properties,
        "if": {"properties": {"ok": {"const": True}}},
        "then": required[0] if len(required) == 1 else {"anyOf": required},
        "unevaluatedProperties": False,
    }


SCHEMAS = {"common": common_schemas(), **{command: document_schema(command) for command in DOCUMENTS}}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_what_the_types_say(name: str) -> None:
    text = json.dumps(SCHEMAS[name], indent=2, ensure_ascii=False) + "\n"
    file = FOLDER / f"{name}.json"
    if WRITE:
        file.write_text(text, "utf-8", newline="\n")
    assert text == file.read_text("utf-8")


def test_every_command_has_a_document() -> None:
    assert {f"{name}.json" for name in SCHEMAS} == {file.name for file in FOLDER.iterdir()}
