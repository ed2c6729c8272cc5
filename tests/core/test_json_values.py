"""Values as JSON: what was written is read back, and data of other types is refused where it is read."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.sites import Site, updated

from suture import SutureError
from suture.agent import Answer, Request
from suture.core.json_values import JsonValue, to_data, write_document
from suture.core.value import Value
from suture.workspace import Plan, Receipt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any, ClassVar, Literal, TypeAlias

Color: TypeAlias = "Literal['red', 'green']"


class Leaf(Value):
    """A value inside another one."""

    name: str
    size: int = 0


class Tree(JsonValue):
    """A value with a field of every type that JSON values have."""

    name: str
    data: bytes = b""
    share: float = 0.0
    whole: bool = False
    color: Color = "red"
    leaf: Leaf | None = None
    leaves: tuple[Leaf, ...] = ()
    rows: tuple[tuple[int, ...], ...] = ()
    chosen: Mapping[str, tuple[int, ...] | Literal["all"]] = {}
    anything: Mapping[str, object] = {}
    scratch: str = ""

    _not_in_json: ClassVar[tuple[str, ...]] = ("scratch",)

    def __hash__(self) -> int:
        return hash(self.name)


FULL = Tree(
    "é",
    b"\0\xff",
    0.5,
    True,
    "green",
    Leaf("one", 1),
    (Leaf("two"), Leaf("three", 3)),
    ((1, 2), ()),
    {"a": (1, 2), "b": "all"},
    {"x": [1, {"y": None}]},
)


def test_a_value_is_read_back_as_it_was_written() -> None:
    assert Tree.from_json(FULL.to_json()) == FULL
    assert Tree.from_json('{"name": "least"}') == Tree("least")


def test_a_field_that_json_leaves_out_is_neither_written_nor_read() -> None:
    text = FULL.replace(scratch="scratch").to_json()
    assert "scratch" not in text
    assert Tree.from_json('{"name": "a", "scratch": "b"}').scratch == ""


def test_unknown_fields_are_ignored() -> None:
    assert Tree.from_json('{"name": "a", "of_a_later_version": [1]}') == Tree("a")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": None},
        {"name": 1},
        {"data": "no base64!"},
        {"data": "é"},
        {"data": [1]},
        {"share": "1"},
        {"share": True},
        {"whole": 1},
        {"whole": "true"},
        {"color": "blue"},
        {"color": ["red"]},
        {"leaf": []},
        {"leaf": {}},
        {"leaf": {"name": "a", "size": True}},
        {"leaf": {"name": "a", "size": 1 << 63}},
        {"leaves": {}},
        {"leaves": [None]},
        {"rows": [1]},
        {"rows": [[1.5]]},
        {"chosen": []},
        {"chosen": {"a": "none"}},
        {"chosen": {"a": [True]}},
        {"anything": "x"},
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused(fields: dict[str, object]) -> None:
    document = {"name": "a", **fields} if fields else {}
    with pytest.raises(ValueError, match="expected a Tree as JSON; "):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "null", "[]", '"x"', "[" * 100_000, "9" * 100_000])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a Tree as JSON; "):
        Tree.from_json(text)


def test_a_refusal_names_the_field() -> None:
    with pytest.raises(ValueError, match="leaves: size: found 'x' where int was expected"):
        Tree.from_json('{"name": "a", "leaves": [{"name": "b"}, {"name": "c", "size": "x"}]}')


# Whatever somebody has made of a stored plan: it is refused when it is read, or handled like any other.

OTHERS: tuple[object, ...] = (
    None,
    True,
    -1,
    1 << 40,
    1 << 63,
    1.5,
    float("inf"),
    "",
    "x",
    "/",
    "\0",
    "\ud800",
    "é" * 5000,
    [],
    {},
    ["x"],
)


def mutations(data: Any) -> Iterator[Any]:
    """The same data with one part of it replaced by something else, or left out, for every part."""
    yield from OTHERS
    if isinstance(data, dict):
        for key, item in data.items():
            yield {name: value for name, value in data.items() if name != key}
            for other in mutations(item):
                yield {**data, key: other}
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield data[:number] + data[number + 1 :]
            for other in mutations(item):
                yield [*data[:number], other, *data[number + 1 :]]


def build(site: Site) -> Site:
    return site.put("a", "one\ntwo\n").put("gone", "gone\n").put("m", "m\n").put("e", "e\n").link("l", "a")


PATCHES: Mapping[str, Callable[[Site], Plan]] = {
    "update": lambda site: site.plan(*updated("a", "one", "1")),
    "edit": lambda site: site.workspace.plan_multiedit("e", [("e", "f")]),
    "behind a link, add": lambda site: site.plan(
        "*** Update File: l", "*** Move to: x/n", "@@", "-two", "+2", "*** Add File: y", "+é"
    ),
    "move, delete": lambda site: site.plan("*** Update File: m", "*** Move to: n", "*** Delete File: gone"),
    "problem": lambda site: site.plan(*updated("a", "lost", "x")),
}


@pytest.mark.parametrize("where", ["memory", "disk"])
@pytest.mark.parametrize("name", PATCHES)
def test_a_plan_that_was_changed_is_refused_with_an_answer_or_committed(tmp_path: Path, where: Any, name: str) -> None:
    site = build(Site(where, tmp_path))
    data = json.loads(PATCHES[name](site).to_json())
    outcomes = set()
    for other in mutations(data):
        try:
            plan = Plan.from_json(json.dumps(deepcopy(other)))
        except ValueError:
            outcomes.add("refused")
            continue
        try:
            Request.from_plan(plan)
            receipt = site.workspace.commit(plan)
            assert Receipt.from_json(receipt.to_json()) == receipt
            site.workspace.undo(receipt)
            outcomes.add("committed")
        except SutureError:
            outcomes.add("rejected")
    assert outcomes == {"refused", "rejected", "committed"}


@pytest.mark.parametrize(
    "document",
    [
        Request.from_plan(build(Site("memory", None)).plan(*updated("l", "one", "1"))),  # type: ignore[arg-type]
        Answer.some({"a": [1], "b": "all"}),
        Answer.always("src/**"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_request_or_an_answer_that_was_changed_is_refused_or_has_the_declared_types(document: Any) -> None:
    for other in mutations(json.loads(document.to_json())):
        try:
            value = type(document).from_json(json.dumps(other))
        except ValueError:
            continue
        assert type(document).from_json(value.to_json()) == value


class Note(JsonValue):
    """A value with a text."""

    text: str
    number: float = 0.0


@given(st.text(), st.floats())
def test_a_document_is_what_the_module_of_python_writes(text: str, number: float) -> None:
    note = Note(text, number)
    document = json.dumps({"text": text, "number": number}, ensure_ascii=False)
    assert (note.to_json(), write_document(to_data(note))) == (document, document)


def test_every_control_character_is_escaped_as_the_module_of_python_does() -> None:
    text = "".join(map(chr, range(256))) + "\u2028😀"
    document = json.dumps({"text": text, "number": 0.0}, ensure_ascii=False)
    assert (Note(text).to_json(), write_document(to_data(Note(text)))) == (document, document)
