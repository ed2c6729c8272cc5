"""The socket of the programs that serve: on every system it listens, and no program that is started gets it."""

from __future__ import annotations

import socket

from suture.agent.local_server import listen


def test_a_listener_takes_connections_and_is_not_inherited() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert not listener.get_inheritable()
        with socket.create_connection(listener.getsockname()) as client:
            served, _ = listener.accept()
            with served:
                served.sendall(b"hello")
                assert client.recv(5) == b"hello"
