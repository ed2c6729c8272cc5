"""Sketches: the new code with comments such as `// ... existing code ...` where lines stay, placed without a model.

Whole definitions between the markers go where the file has their names. Otherwise each part between two markers is laid
on the file: its first and its last lines must be there, once, and everything between them becomes what the sketch says.
What is not certain is refused. A line of the sketch that is not in the file is a change, also where the model only
remembered the line wrongly: the difference shows it.
"""

from __future__ import annotations

from ..core.control_characters import control_character
from ..core.kept_endings import raw_for
from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError
from ..core.search_budget import OutOfBudgetError
from ..core.text import Text, check_growth, check_size
from ..words.change_problems import change_refusal
from .limits import (
    CHARACTERS_PER_LINE_LAID,
    CLEARLY_FEWER,
    FEWEST_AT_EDGE,
    MOST_ELSEWHERE,
    MOST_SKETCH_RANGES,
)
from .single_change import places_of_single_change
from .sketch_definitions import with_definitions
from .sketch_moves import are_added, are_moved, begins_below_moved, lines_beside, lost_lines
from .sketch_parts import split_sketch
from .sketch_refusals import check_left_out, count_filled, unplaced
from .sketch_result import check_result
from .sketch_rivals import (
    count_same,
    is_as_like,
    is_likelier_further_out,
    is_whole_block,
    may_define_again,
    may_end_further_down,
    may_only_add,
)
from .sketched_file import SketchedFile
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .sketch_parts import SketchPart

    #: The first and the last line of a range, from 0.
    Lines = tuple[int, int]
    #: How many lines of the file and the part differ, how many of the file would go, and the range.
    Fit = tuple[int, int, Lines]


def apply_sketch(
    content: str | bytes,
    sketch: str,
    *,
    path: str,
    encoding: str | None = None,
    allow_control: bool = False,
    max_size: int = 50_000_000,
) -> str | bytes:
    """The content with a sketch applied.

    Raises:
        PatchRejectedError: a part of the sketch has no certain place.
    """
    check_size(content, path, max_size)
    text = Text(content, encoding, path)
    # A byte order mark is the file's own, and stays.
    lines = sketch.removeprefix("\ufeff").replace("\r\n", "\n").strip("\n").split("\n")
    if not allow_control and (character := control_character("\n".join(lines), text.body)) is not None:
        message = f"The sketch for {path} has the control character U+{ord(character):04X}."
        hint = "Leave it out, or write it as an escape of the file's language."
        raise change_refusal("encoding_error", path, message, hint, reason="control_character")
    parts = split_sketch(lines, path)
    if not any(part.is_open_above or part.is_open_below for part in parts):
        message = f"The sketch for {path} has no marker such as `... existing code ...`, so nothing says what stays."
        raise change_refusal(
            "patch_apply_error", path, message, "Write the whole file instead, or mark what stays.", reason="no_marker"
        )
    body = with_definitions(text, parts, path)
    if body is None:
        body = _by_lines(text, parts, path)
    body = _with_own_endings(text.body, body)
    if body == text.body:
        message = f"The sketch seems to be applied already: {path} has all of its lines."
        raise change_refusal("patch_apply_error", path, message, "Leave it out.", reason="already_applied")
    check_result(text, body, path)
    raw = raw_for(text, body)
    check_growth(text, len(raw) - len(text.raw), max_size)
    return text.content(raw)


def _with_own_endings(before: str, after: str) -> str:
    """The new text, with lines that stay as they were: a sketch is not about whitespace at the end of a line."""
    old, new = before.split("\n"), after.split("\n")
    rows: list[str] = []
    done = 0
    blocks = changed_blocks([row.rstrip() for row in old], [row.rstrip() for row in new])
    for start, end, new_start, new_end in blocks:
        rows += old[done:start]
        rows += new[new_start:new_end]
        done = end
    rows += old[done:]
    return "\n".join(rows)


def _by_lines(text: Text, parts: Sequence[SketchPart], path: str) -> str:
    """The body with lines of it replaced by each part of a sketch, if there is only one way to do so in their order.

    Raises:
        PatchRejectedError: there is none, or more than one.
    """
    rows = text.body.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    file = SketchedFile(rows, path)
    try:
        choices = [
            _ranges(file, part, path, is_first=number == 0, is_last=number == len(parts) - 1)
            for number, part in enumerate(parts)
        ]
    except OutOfBudgetError:
        raise unplaced(path, f"The lines of the sketch are in {path} so often that no place was looked for.") from None
    after: list[str] = []
    done = 0
    for part, (first, last) in zip(parts, _in_order(choices, path), strict=True):
        after += [*rows[done:first], *part.written]
        done = last + 1
    after += rows[done:]
    ending = "\n" if text.body.endswith("\n") or not text.body else ""
    return "\n".join(after) + ending


