"""Other users of the machine: what they see opens no page, and they can't keep the user out of it."""

from __future__ import annotations

import json
import os
import queue
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.review.review_site import PATIENCE, SOURCE, TOKEN, ReviewSite
from tests.shared.permission_requests import edit_request

from suture.agent import connection_limits
from suture.agent.agent_limits import MOST_MESSAGES, MOST_STRANGERS
from suture.review import one_time_link
from suture.review.gate import Gate

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = b"GET /api/requests HTTP/1.1\r\nHost: 127.0.0.1\r\n"

#: A program of another user: reads the arguments of all processes, and tries everything that could be a secret.
SPY = r"""
import json, os, re, sys, urllib.error, urllib.request

port = sys.argv[1]
arguments, opened = set(), []
for number in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            arguments |= set(file.read().decode("utf-8", "replace").split("\0"))
    except OSError:
        pass
texts = [one for one in arguments if port in one or "suture" in one]
for one in list(texts):
    try:
        with open(one.removeprefix("file://")) as file:
            texts.append(file.read(100_000))
    except (OSError, ValueError):
        pass
secrets = {secret for text in texts for secret in re.findall(r"[\w-]{20,}", text)}

def attempt(path, headers, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code

for secret in secrets:
    code = json.dumps({"code": secret}).encode()
    statuses = [
        attempt("/api/requests", {"Authorization": f"Bearer {secret}"}),
        attempt("/exchange", {"Content-Type": "application/json"}, code),
    ]
    opened += [secret] * (200 in statuses)
json.dump([sorted(texts), opened], sys.stdout)
"""

#: A browser that tells its argument, and is open until somebody writes into a FIFO.
BROWSER = """#!/bin/sh
exec > /dev/null 2>&1
echo "$1" > {folder}/started
read line < {folder}/end
"""
#: A Python that other users can start, wherever the environment of the tests is.
PYTHON_OF_OTHERS = shutil.which("python3", path="/usr/bin:/usr/local/bin")


@contextmanager
def browser_program(folder: Path) -> Iterator[str]:
    """A program that is started as a browser; it ends with this context."""
    for name in ("started", "end"):
        os.mkfifo(folder / name)
    # Open for both, so that neither side has to wait for the other.
    end = os.open(folder / "end", os.O_RDWR)
    program = folder / "browser"
    program.write_text(BROWSER.format(folder=folder))
    program.chmod(0o755)
    try:
        yield str(program)
    finally:
        os.write(end, b"end\n")
        os.close(end)


