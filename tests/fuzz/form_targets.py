"""Fuzzers of the forms: mutated samples of calls, raw syntax and streams, sketches and notebooks."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tests.fuzz.inputs import make_text, mutate
from tests.shared.form_samples import FILES, NOTEBOOK, SAMPLES

from suture import SutureError, apply_in_memory, parse
from suture.core.notebook import Notebook
from suture.core.patch import ChangeFile, Patch
from suture.core.text_changes import ChangeCell, ReplaceDefinition, Sketch
from suture.format import PatchParser

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
