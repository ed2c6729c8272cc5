"""Changes, diffs and commits as people read them.

Words that changed inside a line are marked where two lines belong together and have enough in common; anything beyond
a bound is shown as whole lines.
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
#: Lines of one run and characters of one line in which words are compared.
MOST_LINES = 60
MOST_CHARACTERS = 400
#: How much of two lines must be the same, for what differs to be worth marking.
ENOUGH = 0.4


def change_line(screen: Screen, change: Change) -> str:
    """One change in a line: `M src/app.py +3 -1 (hunk 2: trailing space ignored)`."""
    text = printable(str(change))
    if not screen.colour:
        return text
    line, bracket, notes = text.partition(" (")
    words = line.split(" ")
    shown = [screen.styled(words[0], _LETTERS.get(words[0], "bold"))]
    for word in words[1:]:
        counted = word[1:].isdecimal()
        style = {"+": "green", "-": "red"}.get(word[:1], "") if counted else ""
        shown.append(screen.styled(word, style) if style else word)
    return " ".join(shown) + screen.styled(f"{bracket}{notes}", "dim")


def show_changes(screen: Screen, outcome: Plan | Receipt, options: Namespace) -> None:
    """The changes in lines with what was conceded in reading the patch, and their diffs where those are wanted."""
    listed = outcome.changes
    for change in listed:
        screen.say(change_line(screen, change))
    if outcome.concessions:
        names = dict.fromkeys([concession.name.replace("_", " ") for concession in outcome.concessions])
        screen.say(screen.styled(f"The patch was read leniently: {', '.join(names)}.", "dim"))
    if wants_diff(screen, options):
        diff = join_diffs([change.diff for change in listed])
        if diff:
            screen.say()
            show_diff(screen, diff)


def wants_diff(screen: Screen, options: Namespace) -> bool:
    """Whether diffs are shown: as asked for, or on a terminal."""
    return bool(options.diff or (screen.is_terminal and not options.no_diff))


def show_diff(screen: Screen, diff: str) -> None:
    """A unified diff, coloured where there are colours."""
    if not screen.colour:
        screen.write(printable(diff) if screen.is_terminal else diff)
        return
    for line in coloured(screen, diff):
        screen.say(line)


def coloured(screen: Screen, diff: str, path: str = "") -> Iterator[str]:
    """The lines of a unified diff in colours; `path` is the file where the diff does not name it."""
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
            yield from _run(screen, removed, added)
            removed, added = [], []
            if line[:1] == "-" and not header:
                removed.append(printable(line[1:]))
            elif line[:1] == " ":
                yield " " + syntax.coloured(screen, printable(line[1:]))
            elif line:
                syntax = Syntax(line) if header and line != "+++ /dev/null" else syntax
                yield _other(screen, printable(line))


def _other(screen: Screen, line: str) -> str:
    if line.startswith("@@"):
        return screen.styled(line, "cyan")
    return line if line.startswith("\\") else screen.styled(line, "bold")


def _run(screen: Screen, removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    """Lines that went and lines that came in their place, with the words in which they differ."""
    pairs = len(removed) == len(added) and len(removed) <= MOST_LINES
    told = [words_apart(old, new) for old, new in zip(removed, added, strict=True)] if pairs else []
    for number, line in enumerate(removed):
        yield _marked(screen, "-", line, [part[0] for part in told[number]] if pairs else (), "removed")
    for number, line in enumerate(added):
        yield _marked(screen, "+", line, [part[1] for part in told[number]] if pairs else (), "added")


def _marked(screen: Screen, sign: str, line: str, spans: Iterable[tuple[int, int]], style: str) -> str:
    shown = []
    end = 0
    for start, stop in spans:
        shown += [screen.styled(line[end:start], style), screen.styled(line[start:stop], f"{style}_word")]
        end = stop
    return screen.styled(sign, style) + "".join(shown) + screen.styled(line[end:], style)


def words_apart(old: str, new: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where two lines differ, by words: pairs of spans. None where they have too little in common."""
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return []
    from difflib import SequenceMatcher
    from re import findall

    one, other = (findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < ENOUGH:
        return []
    starts = [_offsets(one), _offsets(other)]
    return [
        ((starts[0][a], starts[0][b]), (starts[1][c], starts[1][d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _offsets(words: Sequence[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def when(seconds: float) -> str:
    """A moment, as people and programs read it: 2026-01-31 09:30:00."""
    from time import localtime, strftime

    return strftime("%Y-%m-%d %H:%M:%S", localtime(seconds))


def commit_line(screen: Screen, receipt: Receipt) -> str:
    """One commit in a line, for a list of them."""
    names = list(dict.fromkeys([one_line(change.move_to or change.path) for change in receipt.changes]))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    additions = sum(change.additions for change in receipt.changes)
    deletions = sum(change.deletions for change in receipt.changes)
    notes = [f"undoes {receipt.undoes}"] if receipt.undoes else []
    notes += [f"undone by {receipt.undone_by}"] if receipt.undone_by else []
    parts = [
        screen.styled(receipt.id, "yellow"),
        when(receipt.time),
        one_line(receipt.tool) + (f" by {one_line(receipt.actor)}" if receipt.actor else ""),
        f"{shown} {screen.styled(f'+{additions}', 'green')} {screen.styled(f'-{deletions}', 'red')}",
    ]
    return "  ".join(parts) + (screen.styled(f" ({'; '.join(notes)})", "dim") if notes else "")