def _in_order(choices: Sequence[Sequence[Lines]], path: str) -> list[Lines]:
    """The only choice of a range for each part in which they are in order.

    Raises:
        PatchRejectedError: there is none, or more than one.
    """
    #: For each range of the last part so far, the ways to get there: two stand for many.
    ways: dict[Lines, int] = {(0, -1): 1}
    for ranges in choices:
        further: dict[Lines, int] = {}
        for first, last in ranges:
            count = sum(count for (_, end), count in ways.items() if end < first)
            if count:
                further[first, last] = min(2, count)
        ways = further
    if sum(ways.values()) == 1:
        (last_range,) = ways
        return _ranges_before(choices, last_range)
    if ways:
        raise unplaced(path, f"The parts of the sketch fit several places of {path}.")
    raise unplaced(path, f"The parts of the sketch are not in the order of {path}.")


def _ranges_before(choices: Sequence[Sequence[Lines]], last_range: Lines) -> list[Lines]:
    """The ranges of the only way that leads to a range of the last part."""
    # Among the ranges of a part that can follow the one before it, that which ends first is part of a way.
    way: list[Lines] = []
    end = -1
    for ranges in choices[:-1]:
        way.append(min([one for one in ranges if one[0] > end], key=lambda one: one[1]))
        end = way[-1][1]
    return [*way, last_range]


def _ranges(file: SketchedFile, part: SketchPart, path: str, *, is_first: bool, is_last: bool) -> list[Lines]:
    """The ranges of lines of the file that a part may be laid on."""
    plain, index = file.plain, file.index
    is_at_start, is_at_end = is_first and not part.is_open_above, is_last and not part.is_open_below
    near = places_of_single_change(plain, index, part, file.budget, is_at_start=is_at_start, is_at_end=is_at_end)
    if len(near) > 1:
        raise unplaced(path, f"The lines near {part.lines[0].strip()[:120]!r} fit several places of {path}.")
    starts = _places(plain, index, part.lines)
    ends = [len(plain) - 1 - at for at in _places(file.turned, file.turned_index, part.lines[::-1])]
    if near:
        _check_moved(plain, index, part, near[0], path)
        if is_likelier_further_out(file, part.lines, near[0], (starts, ends)):
            raise unplaced(path, f"The lines near {part.lines[0].strip()[:120]!r} are in {path} several times.")
        return near
    if is_at_start:
        starts = [0 if begins_below_moved(plain[:first], part.lines) else first for first in starts] or [0]
    if is_at_end and not ends:
        ends = [len(plain) - 1]
    for places, edge in ((starts, part.lines[0]), (ends, part.lines[-1])):
        if not places:
            raise unplaced(path, f"No distinctive lines beside a marker are in {path}, near {edge.strip()[:120]!r}.")
    if len(starts) * len(ends) > MOST_SKETCH_RANGES:
        raise unplaced(path, f"The lines near {part.lines[0].strip()[:120]!r} are in {path} very often.")
    fits: list[Fit] = []
    refusals: dict[Lines, PatchRejectedError] = {}
    for first in starts:
        for last in ends:
            if first > last:
                continue
            file.budget.spend((last - first + len(part.lines)) * CHARACTERS_PER_LINE_LAID)
            fits.append(_fit(plain, part, first, last))
            try:
                _check_ends(file, part, first, last, path, is_first=is_first, is_last=is_last)
                check_left_out(plain[first : last + 1], part.lines, first, path)
                _check_moved(plain, index, part, (first, last), path)
                _check_edges(plain[first : last + 1], part, path, is_one=(len(starts) == 1, len(ends) == 1))
            except PatchRejectedError as refusal:
                refusals[first, last] = refusal
    if not fits:
        raise unplaced(path, f"The first and the last lines of a part are in {path} in another order.")
    best = min(fits)
    _check_twins(file, part, best, (starts, ends), path)
    is_unsure = max(len(starts), len(ends)) > 1 or not _has_single_edges(file, part) or _ends_with_closer(part)
    if best[0] == 0 and is_unsure:
        # It may say that everything between two such places goes.
        raise unplaced(path, f"A part that changes nothing begins or ends with lines that {path} has several times.")
    if may_end_further_down(file, part, best[2]):
        message = f"A part leaves out lines and ends with {part.lines[-1].strip()!r}, which {path} has again below."
        raise unplaced(path, message)
    others = [fit[2] for fit in fits if fit[2] != best[2]]
    if may_define_again(file, part.lines, best[2], others):
        raise unplaced(path, f"The lines near {part.lines[0].strip()[:120]!r} are in {path} several times.")
    if best[2] in refusals:
        # Another place would only be taken because the likely one is refused.
        raise refusals[best[2]]
    if may_only_add(file, part.lines, best[2]):
        message = f"The lines near {part.lines[0].strip()[:120]!r} may be added, or take the place of others of {path}."
        raise unplaced(path, message)
    return _clear_best(best, [fit for fit in fits if fit[2] not in refusals])


