"""Other ways to read a hunk or a string edit: tried only where the literal one has no place in the file.

As lines, the two texts of a string edit are a hunk: what `new` keeps of `old` is context, what it drops is removed.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from .limits import MOST_CORRECTED, MOST_EDITS_CORRECTED, MOST_STACKED, MOST_TRIED
from .search import occurrences
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..core.dialect import Dialect
    from .align import Alignment


def normalize(hunk: Hunk) -> Hunk:
    """The hunk with every line that it removes and adds again as context."""
    if hunk.no_newline or set(hunk.removed).isdisjoint(hunk.added):
        return hunk
    lines: list[str] = []
    bare: list[int] = []
    for is_context, group in groupby(enumerate(hunk.lines), key=lambda pair: pair[1][0] == " "):
        run = list(group)
        bare += [len(lines) + at for at, (index, _) in enumerate(run) if index in hunk.bare]
        old, new = ([line[1:] for _, line in run if line[0] != other] for other in "+-")
        lines += [line for _, line in run] if is_context else merged_lines(old, new)
    return hunk.replace(lines=tuple(lines), bare=tuple(bare))


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
        # With so many anchors it is refused: more of them would only take memory.
        carried = passed.anchors[: MOST_STACKED + 1] if is_blank(hunk) else ()
        yield passed


def other_readings(hunk: Hunk, dialect: Dialect) -> Iterator[tuple[Hunk, tuple[str, ...], tuple[str, ...]]]:
    """The ways to read a hunk as written but for the literal one, each with its tiers and what it concedes."""
    # Lines that come in behind a last line of context would come in elsewhere without it.
    kinds = "".join(line[0] for line in hunk.lines)
    ends_with_insertion = dialect.cautious and kinds[-1] == "+" and kinds.rstrip("+")[-1:] == " "
    shorter = without_last_blank(hunk) if dialect.leave_out_last_blank and not ends_with_insertion else None
    bases: list[tuple[Hunk, tuple[str, ...]]] = [(hunk, ())]
    if shorter is not None:
        bases.append((shorter, ("last_blank_left_out",)))
    readings = READINGS.items() if dialect.lenient else ()
    found = [(reading, (*notes, name)) for base, notes in bases for name, read in readings for reading in read(base)]
    found += bases[1:]
    if ends_with_insertion and dialect.leave_out_last_blank:
        found += [(reading, ("blank_line_added",)) for reading in _last_blank_added(hunk)]
    # An exact place of any of them is better than a loose one.
    for tiers in (dialect.tiers[:1], dialect.tiers):
        for reading, conceded in found:
            yield normalize(reading) if dialect.cautious else reading, tiers, conceded


def without_last_blank(hunk: Hunk) -> Hunk | None:
    """The hunk without the blank old line at its end: the one last line, or all that were written without a prefix."""
    old, bare = [index for index, line in enumerate(hunk.lines) if line[0] != "+"], set(hunk.bare)
    dropped: set[int] = set()
    while old and not hunk.lines[old[-1]][1:].strip():
        dropped.add(last := old.pop())
        if last not in bare:
            break
    kept = [line for index, line in enumerate(hunk.lines) if index not in dropped]
    return hunk.replace(lines=tuple(kept), bare=tuple(sorted(bare - dropped))) if dropped and old else None


def _last_blank_added(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk at the end of the file, with its blank last context line, which the file lacks, among the added ones."""
    last = max(index for index, line in enumerate(hunk.lines) if not line.startswith("+"))
    if hunk.lines[last].strip() or not any(line.strip() for line in hunk.old):
        return
    lines = (*hunk.lines[:last], "+", *hunk.lines[last + 1 :])
    yield hunk.replace(lines=lines, bare=tuple([index for index in hunk.bare if index != last]), at_end=True)


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
        written = [found for kind, text, found in numbered if kind == "+" and text.strip()]
        added = [found is not None and first <= int(found[1]) <= first + len(numbered) for found in written]
        if not all(added) and (any(added) or None not in written):
            # Are these numbers the viewer's, or the text's own?
            continue
        kinds = " -+" if all(added) else " -"
        lines = [kind + (text[found.end() :] if found and kind in kinds else text) for kind, text, found in numbered]
        yield hunk.replace(lines=tuple(lines))


