"""What is slow takes one thread of the server, and leaves the others to the answers of a person."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette")

from starlette.requests import Request as HttpRequest

from suture.review.api_call import ApiCall, handle_call
from suture.review.syntax_colors import SyntaxColors

if TYPE_CHECKING:
    from starlette.responses import Response


def http_request() -> HttpRequest:
    return HttpRequest({"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []})


def test_slow_colors_do_not_hold_up_an_answer() -> None:
    """The lexers of some files took all threads for minutes, and nothing could be approved or rejected."""
    may_end = threading.Event()

    def wait(_call: ApiCall) -> dict[str, str]:
        may_end.wait()
        return {}

    async def run() -> list[Response]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
        slow = handle_call(wait, SyntaxColors().turn)
        colors = [asyncio.ensure_future(slow(http_request())) for _ in range(9)]
        await asyncio.sleep(0)
        try:
            answer = await handle_call(lambda _: {"kind": "once"})(http_request())
        finally:
            may_end.set()
        return [answer, *await asyncio.gather(*colors)]

    answer, *colors = asyncio.run(run())
    assert bytes(answer.body) == b'{"kind":"once"}'
    assert [one.status_code for one in colors] == [200] * 9
