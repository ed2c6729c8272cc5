"""The new text of a string edit at the depth of the place that was found for it.

Depth is decided for the text as a whole. `new` speaks either the coordinates of `old`, and is shifted by what `old` is
off, or those of the file, and stays as it is. An edge line of `old` whose own depth disagrees with all others, such as
a first line that was quoted without its indentation, speaks only for the lines at that edge.
"""

from __future__ import annotations

from .indentation import shift_between, shifted, split_indent, unchanged
from .place import Place
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .edit_readings import EditReading

    Shift = Callable[[str], str]

#: The note of a place where the depth of the new lines can't be known.
UNCLEAR_DEPTH = "unclear_depth"
#: What a line ends with that opens a block or goes on in the next line.
_OPENERS = tuple("{([<:=>\\|&+-*/?")
_OPENING_WORDS = frozenset("begin do else in of repeat then try where".split())


def fit_replacement(place: Place, wanted: EditReading, body: str) -> Place:
    """The place with the edit's added lines at the file's depth; noted where that can't be known."""
    theirs = place.file_lines(body)
    lines = [line for line in theirs if line is not None]
    if len(lines) < len(theirs) or not any(line[0] == "+" and line[1:].strip() for line in place.hunk.lines):
        return place
    old, new = wanted.hunk.old, wanted.hunk.new
    pairs = [(one, other) for one, other in zip(old, lines, strict=True) if one.strip()]
    shift = shift_between(pairs, ())
    if shift is unchanged or _speaks_file(old, new, lines, least if shift is not None else depth_of):
        return _with_added(place, [unchanged] * len(place.hunk.lines))
    if shift is not None:
        shifts = [shift] * len(place.hunk.lines)
        if not _is_plausible(_shifted(place.hunk.lines, shifts, lines)) and _is_plausible(
            _shifted(place.hunk.lines, [unchanged] * len(shifts), lines)
        ):
            shifts = [unchanged] * len(shifts)
        return _with_added(place, shifts)
    edges = _edge_shifts(place.hunk.lines, pairs)
    return place.noted(UNCLEAR_DEPTH) if edges is None else _with_added(place, edges)


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


def _speaks_file(
    old: Sequence[str], new: Sequence[str], lines: Sequence[str], depth: Callable[[Sequence[str]], int]
) -> bool:
    """Whether the new text has the file's depth although the old one has not, and no line as the old one has it."""
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


def _shifted(hunk_lines: Sequence[str], shifts: Sequence[Shift], lines: Sequence[str]) -> list[tuple[str, bool]]:
    """The lines of the result, each with whether it is added."""
    result: list[tuple[str, bool]] = []
    theirs = iter(lines)
    for line, shift in zip(hunk_lines, shifts, strict=True):
        if line[0] == "+":
            result.append((shifted(line[1:], shift), True))
        else:
            there = next(theirs)
            result += [(there, False)] if line[0] == " " else []
    return result


def _is_plausible(result: Sequence[tuple[str, bool]]) -> bool:
    """Whether no added line lies deeper than the line above it, unless that one opens a block."""
    above = ""
    for line, added in result:
        if not line.strip():
            continue
        if added and above and _width(line) > _width(above) and not _opens(above):
            return False
        above = line
    return True


def _opens(line: str) -> bool:
    text = line.strip()
    is_tag = text.startswith("<") and not text.endswith("/>")
    return is_tag or text.endswith(_OPENERS) or text.split()[-1] in _OPENING_WORDS or text.startswith(("#", "//", "@"))


def _with_added(place: Place, shifts: Sequence[Shift]) -> Place:
    """The place with its added lines shifted."""
    lines = tuple(
        [
            "+" + shifted(line[1:], shift) if line[0] == "+" else line
            for line, shift in zip(place.hunk.lines, shifts, strict=True)
        ]
    )
    notes = (*place.notes, "indentation_shifted") if lines != place.hunk.lines else place.notes
    hunk = place.hunk.replace(lines=lines)
    return Place(hunk, place.start, place.tier, notes, place.rows, place.score, fitted=True)
