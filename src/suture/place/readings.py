"""Other ways to read a hunk or a string edit: tried only where the literal one has no place in the file.

As lines, the two texts of a string edit are a hunk: what `new` keeps of `old` is context, what it drops is removed.
"""

from __future__ import annotations

import re
from functools import cached_property
from html import unescape
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from .limits import MOST_CORRECTED, MOST_DOCSTRINGS, MOST_EDITS_CORRECTED, MOST_STACKED
from .place import line_after
from .search import occurrences
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..core.dialect import Dialect
    from .align import Alignment


def normalize(hunk: Hunk) -> Hunk:
    """The hunk with every line that it removes and adds again as context."""
    if hunk.no_newline or set(hunk.removed).isdisjoint(hunk.added):
        return hunk
    lines: list[str] = []
    # The indices of the unprefixed lines, as they will be.
    bare: list[int] = []
    bare_before = set(hunk.bare)
    for is_context, group in groupby(enumerate(hunk.lines), key=lambda pair: pair[1][0] == " "):
        run = list(group)
        if is_context:
            for index, line in run:
                if index in bare_before:
                    bare.append(len(lines))
                lines.append(line)
            continue
        removed = [line[1:] for _, line in run if line[0] == "-"]
        added = [line[1:] for _, line in run if line[0] == "+"]
        lines += merged_lines(removed, added)
    return hunk.replace(lines=tuple(lines), bare=tuple(bare))


def merged_lines(old: Sequence[str], new: Sequence[str], fold: Callable[[str], str] = str) -> Iterator[str]:
    """Two blocks of lines as the lines of one hunk: what both have is context, as the first has it."""
    done = 0
    for start, end, new_start, new_end in changed_blocks(list(map(fold, old)), list(map(fold, new))):
        yield from (" " + line for line in old[done:start])
        yield from ("-" + line for line in old[start:end])
        yield from ("+" + line for line in new[new_start:new_end])
        done = end
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
        # With so many anchors it is refused: more of them would only take memory.
        carried = passed.anchors[: MOST_STACKED + 1] if is_blank(hunk) else ()
        yield passed


def other_readings(hunk: Hunk, dialect: Dialect, body: str) -> Iterator[tuple[Hunk, tuple[str, ...], tuple[str, ...]]]:
    """The ways to read a hunk as written but for the literal one, each with its tiers and what it concedes."""
    readings = list(_conceding_readings(hunk, dialect, body))
    # An exact place of any of them is better than a loose one.
    for tiers in (dialect.tiers[:1], dialect.tiers):
        for reading, concessions in readings:
            yield normalize(reading) if dialect.cautious else reading, tiers, concessions


def _conceding_readings(hunk: Hunk, dialect: Dialect, body: str) -> Iterator[tuple[Hunk, tuple[str, ...]]]:
    """The ways to read a hunk but for the literal one, each with what it concedes, in the order of preference."""
    kinds = "".join(line[0] for line in hunk.lines)
    ends_with_insertion = kinds[-1:] == "+" and kinds.rstrip("+")[-1:] == " "
    # Lines that come in behind a last line of context would come in elsewhere without it.
    keeps_last_line = dialect.cautious and ends_with_insertion
    if dialect.lenient:
        for reading, name in _lenient_readings(hunk, body):
            yield reading, (name,)
    if not dialect.leave_out_last_blank:
        return
    if keeps_last_line:
        for reading in _last_blank_added(hunk):
            yield reading, ("blank_line_added",)
        return
    shorter = without_last_blank(hunk)
    if shorter is None:
        return
    if dialect.lenient:
        for reading, name in _lenient_readings(shorter, body):
            yield reading, ("last_blank_left_out", name)
    yield shorter, ("last_blank_left_out",)


def _lenient_readings(hunk: Hunk, body: str) -> Iterator[tuple[Hunk, str]]:
    """The readings that forgive a mistake in how a hunk is written, each with the name of what it concedes."""
    for name, read in READINGS.items():
        if read is without_gutter and has_gutter(body):
            continue
        for reading in read(hunk):
            yield reading, name


