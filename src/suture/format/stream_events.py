"""Streams of the APIs of models, put together: the events of OpenAI (both APIs), Anthropic, Gemini and Bedrock.

A stream has a call in pieces. Its events are taken one by one, in the order of the text, and give a call when it is
complete. Text that the model streams is put together, too, because it may have edits in another form.
"""

from __future__ import annotations

from .format_limits import MOST_OPEN_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

#: What the hosted and other tools of OpenAI's Responses API are called as items of the output.
_CALL_ITEMS = ("function_call", "custom_tool_call", "apply_patch_call", "local_shell_call", "mcp_call")
#: The events of Amazon Bedrock.
_BEDROCK = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop")
#: The events that end a stream.
_ENDS = ("message_stop", "response.completed", "response.incomplete", "response.failed", "response.done")


class StreamedCall:
    """One call, or one text, as far as it has arrived."""

    def __init__(self, name: str = "", call_id: str = "", *, is_text: bool = False) -> None:
        self.name = name
        self.call_id = call_id
        self.is_text = is_text
        self.pieces: list[str] = []
        #: Arguments that arrived by their names.
        self.arguments: dict[str, list[str]] = {}

    def value(self) -> dict[str, Any]:
        """The call as the data that it would have been without a stream."""
        if self.is_text:
            return {"role": "assistant", "content": "".join(self.pieces)}
        given: object = "".join(self.pieces)
        if self.arguments:
            given = {name: "".join(pieces) for name, pieces in self.arguments.items()}
        return {"id": self.call_id, "name": self.name, "arguments": given}


