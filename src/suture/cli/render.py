"""Prints changes, diffs and commits for people.

Diffs have git's colors and none for syntax: a hunk can begin inside a string or a comment, and wrong colors mislead.
Changed words are marked if two lines belong together and have enough in common.
"""

from __future__ import annotations

from time import localtime, strftime

from ..core.display import one_line, plural, printable, visible_ends
from ..core.notes import notes
from ..core.outcome import LETTERS
from ..core.paths import NOTEBOOK
from ..core.record import PlannedFile
from ..core.write_diff import headed_sections, join_sections
from ..words.notebook_diff import cell_hunks, notebook_diff
from ..words.word_diff import changed_words
from .screen import width
from .screen_limits import MOST_LINES_BY_WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from ..core.outcome import Change, Plan, Receipt
    from ..core.write_diff import FileSection
    from .screen import Screen

#: The colors of the letters in front of changes.
_STYLES = {"A": "green", "M": "yellow", "D": "red", "R": "dim"}
#: The last second of the year 9999.
_LATEST = 253_402_300_799.0


def change_line(screen: Screen, change: Change) -> str:
    """One change as a line: `M src/app.py +3 -1 (hunk 2: trailing whitespace ignored)`."""
    letter = LETTERS[change.kind]
    name = f"{change.path} -> {change.move_to}" if change.move_to else change.path
    parts = [screen.style(letter, _STYLES[letter]), printable(name)]
    if change.additions or change.deletions:
        parts += [screen.style(f"+{change.additions}", "green"), screen.style(f"-{change.deletions}", "red")]
    if change_notes := change.notes():
        parts.append(screen.style(printable(f"({'; '.join(change_notes)})"), "dim"))
    return " ".join(parts)


def show_changes(screen: Screen, outcome: Plan | Receipt, options: Namespace, *, written: bool = False) -> None:
    """Print the changes, the concessions made in reading the patch, and the diff if it is wanted.

    On a terminal, what was `written` is only summed up, and what would be is shown with its diff.
    """
    if written and screen.is_terminal:
        for line in stat_lines(screen, outcome.changes):
            screen.print(line)
    else:
        for change in outcome.changes:
            screen.print(change_line(screen, change))
    if outcome.concessions:
        screen.print(screen.style(f"Note: {'; '.join(notes(outcome.concessions))}.", "dim"))
    if options.diff or (screen.is_terminal and not written and not options.no_diff):
        cells = _cell_diffs(outcome) if screen.is_terminal else {}
        show_changed_lines(screen, [change for change in outcome.changes if not cells.get(change.path)])
        for diff in filter(None, cells.values()):
            screen.print()
            show_patch(screen, diff)


def _cell_diffs(outcome: Plan | Receipt) -> dict[str, str]:
    """For a person, the differences of notebooks by cell; a receipt no longer has their contents."""
    diffs: dict[str, str] = {}
    for file in outcome.files:
        content = getattr(file, "content_after", None)
        if not isinstance(file, PlannedFile) or not file.shown.endswith(NOTEBOOK) or not file.was or not content:
            continue

        try:
            diffs[file.shown] = notebook_diff(file.was.decode(), content.decode(), file.shown)
        except UnicodeDecodeError:
            continue
    return diffs


