"""A program that runs beside us, with pipes, and never longer than we want it to.

It has a process group of its own, so that what it starts ends with it. A task keeps it: when its event loop ends, the
task is cancelled and the program killed. Where a loop is dropped without that, the garbage collector or the end of the
interpreter does it; where we are killed ourselves, the program reads the end of its input.
"""

from __future__ import annotations

import asyncio
import os
import signal
import weakref
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

#: So much of what it says on its error output is kept for the reason of its end.
_TAIL = 2000
#: So long may somebody who left its group hold its pipes after it has ended, in seconds.
_LINGER = 0.2


async def status_of(command: Sequence[str], folder: str, path: str) -> int | None:
    """What a program ends with that gets no input and whose output interests nobody.

    Raises:
        OSError: it can't be started.
    """
    process = await Process.start(command, folder, lambda _: None, lambda _: None, path=path)
    try:
        process.finish_input()
        await process.wait()
    finally:
        process.kill()
        await process.wait()
    return process.status


def kill_group(owner: int, pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a process group, unless we are a fork of who started it; one that is gone is no error."""
    if os.getpid() == owner:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, number)


class Process(asyncio.SubprocessProtocol):
    """A running program: `start` makes one, `write` gives it input, `end` or `kill` end it.

    `received` is called with each piece of its output, `ended` with itself, once,
    when it has ended and its output is read.
    """

    def __init__(self, received: Callable[[bytes], None], ended: Callable[[Process], None]) -> None:
        loop = asyncio.get_running_loop()
        self._received = received
        self._ended = ended
        self._exited = loop.create_future()
        self._lost = loop.create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._finalizer: weakref.finalize[[int, int], Process] | None = None
        self._errors = b""
        self._owner = os.getpid()

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        folder: str,
        received: Callable[[bytes], None],
        ended: Callable[[Process], None],
        *,
        path: str = "",
    ) -> Self:
        """Start a program in a folder; `path` is where it looks for others, if that is not where we do.

        Raises:
            OSError: it can't be started.
        """
        loop = asyncio.get_running_loop()
        environment = {**os.environ, "PATH": path} if path else None
        _, process = await loop.subprocess_exec(
            lambda: cls(received, ended), *command, cwd=folder, env=environment, start_new_session=True
        )
        process._keeper = loop.create_task(process._keep())  # noqa: SLF001 - of the same class
        return process

    @property
    def status(self) -> int | None:
        """What it ended with, negative for a signal; None while it runs."""
        return self._transport.get_returncode() if self._transport else None

    @property
    def last_words(self) -> str:
        """The last line of its error output that says something."""
        lines = [line.strip() for line in self._errors.decode("utf-8", "replace").splitlines()]
        return next((line[:200] for line in reversed(lines) if line), "")

    def write(self, data: bytes) -> int:
        """Give it input without waiting; how many bytes it has not yet taken."""
        pipe = self._stdin()
        if pipe is None:
            return 0
        pipe.write(data)
        return pipe.get_write_buffer_size()

    def finish_input(self) -> None:
        """Tell it that no more input comes."""
        pipe = self._stdin()
        if pipe is not None:
            pipe.close()

    async def wait(self) -> None:
        """Wait until it has ended and its output is read."""
        if self._keeper is not None:
            await asyncio.wait([self._keeper])

    async def end(self, grace: float) -> None:
        """End it: no more input, then a polite signal, then one that can't be ignored, `grace` seconds apart."""
        try:
            self.finish_input()
            if not await self._gone_within(grace):
                self._signal(signal.SIGTERM)
                await self._gone_within(grace)
        finally:
            self.kill()
        await self.wait()

    def kill(self) -> None:
        """End it and all that it started, at once."""
        if not self._lost.done():
            self._signal(signal.SIGKILL)
            pipe = self._stdin()
            if pipe is not None and not self._lost.get_loop().is_closed():
                pipe.abort()

    async def _gone_within(self, seconds: float) -> bool:
        await asyncio.wait([self._lost], timeout=seconds)
        return self._lost.done()

    def _stdin(self) -> asyncio.WriteTransport | None:
        pipe = self._transport.get_pipe_transport(0) if self._transport else None
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            return None
        return pipe

    def _signal(self, number: int) -> None:
        if self._transport is not None:
            kill_group(self._owner, self._transport.get_pid(), number)

    async def _keep(self) -> None:
        """Wait for its end; whoever cancels this ends it."""
        try:
            await asyncio.shield(self._lost)
        finally:
            self.kill()
            # Its pipes are closed only once it is reaped, as the transport would otherwise reap it a second time.
            await asyncio.wait([self._exited])
            assert self._transport is not None, "BUG: a process is kept before it is started"
            self._transport.close()
            await asyncio.wait([self._lost])

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It was started."""
        assert isinstance(transport, asyncio.SubprocessTransport), "BUG: not the transport of a process"
        self._transport = transport
        self._finalizer = weakref.finalize(self, kill_group, self._owner, transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It said something."""
        if fd == 1:
            self._received(data)
        else:
            self._errors = (self._errors + data)[-_TAIL:]

    def process_exited(self) -> None:
        """It ended; what it started ends now, and its pipes are read to their end."""
        self._signal(signal.SIGKILL)
        assert self._transport is not None, "BUG: a process has ended before it was started"
        asyncio.get_running_loop().call_later(_LINGER, self._transport.close)
        if not self._exited.done():
            self._exited.set_result(None)

    def connection_lost(self, _: Exception | None) -> None:
        """It has ended and all its pipes are closed."""
        if self._finalizer is not None:
            self._finalizer.detach()
        for future in (self._exited, self._lost):
            if not future.done():
                future.set_result(None)
        self._ended(self)
