"""A program that searches texts for a regular expression: `limited_process` starts it for the tool `grep`.

A model's regular expression can take forever to compile or to match, needs any amount of memory, and holds up every
thread of its process. So it is used here only.

Standard input has a line of JSON (`pattern`, `ignore_case`, `most` and the `lengths` of the texts in bytes), then the
texts one after the other. Standard output is JSON: `lines`, pairs of the index of a text and the number of a line, at
most as many, or `invalid`, why the pattern is not a regular expression.
"""

from __future__ import annotations

import json
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def search(pattern: re.Pattern[str], lengths: list[int], most: int) -> list[tuple[int, int]]:
    """The lines that match, as pairs of the index of a text and the number of the line."""
    matches = []
    for index, length in enumerate(lengths):
        text = sys.stdin.buffer.read(length).decode("utf-8", "surrogatepass")
        for number, line in enumerate(text.split("\n"), 1):
            if pattern.search(line):
                matches.append((index, number))
                if len(matches) == most:
                    return matches
    return matches


def answer(given: dict[str, Any]) -> dict[str, object]:
    """What is printed."""
    try:
        pattern = re.compile(given["pattern"], re.IGNORECASE if given["ignore_case"] else 0)
    except (re.error, RecursionError, OverflowError) as error:
        return {"invalid": str(error)}
    return {"lines": search(pattern, given["lengths"], given["most"])}


if __name__ == "__main__":
    json.dump(answer(json.loads(sys.stdin.buffer.readline())), sys.stdout)