def _ends_with_closer(part: SketchPart) -> bool:
    """Whether a part is one line that tells where it is, and lines such as a closing bracket below it.

    Where it changes nothing, it may say that everything up to a later bracket goes.
    """
    return part.is_open_below and not is_distinctive(part.lines[-1]) and sum(map(is_distinctive, part.lines)) < 2


def _has_single_edges(file: SketchedFile, part: SketchPart) -> bool:
    """Whether the file has the few lines at each edge of a part only once."""
    top = file.plain, file.index, part.lines
    bottom = file.turned, file.turned_index, part.lines[::-1]
    for rows, index, lines in (top, bottom):
        filled = [number for number, line in enumerate(lines, 1) if line]
        edge = lines[: filled[FEWEST_AT_EDGE - 1]] if len(filled) >= FEWEST_AT_EDGE else lines
        places = [row for row in index.get(lines[0], []) if count_same(rows, edge, row) == len(edge)]
        if len(places) > 1:
            return False
    return True


def _check_edges(there: list[str], part: SketchPart, path: str, *, is_one: tuple[bool, bool]) -> None:
    """Refuse an edge of a part that rests on one line which the file has several times.

    `is_one` says of each edge whether the file has its lines only once.
    """
    top_is_only, bottom_is_only = is_one
    top = top_is_only, there, part.lines
    bottom = bottom_is_only, there[::-1], part.lines[::-1]
    for is_only, file_lines, lines in (top, bottom):
        agreeing = lines[: count_same(file_lines, lines, 0)]
        if not is_only and count_filled(agreeing) < FEWEST_AT_EDGE:
            raise unplaced(path, f"The line {lines[0].strip()[:120]!r} beside a marker is in {path} several times.")


def _check_twins(
    file: SketchedFile, part: SketchPart, best: Fit, edges: tuple[Sequence[int], Sequence[int]], path: str
) -> None:
    """Refuse a part of which an edge fits a place further out better, or as well with a line like its own.

    The part may mean that everything up to there goes, or a marker may be missing. Where the part drops lines in any
    case, it is enough that a few lines at its edge fit.
    """
    changed, gone, (first, last) = best
    starts, ends = edges
    come = changed - gone
    drops_lines = gone > come
    # From the end, lines are counted and compared in the other direction.
    last_row = len(file.plain) - 1
    turned_ends = [last_row - end for end in ends]
    top = file.plain, part.lines, first, starts
    bottom = file.turned, part.lines[::-1], last_row - last, turned_ends
    for rows, lines, place, other_places in (top, bottom):
        for other in other_places:
            if other < place and _is_twin(rows, lines, place, other, drops_lines=drops_lines):
                raise unplaced(path, f"The lines near {lines[0].strip()[:120]!r} are in {path} several times.")


def _is_twin(rows: Sequence[str], lines: Sequence[str], place: int, other: int, *, drops_lines: bool) -> bool:
    """Whether the first lines of a part fit another place further up as well as the one where the part was laid."""
    length = count_same(rows, lines, place)
    if length == len(lines):
        return False
    length_at_other = count_same(rows, lines, other)
    if length_at_other > length:
        return True
    if drops_lines and count_filled(lines[:length_at_other]) >= FEWEST_AT_EDGE:
        return True
    if length_at_other < length:
        return False
    return is_as_like(rows, lines, length, place, other) or _are_moved(rows[other + length : place], lines[length:])


