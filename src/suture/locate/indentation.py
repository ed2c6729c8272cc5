"""Added lines at the depth of the place that was found for them: of hunks and of string edits alike.

Models lose the indentation of a whole edit, deepen it, or write tabs for spaces. What they removed tells by how much.
Depth is decided for the text as a whole. The new lines speak either the coordinates of the old ones, and are shifted by
what those are off, or those of the file, and stay as they are. An edge line of a string edit whose own depth disagrees
with all others, such as a first line that was quoted without its indentation, speaks only for the lines at that edge.
"""

from __future__ import annotations

from itertools import pairwise

from .place import Place
from .readings import merged_lines
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..core.patch import Hunk

    Pair = tuple[str, str]
    Shift = Callable[[str], str]

#: The note of a place where the depth of the new lines can't be known.
UNCLEAR_DEPTH = "unclear_depth"
#: Widths of a tab, the likeliest first.
_WIDTHS = (4, 2, 8, 3)


def split_indent(line: str) -> tuple[str, str]:
    """A line's leading white space and the rest."""
    rest = line.lstrip()
    return line[: len(line) - len(rest)], rest


def shifted(line: str, shift: Shift) -> str:
    """A line at another depth; a blank one stays as deep as it is, with tabs for spaces or back."""
    indent, rest = split_indent(line)
    depth = shift(indent)
    is_converted = bool(indent and depth) and set(depth).isdisjoint(indent)
    return depth + rest if rest or is_converted else line


def shift_between(removed: Sequence[Pair], context: Sequence[Pair]) -> Shift | None:
    """The shift that takes the hunk's indentations to the file's; None where there is no such one.

    Pairs are lines of the hunk beside the file's. Removed lines decide; context decides where there are none, or where
    they leave open whether tabs stand for spaces. In context alone a difference of one column is a forgotten prefix.
    """
    deciding = _indents(removed)
    advising = [(hunk, file) for hunk, file in _indents(context) if not _one_column(hunk, file)]
    if not deciding:
        deciding, advising = advising, []
    fitting = [shift for shift in _shifts(deciding, advising) if all(shift(hunk) == file for hunk, file in deciding)]
    return min(fitting, key=lambda shift: any(shift(hunk) != file for hunk, file in advising), default=None)


def _indents(pairs: Sequence[Pair]) -> list[Pair]:
    return [(split_indent(hunk)[0], split_indent(file)[0]) for hunk, file in pairs if hunk.strip() and file.strip()]


def _one_column(hunk: str, file: str) -> bool:
    short, long = sorted((hunk, file), key=len)
    return long in (" " + short, short + " ")


def unchanged(indent: str) -> str:
    """The shift that is none."""
    return indent


def _shifts(deciding: Sequence[Pair], advising: Sequence[Pair]) -> Iterator[Shift]:
    """The shifts that may fit, the simplest first: none, tabs for spaces or back, columns, columns after tabs, levels.

    Not columns after spaces for tabs: with tabs of any width, lines that are off by different amounts would fit.
    """
    yield unchanged
    to_tabs: list[Shift] = []
    if any("\t" in indent for pair in (*deciding, *advising) for indent in pair):
        to_tabs += [_exchange(" " * width, "\t") for width in _WIDTHS]
        yield from to_tabs
        yield from [_exchange("\t", " " * width) for width in _WIDTHS]
    for convert in (unchanged, *to_tabs):
        for hunk, file in deciding[:1]:
            before = convert(hunk)
            if file.endswith(before):
                yield _deeper(convert, file[: len(file) - len(before)])
            elif before.endswith(file):
                yield _shallower(convert, before[: len(before) - len(file)])
    if len({file for _, file in (*deciding, *advising)}) > 2:
        # Fewer depths can't tell wider levels from columns, nor from a line that is at another depth.
        yield from (_exchange(" ", "  "), _exchange("  ", " "))


def _exchange(one: str, other: str) -> Shift:
    return lambda indent: indent.replace(one, other)


def _deeper(convert: Shift, prefix: str) -> Shift:
    return lambda indent: prefix + convert(indent)


def _shallower(convert: Shift, prefix: str) -> Shift:
    def shift(indent: str) -> str:
        indent = convert(indent)
        # What is less deep already goes to the margin; what is indented otherwise stays.
        return indent[len(prefix) :] if indent.startswith(prefix) else "" if prefix.startswith(indent) else indent

    return shift


