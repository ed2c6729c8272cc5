"""The readers of `suture.replay`: each transcript gives its edits, and no transcript stops a reader."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.shared import transcripts as made

from suture.replay.readers import READERS, find_reader
from suture.replay.rebuild import read_edits
from suture.replay.recording import Recording, TranscriptFile
from suture.replay.sources import Source
from suture.replay.transcript_limits import MOST_RECORD_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from suture.replay.recorded_edit import RecordedEdit

#: How a transcript is put into a folder, and the agent that it is of.
FILES: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "claude-code": ("claude-code", "11111111-aaaa.jsonl", made.claude_code),
    "claude-code, newer": ("claude-code", "1.jsonl", lambda: made.claude_code(recorded=False)),
    "codex": ("codex", "rollout-1.jsonl", made.codex),
    "opencode": ("opencode", "session.json", made.opencode),
    "gemini-cli": ("gemini-cli", "session-1.json", made.gemini_cli),
    "gemini-cli, lines": ("gemini-cli", "session-1.jsonl", made.gemini_cli_lines),
    "copilot-cli": ("copilot-cli", "events.jsonl", made.copilot_cli),
    "cline": ("cline", "api_conversation_history.json", made.cline),
    "cline, markup": ("cline", "api_conversation_history.json", lambda: made.cline(markup=True)),
    "roo-code": ("cline", "api_conversation_history.json", lambda: made.cline("apply_diff")),
}
FOLDERS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "opencode, files": ("opencode", made.opencode_files),
    "opencode, database": ("opencode", lambda folder: made.opencode_database(folder / "opencode.db")),
    "aider": ("aider", made.aider),
}


def read(folder: Path) -> tuple[list[RecordedEdit], list[Recording]]:
    """The edits of the transcripts in a folder, and what was read."""
    recordings: list[Recording] = []
    return list(read_edits(Source(folder), lambda _, recording: recordings.append(recording))), recordings


def check(agent: str, edits: list[RecordedEdit], recordings: list[Recording]) -> None:
    """The first edit was accepted, the second rejected, and the file before both is certain."""
    accepted, rejected = edits[:2]
    assert [recording.agent for recording in recordings] == [agent]
    assert accepted.agent == agent
    assert accepted.model in ("claude-x", "gpt-x", "gemini-x", "model-x")
    assert (accepted.verdict, accepted.reason) == ("accepted", "")
    assert (accepted.before, accepted.results[0].rstrip("\n")) == (made.BEFORE, made.AFTER.rstrip("\n"))
    assert (rejected.verdict, rejected.reason) == ("rejected", "not found")
    assert rejected.before == made.AFTER
    assert [edit.verdict for edit in edits[2:]] in ([], ["accepted"])


@pytest.mark.parametrize("name", FILES)
def test_a_transcript_gives_its_edits(name: str, tmp_path: Path) -> None:
    agent, file, make = FILES[name]
    (tmp_path / file).write_bytes(make())
    edits, recordings = read(tmp_path)
    check(agent, edits, recordings)
    assert [kind for kind in recordings[0].unknown if "new" in kind], "a record that nobody knows is named"


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_an_agent_gives_its_edits(name: str, tmp_path: Path) -> None:
    agent, make = FOLDERS[name]
    make(tmp_path)
    edits, recordings = read(tmp_path)
    check(agent, edits, recordings)


def test_the_files_of_a_database_stay_as_they_are(tmp_path: Path) -> None:
    made.opencode_database(tmp_path / "opencode.db")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    _, [recording] = read(tmp_path)
    assert recording.broken == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_database_that_its_agent_has_open_is_read_with_its_log(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    made.opencode_database(path)
    with closing(sqlite3.connect(path)) as agent:
        agent.execute("PRAGMA journal_mode=WAL")
        agent.execute("DELETE FROM part WHERE id = 'prt_9'")
        agent.commit()
        before = {name: (tmp_path / name).read_bytes() for name in ("opencode.db", "opencode.db-wal")}
        edits, [recording] = read(tmp_path)
        assert (len(edits), recording.broken) == (3, 0)
        assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_what_followed_a_rejected_edit_is_counted(tmp_path: Path) -> None:
    (tmp_path / "rollout-1.jsonl").write_bytes(made.codex())
    _, rejected, _ = read(tmp_path)[0]
    assert (rejected.follow_up_calls, rejected.follow_up_tokens) == (2, 77)


def test_copies_of_a_session_count_once(tmp_path: Path) -> None:
    whole = made.claude_code()
    (tmp_path / "1.jsonl").write_bytes(whole)
    (tmp_path / "2.jsonl").write_bytes(whole)
    assert len(read(tmp_path)[0]) == 2


@pytest.mark.parametrize("name", FILES)
def test_a_transcript_can_end_anywhere(name: str, tmp_path: Path) -> None:
    """As one does while its agent is at work, or after it was killed."""
    _, file, make = FILES[name]
    data = make()
    for end in range(0, len(data), max(1, len(data) // 40)):
        (tmp_path / file).write_bytes(data[:end])
        for edit in read(tmp_path)[0]:
            assert edit.before in (None, made.BEFORE, made.AFTER)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where each value of a document is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in paths_in(one, (*path, key)))]


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A document with another value at a place."""
    if not path:
        return value
    for key in path[:-1]:
        document = document[key]
    document[path[-1]] = value
    return None


