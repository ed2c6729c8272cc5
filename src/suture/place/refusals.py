"""What forbids a place that was found, in dialects that are cautious.

Each rule answers cases in which the file had changed and a wrong edit would have reported success.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..core.line_diff import changed_blocks
from ..core.value import Value
from .indentation import first_lines, fit_place, shift_between, statement_shift, tells_depth
from .kept_lines import has_added_line_for_kept_one
from .limits import LINES_FOR_REPETITION
from .place import line_after
from .placement import Refusal
from .readings import without_last_blank
from .reflow import find_words
from .rule import first_refusal, rule
from .search import find_block, lines_above, lines_below
from .tiers import ANY_DEPTH, FOLDS, depth_matters, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .place import Place
    from .placement import Candidates, Situation

_fold = FOLDS["whitespace"]
#: What a line begins with that closes a block.
_CLOSING = re.compile(r"\s*(?:[)\]}]|(?:done|end|endif|esac|fi)\b)")


class Choice(Value):
    """A place that was chosen for a hunk, and what it was chosen from."""

    situation: Situation
    option: Candidates
    place: Place

    @property
    def is_exact(self) -> bool:
        """Whether it was found exactly, with its blank ends."""
        return self.place.tier == "exact" and "trimmed" not in self.place.notes

    @property
    def is_only_exact(self) -> bool:
        """Whether its lines are exactly there and nowhere else: then new lines elsewhere that are alike say nothing."""
        is_only = len(self.option.places) == 1 and not self.option.left_out
        return self.is_exact and not self.place.notes and bool(self.distinctive) and is_only

    @property
    def has_only_anchor(self) -> bool:
        """Whether its lines are exactly there, but only the anchor tells which of such lines these are."""
        return self.is_exact and self.option.anchored and not self.distinctive

    @property
    def has_new_words(self) -> bool:
        """Whether all words of the new text are there, some beside the place, with other whitespace between them."""
        hunk, body = self.situation.hunks[self.option.number], self.situation.text.body
        start, end = self.place.start, self.place.end(body)
        spans = find_words(body, "\n".join(hunk.new)) if hunk.new != hunk.old else []
        return any(first <= end and last >= start and (first < start or last > end) for first, last in spans)

    @property
    def is_trusted(self) -> bool:
        """Whether something else than its lines says where it is."""
        return self.option.anchored or self.place.hunk.at_end

    @property
    def distinctive(self) -> list[str]:
        """The distinctive old lines."""
        return [line for line in self.place.hunk.old if is_distinctive(line)]

    def find(self, lines: Sequence[str], tiers: Sequence[str]) -> list[int]:
        """Where these lines are in the file."""
        occurrences = find_block(self.situation.text.body, lines, tiers, 0, self.situation.index)
        return [] if occurrences is None else list(occurrences.starts)


@rule
def distinctive_line(choice: Choice) -> bool:
    """A hunk without a distinctive line must fit only one place in the file, or in the block of its anchor.

    If it removes nothing, only trailing whitespace may differ there.
    """
    if choice.distinctive or choice.place.hunk.at_end:
        return False
    is_strict = choice.place.hunk.removed or choice.place.tier in ("exact", "trailing")
    return not is_strict or (len(choice.option.places) > 1 and not choice.option.anchored)


@rule
def layout_blank(choice: Choice) -> Sequence[int]:
    """A blank last line must not be the only thing that distinguishes a place: it may be just layout."""
    hunk = choice.place.hunk
    shorter = without_last_blank(hunk) if len(hunk.lines) - 1 in hunk.bare else None
    if choice.is_trusted or shorter is None:
        return ()
    starts = choice.find(shorter.old, choice.situation.dialect.tiers)
    return starts if len(starts) > len(choice.option.places) else ()


@rule
def uneven_depth(choice: Choice) -> bool:
    """In languages where indentation matters, all lines found at a different depth must be off by the same amount.

    Among many distinctive lines, comments and lines inside of brackets need not be.
    """
    place, text = choice.place, choice.situation.text
    if place.tier not in ANY_DEPTH or not depth_matters(text.path, surely=place.fitted):
        return False
    # Only blank lines can be missing here.
    there = [line or "" for line in place.file_lines(text.body)]
    pairs = [(old, line) for old, line in zip(place.hunk.old, there, strict=True) if old.strip()]
    if len(pairs) > 2 and not _width(pairs[0][0]) and _width(pairs[0][1]):
        # A first line was quoted without its indentation, if the second one has some, or all others are as they are.
        is_quoted = _width(pairs[1][0]) or all(_width(old) == _width(line) for old, line in pairs[1:])
        pairs = pairs[1:] if is_quoted else pairs
    if shift_between((), pairs) is not None or (place.hunk.removed and _only_inner_lines_stay(choice)):
        return False
    return not tells_depth(place.hunk) or statement_shift(place.hunk, there) is None


def _only_inner_lines_stay(choice: Choice) -> bool:
    """Whether all statements are off by the same amount, and only lines inside of brackets or of texts are not off."""
    place, body, scopes = choice.place, choice.situation.text.body, choice.situation.scopes
    kinds = [line[0] for line in place.hunk.lines if not line.startswith("+")]
    pairs = [(old, line or "") for old, line in zip(place.hunk.old, place.file_lines(body), strict=True)]
    first = set(first_lines(pairs))
    statements: list[tuple[str, str]] = []
    for kind, pair, start in zip(kinds, pairs, place.line_starts(body), strict=True):
        is_in_text = start is not None and scopes.is_inside_text(start)
        # What a statement has in brackets goes with it; a kept line in brackets may be of another one.
        is_inner = is_in_text or (kind == "-" and pair not in first)
        if pair[0].strip() and not (pair[0] == pair[1] and is_inner):
            statements.append(pair)
    removed = [pair for kind, pair in zip(kinds, pairs, strict=True) if kind == "-"]
    is_told = any(pair in first for pair in removed) or all(old == line for old, line in removed)
    return is_told and shift_between((), statements) is not None


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


@rule
def other_bracket(choice: Choice) -> bool:
    """A line that closes a block is another one at a different depth, if lines above it are at their own depth."""
    place = choice.place
    if place.tier not in ANY_DEPTH:
        return False
    has_own_depth = False
    for old, line in zip(place.hunk.old, place.file_lines(choice.situation.text.body), strict=True):
        off = 0 if line is None else abs(_width(old.expandtabs(4)) - _width(line.expandtabs(4)))
        if is_distinctive(old):
            has_own_depth = off == 0 and _width(old) > 0
        elif _CLOSING.match(old) and has_own_depth and off > 1:
            # One column is a prefix that was forgotten.
            return True
    return False


@rule
def one_sided(choice: Choice) -> Sequence[int]:
    """Lines can't be added beside context whose only distinctive line occurs elsewhere, too."""
    hunk, lines = choice.place.hunk, choice.distinctive
    if choice.is_trusted or hunk.removed or "+" not in (hunk.lines[0][0], hunk.lines[-1][0]):
        return ()
    if len(choice.option.places) > 1 or len(lines) != 1 or len(hunk.old) < 2:
        return ()
    tiers = choice.situation.dialect.tiers
    starts = choice.find(lines, tiers[:1] if choice.is_exact else tiers)
    return starts if len(starts) > 1 else ()