def without_last_blank(hunk: Hunk) -> Hunk | None:
    """The hunk without the blank old line at its end: the one last line, or all that were written without a prefix."""
    old_indices = [index for index, line in enumerate(hunk.lines) if line[0] != "+"]
    bare = set(hunk.bare)
    dropped: set[int] = set()
    for index in reversed(old_indices):
        if hunk.lines[index][1:].strip():
            break
        dropped.add(index)
        if index not in bare:
            break
    if not dropped or len(dropped) == len(old_indices):
        return None
    kept = [line for index, line in enumerate(hunk.lines) if index not in dropped]
    return hunk.replace(lines=tuple(kept), bare=tuple(sorted(bare - dropped)))


def _last_blank_added(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk at the end of the file, with its blank last context line, which the file lacks, among the added ones."""
    last = max(index for index, line in enumerate(hunk.lines) if not line.startswith("+"))
    if hunk.lines[last].strip() or not any(line.strip() for line in hunk.old):
        return
    lines = (*hunk.lines[:last], "+", *hunk.lines[last + 1 :])
    yield hunk.replace(lines=lines, bare=tuple([index for index in hunk.bare if index != last]), at_end=True)


def without_line_numbers(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk without the line numbers that a file viewer put in front of every old line, if they are consecutive.

    Viewers differ in whether a blank follows the mark behind the number, so there are two ways to take it off. A viewer
    can't have numbered an added line; where a model has gone on counting on all of them, they lose theirs too.
    """
    for pattern in (re.compile(r"[ \t]*(\d{1,9})[ ]?(?:[|:→│] |\t)"), re.compile(r"[ \t]*(\d{1,9})[ ]?[|:→│]")):
        numbered_lines = [(line, pattern.match(line, 1)) for line in hunk.lines]
        numbered_kinds = _numbered_kinds(numbered_lines)
        if not numbered_kinds:
            continue
        lines: list[str] = []
        for line, number in numbered_lines:
            if number is not None and line[0] in numbered_kinds:
                lines.append(line[0] + line[number.end() :])
            else:
                lines.append(line)
        yield hunk.replace(lines=tuple(lines))


def _numbered_kinds(numbered_lines: Sequence[tuple[str, re.Match[str] | None]]) -> str:
    """The kinds of lines of a hunk that begin with a number of a file viewer: old ones, or all; empty if none do.

    Each line is given with the number that it begins with, if it does.
    """
    old_numbers = [None if number is None else int(number[1]) for line, number in numbered_lines if line[0] != "+"]
    first = old_numbers[0] if old_numbers else None
    if first is None or old_numbers != list(range(first, first + len(old_numbers))):
        return ""
    last = first + len(numbered_lines)
    added = [number for line, number in numbered_lines if line[0] == "+" and line[1:].strip()]
    are_counted_on = [number is not None and first <= int(number[1]) <= last for number in added]
    if all(are_counted_on):
        return " -+"
    if None in added and not any(are_counted_on):
        return " -"
    # Are these numbers the viewer's, or the text's own?
    return ""


def without_gutter(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk without the line that an editor draws to the left of a text, if every old line begins with it."""
    if not all(line.startswith(_GUTTER) for line in hunk.old) or not hunk.old:
        return
    lines = [line[0] + line[2:] if line[1:].startswith(_GUTTER) else line for line in hunk.lines]
    yield hunk.replace(lines=tuple(lines))


def with_whole_docstrings(hunk: Hunk, body: str) -> Iterator[Hunk]:
    """The hunk with the file's docstrings where its context has only the first line of one, as models shorten them."""
    lines: list[str] = []
    docstring_count = 0
    for line in hunk.lines:
        mark = line.strip()[:3]
        is_docstring = line.startswith(" ") and mark in _DOCSTRING_MARKS and line.rstrip().endswith(mark)
        if is_docstring:
            docstring_count += 1
        whole: Sequence[str] = ()
        if is_docstring and docstring_count <= MOST_DOCSTRINGS:
            first_line = line[1:].rstrip().removesuffix(mark)
            whole = _whole_docstring(first_line, mark, body)
        lines += [f" {text}" for text in whole] or [line]
    if len(lines) > len(hunk.lines):
        yield hunk.replace(lines=tuple(lines), bare=())


def _whole_docstring(opening: str, mark: str, body: str) -> Sequence[str]:
    """The lines of the docstring in a text that begins with a line and ends with a mark; empty without one."""
    if len(opening.strip()) <= len(mark):
        return ()
    start = body.find(f"\n{opening}\n")
    end = body.find(mark, start + len(opening) + 2) if start >= 0 else -1
    if end < 0:
        return ()
    return body[start + 1 : line_after(body, end) - 1].split("\n")


def has_gutter(body: str) -> bool:
    """Whether a text itself has signs of a gutter: then they are a part of its lines, as in the drawing of a tree."""
    return any(map(body.__contains__, _GUTTER))


def _bare_lines_joined(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk with each unprefixed line joined to the line above it by the escape `\\n` that became a line break."""
    bare = {index for index in hunk.bare if index > 0 and hunk.lines[index].strip()}
    # One of them must belong to an old line: only then can the file tell that this is what happened.
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
    bare = set(hunk.bare)
    # One letter for each line: its prefix, or `b` for a bare one.
    kinds = "".join("b" if index in bare else line[0] for index, line in enumerate(hunk.lines))
    new_kinds = re.sub(r"(?<=\+)b+(?=\+)", lambda run: "+" * len(run[0]), kinds)
    if new_kinds == kinds:
        return
    lines = [f"+{line[1:]}" if kind == "+" else line for kind, line in zip(new_kinds, hunk.lines, strict=True)]
    yield hunk.replace(lines=tuple(lines), bare=())


def _without_closing_fence(hunk: Hunk) -> Iterator[Hunk]:
    """The block without a last line that is the fence of the chat around it, in the old text and, if there, the new."""
    old, new = hunk.old, hunk.new
    if not hunk.is_block or old[-1:] != ["```"]:
        return
    old = old[:-1]
    if new[-1:] == ["```"]:
        new = new[:-1]
    if any(line.strip() for line in old):
        yield hunk.replace(lines=tuple(merged_lines(old, new)), bare=())


#: What a docstring begins and ends with.
_DOCSTRING_MARKS = ('"""', "'''")
#: Signs with which editors and terminals draw a line, and mark changes, beside a text.
_GUTTER = ("│", "┃", "┆", "┊", "█", "▌", "▎", "▏", "▍", "▊", "▋", "▉", "▐")

#: What each reading concedes, and the ways to read a hunk so.
READINGS: Mapping[str, Callable[[Hunk], Iterator[Hunk]]] = {
    "line_numbers": without_line_numbers,
    "bare_line_added": _bare_lines_added,
    "newline_unescaped": _bare_lines_joined,
    "closing_fence": _without_closing_fence,
    "gutter": without_gutter,
}


class EditReading:
    """One string edit: the text to find and the text to put there, with LF, and how the two were read, for one file."""

    def __init__(
        self,
        old: str,
        new: str,
        notes: tuple[str, ...] = (),
        *,
        is_by_line: bool = False,
        is_without_numbers: bool = False,
    ) -> None:
        self.old, self.new, self.notes = old, new, notes
        #: Whether it was read line by line, so that it says nothing about parts of lines; and whether the line numbers
        #: of a file viewer were taken off.
        self.is_by_line, self.is_without_numbers = is_by_line, is_without_numbers
        #: How the lines lie in the file with mistakes, worked out once.
        self.aligned: list[Alignment] = []

    @cached_property
    def hunk(self) -> Hunk:
        """The edit as a hunk of whole lines."""
        new = lines_of(self.new)
        if self.new.endswith("\n") and self.old[-1:] not in ("", "\n"):
            # As it is written, the newline of the old text's last line follows that of the new one.
            new.append("")
        return Hunk(tuple(merged_lines(lines_of(self.old), new)))

    def other_readings(self, body: str) -> Iterator[EditReading]:
        """Ways to read the edit but for the literal one, each with the name of what it concedes."""
        for hunk in without_line_numbers(self.hunk):
            old, new = self._texts_of(hunk)
            yield EditReading(old, new, ("line_numbers",), is_by_line=True, is_without_numbers=True)
        if not has_gutter(body):
            for hunk in without_gutter(self.hunk):
                yield EditReading(*self._texts_of(hunk), ("gutter",))
        if not self.old.isascii():
            kept = set(self.old.split("\n"))
            lines = [_with_escapes(line) if line in kept else line for line in self.new.split("\n")]
            yield EditReading(_with_escapes(self.old), "\n".join(lines), ("characters_escaped",))
        plain_old, plain_new = _without_entities(self.old, self.new)
        if plain_old != self.old:
            yield EditReading(plain_old, plain_new, ("html_entities",))
        corrections = self._corrections(body)
        if 0 < len(corrections) <= MOST_CORRECTED:
            lines = [corrections.get(number, line) for number, line in enumerate(lines_of(self.old))]
            end = "\n" if self.old.endswith("\n") else ""
            yield EditReading("\n".join(lines) + end, self.new, ("old_corrected",), is_by_line=True)

    def _texts_of(self, hunk: Hunk) -> tuple[str, str]:
        """The two texts of the edit by the lines of a hunk, which end as those of the edit do."""
        end = "\n" if self.old.endswith("\n") else ""
        new_end = end if self.new.endswith("\n") else ""
        return "\n".join(hunk.old) + end, "\n".join(hunk.new) + new_end

    def _corrections(self, body: str) -> dict[int, str]:
        """The lines of `old` that the model has corrected in `new`, by number: each as the file has it.

        A line is compared with the one of `new` that takes its place.
        """
        old_lines, new_lines = lines_of(self.old), lines_of(self.new)
        corrections: dict[int, str] = {}
        for start, end, new_start, new_end in changed_blocks(old_lines, new_lines):
            facing = zip(range(start, end), new_lines[new_start:new_end], strict=False)
            corrections |= {number: line for number, line in facing if _is_correction(old_lines[number], line, body)}
        return corrections

    def without_blank_ends(self) -> EditReading:
        """The edit without the blank lines at the two ends of its old text; the new one loses as many of its own."""
        old, new = self.hunk.old, self.hunk.new
        old_above = count_blank(old)
        new_above = min(old_above, count_blank(new))
        old, new = old[old_above:], new[new_above:]
        old_below = count_blank(reversed(old))
        new_below = min(old_below, count_blank(reversed(new)))
        old, new = old[: len(old) - old_below], new[: len(new) - new_below]
        return EditReading("\n".join(old), "\n".join(new), self.notes)


def count_blank(lines: Iterable[str]) -> int:
    """How many lines are blank before the first that is not."""
    count = 0
    for line in lines:
        if line.strip():
            break
        count += 1
    return count


def _is_correction(old: str, new: str, body: str) -> bool:
    """Whether the file has a line of the new text, and the old line is nearly that one: no other number or operator."""
    meaning = r"\d+|[=!<>+*/%&|^~-]+"
    if not is_distinctive(new) or re.findall(meaning, old) != re.findall(meaning, new):
        return False
    most = min(MOST_EDITS_CORRECTED, len(new) // 5)
    is_near = Levenshtein.distance(old, new, score_cutoff=most) <= most
    return is_near and bool(occurrences(body, new, most=1)) and not occurrences(body, old, most=1)


def _with_escapes(text: str) -> str:
    """A text with `\\u` escapes for the characters that are not ASCII, as JSON and most languages write them."""
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in set(text) if "\x7f" < one < "\U00010000"})


def _without_entities(old: str, new: str) -> tuple[str, str]:
    """Both texts with the characters for the entities of markup."""
    entity = r"&(?:amp|lt|gt|quot|apos|#34|#39|#x22|#x27);"
    plain_old = re.sub(entity, lambda match: unescape(match[0]), old)
    # The characters that only the new text has itself: a quote of them was never escaped there.
    only_in_new = set(re.sub(entity, "", new)).difference(re.sub(entity, "", old))
    markup = set("<>&").intersection(plain_old)
    if not only_in_new.isdisjoint(markup):
        # With any other such character nothing was.
        return plain_old, new

    def plain_unless_own(match: re.Match[str]) -> str:
        character = unescape(match[0])
        return match[0] if character in only_in_new else character

    return plain_old, re.sub(entity, plain_unless_own, new)


def lines_of(text: str) -> list[str]:
    """The lines of a text; a newline at its end ends the last one."""
    return text.removesuffix("\n").split("\n") if text else []
