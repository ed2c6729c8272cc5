"""Prints changes, diffs and commits for people.

In colored diffs, changed words are marked if two lines belong together and have enough in common.
"""

from __future__ import annotations

from ..core.display import one_line, printable
from ..diff.write_diff import join_diffs
from .syntax import Syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from ..workspace.outcome import Change, Plan, Receipt
    from .screen import Screen

_LETTERS = {"A": "green", "M": "yellow", "D": "red"}
#: The longest block of changed lines, and the longest line, in which words are compared.
MOST_LINES = 60
MOST_CHARACTERS = 400
#: How similar two lines must be for their differences to be marked.
LEAST_SIMILARITY = 0.4


def change_line(screen: Screen, change: Change) -> str:
    """One change as a line: `M src/app.py +3 -1 (hunk 2: trailing whitespace ignored)`."""
    text = printable(str(change))
    if not screen.color:
        return text
    line, bracket, notes = text.partition(" (")
    words = line.split(" ")
    parts = [screen.style(words[0], _LETTERS.get(words[0], "bold"))]
    for word in words[1:]:
        style = {"+": "green", "-": "red"}.get(word[:1], "") if word[1:].isdecimal() else ""
        parts.append(screen.style(word, style) if style else word)
    return " ".join(parts) + screen.style(f"{bracket}{notes}", "dim")


def show_changes(screen: Screen, outcome: Plan | Receipt, options: Namespace) -> None:
    """Print the changes, the concessions made in reading the patch, and the diff if it is wanted."""
    for change in outcome.changes:
        screen.print(change_line(screen, change))
    if outcome.concessions:
        names = dict.fromkeys([concession.name.replace("_", " ") for concession in outcome.concessions])
        screen.print(screen.style(f"The patch was read leniently: {', '.join(names)}.", "dim"))
    if options.diff or (screen.is_terminal and not options.no_diff):
        diff = join_diffs([change.diff for change in outcome.changes])
        if diff:
            screen.print()
            show_diff(screen, diff)


def show_diff(screen: Screen, diff: str) -> None:
    """Print a unified diff, with colors if they are used."""
    if not screen.color:
        screen.write(printable(diff) if screen.is_terminal else diff)
        return
    for line in colorize(screen, diff):
        screen.print(line)


def colorize(screen: Screen, diff: str, path: str = "") -> Iterator[str]:
    """The lines of a unified diff in colors; `path` is the file if the diff does not name it."""
    syntax = Syntax(path)
    removed: list[str] = []
    added: list[str] = []
    for line in (*diff.removesuffix("\n").split("\n"), ""):
        header = line.startswith(("--- ", "+++ "))
        if line[:1] == "-" and not header and not added:
            removed.append(printable(line[1:]))
        elif line[:1] == "+" and not header:
            added.append(printable(line[1:]))
        else:
            yield from _changed_lines(screen, removed, added)
            removed, added = [], []
            if line[:1] == "-" and not header:
                removed.append(printable(line[1:]))
            elif line[:1] == " ":
                yield " " + syntax.colorize(screen, printable(line[1:]))
            elif line:
                syntax = Syntax(line) if header and line != "+++ /dev/null" else syntax
                yield _header(screen, printable(line))


def _header(screen: Screen, line: str) -> str:
    if line.startswith("@@"):
        return screen.style(line, "cyan")
    return line if line.startswith("\\") else screen.style(line, "bold")


def _changed_lines(screen: Screen, removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    """Removed lines and the lines that replace them, with the changed words marked."""
    pairs = len(removed) == len(added) and len(removed) <= MOST_LINES
    spans = [changed_words(old, new) for old, new in zip(removed, added, strict=True)] if pairs else []
    for side, sign, style, lines in ((0, "-", "removed", removed), (1, "+", "added", added)):
        for number, line in enumerate(lines):
            words = [pair[side] for pair in spans[number]] if pairs else ()
            yield screen.style(sign, style) + mark_words(screen, line, words, style)


def mark_words(screen: Screen, line: str, spans: Iterable[tuple[int, int]], style: str) -> str:
    """A line in a style, with the words at these spans marked."""
    parts = []
    end = 0
    for start, stop in spans:
        parts += [screen.style(line[end:start], style), screen.style(line[start:stop], f"{style}_word")]
        end = stop
    return "".join(parts) + screen.style(line[end:], style)


def changed_words(old: str, new: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The words in which two lines differ, as pairs of spans; none if the lines have too little in common."""
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return []
    from difflib import SequenceMatcher
    from itertools import accumulate
    from re import findall

    one, other = (findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < LEAST_SIMILARITY:
        return []
    old_starts, new_starts = ([0, *accumulate(map(len, words))] for words in (one, other))
    return [
        ((old_starts[a], old_starts[b]), (new_starts[c], new_starts[d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def format_time(seconds: float) -> str:
    """A time in the local time zone: 2026-01-31 09:30:00."""
    from time import localtime, strftime

    return strftime("%Y-%m-%d %H:%M:%S", localtime(seconds))


def commit_line(screen: Screen, receipt: Receipt) -> str:
    """One commit as a line of a list."""
    names = list(dict.fromkeys([one_line(change.move_to or change.path) for change in receipt.changes]))
    files = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    additions = sum(change.additions for change in receipt.changes)
    deletions = sum(change.deletions for change in receipt.changes)
    notes = [f"undoes {receipt.undoes}"] if receipt.undoes else []
    notes += [f"undone by {receipt.undone_by}"] if receipt.undone_by else []
    parts = [
        screen.style(receipt.id, "yellow"),
        format_time(receipt.time),
        one_line(receipt.tool) + (f" by {one_line(receipt.actor)}" if receipt.actor else ""),
        f"{files} {screen.style(f'+{additions}', 'green')} {screen.style(f'-{deletions}', 'red')}",
    ]
    return "  ".join(parts) + (screen.style(f" ({'; '.join(notes)})", "dim") if notes else "")