def fit_place(place: Place, body: str, *, as_hunk: bool) -> Place:
    """The place with its added lines at the file's depth, noted where they are shifted or that can't be known.

    A hunk names its context: removed lines decide, and what is off by one column in context alone is a forgotten
    prefix. All lines of a string edit are copied the same way, and an edge of it may be off by something else.
    """
    lines = place.hunk.lines
    if not any(map(str.strip, place.hunk.added)):
        return place
    # A line that the file lacks says as little as a blank one.
    there = [line or "" for line in place.file_lines(body)]
    deciding = "-" if as_hunk else "- "
    pairs = list(zip([line for line in lines if line[0] != "+"], there, strict=True))
    decide = [(line[1:], found) for line, found in pairs if line[0] in deciding]
    advise = [(line[1:], found) for line, found in pairs if line[0] not in deciding]
    shift = shift_between(decide, advise)
    if shift is unchanged:
        return _fitted(place, lines)
    in_file = list(merged_lines(there, place.hunk.new, str.rstrip))
    if _speaks_file(place.hunk, there, shift) or not any(line[0] != " " for line in in_file):
        # What it keeps are lines of the file then, unless it keeps more of those of the old text.
        return _fitted(place, lines if as_hunk or _count_kept(in_file) < _count_kept(lines) else in_file)
    if shift is not None:
        return _fitted(place, _shift_added(lines, shift))
    if as_hunk:
        return place.noted("indentation_as_written")
    fitted = _shift_by_edge(lines, [pair for pair in decide if pair[0].strip()])
    return place.noted(UNCLEAR_DEPTH) if fitted is None else _fitted(place, fitted)


def _count_kept(lines: Sequence[str]) -> int:
    return sum(line[0] == " " and is_distinctive(line) for line in lines)


def _shift_by_edge(lines: Sequence[str], pairs: Sequence[Pair]) -> list[str] | None:
    """The lines of a hunk whose first or last old line alone is off by something else, the added ones shifted."""
    first, rest = shift_between(pairs[:1], ()), shift_between(pairs[1:], ())
    if first is not None and rest is not None and (len(pairs) > 2 or not split_indent(pairs[0][0])[0]):
        # What comes instead of the first line, or before it, takes its depth if it begins where that begins.
        lead = next(index for index, line in enumerate(lines) if line[0] != "-")
        lead += split_indent(lines[lead][1:])[0] == split_indent(pairs[0][0])[0]
        return _shift_added(lines[:lead], first) + _shift_added(lines[lead:], rest)
    last, rest = shift_between(pairs[-1:], ()), shift_between(pairs[:-1], ())
    is_behind = "".join(line[0] for line in lines).rstrip("+").isspace()
    return _shift_added(lines, last) if last is not None and rest is not None and len(pairs) > 2 and is_behind else None


def _speaks_file(hunk: Hunk, lines: Sequence[str], shift: Shift | None) -> bool:
    """Whether the new text has the file's depth although the old one has not."""
    old, new, there = ([split_indent(line)[0] for line in some if line.strip()] for some in (hunk.old, hunk.new, lines))
    if shift is None:
        depths = {line.strip(): split_indent(line)[0] for line in lines if is_distinctive(line)}
        if any(depths.get(rest.rstrip(), indent) != indent for indent, rest in map(split_indent, hunk.new[1:])):
            return False
        written, meant, found = ({line.rstrip() for line in some} for some in (hunk.old, hunk.new, lines))
        if meant.isdisjoint(found - written):
            # It has no line as the file has it and the old text has not.
            return False
        # A first line without indentation may be a quotation's, which says nothing of the others.
        old, new, there = (indents if indents[0] else indents[1:] for indents in (old, new, there))
    elif new[0] in (old[0], there[0]):
        # Where it begins is where all of it counts from.
        return new[0] != old[0]
    return min(new, default="") == min(there, default="") != min(old, default="")


def _shift_added(lines: Sequence[str], shift: Shift) -> list[str]:
    """The lines of a hunk with the added ones shifted, unless one lies too deep already to be shifted."""
    for above, line in pairwise(lines):
        if above[0] + line[0] == " +" and above.endswith((",", ";")) and _width(line) > _width(above):
            # What follows the end of a statement is never deeper: it was written at the file's depth.
            return list(lines)
    return ["+" + shifted(line[1:], shift) if line[0] == "+" else line for line in lines]


def _width(line: str) -> int:
    return len(split_indent(line[1:])[0].expandtabs(4))


def _fitted(place: Place, lines: Sequence[str]) -> Place:
    """The place with these lines, and a note where an added line is none of the new text."""
    hunk = place.hunk.replace(lines=tuple(lines))
    is_shifted = not set(hunk.added).issubset(place.hunk.new)
    notes = (*place.notes, "indentation_shifted") if is_shifted else place.notes
    return Place(hunk, place.start, place.tier, notes, place.rows, place.score, fitted=True)
