"""Frames of messages in pieces of any size, and the table of servers and what can be changed in it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from suture.agent.diagnostics import connection as connection_module
from suture.agent.diagnostics.connection import FrameError, Frames, frame
from suture.agent.diagnostics.documents import path_of, stamp_of, uri_of
from suture.agent.diagnostics.server_table import SERVERS, Server, configure_servers, find_program

if TYPE_CHECKING:
    from typing import Any

ANYTHING = st.dictionaries(st.text(max_size=3), st.none() | st.text() | st.integers(), max_size=3)


@given(st.lists(ANYTHING, max_size=4), st.integers(1, 50))
def test_messages_are_read_in_pieces_of_any_size(messages: list[dict[str, Any]], size: int) -> None:
    data = b"".join(frame(message) for message in messages)
    frames = Frames()
    read = [message for at in range(0, len(data), size) for message in frames.feed(data[at : at + size])]
    assert read == [{"jsonrpc": "2.0", **message} for message in messages]


def test_other_headers_are_passed_over() -> None:
    header = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:2\r\n\r\n{}"
    assert list(Frames().feed(header)) == [{}]
    assert list(Frames().feed(b"Content-Type: 7\r\nContent-Length: 2\r\n\r\n{}")) == [{}]


GARBAGE = [
    b"Welcome!\n",
    b"\r\n\r\n",
    b"Content-Length: many\r\n\r\n",
    b"Content-Length: -1\r\n\r\n",
    b"Content-Length: 99999999999\r\n\r\n",
    b"Content-Length: " + b"9" * 5000,
    b"Content-Type: a\r\n\r\n{}",
    b"Content-Length: 2\r\n\r\n[]",
    b"Content-Length: 2\r\n\r\n{]",
    b"Content-Length: 3\r\n\r\n\xff\xfe\xfd",
    b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
]


@pytest.mark.parametrize("data", GARBAGE, ids=range(len(GARBAGE)))
def test_what_is_no_message_is_garbage(data: bytes) -> None:
    with pytest.raises(FrameError):
        list(Frames().feed(data))


@pytest.mark.parametrize(
    ("body", "quoted"), [(b"{]", "'{]'"), (b"noise\nmore", r"'noise\n'"), (b"x" * 90, f"'{'x' * 40}'")]
)
def test_garbage_is_quoted_up_to_the_end_of_its_line(body: bytes, quoted: str) -> None:
    with pytest.raises(FrameError) as garbage:
        list(Frames().feed(b"Content-Length: %d\r\n\r\n%b" % (len(body), body)))
    assert str(garbage.value) == quoted


@given(st.binary(max_size=200))
def test_bytes_are_messages_or_garbage_and_nothing_else(data: bytes) -> None:
    for content in (data, b"Content-Length: %d\r\n\r\n%b" % (len(data), data)):
        try:
            assert all(isinstance(message, dict) for message in Frames().feed(content))
        except FrameError as garbage:
            assert len(str(garbage)) < 500  # noqa: PT017


def test_a_message_that_is_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "LARGEST_SERVER_MESSAGE", 10)
    with pytest.raises(FrameError, match="a message of 11 bytes"):
        list(Frames().feed(b"Content-Length: 11\r\n\r\n"))


@pytest.mark.parametrize("path", ["/a/b.py", "/with space/ä#?%.py", "/byte-\udcff"])
def test_an_address_is_that_of_its_path_however_it_is_quoted(path: str) -> None:
    assert path_of(uri_of(path)) == path
    assert path_of(uri_of(path).replace("/b", "/%62")) == path


@pytest.mark.parametrize("uri", [None, 7, "", "untitled:a", "https://a/b"])
def test_what_is_no_address_of_a_file_has_no_path(uri: object) -> None:
    assert path_of(uri) == ""


def test_a_file_has_a_stamp_that_changes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    assert stamp_of(str(file)) is None
    assert stamp_of("\0") is None
    file.write_text("a")
    before = stamp_of(str(file))
    assert before is not None
    file.write_text("ab")
    assert stamp_of(str(file)) != before


class TestSettings:
    def test_a_server_can_be_added_in_front(self) -> None:
        table = configure_servers({"gopls": {"command": ["gopls"], "languages": {".go": "go"}, "settle": 1}})
        assert table == (Server("gopls", ("gopls",), {".go": "go"}, settle=1), *SERVERS)

    def test_a_server_can_be_changed_and_left_out(self) -> None:
        table = configure_servers(
            {"ruff": {"command": ["ruff", "server", "--preview"]}, "pyright": False, "none": False}
        )
        assert [server.name for server in table] == [s.name for s in SERVERS if s.name != "pyright"]
        assert {s.name: s for s in table}["ruff"].command == ("ruff", "server", "--preview")

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"gopls": {"command": ["gopls"]}}, "expected a command and languages"),
            ({"ruff": True}, "expected a table of fields, or false"),
            ({"ruff": {"comand": []}}, "found comand"),
            ({"ruff": {"command": "ruff server"}}, "expected a list as command"),
            ({"ruff": {"settle": "soon"}}, "expected a float as settle"),
        ],
    )
    def test_settings_that_make_no_sense_are_named(self, settings: dict[str, Any], said: str) -> None:
        with pytest.raises(ValueError, match=said):
            configure_servers(settings)

    def test_the_table_can_be_sent(self) -> None:
        for server in SERVERS:
            assert json.dumps([dict(server.settings), dict(server.options)])


class TestPrograms:
    @pytest.fixture
    def program(self, tmp_path: Path) -> Path:
        program = tmp_path / "bin" / "some-server"
        program.parent.mkdir()
        program.touch(mode=0o755)
        return program

    def test_a_program_is_found_in_a_named_folder_or_on_the_search_path(
        self, program: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert find_program("some-server") is None
        assert find_program("some-server", [str(program.parent)]) == str(program)
        assert find_program(str(program)) == str(program)
        monkeypatch.setenv("PATH", str(program.parent))
        assert find_program("some-server") == str(program)

    def test_the_running_pythons_own_programs_are_found_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", os.devnull)
        assert find_program("ruff") == str(Path(sys.prefix) / "bin" / "ruff")

    def test_what_lies_in_the_working_folder_is_not_run(self, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An agent may write there: what it writes must not be run by us."""
        monkeypatch.chdir(program.parent.parent)
        monkeypatch.setenv("PATH", f"bin{os.pathsep}.{os.pathsep}")
        assert find_program("some-server", ["bin"]) is None
        assert find_program("bin/some-server") is None
