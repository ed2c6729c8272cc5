"""What forbids a place that was found, in dialects that are cautious.

A hunk that is not distinctive enough, whose result is there already, or that another place claims with better right has
no place, although one was found. Each rule answers cases in which the file had changed and a wrong edit would have
reported success; benchmarks/accuracy has them.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .indentation import shift_between
from .limits import LINES_FOR_REPETITION
from .place import line_after
from .placement import Refusal
from .readings import without_last_blank
from .rule import first_refusal, rule
from .search import find_block
from .tiers import FOLDS, depth_matters, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .place import Place
    from .placement import Candidates, Situation

_fold = FOLDS["whitespace"]
_SHIFTED = frozenset({"indent", "punctuation", "whitespace"})


class Choice:
    """A place that was chosen for a hunk, and what it was chosen from."""

    __slots__ = ("body", "hunk", "option", "place", "situation")

    def __init__(self, situation: Situation, option: Candidates, place: Place) -> None:
        self.situation = situation
        self.option = option
        self.place = place
        self.hunk = place.hunk
        self.body = situation.text.body

    @property
    def is_exact(self) -> bool:
        """Whether it was found exactly, with its blank ends."""
        return self.place.tier == "exact" and "trimmed" not in self.place.notes

    @property
    def is_trusted(self) -> bool:
        """Whether something else than its lines says where it is."""
        return self.option.anchored or self.hunk.at_end

    @property
    def distinctive(self) -> list[str]:
        """The distinctive old lines."""
        return [line for line in self.hunk.old if is_distinctive(line)]

    def find(self, lines: Sequence[str], tiers: Sequence[str]) -> list[int]:
        """Where these lines are in the file."""
        found = find_block(self.body, lines, tiers)
        return [] if found is None else list(found.starts)


@rule
def distinctive_line(choice: Choice) -> bool:
    """A hunk without a distinctive line must fit only one place in the file.

    If it removes nothing, only trailing whitespace may differ there.
    """
    if choice.is_trusted or choice.distinctive:
        return False
    is_strict = choice.hunk.removed or choice.place.tier in ("exact", "trailing")
    return len(choice.option.places) > 1 or not is_strict


@rule
def layout_blank(choice: Choice) -> Sequence[int]:
    """A blank last line must not be the only thing that distinguishes a place: it may be just layout."""
    hunk = choice.hunk
    shorter = without_last_blank(hunk) if len(hunk.lines) - 1 in hunk.bare else None
    if choice.is_trusted or shorter is None:
        return ()
    starts = choice.find(shorter.old, choice.situation.dialect.tiers)
    return starts if len(starts) > len(choice.option.places) else ()


@rule
def uneven_depth(choice: Choice) -> bool:
    """In languages where indentation matters, all lines found at a different depth must be off by the same amount."""
    place, hunk = choice.place, choice.hunk
    if place.tier not in _SHIFTED:
        return False
    lines = place.file_lines(choice.body)
    # Only blank lines can be missing here.
    pairs = [(old, str(line)) for old, line in zip(hunk.old, lines, strict=True) if old.strip()]
    # Where tabs stand for spaces, a line that is off by something else says nothing of the others.
    converted = any((old[0] + line[0]).isspace() and old[0] != line[0] for old, line in pairs)
    if not depth_matters(choice.situation.text.path, surely=place.fitted and not converted):
        return False
    if len(pairs) > 2 and not _width(pairs[0][0]) and _width(pairs[0][1]):
        # A first line was quoted without its indentation, if the second one has some, or all others are as they are.
        others = pairs[1:]
        pairs = others if _width(others[0][0]) or all(_width(old) == _width(line) for old, line in others) else pairs
    return shift_between((), pairs) is None


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


@rule
def one_sided(choice: Choice) -> Sequence[int]:
    """Lines can't be added beside context whose only distinctive line occurs elsewhere, too."""
    hunk, lines = choice.hunk, choice.distinctive
    if choice.is_trusted or hunk.removed or "+" not in (hunk.lines[0][0], hunk.lines[-1][0]):
        return ()
    if len(choice.option.places) > 1 or len(lines) != 1 or len(hunk.old) < 2:
        return ()
    tiers = choice.situation.dialect.tiers
    starts = choice.find(lines, tiers[:1] if choice.is_exact else tiers)
    return starts if len(starts) > 1 else ()


@rule
def own_depth(choice: Choice) -> Sequence[int]:
    """Lines found at a different depth must not be elsewhere at their own, with other spacing or punctuation."""
    old = choice.situation.hunks[choice.option.number].old
    if choice.place.tier != "indent" or choice.is_trusted or len(choice.option.places) > 1:
        return ()

    def is_at_own_depth(start: int) -> bool:
        pairs = zip(old, _lines_below(choice.body, start), strict=False)
        return all(_width(line) == _width(found) for line, found in pairs if line.strip())

    starts = [] if is_at_own_depth(choice.place.start) else choice.find(old, ("exact", "whitespace"))
    return list(filter(is_at_own_depth, starts))


#: What forbids a candidate before all hunks are arranged.
CANDIDATE_RULES = (distinctive_line, layout_blank, uneven_depth, one_sided, own_depth)


