"""The examples run, and say what they are meant to say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
DEMO = EXAMPLES[0].with_name("demo.py")
AGENT = EXAMPLES[0].with_name("agent.py")


def output_of(example: Path, **environment: str) -> str:
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | environment
    command = [sys.executable, "-W", "error", str(example)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_there_are_examples() -> None:
    assert [path.name for path in EXAMPLES] == ["agent.py", "demo.py"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs_and_is_plain_in_a_pipe(example: Path) -> None:
    said = output_of(example, PYTHONIOENCODING="utf-8")
    assert said
    assert "\x1b" not in said


def test_the_demo_shows_a_placed_patch_its_concessions_and_a_refusal() -> None:
    said = output_of(DEMO, PYTHONIOENCODING="utf-8")
    for shown in ("*** Begin Patch", "--- a/", "+++ b/", "@@ -", "tier", "multiple_matches", "No file was changed."):
        assert shown in said


def test_the_demo_shows_a_killed_process_its_recovery_and_an_undo() -> None:
    said = output_of(DEMO, PYTHONIOENCODING="utf-8")
    for shown in (
        "<- left by the killed commit",
        "was rolled back",
        "A shop/prices.py",
        "M README.md -> docs/README.md",
        "undone by",
    ):
        assert shown in said


def test_the_demo_does_not_need_a_terminal_that_knows_unicode() -> None:
    assert output_of(DEMO, PYTHONIOENCODING="ascii:backslashreplace")


def test_the_agent_breaks_something_mends_it_and_is_refused_once() -> None:
    said = output_of(AGENT, PYTHONIOENCODING="utf-8")
    steps = (
        "> read",
        "It introduced 1 error in src/shop.py (ruff):\n    line 3, column 26: Undefined name `TAX` [F821]",
        "ruff found no new errors in src/shop.py.",
        "? apply_patch wants: update settings.toml +0 -1",
        "rejected the edit of settings.toml and said: Leave a comment that says where the rate is now.",
        "? apply_patch wants: update settings.toml +1 -1",
        "Patch applied successfully. 1 file changed:",
        "Written: src/shop.py, src/shop.py, settings.toml",
    )
    places = [said.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
