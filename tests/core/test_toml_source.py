"""TOML is read with limits, wherever it comes from."""

from __future__ import annotations

import json

import pytest

from suture import apply_in_memory
from suture.core.common_limits import MOST_NESTED_TABLES
from suture.core.toml_source import parse_toml


@pytest.mark.parametrize(
    "text",
    [
        "[" + "a." * 50_000 + "a]\n",
        "x = " + "[" * 5000 + "]" * 5000,
        "a." * (MOST_NESTED_TABLES + 1) + "a = 1",
        "x = " + "9" * 5000,
        "x = ",
    ],
)
def test_what_can_not_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text)


def test_ordinary_content_is_read() -> None:
    assert parse_toml('a.b = 1\n[[c]]\nd = "....................."\n') == {"a": {"b": 1}, "c": [{"d": "." * 21}]}


def test_an_edit_of_a_file_with_long_keys_takes_no_time() -> None:
    """The parser takes the square of the parts of a key: with 400 kB, minutes."""
    text = "y = 1\n[" + "a." * 200_000 + "a]\nx = 1\n"
    call = {"name": "Edit", "input": {"file_path": "a.toml", "old_string": "  y  =  1", "new_string": "y = 2"}}
    assert apply_in_memory(json.dumps(call), {"a.toml": text}).texts["a.toml"] == text.replace("y = 1", "y = 2")
