"""Whether a request was sent to this server by a name of its own.

The name of another site can lead to this machine, and a browser would take what is served here for a part of that site.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: The names of this machine that no other site can have.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
#: The largest number of a port.
LAST_PORT = 65_535


def is_own_host(hosts: Sequence[str], is_own_name: Callable[[str], bool]) -> bool:
    """Whether the `Host` headers of a request are one name of ours, alone or with a port."""
    if len(hosts) != 1:
        return False
    host = hosts[0].lower()
    name, _, port = host.rpartition(":")
    # Only the address of IPv6 has colons, inside brackets.
    is_name = ":" not in name or name.endswith("]")
    return is_own_name(host) or (is_name and is_own_name(name) and _is_port(port))


def _is_port(text: str) -> bool:
    is_number = text.isascii() and text.isdigit() and len(text) <= 5
    return is_number and 0 < int(text) <= LAST_PORT
