"""Sketches: the new code with comments such as `// ... existing code ...` where lines stay, placed without a model.

Whole definitions between the markers go where the file has their names. Otherwise each part between two markers is laid
on the file: its first and its last lines must be there, once, and everything between them becomes what the sketch says.
What is not certain is refused. A line of the sketch that is not in the file is a change, also where the model only
remembered the line wrongly: the difference shows it.
"""

from __future__ import annotations

import re
from textwrap import dedent

from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError
from ..core.text import Text, check_growth, check_size
from ..core.text_changes import ReplaceDefinition
from ..core.value import Value
from ..words.change_problems import change_refusal
from .change_definitions import change_definition
from .definitions import definitions_in
from .new_text import control_character, is_placeholder
from .syntax import fault_in
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: The first and the last line of a range, from 0.
    Lines = tuple[int, int]
    #: How many lines of the file and the part differ, how many of the file would go, and the range.
    Fit = tuple[int, int, Lines]

#: So many lines at an end of a file may be meant to go, or be forgotten: without a marker, that is not certain.
FEW_LINES = 5
#: How many lines a part may drop without a marker, beyond those that it puts there.
MOST_LEFT_OUT = 1
#: So many lines of a part that the file has once, outside of the place of the part, say that this is not its place.
MOST_ELSEWHERE = 2
#: So many lines at an edge must agree where the file has the first of them several times.
FEWEST_AT_EDGE = 2
#: Two more context lines that agree make one place clearly better than another.
CLEARLY_FEWER = 4
#: How many ranges of lines a part may have before the search ends.
_MOST_RANGES = 400
#: Definitions in languages without a parser: enough to see that one is lost.
_DEFINING = re.compile(
    r"^[ \t]*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|abstract|final|async"
    r"|override|open|data|sealed|unsafe|const)\s+)*(?:def|class|func|fn|function|interface|struct|enum|trait|impl|type|module)\s+"
    r"(?:\([^)]*\)\s*)?([A-Za-z_]\w*)",
    re.MULTILINE,
)


class SketchPart(Value):
    """The lines between two markers, without the whitespace at their ends and as they were written.

    `is_open_above` and `is_open_below` say whether there is a marker.
    """

    lines: tuple[str, ...]
    written: tuple[str, ...]
    is_open_above: bool
    is_open_below: bool


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
    lines = sketch.replace("\r\n", "\n").strip("\n").split("\n")
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
    body = _by_definitions(text, parts, path)
    if body is None:
        body = _by_lines(text, parts, path)
    if body == text.body:
        message = f"The sketch seems to be applied already: {path} has all of its lines."
        raise change_refusal("patch_apply_error", path, message, "Leave it out.", reason="already_applied")
    _check_result(text, body, path)
    raw = body if text.raw is text.body else body.replace("\n", text.newline)
    check_growth(text, len(raw) - len(text.raw), max_size)
    return text.content(raw)


def split_sketch(lines: Sequence[str], path: str) -> list[SketchPart]:
    """The parts of a sketch. Dots alone are a marker, except in Python, where they are code."""
    is_python = path.endswith((".py", ".pyi"))
    groups: list[list[str]] = [[]]
    for line in lines:
        text = line.strip()
        is_dots = not is_python and text in ("...", "…", "{...}", "…;")
        if is_dots or (text and is_placeholder(text)):
            groups.append([])
        else:
            groups[-1].append(line)
    parts: list[SketchPart] = []
    for number, group in enumerate(groups):
        while group and not group[0].strip():
            del group[0]
        while group and not group[-1].strip():
            del group[-1]
        if group:
            plain = tuple([line.rstrip() for line in group])
            parts.append(SketchPart(plain, tuple(group), number > 0, number < len(groups) - 1))
    return parts


def _by_definitions(text: Text, parts: Sequence[SketchPart], path: str) -> str | None:
    """The body with whole definitions replaced by their names; None if the sketch is not only such."""
    body = text.body
    try:
        known = definitions_in(path, body)
    except (SyntaxError, ValueError, RecursionError):
        return None
    names = [one.name for one in known or []]
    for part in parts:
        code = dedent("\n".join(part.lines))
        written = _whole_definitions(path, code, part.lines)
        if written is None:
            return None
        for name, definition in written:
            if [one.rpartition(".")[2] for one in names].count(name) != 1 or _is_beginning(
                path, body, name, definition
            ):
                return None
            try:
                after = change_definition(body, ReplaceDefinition(definition, name), path=path, allow_placeholders=True)
            except PatchRejectedError as refused:
                if refused.problems[0].code != "no_change":
                    return None
                continue
            assert isinstance(after, str), "BUG: the body is a text"
            body = after
    return body


def _is_beginning(path: str, body: str, name: str, definition: str) -> bool:
    """Whether a definition may be only the beginning of the one that the file has, which parses in Python."""
    there = next(one for one in definitions_in(path, body) or [] if one.short_name == name)
    old = [line.strip() for line in body.split("\n")[there.own : there.last + 1] if line.strip()]
    new = [line.strip() for line in definition.split("\n") if line.strip()]
    if new[-1] not in old:
        return False
    below = old[len(old) - old[::-1].index(new[-1]) :]
    return bool(below) and not any(line in new for line in below)


