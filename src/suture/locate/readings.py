"""Other ways to read a hunk, where only the file can tell which one is meant.

The literal reading comes first; another is tried only where the literal one has no place. Each is a hunk of its own,
with the name of the concession.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..dialect import Dialect
    from ..patch import Hunk


def other_readings(hunk: Hunk, dialect: Dialect) -> Iterator[tuple[Hunk, tuple[str, ...]]]:
    """The ways to read a hunk but for the literal one, each with what it concedes."""
    shorter = without_last_blank(hunk) if dialect.leave_out_last_blank else None
    if shorter is not None:
        yield shorter, ("last_blank_left_out",)
    if not dialect.lenient:
        return
    for base, notes in ((hunk, ()), (shorter, ("last_blank_left_out",))):
        if base is None:
            continue
        if (plain := _without_line_numbers(base)) is not None:
            yield plain, (*notes, "line_numbers")
        if (added := _bare_lines_added(base)) is not None:
            yield added, (*notes, "bare_line_added")


def without_last_blank(hunk: Hunk) -> Hunk | None:
    """The hunk without the blank context at its end: the one last line, or all that were written without a prefix."""
    lines = hunk.lines
    keep = len(lines)
    while keep and lines[keep - 1][0] == " " and not lines[keep - 1].strip():
        keep -= 1
        if keep not in hunk.bare:
            break
    if keep == len(lines) or not any(line[0] != "+" for line in lines[:keep]):
        return None
    return hunk.replace(lines=lines[:keep], bare=tuple(index for index in hunk.bare if index < keep))


def _without_line_numbers(hunk: Hunk) -> Hunk | None:
    """The hunk without the numbers that a file viewer put in front of every old line: they must be consecutive."""
    from re import compile as pattern

    number = pattern(r"[ \t]*(\d+)(?:[ ]?[|:\t→│][ ]?|\t)")
    loose = pattern(r"[ \t]*(\d+)(?:[|:\t→│])")
    lines: list[str] = []
    expected: int | None = None
    for line in hunk.lines:
        kind, text = line[0], line[1:]
        found = number.match(text) or loose.match(text)
        if kind == "+":
            # A viewer can't have numbered a line that isn't there, but a model may go on counting.
            lines.append(line)
            continue
        if found is None or (expected is not None and int(found[1]) != expected):
            return None
        expected = int(found[1]) + 1
        lines.append(kind + text[found.end() :])
    if expected is None:
        return None
    added = [number.match(line[1:]) for line in lines if line[0] == "+"]
    if added and all(added):
        lines = ["+" + line[1:][number.match(line[1:]).end() :] if line[0] == "+" else line for line in lines]  # type: ignore[union-attr]
    return hunk.replace(lines=tuple(lines))


def _bare_lines_added(hunk: Hunk) -> Hunk | None:
    """The hunk with its unprefixed lines between two added ones read as added."""
    lines = list(hunk.lines)
    changed = False
    for index in hunk.bare:
        if 0 < index < len(lines) - 1 and lines[index - 1][0] == "+" and lines[index][0] == " ":
            after = next((line[0] for i, line in enumerate(lines[index:], index) if i not in hunk.bare), "")
            if after == "+":
                lines[index] = "+" + lines[index][1:]
                changed = True
    return hunk.replace(lines=tuple(lines), bare=()) if changed else None
