"""Syntax colors of a whole text, for the lines of it that a page shows. They come after the rows, and are kept.

Where Pygments is not installed, knows no lexer for the name, or takes too long, there are none: a diff can be read
without them, and nothing depends on them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from importlib.util import find_spec
from pathlib import Path

from ..agent.limited_process import OutOfMemoryError, OutOfTimeError, run_limited
from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from .review_limits import LONGEST_COLORED_TEXT, MOST_COLOR_MEMORY, MOST_COLOR_SECONDS, MOST_COLORED_TEXTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

#: The colors of a line: starts, ends and letters, one after the other.
LineColors: TypeAlias = "list[int | str]"

_WORKER = str(Path(__file__).with_name("color_worker.py"))


class SyntaxColors:
    """The colors of texts, each found once."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[LineColors]] = {}
        #: What the routes wait for, so that hostile texts keep no more than one thread of the server.
        self.turn = asyncio.Lock()
        #: One at a time: a person reads one file, and a machine has other things to do.
        self._lock = ForkLock()

    def lines(self, path: str, text: str) -> list[LineColors]:
        """The colors of each line of a text; none if they are not known."""
        name = path.rpartition("/")[2]
        key = name, fingerprint(text.encode("utf-8", "surrogatepass"))
        with self._lock:
            if key not in self._kept:
                while len(self._kept) >= MOST_COLORED_TEXTS:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[key] = _find_colors(name, text)
            return self._kept[key]


def _find_colors(name: str, text: str) -> list[LineColors]:
    spec = find_spec("pygments")
    if spec is None or spec.origin is None or not text or len(text) > LONGEST_COLORED_TEXT:
        return []
    data = text.encode("utf-8", "surrogatepass")
    packages = str(Path(spec.origin).parents[1])
    given = json.dumps({"packages": packages, "name": name, "lengths": [len(data)]}).encode() + b"\n" + data
    try:
        colors = json.loads(run_limited(_WORKER, given, memory=MOST_COLOR_MEMORY, seconds=MOST_COLOR_SECONDS))
    except (OutOfTimeError, OutOfMemoryError, OSError, subprocess.CalledProcessError):
        return []
    return [] if colors is None else list(colors[0])
