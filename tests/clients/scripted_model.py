"""A model on the loopback address that answers with the tool calls of a script, in the words of four APIs.

It speaks the Messages API of Anthropic, the Responses and the Chat Completions API of OpenAI, and the API of Gemini,
all streamed. Which step is due follows from the number of calls in the conversation, so a client that repeats a request
gets the same step. Tools and arguments are found by their plain names, whatever the client and the profile call them.
The first answer takes a moment, as with any model: clients start their servers meanwhile.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
import uuid
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What it says when the script is at its end.
END = "All done."
#: What it says to requests that are not about the task, such as for a title.
ASIDE = '{"title": "A title", "isNewTopic": false, "reasoning": "x", "model_choice": "pro", "complexity_score": 90}'
#: How long the first answer takes, in seconds.
FIRST_ANSWER = 1.0
#: The largest request that is read.
MOST_BYTES = 50_000_000


class Step(NamedTuple):
    """A tool call of the script: the plain names of the tool and of its arguments."""

    tool: str
    arguments: dict[str, Any]


class Offer(NamedTuple):
    """A tool that a client offers."""

    name: str
    namespace: str
    arguments: dict[str, str]

    @property
    def full(self) -> str:
        return f"{self.namespace}.{self.name}" if self.namespace else self.name


def plain(name: str) -> str:
    """A name without the marks of its style."""
    return name.replace("_", "").replace("-", "").lower()


def offer(described: dict[str, Any], namespace: str = "") -> Offer:
    tool = described.get("function", described)
    schema = tool.get("input_schema") or tool.get("parameters") or tool.get("parametersJsonSchema") or {}
    names = {plain(name): name for name in schema.get("properties", {})}
    return Offer(tool.get("name") or tool.get("type", ""), namespace, names)


def offers_in(body: dict[str, Any]) -> list[Offer]:
    """The tools of a request, in any API."""
    found: list[Offer] = []
    for tool in body.get("tools") or ():
        if tool.get("type") == "namespace":
            found += [offer(inner, tool["name"]) for inner in tool.get("tools", ())]
        elif "functionDeclarations" in tool:
            found += [offer(inner) for inner in tool["functionDeclarations"]]
        else:
            found.append(offer(tool))
    return found


def results_in(body: dict[str, Any]) -> list[str]:
    """The texts of the tool results in a conversation, in order, in any API."""
    found: list[str] = []
    items = [item for item in body.get("input") or () if isinstance(item, dict)]
    found += [text_in(item["output"]) for item in items if item.get("type") == "function_call_output"]
    for message in body.get("messages") or ():
        if message["role"] == "tool":
            found.append(text_in(message["content"]))
        elif isinstance(message["content"], list):
            blocks = [block for block in message["content"] if block.get("type") == "tool_result"]
            found += [text_in(block.get("content", "")) for block in blocks]
    for content in body.get("contents") or ():
        responses = [
            part["functionResponse"]["response"] for part in content.get("parts", ()) if "functionResponse" in part
        ]
        found += [str(one.get("error") or one.get("output") or json.dumps(one)) for one in responses]
    return found


def text_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content)


class ScriptedModel:
    """A model with a script. Use it as a context; `port` is where it listens."""

    def __init__(self, script: Sequence[Step]) -> None:
        self._script = script
        #: The requests that offered tools.
        self.requests: list[dict[str, Any]] = []
        #: When each of them came, in seconds of a clock that only goes forward.
        self.arrivals: list[float] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def results(self) -> list[str]:
        """What the tools answered so far."""
        return max(map(results_in, self.requests), key=len, default=[])

    @property
    def offered(self) -> list[str]:
        """The names of the tools in the first request."""
        return [tool.full for tool in offers_in(self.requests[0])] if self.requests else []

    def due(self, body: dict[str, Any], calls: int) -> str | tuple[Offer, dict[str, Any]]:
        """What to answer after so many calls: a text, or a call."""
        if not body.get("tools"):
            return ASIDE
        self.requests.append(body)
        self.arrivals.append(time.monotonic())
        if len(self.requests) == 1:
            time.sleep(FIRST_ANSWER)
        if calls >= len(self._script):
            return END
        step = self._script[calls]
        tool = self._find(step.tool, offers_in(body))
        return tool, {tool.arguments.get(name, name): value for name, value in step.arguments.items()}

    @staticmethod
    def _find(name: str, offers: list[Offer]) -> Offer:
        """The tool of Suture, or the client's own of that name; without one, a name that the client refuses."""
        ours = [tool for tool in offers if "suture" in tool.full and plain(tool.full).endswith(f"suture{plain(name)}")]
        ours = ours or [tool for tool in offers if "suture" in tool.full and plain(tool.name) == plain(name)]
        own = [tool for tool in offers if plain(tool.name) == plain(name)]
        return (ours or own or [Offer(f"suture_{name}", "", {})])[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []}
        self._send_json(listed if "models" in self.path else {})

    def do_POST(self) -> None:
        raw = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST_BYTES))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        body = json.loads(raw or b"{}")
        model: ScriptedModel = self.server.model  # type: ignore[attr-defined]
        # A client that was killed does not read the answer.
        with suppress(BrokenPipeError, ConnectionResetError):
            if "count_tokens" in self.path or "countTokens" in self.path:
                self._send_json({"input_tokens": 100, "totalTokens": 100})
            elif "/responses" in self.path:
                self._send_events(responses_events(model, body))
            elif "/chat/completions" in self.path:
                self._chat(model, body)
            elif "/messages" in self.path:
                self._messages(model, body)
            elif "enerateContent" in self.path:
                self._gemini(model, body)
            else:
                self._send_json({})

    def _chat(self, model: ScriptedModel, body: dict[str, Any]) -> None:
        message, end = chat_message(model, body)
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            self._send_json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        chunks = [
            {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
            {**base, "choices": [], "usage": usage},
        ]
        self._send("text/event-stream", "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n")

    def _messages(self, model: ScriptedModel, body: dict[str, Any]) -> None:
        events = list(messages_events(model, body))
        if body.get("stream"):
            self._send_events(events)
            return
        message = {**events[0]["message"], **events[-2]["delta"], "content": [events[1]["whole"]]}
        self._send_json(message)

    def _gemini(self, model: ScriptedModel, body: dict[str, Any]) -> None:
        parts = [part for content in body.get("contents", ()) for part in content.get("parts", ())]
        due = model.due(body, sum("functionCall" in part for part in parts))
        part = {"text": due} if isinstance(due, str) else {"functionCall": {"name": due[0].name, "args": due[1]}}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        content = {"role": "model", "parts": [part]}
        whole = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
        if "stream" in self.path:
            self._send("text/event-stream", f"data: {json.dumps(whole)}\n\n")
        else:
            self._send_json(whole)

    def _send_json(self, data: object) -> None:
        self._send("application/json", json.dumps(data))

    def _send_events(self, events: Any) -> None:
        self._send("text/event-stream", "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def responses_events(model: ScriptedModel, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The stream of OpenAI's Responses API."""
    kinds = [item.get("type") for item in body.get("input", ()) if isinstance(item, dict)]
    due = model.due(body, kinds.count("function_call"))
    if isinstance(due, str):
        content = [{"type": "output_text", "text": due, "annotations": []}]
        item = {"type": "message", "id": new("msg"), "role": "assistant", "status": "completed", "content": content}
    else:
        tool, arguments = due
        item = {"type": "function_call", "id": new("fc"), "call_id": new("call"), "status": "completed"}
        item |= {"name": tool.name, "arguments": json.dumps(arguments)}
        item |= {"namespace": tool.namespace} if tool.namespace else {}
    usage = {
        "input_tokens": 10,
        "output_tokens": 10,
        "total_tokens": 20,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    whole = {"id": new("resp"), "object": "response", "status": "completed", "model": "fake", "output": [item]}
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**whole, "usage": usage}}


def chat_message(model: ScriptedModel, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The message of OpenAI's Chat Completions API, and how it ends."""
    said = [message for message in body["messages"] if message["role"] == "assistant"]
    due = model.due(body, sum(len(message.get("tool_calls") or ()) for message in said))
    if isinstance(due, str):
        return {"role": "assistant", "content": due}, "stop"
    function = {"name": due[0].name, "arguments": json.dumps(due[1])}
    call = {"index": 0, "id": new("call"), "type": "function", "function": function}
    return {"role": "assistant", "tool_calls": [call]}, "tool_calls"


def messages_events(model: ScriptedModel, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The stream of Anthropic's Messages API."""
    said = [message["content"] for message in body["messages"] if message["role"] == "assistant"]
    blocks = [block for content in said if isinstance(content, list) for block in content]
    is_aside = bool(body.get("output_config", {}).get("format"))
    due = ASIDE if is_aside else model.due(body, sum(block.get("type") == "tool_use" for block in blocks))
    if isinstance(due, str):
        block: dict[str, Any] = {"type": "text", "text": due}
        empty: dict[str, Any] = {"type": "text", "text": ""}
        delta, stop = {"type": "text_delta", "text": due}, "end_turn"
    else:
        block = {"type": "tool_use", "id": new("toolu"), "name": due[0].name, "input": due[1]}
        empty, stop = {**block, "input": {}}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(due[1])}
    usage = {"input_tokens": 10, "output_tokens": 1}
    message: dict[str, Any] = {"id": new("msg"), "type": "message", "role": "assistant", "content": []}
    message |= {"model": body.get("model"), "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": empty, "whole": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def new(kind: str) -> str:
    return f"{kind}_{uuid.uuid4().hex[:16]}"
