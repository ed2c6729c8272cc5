"""Added lines at the depth of the place that was found for them: of hunks and of string edits alike.

Models lose the indentation of a whole edit, deepen it, or write tabs for spaces. What they removed tells by how much.
Depth is decided for the text as a whole. The new lines speak either the coordinates of the old ones, and are shifted by
what those are off, or those of the file, and stay as they are. An edge line of a string edit whose own depth disagrees
with all others, such as a first line that was quoted without its indentation, speaks only for the lines at that edge.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .place import Place
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..core.patch import Hunk

    Pair = tuple[str, str]
    Shift = Callable[[str], str]

#: The note of a place where the depth of the new lines can't be known.
UNCLEAR_DEPTH = "unclear_depth"
#: What a line ends with that opens a block or goes on in the next line.
_OPENERS = tuple("{([<:=>\\|&+-*/?")
_OPENING_WORDS = frozenset("begin do else in of repeat then try where".split())
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
    for shift in fitting:
        if all(shift(hunk) == file for hunk, file in advising):
            return shift
    return fitting[0] if fitting else None


def _indents(pairs: Sequence[Pair]) -> list[Pair]:
    return [(split_indent(hunk)[0], split_indent(file)[0]) for hunk, file in pairs if hunk.strip() and file.strip()]


def _one_column(hunk: str, file: str) -> bool:
    return hunk != file and (file in (" " + hunk, hunk + " ") or hunk in (" " + file, file + " "))


def unchanged(indent: str) -> str:
    """The shift that is none."""
    return indent


def _shifts(deciding: Sequence[Pair], advising: Sequence[Pair]) -> Iterator[Shift]:
    """The shifts that may fit, the simplest first: none, tabs for spaces or back, columns, columns after tabs, levels.

    Not columns after spaces for tabs: with tabs of any width, lines that are off by different amounts would fit.
    """
    yield unchanged
    to_tabs: list[Shift] = []
    if any("\t" in hunk or "\t" in file for hunk, file in (*deciding, *advising)):
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
    if not any(line[0] == "+" and line[1:].strip() for line in lines):
        return place
    old = [line for line in lines if line[0] != "+"]
    pairs = [(line, there) for line, there in zip(old, place.file_lines(body), strict=True) if there is not None]
    decide = [(line[1:], there) for line, there in pairs if line[0] == "-" or not as_hunk]
    advise = [(line[1:], there) for line, there in pairs if line[0] == " " and as_hunk]
    shift = shift_between(decide, advise)
    is_whole = len(pairs) == len(old)
    there = [there for _, there in pairs]
    if shift is unchanged:
        return _fitted(place, lines)
    if is_whole and _speaks_file(place.hunk, there, least if shift is not None else depth_of):
        kept = any(line[0] == " " and is_distinctive(line) for line in lines)
        return _fitted(place, lines if as_hunk or kept else _against_file(place.hunk.new, there))
    if shift is not None:
        none: Sequence[Shift] = (unchanged,) * len(lines)
        shifts = (shift,) * len(lines)
        if is_whole and not _is_plausible(_result(lines, shifts, there)) and _is_plausible(_result(lines, none, there)):
            return _fitted(place, lines)
        return _fitted(place, _shift_added(lines, shifts))
    edges = _edge_shifts(lines, [pair for pair in decide if pair[0].strip()]) if is_whole and not as_hunk else None
    if edges is not None:
        return _fitted(place, _shift_added(lines, edges))
    return place.noted("indentation_as_written" if as_hunk else UNCLEAR_DEPTH)


def _against_file(new: Sequence[str], there: Sequence[str]) -> list[str]:
    """The lines of a hunk whose new text speaks the file's coordinates alone: what it keeps are lines of the file."""
    lines: list[str] = []
    done = 0
    for a, b, c, d in changed_blocks([line.rstrip() for line in there], [line.rstrip() for line in new]):
        lines += (" " + line for line in there[done:a])
        lines += ("-" + line for line in there[a:b])
        lines += ("+" + line for line in new[c:d])
        done = b
    return [*lines, *(" " + line for line in there[done:])]