@rule
def already_there(choice: Choice) -> tuple[int, ...]:
    """The result must not be in the file already."""
    place, hunk = choice.place, choice.hunk
    old, new = list(map(_fold, hunk.old)), list(map(_fold, hunk.new))
    only_adds = all(_fold(line) in new for line in hunk.removed)
    loose = not choice.is_exact and (place.tier == "similar" or only_adds)
    # Lines that are at another depth, and as the edit leaves them at its own, were edited there.
    asked = loose or place.tier == "indent" or sum(map(is_distinctive, hunk.added)) >= LINES_FOR_REPETITION
    if not hunk.added or not asked:
        return ()
    # Where only whitespace changes, a loose look at the new text would see the old one.
    tiers = choice.situation.dialect.tiers[: 5 if loose and old != new else 1]
    return tuple(choice.find(choice.situation.hunks[choice.option.number].new, tiers)[:1])


@rule
def already_inserted(choice: Choice) -> tuple[int, ...]:
    """Lines to add must not be at that very place already."""
    place, body = choice.place, choice.body
    starts = [*place.line_starts(body), place.end(body)] if choice.hunk.old else [place.start]
    return find_inserted(body, choice.hunk.lines, starts, loose=not choice.is_exact)


def find_inserted(
    body: str, lines: Sequence[str], starts: Sequence[int | None], *, loose: bool = False
) -> tuple[int, ...]:
    """Where lines that only come in are already, at any depth: above the point where they would, below or around it.

    All of them, of which a distinctive one is no line of the hunk itself; or, where the place is loose, the first
    distinctive one and more than half of the others, which may have been edited. `starts` has the offset of each old
    line and of what follows them.
    """
    count = len(starts) - 1
    for first, added in _insertions(lines, whole=loose):
        start, size = starts[first], len(added)
        only_blank = loose and first in (0, count) and not any(map(str.strip, added))
        if start is None:
            continue
        # Of the copy, the lines from one on are above, and those before it below.
        least = size - _count_equal(reversed(added), _lines_above(body, start))
        most = _count_equal(added, _lines_below(body, start))
        for cut in (least, most) if least <= most else ():
            outside = (*added[cut : max(cut, size - first)], *added[count - first : cut])
            if only_blank or any(is_distinctive(_fold(line)) for line in outside):
                return (start,)
        if loose:
            below = list(zip(added, _lines_below(body, start), strict=False))
            above = list(zip(reversed(added), _lines_above(body, start), strict=False))[::-1]
            if _is_edited_copy(added, below) or _is_edited_copy(added, above):
                return (start,)
    return ()


def _insertions(lines: Sequence[str], *, whole: bool) -> Iterator[tuple[int, list[str]]]:
    """The lines of a hunk that are added and replace none, each block with the number of the old line below it.

    Of more lines than they replace, the first or the last may be those. Where the depth of lines may be wrong
    (`whole`), equal lines of the hunk need not be the ones that stay.
    """
    number = 0
    removed: list[str] = []
    added: list[str] = []
    for line in (*lines, "end"):
        if line[0] == "+" or (whole and line[0] == " "):
            added.append(line[1:])
        if line[0] == "-" or (whole and line[0] == " "):
            removed.append(line[1:])
        elif line[0] != "+":
            for first, last, begin, end in changed_blocks(list(map(_fold, removed)), list(map(_fold, added))):
                extra = end - begin - (last - first)
                if extra > 0:
                    yield number + first, added[begin : begin + extra]
                    yield number + last, added[end - extra : end]
            number += len(removed) + 1
            removed, added = [], []


def _count_equal(lines: Iterable[str], others: Iterable[str]) -> int:
    """How many lines are equal to others, up to the first that is not."""
    count = 0
    for line, other in zip(lines, others, strict=False):
        if line != other and _fold(line) != _fold(other):
            break
        count += 1
    return count


def _is_edited_copy(added: Sequence[str], pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether the first of the distinctive lines and more than half of them face an equal one."""
    telling = list(filter(is_distinctive, map(_fold, added)))
    kept = [_fold(line) for line, other in pairs if _fold(line) == _fold(other) and is_distinctive(_fold(line))]
    return len(kept) > 1 and len(kept) * 2 > len(telling) and kept[0] == telling[0]


def _lines_above(body: str, start: int) -> Iterator[str]:
    """The lines above an offset, from the nearest one up."""
    end = min(start, len(body) + 1)
    while end:
        top = body.rfind("\n", 0, end - 1) + 1
        yield body[top : end - 1]
        end = top


def _lines_below(body: str, start: int) -> Iterator[str]:
    """The lines from an offset on."""
    while start < len(body):
        after = line_after(body, start)
        yield body[start : after - 1]
        start = after


#: What forbids a place after all hunks were arranged.
PLACE_RULES = (already_there, already_inserted)


def refuse_candidate(situation: Situation, option: Candidates) -> Refusal | None:
    """What forbids the candidates of a hunk, before order is looked at."""
    refusal = first_refusal(CANDIDATE_RULES, Choice(situation, option, option.places[0]))
    if refusal is None:
        return None
    if isinstance(refusal[1], list):
        option.left_out = refusal[1]
    return option.refused(refusal[0].name)


def refuse_place(situation: Situation, option: Candidates, place: Place) -> Refusal | None:
    """What forbids a place that was chosen."""
    refusal = first_refusal(PLACE_RULES, Choice(situation, option, place))
    if refusal is None:
        return None
    rule, against = refusal
    assert isinstance(against, tuple), "BUG: a place is refused by another one"
    if rule.name.startswith("already"):
        return Refusal("already_applied", option.number, against, rule=rule.name)
    option.places, option.left_out = [place], list(against)
    return option.refused(rule.name)