@rule
def own_depth(choice: Choice) -> Sequence[int]:
    """Old lines found at another depth than the hunk has them must not be elsewhere at the depth of the hunk.

    There, the spaces inside of lines and the kind of quotes and dashes may differ.
    """
    if choice.is_trusted or len(choice.option.places) > 1:
        return ()
    body = choice.situation.text.body
    old = choice.situation.hunks[choice.option.number].old

    def has_depth_of_hunk(start: int) -> bool:
        """Whether the lines of the file from an offset on are indented as the old lines are."""
        for line, file_line in zip(old, lines_below(body, start), strict=False):
            if line.strip() and _width(line) != _width(file_line):
                return False
        return True

    if has_depth_of_hunk(choice.place.start):
        return ()
    # The tier `whitespace` also folds punctuation.
    starts = choice.find(old, ("exact", "whitespace"))
    return [start for start in starts if has_depth_of_hunk(start)]


@rule
def nested_copy(choice: Choice) -> bool:
    """Lines found at a different depth must not be right below their first line at its own depth."""
    place, body = choice.place, choice.situation.text.body
    first = next(filter(str.strip, place.hunk.old), "")
    there = next(filter(None, place.file_lines(body)), "")
    above = next(filter(str.strip, lines_above(body, place.start)), "")
    return bool(first) and place.tier in ANY_DEPTH and first != there and above == first


@rule
def forgotten_plus(choice: Choice) -> str:
    """A context line that the file lacks must not use a word that only the added lines have: its `+` was forgotten."""
    place = choice.place
    if place.rows is None or not place.hunk.added:
        return ""
    absent = [line for line, row in zip(place.hunk.old, place.rows, strict=True) if row is None]
    added = set(re.findall(r"\w{4,}", "\n".join(place.hunk.added)))
    for line in absent:
        if any(word in added and word not in choice.situation.text.words for word in re.findall(r"\w{4,}", line)):
            return line
    return ""


