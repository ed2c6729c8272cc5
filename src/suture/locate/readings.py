"""Other ways to read a hunk, each a hunk of its own: tried only where the literal one has no place in the file."""

from __future__ import annotations

from ..core.line_diff import changed_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Hunk


def normalize(hunk: Hunk) -> Hunk:
    """The hunk with every line that it removes and adds again as context.

    Models write small changes as "remove the whole block, add most of it again", and hunks that change nothing.
    """
    if hunk.no_newline or set(hunk.removed).isdisjoint(hunk.added):
        return hunk
    lines: list[str] = []
    bare: list[int] = []
    run: dict[str, list[str]] = {"-": [], "+": []}
    for index, line in enumerate((*hunk.lines, " ")):
        if line[0] != " ":
            run[line[0]].append(line[1:])
            continue
        lines += merged_lines(run["-"], run["+"])
        run = {"-": [], "+": []}
        if index in hunk.bare:
            bare.append(len(lines))
        lines.append(line)
    return hunk.replace(lines=tuple(lines[:-1]), bare=tuple(bare))


def merged_lines(old: Sequence[str], new: Sequence[str], fold: Callable[[str], str] = str) -> Iterator[str]:
    """Two blocks of lines as the lines of one hunk: what both have is context, as the first has it."""
    done = 0
    for a, b, c, d in changed_blocks(list(map(fold, old)), list(map(fold, new))):
        yield from (" " + line for line in old[done:a])
        yield from ("-" + line for line in old[a:b])
        yield from ("+" + line for line in new[c:d])
        done = b
    yield from (" " + line for line in old[done:])


def changes_nothing(hunk: Hunk) -> bool:
    """Whether a hunk has only context: it can be an anchor for the one after it."""
    return all(line[0] == " " for line in hunk.lines)


def is_blank(hunk: Hunk) -> bool:
    """Whether a hunk has only blank context: it says nothing about where it belongs but by its anchors."""
    return not any(map(str.strip, hunk.lines))


def pass_anchors_on(hunks: Sequence[Hunk]) -> Iterator[Hunk]:
    """The hunks, where the anchors of a blank one are also those of the next."""
    carried: tuple[str, ...] = ()
    for hunk in hunks:
        passed = hunk.replace(anchors=carried + hunk.anchors) if carried else hunk
        carried = passed.anchors if is_blank(hunk) else ()
        yield passed


def other_readings(hunk: Hunk, dialect: Dialect) -> Iterator[tuple[Hunk, tuple[str, ...], tuple[str, ...]]]:
    """The ways to read a hunk as written but for the literal one, each with its tiers and what it concedes.

    An exact place of any of them is better than a loose one, so the strictest tier comes first for all.
    """
    found: list[tuple[Hunk, tuple[str, ...]]] = []
    # Lines that come in behind a last line of context would come in elsewhere without it.
    kinds = "".join(line[0] for line in hunk.lines)
    ends_with_insertion = kinds[-1] == "+" and kinds.rstrip("+")[-1:] == " "
    shorter = without_last_blank(hunk) if dialect.leave_out_last_blank else None
    bases: list[tuple[Hunk, tuple[str, ...]]] = [(hunk, ())]
    if shorter is not None and not (dialect.cautious and ends_with_insertion):
        bases.append((shorter, ("last_blank_left_out",)))
    for base, notes in bases:
        for name, read in _READINGS.items() if dialect.lenient else ():
            found += [(reading, (*notes, name)) for reading in read(base)]
        found += [(base, notes)] if notes else []
    for tiers in (dialect.tiers[:1], dialect.tiers):
        for reading, notes in found:
            yield normalize(reading) if dialect.cautious else reading, tiers, notes


def without_last_blank(hunk: Hunk) -> Hunk | None:
    """The hunk without the blank old line at its end: the one last line, or all that were written without a prefix."""
    lines, bare = hunk.lines, set(hunk.bare)
    old = [index for index, line in enumerate(lines) if line[0] != "+"]
    dropped: set[int] = set()
    while old and not lines[old[-1]][1:].strip():
        dropped.add(last := old.pop())
        if last not in bare:
            break
    kept = [index for index in range(len(lines)) if index not in dropped]
    still_bare = tuple([number for number, index in enumerate(kept) if index in bare])
    return hunk.replace(lines=tuple([lines[index] for index in kept]), bare=still_bare) if dropped and old else None


def without_line_numbers(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk without the numbers that a file viewer put in front of every old line: they must be consecutive.

    Viewers differ in whether a blank follows the mark behind the number, so there are two ways to take it off. A viewer
    can't have numbered an added line; where a model has gone on counting on all of them, they lose theirs too.
    """
    from re import compile as pattern

    for mark in (pattern(r"[ \t]*(\d{1,9})[ ]?(?:[|:→│] |\t)"), pattern(r"[ \t]*(\d{1,9})[ ]?[|:→│]")):
        numbered = [(line[0], line[1:], mark.match(line[1:])) for line in hunk.lines]
        numbers = [found and int(found[1]) for kind, _, found in numbered if kind != "+"]
        first = numbers[0] if numbers else None
        if first is None or numbers != list(range(first, first + len(numbers))):
            continue
        last = first + len(numbered)
        written = [found for kind, text, found in numbered if kind == "+" and text.strip()]
        added = [found is not None and first <= int(found[1]) <= last for found in written]
        all_added = all(added)
        if not all_added and (any(added) or None not in written):
            # Are these numbers the viewer's, or the text's own?
            continue
        lines = [
            kind + (text[found.end() :] if found and (kind != "+" or all_added) else text)
            for kind, text, found in numbered
        ]
        yield hunk.replace(lines=tuple(lines))


def _bare_lines_joined(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk with each unprefixed line joined to the line above it by the escape `\\n` that became a line break.

    One of them must belong to an old line: only then can the file tell that this is what happened.
    """
    bare = {index for index in hunk.bare if index and hunk.lines[index].strip()}
    if all(index - 1 in bare or hunk.lines[index - 1][0] == "+" for index in bare):
        return
    lines: list[str] = []
    for index, line in enumerate(hunk.lines):
        if index in bare:
            lines[-1] += "\\n" + line[1:]
        else:
            lines.append(line)
    yield hunk.replace(lines=tuple(lines), bare=())


def _bare_lines_added(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk with its unprefixed lines between two added ones read as added."""
    from re import sub

    bare = set(hunk.bare)
    kinds = "".join("b" if index in bare else line[0] for index, line in enumerate(hunk.lines))
    read = sub(r"(?<=\+)b+(?=\+)", lambda run: "+" * len(run[0]), kinds)
    if read != kinds:
        lines = [kind + line[1:] if kind == "+" else line for kind, line in zip(read, hunk.lines, strict=True)]
        yield hunk.replace(lines=tuple(lines), bare=())


#: What each reading concedes, and the ways to read a hunk so.
_READINGS: Mapping[str, Callable[[Hunk], Iterator[Hunk]]] = {
    "line_numbers": without_line_numbers,
    "bare_line_added": _bare_lines_added,
    "newline_unescaped": _bare_lines_joined,
}
