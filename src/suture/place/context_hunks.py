"""Hunks of context alone: they change nothing, and say where the hunk after them belongs."""

from __future__ import annotations

from bisect import bisect

from .limits import MOST_WORDS_LOOKED_FOR
from .placement import Candidates
from .search import lines_with
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from .placement import Refusal, Situation


def absent_line(situation: Situation, hunk: Hunk, option: Candidates | Refusal) -> str:
    """The first line of a hunk of context that the file does not have, not even as the beginning of a line.

    Lines that the file has apart from one another are a way to name a place: the block, and a line in it.
    """
    if isinstance(option, Candidates):
        starts = option.places[0].line_starts(situation.text.body)
        lines_without_row = [line for line, start in zip(option.hunk.old, starts, strict=True) if start is None]
        return next(filter(str.strip, lines_without_row), "")
    fold = FOLDS["whitespace"]
    absent = [line for line in hunk.old if line.strip() and fold(line) not in situation.folded_lines]
    for line in absent:
        if not is_distinctive(line):
            return line
    body = fold_text(situation.text.body)
    for line in absent[:MOST_WORDS_LOOKED_FOR]:
        if not _begins_line(body, fold(line)):
            return line
    # Beyond the limit, the next line counts as absent.
    return next(iter(absent[MOST_WORDS_LOOKED_FOR:]), "")


def _begins_line(body: str, text: str) -> bool:
    """Whether a line begins with a text, indentation aside; False where too many lines contain it."""
    return any(body[start:end].lstrip().startswith(text) for start, end in lines_with(body, text) or ())


def note_idle(idle: Sequence[tuple[int, Candidates | Refusal | None]], options: list[Candidates]) -> None:
    """Put hunks that change nothing among the others; one without a place is noted on the place beside it.

    `idle` has their numbers, in order, and their places. The place beside a hunk is that of the next hunk that changes
    something or, behind all of these, of the last hunk that has a place.
    """
    numbers = [option.number for option in options]
    last = options[-1] if options else None
    idle_options: list[Candidates] = []
    for number, option in idle:
        index_of_next = bisect(numbers, number)
        is_behind_all = index_of_next == len(options)
        noted: Candidates | None
        if isinstance(option, Candidates):
            idle_options.append(option)
            noted = option
            if is_behind_all:
                last = option
        else:
            noted = last if is_behind_all else options[index_of_next]
        if noted is not None:
            noted.place = noted.place.noted("no_op_hunk")
    options += idle_options
    options.sort(key=lambda option: option.number)
