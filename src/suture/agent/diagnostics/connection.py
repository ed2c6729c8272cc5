"""JSON-RPC with a program over its stdin and stdout: frames, requests in both directions, notifications.

Whatever the other side sends, only two errors are raised: `ResponseError` if it answers with an error, and
`ConnectionBrokenError` if there will be no answer.
"""

from __future__ import annotations

import asyncio
import json

from .diagnostic_limits import LARGEST_SERVER_MESSAGE, LONGEST_FRAME_HEADER, MOST_UNREAD
from .process import Process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


METHOD_NOT_FOUND = -32601
#: The server dropped a request for now: canceled, content modified, or canceled by the server.
TRY_AGAIN = frozenset({-32800, -32801, -32802})


class ConnectionBrokenError(Exception):
    """The program is gone or unusable; the message says why."""


class ResponseError(Exception):
    """The other side answered with an error."""

    def __init__(self, code: object, message: object) -> None:
        self.code = code
        super().__init__(str(message))


class FrameError(ValueError):
    """The data is not a valid frame or message."""


class Frames:
    """Splits a stream of bytes into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length = -1

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that this piece completes.

        Raises:
            FrameError: the data is not a valid frame or message.
        """
        self._buffer += data
        while True:
            if self._length < 0:
                end = self._buffer.find(b"\r\n\r\n", 0, LONGEST_FRAME_HEADER)
                if end < 0:
                    if len(self._buffer) >= LONGEST_FRAME_HEADER or not _may_be_header(self._buffer):
                        raise FrameError(_quoted(self._buffer))
                    return
                self._length = _length(bytes(self._buffer[:end]))
                del self._buffer[: end + 4]
            if len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = -1
            yield _message(body)


def frame(message: Mapping[str, Any]) -> bytes:
    """Encode a message for sending."""
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _may_be_header(data: bytearray) -> bool:
    """Whether this can be the beginning of a header, so that a banner is noticed at once."""
    first = bytes(data[:9]).lower()
    return first == b"content-l"[: len(first)] or first == b"content-t"[: len(first)]


def _length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(value) < 20:
            length = int(value)
            if length <= LARGEST_SERVER_MESSAGE:
                return length
            message = f"a message of {length} bytes"
            raise FrameError(message)
    raise FrameError(_quoted(header))


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise FrameError(_quoted(body)) from None
    if not isinstance(message, dict):
        raise FrameError(_quoted(body))
    return message


def _quoted(data: bytes | bytearray) -> str:
    """The first line of the data, at most 40 bytes; how much more has arrived depends on timing."""
    start = bytes(data[:40])
    return repr(start[: start.find(b"\n") + 1 or len(start)].decode("utf-8", "replace"))


class Connection:
    """A JSON-RPC connection to a program.

    `on_request` is called with the method and parameters of each request and returns the result or raises
    `ResponseError`; `on_notification` with those of each notification; `on_break` once, when the connection breaks.
    """

    def __init__(
        self,
        name: str,
        on_request: Callable[[str, Any], object],
        on_notification: Callable[[str, Any], None],
        on_break: Callable[[], None],
    ) -> None:
        self._name = name
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_break = on_break
        self._process: Process | None = None
        self._frames = Frames()
        self._requests: dict[int, asyncio.Future[Any]] = {}
        self._last_id = 0
        self._unsolicited = 0
        #: Why the connection broke; empty while it works.
        self.broken = ""

    async def open(self, command: Sequence[str], folder: str, path: str) -> None:
        """Start the program; `path` is its PATH.

        Raises:
            ConnectionBrokenError: it cannot be started.
        """
        try:
            self._process = await Process.start(command, folder, self._receive_data, self._on_exit, path=path)
        except (OSError, ValueError) as error:
            self._break(f"cannot be started: {getattr(error, 'strerror', None) or error}")
            raise ConnectionBrokenError(self.broken) from error

    def kill(self) -> None:
        """Kill the program."""
        if self._process is not None:
            self._process.kill()

    async def close(self, grace: float) -> None:
        """Stop the program; each step takes up to `grace` seconds."""
        if self._process is not None:
            await self._process.end(grace)

    def check(self) -> None:
        """Raise ConnectionBrokenError if the connection is broken."""
        if self.broken:
            raise ConnectionBrokenError(self.broken)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; if the connection is broken, do nothing."""
        self._send({"method": method} if params is None else {"method": method, "params": params})

    def request(self, method: str, params: object = None) -> asyncio.Future[Any]:
        """Send a request. The future has its result or an error; canceling it cancels the request."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self.broken:
            _fail(future, ConnectionBrokenError(self.broken))
            return future
        self._last_id += 1
        number = self._last_id
        self._requests[number] = future
        future.add_done_callback(lambda done: self._forget(number, done))
        self._send({"id": number, "method": method} | ({} if params is None else {"params": params}))
        return future

    def _forget(self, number: int, done: asyncio.Future[Any]) -> None:
        if self._requests.pop(number, None) is not None and done.cancelled() and not self.broken:
            self.notify("$/cancelRequest", {"id": number})

    def _send(self, message: Mapping[str, Any]) -> None:
        if not self.broken and self._process is not None and self._process.write(frame(message)) > MOST_UNREAD:
            self._break("does not read its input")

    def _receive_data(self, data: bytes) -> None:
        if self.broken:
            return
        self._unsolicited += len(data)
        try:
            for message in self._frames.feed(data):
                self._receive(message)
        except FrameError as error:
            self._break(f"sent something that is not a message: {error}")
        except Exception as error:  # noqa: BLE001 - nothing it sends may break the event loop
            self._break(f"sent something that cannot be understood: {error!r}")
        if self._unsolicited > LARGEST_SERVER_MESSAGE:
            self._break(f"sent {self._unsolicited} unsolicited bytes")

    def _receive(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            self._receive_answer(message)
        elif "id" in message:
            try:
                answer: dict[str, Any] = {"result": self._on_request(method, message.get("params"))}
            except ResponseError as error:
                answer = {"error": {"code": error.code, "message": str(error)}}
            self._send({"id": message["id"], **answer})
        else:
            self._on_notification(method, message.get("params"))

    def _receive_answer(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        future = self._requests.pop(number, None) if isinstance(number, int) else None
        if future is None or future.done():
            return
        self._unsolicited = 0
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
        elif isinstance(error, dict):
            _fail(future, ResponseError(error.get("code"), error.get("message")))
        else:
            _fail(future, ResponseError(None, error))

    def _on_exit(self, process: Process) -> None:
        status, words = process.status, process.last_words
        how = f"was killed by signal {-status}" if status and status < 0 else f"exited with status {status}"
        self._break(f"{how}: {words}" if words else how)

    def _break(self, reason: str) -> None:
        if self.broken:
            return
        self.broken = f"{self._name} {reason}"
        self.kill()
        requests, self._requests = self._requests, {}
        for future in requests.values():
            if not future.done():
                _fail(future, ConnectionBrokenError(self.broken))
        self._on_break()


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    future.set_exception(error)
    # Marks the exception as retrieved: it is no error if nobody awaits the future.
    future.exception()
