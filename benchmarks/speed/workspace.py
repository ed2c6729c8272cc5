"""The workspace beside the bare system calls: one file, a thousand files, a large tree, a long history.

The baseline of a commit is what any careful script does: read the file, write a temporary one, rename it; with `full`
durability it flushes the file and its folder too.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.speed.clock import table
from benchmarks.speed.codex_program import codex_program
from suture import Workspace

LINES = 200


def text(number: int, lines: int = LINES) -> str:
    """A file whose last line says how often it was changed."""
    return "".join(f"line {line} of the text\n" for line in range(lines)) + f"count {number}\n"


def patch(number: int, paths: list[str]) -> str:
    """A patch that counts one on in each of some files."""
    sections = [
        f"*** Update File: {path}\n@@\n line {LINES - 1} of the text\n-count {number}\n+count {number + 1}\n"
        for path in paths
    ]
    return f"*** Begin Patch\n{''.join(sections)}*** End Patch\n"


def bare(path: Path, number: int, *, flush: bool) -> None:
    """Read, temporary file, rename; flushed where asked for."""
    data = path.read_bytes().replace(b"count %d\n" % number, b"count %d\n" % (number + 1))
    temporary = f"{path}.tmp"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, data)
    if flush:
        os.fsync(file)
    os.close(file)
    Path(temporary).rename(path)
    if flush:
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def workspace(*, quick: bool) -> dict[str, float]:
    """All parts, in a folder of their own."""
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        figures |= one_file(root, quick=quick)
        figures |= many_files(root, quick=quick)
        figures |= large_tree(root, quick=quick)
        figures |= long_history(root, quick=quick)
    return figures


def one_file(folder: Path, *, quick: bool) -> dict[str, float]:
    """One file in one commit, turn by turn with the bare calls."""
    figures: dict[str, float] = {}
    rows = []
    program = codex_program()
    for durability in ("process", "full"):
        root = folder / f"one-{durability}"
        root.mkdir()
        path = root / "a.txt"
        path.write_text(text(0))
        times: dict[str, list[float]] = {"commit": [], "apply": [], "bare": [], "codex": []}
        number = 0
        with Workspace(root, durability=durability, state_dir=folder / "state") as workspace:
            for _ in range(20 if quick else 150):
                for name, seconds in times.items():
                    if name == "codex" and program is None:
                        continue
                    plan = workspace.plan(patch(number, ["a.txt"])) if name == "commit" else None
                    start = time.perf_counter()
                    if plan is not None:
                        workspace.commit(plan)
                    elif name == "bare":
                        bare(path, number, flush=durability == "full")
                    elif name == "codex":
                        subprocess.run(
                            [str(program), patch(number, ["a.txt"])], check=True, cwd=root, capture_output=True
                        )
                    else:
                        workspace.apply(patch(number, ["a.txt"]))
                    seconds.append(time.perf_counter() - start)
                    number += 1
        medians = {name: statistics.median(seconds) for name, seconds in times.items() if seconds}
        for name in ("commit", "apply"):
            row = [f"{name}, {durability}"]
            for beside in ("bare", "codex"):
                if beside in medians:
                    figures[f"{name} {durability} / {beside}"] = medians[name] / medians[beside]
                row.append(f"{medians[name] / medians[beside]:.2f}×" if beside in medians else "–")
            rows.append((*row, f"{medians['bare'] * 1e3:.2f} ms"))
    print("## One file: `commit` of a plan, and `apply` of a patch, which reads and places it too; medians\n")
    head = ("call", "to read + temporary file + rename", "to starting codex as `apply_patch`", "the bare calls")
    print(table(head, rows), end="\n\n")
    return figures


def many_files(folder: Path, *, quick: bool) -> dict[str, float]:
    """Many files in one patch: what each costs, beside a patch of one."""
    count = 100 if quick else 1000
    root = folder / "many"
    root.mkdir()
    paths = [f"d{number % 20}/f{number}.txt" for number in range(count)]
    for path in paths:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text(0))
    (root / "one.txt").write_text(text(0))
    with Workspace(root, durability="process", state_dir=folder / "state") as workspace:
        singles = []
        for number in range(30):
            start = time.perf_counter()
            workspace.apply(patch(number, ["one.txt"]))
            singles.append(time.perf_counter() - start)
        each = []
        for number in range(3):
            start = time.perf_counter()
            workspace.apply(patch(number, paths))
            each.append((time.perf_counter() - start) / count)
    ratio = min(each) / statistics.median(singles)
    print(f"## {count} files in one patch: a file costs {ratio:.2f}× what a patch of one file costs\n")
    return {"many files / one": ratio}


def large_tree(folder: Path, *, quick: bool) -> dict[str, float]:
    """A commit in a workspace with very many files, beside one with ten."""
    medians = {}
    for count in (10, 2_000 if quick else 100_000):
        root = folder / f"tree-{count}"
        for number in range(count):
            if number % 1000 == 0:
                (root / f"d{number // 1000}").mkdir(parents=True)
            (root / f"d{number // 1000}" / f"f{number}.txt").touch()
        (root / "a.txt").write_text(text(0))
        seconds = []
        for number in range(15):
            start = time.perf_counter()
            with Workspace(root, durability="process", state_dir=folder / "state") as workspace:
                workspace.apply(patch(number, ["a.txt"]))
            seconds.append(time.perf_counter() - start)
        medians[count] = statistics.median(seconds)
    few, many = medians.values()
    print(f"## Opening and committing in a workspace with {max(medians):,} files: {many / few:.2f}× one with 10\n")
    return {"large tree / small": many / few}


def long_history(folder: Path, *, quick: bool) -> dict[str, float]:
    """Opening a workspace that has a long history, beside a new one."""
    count = 500 if quick else 10_000
    root = folder / "history"
    root.mkdir()
    (root / "a.txt").write_text(text(0))
    state = folder / "history-state"
    with Workspace(root, durability="process", state_dir=state, keep_seconds=None, keep_bytes=None) as workspace:
        for number in range(count):
            workspace.apply(patch(number, ["a.txt"]))
    opened: dict[str, list[float]] = {"used": [], "new": []}
    for number in range(20):
        for name, seconds in opened.items():
            fresh = folder / f"fresh-{number}"
            fresh.mkdir(exist_ok=True)
            start = time.perf_counter()
            where, kept = (root, state) if name == "used" else (fresh, folder / f"fresh-state-{number}")
            with Workspace(where, state_dir=kept) as workspace:
                workspace.recover()
            seconds.append(time.perf_counter() - start)
    more = (statistics.median(opened["used"]) - statistics.median(opened["new"])) * 1e3
    print(f"## Opening a workspace with {count:,} commits: {more:+.2f} ms beside a new one\n")
    return {"opening a long history, ms more": more}