def _whole_definitions(path: str, code: str, lines: Sequence[str]) -> list[tuple[str, str]] | None:
    """The definitions that a part consists of, by name; None if it has anything else."""
    try:
        found = definitions_in(path, code)
    except (SyntaxError, ValueError, RecursionError):
        return None
    outer = [one for one in found or [] if not one.outer]
    if not outer or (fault_in(path, code) is not None):
        return None
    covered = {number for one in outer for number in range(one.first, one.last + 1)}
    if any(line.strip() for number, line in enumerate(lines) if number not in covered):
        return None
    rows = code.split("\n")
    return [(one.short_name, "\n".join(rows[one.first : one.last + 1])) for one in outer]


def _by_lines(text: Text, parts: Sequence[SketchPart], path: str) -> str:
    """The body with each part laid on it, if there is only one way to do so in their order."""
    rows = text.body.split("\n")
    if rows and not rows[-1]:
        rows.pop()
    plain = [row.rstrip() for row in rows]
    index: dict[str, list[int]] = {}
    for number, row in enumerate(plain):
        index.setdefault(row, []).append(number)
    choices = [
        _ranges(plain, index, part, path, is_first=number == 0, is_last=number == len(parts) - 1)
        for number, part in enumerate(parts)
    ]
    after: list[str] = []
    done = 0
    for part, (first, last) in zip(parts, _in_order(choices, path), strict=True):
        after += rows[done:first]
        # A line that stays is written as the file has it.
        same = dict(zip(plain[first : last + 1], rows[first : last + 1], strict=True))
        after += [same.get(line, as_is) for line, as_is in zip(part.lines, part.written, strict=True)]
        done = last + 1
    after += rows[done:]
    ending = "\n" if text.body.endswith("\n") or not text.body else ""
    return "\n".join(after) + ending


def _in_order(choices: Sequence[Sequence[Lines]], path: str) -> list[Lines]:
    """The only choice of a range for each part in which they are in order.

    Raises:
        PatchRejectedError: there is none, or more than one.
    """
    #: For each range of the last part so far: the ways to get there (two stand for many), and one of them.
    ways: dict[Lines, tuple[int, list[Lines]]] = {(0, -1): (1, [])}
    for ranges in choices:
        further: dict[Lines, tuple[int, list[Lines]]] = {}
        for first, last in ranges:
            before = [way for (_, end), way in ways.items() if end < first]
            if before:
                further[first, last] = (min(2, sum(count for count, _ in before)), [*before[0][1], (first, last)])
        ways = further
    if sum(count for count, _ in ways.values()) == 1:
        (way,) = ways.values()
        return way[1]
    if ways:
        raise _unplaced(path, f"The parts of the sketch fit several places of {path}.")
    raise _unplaced(path, f"The parts of the sketch are not in the order of {path}.")


def _ranges(
    plain: list[str], index: dict[str, list[int]], part: SketchPart, path: str, *, is_first: bool, is_last: bool
) -> list[Lines]:
    """The ranges of lines of the file that a part may be laid on."""
    turned = {line: [len(plain) - 1 - at for at in reversed(places)] for line, places in index.items()}
    starts = _places(plain, index, part.lines)
    ends = [len(plain) - 1 - at for at in _places(plain[::-1], turned, part.lines[::-1])]
    if is_first and not part.is_open_above and not starts:
        starts = [0]
    if is_last and not part.is_open_below and not ends:
        ends = [len(plain) - 1]
    for places, edge in ((starts, part.lines[0]), (ends, part.lines[-1])):
        if not places:
            raise _unplaced(path, f"No distinctive lines beside a marker are in {path}, near {edge.strip()[:120]!r}.")
    if len(starts) * len(ends) > _MOST_RANGES:
        raise _unplaced(path, f"The lines near {part.lines[0].strip()[:120]!r} are in {path} very often.")
    fits: list[Fit] = []
    refusals: dict[Lines, PatchRejectedError] = {}
    for first in starts:
        for last in ends:
            if first > last:
                continue
            fits.append(_fit(plain, part, first, last))
            try:
                _check_ends(plain, part, first, last, path, is_first=is_first, is_last=is_last)
                _check_left_out(plain[first : last + 1], part.lines, first, path)
                _check_moved(plain, index, part, (first, last), path)
                _check_edges(plain[first : last + 1], part, path, is_one=(len(starts) == 1, len(ends) == 1))
            except PatchRejectedError as refusal:
                refusals[first, last] = refusal
    if not fits:
        raise _unplaced(path, f"The first and the last lines of a part are in {path} in another order.")
    best = min(fits)
    if best[2] in refusals:
        # Another place would only be taken because the likely one is refused.
        raise refusals[best[2]]
    return _clear_best(best, [fit for fit in fits if fit[2] not in refusals])


