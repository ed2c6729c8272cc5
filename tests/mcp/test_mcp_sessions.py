"""The sessions of a server: each client has its own, there are not too many of them, and a busy one is never ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError
from suture.mcp import session_pool
from suture.mcp.server_settings import ServerSettings
from suture.mcp.session_pool import SessionPool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from suture import Session


async def no_roots() -> Sequence[str]:
    return ()


async def session_of(pool: SessionPool, key: str) -> Session:
    """The session that a call of a client gets, after the call."""
    async with pool.session(key, "tests", no_roots) as client:
        return client.session


def test_beyond_the_limit_the_session_that_was_idle_longest_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_pool, "MOST_SESSIONS", 2)

    async def main() -> None:
        pool = SessionPool(ServerSettings(root=str(tmp_path)))
        first, second = await session_of(pool, "first"), await session_of(pool, "second")
        assert await session_of(pool, "first") is first
        await session_of(pool, "third")
        assert await session_of(pool, "first") is first
        assert await session_of(pool, "second") is not second
        await pool.close()

    asyncio.run(main())


def test_beyond_the_limit_a_client_is_refused_if_all_sessions_are_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_pool, "MOST_SESSIONS", 1)

    async def main() -> None:
        pool = SessionPool(ServerSettings(root=str(tmp_path)))
        async with pool.session("first", "tests", no_roots) as busy:
            with pytest.raises(PatchRejectedError) as refused:
                await session_of(pool, "second")
            assert refused.value.problems[0].code == "locked"
            assert await session_of(pool, "first") is busy.session
        assert await session_of(pool, "second") is not busy.session
        await pool.close()

    asyncio.run(main())