#: What forbids a candidate before all hunks are arranged.
CANDIDATE_RULES = (
    distinctive_line,
    layout_blank,
    other_bracket,
    uneven_depth,
    one_sided,
    own_depth,
    nested_copy,
    forgotten_plus,
)


@rule
def already_there(choice: Choice) -> tuple[int, ...]:
    """The result must not be in the file already, unless the old lines are exactly at one place."""
    if choice.is_only_exact:
        return ()
    place, hunk = choice.place, choice.place.hunk
    if not hunk.added:
        return ()
    only_adds = not choice.is_exact and set(map(_fold, hunk.removed)).issubset(map(_fold, hunk.new))
    is_loose = place.tier == "similar" or only_adds
    # Lines that are at another depth, and as the edit leaves them at its own, were edited there.
    is_deeper = place.tier == "indent"
    has_much_new = sum(map(is_distinctive, hunk.added)) >= LINES_FOR_REPETITION
    if not (is_loose or is_deeper or has_much_new):
        return ()
    tiers = choice.situation.dialect.tiers
    # Where only whitespace changes, a loose look at the new text would see the old one.
    if is_loose and _folded(hunk.old) != _folded(hunk.new):
        tiers = tuple(tier for tier in tiers if tier in FOLDS)
    else:
        tiers = tiers[:1]
    results = choice.find(choice.situation.hunks[choice.option.number].new, tiers)
    return tuple(results[:1])


def _folded(lines: Iterable[str]) -> list[str]:
    """Lines without their whitespace, but for blank ones."""
    return [fold for fold in map(_fold, lines) if fold]


@rule
def already_inserted(choice: Choice) -> tuple[int, ...]:
    """Lines to add must not be at that very place already; all new lines, if the old ones are exactly at one place."""
    place, body = choice.place, choice.situation.text.body
    if choice.is_only_exact or choice.has_only_anchor:
        return _all_inserted(choice)
    if place.fitted and place.tier == "whitespace" and choice.has_new_words:
        return (place.start,)
    if has_added_line_for_kept_one(place, body):
        return (place.start,)
    starts = [*place.line_starts(body), place.end(body)] if choice.place.hunk.old else [place.start]
    return find_inserted(body, choice.place.hunk.lines, starts, loose=not choice.is_exact)


def _all_inserted(choice: Choice) -> tuple[int, ...]:
    """Where all new lines of a hunk are at its place, if they can be told from any others."""
    place, body = choice.place, choice.situation.text.body
    if place.hunk.new == place.hunk.old:
        return ()
    if choice.has_only_anchor:
        can_be_told = any(line.strip() for line in place.hunk.added)
    else:
        can_be_told = any(map(is_distinctive, place.hunk.added))
    if not can_be_told:
        return ()
    return _touching(body, "\n".join(place.hunk.new), place.start, place.end(body))


def _touching(body: str, text: str, start: int, end: int) -> tuple[int, ...]:
    """Where lines are that share lines with a place, given by two offsets, or are right above or below it.

    At its end, a file may have fewer blank lines.
    """
    if body.rstrip("\n").endswith(text.rstrip("\n")):
        text = text.rstrip("\n")
    # With the newlines around them, whole lines are found in one search, whatever the text repeats.
    low, high = start - len(text) - 2, end + len(text) + 1
    lead = "\n" if low < 0 else ""
    tail = "\n" if high >= len(body) else ""
    offset = f"{lead}{body[max(0, low) : high]}{tail}".find(f"\n{text}\n")
    return () if offset < 0 else (max(0, low) + offset + 1 - len(lead),)


def find_inserted(
    body: str, lines: Sequence[str], starts: Sequence[int | None], *, loose: bool = False
) -> tuple[int, ...]:
    """Where lines that only come in are already, at any depth: above the point where they would, below or around it.

    All of them, of which a distinctive one is no line of the hunk itself; or, where the place is loose, the first
    distinctive one and more than half of the others, which may have been edited. `starts` has the offset of each old
    line and of what follows them.
    """
    # Between exact lines, whitespace inside of them makes no difference, and folding takes longer than the rest.
    fold = _fold if loose else str.strip
    old, new = ([fold(line[1:]) for line in lines if line[0] != other] for other in "+-")
    for old_start, old_end, new_start, new_end in changed_blocks(old, new):
        size = (new_end - new_start) - (old_end - old_start)
        if size <= 0:
            continue
        # Of more lines than they replace, the first or the last may be those that come in.
        for first, new_first in dict.fromkeys(((old_start, new_start), (old_end, new_end - size))):
            start, added = starts[first], new[new_first : new_first + size]
            if start is None:
                continue
            above, below = first, len(old) - first
            is_there = _is_there(body, start, added, above, below, loose=loose)
            if is_there or (loose and _is_there_edited(body, start, added, _own_sides(body, starts, first))):
                return (start,)
    return ()


