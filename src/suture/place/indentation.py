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


def split_indent(line: str) -> tuple[str, str]:
    """A line's leading white space and the rest."""
    rest = line.lstrip()
    return line[: len(line) - len(rest)], rest


def shifted(line: str, shift: Shift) -> str:
    """A line at another depth; a blank one stays as deep as it is, with tabs for spaces or back."""
    indent, rest = split_indent(line)
    new_indent = shift(indent)
    if rest:
        return new_indent + rest
    is_converted = bool(indent and new_indent) and set(new_indent).isdisjoint(indent)
    return new_indent if is_converted else line


def _move(unit: str, new_unit: str, before: str, after: str, indent: str) -> str:
    """An indentation with new units for old ones, then as much deeper or shallower as `after` is than `before`."""
    indent = indent.replace(unit, new_unit)
    common_end = min(len(before), len(after))
    taken_off, put_on = before[: len(before) - common_end], after[: len(after) - common_end]
    # An indentation that does not begin with all that is taken off loses what it has of it.
    common_start, _ = common_ends(indent, taken_off)
    return put_on + indent[common_start:]


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
    deciding = _indents(removed)
    advising = [(hunk, file) for hunk, file in _indents(context) if not _is_one_column_off(hunk, file)]
    if not deciding:
        deciding, advising = advising, []
    shifts = _possible_shifts(deciding, advising)
    fitting = [shift for shift in shifts if _fits_all(shift, deciding)]
    if not fitting:
        return None
    return next((shift for shift in fitting if _fits_all(shift, advising)), fitting[0])


def _is_one_column_off(indent: str, other: str) -> bool:
    """Whether one of two indentations has a space more in front."""
    return f" {indent}" == other or f" {other}" == indent


def _fits_all(shift: Shift, indents: Sequence[Pair]) -> bool:
    """Whether a shift takes all these indentations of a hunk to the file's, which are beside them."""
    return all(shift(hunk) == file for hunk, file in indents)


def _indents(pairs: Sequence[Pair]) -> list[Pair]:
    """The indentations of lines of a hunk beside those of the file, blank lines left out."""
    return [(split_indent(hunk)[0], split_indent(file)[0]) for hunk, file in pairs if hunk.strip() and file.strip()]


def _possible_shifts(deciding: Sequence[Pair], advising: Sequence[Pair]) -> list[Shift]:
    """The shifts that indentations of a hunk beside those of the file suggest, the simplest first."""
    pairs = [*deciding, *advising]
    has_tabs = any("\t" in hunk + file for hunk, file in pairs)
    shifts: list[Shift] = [unchanged]
    if has_tabs:
        shifts += [partial(_move, *exchange, "", "") for exchange in (*_TO_TABS, *_TO_SPACES)]
    if deciding:
        hunk, file = deciding[0]
        # Not columns after spaces for tabs: with tabs of any width, lines that are off by different amounts would fit.
        exchanges = [("", ""), *_TO_TABS] if has_tabs else [("", "")]
        shifts += [partial(_move, *exchange, hunk.replace(*exchange), file) for exchange in exchanges]
    if len({file for _, file in pairs}) > 2:
        # Fewer depths can't tell levels of another width from columns, nor from a line that is at another depth.
        shifts += [partial(_move, " ", "  ", "", ""), partial(_move, "  ", " ", "", "")]
    return shifts


def fit_place(place: Place, body: str, *, as_hunk: bool) -> Place:
    """The place with its added lines at the file's depth, noted where they are shifted or that can't be known.

    A hunk names its context: removed lines decide, and what is off by one column in context alone is a forgotten
    prefix. All lines of a string edit are copied the same way, and an edge of it may be off by something else.
    """
    if not any(place.hunk.added):
        return place
    # A line that the file lacks says as little as a blank one.
    file_lines = [line or "" for line in place.file_lines(body)]
    lines = _fit_hunk(place.hunk, file_lines) if as_hunk else _fit_edit(place.hunk, file_lines)
    if lines is None:
        return place.noted("indentation_as_written") if as_hunk else place.replace(is_depth_unclear=True)
    fitted = place.hunk.replace(lines=tuple(lines))
    is_shifted = not set(fitted.added).issubset(place.hunk.new)
    notes = (*place.notes, "indentation_shifted") if is_shifted else place.notes
    return place.replace(hunk=fitted, notes=notes, fitted=True)


