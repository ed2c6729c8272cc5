"""Many at once: processes and threads that change the same files lose nothing, tear nothing and wait for ever for none.

Children are forked, so that none has to start Python anew, and end without running what belongs to the test.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope, updated

from suture import PatchRejectedError, Workspace
from suture.testing import KillingFiles
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

PROCESSES = 8
COMMITS = 50
FILES = ["a.txt", "b.txt", "c.txt", "d/d.txt", "d/e.txt"]
#: What a deadlock would take for ever has to be over by then; it is not what a test takes.
SECONDS = 60.0


def in_children(actions: Iterable[Callable[[], object]]) -> list[int]:
    """Run each in a process of its own, at once; how each ended, 0 where all went well. Whoever hangs is killed."""
    children: list[int] = []
    for action in actions:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                action()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    deadline = time.monotonic() + SECONDS
    ended: dict[int, int] = {}
    while len(ended) < len(children) and time.monotonic() < deadline:
        for child in children:
            if child not in ended and (found := os.waitpid(child, os.WNOHANG))[0]:
                ended[child] = os.waitstatus_to_exitcode(found[1])
        time.sleep(0.002)
    for child in children:
        if child not in ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            ended[child] = -signal.SIGKILL
    return [ended[child] for child in children]


def folder(tmp_path: Path) -> Path:
    """The files, each with a first and a last line."""
    root = tmp_path / "root"
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("begin\nend\n")
    return root


def opened(root: Path, actor: str = "") -> Workspace:
    return Workspace(root, state_dir=root.parent / "state", durability="process", lock_timeout=SECONDS, actor=actor)


def appended(path: str, line: str) -> tuple[str, ...]:
    """The section that puts a line before the last one."""
    return (f"*** Update File: {path}", "@@", f"+{line}", " end", "*** End of File")


def append(root: Path, number: int) -> None:
    """Commit after commit, each with a line of its own in some of the files."""
    chance = random.Random(number)
    with opened(root, f"process {number}") as workspace:
        for commit in range(COMMITS):
            chosen = chance.sample(FILES, chance.randint(1, len(FILES)))
            line = f"process {number} commit {commit} of {len(chosen)}"
            receipt = workspace.apply(envelope(*[part for path in chosen for part in appended(path, line)]))
            assert set(receipt.modified) == set(chosen)


def watch(root: Path, stop: Path) -> None:
    """Read all files again and again: each is always whole, and never gets shorter."""
    longest = dict.fromkeys(FILES, 0)
    while not stop.exists():
        for path in FILES:
            text = (root / path).read_text()
            assert text.startswith("begin\n")
            assert text.endswith("\nend\n")
            lines = text.splitlines()
            assert len(lines) >= longest[path]
            assert all(line.startswith("process ") for line in lines[1:-1])
            longest[path] = len(lines)


def test_of_processes_that_append_to_the_same_files_no_line_is_lost_and_no_reader_sees_half_a_file(
    tmp_path: Path,
) -> None:
    root = folder(tmp_path)
    stop = tmp_path / "stop"

    def write(number: int) -> None:
        try:
            append(root, number)
        finally:
            (tmp_path / f"done-{number}").touch()
            if len(list(tmp_path.glob("done-*"))) == PROCESSES:
                stop.touch()

    actions: list[Callable[[], object]] = [lambda: watch(root, stop)]
    actions += [lambda number=number: write(number) for number in range(PROCESSES)]  # type: ignore[misc]
    assert in_children(actions) == [0] * (PROCESSES + 1)
    found: dict[str, set[str]] = {}
    for path in FILES:
        lines = (root / path).read_text().splitlines()[1:-1]
        assert len(lines) == len(set(lines))
        for line in lines:
            found.setdefault(line, set()).add(path)
    assert len(found) == PROCESSES * COMMITS
    # Each commit is in all of its files, or it would not be there at all.
    assert [line for line, paths in found.items() if not line.endswith(f"of {len(paths)}")] == []
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()) == FILES
    with opened(root) as workspace:
        assert workspace.recover() == []
        assert len(workspace.log(1000)) == PROCESSES * COMMITS


def test_of_plans_that_overlap_one_wins_and_the_others_are_stale(tmp_path: Path) -> None:
    root = folder(tmp_path)
    with opened(root) as workspace:
        plans = [
            workspace.plan(envelope(*appended("a.txt", f"{n}"), *appended(FILES[n + 1], f"{n}"))) for n in range(4)
        ]

    def commit(number: int) -> None:
        outcome = "won"
        try:
            with opened(root) as another:
                another.commit(plans[number])
        except PatchRejectedError as rejected:
            outcome = " ".join(sorted({problem.code for problem in rejected.problems}))
        (tmp_path / f"outcome-{number}").write_text(outcome)

    assert in_children([lambda number=number: commit(number) for number in range(4)]) == [0] * 4  # type: ignore[misc]
    outcomes = [(tmp_path / f"outcome-{number}").read_text() for number in range(4)]
    assert sorted(outcomes) == ["stale_file", "stale_file", "stale_file", "won"]
    winner = outcomes.index("won")
    texts = {path: (root / path).read_text() for path in FILES}
    whole = f"begin\n{winner}\nend\n"
    assert texts == {path: whole if path in {"a.txt", FILES[winner + 1]} else "begin\nend\n" for path in FILES}


def test_commits_of_random_sets_of_files_never_wait_for_one_another_for_ever(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    names = [f"{number}.txt" for number in range(150)]
    for name in names:
        (root / name).write_text("begin\nend\n")

    def work(number: int) -> None:
        chance = random.Random(number)
        with opened(root, str(number)) as workspace:
            for commit in range(6):
                # Now and then so many that the whole workspace is locked at once.
                count = 120 if commit == 3 else chance.randint(1, 12)
                chosen = chance.sample(names, count)
                line = f"{number}-{commit}"
                workspace.apply(envelope(*[part for path in chosen for part in appended(path, line)]))

    assert in_children([lambda number=number: work(number) for number in range(4)]) == [0] * 4  # type: ignore[misc]
    lines = [line for name in names for line in (root / name).read_text().splitlines()[1:-1]]
    assert len(set(lines)) == 4 * 6


def test_a_process_that_dies_while_others_work_takes_nothing_of_theirs_with_it(tmp_path: Path) -> None:
    root = folder(tmp_path)

    def die(number: int) -> None:
        files = KillingFiles(str(root), number, counted={"rename"})
        workspace = Workspace(files, state_dir=tmp_path / "state", durability="process", lock_timeout=SECONDS)
        workspace.apply(envelope(*[part for path in FILES for part in appended(path, f"process dead {number}")]))

    def work(number: int) -> None:
        with opened(root) as workspace:
            for commit in range(15):
                line = f"process {number} commit {commit}"
                workspace.apply(envelope(*[part for path in FILES[:3] for part in appended(path, line)]))

    actions: list[Callable[[], object]] = [lambda number=number: work(number) for number in range(3)]  # type: ignore[misc]
    actions += [lambda number=number: die(number) for number in (2, 3, 5)]  # type: ignore[misc]
    assert in_children(actions) == [0, 0, 0, -9, -9, -9]
    with opened(root) as workspace:
        workspace.recover()
    texts = [(root / path).read_text().splitlines()[1:-1] for path in FILES]
    assert [len(lines) for lines in texts] == [45, 45, 45, 0, 0]
    assert not [path for path in root.rglob("*") if "apply-patch" in path.name]


@pytest.mark.parametrize(
    ("where", "shared"),
    [("disk", True), ("disk", False), ("memory", True)],
    ids=["one on the disk", "one each on the disk", "one in memory"],
)
def test_of_threads_that_append_to_the_same_files_no_line_is_lost(tmp_path: Path, where: str, shared: bool) -> None:
    root = folder(tmp_path)
    memory = MemoryFiles(dict.fromkeys(FILES, "begin\nend\n"))

    def fresh() -> Workspace:
        return opened(root) if where == "disk" else Workspace(memory, lock_timeout=SECONDS)

    one = fresh()
    failures: list[BaseException] = []
    gate = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            workspace = one if shared else fresh()
            gate.wait()
            for commit in range(20):
                line = f"thread {number} commit {commit}"
                workspace.apply(envelope(*[part for path in FILES for part in appended(path, line)]))
            if not shared:
                workspace.close()
        except BaseException as error:  # noqa: BLE001 - told by the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    texts = memory.texts() if where == "memory" else {path: (root / path).read_text() for path in FILES}
    assert {len(str(text).splitlines()) for text in texts.values()} == {82}
    assert len(one.log(1000)) == 80
    one.close()


def test_who_waits_too_long_is_told_who_holds_the_file(tmp_path: Path) -> None:
    root = folder(tmp_path)
    with (
        opened(root, "the first") as first,
        Workspace(root, state_dir=tmp_path / "state", lock_timeout=0.05, durability="process") as second,
        first._committer.hold([str(root / "a.txt")]),
    ):
        with pytest.raises(PatchRejectedError) as raised:
            second.apply(envelope(*updated("a.txt", "end", "END")))
        (problem,) = raised.value.problems
        assert (problem.code, problem.details["holder"], problem.details["pid"]) == ("locked", "the first", os.getpid())
        second.apply(envelope(*updated("b.txt", "end", "END")))
    assert (root / "a.txt").read_text() == "begin\nend\n"