def stat_lines(screen: Screen, changes: Sequence[Change]) -> Iterator[str]:
    """The changes as `git apply --stat` prints them, with the concessions below."""
    names = [_stat_name(change) for change in changes]
    counts = [change.additions + change.deletions for change in changes]
    column = max(map(len, names), default=0)
    digits = max([len(str(count)) for count in counts], default=0)
    bar = max(10, min(40, width() - column - digits - 5))
    scale = min(1.0, bar / max([*counts, 1]))
    for change, name, count in zip(changes, names, counts, strict=True):
        plus, minus = (-(-count * scale // 1) for count in (change.additions, change.deletions))
        graph = screen.style("+" * int(plus), "green") + screen.style("-" * int(minus), "red")
        yield f" {name:{column}} | {count:{digits}} {graph}".rstrip()
        for note in change.notes():
            yield screen.style(f"   {note}", "dim")
    yield _stat_total(changes)


def _stat_name(change: Change) -> str:
    name = f"{change.path} => {change.move_to}" if change.move_to else change.path
    return one_line(name) + {"add": " (new)", "delete": " (gone)"}.get(change.kind, "")


def _stat_total(changes: Sequence[Change]) -> str:
    """The last line of a statistic, as git has it: ` 2 files changed, 3 insertions(+), 1 deletion(-)`."""
    files = len({change.content_name for change in changes})
    additions = sum(change.additions for change in changes)
    deletions = sum(change.deletions for change in changes)
    parts = [f" {files} {plural('file', files)} changed"]
    if additions:
        parts.append(f"{additions} {plural('insertion', additions)}(+)")
    if deletions:
        parts.append(f"{deletions} {plural('deletion', deletions)}(-)")
    return ", ".join(parts)


def show_changed_lines(screen: Screen, changes: Sequence[Change]) -> None:
    """Print the diff of changes below an empty line, if they have one."""
    sections = [change.section for change in changes]
    if screen.is_terminal:
        # For a person. In a pipe, it is a diff that can be applied.
        sections = [section.replace(hunks=cell_hunks(section.path, section.hunks)) for section in sections]
    if any(section.header for section in sections):
        screen.print()
        show_diff(screen, sections)


def show_diff(screen: Screen, sections: Sequence[FileSection]) -> None:
    """Print a unified diff: for a person on a terminal or in colors, as it is in a pipe."""
    if not screen.color and not screen.is_terminal:
        screen.write(join_sections(sections))
        return
    for line in colored_diff(screen, sections):
        screen.print(line)


def colored_diff(screen: Screen, sections: Iterable[FileSection]) -> Iterator[str]:
    """The lines of a unified diff in colors, if they are used."""
    for header, hunks in headed_sections(sections):
        for line in header:
            yield screen.style(printable(line), "bold")
        for hunk in hunks:
            yield screen.style(printable(hunk.header), "cyan")
            yield from colored_lines(screen, hunk.written_lines)


def show_patch(screen: Screen, text: str) -> None:
    """Print a patch in the form that models write: in colors for a person, as it is in a pipe."""
    if not screen.color and not screen.is_terminal:
        screen.write(text)
        return
    for line in colored_lines(screen, text.removesuffix("\n").split("\n")):
        screen.print(line)


def colored_lines(screen: Screen, lines: Iterable[str]) -> Iterator[str]:
    """The lines of hunks in colors, if they are used. Whitespace at the end of a changed line is visible."""
    removed: list[str] = []
    added: list[str] = []
    for line in lines:
        sign, text = line[:1], line[1:]
        if sign == "-" and not added:
            removed.append(visible_ends(text))
            continue
        if sign == "+":
            added.append(visible_ends(text))
            continue
        yield from _changed_lines(screen, removed, added)
        removed, added = [], []
        if sign == "-":
            removed.append(visible_ends(text))
        elif sign == " ":
            yield " " + printable(text)
        elif line:
            yield _other_line(screen, printable(line))
    yield from _changed_lines(screen, removed, added)


def _other_line(screen: Screen, line: str) -> str:
    """A line that belongs to no side of a hunk: an anchor, a marker or a header."""
    if line.startswith("@@"):
        return screen.style(line, "cyan")
    return line if line.startswith("\\") else screen.style(line, "bold")


def _changed_lines(screen: Screen, removed: Sequence[str], added: Sequence[str]) -> Iterator[str]:
    """Removed lines and the lines that replace them, with the changed words marked."""
    pairs = len(removed) == len(added) and len(removed) <= MOST_LINES_BY_WORD
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


def format_time(seconds: float) -> str:
    """A time in the local time zone: 2026-01-31 09:30:00."""
    return strftime("%Y-%m-%d %H:%M:%S", localtime(min(max(0.0, seconds), _LATEST)))


def show_commit(screen: Screen, receipt: Receipt, *, diff: bool = True) -> None:
    """Print a commit with its facts and changes and, in a pipe too, its diff."""
    facts = [("time", format_time(receipt.time)), ("tool", receipt.tool), ("actor", receipt.actor)]
    facts += [("undoes", receipt.undoes), ("undone by", receipt.undone_by)]
    screen.print(screen.style(f"commit {receipt.id}", "yellow"))
    for name, value in facts:
        if value:
            screen.print(f"{name + ':':10} {one_line(value)}")
    screen.print()
    for change in receipt.changes:
        screen.print(change_line(screen, change))
    if diff:
        show_changed_lines(screen, receipt.changes)


def commit_line(screen: Screen, receipt: Receipt, *, short: bool = False) -> str:
    """One commit as a line of a list; a short one has neither time nor tool."""
    names = list(dict.fromkeys([one_line(change.move_to or change.path) for change in receipt.changes]))
    files = ", ".join(names[:3])
    if len(names) > 3:
        files += f" and {len(names) - 3} more"
    additions = sum(change.additions for change in receipt.changes)
    deletions = sum(change.deletions for change in receipt.changes)
    name = screen.style(receipt.id, "yellow")
    summary = f"{files} {screen.style(f'+{additions}', 'green')} {screen.style(f'-{deletions}', 'red')}"
    if short:
        line = f"{name} {summary}"
    else:
        tool = one_line(receipt.tool)
        if receipt.actor:
            tool += f" by {one_line(receipt.actor)}"
        line = f"{name}  {format_time(receipt.time)}  {tool}  {summary}"
    undo: list[str] = []
    if receipt.undoes:
        undo.append(f"undoes {receipt.undoes}")
    if receipt.undone_by:
        undo.append(f"undone by {receipt.undone_by}")
    if undo:
        line += screen.style(f" ({'; '.join(undo)})", "dim")
    return line
