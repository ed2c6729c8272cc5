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
from .readings import without_last_blank
from .refusal import Refusal
from .rule import first_refusal, rule
from .search import find_block
from .tiers import FOLDS, depth_matters, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..core.patch import Hunk
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
        """Whether it was found exactly."""
        return self.place.tier == "exact"

    @property
    def is_trusted(self) -> bool:
        """Whether something else than its lines says where it is, or they are removed at their only exact place."""
        hunk, option = self.hunk, self.option
        only = len(option.places) == 1 and self.is_exact and not hunk.bare
        return option.anchored or hunk.at_end or (only and bool(hunk.removed))

    @property
    def distinctive(self) -> list[str]:
        """The distinctive old lines."""
        return [line for line in self.hunk.old if is_distinctive(line)]

    @property
    def is_one_sided(self) -> bool:
        """Whether lines come in, none are removed, and there is context on one side only."""
        lines = self.hunk.lines
        return not self.hunk.removed and (lines[0][0] == "+" or lines[-1][0] == "+")


@rule
def distinctive_line(choice: Choice) -> bool:
    """A hunk without a distinctive line must fit only one place in the file.

    If it removes nothing, only trailing whitespace may differ there.
    """
    if choice.is_trusted or choice.distinctive:
        return False
    strict = bool(choice.hunk.removed) or choice.place.tier in ("exact", "trailing")
    return len(choice.option.places) > 1 or not strict


@rule
def layout_blank(choice: Choice) -> Sequence[int]:
    """A blank last line must not be the only thing that distinguishes a place: it may be just layout."""
    lines = choice.hunk.lines
    if choice.is_trusted or len(lines) - 1 not in choice.hunk.bare or lines[-1].strip():
        return ()
    shorter = without_last_blank(choice.hunk)
    found = find_block(choice.body, shorter.old, choice.situation.dialect.tiers) if shorter is not None else None
    return found.starts if found is not None and len(found.starts) > len(choice.option.places) else ()


@rule
def uneven_depth(choice: Choice) -> bool:
    """In languages where indentation matters, all lines found at a different depth must be off by the same amount."""
    place, hunk = choice.place, choice.hunk
    if place.tier not in _SHIFTED:
        return False
    lines = place.file_lines(choice.body)
    pairs = [(old, line) for old, line in zip(hunk.old, lines, strict=True) if line is not None and old.strip()]
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
    if choice.is_trusted or not choice.is_one_sided or len(choice.option.places) > 1:
        return ()
    lines = choice.distinctive
    if len(lines) != 1 or sum(line[0] == " " for line in choice.hunk.lines) < 2:
        return ()
    tiers = choice.situation.dialect.tiers
    found = find_block(choice.body, lines, tiers[:1] if choice.is_exact else tiers)
    return found.starts if found is not None and len(found.starts) > 1 else ()


#: What forbids a candidate before all hunks are arranged.
CANDIDATE_RULES = (distinctive_line, layout_blank, uneven_depth, one_sided)


