"""Fuzzers of the forms: mutated samples of calls, raw syntax and streams, sketches, notebooks, and settings."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tests.fuzz.inputs import make_text, mutate
from tests.shared.form_samples import FILES, NOTEBOOK, SAMPLES

from suture import SutureError, apply_in_memory, parse
from suture.core.notebook import Notebook
from suture.core.patch import ChangeFile, EditFile, Patch
from suture.core.string_edits import StringEdit
from suture.core.text_changes import ChangeCell, ReplaceDefinition, Sketch
from suture.core.toml_source import parse_toml
from suture.format import PatchParser
from suture.mcp.client_files import ClientFile
from suture.mcp.json_text import parse_json_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_MARKERS = ("# ... existing code ...", "// ... rest of the code ...", "...", "/* unchanged */")


def read_forms(pick: Random) -> tuple[Callable[[], None], int, object]:
    """A mutated sample is read the same in pieces, and either applied to all files or to none."""
    text = mutate(pick, pick.choice(SAMPLES).text)
    if pick.random() < 0.3:
        text = f"{text}\n{mutate(pick, pick.choice(SAMPLES).text)}"
    size = pick.randint(1, 40)

    def call() -> None:
        outcome: object
        try:
            outcome = parse(text).operations
        except SutureError as error:
            outcome = [problem.code for problem in error.problems]
        parser = PatchParser()
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
        try:
            pieces: object = parser.close().operations
        except SutureError as error:
            pieces = [problem.code for problem in error.problems]
        assert outcome == pieces
        with suppress(SutureError):
            apply_in_memory(text, FILES)

    return call, len(text), text


def place_sketches(pick: Random) -> tuple[Callable[[], None], int, object]:
    """A sketch made of lines of the file gives a result or a refusal, and the same one is never applied twice."""
    content = make_text(pick, 60)
    lines = content.splitlines()
    parts = [pick.choice(_MARKERS) if pick.random() < 0.5 else ""]
    for _ in range(pick.randint(1, 3)):
        start = pick.randrange(len(lines) + 1)
        parts += lines[start : start + pick.randint(1, 6)]
        parts += [make_text(pick, 2).strip("\r\n"), pick.choice(_MARKERS)]
    sketch = mutate(pick, "\n".join(parts)) if pick.random() < 0.3 else "\n".join(parts)
    name = pick.choice(("run", "A", "A.run"))

    def call() -> None:
        for change in (Sketch(sketch), ReplaceDefinition(sketch, name)):
            patch = Patch((ChangeFile("a.py", change),))
            with suppress(SutureError):
                once = apply_in_memory(patch, {"a.py": content}).texts
                with suppress(SutureError):
                    assert apply_in_memory(patch, once).texts == once

    return call, len(content) + len(sketch), (content, sketch)


def read_anchors(pick: Random) -> tuple[Callable[[], None], int, object]:
    """Calls with hashline anchors never change a file by a number alone, however the anchor is written."""
    lines = FILES["app.py"].split("\n")
    number = pick.randint(0, len(lines) + 2)
    anchor = mutate(pick, f"{number}{pick.choice(':#')}{pick.choice(('a3', 'VK', '0f'))}")
    act = pick.choice(("set_line", "insert_after", "insert_before", "delete_lines"))
    edit = {act: {"anchor": anchor, "new_text": make_text(pick, 2), "text": make_text(pick, 2)}}
    text = json.dumps({"name": "hashline_edit", "arguments": {"path": "app.py", "edits": [edit]}})

    def call() -> None:
        try:
            after = apply_in_memory(text, FILES).texts
        except SutureError:
            return
        assert "|" in anchor or "│" in anchor or anchor.count(":") > 1 or after == FILES, "a number alone counted"

    return call, len(text), text


def change_notebooks(pick: Random) -> tuple[Callable[[], None], int, object]:
    """A notebook stays a notebook, and only the source of a cell changes."""
    text = mutate(pick, NOTEBOOK) if pick.random() < 0.5 else NOTEBOOK
    source = make_text(pick, 6)
    act = pick.choice(("replace", "insert", "delete", "edit"))
    change = ChangeCell(
        source, pick.choice(("load", "intro", "0", "TOP", "x")), act, pick.choice(("x = 1", "", "Text"))
    )

    def call() -> None:
        with suppress(SutureError):
            after = apply_in_memory(Patch((ChangeFile("a.ipynb", change),)), {"a.ipynb": text}).texts["a.ipynb"]
            Notebook(after if isinstance(after, str) else after.decode())

    return call, len(text) + len(source), (text, change)


def edit_notebooks(pick: Random) -> tuple[Callable[[], None], int, object]:
    """A string edit of a notebook changes sources alone, or the JSON, and leaves a notebook."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": [number]}
        for number, source in enumerate([make_text(pick, 6) for _ in range(pick.randint(1, 5))])
    ]
    if pick.random() < 0.5:
        cells = [{**cell, "source": str(cell["source"]).splitlines(keepends=True)} for cell in cells]
    content = {"cells": cells, "metadata": {"a": 1}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(content, indent=pick.choice((None, 1, 4)), ensure_ascii=pick.random() < 0.5)
    lines = pick.choice(["".join(cell["source"]) for cell in cells]).split("\n")
    at = pick.randrange(len(lines))
    old = "\n".join(lines[at : at + pick.randint(1, 4)])
    old = mutate(pick, old) if pick.random() < 0.3 else old
    new = f"fresh{pick.randrange(10**9)}"

    def call() -> None:
        patch = Patch((EditFile("a.ipynb", (StringEdit(old, new, pick.random() < 0.2),)),))
        try:
            given = text.encode("utf-8")
            after = apply_in_memory(patch, {"a.ipynb": given}).texts["a.ipynb"]
        except (SutureError, UnicodeEncodeError):
            return
        assert isinstance(after, bytes)
        was, is_now = json.loads(text)["cells"], json.loads(after)["cells"]
        assert len(was) == len(is_now), "a cell is gone"
        if old in text:
            return
        for one in (*was, *is_now):
            del one["source"]
        assert was == is_now, "more than a source was changed"

    return call, len(text) + len(old), (text, old, new)


_SETTINGS = (
    '{"mcpServers": {"other": {"command": "x"}, "suture": {"command": "z"}}, // mine\n "permissions": {"allow": []}}\n',
    '{\n  "permissions": {"deny": ["Edit"], "allow": ["mcp__suture__x", "b"]},\n}\n',
    'model = "x"\n\n[mcp_servers.suture]\ncommand = "old"\n\n[z]\na = """\n[mcp_servers.suture]\n"""\n',
    '[mcp_servers]\nother = {command = "x"}\nsuture.command = "y"\n',
)


def merge_settings(pick: Random) -> tuple[Callable[[], None], int, object]:
    """Settings of clients are merged and cleaned up, or refused, and what is not ours stays."""
    text = mutate(pick, pick.choice(_SETTINGS))
    name = pick.choice(("mcpServers", "mcp_servers"))
    is_toml = name == "mcp_servers"
    sets = {} if is_toml else {"permissions": {"allow": ["mcp__suture"]}}
    file = ClientFile(
        "a.toml" if is_toml else "a.json", {name: {"suture": {"command": "new", "args": ["mcp"]}}, **sets}
    )
    read: Callable[[str], Any] = parse_toml if is_toml else lambda given: parse_json_text(given).value

    def others(content: Any) -> Any:
        servers = content.get(name, {})
        kept = (
            {key: value for key, value in servers.items() if key != "suture"} if isinstance(servers, dict) else servers
        )
        return {
            **{key: value for key, value in content.items() if key not in (name, *sets)},
            **({"s": kept} if kept else {}),
        }

    def call() -> None:
        with suppress(SutureError):
            merged = file.merge_into(text)
            assert read(merged)[name]["suture"]["command"] == "new"
            if text.strip():
                assert others(read(merged)) == others(read(text)), "what is not ours was changed"
        with suppress(SutureError):
            cleaned = file.remove_from(text)
            if cleaned:
                assert others(read(cleaned)) == others(read(text)), "what is not ours was removed"

    return call, len(text), text
