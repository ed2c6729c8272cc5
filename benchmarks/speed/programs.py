"""The programs as whole processes: `apply_patch` and `suture --help` beside an interpreter that does nothing.

On a large file `apply_patch` stands beside the program of Codex under the same name, where that can be had. That one
flushes nothing, so ours is shown with both durabilities. Each file is put back before each run, outside the clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed.clock import milliseconds, table
from benchmarks.speed.codex_program import codex_program
from benchmarks.speed.texts import PATH, hunks, module, patch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BIN = Path(sys.executable).parent
#: The settings of whoever runs this would be measured with us: without cached bytecode every start is a compilation.
LEFT_OUT = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONWARNINGS", "SUTURE_ATOMIC")


def programs(*, quick: bool) -> dict[str, float]:
    """Small patches, help, and one hunk near the end of 200,000 lines."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        environment = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
        environment |= {"SUTURE_STATE_DIR": str(base / "state"), "PYTHONPYCACHEPREFIX": str(base / "bytecode")}
        figures = _small(base, environment, rounds=10 if quick else 40)
        figures |= _large(base, environment, rounds=5 if quick else 20)
    return figures


def _small(base: Path, environment: Mapping[str, str], rounds: int) -> dict[str, float]:
    apply = [str(BIN / "apply_patch"), patch(hunks(100)["exact"])]
    process = {**environment, "SUTURE_DURABILITY": "process"}
    runs = {
        "python -c pass": ([sys.executable, "-c", "pass"], environment),
        "apply_patch, small patch": (apply, environment),
        "apply_patch, small patch, durability process": (apply, process),
        "suture --help": ([str(BIN / "suture"), "--help"], environment),
    }
    times = _best(base / "small", module(100), runs, rounds)
    bare = times["python -c pass"]
    print("## Programs: the whole process, beside `python -c pass`\n")
    rows = [(name, f"{seconds / bare:.2f}×", milliseconds(seconds)) for name, seconds in times.items()]
    print(table(("command", "ratio", "time"), rows), end="\n\n")
    return {f"{name} / pass": seconds / bare for name, seconds in times.items()}


def _large(base: Path, environment: Mapping[str, str], rounds: int) -> dict[str, float]:
    text = patch(hunks(200_000)["exact"])
    apply = [str(BIN / "apply_patch"), text]
    process = {**environment, "SUTURE_DURABILITY": "process"}
    runs = {"apply_patch": (apply, environment), "apply_patch, durability process": (apply, process)}
    binary = codex_program()
    if binary is not None:
        runs["apply_patch of Codex"] = ([str(binary), text], environment)
    times = _best(base / "large", module(200_000), runs, rounds)
    peer = times.get("apply_patch of Codex")
    print("## Programs: one hunk near the end of 200,000 lines, beside the program of Codex\n")
    if peer is None:
        print("The program of Codex could not be had, so there is nothing to compare with.\n")
    rows = [(name, f"{t / peer:.2f}×" if peer else "", milliseconds(t)) for name, t in times.items()]
    print(table(("program", "ratio", "time"), rows), end="\n\n")
    return {f"200k {name} / codex": t / peer for name, t in times.items()} if peer else {}


def _best(
    folder: Path, text: str, runs: Mapping[str, tuple[Sequence[str], Mapping[str, str]]], rounds: int
) -> dict[str, float]:
    """The best time of each program, all of them in turn in every round, on a file as it was."""
    folder.mkdir()
    times = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, (command, environment) in runs.items():
            (folder / PATH).write_text(text, "utf-8")
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
            times[name] = min(times[name], time.perf_counter() - start)
    return times
