"""`Workspace.lock`: a file that nobody else changes while its holder reads, decides and writes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, codes, updated

from suture import PatchRejectedError

if TYPE_CHECKING:
    from suture.workspace import Receipt


def test_read_and_write_inside_it_lose_nothing(site: Site) -> None:
    site.put("n", "0\n")

    def count() -> None:
        for _ in range(10):
            with site.workspace.lock("n"):
                number = int(site.workspace.read("n").text or "")
                site.workspace.write("n", f"{number + 1}\n")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert site.tree() == {"n": "40\n"}


def test_nobody_else_commits_meanwhile(disk: Site) -> None:
    disk.put("a", "one\n")
    other = disk.open(lock_timeout=0)
    program = """
import sys
from suture import PatchRejectedError, Workspace
try:
    Workspace(sys.argv[1], state_dir=sys.argv[2], lock_timeout=0).edit("a", "one", "two")
except PatchRejectedError as rejected:
    print(rejected.problems[0].code)
"""
    with disk.workspace.lock("a", "b", actor="the host"):
        with pytest.raises(PatchRejectedError, match="the host") as raised:
            other.edit("a", "one", "two")
        assert codes(raised) == ["locked"]
        argv = [sys.executable, "-c", program, disk.root, str(disk.folder / "state")]
        assert subprocess.run(argv, capture_output=True, text=True, check=True).stdout == "locked\n"
        disk.apply(*updated("a", "one", "two"), "*** Add File: b", "+b")
    other.edit("a", "two", "three")
    assert disk.tree() == {"a": "three\n", "b": "b\n"}


def test_what_was_not_locked_is_refused_inside_it(site: Site) -> None:
    site.put("a", "one\n")
    with site.workspace.lock("a"):
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.write("b", "b\n")
        assert codes(raised) == ["invalid_arguments"]
    site.workspace.write("b", "b\n")
    assert site.tree() == {"a": "one\n", "b": "b\n"}


def test_it_holds_for_the_threads_of_a_task_and_ends_with_it(site: Site) -> None:
    site.put("a", "0\n")

    async def main() -> list[Receipt]:
        with site.workspace.lock("a"):
            writes = [asyncio.to_thread(site.workspace.write, "a", f"{number}\n") for number in range(1, 6)]
            return await asyncio.gather(*writes)

    receipts = asyncio.run(main())
    assert len({receipt.id for receipt in receipts}) == 5
    for receipt in reversed(site.workspace.log(5)):
        assert receipt.id in {one.id for one in receipts}


def test_a_lock_that_ended_covers_nothing(site: Site) -> None:
    site.put("a", "one\n")
    begun, ended = threading.Event(), threading.Event()

    async def main() -> Receipt:
        def late() -> Receipt:
            begun.set()
            ended.wait(60)
            return site.workspace.write("b", "b\n")

        with site.workspace.lock("a"):
            task = asyncio.create_task(asyncio.to_thread(late))
            await asyncio.to_thread(begun.wait, 60)
        ended.set()
        return await task

    assert asyncio.run(main()).added == ("b",)
