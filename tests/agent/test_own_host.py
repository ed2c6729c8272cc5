"""Which `Host` headers are a server's own: a name that it knows, alone or with the number of a port."""

from __future__ import annotations

import pytest

from suture.agent.own_host import LOOPBACK, is_own_host

NAMES = {*LOOPBACK, "proxy.example", "proxy.example:8443"}


@pytest.mark.parametrize(
    "host",
    [*LOOPBACK, "LOCALHOST", "localhost:80", "[::1]:65535", "127.0.0.1:1", "proxy.example:8443", "proxy.example:90"],
)
def test_a_known_name_with_or_without_a_port(host: str) -> None:
    assert is_own_host([host], NAMES.__contains__)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ":80",
        "evil.example",
        "localhost:1@evil",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:99999999",
        "localhost:+80",
        "localhost:8_0",
        "localhost:\u0661",
        "localhost:80:80",
        "localhost.",
        "[::1]:x",
        "[::1]80",
        "::1:80",
        "127.0.0.1:*",
        "proxy.example:8443:1",
    ],
)
def test_anything_else_is_a_stranger(host: str) -> None:
    assert not is_own_host([host], NAMES.__contains__)


def test_there_is_exactly_one() -> None:
    assert not is_own_host([], NAMES.__contains__)
    assert not is_own_host(["localhost", "localhost"], NAMES.__contains__)
