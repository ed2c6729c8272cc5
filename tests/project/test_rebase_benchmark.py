"""The benchmark of stale edits, on a tiny repository whose merge is known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = [f"x{number} = {number}\n" for number in range(12)]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, changes: dict[int, str]) -> None:
    """Change some lines of the file and commit it."""
    file = folder / "a.py"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else list(LINES)
    for number, line in changes.items():
        lines[number] = line
    file.write_text("".join(lines))
    git(folder, "add", "a.py")
    git(folder, "commit", "-q", "-m", "change")


def test_it_scores_merges_and_pairs_of_edits(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {})
    git(folder, "checkout", "-q", "-b", "other")
    commit(folder, {1: "x1 = 100\n", 6: "x6 = 600\n"})
    git(folder, "checkout", "-q", "main")
    commit(folder, {10: "x10 = 1000\n"})
    git(folder, "merge", "-q", "--no-edit", "other")
    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks.rebase", str(folder / ".git"), "--json", str(figures)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 results are wrong." in done.stdout
    counted = json.loads(figures.read_text())
    assert counted["merges"] == {"exact": 1, "git": {"exact": 1}}
    assert counted["apart"] == {"exact": 1, "git": {"exact": 1}}
    assert counted["overlapping"]["refused"] == 2
