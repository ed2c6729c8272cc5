"""Several places for one hunk: what tells them apart, and what the hunk would have to say.

For explanations: a hunk that comes here is refused.
"""

from __future__ import annotations

from ..locate.limits import MOST_ABOVE
from ..locate.tiers import FOLDS, is_distinctive
from .message_lines import header_form, line_list, visible
from .surroundings import blocks_around, line_numbers, lines_above, lines_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.text import Text
    from ..locate.place import Place
    from ..locate.placement import Candidates, Situation
    from .message_lines import Words

#: Places that a message shows with what is around them, and those that are held against one another.
MOST_SHOWN = 3
MOST_COMPARED = 10
#: How far from a place a line may lie that tells it from others.
MOST_AWAY = 5

_fold = FOLDS["whitespace"]


def describe(
    situation: Situation, option: Candidates, words: Words, file: str, at: str, rule: str = ""
) -> tuple[str, str]:
    """The message behind the hunk's name, and the hint. `at` is the tier in words, where it is not the first."""
    text = situation.text
    if len(option.places) == 1 and not option.cut_short:
        return _uncertain(text, option, file, at, words, rule)
    places = sorted(option.places, key=lambda place: place.start)
    if places[0].tier == "similar":
        return _similar(text, places, file, at, words)
    starts = sorted({place.start for place in places} | (set(option.left_out) if option.cut_short else set()))
    insertion = not option.hunk.old
    if insertion:
        # The lines come in below an anchor that occurs several times.
        starts = [next((offset for offset, _ in lines_above(text.body, start, 1)), start) for start in starts]
    numbers = line_numbers(text.body, starts[: MOST_COMPARED + 1])
    more = " or more" if option.cut_short else ""
    message = f"fits {len(starts)}{more} places in {file}{at}"
    if insertion and option.hunk.anchors:
        message = f"has no lines to go by but its @@ line {visible(option.hunk.anchors[-1])}, which is in "
        message += f"{len(starts)}{more} places in {file}"
    hint = f"{words.again} with more of the lines around it {words.around}, so that one place is left."
    how, found = _told_apart(text, option, places[:MOST_COMPARED])
    if found and len(starts) <= MOST_COMPARED:
        message += ":" + "".join(
            f"\n  line {number}, {how} {visible(line)} (line {text.line_number(offset)})"
            for number, (offset, line) in zip(numbers[:MOST_SHOWN], found, strict=False)
        )
        if len(starts) > MOST_SHOWN:
            message += f"\n  and {line_list(numbers[MOST_SHOWN:])}"
        hint = _named(situation, option, places[0], how, found[0], words)
    else:
        message += f": {line_list(numbers)}."
    old = option.hunk.old
    if old and not any(map(is_distinctive, old)):
        message += (
            "\nIts old lines are blank." if not any(map(str.strip, old)) else "\nIts old lines are not distinctive."
        )
    return message, hint


def _named(
    situation: Situation, option: Candidates, place: Place, how: str, first: tuple[int, str], words: Words
) -> str:
    """What to write so that one place is left, with the first place as the example."""
    offset, line = first
    if how != "in":
        side = "above" if how == "below" else "below"
        prefix = ", with a space in front" * words.has_prefixes
        return f"{words.again} with the line {side} it {words.around}{prefix}."
    if not situation.dialect.anchors or not words.has_prefixes:
        return f"{words.again} with all lines from the right one of these on (for the first: {visible(line)})."
    form = header_form(line)
    otherwise = "or add more of the lines around it as context."
    if not option.hunk.anchors:
        return f"Name the right one after @@ (for the first: {form}), {otherwise}"
    anchor = _fold(option.hunk.anchors[-1])
    above = lines_above(situation.text.body, place.start, MOST_ABOVE)
    own = next((start for start, other in above if _fold(other).startswith(anchor)), -1)
    side = "above" if offset < own else "below"
    return f"Put one more @@ line {side} its own (for the first: {form}), {otherwise}"


