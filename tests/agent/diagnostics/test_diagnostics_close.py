"""Closing language servers: no process, task or open file is left behind."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.fake_servers import PATIENT, Fake, bad, check, run, start_server, until
from tests.shared.processes import is_alive

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.host import ServerLimits

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent.diagnostics.report import Report

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def test_a_check_after_closing_is_unknown_and_closing_twice_is_nothing(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> Report:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        await servers.close()
        await servers.close()
        return await servers.check(fake.path, "", "bad\n", timeout=PATIENT)

    assert run(fake, work).reason == "the language servers are closed"


def test_closing_ends_whoever_waits(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang")

    async def work(servers: LanguageServers) -> list[Report]:
        await start_server(servers, fake)
        checks = [asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT)) for _ in range(2)]
        await asyncio.sleep(0.005)
        await servers.close()
        return await asyncio.gather(*checks)

    assert [report.reason for report in run(fake, work)] == ["fake was stopped"] * 2


def test_a_server_that_ignores_everything_is_killed_with_its_children(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "stubborn", "family")
    check(fake, "", "good\n", limits=ServerLimits(grace=0.02))
    assert "exit" in fake.noted()
    assert "end of input" in fake.noted()
    assert not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))


def test_a_check_that_is_cancelled_leaves_the_server_at_work(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> Report:
        task = asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT))
        await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await servers.check(fake.path, "good\n", "bad\n", timeout=PATIENT)

    assert run(fake, work).diagnostics == (bad(fake.path, 1),)
    assert fake.noted().count("initialize") == 1


@pytest.mark.parametrize("way", ["pull", "hang", "hang-at-first", "stubborn"])
def test_nothing_is_left_of_a_loop_that_ends_without_closing(tmp_path: Path, way: str) -> None:
    fake = Fake(tmp_path, way, "family")

    async def main() -> None:
        servers = LanguageServers(str(tmp_path), [fake.server])
        check = asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT))
        await until(fake.pids)
        if way == "pull":
            await check

    asyncio.run(main())
    asyncio.run(until(lambda: not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))))


def test_servers_can_be_used_in_one_loop_after_the_other(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    servers = LanguageServers(str(tmp_path), [fake.server])
    for _ in range(2):
        report = asyncio.run(servers.check(fake.path, "", "bad\n", timeout=PATIENT))
        assert (report.state, report.reason) == ("problems", "")


#: Starts a server, says so, and ends in one of several ways without closing it.
CARELESS = """
import asyncio, json, os, sys
from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.server_table import Server

async def main():
    servers = LanguageServers(os.getcwd(), [Server("fake", tuple(json.loads(sys.argv[1])), {".txt": "x"})])
    report = await servers.check(os.path.abspath("a.txt"), "", "bad", timeout=30)
    print(report.state, flush=True)
    return servers

way = sys.argv[2]
if way == "loop":
    loop = asyncio.new_event_loop()
    servers = loop.run_until_complete(main())
    loop.stop()
    sys.exit()
if way == "exception":
    async def fail():
        await main()
        raise SystemExit(0)
    asyncio.run(fail())
if way == "fork":
    loop = asyncio.new_event_loop()
    servers = loop.run_until_complete(main())
    child = os.fork()
    if child == 0:
        sys.exit()
    os.waitpid(child, 0)
    report = loop.run_until_complete(servers.check(os.path.abspath("a.txt"), "bad", "bad\\nbad", timeout=30))
    print(len(report.diagnostics), report.reason, flush=True)
    loop.run_until_complete(servers.close())
    loop.close()
if way == "kill":
    async def wait():
        await main()
        await asyncio.sleep(600)
    asyncio.run(wait())
"""


@pytest.mark.parametrize("way", ["loop", "exception", "fork", "kill"])
def test_nothing_is_left_of_a_program_that_ends_without_closing(tmp_path: Path, way: str) -> None:
    """Not of a loop that is dropped, an exception, a fork that ends, nor of a program that is killed."""
    fake = Fake(tmp_path, "pull", *["family"] * (way != "kill"))
    command = [sys.executable, "-c", CARELESS, json.dumps(fake.server.command), way]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "problems\n"
        if way == "fork":
            assert program.stdout.readline() == "1 \n"
        if way == "kill":
            program.kill()
    assert program.returncode == (-signal.SIGKILL if way == "kill" else 0)
    asyncio.run(until(lambda: not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))))