def _fit_hunk(hunk: Hunk, file_lines: Sequence[str]) -> Sequence[str] | None:
    """The lines of a hunk with the added ones indented as the file is, which has `file_lines` for its old lines.

    None where it is unclear how deep they belong.
    """
    kinds = [line[0] for line in hunk.lines if line[0] != "+"]
    pairs = list(zip(hunk.old, file_lines, strict=True))
    removed = [pair for kind, pair in zip(kinds, pairs, strict=True) if kind == "-"]
    context = [pair for kind, pair in zip(kinds, pairs, strict=True) if kind == " "]
    only_adds = not any(hunk.removed)
    if only_adds and _has_extra_space(hunk, context):
        one_space_less = partial(_move, "", "", " ", "")
        return _shift_added(hunk.lines, one_space_less)
    shift = shift_between(removed, context)
    if shift is None and not only_adds:
        # Removed lines inside of brackets may be at any depth: the others decide.
        shift = shift_between(first_lines(removed), context)
    if shift is unchanged or _is_at_file_depth(hunk, file_lines, shift):
        return hunk.lines
    if shift is None and tells_depth(hunk):
        shift = statement_shift(hunk, file_lines)
    return None if shift is None else _shift_added(hunk.lines, shift)


def _has_extra_space(hunk: Hunk, context: Sequence[Pair]) -> bool:
    """Whether all lines of a hunk that only adds have one more space behind their sign than the file has.

    The added lines then begin as deep as a line of the hunk, and where no line of the file beside it does.
    """
    indents = _indents(context)
    if not indents or any(old != f" {file}" for old, file in indents):
        return False
    first_added = next((split_indent(line)[0] for line in hunk.added if line.strip()), None)
    old_indents, file_indents = [old for old, _ in indents], [file for _, file in indents]
    return first_added in old_indents and first_added not in file_indents


def _fit_edit(hunk: Hunk, file_lines: Sequence[str]) -> Sequence[str] | None:
    """The lines of a string edit with the added ones indented as the file is, which has `file_lines` for its old lines.

    None where it is unclear how deep they belong.
    """
    pairs = list(zip(hunk.old, file_lines, strict=True))
    shift = shift_between(pairs, ())
    if shift is unchanged:
        return hunk.lines
    # The same edit, if it keeps lines of the file, not of its own old text.
    as_in_file = list(merged_lines(file_lines, hunk.new, str.rstrip))
    keeps_more_of_file = _count_context(as_in_file) > _count_context(hunk.lines)
    if _is_at_file_depth(hunk, file_lines, shift):
        return as_in_file if keeps_more_of_file else hunk.lines
    if shift is not None:
        return _shift_added(hunk.lines, shift)
    pairs_with_text = [pair for pair in pairs if pair[0].strip()]
    by_edge = _shift_by_edge(hunk.lines, pairs_with_text)
    if by_edge is not None:
        # Where it keeps more of the file, the new text is written at the file's depth.
        return as_in_file if keeps_more_of_file else by_edge
    if not tells_depth(hunk):
        return None
    shift = statement_shift(hunk, file_lines)
    return None if shift is None else _shift_added(hunk.lines, shift)


def _is_at_file_depth(hunk: Hunk, file_lines: Sequence[str], shift: Shift | None) -> bool:
    """Whether the new lines are written at the file's depth, although the old ones are off by a shift or unevenly."""
    if shift is not None and _speaks_file(hunk.old, hunk.new, file_lines):
        return True
    return all(line[0] == " " for line in merged_lines(file_lines, hunk.new, str.rstrip))


