"""The refusals that keep placement honest, in dialects that are cautious.

A hunk that is not distinctive enough, whose result is there already, or that another place claims with better right
has no place, although one was found. Each rule answers cases in which the file had changed since and a wrong edit would
have reported success; benchmarks/accuracy has them.
"""

from __future__ import annotations

from . import explain
from .indentation import shift_between
from .readings import without_last_blank
from .search import find_block, lines_back, lines_from
from .tiers import ESCAPES, FOLDS, is_distinctive, unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.problems import Problem
    from .place import Place
    from .placement import Candidates, Situation

_fold = FOLDS["whitespace"]
_SHIFTED = frozenset({"indent", "punctuation", "whitespace"})


def is_telling(situation: Situation, option: Candidates) -> bool:
    """Whether the hunk's lines say enough to tell its place from others.

    Without a distinctive line a hunk needs the only place in the file. Where one such line is all there is, and
    lines come in on one side of it only, that line must not stand elsewhere; nor may a blank line that could be mere
    layout be all that tells two places apart. Where the depth of lines tells, all are off by the same.
    """
    hunk, places = option.hunk, option.places
    lines = hunk.lines
    removes = any(line[0] == "-" for line in lines)
    if option.anchored or hunk.at_end or (removes and len(places) == 1 and places[0].tier == "exact" and not hunk.bare):
        return True
    body, tiers = situation.text.body, situation.dialect.tiers
    telling = [line[1:] for line in lines if line[0] != "+" and is_distinctive(line)]
    if not telling:
        return len(places) == 1 and (removes or places[0].tier in ("exact", "trailing"))
    if len(lines) - 1 in hunk.bare and not lines[-1].strip():
        shorter = without_last_blank(hunk)
        found = find_block(body, shorter.old, tiers) if shorter is not None else None
        if found is not None and len(found.starts) > len(places):
            option.left_out = found.starts
            return False
    one_sided = not removes and (lines[0][0] == "+" or lines[-1][0] == "+")
    # A mere brace that goes is known by its depth, as is the side on which lines come in.
    by_depth = one_sided or (removes and not any(map(_has_a_letter, hunk.removed)))
    if by_depth and places[0].tier in _SHIFTED and not (places[0].fitted or _is_evenly_shifted(places[0], body)):
        return False
    if one_sided and len(telling) == 1 and len(places) == 1 and sum(line[0] == " " for line in lines) > 1:
        found = find_block(body, telling, tiers[:1] if places[0].tier == "exact" else tiers)
        if found is not None and len(found.starts) > 1:
            option.left_out = found.starts
            return False
    return True


def _has_a_letter(line: str) -> bool:
    return any(map(str.isalnum, line))


def _is_evenly_shifted(place: Place, body: str) -> bool:
    """Whether the file's lines differ from the hunk's by one shift of their indentation."""
    pairs = [(old, line) for old, line in zip(place.hunk.old, place.file_lines(body), strict=True) if line is not None]
    return shift_between((), pairs) is not None


def has_unclear_escapes(place: Place, body: str) -> bool:
    """Whether a similar place has lines without the escapes that the hunk has, and the hunk adds lines with escapes."""
    every = {**dict(ESCAPES), "\\\\": "\\"}
    if place.tier != "similar" or not any(escape in line for line in place.hunk.added for escape in every):
        return False
    pairs = zip(place.hunk.old, place.file_lines(body), strict=True)
    return any(
        line is not None and "\\" in old and _fold(old) != _fold(line) and _fold(unescape(old, every)) == _fold(line)
        for old, line in pairs
    )


def refuse_rivals(
    situation: Situation, options: Sequence[Candidates], places: Sequence[Place], problems: list[Problem]
) -> None:
    """Refuse a loose place where another one has more of the hunk's lines just as they are, or nearly as many.

    And one whose lines differ by escapes, where lines with escapes come in: those would be written.
    """
    for option, place in zip(options, places, strict=True):
        if has_unclear_escapes(place, situation.text.body):
            problems.append(explain.not_found(situation, option.number))
            continue
        if place.tier in ("exact", "trailing", "escapes") or option.anchored or len(place.hunk.lines) < 2:
            continue
        from .similar import best_elsewhere

        rival = best_elsewhere(situation.text, place)
        if rival is not None:
            option.places = [place]
            option.left_out = [rival]
            problems.append(explain.several(situation, option))