@settings(max_examples=60)
@given(data=st.data())
def test_any_value_can_be_anything(data: st.DataObject) -> None:
    """Formats change, and files are broken: a reader meets another type at any place and goes on."""
    _, file, make = FILES[data.draw(st.sampled_from(sorted(FILES)))]
    text = make().decode()
    documents = [json.loads(line) for line in text.splitlines()] if ".jsonl" in file else [json.loads(text)]
    number = data.draw(st.integers(0, len(documents) - 1))
    place = data.draw(st.sampled_from(paths_in(documents[number])))
    value = data.draw(VALUES)
    changed = put(documents[number], place, value)
    if not place:
        documents[number] = changed
    written = "\n".join(json.dumps(document) for document in documents).encode()
    for reader in READERS:
        one = reader()
        one.read(TranscriptFile(file, written))
        list(one.recording.timelines())


GARBAGE = {
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "no JSON": b"{{{{\n" * 50,
    "nested": b"[" * 100_000,
    "deep object": b'{"sessionId": ' * 50_000,
    "large number": b'{"sessionId": ' + b"9" * 10_000 + b"}\n",
    "lone surrogates": b'{"sessionId": "\\ud800", "type": "user", "message": {"content": [{"type": "\\udfff"}]}}\n',
    "a list": b"[1, 2, 3]\n",
    "no object": b'"sessionId"\n5\nnull\n',
    "markers alone": b"<<<<<<< SEARCH\n" * 2000,
}


@pytest.mark.parametrize("name", GARBAGE)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.agent)
def test_garbage_is_counted_or_ignored(reader: Any, name: str) -> None:
    one = reader()
    one.read(TranscriptFile("x.jsonl", GARBAGE[name]))
    assert [
        session for session, items in one.recording.timelines() if any(hasattr(item, "changes") for item in items)
    ] == []


def test_a_file_that_nobody_knows_is_left_alone(tmp_path: Path) -> None:
    assert find_reader("package.json", b'{"name": "x", "version": "1"}') is None
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "pipe.jsonl").symlink_to("/dev/zero")
    assert read(tmp_path) == ([], [])


def test_names_of_unknown_records_are_bounded() -> None:
    recording = Recording("x")
    for number in range(1000):
        recording.count_unknown(f"{number}" * 100)
    assert len(recording.unknown) == MOST_RECORD_NAMES + 1
    assert max(map(len, recording.unknown)) <= 60
    assert recording.unknown.total() == 1000