def _check_edges(there: list[str], part: SketchPart, path: str, *, is_one: tuple[bool, bool]) -> None:
    """Refuse an edge of a part that rests on one line which the file has several times."""
    for is_only, old, new in ((is_one[0], there, part.lines), (is_one[1], there[::-1], part.lines[::-1])):
        same = 0
        for one, other in zip(old, new, strict=False):
            if one != other:
                break
            same += bool(one)
        if not is_only and same < FEWEST_AT_EDGE:
            raise _unplaced(path, f"The line {new[0].strip()[:120]!r} beside a marker is in {path} several times.")


def _fit(plain: list[str], part: SketchPart, first: int, last: int) -> Fit:
    """How many lines would come and go, and go, if a part were laid on a range."""
    blocks = changed_blocks(plain[first : last + 1], list(part.lines))
    gone = sum(b - a for a, b, _, _ in blocks)
    return gone + sum(d - c for _, _, c, d in blocks), gone, (first, last)


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
    block = list(lines[:length])
    return [at for at in index.get(lines[0], []) if length and plain[at : at + length] == block]


def _check_ends(
    plain: list[str], part: SketchPart, first: int, last: int, path: str, *, is_first: bool, is_last: bool
) -> None:
    """Refuse a sketch without a marker at an end where the file has a few more lines."""
    for is_end, is_open, others, name in (
        (is_first, part.is_open_above, plain[:first], "start"),
        (is_last, part.is_open_below, plain[last + 1 :], "end"),
    ):
        count = sum(map(bool, others))
        if is_end and not is_open and 0 < count <= FEW_LINES:
            message = f"The sketch has no marker at its {name}, and {path} has {count} more lines there: "
            raise _unplaced(path, f"{message}nothing says whether they stay.")


def _check_left_out(there: list[str], written: Sequence[str], first: int, path: str) -> None:
    """Refuse a part that drops lines of the file without a marker: it may be forgotten.

    One line may go where that is all that the part changes, or right beside another change.
    """
    blocks = changed_blocks(there, list(written))
    for number, (a, b, c, d) in enumerate(blocks):
        others = [*blocks[max(0, number - 1) : number], *blocks[number + 1 : number + 2]]
        is_beside = any(min(abs(a - other[1]), abs(other[0] - b)) <= 1 for other in others)
        gone = sum(map(bool, there[a:b]))
        put = sum(map(bool, written[c:d]))
        if gone and not put and first + a == 0:
            raise _unplaced(path, f"The sketch begins below the first lines of {path} without a marker.")
        most = MOST_LEFT_OUT if put or not others or is_beside else 0
        if gone - put > most:
            message = f"The sketch leaves out lines {first + a + 1}-{first + b} of {path} without a marker."
            hint = "Put a marker there if they stay. To delete them, use an edit with these lines as the text to find."
            raise change_refusal("patch_apply_error", path, message, hint, reason="left_out")


def _check_moved(plain: list[str], index: dict[str, list[int]], part: SketchPart, lines: Lines, path: str) -> None:
    """Refuse a part that would add lines which the file has elsewhere, once: it is about that place, too."""
    first, last = lines
    there = plain[first : last + 1]
    blocks = changed_blocks(there, list(part.lines))
    added = [line for _, _, c, d in blocks for line in part.lines[c:d] if is_distinctive(line)]
    elsewhere = [line for line in added if len(index.get(line, [])) == 1 and not first <= index[line][0] <= last]
    if len(elsewhere) >= MOST_ELSEWHERE:
        message = f"Lines of the sketch are elsewhere in {path}, such as {elsewhere[0].strip()[:120]!r} at line "
        raise _unplaced(path, f"{message}{index[elsewhere[0]][0] + 1}: a marker may be missing.")


def _check_result(text: Text, body: str, path: str) -> None:
    """Refuse a result that does not parse, or that lost a definition other than by a rename."""
    fault = fault_in(path, body)
    if fault is not None and fault_in(path, text.body) is None:
        message = f"{path} would no longer parse with the sketch: {fault.reason} (line {fault.line})."
        hint = "Send the changed lines with more lines around them, or a patch instead."
        raise change_refusal("invalid_arguments", path, message, hint, reason="syntax_error")
    before, after = _names(path, text.body), _names(path, body)
    lost = [name for name in before if name not in after]
    gained = [name for name in after if name not in before]
    if lost and len(lost) != len(gained):
        message = f"The sketch would remove {', '.join(lost[:5])} from {path}, which it does not mention."
        hint = "Put a marker where other code stays. To delete a definition, use an edit with its text."
        raise change_refusal("patch_apply_error", path, message, hint, reason="definition_lost")


def _names(path: str, body: str) -> list[str]:
    try:
        known = definitions_in(path, body)
    except (SyntaxError, ValueError, RecursionError):
        known = None
    return list(dict.fromkeys(_DEFINING.findall(body) if known is None else [one.name for one in known]))


def _unplaced(path: str, message: str) -> PatchRejectedError:
    hint = "Send at least three unchanged lines of the file beside each marker, or a patch or an edit instead."
    return change_refusal("patch_apply_error", path, message, hint, reason="context_not_found")
