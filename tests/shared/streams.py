"""Calls as the streams of model APIs: each encoder takes calls and the sizes of the pieces of their arguments."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The name of a tool and its arguments.
Call: TypeAlias = tuple[str, dict[str, Any]]


def pieces(text: str, sizes: Sequence[int]) -> Iterator[str]:
    """A text in pieces of these sizes, again and again."""
    at = 0
    for size in cycle(sizes):
        if at >= len(text):
            return
        yield text[at : at + size]
        at += size


def openai_chat(calls: Sequence[Call], sizes: Sequence[int]) -> list[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}

    events = [chunk({"role": "assistant", "content": "I change it."})]
    for index, (name, arguments) in enumerate(calls):
        first = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": ""}}
        events.append(chunk({"tool_calls": [first]}))
        deltas = [{"index": index, "function": {"arguments": piece}} for piece in pieces(json.dumps(arguments), sizes)]
        events += [chunk({"tool_calls": [delta]}) for delta in deltas]
    return [*events, chunk({}, "tool_calls")]


def openai_responses(calls: Sequence[Call], sizes: Sequence[int]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r", "output": []}}]
    output = []
    for index, (name, arguments) in enumerate(calls):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": name}
        added = {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}}
        events.append(added)
        for piece in pieces(json.dumps(arguments), sizes):
            delta = {"type": "response.function_call_arguments.delta", "output_index": index, "delta": piece}
            events.append(delta)
        whole = {**item, "arguments": json.dumps(arguments)}
        output.append(whole)
        events.append({"type": "response.output_item.done", "output_index": index, "item": whole})
    return [*events, {"type": "response.completed", "response": {"id": "r", "output": output}}]


def anthropic(calls: Sequence[Call], sizes: Sequence[int]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"role": "assistant", "content": []}}]
    for index, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for piece in pieces(json.dumps(arguments), sizes):
            delta = {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    return [*events, {"type": "message_stop"}]


def gemini(calls: Sequence[Call], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """With whole arguments, as Gemini sends them by default."""
    assert sizes
    parts: list[dict[str, Any]] = [{"functionCall": {"name": name, "args": args}} for name, args in calls]
    events: list[dict[str, Any]] = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
    return [*events, {"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]}]


def gemini_partial(calls: Sequence[Call], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """With arguments in pieces; only for calls whose arguments are texts."""
    events: list[dict[str, Any]] = []

    def send(function: dict[str, Any]) -> None:
        events.append({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": function}]}}]})

    for name, arguments in calls:
        send({"name": name, "willContinue": True})
        for key, value in arguments.items():
            for piece in pieces(value, sizes):
                part = {"jsonPath": f"$.{key}", "stringValue": piece, "willContinue": True}
                send({"partialArgs": [part], "willContinue": True})
        send({})
    return [*events, {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}]


ENCODERS: dict[str, Callable[[Sequence[Call], Sequence[int]], list[dict[str, Any]]]] = {
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "gemini-partial": gemini_partial,
}


def as_lines(events: Sequence[dict[str, Any]]) -> str:
    """One event a line."""
    return "".join(f"{json.dumps(event)}\n" for event in events)


def as_server_events(events: Sequence[dict[str, Any]]) -> str:
    """As a server sends them."""
    return "".join(f"event: {event.get('type', 'chunk')}\ndata: {json.dumps(event)}\n\n" for event in events)


def as_list(events: Sequence[dict[str, Any]]) -> str:
    """As one JSON value."""
    return json.dumps(events, indent=2)
