"""JSON-RPC with a program over its input and output: frames, requests both ways, notifications.

Whatever the other side sends, nothing is raised but `Refused`, its answer that it won't, and `Broken`, with the reason
why there will be no answer any more.
"""

from __future__ import annotations

import asyncio
import json

from .process import Process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

#: A frame may have so many bytes, and so many may come one after the other without an answer to anything.
MOST_BYTES = 64_000_000
#: So many bytes may wait for a server that does not read.
MOST_UNREAD = 64_000_000
_MOST_HEADER = 4096

METHOD_NOT_FOUND = -32601
#: The server gave up on a request for now: it was cancelled, the text had changed, it has better things to do.
TRY_AGAIN = frozenset({-32800, -32801, -32802})


class Broken(Exception):
    """There is nobody to talk to any more; the text says why."""


class Refused(Exception):
    """The other side answered with an error."""

    def __init__(self, code: object, message: object) -> None:
        self.code = code
        super().__init__(str(message))


class Garbage(ValueError):
    """What came is no frame, or no message."""


class Frames:
    """Bytes to messages, in pieces of any size."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._wanted = -1

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that are complete with this piece.

        Raises:
            Garbage: this is something else.
        """
        self._buffer += data
        while True:
            if self._wanted < 0:
                end = self._buffer.find(b"\r\n\r\n", 0, _MOST_HEADER)
                if end < 0:
                    if len(self._buffer) >= _MOST_HEADER or not _may_be_header(self._buffer):
                        raise Garbage(_quoted(self._buffer))
                    return
                self._wanted = _length(bytes(self._buffer[:end]))
                del self._buffer[: end + 4]
            if len(self._buffer) < self._wanted:
                return
            body = bytes(self._buffer[: self._wanted])
            del self._buffer[: self._wanted]
            self._wanted = -1
            yield _message(body)


def frame(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent."""
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _may_be_header(data: bytearray) -> bool:
    """Whether this is the beginning of a header: a banner is found at once and not only when it is long."""
    first = bytes(data[:9]).lower()
    return first == b"content-l"[: len(first)] or first == b"content-t"[: len(first)]


def _length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit() and len(value) < 20:
            length = int(value)
            if length <= MOST_BYTES:
                return length
            message = f"a message of {length} bytes"
            raise Garbage(message)
    raise Garbage(_quoted(header))


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise Garbage(_quoted(body)) from None
    if not isinstance(message, dict):
        raise Garbage(_quoted(body))
    return message


def _quoted(data: bytes | bytearray) -> str:
    """The beginning of what came, at most a line of it: how much more there is depends on the moment."""
    start = bytes(data[:40])
    return repr(start[: start.find(b"\n") + 1 or len(start)].decode("utf-8", "replace"))


class Connection:
    """A program that is talked to.

    `answer` is called with the method and parameters of each of its requests and gives the result, or raises Refused;
    `notice` is called with those of each notification; `broke` once, when there is nobody to talk to any more.
    """

    def __init__(
        self,
        name: str,
        answer: Callable[[str, Any], object],
        notice: Callable[[str, Any], None],
        broke: Callable[[], None],
    ) -> None:
        self._name = name
        self._answer = answer
        self._notice = notice
        self._broke = broke
        self._process: Process | None = None
        self._frames = Frames()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._last_id = 0
        self._unasked = 0
        #: Why there is nobody to talk to; empty while there is.
        self.broken = ""

    async def open(self, command: Sequence[str], folder: str, path: str) -> None:
        """Start the program; `path` is where it looks for others.

        Raises:
            Broken: it can't be started.
        """
        try:
            self._process = await Process.start(command, folder, self._received, self._ended, path=path)
        except (OSError, ValueError) as error:
            self._break(f"cannot be started: {getattr(error, 'strerror', None) or error}")
            raise Broken(self.broken) from error

    def kill(self) -> None:
        """End the program at once."""
        if self._process is not None:
            self._process.kill()

    async def close(self, grace: float) -> None:
        """End the program."""
        if self._process is not None:
            await self._process.end(grace)

    def check(self) -> None:
        """Raise Broken where there is nobody to talk to any more."""
        if self.broken:
            raise Broken(self.broken)

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; to nobody where the connection is broken."""
        self._send({"method": method} if params is None else {"method": method, "params": params})

    def request(self, method: str, params: object = None) -> asyncio.Future[Any]:
        """Send a request. The future gives its result, or raises Refused or Broken; cancelling it cancels that."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self.broken:
            _fail(future, Broken(self.broken))
            return future
        self._last_id += 1
        number = self._last_id
        self._waiting[number] = future
        future.add_done_callback(lambda done: self._forget(number, done))
        self._send({"id": number, "method": method} | ({} if params is None else {"params": params}))
        return future

    def _forget(self, number: int, done: asyncio.Future[Any]) -> None:
        if self._waiting.pop(number, None) is not None and done.cancelled() and not self.broken:
            self.notify("$/cancelRequest", {"id": number})

    def _send(self, message: Mapping[str, Any]) -> None:
        if not self.broken and self._process is not None and self._process.write(frame(message)) > MOST_UNREAD:
            self._break("does not read what it is sent")

    def _received(self, data: bytes) -> None:
        if self.broken:
            return
        self._unasked += len(data)
        try:
            for message in self._frames.feed(data):
                self._take(message)
        except Garbage as garbage:
            self._break(f"sent something that is no message: {garbage}")
        except Exception as error:  # noqa: BLE001 - whatever it sends must not break the event loop's own work
            self._break(f"sent something that can't be understood: {error!r}")
        if self._unasked > MOST_BYTES:
            self._break(f"sent {self._unasked} bytes that nobody asked for")

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            self._take_answer(message)
        elif "id" in message:
            try:
                answer: dict[str, Any] = {"result": self._answer(method, message.get("params"))}
            except Refused as refused:
                answer = {"error": {"code": refused.code, "message": str(refused)}}
            self._send({"id": message["id"], **answer})
        else:
            self._notice(method, message.get("params"))

    def _take_answer(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        future = self._waiting.pop(number, None) if isinstance(number, int) else None
        if future is None or future.done():
            return
        self._unasked = 0
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
        elif isinstance(error, dict):
            _fail(future, Refused(error.get("code"), error.get("message")))
        else:
            _fail(future, Refused(None, error))

    def _ended(self, process: Process) -> None:
        status, words = process.status, process.last_words
        how = f"was killed by signal {-status}" if status and status < 0 else f"ended with status {status}"
        self._break(f"{how}: {words}" if words else how)

    def _break(self, reason: str) -> None:
        if self.broken:
            return
        self.broken = f"{self._name} {reason}"
        self.kill()
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                _fail(future, Broken(self.broken))
        self._broke()


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    future.set_exception(error)
    # Nobody may be left who asks for it, and that is no error.
    future.exception()
