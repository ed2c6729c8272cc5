"""Added lines at the depth of the place that was found for them: of hunks and of string edits alike.

The new lines have either the depth of the old ones, and are shifted by what those are off, or the file's, and stay.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from ..core.line_diff import common_ends
from .limits import LINES_FOR_UNEVEN_DEPTH
from .readings import merged_lines
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.patch import Hunk
    from .place import Place

    Pair = tuple[str, str]
    Shift = Callable[[str], str]

#: The note of a place where the depth of the new lines can't be known.
UNCLEAR_DEPTH = "unclear_depth"


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


def _move(one: str, other: str, before: str, after: str, indent: str) -> str:
    """An indentation with one thing exchanged, then as much deeper or shallower as `after` is than `before`."""
    kept = min(len(before), len(after))
    off, on = before[: len(before) - kept], after[: len(after) - kept]
    indent = indent.replace(one, other)
    return on + indent[common_ends(indent, off)[0] :]


#: The shift that is none.
unchanged = partial(_move, "", "", "", "")
#: What a comment that is alone on its line begins with.
_COMMENTS = ("#", "//", "/*", "*", "--")
#: Tabs for spaces, and back, by the widths of a tab, the likeliest first.
_TO_TABS = [(" " * width, "\t") for width in (4, 2, 8, 3)]
_TO_SPACES = [(tab, spaces) for spaces, tab in _TO_TABS]


def shift_between(removed: Sequence[Pair], context: Sequence[Pair]) -> Shift | None:
    """The simplest shift that takes the hunk's indentations to the file's; None where there is no such one.

    Pairs are lines of the hunk beside the file's. Removed lines decide; context decides where there are none, or where
    they leave open whether tabs stand for spaces. In context alone a difference of one column is a forgotten prefix.
    """
    deciding, advising = (
        [(split_indent(hunk)[0], split_indent(file)[0]) for hunk, file in pairs if hunk.strip() and file.strip()]
        for pairs in (removed, context)
    )
    advising = [(hunk, file) for hunk, file in advising if " " + hunk != file and " " + file != hunk]
    if not deciding:
        deciding, advising = advising, []
    has_tabs = any("\t" in hunk + file for hunk, file in (*deciding, *advising))
    shifts = [unchanged, *(partial(_move, *pair, "", "") for pair in (*_TO_TABS, *_TO_SPACES) if has_tabs)]
    for hunk, file in deciding[:1]:
        # Not columns after spaces for tabs: with tabs of any width, lines that are off by different amounts would fit.
        pairs = [("", ""), *_TO_TABS] if has_tabs else [("", "")]
        shifts += [partial(_move, *pair, hunk.replace(*pair), file) for pair in pairs]
    if len({file for _, file in (*deciding, *advising)}) > 2:
        # Fewer depths can't tell levels of another width from columns, nor from a line that is at another depth.
        shifts += [partial(_move, " ", "  ", "", ""), partial(_move, "  ", " ", "", "")]
    fitting = [shift for shift in shifts if all(shift(hunk) == file for hunk, file in deciding)]
    return min(fitting, key=lambda shift: any(shift(hunk) != file for hunk, file in advising), default=None)


def fit_place(place: Place, body: str, *, as_hunk: bool) -> Place:
    """The place with its added lines at the file's depth, noted where they are shifted or that can't be known.

    A hunk names its context: removed lines decide, and what is off by one column in context alone is a forgotten
    prefix. All lines of a string edit are copied the same way, and an edge of it may be off by something else.
    """
    hunk = place.hunk
    if not any(hunk.added):
        return place
    # A line that the file lacks says as little as a blank one.
    there = [line or "" for line in place.file_lines(body)]
    decide: list[Pair] = []
    advise: list[Pair] = []
    for line, found in zip([line for line in hunk.lines if line[0] != "+"], there, strict=True):
        (advise if as_hunk and line[0] == " " else decide).append((line[1:], found))
    shift = shift_between(decide, advise)
    if shift is None and as_hunk and any(hunk.removed):
        shift = shift_between(first_lines(decide), advise)
    lines: Sequence[str] | None = hunk.lines
    if shift is not unchanged:
        in_file = list(merged_lines(there, hunk.new, str.rstrip))
        if (shift and _speaks_file(hunk.old, hunk.new, there)) or all(line[0] == " " for line in in_file):
            # Then lines that it keeps are the file's, unless it keeps more of the old text's.
            kept = max(hunk.lines, in_file, key=_count_context)
            lines = hunk.lines if as_hunk else kept
        elif shift:
            lines = _shift_added(hunk.lines, shift)
        else:
            lines = None if as_hunk else _shift_by_edge(hunk.lines, [pair for pair in decide if pair[0].strip()])
            if lines is not None and _count_context(in_file) > _count_context(hunk.lines):
                # The new text is written at the file's depth.
                lines = in_file
            shift = statement_shift(hunk, there) if lines is None and tells_depth(hunk) else None
            if shift is not None:
                lines = _shift_added(hunk.lines, shift)
    if lines is None:
        return place.noted("indentation_as_written" if as_hunk else UNCLEAR_DEPTH)
    fitted = hunk.replace(lines=tuple(lines))
    notes = place.notes if set(fitted.added).issubset(hunk.new) else (*place.notes, "indentation_shifted")
    return place.replace(hunk=fitted, notes=notes, fitted=True)


def _count_context(lines: Sequence[str]) -> int:
    """How many lines of a hunk are context."""
    return sum(1 for line in lines if line.startswith(" "))


def tells_depth(hunk: Hunk) -> bool:
    """Whether a hunk has so many distinctive lines that some which need no depth of their own may have another one."""
    return sum(map(is_distinctive, hunk.old)) >= LINES_FOR_UNEVEN_DEPTH


def statement_shift(hunk: Hunk, there: Sequence[str]) -> Shift | None:
    """How far off the statements of a hunk are, if by the same amount; `there` has the file's line for each old line.

    Comments and lines inside of brackets may be at any depth.
    """
    statements = first_lines(list(zip(hunk.old, there, strict=True)))
    return shift_between((), [pair for pair in statements if not pair[0].lstrip().startswith(_COMMENTS)])


def first_lines(pairs: Sequence[Pair]) -> list[Pair]:
    """The lines that begin a statement: no bracket is open before them. Others may be indented in any way."""
    first: list[Pair] = []
    open_brackets = 0
    for line, other in pairs:
        if open_brackets <= 0:
            first.append((line, other))
        open_brackets += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
    return first


def _shift_by_edge(lines: Sequence[str], pairs: Sequence[Pair]) -> list[str] | None:
    """The lines of a hunk whose first or last old line alone is off by something else, the added ones shifted."""
    first, others = shift_between(pairs[:1], ()), shift_between(pairs[1:], ())
    indent = split_indent(pairs[0][0])[0]
    if first and others and (len(pairs) > 2 or not indent):
        # What comes instead of the first line, or before it, takes its depth if it begins where that begins.
        lead = next(index for index, line in enumerate(lines) if line[0] != "-")
        lead += split_indent(lines[lead][1:])[0] == indent
        return _shift_added(lines[:lead], first) + _shift_added(lines[lead:], others)
    last, others = shift_between(pairs[-1:], ()), shift_between(pairs[:-1], ())
    only_behind = "".join(line[0] for line in lines).rstrip("+").isspace()
    # A last line that alone is off by one column says nothing of the lines behind it.
    is_slip = abs(len(split_indent(pairs[-1][0])[0]) - len(split_indent(pairs[-1][1])[0])) == 1
    return _shift_added(lines, last) if last and others and len(pairs) > 2 and only_behind and not is_slip else None


def _speaks_file(*texts: Sequence[str]) -> bool:
    """Whether a new text has the file's depth although the old one has not, by where they begin or by their least."""
    old, new, there = ([split_indent(line)[0] for line in text if line.strip()] for text in texts)
    if new[:1] in (old[:1], there[:1]):
        return new[:1] != old[:1]
    return min(new, default="") == min(there) != min(old)


def _shift_added(lines: Sequence[str], shift: Shift) -> list[str]:
    """The lines of a hunk with the added ones shifted, unless one lies too deep already to be shifted."""
    for above, line in pairwise(lines):
        is_deeper = split_indent(line[1:])[0] > split_indent(above[1:])[0]
        if above[0] + line[0] == " +" and above.endswith((",", ";")) and is_deeper:
            # What follows the end of a statement is never deeper: it was written at the file's depth.
            return list(lines)
    return ["+" + shifted(line[1:], shift) if line[0] == "+" else line for line in lines]
