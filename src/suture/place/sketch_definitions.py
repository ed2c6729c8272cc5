"""Sketches of whole functions and classes: each goes where the file has its name, if it has it once."""

from __future__ import annotations

import itertools

from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError
from ..core.python_source import UNPARSABLE
from ..core.text_changes import ReplaceDefinition
from ..words.change_problems import change_refusal
from .change_definitions import change_definition, in_class, without_indentation, wrapped_definitions
from .definitions import definitions_in
from .limits import LONGEST_TAIL, MOST_PARSED
from .sketch_parts import depth_of
from .syntax import fault_in
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from ..core.text import Text
    from .sketch_parts import SketchPart

    #: Where a part is: the name of a definition, or the first and the last row of lines that stay.
    _Place: TypeAlias = str | tuple[int, int]


def with_definitions(text: Text, parts: Sequence[SketchPart], path: str) -> str | None:
    """The body in which each whole definition of a sketch has replaced the one of the same name.

    Returns None if the sketch has other changes. It may have lines of the file between the definitions, such as the
    first ones of a class: these stay as they are.
    """
    body = text.body
    rows = [row.rstrip() for row in body.split("\n")]
    definitions: list[tuple[str, str]] = []
    places: list[_Place] = []
    for number, part in enumerate(parts):
        code = without_indentation("\n".join(part.written))
        written = _whole_definitions(path, code, part.written)
        # A marker inside of a definition says that the rest of that one stays.
        goes_on_below = part.is_open_below and part.depth_below > depth_of(part.written[0])
        if written is None or goes_on_below:
            place = _place_of_context(rows, part, is_last=number == len(parts) - 1)
            if place is None:
                return None
            places.append(place)
        else:
            definitions += written
            places += [name for name, _ in written]
    if not definitions or len(definitions) * len(body) > MOST_PARSED or _may_leave_out(path, rows, parts, places):
        return None
    for name, definition in definitions:
        after = _with_definition(body, name, definition, path)
        if after is None:
            return None
        body = after
    return body


def _with_definition(body: str, name: str, definition: str, path: str) -> str | None:
    """The body with one definition replaced by a whole one of a sketch; None if that has no certain place.

    Raises:
        PatchRejectedError: it lacks the last lines of the one in the file, and nothing says whether these go.
    """
    rest = _rest_below(path, body, name, definition)
    if rest is None or rest > LONGEST_TAIL:
        return None
    if rest > 0:
        message = f"The sketch has all of {name} but for its last lines, and nothing says whether these go or stay."
        hint = "Write the definition to its end, or a patch or an edit instead."
        raise change_refusal("patch_apply_error", path, message, hint, reason="context_not_found")
    try:
        after = change_definition(body, ReplaceDefinition(definition, name), path=path, allow_placeholders=True)
    except PatchRejectedError as refused:
        is_unchanged = refused.problems[0].code == "no_change"
        return body if is_unchanged else None
    assert isinstance(after, str), "BUG: the body is a text"
    return after


def _place_of_context(rows: Sequence[str], part: SketchPart, *, is_last: bool) -> tuple[int, int] | None:
    """The first and the last row of a part that the file has exactly once, or that closes the file."""
    lines = list(part.lines)
    if not any(map(is_distinctive, lines)):
        rows_with_text = [row for row in rows if row]
        ends_file = rows_with_text[-len(lines) :] == lines
        last_row = len(rows) - 1
        return (last_row, last_row) if ends_file and is_last and not part.is_open_below else None
    starts = [
        start for start, row in enumerate(rows) if row == lines[0] and list(rows[start : start + len(lines)]) == lines
    ]
    if len(starts) != 1:
        return None
    [start] = starts
    return start, start + len(lines) - 1


def _may_leave_out(path: str, rows: Sequence[str], parts: Sequence[SketchPart], places: Sequence[_Place]) -> bool:
    """Whether a sketch may mean something else than its definitions, where these and its other lines are in the file.

    Without a marker at an end, it may mean that what the file has there goes. Above its first line, that is another
    definition: what a file begins with, such as imports, is needed by what follows. Below its last one, it is anything.
    Lines that stay must be in the order of the file, together with the definitions.
    """
    try:
        known = definitions_in(path, "\n".join(rows)) or []
    except UNPARSABLE:
        return True
    spans: list[tuple[int, int]] = []
    for place in places:
        if isinstance(place, str):
            spans_of_name = [(one.first, one.last) for one in known if one.short_name == place]
            if len(spans_of_name) != 1:
                return True
            spans += spans_of_name
        else:
            spans.append(place)
    has_context = any(not isinstance(place, str) for place in places)
    if has_context and any(last >= next_first for (_, last), (next_first, _) in itertools.pairwise(spans)):
        return True
    first_row, last_row = spans[0][0], spans[-1][1]
    if not parts[0].is_open_above and any(one.last < first_row for one in known):
        return True
    return not parts[-1].is_open_below and any(rows[last_row + 1 :])


def _rest_below(path: str, body: str, name: str, definition: str) -> int | None:
    """How many lines the file has in a definition below the last line of the one that a sketch has.

    There are some where more lines at the end of the old one go than come instead of them: what parses in Python may be
    only the beginning. None if the file does not have the name once.
    """
    try:
        same_name = [one for one in definitions_in(path, body) or [] if one.short_name == name]
    except UNPARSABLE:
        return None
    if len(same_name) != 1:
        return None
    [existing] = same_name
    old = [line.strip() for line in body.split("\n")[existing.own : existing.last + 1] if line.strip()]
    new = [line.strip() for line in definition.split("\n") if line.strip()]
    if new[-1] in old:
        # The lines behind the last one that is like the last line of the sketch.
        count_below = old[::-1].index(new[-1])
        below = old[len(old) - count_below :]
        return len(below) if any(line not in new for line in below) else 0
    last_start, _, new_last_start, _ = changed_blocks(old, new)[-1]
    gone_count, new_count = len(old) - last_start, len(new) - new_last_start
    return max(0, gone_count - new_count)


def _whole_definitions(path: str, code: str, lines: Sequence[str]) -> list[tuple[str, str]] | None:
    """The definitions that a part consists of, by name; None if it has anything else."""
    try:
        definitions = [one for one in definitions_in(path, code) or [] if not one.outer]
        is_broken = fault_in(path, code) is not None
        if not definitions or is_broken:
            # A method, which is one only inside of a class.
            definitions = wrapped_definitions(path, code)
            is_broken = fault_in(path, in_class(code)) is not None
    except UNPARSABLE:
        return None
    if not definitions or is_broken:
        return None
    covered: set[int] = set()
    for definition in definitions:
        covered.update(range(definition.first, definition.last + 1))
    has_other_lines = any(line.strip() for number, line in enumerate(lines) if number not in covered)
    if has_other_lines:
        return None
    return [(one.short_name, "\n".join(lines[one.first : one.last + 1])) for one in definitions]
