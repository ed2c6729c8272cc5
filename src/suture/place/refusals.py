"""What forbids a place that was found, in dialects that are cautious.

Each rule answers cases in which the file had changed and a wrong edit would have reported success.
"""

from __future__ import annotations

import re

from ..core.value import Value
from .indentation import first_lines, fit_place, shift_between, statement_shift, tells_depth
from .inserted_lines import find_inserted
from .kept_lines import has_added_line_for_kept_one
from .limits import LINES_FOR_REPETITION
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
        if hunk.new == hunk.old:
            return False
        start, end = self.place.start, self.place.end(body)
        for first, last in find_words(body, "\n".join(hunk.new)):
            shares_place = first <= end and last >= start
            goes_beyond = first < start or last > end
            if shares_place and goes_beyond:
                return True
        return False

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
    last_has_prefix = len(hunk.lines) - 1 not in hunk.bare
    if choice.is_trusted or last_has_prefix:
        return ()
    shorter = without_last_blank(hunk)
    if shorter is None:
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
    file_lines = [line or "" for line in place.file_lines(text.body)]
    pairs = [(old, line) for old, line in zip(place.hunk.old, file_lines, strict=True) if old.strip()]
    if _is_first_outdented(pairs):
        pairs = pairs[1:]
    if shift_between((), pairs) is not None:
        return False
    if place.hunk.removed and _only_inner_lines_stay(choice):
        return False
    return not tells_depth(place.hunk) or statement_shift(place.hunk, file_lines) is None


def _is_first_outdented(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether the first of some old lines, beside the file's, was quoted without its indentation.

    It was if the second one has some, or all others are indented as in the file.
    """
    if len(pairs) <= 2:
        return False
    (first_old, first_line), *others = pairs
    if _width(first_old) or not _width(first_line):
        return False
    second_old, _ = others[0]
    return _width(second_old) > 0 or all(_width(old) == _width(line) for old, line in others)


def _only_inner_lines_stay(choice: Choice) -> bool:
    """Whether all statements are off by the same amount, and only lines inside of brackets or of texts are not off."""
    place, body, scopes = choice.place, choice.situation.text.body, choice.situation.scopes
    kinds = [line[0] for line in place.hunk.lines if not line.startswith("+")]
    pairs = [(old, line or "") for old, line in zip(place.hunk.old, place.file_lines(body), strict=True)]
    # The lines that no open bracket is above.
    outer = set(first_lines(pairs))
    statements: list[tuple[str, str]] = []
    for kind, pair, start in zip(kinds, pairs, place.line_starts(body), strict=True):
        old, line = pair
        is_in_text = start is not None and scopes.is_inside_text(start)
        # What a statement has in brackets goes with it; a kept line in brackets may be of another one.
        is_inner = is_in_text or (kind == "-" and pair not in outer)
        may_stay = is_inner and old == line
        if old.strip() and not may_stay:
            statements.append(pair)
    removed = [pair for kind, pair in zip(kinds, pairs, strict=True) if kind == "-"]
    has_outer_removed = any(pair in outer for pair in removed)
    if not has_outer_removed and any(old != line for old, line in removed):
        # Without a removed statement, nothing tells how far off these lines are.
        return False
    return shift_between((), statements) is not None


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


@rule
def other_bracket(choice: Choice) -> bool:
    """A line that closes a block is another one at a different depth, if lines above it are at their own depth."""
    place = choice.place
    if place.tier not in ANY_DEPTH:
        return False
    is_below_own_depth = False
    for old, line in zip(place.hunk.old, place.file_lines(choice.situation.text.body), strict=True):
        old_width = _width(old.expandtabs(4))
        columns_off = 0 if line is None else abs(old_width - _width(line.expandtabs(4)))
        if is_distinctive(old):
            is_below_own_depth = columns_off == 0 and old_width > 0
        elif _CLOSING.match(old) and is_below_own_depth and columns_off > 1:
            # One column is a prefix that was forgotten.
            return True
    return False


@rule
def one_sided(choice: Choice) -> Sequence[int]:
    """Lines can't be added beside context whose only distinctive line occurs elsewhere, too."""
    hunk = choice.place.hunk
    adds_at_edge = "+" in (hunk.lines[0][0], hunk.lines[-1][0])
    if choice.is_trusted or hunk.removed or not adds_at_edge:
        return ()
    if len(choice.option.places) > 1 or len(choice.distinctive) != 1 or len(hunk.old) < 2:
        return ()
    tiers = choice.situation.dialect.tiers
    starts = choice.find(choice.distinctive, tiers[:1] if choice.is_exact else tiers)
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
    if place.tier not in ANY_DEPTH:
        return False
    first_old = next(filter(str.strip, place.hunk.old), "")
    first_in_file = next(filter(None, place.file_lines(body)), "")
    line_above = next(filter(str.strip, lines_above(body, place.start)), "")
    return first_old not in ("", first_in_file) and first_old == line_above


@rule
def forgotten_plus(choice: Choice) -> str:
    """A context line that the file lacks must not use a word that only the added lines have: its `+` was forgotten."""
    place = choice.place
    if place.rows is None or not place.hunk.added:
        return ""
    long_word = r"\w{4,}"
    added_words = set(re.findall(long_word, "\n".join(place.hunk.added)))
    absent = [line for line, row in zip(place.hunk.old, place.rows, strict=True) if row is None]
    for line in absent:
        for word in re.findall(long_word, line):
            if word in added_words and word not in choice.situation.text.words:
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
    place, hunk = choice.place, choice.place.hunk
    if choice.is_only_exact or not hunk.added:
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
    starts = [*place.line_starts(body), place.end(body)] if place.hunk.old else [place.start]
    return find_inserted(body, place.hunk.lines, starts, loose=not choice.is_exact)


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
    begins_file, ends_file = low < 0, high >= len(body)
    low = max(0, low)
    around = body[low:high]
    if begins_file:
        around = f"\n{around}"
        low -= 1
    if ends_file:
        around = f"{around}\n"
    position = around.find(f"\n{text}\n")
    return () if position < 0 else (low + position + 1,)


@rule
def already_laid_out(choice: Choice) -> tuple[int, ...]:
    """Lines that already have the whitespace that an edit gives them must not get it again.

    The edit is refused if it changes nothing else, or if it would move such lines a second time.
    """
    hunk = choice.situation.hunks[choice.option.number]
    place = choice.place
    if place.tier not in ("similar", "indent") or len(hunk.removed) != len(hunk.added):
        return ()
    kinds = [line[0] for line in place.hunk.lines if not line.startswith("+")]
    file_lines = place.file_lines(choice.situation.text.body)
    for_removed = [line for kind, line in zip(kinds, file_lines, strict=True) if kind == "-"]
    if len(for_removed) != len(hunk.removed):
        return ()
    # The new versions of the removed lines of which only the whitespace changes.
    laid_out: list[str] = []
    for old, new, file_line in zip(hunk.removed, hunk.added, for_removed, strict=True):
        if old.strip() and _fold(old) == _fold(new):
            if file_line != new:
                return ()
            laid_out.append(new)
    if not laid_out:
        return ()
    only_lays_out = len(laid_out) == len([line for line in hunk.removed if line.strip()])
    return (place.start,) if only_lays_out or _moves_again(choice, laid_out) else ()


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
