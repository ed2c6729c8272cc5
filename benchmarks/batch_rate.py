"""Rows per second of `suture batch` beside the bare library call: `python -m benchmarks.batch_rate [--rows N]`.

The bare call is `suture.batch.score` for the same rows in a loop in one process, without reading or writing them;
"twice" has two processes at once, since cores that are all busy are slower; two workers are compared with that.
`apply_in_memory` applies the same edits and says nothing about them. The rounds are run in turn, and the best of each
counts. What starting costs is measured with one row, and left out. A busy machine distorts seconds on the clock, so the
processor time, of all processes together, is shown as well.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture import PatchRejectedError, apply_in_memory
from suture.batch import score

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS = 40
ROUNDS = 9


def rows_of(count: int, *, exact: bool = False) -> list[dict[str, Any]]:
    """Edits of a file of 200 lines: exact, and in turn without indentation, with a typo, for a line that is gone."""
    base = "".join(f"def f{n}(x):\n    y = x + {n}\n    return y * {n}\n\n\n" for n in range(FUNCTIONS))
    rows = []
    for number in range(count):
        n, kind = number % FUNCTIONS, 0 if exact else number // FUNCTIONS % 4
        old, new = f"    y = x + {n}\n", f"    y = x - {n}\n"
        hunk = f"@@\n def f{n}(x):\n-{old}+{new}     return y * {n}\n"
        if kind == 1:
            hunk = f"@@ def f{n}(x):\n-{old.lstrip()}+{new.lstrip()} return y * {n}\n"
        elif kind == 2:
            hunk = hunk.replace("return y", "returm y")
        elif kind == 3:
            hunk = hunk.replace("-    y = x", "-    result = before")
        edit = f"*** Begin Patch\n*** Update File: a.py\n{hunk}*** End Patch\n"
        wanted = None if kind > 1 else {"a.py": base.replace(old, new)}
        rows.append({"id": number, "files": {"a.py": base}, "edit": edit, "wanted": wanted})
    return rows


def run_bare(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        assert score(row)["outcome"] not in ("different", "unreadable")


def run_bare_twice(rows: list[dict[str, Any]]) -> None:
    """Half of the rows in each of two processes at once: what the cores give if both are busy."""
    fork = multiprocessing.get_context("fork")
    half = len(rows) // 2
    processes = [fork.Process(target=run_bare, args=(part,)) for part in (rows[:half], rows[half:])]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


def run_apply(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        with suppress(PatchRejectedError):
            apply_in_memory(row["edit"], row["files"])


def run_batch(folder: Path, jobs: int, source: str = "rows.jsonl") -> None:
    target = folder / "out.jsonl"
    target.unlink(missing_ok=True)
    command = [sys.executable, "-m", "suture", "batch", source, "-o", target.name, "-j", str(jobs)]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)


def measure(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds on the clock, and of processor time with that of processes that have ended."""
    began, before = time.perf_counter(), processor_time()
    work()
    return time.perf_counter() - began, processor_time() - before


def processor_time() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=5_000)
    options.add_argument("--exact", action="store_true", help="only rows that are as the file has them: the cheapest")
    chosen = options.parse_args()
    count = chosen.rows
    rows = rows_of(count, exact=chosen.exact)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "one.jsonl").write_text(json.dumps(rows[0]) + "\n")
        ways: dict[str, Callable[[], None]] = {
            "bare call": lambda: run_bare(rows),
            "bare call, twice": lambda: run_bare_twice(rows),
            "apply_in_memory": lambda: run_apply(rows),
            "start, 1 worker": lambda: run_batch(folder, 1, "one.jsonl"),
            "batch, 1 worker": lambda: run_batch(folder, 1),
            "start, 2 workers": lambda: run_batch(folder, 2, "one.jsonl"),
            "batch, 2 workers": lambda: run_batch(folder, 2),
        }
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, work in ways.items():
                found[way].append(measure(work))
    best = {way: [min(column) for column in zip(*times, strict=True)] for way, times in found.items()}
    print(f"{count:,} rows, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'':<18}{'rows/s':>10}{'of bare':>9}{'processor ms/row':>18}{'of bare':>9}")
    for way in [way for way in best if not way.startswith("start")]:
        starting = best.get(way.replace("batch", "start"), [0.0, 0.0]) if way.startswith("batch") else [0.0, 0.0]
        seconds, used = (one - other for one, other in zip(best[way], starting, strict=True))
        bare = best["bare call, twice" if way == "batch, 2 workers" else "bare call"]
        figures = (
            f"{count / seconds:>10,.0f}{bare[0] / seconds:>9.2f}{1000 * used / count:>18.3f}{bare[1] / used:>9.2f}"
        )
        print(f"{way:<18}{figures}")


if __name__ == "__main__":
    main()