def _count_context(lines: Sequence[str]) -> int:
    """How many lines of a hunk are context."""
    return sum(1 for line in lines if line.startswith(" "))


def tells_depth(hunk: Hunk) -> bool:
    """Whether a hunk has so many distinctive lines that some which need no depth of their own may have another one."""
    return sum(map(is_distinctive, hunk.old)) >= LINES_FOR_UNEVEN_DEPTH


def statement_shift(hunk: Hunk, file_lines: Sequence[str]) -> Shift | None:
    """How far off the statements of a hunk are from the file's lines for its old lines, if by the same amount.

    Comments and lines inside of brackets may be at any depth.
    """
    statements = first_lines(list(zip(hunk.old, file_lines, strict=True)))
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
    """The lines of a hunk whose first or last old line alone is off by something else, the added ones shifted.

    `pairs` are its old lines beside the file's, without the blank ones. None where it is not so, or unclear.
    """
    by_first_line = _shift_by_first_line(lines, pairs)
    if by_first_line is not None:
        return by_first_line
    last_shift, shift_above = shift_between(pairs[-1:], ()), shift_between(pairs[:-1], ())
    if last_shift is None or shift_above is None or len(pairs) <= 2:
        return None
    kinds = "".join(line[0] for line in lines)
    only_adds_at_end = kinds.rstrip("+").isspace()
    last_old, last_in_file = (split_indent(line)[0] for line in pairs[-1])
    # A last line that alone is off by one column says nothing of the lines behind it.
    is_one_column_off = abs(len(last_old) - len(last_in_file)) == 1
    if not only_adds_at_end or is_one_column_off:
        return None
    return _shift_added(lines, last_shift)


def _shift_by_first_line(lines: Sequence[str], pairs: Sequence[Pair]) -> list[str] | None:
    """The same for a first old line that alone is off by something else."""
    first_shift, shift_below = shift_between(pairs[:1], ()), shift_between(pairs[1:], ())
    indent = split_indent(pairs[0][0])[0]
    if first_shift is None or shift_below is None:
        return None
    if len(pairs) <= 2 and indent:
        return None
    # What comes instead of the first line, or before it, takes its depth if it begins where that begins.
    lead = next((index for index, line in enumerate(lines) if line[0] != "-"), len(lines))
    if lead < len(lines) and split_indent(lines[lead][1:])[0] == indent:
        lead += 1
    return _shift_added(lines[:lead], first_shift) + _shift_added(lines[lead:], shift_below)


def _speaks_file(old: Sequence[str], new: Sequence[str], file: Sequence[str]) -> bool:
    """Whether new lines have the file's depth although the old ones have not, by where they begin or by their least."""
    old_indents, new_indents, file_indents = _indents_of(old), _indents_of(new), _indents_of(file)
    first_old, first_new, first_in_file = old_indents[:1], new_indents[:1], file_indents[:1]
    if first_new in (first_old, first_in_file):
        return first_new != first_old
    least_in_file = min(file_indents)
    return min(new_indents, default="") == least_in_file and least_in_file != min(old_indents)


def _indents_of(lines: Sequence[str]) -> list[str]:
    """The indentations of the lines that are not blank."""
    return [split_indent(line)[0] for line in lines if line.strip()]


def _shift_added(lines: Sequence[str], shift: Shift) -> list[str]:
    """The lines of a hunk with the added ones shifted, unless one lies too deep already to be shifted."""
    for above, line in pairwise(lines):
        is_behind_statement = above[0] == " " and above.endswith((",", ";"))
        is_deeper = split_indent(line[1:])[0] > split_indent(above[1:])[0]
        if line[0] == "+" and is_behind_statement and is_deeper:
            # What follows the end of a statement is never deeper: it was written at the file's depth.
            return list(lines)
    return [f"+{shifted(line[1:], shift)}" if line[0] == "+" else line for line in lines]