@contextmanager
def review_program(site: ReviewSite, *arguments: str, **given: Any) -> Iterator[subprocess.Popen[str]]:
    """`suture` with a page, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "suture", *arguments, "--root", str(site.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **given,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(SOURCE), "DISPLAY": ":99"} | more


@pytest.mark.skipif(os.geteuid() != 0 or PYTHON_OF_OTHERS is None, reason="needs root and a Python of the system")
@pytest.mark.parametrize("command", ["review", "apply --review"])
def test_nothing_that_another_user_sees_opens_the_page(site: ReviewSite, tmp_path: Path, command: str) -> None:
    with (
        browser_program(tmp_path) as browser,
        review_program(site, *command.split(), env=environment(BROWSER=browser)) as process,
    ):
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("*** Begin Patch\n*** Add File: a.txt\n+text\n*** End Patch\n")
        process.stdin.close()
        process.stdin = None
        port = re.findall(r"http://127.0.0.1:(\d+)/", process.stderr.readline())[0]
        opened_address = (tmp_path / "started").read_text().strip()
        spy = subprocess.run(
            [str(PYTHON_OF_OTHERS), "-I", "-c", SPY, port],
            user="nobody",
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=PATIENCE * 2,
            check=False,
        )
    assert spy.returncode == 0, spy.stderr
    seen, opened = json.loads(spy.stdout)
    assert opened_address in seen
    assert opened == []


class TestOneTimeLink:
    def exchange(self, site: ReviewSite, code: str, **headers: str) -> tuple[int, dict[str, str]]:
        status, _, data = site.call("POST", "/exchange", {"code": code}, headers, token=None)
        return status, json.loads(data)

    def test_a_link_is_good_once(self, site: ReviewSite) -> None:
        code = site.address.partition("#code=")[2]
        assert self.exchange(site, code) == (200, {"token": TOKEN})
        status, refusal = self.exchange(site, code)
        assert (status, refusal["code"]) == (403, "wrong_code")

    def test_a_link_is_good_for_a_minute(self, site: ReviewSite, monkeypatch: pytest.MonkeyPatch) -> None:
        assert one_time_link.LINK_SECONDS == 60
        monkeypatch.setattr(one_time_link, "LINK_SECONDS", 0.0)
        assert self.exchange(site, site.address.partition("#code=")[2])[0] == 403

    def test_a_new_link_ends_the_one_before(self, site: ReviewSite) -> None:
        before, now = (site.address.partition("#code=")[2] for _ in range(2))
        assert [self.exchange(site, code)[0] for code in (before, now)] == [403, 200]

    @pytest.mark.parametrize("code", ["", "x", "é", "\0"])
    def test_no_other_code_is_good(self, shared_site: ReviewSite, code: str) -> None:
        assert self.exchange(shared_site, code)[0] == 403
        assert shared_site.call("POST", "/exchange", {}, token=None)[0] == 403

    def test_another_page_cannot_use_it(self, site: ReviewSite) -> None:
        code = site.address.partition("#code=")[2]
        foreign = {"Origin": "http://127.0.0.1:9"}, {"Sec-Fetch-Site": "same-site"}, {"Host": "evil.example"}
        assert [self.exchange(site, code, **headers)[0] for headers in foreign] == [403, 403, 421]
        assert self.exchange(site, code)[0] == 200

    def test_the_file_that_leads_to_it_is_the_users_own_and_goes_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        opened: queue.Queue[str] = queue.Queue()
        monkeypatch.setattr("webbrowser.open", opened.put)
        link = "http://127.0.0.1:1/#code=secret&request=r1"
        with one_time_link.opened_in_browser(link):
            path = Path(opened.get(timeout=PATIENCE).removeprefix("file://"))
            assert "secret" not in str(path)
            assert path.stat().st_mode & 0o777 == 0o600
            assert path.parent.stat().st_mode & 0o777 == 0o700
            assert "#code=secret&amp;request=r1" in path.read_text()
        assert not path.exists()


def connect(port: int, data: bytes = b"") -> socket.socket:
    """A connection, on which some bytes were sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.sendall(data)
    return connection


@pytest.mark.parametrize("hosts", [("127.0.0.1", "evil.example"), ("evil.example", "127.0.0.1"), ()], ids=str)
def test_a_request_names_exactly_one_host(shared_site: ReviewSite, hosts: tuple[str, ...]) -> None:
    lines = ["GET /api/requests HTTP/1.1", *[f"Host: {host}" for host in hosts], f"Authorization: Bearer {TOKEN}"]
    data = "\r\n".join([*lines, "", ""]).encode()
    with closing(connect(shared_site.port, data)) as connection:
        assert connection.recv(100).split()[1] in {b"400", b"421"}


def test_the_gate_itself_accepts_one_host_only() -> None:
    """The server below it refuses two as well; another server may not."""
    gate = Gate(None, TOKEN, "127.0.0.1", connection_limits.ConnectionLimits())
    scope = {"path": "/", "method": "GET"}
    assert gate._refusal(scope, {"host": ["127.0.0.1"]}, is_user=True) is None
    for hosts in (["127.0.0.1", "evil.example"], ["evil.example", "127.0.0.1"], []):
        refusal = gate._refusal(scope, {"host": hosts}, is_user=True)
        assert refusal is not None
        assert refusal[:2] == (421, "wrong_host")


