"""Every public way in, with inputs that grow: four times as much costs at most eight times as much, or is refused.

The generators make what a hostile model or repository would send: pieces of all forms in any order, and plans of many
operations, most of them on the same file. A pair of sizes is measured in one run and again if it fails.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.shared.hostile_texts import PIECES, SHAPES
from tests.shared.hostile_times import grows_linearly, marked

from suture import PatchInvalidError, SutureError, Workspace, multiedit, parse, unified_diff
from suture.core import search_budget
from suture.core.json_values import to_json
from suture.core.read_json import from_json
from suture.core.search_budget import SEARCH_BUDGET
from suture.core.string_edits import StringEdit
from suture.format import PatchParser
from suture.format.invocations import parse_invocation
from suture.replay import transcript_limits
from suture.replay.git_history import Histories
from suture.replay.rebuild import Rebuilder
from suture.replay.recording import FileChange, RecordedCall
from suture.words.conversion import WRITABLE, convert
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

pytestmark = pytest.mark.skipif(sys.gettrace() is not None, reason="what is traced is many times slower")

#: The part of the real budget that the tests have.
PART = 100


@pytest.fixture(autouse=True)
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_budget, "SEARCH_BUDGET", SEARCH_BUDGET // PART)


# Texts.


def read_in_pieces(text: str) -> None:
    parser = PatchParser()
    for start in range(0, len(text), 997):
        parser.feed(text[start : start + 997])
    parser.close()


def read_as_command(text: str) -> None:
    parse_invocation(["bash", "-lc", text])
    parse_invocation(["apply_patch", text])


def convert_to_all(text: str) -> None:
    patch = parse(text)
    for form in WRITABLE:
        with suppress(ValueError):
            convert(patch, form)


READERS: Mapping[str, Callable[[str], object]] = {
    "parse": parse,
    "parse as codex": lambda text: parse(text, "codex"),
    "parse as strict": lambda text: parse(text, "strict"),
    "read in pieces": read_in_pieces,
    "read as a command": read_as_command,
    "convert": convert_to_all,
    "parse as a diff": lambda text: parse(text, form="unified"),
    "parse as JSON": lambda text: parse(text, form="json"),
    "parse as whole files": lambda text: parse(text, form="whole"),
}
CHARACTERS = 60_000


def reading(reader: str, shape: str, pieces: tuple[str, ...]) -> Callable[[int], Callable[[], object]]:
    def build(size: int) -> Callable[[], object]:
        text = SHAPES[shape](pieces, size)

        def call() -> None:
            with suppress(SutureError):
                READERS[reader](text)

        return call

    return build


def some_texts(number: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """Random texts, the same ones in every run: who reads them, their shape and what they are made of."""
    pick = Random(11)
    cases: list[tuple[str, str, tuple[str, ...]]] = []
    for _ in range(number):
        pieces = tuple([pick.choice(PIECES) for _ in range(pick.choice((1, 2, 2, 3)))])
        cases.append((pick.choice(tuple(READERS)), pick.choice(tuple(SHAPES)), pieces))
    return cases


TEXTS = some_texts(400)


@pytest.mark.parametrize(("reader", "shape", "pieces"), marked(TEXTS))
def test_a_text_is_read_in_linear_time_whatever_it_is_made_of(reader: str, shape: str, pieces: tuple[str, ...]) -> None:
    assert grows_linearly(reading(reader, shape, pieces), CHARACTERS)


# Plans.


def numbered(count: int) -> str:
    return "".join(f"line number {index} has text\n" for index in range(count))


def envelope(*sections: str) -> str:
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch", ""])


def rename(old: str, new: str) -> str:
    return f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"


def call_of(old: str, new: str, **more: object) -> str:
    return json.dumps({"path": "a.py", "old_string": old, "new_string": new, **more}) + "\n"


ONE_LINE = "@@\n-a\n+b"
#: The files, and a patch of so many operations.
PATCHES: Mapping[str, Callable[[int], tuple[dict[str, str | bytes], str]]] = {
    "new files": lambda n: ({}, envelope(*[f"*** Add File: d{i}/f.py\n+x" for i in range(n)])),
    "new files in one directory": lambda n: ({}, envelope(*[f"*** Add File: d/f{i}.py\n+x" for i in range(n)])),
    "updates of absent files": lambda n: (
        {f"x{i}/y.py": "a\n" for i in range(n)},
        envelope(*[f"*** Update File: z{i}/y.py\n{ONE_LINE}" for i in range(n)]),
    ),
    "refused updates": lambda n: (
        {f"x{i}": "other\n" for i in range(n)},
        envelope(*[f"*** Update File: x{i}\n{ONE_LINE}" for i in range(n)]),
    ),
    "deletions": lambda n: (
        {f"x{i}": "a\n" for i in range(n)},
        envelope(*[f"*** Delete File: x{i}" for i in range(n)]),
    ),
    "moves": lambda n: (
        {f"x{i}": "a\n" for i in range(n)},
        envelope(*[f"*** Update File: x{i}\n*** Move to: y{i}\n{ONE_LINE}" for i in range(n)]),
    ),
    "a chain of renames": lambda n: (
        {f"x{i}": "a\n" for i in range(n)},
        "".join(rename(f"x{i}", f"x{i + 1}") for i in range(n)),
    ),
    "a chain of renames from its end": lambda n: (
        {f"x{i}": "a\n" for i in range(n)},
        "".join(rename(f"x{i}", f"x{i + 1}") for i in reversed(range(n))),
    ),
    "sections of one file": lambda n: (
        {"a": numbered(n)},
        envelope(*[f"*** Update File: a\n@@\n-line number {i} has text\n+x{i}" for i in range(n)]),
    ),
    "loose sections of one file": lambda n: (
        {"a": numbered(n)},
        envelope(*[f"*** Update File: a\n@@\n-line  number  {i} has text\n+x{i}" for i in range(n)]),
    ),
    "diffs of one file": lambda n: (
        {"a": numbered(n)},
        "".join(f"--- a/a\n+++ b/a\n@@ -{i + 1} +{i + 1} @@\n-line number {i} has text\n+x{i}\n" for i in range(n)),
    ),
    "blocks of one file": lambda n: (
        {"a.py": numbered(n)},
        "".join(f"a.py\n<<<<<<< SEARCH\nline number {i} has text\n=======\nx{i}\n>>>>>>> REPLACE\n" for i in range(n)),
    ),
    "calls for one file": lambda n: (
        {"a.py": numbered(n)},
        "".join(call_of(f"line number {i} has", f"y{i}") for i in range(n)),
    ),
    "calls that change every line": lambda n: (
        {"a.py": numbered(n)},
        "".join(call_of("ei"[i % 2], "ie"[i % 2], replace_all=True) for i in range(n)),
    ),
    "whole files": lambda n: ({}, "".join(f"a{i}.py\n```python\nx = {i}\n```\n" for i in range(n))),
}


@pytest.mark.parametrize("name", PATCHES)
def test_a_plan_of_many_operations_costs_what_its_operations_cost(name: str) -> None:
    def build(size: int) -> Callable[[], object]:
        files, patch = PATCHES[name](size)

        def call() -> None:
            with suppress(PatchInvalidError):
                Workspace(MemoryFiles(files)).plan(patch)

        return call

    assert grows_linearly(build, 600)


def test_a_patch_whose_operations_need_too_many_searches_together_is_refused_once() -> None:
    """Each of them alone is within the budget: 800 small sections for a file of 2 MB took 19 seconds."""
    files, patch = PATCHES["loose sections of one file"](2000)
    plan = Workspace(MemoryFiles({**files, "b": "b\n"})).plan(patch)
    [problem] = plan.problems
    assert (problem.code, problem.details["reason"]) == ("timeout", "search_budget")
    assert problem.message == "The patch was not planned beyond a: its edits need too many searches in large files."
    assert problem.hint == "Send several smaller patches."
    assert not plan.files


# Other values.


def some_plan(count: int) -> Plan:
    files: dict[str, str | bytes] = {f"x{index}": "a\n" for index in range(count)}
    patch = envelope(*[f"*** Update File: x{index}\n{ONE_LINE}" for index in range(count)])
    return Workspace(MemoryFiles(files)).plan(patch)


def reading_json(text: str) -> Callable[[], object]:
    def call() -> None:
        with suppress(ValueError):
            from_json(Plan, text)

    return call


def comparing(before: str, after: str) -> Callable[[], object]:
    return lambda: unified_diff(before, after, "a")


def shuffled(text: str) -> str:
    lines = text.splitlines(keepends=True)
    Random(11).shuffle(lines)
    return "".join(lines)


def rebuilding(count: int) -> Callable[[], object]:
    """The file before each edit of a transcript, of which all are of one file."""
    text = numbered(2 * count)
    calls = [RecordedCall("read", "Read", 1.0, "", (FileChange("/a.py", "read", (), text, text),), accepted=True)]
    for index in range(count):
        edit = (StringEdit(f"line number {index} has", f"line {index} has"),)
        diff = f"@@ -{index + 1} +{index + 1} @@\n-line number {index} has text\n+line {index} has text\n"
        change = FileChange("/a.py", "string", edit, diff=diff)
        calls.append(RecordedCall(f"call {index:020}", "Edit", 2.0 + index, "", (change,), accepted=True))
    return lambda: sum(edit.before is not None for edit in Rebuilder("x", "", calls, Histories()).edits(set()))


OTHERS: Mapping[str, tuple[Callable[[int], Callable[[], object]], int]] = {
    "a plan as JSON": (lambda n: reading_json(to_json(some_plan(n))), 500),
    "wrong values as JSON": (lambda n: reading_json(json.dumps({"changes": [{"a": i} for i in range(n)]})), 20_000),
    "deep JSON": (lambda n: reading_json("[" * n), 100_000),
    "a long number": (lambda n: reading_json(f'{{"x": {"9" * n}}}'), 100_000),
    "a diff of shuffled lines": (lambda n: comparing(numbered(n), shuffled(numbered(n))), 5_000),
    "a diff of repeated lines": (lambda n: comparing("a\nb\n" * n, "b\na\nc\n" * n), 10_000),
    "a diff of long lines": (lambda n: comparing("ab " * n, "ab " * n + "x"), 200_000),
    "a transcript of one file": (rebuilding, 500),
    "spans of a list of edits": (
        lambda n: lambda: multiedit(numbered(n), [(f"number {i} has", f"{i} has") for i in range(0, n, 20)]).edits,
        2_000,
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_inputs_cost_what_they_are_long(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_limits, "MOST_REBUILT", transcript_limits.MOST_REBUILT // PART)
    assert grows_linearly(*OTHERS[name])


def test_the_versions_of_a_large_file_do_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript of one large file and many small edits: beyond the limit, the files are not certain."""
    monkeypatch.setattr(transcript_limits, "MOST_REBUILT", 1_000_000)
    certain = rebuilding(200)()
    assert isinstance(certain, int)
    assert 0 < certain < 200


def test_the_sample_of_texts_has_every_piece_in_every_reader_and_shape() -> None:
    assert {piece for _, _, pieces in TEXTS for piece in pieces} == set(PIECES)
    assert {(reader, shape) for reader, shape, _ in TEXTS} == set(product(READERS, SHAPES))
