"""Lines of standard input as messages: each one has an answer, and none is larger than the limit."""

from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from suture.mcp import stdio_wire
from suture.mcp.static_requests import INVALID_REQUEST, PARSE_ERROR, ProtocolError
from suture.mcp.stdio_wire import StdioWire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 60


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[object]]]:
    """What a wire makes of pieces of input: messages, and the codes of errors."""
    reading, writing = os.pipe()
    pieces: list[bytes] = []
    system = SimpleNamespace(
        dup=lambda number: (reading, writing)[number],
        dup2=lambda *_: None,
        open=lambda *_: 0,
        devnull=os.devnull,
        O_RDONLY=os.O_RDONLY,
        read=lambda *_: pieces.pop(0) if pieces else b"",
    )
    monkeypatch.setattr(stdio_wire, "os", system)
    monkeypatch.setattr(stdio_wire, "LARGEST_CLIENT_MESSAGE", LIMIT)

    def receive(*sent: bytes) -> list[object]:
        pieces[:] = sent
        wire = StdioWire()
        messages: list[Any] = []
        while (message := wire.receive()) is not None:
            messages.append(message.code if isinstance(message, ProtocolError) else message["method"])
        return messages

    yield receive
    os.close(reading)
    os.close(writing)


def message(method: str, size: int = 0) -> bytes:
    return json.dumps({"method": method}).encode().ljust(size)


def test_messages_come_however_they_are_cut_into_pieces(received: Callable[..., list[object]]) -> None:
    text = message("a") + b"\n\n  \n" + message("b") + b"\n" + message("c")
    assert received(text) == ["a", "b", "c"]
    assert received(*[bytes([byte]) for byte in text]) == ["a", "b", "c"]


def test_a_message_of_the_limit_is_taken_and_a_larger_one_refused(received: Callable[..., list[object]]) -> None:
    for cut in (1, LIMIT, LIMIT + 1, 1000):
        largest, too_large = message("a", LIMIT), message("b", LIMIT + 1)
        text = largest + b"\n" + too_large + b"\n" + message("c") + b"\n"
        pieces = [text[start : start + cut] for start in range(0, len(text), cut)]
        assert received(*pieces) == ["a", INVALID_REQUEST, "c"]


def test_a_line_without_end_is_refused_once_and_not_kept(received: Callable[..., list[object]]) -> None:
    endless = [b"x" * LIMIT] * 10
    assert received(*endless, b"\n", message("after") + b"\n") == [INVALID_REQUEST, "after"]
    assert received(*endless) == []


def test_the_last_line_needs_no_newline_but_has_to_be_a_message(received: Callable[..., list[object]]) -> None:
    assert received(message("a")) == ["a"]
    assert received(b"{") == [PARSE_ERROR]
    assert received(b"  ") == []
