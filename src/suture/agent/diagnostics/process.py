"""A subprocess with pipes that never outlives us.

It has its own process group, on Windows its own job, so that its children end with it. A task keeps it: when the event
loop ends, the task is canceled and the program killed. If a loop is dropped without that, the garbage collector or the
interpreter's exit kills it; if we are killed ourselves, the program reads the end of its input.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import weakref
from contextlib import suppress

from ...core.system import absolute_search_path

if sys.platform == "win32":
    from ..windows_jobs import WindowsJob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

#: How many bytes of its error output are kept to explain its exit.
_TAIL = 2000
#: How long a child that left the process group may hold the pipes after the exit, in seconds.
_LINGER = 0.2


async def run_process(
    command: Sequence[str],
    folder: str,
    on_output: Callable[[bytes], None] = lambda _: None,
    *,
    data: bytes = b"",
    path: str = "",
) -> Process:
    """Run a program with `data` as its input until it exits, and return it; canceling this kills it.

    Raises:
        OSError: it cannot be started.
    """
    process = await Process.start(command, folder, on_output, lambda _: None, path=path)
    try:
        process.write(data)
        process.finish_input()
        await process.wait()
    finally:
        process.kill()
        await process.wait()
    return process


class ProcessGroup:
    """A program and the programs that it starts. A missing one is no error."""

    def __init__(self, pid: int) -> None:
        self._owner = os.getpid()
        self._pid = pid
        if sys.platform == "win32":
            self._job = WindowsJob(pid)

    def ask_to_end(self) -> None:
        """Ask them to end. Windows has no way to ask a program without a window."""
        if sys.platform != "win32":
            self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End them, unless we are a fork of the process that started them."""
        if sys.platform == "win32":
            self._job.end()
        else:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if sys.platform != "win32" and os.getpid() == self._owner:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, number)


class Process(asyncio.SubprocessProtocol):
    """A running program: `start` creates one, `write` sends input, `end` or `kill` stop it.

    `on_output` is called with each piece of its output, `on_exit` once with the process itself,
    after it has exited and its output is read.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_exit: Callable[[Process], None]) -> None:
        loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._on_exit = on_exit
        self._exited = loop.create_future()
        self._lost = loop.create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._finalizer: weakref.finalize[[], Process] | None = None
        self._group: ProcessGroup | None = None
        self._errors = b""

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        folder: str,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[Process], None],
        *,
        path: str = "",
    ) -> Self:
        """Start a program in a directory; `path` replaces its PATH, of which relative directories are left out.

        Raises:
            OSError: it cannot be started.
        """
        loop = asyncio.get_running_loop()
        environment = {**os.environ, "PATH": path or absolute_search_path()}
        _, process = await loop.subprocess_exec(
            lambda: cls(on_output, on_exit),
            *command,
            cwd=folder,
            env=environment,
            start_new_session=sys.platform != "win32",
        )
        process._keeper = loop.create_task(process._keep())  # noqa: SLF001 - same class
        return process

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._transport.get_returncode() if self._transport else None

    @property
    def last_words(self) -> str:
        """The last nonblank line of its error output."""
        lines = [line.strip() for line in self._errors.decode("utf-8", "replace").splitlines()]
        return next((line[:200] for line in reversed(lines) if line), "")

    def write(self, data: bytes) -> int:
        """Send input without waiting; returns how many bytes are still buffered."""
        pipe = self._stdin()
        if pipe is None:
            return 0
        pipe.write(data)
        return pipe.get_write_buffer_size()

    def finish_input(self) -> None:
        """Close its input."""
        pipe = self._stdin()
        if pipe is not None:
            pipe.close()

    async def wait(self) -> None:
        """Wait until it has exited and its output is read."""
        if self._keeper is not None:
            await asyncio.wait([self._keeper])

    async def end(self, grace: float) -> None:
        """Stop it: close its input, ask it to end, then kill it, `grace` seconds apart."""
        try:
            self.finish_input()
            if not await self._gone_within(grace):
                if self._group is not None:
                    self._group.ask_to_end()
                await self._gone_within(grace)
        finally:
            self.kill()
        await self.wait()

    def kill(self) -> None:
        """Kill it and its process group."""
        if not self._lost.done():
            self._kill_group()
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

    def _kill_group(self) -> None:
        if self._group is not None:
            self._group.kill()

    async def _keep(self) -> None:
        """Wait for its exit; canceling this kills it."""
        try:
            await asyncio.shield(self._lost)
        finally:
            self.kill()
            # Close the pipes only after it is reaped; otherwise the transport would reap it a second time.
            await asyncio.wait([self._exited])
            assert self._transport is not None, "BUG: a process is kept before it is started"
            self._transport.close()
            await asyncio.wait([self._lost])

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The program was started."""
        assert isinstance(transport, asyncio.SubprocessTransport), "BUG: not the transport of a process"
        self._transport = transport
        self._group = ProcessGroup(transport.get_pid())
        self._finalizer = weakref.finalize(self, self._group.kill)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """The program wrote to its output or error output."""
        if fd == 1:
            self._on_output(data)
        else:
            self._errors = (self._errors + data)[-_TAIL:]

    def process_exited(self) -> None:
        """The program exited: kill its children and read its pipes to the end."""
        self._kill_group()
        assert self._transport is not None, "BUG: a process exited before it was started"
        asyncio.get_running_loop().call_later(_LINGER, self._transport.close)
        if not self._exited.done():
            self._exited.set_result(None)

    def connection_lost(self, _: Exception | None) -> None:
        """The program exited and all its pipes are closed."""
        if self._finalizer is not None:
            self._finalizer.detach()
        for future in (self._exited, self._lost):
            if not future.done():
                future.set_result(None)
        self._on_exit(self)