def _edge_shifts(lines: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[Shift] | None:
    """A shift for each line of a hunk whose first or last old line alone is off by something else."""
    first = pairs[0]
    enough = len(pairs) > (1 if _is_slip(*first) else 2)
    if enough and (rest := shift_between(pairs[1:], ())) is not None:
        edge = shift_between([first], ())
        assert edge is not None, "BUG: one line has a shift"
        indent = split_indent(first[0])[0]
        # Up to the first old line, lines that begin where it begins take its depth.
        until = next(index for index, line in enumerate(lines) if line[0] == " " or index == len(lines) - 1)
        return [
            edge if index <= until and split_indent(line[1:])[0] == indent and _leads(lines, index) else rest
            for index, line in enumerate(lines)
        ]
    last = max(index for index, line in enumerate(lines) if line[0] != "+")
    only_behind = all(line[0] == " " for line in lines[: last + 1])
    if only_behind and len(pairs) > 2 and shift_between(pairs[:-1], ()) is not None:
        edge = shift_between(pairs[-1:], ())
        assert edge is not None, "BUG: one line has a shift"
        return [edge] * len(lines)
    return None


def _is_slip(line: str, there: str) -> bool:
    """Whether a first line was quoted without its indentation, or is one column off."""
    written, found = (split_indent(some)[0] for some in (line, there))
    return not written or abs(len(written) - len(found)) == 1


def _leads(lines: Sequence[str], index: int) -> bool:
    """Whether a line is the first of its kind."""
    return all(line[0] != lines[index][0] for line in lines[:index])


def _speaks_file(hunk: Hunk, lines: Sequence[str], depth: Callable[[Sequence[str]], int]) -> bool:
    """Whether the new text has the file's depth although the old one has not, and no line as the old one has it."""
    old, new = hunk.old, hunk.new
    if [line.rstrip() for line in new] == [line.rstrip() for line in lines]:
        return True
    depths = [depth(some) for some in (old, new, lines)]
    firsts = [next((_width(line) for line in some if line.strip()), -1) for some in (old, new, lines)]
    if depth is least and firsts[1] in (firsts[0], firsts[2]):
        # Where it begins is where all of it counts from.
        return firsts[1] != firsts[0]
    written, known = ({line.rstrip() for line in some} for some in (old, lines))
    kept = any(line.rstrip() in written and line.rstrip() not in known for line in new if is_distinctive(line))
    return depths[1] == depths[2] != depths[0] and not kept


def least(lines: Sequence[str]) -> int:
    """The least indentation of a text, in columns."""
    return min([_width(line) for line in lines if line.strip()], default=0)


def depth_of(lines: Sequence[str]) -> int:
    """The least indentation of a text, in columns; a first line that has none, as a quotation begins, is left out."""
    widths = [_width(line) for line in lines if line.strip()]
    return min(widths[1:] or widths, default=0) if widths and not widths[0] else min(widths, default=0)


def _width(line: str) -> int:
    return len(split_indent(line)[0].expandtabs(4))


def _result(hunk_lines: Sequence[str], shifts: Sequence[Shift], lines: Sequence[str]) -> list[str]:
    """The hunk with the file's own lines, and its added lines shifted."""
    theirs = iter(lines)
    return [line if line[0] == "+" else line[0] + next(theirs) for line in _shift_added(hunk_lines, shifts)]


def _is_plausible(result: Sequence[str]) -> bool:
    """Whether no added line lies deeper than a line of the file above it, unless that one opens a block.

    As deep as a line that it replaces, or as the line of the file below it, it may lie: what opens a block is not known
    of every language. How much deeper the added lines below it lie, the new text itself says.
    """
    lines = [line for line in result if line[1:].strip()]
    for index in range(1, len(lines)):
        above, line = lines[index - 1], lines[index]
        if line[0] == " " or above[0] != " " or _opens(above[1:]):
            continue
        run = lines[index : next((i + 1 for i in range(index, len(lines)) if lines[i][0] == " "), len(lines))]
        added = next((_width(line[1:]) for line in run if line[0] == "+"), 0)
        if added > _width(above[1:]) and added not in [_width(line[1:]) for line in run if line[0] != "+"]:
            return False
    return True


def _opens(line: str) -> bool:
    text = line.strip()
    is_tag = text.startswith("<") and not text.endswith("/>")
    return is_tag or text.endswith(_OPENERS) or text.split()[-1] in _OPENING_WORDS or text.startswith(("#", "//", "@"))


def _shift_added(lines: Sequence[str], shifts: Sequence[Shift]) -> list[str]:
    """The lines of a hunk with the added ones shifted."""
    return [
        "+" + shifted(line[1:], shift) if line[0] == "+" else line for line, shift in zip(lines, shifts, strict=True)
    ]


def _fitted(place: Place, lines: Sequence[str]) -> Place:
    """The place with these lines, and a note where an added line is none of the new text."""
    hunk = place.hunk.replace(lines=tuple(lines))
    is_shifted = not set(hunk.added).issubset(place.hunk.new)
    notes = (*place.notes, "indentation_shifted") if is_shifted else place.notes
    return Place(hunk, place.start, place.tier, notes, place.rows, place.score, fitted=True)
