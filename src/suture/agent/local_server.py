"""What the programs that serve have in common: a socket that listens, and an end at a signal."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from contextlib import contextmanager

from ..core.system import ENDING_SIGNALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: What ends a server.
SIGNALS = (signal.SIGINT, *ENDING_SIGNALS)
#: How many connections wait in the system until they are accepted. A client that finds no room waits a second.
WAITING = 1024


class Listener(socket.socket):
    """A socket that listens, whose queue does not depend on how many connections asyncio accepts at a time.

    asyncio uses one number for both, and what it accepts at a time has to be few.
    """

    def listen(self, _: int = WAITING, /) -> None:
        """Listen, with room for connections that wait."""
        super().listen(WAITING)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        OSError: the address is wrong or in use.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.create_server((host, port), family=family, backlog=WAITING)
    listener = Listener(bound.family, bound.type, bound.proto, bound.detach())
    listener.set_inheritable(False)
    return listener


@contextmanager
def stop_on_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Stop at a signal instead of raising KeyboardInterrupt in the middle of anything."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    for number in heard:
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        else:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in heard:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])
