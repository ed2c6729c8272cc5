"""Messages on standard input and output: lines of JSON, read and written by threads, so that nothing else waits.

While the server runs, the two descriptors lead elsewhere: what a formatter or a language server prints is not a
message, and what they read is not meant for them.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import deque
from queue import SimpleQueue

from .server_limits import LARGEST_CLIENT_MESSAGE
from .static_requests import INVALID_REQUEST, PARSE_ERROR, ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .static_requests import StaticRequests

    Message = dict[str, Any]

#: How many bytes are read at once.
PIECE = 1 << 16
#: How long the last messages may take to be read by the client, in seconds.
LAST_WRITE = 2.0


class MessageLines:
    """Lines from pieces of any size. A line that is too long for a message is cut where it is."""

    def __init__(self) -> None:
        self._whole: deque[bytes] = deque()
        #: The pieces of a line that goes on, and their size.
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Take the next piece: only in it can a line end, so what was there is not looked through again."""
        first, *others = piece.split(b"\n")
        self._add_to_line(first)
        for part in others:
            self._whole.append(b"".join(self._pieces))
            self._pieces, self._size = [], 0
            self._add_to_line(part)

    def _add_to_line(self, part: bytes) -> None:
        if self._size <= LARGEST_CLIENT_MESSAGE:
            self._pieces.append(part)
            self._size += len(part)

    def next(self) -> bytes | None:
        """The next whole line; None if none has come."""
        return self._whole.popleft() if self._whole else None

    def rest(self) -> bytes:
        """Take the line that has no end at the end of the input; empty if it is too long."""
        line = b"".join(self._pieces)
        self._pieces, self._size = [], 0
        return line if len(line) <= LARGEST_CLIENT_MESSAGE else b""


class StdioWire:
    """The two descriptors as a source and a sink of messages."""

    def __init__(self) -> None:
        """Take the descriptors.

        Raises:
            OSError: one of them is closed.
        """
        self._input, self._output = os.dup(0), os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self._lines = MessageLines()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer: threading.Thread | None = None

    def receive(self) -> Message | ProtocolError | None:
        """Wait for the next message; an error if a line is none, and None at the end."""
        while True:
            while (line := self._lines.next()) is not None:
                if len(line) > LARGEST_CLIENT_MESSAGE:
                    return ProtocolError(INVALID_REQUEST, f"A message may have {LARGEST_CLIENT_MESSAGE} bytes.")
                if line.strip():
                    return _parse(line)
            try:
                piece = os.read(self._input, PIECE)
            except OSError:
                return None
            if not piece:
                line = self._lines.rest()
                return _parse(line) if line.strip() else None
            self._lines.add(piece)

    def read_in_background(self, deliver: Callable[[Message | ProtocolError | None], object]) -> None:
        """Hand on every further message, from a thread. The last one is None."""

        def read() -> None:
            while True:
                message = self.receive()
                deliver(message)
                if message is None:
                    return

        threading.Thread(target=read, name="suture: standard input", daemon=True).start()

    def send(self, message: Message) -> None:
        """Send a message. A client that is gone is noticed by the end of its input."""
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        line = data.encode("utf-8", "replace") + b"\n"
        if self._writer is None:
            self._write(line)
        else:
            self._outgoing.put(line)

    def write_in_background(self) -> None:
        """From now on, send from a thread: a client that does not read holds up nothing."""
        self._writer = threading.Thread(target=self._write_all, name="suture: standard output", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Send what is left, unless the client no longer reads."""
        if self._writer is not None:
            self._outgoing.put(None)
            self._writer.join(LAST_WRITE)

    def _write_all(self) -> None:
        while (line := self._outgoing.get()) is not None:
            self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._output, line) :]
        except OSError:
            return


def answer_at_once(wire: StdioWire, static: StaticRequests, message: Message | ProtocolError) -> bool:
    """Answer a message that needs no workspace; whether it is one."""
    if isinstance(message, ProtocolError):
        wire.send({"id": message.number, "error": message.fields})
        return True
    method, number = message.get("method"), message.get("id")
    if not isinstance(method, str) or number is None:
        # Answers and notifications are for calls, of which there are none yet. This one says that the client is ready.
        return method == "notifications/initialized"
    try:
        peer = static.peer(method, message.get("params", {}))
        result = static.answer(method, peer)
    except ProtocolError as error:
        wire.send({"id": number, "error": error.fields})
        return True
    if result is not None:
        wire.send({"id": number, "result": result})
    return result is not None


def _request_id(line: bytes) -> int | str | None:
    """The id at the beginning of a request that can't be read as a whole, as clients write it."""
    start = re.match(
        rb'\s*{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"]*"\s*,\s*)*"id"\s*:\s*(\d{1,15}|"[^"\\]{1,200}")', line
    )
    return None if start is None else json.loads(start[1])


def _parse(line: bytes) -> Message | ProtocolError:
    try:
        message = json.loads(line)
    except json.JSONDecodeError as error:
        return ProtocolError(PARSE_ERROR, f"The message is not JSON: {error}")
    except (ValueError, RecursionError):
        # A model chooses the arguments of a call; whoever waits for the answer to it gets one.
        text = "The message can't be read: a number in it is too long, or it is nested too deeply."
        unreadable = ProtocolError(PARSE_ERROR, text)
        unreadable.number = _request_id(line)
        return unreadable
    if not isinstance(message, dict) or not isinstance(message.get("params", {}), dict):
        return ProtocolError(INVALID_REQUEST, "A message is an object, and so are its params.")
    if isinstance(message.get("id"), dict | list):
        return ProtocolError(INVALID_REQUEST, "The id of a message is a number or a text.")
    return message