class StreamAssembler:
    """Puts the events of streams together. `take` gives the calls that an event completes."""

    def __init__(self) -> None:
        self._open: dict[tuple[object, ...], StreamedCall] = {}
        #: The calls and texts of each choice of OpenAI, in order.
        self._of_choices: dict[object, dict[tuple[object, ...], None]] = {}
        #: Items of a Responses stream that have been given.
        self._given: set[str] = set()
        #: Whether there was an event of a stream, and whether a stream has begun that has not ended.
        self.is_used = False
        self.is_open = False
        #: Whether there were too many calls at a time, so that some are not known.
        self.has_dropped = False

    def take(self, event: object) -> list[dict[str, Any]] | None:
        """The calls and texts that an event completes, as data; None if it is not an event of a stream."""
        completed = self._take(event)
        self.is_used = self.is_used or completed is not None
        return completed

    def _take(self, event: object) -> list[dict[str, Any]] | None:
        """Take an event with the method for its provider; None if no provider sends such events."""
        if not isinstance(event, dict):
            return None
        values: list[dict[str, Any]] = []
        if isinstance(event.get("choices"), list):
            choices = list(_objects(event["choices"]))
            if any("delta" in choice for choice in choices):
                for choice in choices:
                    values += self._take_choice(choice)
                return values
        if isinstance(event.get("candidates"), list):
            for candidate in _objects(event["candidates"]):
                values += self._take_candidate(candidate)
            return values
        for name in _BEDROCK:
            if isinstance(event.get(name), dict):
                return list(self._take_bedrock(name, event[name]))
        event_type = event.get("type")
        if not isinstance(event_type, str):
            return None
        if event_type.startswith(("content_block_", "message_")):
            return list(self._take_block(event_type, event))
        if event_type.startswith("response."):
            return list(self._take_response(event_type, event))
        return None

    def rest(self) -> list[dict[str, Any]]:
        """What has not been completed, at the end of the text."""
        values = [one.value() for one in self._open.values()]
        self._open.clear()
        return values

    def _call(self, *key: object) -> StreamedCall:
        if key not in self._open and len(self._open) >= MOST_OPEN_CALLS:
            self._open.clear()
            self.has_dropped = True
        return self._open.setdefault(key, StreamedCall())

    def _close(self, keys: Iterable[tuple[object, ...]]) -> Iterator[dict[str, Any]]:
        for key in list(keys):
            if key in self._open:
                yield self._open.pop(key).value()

    # OpenAI, Chat Completions.

    def _take_choice(self, choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        index, delta = _index(choice), choice.get("delta")
        self.is_open = True
        if isinstance(delta, dict):
            calls = _objects(delta.get("tool_calls"))
            if isinstance(delta.get("function_call"), dict):
                calls = [*calls, {"index": 0, "function": delta["function_call"]}]
            for one in calls:
                key = ("chat", index, _index(one))
                call = self._call(*key)
                self._of_choices.setdefault(index, {})[key] = None
                function = one.get("function") if isinstance(one.get("function"), dict) else one.get("custom")
                call.call_id = call.call_id or _text(one, "id")
                if isinstance(function, dict):
                    call.name = call.name or _text(function, "name")
                    call.pieces.append(_text(function, "arguments") or _text(function, "input"))
            self._add_text(_text(delta, "content"), "chat text", index)
            self._of_choices.setdefault(index, {})["chat text", index] = None
        if choice.get("finish_reason"):
            self.is_open = False
            yield from self._close(self._of_choices.pop(index, {}))

    def _add_text(self, text: str, *key: object) -> None:
        if text:
            call = self._call(*key)
            call.is_text = True
            call.pieces.append(text)

    # Gemini.

    def _take_candidate(self, candidate: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        index, content = _index(candidate), candidate.get("content")
        self.is_open = True
        for part in _objects(content.get("parts") if isinstance(content, dict) else None):
            if not part.get("thought"):
                self._add_text(_text(part, "text"), "gemini text", index)
            function = part.get("functionCall")
            if isinstance(function, dict):
                yield from self._take_function(function, index)
        if candidate.get("finishReason"):
            self.is_open = False
            yield from self._close([("gemini text", index)])

    def _take_function(self, function: Mapping[str, Any], index: object) -> Iterator[dict[str, Any]]:
        """A call of Gemini: whole, or in pieces of its arguments by their JSON paths."""
        key = ("gemini", index)
        if not function.get("willContinue") and "partialArgs" not in function and key not in self._open:
            yield {"id": _text(function, "id"), "name": _text(function, "name"), "args": function.get("args", {})}
            return
        call = self._call(*key)
        call.name = call.name or _text(function, "name")
        call.call_id = call.call_id or _text(function, "id")
        for part in _objects(function.get("partialArgs")):
            name = _text(part, "jsonPath").removeprefix("$.")
            value = next((part[kind] for kind in ("stringValue", "numberValue", "boolValue") if kind in part), "")
            call.arguments.setdefault(name, []).append(value if isinstance(value, str) else str(value))
        if not function.get("willContinue"):
            yield from self._close([key])

    # Anthropic.

    def _take_block(self, kind: str, event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        key = ("block", _index(event))
        block, delta = event.get("content_block"), event.get("delta")
        if kind == "message_start":
            self.is_open = True
        elif kind == "content_block_start" and isinstance(block, dict):
            self.is_open = True
            is_call = block.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use")
            if is_call or block.get("type") == "text":
                call = self._open[key] = StreamedCall(_text(block, "name"), _text(block, "id"), is_text=not is_call)
                call.pieces.append(_text(block, "text"))
        elif kind == "content_block_delta" and isinstance(delta, dict):
            self.is_open = True
            piece = _text(delta, "partial_json") or _text(delta, "text")
            if piece or key in self._open:
                self._call(*key).pieces.append(piece)
        elif kind == "content_block_stop":
            yield from self._close([key])
        elif kind == "message_stop" or (isinstance(delta, dict) and delta.get("stop_reason")):
            self.is_open = False

    # Amazon Bedrock.

    def _take_bedrock(self, kind: str, event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        key = ("bedrock", _index(event, "contentBlockIndex"))
        self.is_open = kind != "messageStop"
        inside = event.get("start") or event.get("delta")
        inside = inside if isinstance(inside, dict) else {}
        tool = inside.get("toolUse")
        if kind == "contentBlockStart" and isinstance(tool, dict):
            self._open[key] = StreamedCall(_text(tool, "name"), _text(tool, "toolUseId"))
        elif kind == "contentBlockDelta" and isinstance(tool, dict):
            self._call(*key).pieces.append(_text(tool, "input"))
        elif kind == "contentBlockDelta":
            self._add_text(_text(inside, "text"), *key)
        elif kind == "contentBlockStop":
            yield from self._close([key])

    # OpenAI, Responses.

    def _take_response(self, kind: str, event: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        self.is_open = kind not in _ENDS
        key = ("item", _index(event, "output_index"))
        item = event.get("item")
        if kind == "response.output_item.added" and isinstance(item, dict):
            if item.get("type") in _CALL_ITEMS:
                self._open[key] = StreamedCall(_text(item, "name") or _text(item, "type"), _text(item, "call_id"))
        elif kind.endswith((".arguments.delta", "_arguments.delta", "_input.delta")):
            self._call(*key).pieces.append(_text(event, "delta"))
        elif kind == "response.output_text.delta":
            self._add_text(_text(event, "delta"), *key)
        elif kind == "response.output_item.done" and isinstance(item, dict):
            self._open.pop(key, None)
            yield from self._give([item])
        elif kind in _ENDS and isinstance(event.get("response"), dict):
            output = _objects(event["response"].get("output"))
            if output:
                self._open.clear()
            yield from self._give(output)

    def _give(self, items: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The items that have not been given: the event that ends a stream repeats them all."""
        for item in items:
            name = _text(item, "call_id") or _text(item, "id")
            if not name or name not in self._given:
                self._given.add(name)
                yield item


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _index(event: Mapping[str, Any], name: str = "index") -> object:
    """Which of several calls or texts an event is about. It should be a number, and can be anything."""
    index = event.get(name, 0)
    return index if isinstance(index, int | str) else repr(index)
