"""Searches texts for a regular expression of a model, which is compiled and matched in a process with limits only."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from .agent_limits import LONGEST_EXPRESSION, MOST_SEARCH_MEMORY, MOST_SEARCH_SECONDS
from .limited_process import OutOfMemoryError, OutOfTimeError, run_limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_WORKER = str(Path(__file__).with_name("grep_worker.py"))


class LineSearch:
    """A search for a regular expression, in any number of steps.

    Raises:
        PatchRejectedError: the regular expression is too long (`invalid_arguments`).
    """

    def __init__(self, pattern: str, *, ignore_case: bool) -> None:
        if len(pattern) > LONGEST_EXPRESSION:
            message = f"pattern has {len(pattern):,} characters; it can have at most {LONGEST_EXPRESSION:,}."
            raise PatchRejectedError([_bad_pattern(message, "Send a shorter regular expression.")])
        self._pattern = pattern
        self._ignore_case = ignore_case
        self._seconds_left = MOST_SEARCH_SECONDS
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def stop(self) -> None:
        """End the search, from another thread: it fails as soon as possible."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def search(self, texts: Sequence[str], most: int) -> list[tuple[int, int]]:
        """The first lines that match: pairs of the index of the text and the number of the line.

        Raises:
            PatchRejectedError: the regular expression is invalid or takes too much memory (`invalid_arguments`), or
                takes too long (`timeout`).
        """
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = [len(text) for text in encoded]
        head = {"pattern": self._pattern, "ignore_case": self._ignore_case, "most": most, "lengths": lengths}
        answer = self._run(b"".join([json.dumps(head).encode(), b"\n", *encoded]))
        if "invalid" in answer:
            message = f"pattern is not a valid regular expression: {safe_text(answer['invalid'])}."
            hint = "Escape characters that are meant literally, such as \\( and \\[."
            raise PatchRejectedError([_bad_pattern(message, hint)])
        return [(index, number) for index, number in answer["lines"]]

    def _note_process(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        if self._is_stopped:
            process.kill()

    def _run(self, given: bytes) -> dict[str, Any]:
        started = time.monotonic()
        try:
            output = run_limited(
                _WORKER, given, memory=MOST_SEARCH_MEMORY, seconds=self._seconds_left, started=self._note_process
            )
        except OutOfTimeError:
            raise PatchRejectedError([_out_of_time()]) from None
        except OutOfMemoryError:
            message = f"pattern needs more than {MOST_SEARCH_MEMORY // 1_000_000} MB of memory on these files."
            hint = "Send a regular expression without nested repetitions, or search fewer files."
            raise PatchRejectedError([_bad_pattern(message, hint, reason="memory")]) from None
        except (OSError, subprocess.CalledProcessError) as error:
            message = f"The search failed: {type(error).__name__}."
            raise PatchRejectedError([Problem("command_failed", message, details={})]) from error
        self._seconds_left = max(0.0, self._seconds_left - (time.monotonic() - started))
        answer: dict[str, Any] = json.loads(output)
        return answer


def _bad_pattern(message: str, hint: str, reason: str = "") -> Problem:
    details = {"argument": "pattern"} | ({"reason": reason} if reason else {})
    return Problem("invalid_arguments", message, details=details, hint=hint)


def _out_of_time() -> Problem:
    message = f"The search took longer than {MOST_SEARCH_SECONDS:g} seconds, so it was stopped."
    hint = "Send a simpler regular expression, or search fewer files."
    return Problem("timeout", message, details={"argument": "pattern", "seconds": MOST_SEARCH_SECONDS}, hint=hint)
