"""`suture review` and `suture apply --review` as people start them, with a real Chromium."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from tests.review.review_site import SOURCE, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite


class Program:
    """`suture` in a process of its own."""

    def __init__(self, site: ReviewSite, *arguments: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "suture", *arguments, "--root", str(site.root)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment | {"PYTHONPATH": str(SOURCE), "BROWSER": "true"},
        )

    def address_and_token(self) -> tuple[str, str]:
        """The address and the token that it prints."""
        assert self.process.stderr is not None
        address = re.fullmatch(r"Review at (http://\S+)\n", self.process.stderr.readline())
        token = re.fullmatch(r"Token for this page, .*: (\S+)\n", self.process.stderr.readline())
        assert address is not None
        assert token is not None
        return address[1], token[1]

    def end(self) -> tuple[int, str, str]:
        """Its exit status, and what else it has printed."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


def open_with_token(browser: Browser, program: Program) -> None:
    """Open the address of a program, and paste its token."""
    address, token = program.address_and_token()
    browser.open(address)
    browser.wait_text("#detail", "needs its token")
    browser.press(f"{token}\n")


@pytest.fixture
def programs() -> Iterator[list[Program]]:
    started: list[Program] = []
    yield started
    for program in started:
        if program.process.poll() is None:
            program.process.kill()
            program.end()


def test_the_page_of_the_command_until_a_signal(site: ReviewSite, browser: Browser, programs: list[Program]) -> None:
    programs.append(Program(site, "review", "--no-open"))
    open_with_token(browser, programs[0])
    agent = site.agent(write("a.txt", "text\n"))
    browser.wait_text("#detail h2", "a.txt")
    browser.answer("a")
    assert agent.result()["ok"]
    programs[0].process.send_signal(signal.SIGINT)
    browser.wait_text("#connection", "This review has ended")
    assert programs[0].end() == (0, "", "")


def test_one_patch_is_reviewed_and_written(site: ReviewSite, browser: Browser, programs: list[Program]) -> None:
    site.file("a.txt", "".join([f"line {n}\n" for n in range(1, 31)]))
    lines = [
        "*** Begin Patch",
        "*** Update File: a.txt",
        "@@",
        "-line 2",
        "+two",
        "@@",
        "-line 29",
        "+x",
        "*** End Patch",
    ]
    patch = site.root.parent / "change.patch"
    patch.write_text("\n".join(lines) + "\n")
    programs.append(Program(site, "apply", "--review", str(patch)))
    open_with_token(browser, programs[0])
    browser.wait("document.querySelectorAll('.hunk').length === 2")
    browser.press("jj ")
    browser.wait_text("#approve", "Approve 1 of 2 hunks")
    browser.answer("a")
    status, out, _ = programs[0].end()
    assert (status, "M a.txt" in out) == (0, True)
    assert (site.root / "a.txt").read_text().splitlines()[1:29:27] == ["two", "line 29"]
    browser.wait_text("#connection", "This review has ended")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_a_signal_ends_the_page_quietly_while_a_request_is_half_sent(
    site: ReviewSite, programs: list[Program], number: signal.Signals
) -> None:
    programs.append(Program(site, "review", "--no-open"))
    address, token = programs[0].address_and_token()
    port = int(address.rpartition(":")[2].partition("/")[0])
    head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n"
    half = [f"POST /exchange HTTP/1.1\r\n{head}\r\n{{", f"POST /api/requests/r1/answer HTTP/1.1\r\n{head}"]
    half[1] += f"Authorization: Bearer {token}\r\n\r\n{{"
    with ExitStack() as connections:
        for text in half:
            connection = connections.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(text.encode())
        # An answer on a later connection: the server has got what was sent before.
        with socket.create_connection(("127.0.0.1", port)) as later:
            later.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert later.recv(15) == b"HTTP/1.1 200 OK"
        programs[0].process.send_signal(number)
        assert programs[0].end() == (0, "", "")
