"""docs/call-shapes.md is written from the table of call shapes and the samples. To write it anew::

SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/project/test_call_shape_page.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared.form_kinds import all_kinds
from tests.shared.form_samples import SAMPLES
from tests.shared.goldens import WRITE
from tests.shared.pages import ROOT

from suture.format.call_shapes import CALL_SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.format.call_shape import CallShape

PAGE = ROOT / "docs" / "call-shapes.md"

#: What each act does, for a reader.
ACTS = {
    "replace": "replaces text",
    "write": "writes a whole file",
    "append": "appends to a file",
    "delete": "deletes a file",
    "move": "moves a file",
    "copy": "copies a file",
    "insert": "inserts after a line number",
    "lines": "replaces lines by their numbers",
    "diff": "has a patch, a diff or blocks in an argument",
    "cell": "changes a cell of a notebook",
    "define": "replaces or adds a whole definition by name",
    "sketch": "has a sketch of the new code",
    "anchors": "changes lines by a number with a short hash",
    "refuse": "is refused",
    "other": "changes no file",
}

HEAD = """\
# Call shapes

The tools of agents and the raw syntax of models that Suture reads, from the table in
`src/suture/format/call_shapes.py`. This page is generated. See [forms](forms.md) for what becomes of them.

The names of tools and arguments are compared without case and separators: `old_string`, `oldString` and `OldString`
are the same. A prefix such as `mcp__server__`, `functions.` or `developer__` is ignored. A call of a tool that is not
listed is read if it has a path, a text to find and a replacement under
[names that many tools share](forms.md#json-and-xml-calls).

## Tools

| agent | tool | what the call does | arguments |
| --- | --- | --- | --- |
"""

RAW = """
## Raw syntax

Before a server has parsed them, calls look as the model writes them. Suture reads the syntax of these models, with any
tool of the table, also several calls in one text, and streams of the APIs:

"""


def code(text: object) -> str:
    return f"`{text}`"


def what(shape: CallShape) -> str:
    """What a call does, and when."""
    done = ACTS[shape.act] if shape.act != "refuse" else f"{ACTS['refuse']}: it {shape.why}"
    conditions = [code(f"{name}: {value}") for name, value in shape.when.items() if not isinstance(value, type)]
    return f"{done} (with {', '.join(conditions)})" if conditions else done


def rows() -> Iterator[str]:
    for shape in sorted(CALL_SHAPES, key=lambda shape: shape.agent.lower()):
        tools = ", ".join(map(code, shape.tools))
        names = [
            f"{role} {code('the text between the tags' if name == '#text' else name)}"
            for role, name in shape.names.items()
        ]
        yield f"| {shape.agent} | {tools} | {what(shape)} | {', '.join(names) or '–'} |\n"


def sources() -> Iterator[str]:
    yield "\n## Where the schemas are published\n\n| agent | source |\n| --- | --- |\n"
    for agent in sorted({shape.agent for shape in CALL_SHAPES}, key=str.lower):
        places = dict.fromkeys(shape.source for shape in CALL_SHAPES if shape.agent == agent)
        yield f"| {agent} | {'; '.join(places)} |\n"


def kinds() -> Iterator[str]:
    """How many kinds of edits there are samples of, and those that are not read."""
    every = list(all_kinds())
    unread = [kind for kind in every if not kind.is_read]
    yield "\n## What is not read\n\n"
    yield f"The tests have samples of {len(every)} kinds of edits, which are the tools of agents and the syntax of "
    yield f"models. {len(every) - len(unread)} are read.\nThe others are reported as errors, never dropped:\n\n"
    yield "| agent | tool or sample | why |\n| --- | --- | --- |\n"
    for kind in unread:
        yield f"| {kind.agent} | {code(kind.name)} | {kind.why_not} |\n"


def page() -> str:
    models = dict.fromkeys(sample.agent for sample in SAMPLES if sample.group in ("raw", "streams"))
    return (
        HEAD
        + "".join(rows())
        + RAW
        + "".join(f"- {model}\n" for model in models)
        + "".join(kinds())
        + "".join(sources())
    )


def test_the_page_lists_the_table() -> None:
    text = page()
    if WRITE:
        PAGE.write_text(text, "utf-8", newline="\n")
    assert PAGE.read_text("utf-8") == text
