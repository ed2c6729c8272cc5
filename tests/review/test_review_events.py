"""The events of the review page: whoever begins to listen is told to ask again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from suture.review import event_stream
from suture.review.event_stream import EventStream

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from suture.review.inbox import Inbox, InboxItem


class EmptyInbox:
    """No request waits. The third look ends the stream, so that no test waits for an event that does not come."""

    def __init__(self) -> None:
        self.stream: EventStream | None = None
        self.looks = 0

    def pending(self) -> list[InboxItem]:
        self.looks += 1
        if self.looks == 3 and self.stream:
            self.stream.close()
        return []


def test_who_begins_to_listen_is_told_about_requests_that_went_before_the_first_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page has shown requests which are gone when the first look is taken: that none waits is news to it.
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(event_stream, "TICK", 0.01)

    async def first_event() -> bytes:
        inbox = EmptyInbox()
        stream = inbox.stream = EventStream(cast("Inbox", inbox))
        running = asyncio.create_task(stream.run())
        events = stream.listen()
        assert await anext(events) == b": welcome\n\n"
        found = await anext(events)
        stream.close()
        await running
        return found

    assert asyncio.run(first_event()) == b"event: requests\ndata: {}\n\n"
