"""How the indentation of a hunk differs from that of the file, as one shift for all its added lines.

Models lose the indentation of a whole hunk, deepen it, or write tabs for spaces. What they removed tells by how much,
and the same is true of what they add.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Pair = tuple[str, str]
    Shift = Callable[[str], str]

#: Widths of a tab, the likeliest first.
_WIDTHS = (4, 2, 8, 3)


def split_indent(line: str) -> tuple[str, str]:
    """A line's leading white space and the rest."""
    rest = line.lstrip()
    return line[: len(line) - len(rest)], rest


def shifted(line: str, shift: Shift) -> str:
    """A line at another depth; a blank one stays as it is."""
    indent, rest = split_indent(line)
    return shift(indent) + rest if rest else line


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
    """The shifts that may fit, the simplest first: none, tabs for spaces or back, columns, and columns after tabs.

    Not columns after spaces for tabs: with tabs of any width, lines that are off by different amounts would fit.
    """
    yield unchanged
    to_tabs: list[Shift] = []
    if any("\t" in hunk or "\t" in file for hunk, file in (*deciding, *advising)):
        to_tabs += map(_spaces_to_tabs, _WIDTHS)
        yield from to_tabs
        yield from map(_tabs_to_spaces, _WIDTHS)
    for convert in (unchanged, *to_tabs):
        for hunk, file in deciding[:1]:
            before = convert(hunk)
            if file.endswith(before):
                yield _deeper(convert, file[: len(file) - len(before)])
            elif before.endswith(file):
                yield _shallower(convert, before[: len(before) - len(file)])


def _spaces_to_tabs(width: int) -> Shift:
    def convert(indent: str) -> str:
        return indent.replace(" " * width, "\t")

    return convert


def _tabs_to_spaces(width: int) -> Shift:
    def convert(indent: str) -> str:
        return indent.replace("\t", " " * width)

    return convert


def _deeper(convert: Shift, prefix: str) -> Shift:
    def shift(indent: str) -> str:
        return prefix + convert(indent)

    return shift


def _shallower(convert: Shift, prefix: str) -> Shift:
    def shift(indent: str) -> str:
        indent = convert(indent)
        # What is less deep already goes to the margin; what is indented otherwise stays.
        return indent[len(prefix) :] if indent.startswith(prefix) else "" if prefix.startswith(indent) else indent

    return shift
