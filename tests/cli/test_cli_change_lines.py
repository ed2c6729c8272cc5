"""The line of a change, in colors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place, patch, update
from tests.shared.terminals import Terminal, plain

from suture import Concession
from suture.cli.render import change_line
from suture.cli.screen import Screen
from suture.core.line_hunks import LineHunk
from suture.core.match import Match
from suture.workspace import Change

if TYPE_CHECKING:
    from pathlib import Path

LOOSE = Match(1, 1, 1, "trailing", (Concession("trailing"),), 1.0, ())
ONE_ADDED, TWO_ADDED = (LineHunk(0, 0, ("+x\n",) * count) for count in (1, 2))
THREE_REMOVED = LineHunk(0, 0, ("-x\n",) * 3)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (Change("update", "docs/report (1).md", hunks=(TWO_ADDED,)), "<33>M</> docs/report (1).md <32>+2</> <31>-0</>"),
        (Change("update", "a.py", matches=(LOOSE,)), "<33>M</> a.py <2>(trailing whitespace ignored)</>"),
        (Change("add", "to (do) +1 -2", hunks=(ONE_ADDED,)), "<32>A</> to (do) +1 -2 <32>+1</> <31>-0</>"),
        (Change("delete", "-1", hunks=(THREE_REMOVED,)), "<31>D</> -1 <32>+0</> <31>-3</>"),
        (Change("move", "a (1)", "b (2)", mode="100755"), "<33>M</> a (1) -> b (2) <2>(executable)</>"),
    ],
)
def test_colors_follow_the_values_whatever_the_path_contains(change: Change, line: str) -> None:
    colored = change_line(Screen(color="always"), change)
    assert colored == re.sub(r"<(\d+)>", "\x1b[\\1m", line).replace("</>", "\x1b[0m")
    assert plain(colored) == change_line(Screen(color="never"), change) == str(change)


def test_a_path_with_parentheses_is_not_dimmed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.environment |= {"TERM": "xterm-256color", "SUTURE_PAGER": "cat"}
    del place.environment["NO_COLOR"]
    place.write("docs/report (1).md", "one\n")
    place.write("../report.patch", patch(update("docs/report (1).md", "-one", "+two")))
    _, said = Terminal(place, "check", "--no-diff", "../report.patch").end()
    assert "\x1b[33mM\x1b[0m docs/report (1).md \x1b[32m+1\x1b[0m \x1b[31m-1\x1b[0m\n" in said
