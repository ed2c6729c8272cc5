"""Diffs that agents record: written from hunks, and applied exactly at their line numbers, or not at all.

Suture's own search has no part in this: it would prove a file by what is to be measured.
"""

from __future__ import annotations

import re
from collections import Counter

from . import transcript_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    #: Where a hunk starts, from 0, and its lines: the sign and the text.
    RecordedHunk = tuple[int, list[tuple[str, str]]]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
_MARKER = re.compile(r"(?:<{5,9}|(?=={5,9}$)|>{5,9})( SEARCH|=======| REPLACE)")


def write_hunks(hunks: Iterable[tuple[int, int, int, object]]) -> str:
    """A unified diff of hunks that were recorded as data: start and length before, start after, lines."""
    texts = []
    for old_start, old_count, new_start, lines in hunks:
        if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
            texts.append("\n".join((f"@@ -{old_start},{old_count} +{new_start} @@", *lines)))
    return "\n".join(texts)


def apply_recorded(text: str, diff: str) -> str | None:
    """The text after a recorded diff, or None if it does not fit at its line numbers.

    The lines of some agents' diffs have lost the indentation that all of them share.
    """
    hunks, lines = _read_hunks(diff), text.split("\n")
    margin = _margin_that_fits(hunks, lines)
    if not hunks or margin is None:
        return None
    after: list[str] = []
    at = 0
    for start, body in hunks:
        if start < at:
            return None
        after += lines[at:start]
        at = start
        for sign, line in body:
            if sign == "+":
                after.append(margin + line if line.strip() else line)
                continue
            if sign == " ":
                after.append(lines[at])
            at += 1
    return "\n".join(after + lines[at:])


def _read_hunks(diff: str) -> list[RecordedHunk]:
    """The hunks of a diff, each with the index of its first old line; none if a line number is absurdly long."""
    hunks: list[RecordedHunk] = []
    for line in diff.split("\n"):
        if header := _HUNK.match(line):
            if len(header[1]) > transcript_limits.LONGEST_LINE_NUMBER:
                return []
            number, old_count = int(header[1]), header[2]
            # A hunk without old lines goes behind the line that it names.
            start = number if old_count == "0" else number - 1
            hunks.append((start, []))
        elif hunks and line[:1] in ("+", "-", " "):
            _, body = hunks[-1]
            body.append((line[0], line[1:].removesuffix("\r")))
    return hunks


def _margin_that_fits(hunks: list[RecordedHunk], lines: list[str]) -> str | None:
    """The indentation that, put before its lines, makes the diff fit at its line numbers; None if there is none."""
    lost: str | None = None
    for start, body in hunks:
        at = start
        for sign, line in body:
            if sign == "+":
                continue
            if not 0 <= at < len(lines):
                return None
            there = lines[at].removesuffix("\r")
            if line.strip():
                margin = there[: len(there) - len(line)] if len(there) >= len(line) else there
                if margin + line != there or margin.strip() or (lost is not None and margin != lost):
                    return None
                lost = margin
            elif there.strip():
                return None
            at += 1
    return lost or ""


def explains(before: str, after: str, edit: str) -> bool:
    """Whether the lines that went and came are those that a patch or blocks remove and add, whitespace aside."""
    added, removed = (Counter(map(_ink, lines)) for lines in _edited_lines(edit))
    old, new = (Counter(map(_ink, text.split("\n"))) for text in (before, after))
    return _balance(added, removed) == _balance(new, old)


def _edited_lines(edit: str) -> tuple[list[str], list[str]]:
    """The lines that an edit adds and removes. Those that a block has on both sides cancel out."""
    added: list[str] = []
    removed: list[str] = []
    sides = {" SEARCH": removed, "=======": added, " REPLACE": None}
    side: list[str] | None = None
    is_patch = edit.startswith("***")
    for line in edit.split("\n"):
        if is_patch:
            if not line.startswith("***") and line[:1] in ("+", "-"):
                (added if line[0] == "+" else removed).append(line[1:])
        elif marker := _MARKER.match(line):
            side = sides[marker[1]]
        elif side is not None:
            side.append(line)
    return added, removed


def _balance(come: Counter[str], gone: Counter[str]) -> dict[str, int]:
    return {line: count for line in come | gone if line and (count := come[line] - gone[line])}


def _ink(line: str) -> str:
    return "".join(line.split())
