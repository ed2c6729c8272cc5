"""Whatever JSON a model sends as an argument, the call has an answer: no tool raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent

from suture.agent.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Values as JSON, each with something that Python can't do with it: too large for a float or for decimal digits, no
#: number, no character, no path.
VALUES = (
    "1" + "0" * 400,
    "-1" + "0" * 400,
    "1" * 5000,
    "1e400",
    "NaN",
    "-0.0",
    "18446744073709551616",
    "true",
    "null",
    "[]",
    "[1" + "0" * 400 + "]",
    '[{"oldString": 1' + "0" * 400 + "}]",
    '{"a": 1' + "0" * 400 + "}",
    '{"": {"": []}}',
    "[" * 2000 + "]" * 2000,
    '"\\ud83d"',
    '"\\u0000"',
    '"a\\nb"',
    '"' + "x/" * 3000 + '"',
    '"' + "9" * 19 + '"',
    '"²"',
)
#: Values for the other arguments of a call.
USUAL = {"path": '"a.py"', "string": '"x"', "integer": "1", "boolean": "true", "edits": "[]", "hashes": "{}"}


@pytest.mark.parametrize("name", TOOLS)
def test_a_call_with_odd_values_has_an_answer(name: str, tmp_path: Path) -> None:
    agent = Agent(tmp_path, profile="all")
    agent.put("a.py", "x = 1\n")
    arguments = TOOLS[name].arguments
    calls = []
    for odd in arguments:
        for value in VALUES:
            fields = [f'"{one.name}": {value if one is odd else USUAL[one.kind]}' for one in arguments]
            calls += [(name, f"{{{', '.join(fields)}}}"), (name, f'{{"{odd.name}": {value}}}')]
    calls += [(name, value) for value in VALUES]
    for call in calls:
        result = agent.call(call)
        assert result.output


def test_a_long_number_is_described_by_its_size(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    result = agent.call(("read", f'{{"filePath": 1{"0" * 400}}}'))
    assert "filePath must be a path, not a number of 1,329 bits." in result.output


def nested(start: object, wrap: Callable[[object], object]) -> object:
    """A value inside of more others than Python can recurse into. A framework may pass one that it has parsed."""
    value = start
    for _ in range(5000):
        value = wrap(value)
    return value


@pytest.mark.parametrize("name", TOOLS)
def test_a_call_with_values_that_are_nested_too_deeply_has_an_answer(name: str, tmp_path: Path) -> None:
    agent = Agent(tmp_path, profile="all")
    for value in (nested("x", lambda one: [one]), nested("x", lambda one: {"a": one}), [nested(1, lambda one: [one])]):
        for argument in TOOLS[name].arguments:
            assert agent.call((name, {argument.name: value})).is_error
        assert agent.call((name, {"other": value})).is_error
        edits = [{"oldString": value, "newString": "x"}]
        assert agent.call((name, {"filePath": "a.py", "edits": edits})).is_error