def refuse_repetition(
    situation: Situation, options: Sequence[Candidates], places: Sequence[Place], problems: list[Problem]
) -> None:
    """Refuse a hunk whose result is there already: it was most likely applied before."""
    body = situation.text.body
    for option, place in zip(options, places, strict=True):
        hunk, exact = place.hunk, place.tier == "exact"
        added = hunk.added
        # Where only white space changes, a loose look at the new text would see the old one.
        only_space = not exact and list(map(_fold, hunk.old)) == list(map(_fold, hunk.new))
        inserts = not exact and _only_adds(hunk)
        doubtful = place.tier == "similar" or only_space or inserts or "last_blank_left_out" in place.notes
        if not added or (not doubtful and sum(map(is_distinctive, added)) < 3):
            continue
        if only_space and _has_new_spacing(place, body):
            problems.append(explain.already_applied(situation, option.number, place.start))
            continue
        tiers = situation.dialect.tiers[: 1 if exact or only_space else 5]
        found = find_block(body, situation.hunks[option.number].new, tiers)
        if found is None and place.tier == "similar":
            found = next(filter(None, (find_block(body, run, tiers) for run in _telling_runs(hunk))), None)
        there = found.starts[0] if found is not None else None if exact else _already_inserted(place, body)
        if there is not None:
            problems.append(explain.already_applied(situation, option.number, there))


def _only_adds(hunk: Hunk) -> bool:
    """Whether a hunk removes no line but for one that it writes again with other white space."""
    added = list(map(_fold, hunk.added))
    return all(_fold(line) in added for line in hunk.removed)


def _has_new_spacing(place: Place, body: str) -> bool:
    """Whether the lines of which a hunk changes nothing but the white space have it as the hunk would write it.

    White space at the end of lines does not count: whoever changes that alone changes it here.
    """
    lines = zip(place.hunk.old, place.hunk.new, place.file_lines(body), strict=True)
    changed = [(_spacing(new), line) for old, new, line in lines if _spacing(old) != _spacing(new)]
    return changed != [] and all(line is not None and new == _spacing(line) for new, line in changed)


def _spacing(line: str) -> list[str]:
    """The white space of a line, but for that at its end."""
    from re import split

    return split(r"\S+", line.rstrip())


def _already_inserted(place: Place, body: str) -> int | None:
    """Where lines that only come in stand already, right behind the point where they would, or right before it.

    All of them, or the first distinctive one and more than half of the others: they may have been edited since. A
    blank line is there already where the hunk begins or ends with it.
    """
    at_edge = (place.hunk.lines[0][0] == "+", place.hunk.lines[-1][0] == "+")
    edits = place.splices(body)
    for number, edit in enumerate(edits):
        added = list(map(_fold, edit.text.split("\n")[:-1]))
        telling = sum(map(is_distinctive, added))
        outside = (number == 0 and at_edge[0], number == len(edits) - 1 and at_edge[1])
        if edit.start != edit.end or not (telling or any(outside)):
            continue
        above = lines_back(body, edit.start, len(added)) if edit.start <= len(body) else -1
        for start in (edit.start, above):
            there = (lines_from(body, start, len(added)) if start >= 0 else None) or []
            same = [line for line, found in zip(added, map(_fold, there), strict=False) if line == found]
            kept = list(filter(is_distinctive, same))
            is_edited = len(kept) > 1 and len(kept) * 2 > telling and kept[0] == next(filter(is_distinctive, added))
            if len(same) == len(added) or is_edited:
                return start
    return None


def _telling_runs(hunk: Hunk) -> Iterator[list[str]]:
    """The runs of added lines of which two or more are distinctive."""
    run: list[str] = []
    for line in (*hunk.lines, " "):
        if line[0] == "+":
            run.append(line[1:])
        else:
            if sum(map(is_distinctive, run)) > 1:
                yield run
            run = []
