"""A stream is read as the calls that it carries, in whatever pieces they come, and never as less if it is cut off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st
from tests.shared.streams import ENCODERS, as_lines, as_list, as_server_events

from suture import PatchInvalidError, parse
from suture.format import PatchParser

if TYPE_CHECKING:
    from typing import Any

texts = st.text(st.sampled_from('ab\n"\\{}[]é\u2028 '), min_size=1, max_size=20)
calls = st.lists(
    st.one_of(
        st.tuples(st.just("edit"), st.fixed_dictionaries({"path": st.just("a.py"), "before": texts, "after": texts})),
        st.tuples(st.just("Write"), st.fixed_dictionaries({"file_path": st.just("b.py"), "content": texts})),
        st.tuples(st.just("read"), st.fixed_dictionaries({"path": st.just("a.py")})),
    ),
    min_size=1,
    max_size=3,
)
sizes = st.lists(st.integers(1, 30), min_size=1, max_size=3)


def whole(every: list[tuple[str, dict[str, Any]]]) -> object:
    """What the calls are read as, without a stream."""
    return outcome(json.dumps([{"name": name, "input": arguments} for name, arguments in every]))


def outcome(text: str) -> object:
    try:
        return parse(text).operations
    except PatchInvalidError:
        return None


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
@given(every=calls, sizes=sizes)
@settings(max_examples=60)
def test_a_stream_is_read_as_its_calls(encoder: Any, every: Any, sizes: list[int]) -> None:
    events = encoder(every, sizes)
    for written in (as_lines(events), as_server_events(events), as_list(events)):
        assert outcome(written) == whole(every)


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
@given(every=calls, sizes=sizes, data=st.data())
@settings(max_examples=60)
def test_a_stream_that_is_cut_off_is_refused_or_read_wholly(
    encoder: Any, every: Any, sizes: list[int], data: st.DataObject
) -> None:
    text = as_lines(encoder(every, sizes))
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert outcome(cut) in (None, whole(every))


@given(every=calls, sizes=sizes)
@settings(max_examples=30)
def test_it_does_not_matter_where_the_pieces_of_a_text_end(every: Any, sizes: list[int]) -> None:
    text = as_server_events(ENCODERS["anthropic"](every, [7]))
    parser = PatchParser()
    at = 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        parser.feed(text[at : at + size])
        at += size
    try:
        operations: object = parser.close().operations
    except PatchInvalidError:
        operations = None
    assert operations == whole(every)


def test_text_that_is_streamed_may_have_edits() -> None:
    said = "app.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    deltas = [{"type": "text_delta", "text": said[at : at + 5]} for at in range(0, len(said), 5)]
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ]
    assert parse(as_lines(events)).operations == parse(said).operations


def test_a_call_without_its_end_is_named() -> None:
    events = ENCODERS["openai-chat"]([("edit", {"path": "a.py", "before": "x", "after": "y"})], [4])
    with pytest.raises(PatchInvalidError, match="may have been cut off"):
        parse(as_lines(events[:-3]))
