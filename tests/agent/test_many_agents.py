"""Several agents in processes of their own edit the same files, also if processes are killed: nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.rebase.load import FILES, run

if TYPE_CHECKING:
    from pathlib import Path

AGENTS, EDITS = 3, 8


def test_every_edit_is_in_the_files_once(tmp_path: Path) -> None:
    counted = run(tmp_path, AGENTS, EDITS, kill=False)
    assert (counted["right"], counted["lost"], counted["refused"]) == (True, 0, 0)
    assert counted["calls"] == AGENTS * (EDITS + FILES), "each agent reads each file once, and sends each edit once"


def test_nothing_is_lost_or_done_twice_if_agents_are_killed(tmp_path: Path) -> None:
    counted = run(tmp_path, AGENTS, EDITS, kill=True)
    assert (counted["right"], counted["lost"]) == (True, 0)
    assert counted["kills"]