def without_gutter(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk without the line that an editor draws to the left of a text, if every old line begins with it."""
    if not all(line.startswith(_GUTTER) for line in hunk.old) or not hunk.old:
        return
    lines = [line[0] + line[2:] if line[1:].startswith(_GUTTER) else line for line in hunk.lines]
    yield hunk.replace(lines=tuple(lines))


def with_whole_docstrings(hunk: Hunk, body: str) -> Iterator[Hunk]:
    """The hunk with the file's docstrings where its context has only the first line of one, as models shorten them."""
    lines: list[str] = []
    tried = 0
    for line in hunk.lines:
        mark = line.strip()[:3]
        is_short = line.startswith(" ") and mark in _DOCSTRING_MARKS and line.rstrip().endswith(mark)
        if is_short:
            tried += 1
            is_short = tried <= MOST_TRIED
        opening = line[1:].rstrip().removesuffix(mark)
        start = body.find(f"\n{opening}\n") if is_short and len(opening.strip()) > len(mark) else -1
        end = body.find(mark, start + len(opening) + 2) if start >= 0 else -1
        if end < 0:
            lines.append(line)
        else:
            bottom = body.find("\n", end)
            lines += [f" {text}" for text in body[start + 1 : bottom if bottom >= 0 else len(body)].split("\n")]
    if len(lines) > len(hunk.lines):
        yield hunk.replace(lines=tuple(lines), bare=())


def has_gutter(body: str) -> bool:
    """Whether a text itself has signs of a gutter: then they are a part of its lines, as in the drawing of a tree."""
    return any(map(body.__contains__, _GUTTER))


def _bare_lines_joined(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk with each unprefixed line joined to the line above it by the escape `\\n` that became a line break."""
    bare = {index for index in hunk.bare if index and hunk.lines[index].strip()}
    # One of them must belong to an old line: only then can the file tell that this is what happened.
    if all(index - 1 in bare or hunk.lines[index - 1][0] == "+" for index in bare):
        return
    joined = ["\\n" + line[1:] if index in bare else "\n" + line for index, line in enumerate(hunk.lines)]
    yield hunk.replace(lines=tuple("".join(joined)[1:].split("\n")), bare=())


def _bare_lines_added(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk with its unprefixed lines between two added ones read as added."""
    from re import sub

    bare = set(hunk.bare)
    kinds = "".join("b" if index in bare else line[0] for index, line in enumerate(hunk.lines))
    read = sub(r"(?<=\+)b+(?=\+)", lambda run: "+" * len(run[0]), kinds)
    if read != kinds:
        lines = [kind + line[1:] if kind == "+" else line for kind, line in zip(read, hunk.lines, strict=True)]
        yield hunk.replace(lines=tuple(lines), bare=())


def _without_closing_fence(hunk: Hunk) -> Iterator[Hunk]:
    """The block without a last line that is the fence of the chat around it, in the old text and, if there, the new."""
    if not hunk.is_block or hunk.old[-1:] != ["```"]:
        return
    old, new = hunk.old[:-1], hunk.new
    if new[-1:] == ["```"]:
        new.pop()
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

    def __init__(self, old: str, new: str, notes: tuple[str, ...] = ()) -> None:
        self.old, self.new, self.notes = old, new, notes
        #: How the lines lie in the file with mistakes, worked out once.
        self.aligned: list[Alignment] = []

    @cached_property
    def hunk(self) -> Hunk:
        """The edit as a hunk of whole lines."""
        # As it is written, the newline of the old text's last line follows that of the new one.
        is_longer = self.new.endswith("\n") and self.old[-1:] not in ("", "\n")
        return Hunk(tuple(merged_lines(lines_of(self.old), [*lines_of(self.new), *[""] * is_longer])))

    def other_readings(self, body: str) -> Iterator[EditReading]:
        """Ways to read the edit but for the literal one, each with the name of what it concedes."""
        end = "\n" * self.old.endswith("\n")
        new_end = end * self.new.endswith("\n")
        for plain in without_line_numbers(self.hunk):
            yield EditReading("\n".join(plain.old) + end, "\n".join(plain.new) + new_end, ("line_numbers",))
        for plain in () if has_gutter(body) else without_gutter(self.hunk):
            yield EditReading("\n".join(plain.old) + end, "\n".join(plain.new) + new_end, ("gutter",))
        if not self.old.isascii():
            kept = set(self.old.split("\n"))
            lines = [_with_escapes(line) if line in kept else line for line in self.new.split("\n")]
            yield EditReading(_with_escapes(self.old), "\n".join(lines), ("characters_escaped",))
        plain_old, plain_new = _without_entities(self.old, self.new)
        if plain_old != self.old:
            yield EditReading(plain_old, plain_new, ("html_entities",))
        # A line of `old` that the file lacks, facing a line of `new` that the file has: the model corrected itself.
        wrong, right = lines_of(self.old), lines_of(self.new)
        corrected = {
            at: line
            for a, b, c, d in changed_blocks(wrong, right)
            for at, line in zip(range(a, b), right[c:d], strict=False)
            if _is_correction(wrong[at], line, body)
        }
        if 0 < len(corrected) <= MOST_CORRECTED:
            lines = [corrected.get(at, line) for at, line in enumerate(wrong)]
            yield EditReading("\n".join(lines) + end, self.new, ("old_corrected",))

    def without_blank_ends(self) -> EditReading:
        """The edit without the blank lines at the two ends of its old text; the new one loses as many."""
        old, new = self.hunk.old, self.hunk.new
        for _ in range(2):
            count, there = (next((n for n, line in enumerate(some) if line.strip()), len(some)) for some in (old, new))
            old, new = old[count:][::-1], new[min(count, there) :][::-1]
        return EditReading("\n".join(old), "\n".join(new), self.notes)


def _is_correction(old: str, new: str, body: str) -> bool:
    """Whether the file has a line of the new text, and the old line is nearly that one: no other number or operator."""
    from re import findall

    from rapidfuzz.distance import Levenshtein

    meaning = r"\d+|[=!<>+*/%&|^~-]+"
    if not is_distinctive(new) or findall(meaning, old) != findall(meaning, new):
        return False
    most = min(MOST_EDITS_CORRECTED, len(new) // 5)
    is_near = Levenshtein.distance(old, new, score_cutoff=most) <= most
    return is_near and bool(occurrences(body, new, most=1)) and not occurrences(body, old, most=1)


def _with_escapes(text: str) -> str:
    """A text with `\\u` escapes for the characters that are not ASCII, as JSON and most languages write them."""
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in set(text) if "\x7f" < one < "\U00010000"})


def _without_entities(old: str, new: str) -> tuple[str, str]:
    """Both texts with the characters for the entities of markup."""
    from html import unescape
    from re import sub

    entity = r"&(?:amp|lt|gt|quot|apos|#34|#39|#x22|#x27);"
    plain = sub(entity, lambda found: unescape(found[0]), old)
    # A quote that the new text alone has itself was never escaped there. With any other such character nothing was.
    own = set(sub(entity, "", new)).difference(sub(entity, "", old))
    if own.isdisjoint(set("<>&").intersection(plain)):
        new = sub(entity, lambda found: found[0] if unescape(found[0]) in own else unescape(found[0]), new)
    return plain, new


def lines_of(text: str) -> list[str]:
    """The lines of a text; a newline at its end ends the last one."""
    return text.removesuffix("\n").split("\n") if text else []