def _is_there(body: str, start: int, added: list[str], above: int, below: int, *, loose: bool) -> bool:
    """Whether a copy of lines is around an offset: some of them below it, and those after these above it.

    `above` and `below` are how many lines of their own hunk are there. These are no copy, and of the others one has to
    be distinctive.
    """
    size = len(added)
    # How many of the lines can be below the offset, so that the others are above it.
    least = size - _count_equal(reversed(added), lines_above(body, start))
    most = _count_equal(added, lines_below(body, start))
    if least > most:
        return False
    if loose and 0 in (above, below) and not any(added):
        return True
    for count in (least, most):
        copied_above = added[count : max(0, size - above)]
        copied_below = added[below:count]
        if any(map(is_distinctive, copied_above)) or any(map(is_distinctive, copied_below)):
            return True
    return False


def _own_sides(body: str, starts: Sequence[int | None], first: int) -> tuple[bool, bool]:
    """Whether the line right above a point in a hunk's place, and the one right below it, are lines of the hunk."""
    before = starts[first - 1] if first else None
    return before is not None and line_after(body, before) == starts[first], first < len(starts) - 1


def _is_there_edited(body: str, start: int, added: list[str], own: tuple[bool, bool]) -> bool:
    """Whether the first distinctive line and more than half of the others are on a side of an offset that is not the
    hunk's own: lines that were edited after they came in.
    """
    telling = list(filter(is_distinctive, added))
    faced_above = list(zip(reversed(added), lines_above(body, start), strict=False))[::-1]
    faced_below = list(zip(added, lines_below(body, start), strict=False))
    for is_own, faced in zip(own, (faced_above, faced_below), strict=True):
        kept = [line for line, other in faced if is_distinctive(line) and _fold(line) == _fold(other)]
        if not is_own and len(kept) > 1 and len(kept) * 2 > len(telling) and kept[0] == telling[0]:
            return True
    return False


def _count_equal(added: Iterable[str], lines: Iterable[str]) -> int:
    """How many lines are equal to those of the file, up to the first that is not."""
    pairs = zip(added, lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _fold(pair[0]) == _fold(pair[1]), pairs))


@rule
def already_laid_out(choice: Choice) -> tuple[int, ...]:
    """An edit that only changes whitespace must not find its new lines, beside a mistake, in place of the old ones.

    Nor may it move lines that have their new depth once more, also where the edit changes more in other lines.
    """
    hunk = choice.situation.hunks[choice.option.number]
    place = choice.place
    if place.tier not in ("similar", "indent") or len(hunk.removed) != len(hunk.added):
        return ()
    kinds = [line[0] for line in place.hunk.lines if not line.startswith("+")]
    there = place.file_lines(choice.situation.text.body)
    removed_there = [line for kind, line in zip(kinds, there, strict=True) if kind == "-"]
    if len(removed_there) != len(hunk.removed):
        return ()
    rows = zip(hunk.removed, hunk.added, removed_there, strict=True)
    laid_out = [(new, line) for old, new, line in rows if _fold(old) == _fold(new) and old.strip()]
    if not laid_out or any(new != line for new, line in laid_out):
        return ()
    is_all = len(laid_out) == len([line for line in hunk.removed if line.strip()])
    return (place.start,) if is_all or _moves_again(choice, [new for new, _ in laid_out]) else ()


def _moves_again(choice: Choice, laid_out: Sequence[str]) -> bool:
    """Whether some lines of the file that have their new depth would be written at another one."""
    if choice.place.tier != "indent":
        return False
    fitted = fit_place(choice.place, choice.situation.text.body, as_hunk=True)
    return not set(laid_out).issubset(fitted.hunk.new)


#: What forbids a place after all hunks were arranged.
PLACE_RULES = (already_there, already_inserted, already_laid_out)


def refuse_candidate(situation: Situation, option: Candidates) -> Refusal | None:
    """What forbids the candidates of a hunk, before order is looked at."""
    refusal = first_refusal(CANDIDATE_RULES, Choice(situation, option, option.places[0]))
    if refusal is None:
        return None
    if isinstance(refusal[1], list):
        option.left_out = tuple(refusal[1])
    return option.refused(refusal[0].name)


def refuse_place(situation: Situation, option: Candidates, place: Place) -> Refusal | None:
    """What forbids a place that was chosen: the result is there already. In a text before the diff, it can't be."""
    if situation.is_pristine:
        return None
    refusal = first_refusal(PLACE_RULES, Choice(situation, option, place))
    return refusal and Refusal("already_applied", option.number, refusal[1], rule=refusal[0].name)