def _told_apart(text: Text, option: Candidates, places: Sequence[Place]) -> tuple[str, list[tuple[int, str]]]:
    """For each place a line that none of the others has: one that opens a block around it, or one beside it."""
    body = text.body
    insertion = not option.hunk.old

    def around(place: Place) -> list[tuple[int, str]]:
        start = place.start
        if insertion:
            # Lines come in below the anchor, whose blocks are meant.
            start = next((offset for offset, _ in lines_above(body, start, 1)), start)
        return blocks_around(body, start)

    def above(place: Place) -> list[tuple[int, str]]:
        return [found for found in lines_above(body, place.start, MOST_AWAY) if is_distinctive(found[1])][:1]

    def below(place: Place) -> list[tuple[int, str]]:
        return [found for found in lines_below(body, place.end(body), MOST_AWAY) if is_distinctive(found[1])][:1]

    ways: tuple[tuple[str, Callable[[Place], list[tuple[int, str]]]], ...] = (
        ("in", around),
        ("below", above),
        ("above", below),
    )
    for how, look in ways:
        seen = [look(place) for place in places]
        counts: dict[str, int] = {}
        for lines in seen:
            for folded in {_fold(line) for _, line in lines}:
                counts[folded] = counts.get(folded, 0) + 1
        chosen = [next((found for found in lines if counts[_fold(found[1])] == 1), None) for lines in seen]
        found = [one for one in chosen if one is not None]
        if len(found) == len(places):
            return how, found
    return "", []


def _uncertain(text: Text, option: Candidates, file: str, at: str, words: Words, rule: str) -> tuple[str, str]:
    """The one place is not certain: it is loose, or what tells it from others may be mere layout."""
    hunk, place, others = option.hunk, option.places[0], option.left_out
    number = text.line_number(place.start)
    telling = [line for line in hunk.old if is_distinctive(line)]
    numbers = line_numbers(text.body, sorted(others)[: MOST_COMPARED + 1])
    message = f"is not distinctive enough to be sure of its place in {file}: "
    around = f"{words.again} with more of the lines around it {words.around}."
    if not telling:
        what = "blank lines" if not any(map(str.strip, hunk.old)) else "lines that could be anywhere"
        return f"{message}it fits line {number}{at}, but has only {what}.", around
    if rule == "blank-ends":
        message = f"fits line {number} of {file} only without the blank lines at its ends. The lines at "
        message += f"{line_list(numbers)} have them, but differ in another line."
        return message, f"{words.again} with the lines of the right place as the file has them."
    if not others:
        message = (
            f"fits line {number} of {file}{at}, but the indentation of the lines that it adds can't be told from that."
        )
        return message, f"{words.again} with the indentation that the file has."
    if len(telling) == 1 and all(_fold(text.line_at(start)) == _fold(telling[0]) for start in others[:5]):
        message += f"its only distinctive line {visible(telling[0])} is at {line_list(numbers)}."
        beside = lines_above(text.body, place.start, 1) if hunk.lines[0][0] == "+" else ()
        beside = beside or lines_below(text.body, place.end(text.body), 1)
        shown = next((f" (for line {number}: {visible(line)})" for _, line in beside if line.strip()), "")
        return message, f"Add the line of the file on the other side of the added lines {words.around}{shown}."
    if len(hunk.lines) - 1 in hunk.bare and not hunk.lines[-1].strip():
        numbers = sorted({number, *numbers})
        message += f"it fits line {number}, but without its last line, which is blank, it fits {line_list(numbers)}."
        return message, around
    message = f"fits line {number} of {file} only{at}, and most of its lines stand at {line_list(numbers)} too."
    return message, f"{words.again} with the lines of the right place as the file has them."


def _similar(text: Text, places: Sequence[Place], file: str, at: str, words: Words) -> tuple[str, str]:
    """Several places are nearly as the hunk says, and none is quite so."""
    numbers = line_numbers(text.body, [place.start for place in places[: MOST_COMPARED + 1]])
    message = f"fits no place in {file} exactly, and {len(places)} about as well{at}: {line_list(numbers)}."
    rows = [place.file_lines(text.body) for place in places[:MOST_SHOWN]]
    for index, line in enumerate(places[0].hunk.old):
        theirs = [row[index] for row in rows]
        if all(other is not None and _fold(other) != _fold(line) for other in theirs):
            message += f"\nWhere it has {visible(line)}, these have {' and '.join(visible(o or '') for o in theirs)}."
            break
    return message, f"{words.again} with the lines of the right place as the file has them."
