"""No test runs for ever: the limit of pyproject.toml stops it, and the other tests go on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

SETTINGS = Path(__file__).parents[2] / "pyproject.toml"

ENDLESS = """
import asyncio, threading, pytest

def loops():
    while True:
        pass

@pytest.mark.parametrize("hang", [loops, threading.Event().wait, lambda: asyncio.run(asyncio.Event().wait())])
def test_without_end(hang):
    hang()

@pytest.mark.timeout(0)
def test_after_it():
    pass
"""


def test_every_test_has_a_time_limit() -> None:
    seconds_left, _ = signal.getitimer(signal.ITIMER_REAL)
    assert seconds_left > 0


def test_a_test_without_end_is_stopped_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_endless.py").write_text(ENDLESS)
    options = ["-c", str(SETTINGS), "--rootdir", str(tmp_path), "-n", "0", "-p", "no:cacheprovider", "--timeout", "0.5"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert "3 failed, 1 passed" in done.stdout
    assert done.stdout.count("Failed: Timeout (>0.5s) from pytest-timeout") >= 3
