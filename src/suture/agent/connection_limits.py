"""Limits for connections to the programs that serve, so that nobody without the token can keep the user out.

A connection is a stranger's until a request on it has shown the token. A stranger has some seconds in all, however
slowly it sends, and there is room for a few of them: the oldest one makes room for a new one. So the user, whose
browser sends its request at once, always gets in. Connections of the user have room of their own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from .agent_limits import MOST_STRANGERS, MOST_STRANGERS_OF_ADDRESS, MOST_USERS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any, TypeAlias

    Address: TypeAlias = tuple[str, int]
    #: A request or a message of ASGI, and what returns the next message.
    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]

#: How many connections are taken from the system before any of them is looked at.
BACKLOG = 32
#: How many seconds a stranger has in all, and a user for the head of the next request. Then the connection is closed.
HEAD_SECONDS = 10.0
#: How many seconds the body of a request may take. Then it is treated as cut off.
BODY_SECONDS = 30.0


class LimitedConnection:
    """One connection: its transport, and whether a request on it has shown the token."""

    def __init__(self, transport: asyncio.Transport, address: Address) -> None:
        self.address = address
        self.is_user = False
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None

    def close_later(self) -> None:
        """Close it after a time, unless this is called off."""
        self.call_off()
        self._timer = asyncio.get_running_loop().call_later(HEAD_SECONDS, self.close)

    def call_off(self) -> None:
        """Leave it open."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        """Close it at once."""
        self.call_off()
        self._transport.abort()


class ConnectionLimits:
    """The open connections of a server."""

    def __init__(self) -> None:
        #: By the address of the other side, oldest first.
        self._connections: dict[Address, LimitedConnection] = {}

    def protocol(self, base: type[asyncio.Protocol]) -> type[asyncio.Protocol]:
        """The class of a server's connections, with these limits."""
        limits = self

        class LimitedProtocol(base):  # type: ignore[misc, valid-type]
            _connection: LimitedConnection | None = None

            def connection_made(self, transport: asyncio.Transport) -> None:
                super().connection_made(transport)
                self._connection = limits.add(transport)

            def connection_lost(self, exc: Exception | None) -> None:
                if self._connection is not None:
                    limits.remove(self._connection)
                super().connection_lost(exc)

        return LimitedProtocol

    def add(self, transport: asyncio.Transport) -> LimitedConnection | None:
        """Note a new connection, and close others if there are too many; None if it is closed already."""
        other_side = transport.get_extra_info("peername")
        if other_side is None:
            transport.abort()
            return None
        connection = LimitedConnection(transport, (str(other_side[0]), int(other_side[1])))
        self._connections[connection.address] = connection
        connection.close_later()
        self._close_strangers(connection.address[0])
        return connection

    def _close_strangers(self, host: str) -> None:
        """Close the oldest stranger of a host that has too many; or, if all have, of the one that has most."""
        strangers = [one for one in self._connections.values() if not one.is_user]
        counts = Counter(one.address[0] for one in strangers)
        if counts[host] <= MOST_STRANGERS_OF_ADDRESS:
            if len(strangers) <= MOST_STRANGERS:
                return
            ((host, _),) = counts.most_common(1)
        oldest = next(one for one in strangers if one.address[0] == host)
        self.remove(oldest)
        oldest.close()

    def close_all(self, *, strangers_only: bool = False) -> None:
        """Close all connections, or those of strangers."""
        for connection in list(self._connections.values()):
            if not (strangers_only and connection.is_user):
                connection.close()

    def remove(self, connection: LimitedConnection) -> None:
        """Forget a connection that is closed."""
        connection.call_off()
        if self._connections.get(connection.address) is connection:
            del self._connections[connection.address]

    def admit(self, scope: Scope) -> bool:
        """Note that a request has shown the token; whether there is room for it."""
        connection = self._of(scope)
        if connection is None:
            return True
        if not connection.is_user and sum(one.is_user for one in self._connections.values()) >= MOST_USERS:
            return False
        connection.is_user = True
        connection.call_off()
        return True

    def end_request(self, scope: Scope) -> None:
        """Note that a request with the token has been answered."""
        connection = self._of(scope)
        if connection is not None:
            connection.close_later()

    def _of(self, scope: Scope) -> LimitedConnection | None:
        """The connection of a request; None if it is closed."""
        return self._connections.get(scope["client"])


def receive_in_time(receive: Receive) -> Receive:
    """The same, but a body that takes too long ends as if the other side had closed the connection."""
    end = asyncio.get_running_loop().time() + BODY_SECONDS
    is_complete = False

    async def receive_part() -> Scope:
        nonlocal is_complete
        if is_complete:
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            message = {"type": "http.disconnect"}
        is_complete = not message.get("more_body", False)
        return message

    return receive_part