def _are_moved(between: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the lines between two places where a part may begin are in the part, maybe at another depth."""
    moved = {line.strip() for line in between if is_distinctive(line)} & {line.strip() for line in lines}
    return len(moved) >= MOST_ELSEWHERE


def _fit(plain: list[str], part: SketchPart, first: int, last: int) -> Fit:
    """How many lines would come and go, and go, if a part were laid on a range."""
    gone = come = 0
    for start, end, new_start, new_end in changed_blocks(plain[first : last + 1], list(part.lines)):
        gone += end - start
        come += new_end - new_start
    return gone + come, gone, (first, last)


def _clear_best(best: Fit, fits: list[Fit]) -> list[Lines]:
    """The range that changes far fewer lines than any other, and deletes no more; all of them if there is none such.

    Where a part would change nothing, it may be about a twin that has yet to change; and where a function is added
    beside a twin, to replace the twin would change fewer lines.
    """
    cost, gone, lines = best
    others = [fit for fit in fits if fit[2] != lines]
    is_clear = cost > 0 and all(cost + CLEARLY_FEWER <= fit[0] and gone <= fit[1] for fit in others)
    return [lines] if is_clear else [fit[2] for fit in fits]


def _places(plain: list[str], index: dict[str, list[int]], lines: Sequence[str]) -> list[int]:
    """Where the shortest beginning of some lines with a distinctive one is in the file."""
    length = next((number for number, line in enumerate(lines, 1) if is_distinctive(line)), 0)
    if not length:
        return []
    # From the distinctive line upwards, so that no line of the file is compared for two places.
    upwards = lines[:length][::-1]
    starts: list[int] = []
    for end in index.get(upwards[0], []):
        start = end - length + 1
        if start >= 0 and all(plain[end - number] == line for number, line in enumerate(upwards)):
            starts.append(start)
    return starts


def _check_ends(
    file: SketchedFile, part: SketchPart, first: int, last: int, path: str, *, is_first: bool, is_last: bool
) -> None:
    """Refuse a sketch without a marker at an end where the file has more lines: they may be meant to go.

    A sketch may begin with the first definition of the file, which has no other one above it.
    """
    begins_sketch = is_first and not part.is_open_above
    if begins_sketch and first != file.first_definition:
        _check_no_more(file.plain[:first], "start", path)
    ends_sketch = is_last and not part.is_open_below
    if ends_sketch:
        _check_no_more(file.plain[last + 1 :], "end", path)


def _check_no_more(lines: Sequence[str], name: str, path: str) -> None:
    """Refuse a sketch without a marker at an end beyond which the file has these lines, unless all are blank."""
    count = count_filled(lines)
    if count > 0:
        message = f"The sketch has no marker at its {name}, and {path} has {count} more lines there: "
        raise unplaced(path, f"{message}nothing says whether they stay.")


def _check_moved(plain: list[str], index: dict[str, list[int]], part: SketchPart, lines: Lines, path: str) -> None:
    """Refuse a part that would add lines which the file has elsewhere, once: it is about that place, too."""
    first, last = lines
    file_lines = plain[first : last + 1]
    removed: list[str] = []
    added: list[str] = []
    #: Distinctive added lines that are not a block of their own.
    new: list[str] = []
    for start, end, new_start, new_end in changed_blocks(file_lines, list(part.lines)):
        removed += file_lines[start:end]
        block = part.lines[new_start:new_end]
        added += block
        if not is_whole_block(block):
            new += filter(is_distinctive, block)
    distinctive_removed = set(filter(is_distinctive, removed))
    moved = [line for line in added if line in distinctive_removed]
    if len(moved) >= MOST_ELSEWHERE and not are_moved(removed, lost_lines(file_lines, part.lines)):
        raise unplaced(path, f"Lines of the sketch are in {path} in another order, such as {moved[0].strip()[:120]!r}.")
    if any(are_added(beside, added) for beside in lines_beside(plain, index, part.lines, lines)):
        message = f"Lines of the sketch are right beside those near {part.lines[0].strip()[:120]!r} in {path}"
        raise unplaced(path, f"{message}: they may be moved, or written twice.")
    elsewhere: list[str] = []
    for line in new:
        rows = index.get(line, [])
        if len(rows) == 1 and not first <= rows[0] <= last:
            elsewhere.append(line)
    if len(elsewhere) >= MOST_ELSEWHERE:
        message = f"Lines of the sketch are elsewhere in {path}, such as {elsewhere[0].strip()[:120]!r} at line "
        raise unplaced(path, f"{message}{index[elsewhere[0]][0] + 1}: a marker may be missing.")
