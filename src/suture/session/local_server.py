"""What the programs that serve have in common: a socket that listens, and an end at a signal."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What ends a server.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        OSError: the address is wrong or in use.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=256)
    os.set_inheritable(listener.fileno(), False)
    return listener


@contextmanager
def stop_on_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Stop at a signal instead of raising KeyboardInterrupt in the middle of anything."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    for number in heard:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