def is_closed(connection: socket.socket) -> bool:
    """Wait until the other side closes a connection."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def open_count(connections: list[socket.socket]) -> int:
    """How many connections the other side has not closed."""
    count = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            connection.recv(1)
        except BlockingIOError:
            count += 1
        except ConnectionError:
            pass
    return count


class TestConnections:
    def test_half_open_connections_do_not_silence_the_page(self, site: ReviewSite) -> None:
        """The program may have fewer files open than there are connections."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

        with review_program(site, "review", "--no-open", env=environment(), preexec_fn=limit) as process:
            assert process.stderr is not None
            port = int(re.findall(r":(\d+)/", process.stderr.readline())[0])
            token = process.stderr.readline().split()[-1]
            with ExitStack() as stack:
                strangers = [stack.enter_context(closing(connect(port, HEAD))) for _ in range(300)]
                user = stack.enter_context(closing(connect(port, HEAD)))
                user.sendall(f"Authorization: Bearer {token}\r\n\r\n".encode())
                assert user.recv(100).startswith(b"HTTP/1.1 200 ")
                assert open_count(strangers) <= MOST_STRANGERS
            process.terminate()
            assert process.communicate(timeout=PATIENCE)[1] == ""

    def test_strangers_do_not_end_the_connection_of_a_user(self, site: ReviewSite) -> None:
        with ExitStack() as stack:
            user = stack.enter_context(closing(connect(site.port)))
            user.sendall(HEAD.replace(b"requests", b"events") + f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
            received = user.recv(10_000)
            for _ in range(MOST_STRANGERS * 3):
                stack.enter_context(closing(connect(site.port, HEAD)))
            site.ask(edit_request().replace(time=time.time()))
            while b"event: requests" not in received:
                part = user.recv(10_000)
                assert part != b""
                received += part

    def test_an_address_with_many_connections_makes_room_before_others(
        self, shared_site: ReviewSite, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection_limits, "MOST_STRANGERS", 4)
        with ExitStack() as stack:
            (one, *many) = [
                stack.enter_context(
                    closing(socket.create_connection(("127.0.0.1", shared_site.port), PATIENCE, source))
                )
                for source in [("127.0.0.3", 0)] + [("127.0.0.2", 0)] * 4
            ]
            assert is_closed(many[0])
            assert open_count([one, *many[1:]]) == 4

    def test_the_head_of_a_request_has_a_time_limit_however_slowly_it_comes(
        self, shared_site: ReviewSite, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection_limits, "HEAD_SECONDS", 0.2)
        with closing(connect(shared_site.port, HEAD)) as waiting, closing(connect(shared_site.port, HEAD)) as trickling:
            assert is_closed(waiting)
            trickling.settimeout(0.01)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                try:
                    trickling.sendall(b"x")
                    if trickling.recv(1) == b"":
                        return
                except TimeoutError:
                    continue
                except ConnectionError:
                    return
        pytest.fail("the connection was not closed")

    def test_the_body_of_a_request_has_a_time_limit(
        self, shared_site: ReviewSite, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(connection_limits, "BODY_SECONDS", 0.2)
        head = (
            f"POST /api/requests/r1/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"
        )
        with closing(connect(shared_site.port, head.encode())) as connection:
            assert connection.recv(100).startswith(b"HTTP/1.1 422 ")

    def test_users_have_a_limit_too(self, shared_site: ReviewSite, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection_limits, "MOST_USERS", 1)
        head = HEAD.replace(b"requests", b"events") + f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
        with closing(connect(shared_site.port, head)) as one:
            assert one.recv(100).startswith(b"HTTP/1.1 200 ")
            with closing(connect(shared_site.port, head)) as another:
                assert another.recv(100).startswith(b"HTTP/1.1 503 ")

    def test_the_log_has_a_limit(self, site: ReviewSite) -> None:
        for _ in range(MOST_MESSAGES + 20):
            with closing(connect(site.port, b"\0\r\n\r\n")) as connection:
                assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
        assert len(site.reports) == MOST_MESSAGES + 1
        assert site.reports[-1] == "The server has reported 100 errors; further ones are not shown."