@rule
def already_there(choice: Choice) -> tuple[int, ...]:
    """The result must not be in the file already."""
    place, hunk, body = choice.place, choice.hunk, choice.body
    # Where only whitespace changes, a loose look at the new text would see the old one.
    only_space = not choice.is_exact and list(map(_fold, hunk.old)) == list(map(_fold, hunk.new))
    inserts = not choice.is_exact and _only_adds(hunk)
    doubtful = place.tier == "similar" or only_space or inserts or "last_blank_left_out" in place.notes
    added = hunk.added
    if not added or not (doubtful or len(added) >= LINES_FOR_REPETITION <= sum(map(is_distinctive, added))):
        return ()
    if only_space and _has_new_spacing(place, body):
        return (place.start,)
    tiers = choice.situation.dialect.tiers[: 1 if choice.is_exact or only_space else 5]
    found = find_block(body, choice.situation.hunks[choice.option.number].new, tiers)
    if found is None and place.tier == "similar":
        found = next(filter(None, (find_block(body, run, tiers) for run in _distinctive_runs(hunk))), None)
    return () if found is None else (found.starts[0],)


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
        if start is None or not (only_blank or any(is_distinctive(_fold(line)) for line in added)):
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

    Of more lines than they replace, at an end of the hunk, the outermost may be those. Where the depth of lines may be
    wrong (`whole`), equal lines of the hunk need not be the ones that stay.
    """
    count = sum(line[0] != "+" for line in lines)
    number = 0
    removed: list[str] = [line[1:] for line in lines if line[0] != "+"] if whole else []
    added: list[str] = [line[1:] for line in lines if line[0] != "-"] if whole else []
    for line in (*(() if whole else lines), " "):
        if line[0] == "+":
            added.append(line[1:])
        elif line[0] == "-":
            removed.append(line[1:])
        else:
            for first, last, begin, end in changed_blocks(list(map(_fold, removed)), list(map(_fold, added))):
                extra = end - begin - (last - first)
                if extra > 0 and (first == last or not number + first):
                    yield number + first, added[begin : begin + extra]
                if extra > 0 and first < last and number + last == count:
                    yield number + last, added[end - extra : end]
            number += len(removed) + 1
            removed, added = [], []


def _count_equal(lines: Iterable[str], others: Iterable[str]) -> int:
    """How many lines are equal to others, up to the first that is not."""
    count = 0
    for line, other in zip(lines, others, strict=False):
        if _fold(line) != _fold(other):
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
    while end > 0:
        top = body.rfind("\n", 0, end - 1) + 1
        yield body[top : end - 1]
        end = top


def _lines_below(body: str, start: int) -> Iterator[str]:
    """The lines from an offset on."""
    while start < len(body):
        after = line_after(body, start)
        yield body[start : after - 1]
        start = after


@rule
def rival(choice: Choice) -> tuple[int, ...]:
    """A loose match is refused if another place has the context exactly."""
    place = choice.place
    if place.tier in ("exact", "trailing", "escapes") or choice.option.anchored or len(place.hunk.lines) < 2:
        return ()
    from .loose import find_rival

    start = find_rival(choice.situation.text, place)
    return () if start is None else (start,)


@rule
def blank_ends(choice: Choice) -> tuple[int, ...]:
    """If blank ends of a string edit were left out, no other place may have them and all other lines but one."""
    if "trimmed" not in choice.place.notes:
        return ()
    from .loose import find_with_ends

    start = find_with_ends(choice.situation.text, choice.situation.hunks[choice.option.number], choice.place)
    return () if start is None else (start,)


#: What forbids a place after all hunks were arranged.
PLACE_RULES = (already_there, already_inserted, rival, blank_ends)


def _only_adds(hunk: Hunk) -> bool:
    """Whether a hunk removes no line but for one that it writes again with other whitespace."""
    added = list(map(_fold, hunk.added))
    return all(_fold(line) in added for line in hunk.removed)


def _has_new_spacing(place: Place, body: str) -> bool:
    """Whether lines of which a hunk changes nothing but the whitespace have it as the hunk would write it.

    Whitespace at the end of lines does not count: whoever changes that alone changes it here.
    """
    lines = zip(place.hunk.old, place.hunk.new, place.file_lines(body), strict=True)
    changed = [(_spacing(new), line) for old, new, line in lines if _spacing(old) != _spacing(new)]
    return changed != [] and all(line is not None and new == _spacing(line) for new, line in changed)


def _spacing(line: str) -> list[str]:
    """The whitespace of a line, but for that at its end."""
    from re import split

    return split(r"\S+", line.rstrip())


def _distinctive_runs(hunk: Hunk) -> Iterator[list[str]]:
    """The runs of added lines of which two or more are distinctive."""
    run: list[str] = []
    for line in (*hunk.lines, " "):
        if line[0] == "+":
            run.append(line[1:])
        else:
            if sum(map(is_distinctive, run)) > 1:
                yield run
            run = []


def refuse_candidate(situation: Situation, option: Candidates) -> Refusal | None:
    """What forbids the candidates of a hunk, before order is looked at."""
    refusal = first_refusal(CANDIDATE_RULES, Choice(situation, option, option.places[0]))
    if refusal is None:
        return None
    if isinstance(refusal[1], list):
        option.left_out = refusal[1]
    return Refusal("several", option.number, option=option, rule=refusal[0].name)


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
    return Refusal("several", option.number, option=option, rule=rule.name)
