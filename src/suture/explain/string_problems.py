"""Refusals of string edits as problems that a model can act on, in the words of string edits."""

from __future__ import annotations

from ..core.dialect import STANDARD
from ..core.interface_names import interface_names
from ..core.problems import Problem
from ..locate.limits import MOST_NUMBERED, MOST_PLACES
from ..locate.placement import Situation
from ..locate.search import find_block
from ..locate.tiers import FOLDING, is_distinctive
from .hunk_problems import HunkExplainer, file_name, with_rule
from .message_lines import line_list, line_range, visible
from .nearest_place import find_nearest_place
from .surroundings import blocks_around, line_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.problems import Code
    from ..core.text import Text
    from ..locate.edit_readings import EditReading
    from ..locate.refusal import Refusal
    from .message_lines import Words

#: Places that a message shows.
MOST_SHOWN = 5

_READINGS = {
    "line_numbers": "without its line numbers",
    "html_entities": "with its HTML entities decoded",
    "characters_escaped": "with its characters written as escapes",
    "old_corrected": "with the lines that {new} has right",
}


def explain_edit(text: Text, edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    """What the refusal of a string edit says."""
    explain = _EXPLANATIONS.get(refusal.kind)
    if explain is not None:
        return with_rule(explain(text, edit, refusal, words), refusal)
    return HunkExplainer(Situation(text, (edit.hunk,), STANDARD, 0.0), words).problem(refusal)


def _problem(text: Text, code: Code, message: str, hint: str, **details: object) -> Problem:
    return Problem(code, message, text.path, None, {"path": text.path, **details}, hint)


def _not_found(text: Text, edit: EditReading, _refusal: Refusal, words: Words) -> Problem:
    subject, file = words.not_found, file_name(text)
    there = _new_text(text, edit)
    if there is not None:
        line = text.line_number(there)
        message = f"{subject}, but {words.new} is in {file} at line {line}. The edit seems to be applied already."
        hint = f"If that is the place, leave this edit out{interface_names().or_skip}."
        return _problem(text, "old_text_not_found", message, hint, reason="already_applied", line=line)
    if not edit.old.strip():
        message = f"{subject} of {file}: it is only whitespace, {visible(edit.old)}, which must match exactly."
        hint = f"Put the lines around it in {words.old}, as the file has them."
        return _problem(text, "old_text_not_found", message, hint, reason="context_not_found")
    nearest = find_nearest_place(text, edit.hunk, FOLDING, words)
    details = {"nearest": nearest.data} if nearest.data is not None else {}
    message = f"{subject} of {file}.\n{nearest.message}"
    return _problem(text, "old_text_not_found", message, nearest.hint, reason="context_not_found", **details)


def _new_text(text: Text, edit: EditReading) -> int | None:
    """Where the new text is, if it is distinctive enough to show that the edit was made before."""
    if not is_distinctive(edit.new) or edit.new in edit.old:
        return None
    # A part of a line may be anywhere; a whole distinctive line was most likely written.
    lines = edit.hunk.new if "\n" in edit.new.strip("\n") else [edit.new.strip("\n")]
    found = find_block(text.body, lines, FOLDING)
    return found.starts[0] if found is not None else None


def _several_spans(text: Text, _edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    body, spans = text.body, refusal.spans
    starts = sorted([body.rfind("\n", 0, span.start) + 1 for span in spans])
    numbers = line_numbers(body, starts[:MOST_NUMBERED])
    more = " or more" if len(spans) >= MOST_PLACES else ""
    is_exact = refusal.tier == "simple"
    how = "" if is_exact else f" when it is matched loosely (replacer {refusal.tier})"
    message = f"{words.prefix}Found multiple matches for {words.old} in {file_name(text)}: "
    message += f"it occurs {len(spans)}{more} times{how}."
    openers = [next((line for _, line in blocks_around(body, start)), "") for start in starts[:MOST_SHOWN]]
    apart = len(set(openers)) == len(openers)
    for number, start, opener in zip(numbers, starts, openers, strict=False):
        message += f"\n  line {number}: {visible(text.line_at(start))}"
        message += f" in {visible(opener.strip())}" if apart and opener else ""
    if len(numbers) > MOST_SHOWN:
        message += f"\n  and {line_list(numbers[MOST_SHOWN:])}"
    hint = f"Provide more surrounding lines in {words.old}, so that it occurs once"
    hint += f", or {interface_names().every} to change all of them." if is_exact else "."
    details = {"lines": numbers, "replacer": refusal.tier, "cutShort": len(spans) >= MOST_PLACES}
    return _problem(text, "multiple_matches", message, hint, **details)


def _disproportionate(text: Text, edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    span = refusal.spans[0]
    first, last = text.line_number(span.start), text.line_number(max(span.start, span.end - 1))
    count = edit.old.strip("\n").count("\n") + 1
    message = f"{words.not_found} of {file_name(text)}: the replacer {refusal.tier} would take "
    message += f"{line_range(first, last)} for its {count} line{'s' * (count > 1)}, which is far more than it names."
    hint = f"{words.send} {words.old} with all lines to replace, as the file has them."
    return _problem(text, "old_text_not_found", message, hint, reason="disproportionate", first=first, last=last)


def _not_unique_reading(text: Text, _edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    starts = sorted([text.body.rfind("\n", 0, span.start) + 1 for span in refusal.spans])
    numbers = line_numbers(text.body, starts[:MOST_NUMBERED])
    reading = _READINGS[refusal.text].format(new=words.new)
    message = f"{words.not_found} of {file_name(text)} as it is; {reading} it occurs "
    message += f"{len(refusal.spans)} times: {line_list(numbers)}."
    hint = f"{words.send} {words.old} as the file has it, with enough lines that it occurs once."
    return _problem(text, "multiple_matches", message, hint, lines=numbers)


def _unclear_escapes(text: Text, _edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    line = text.line_number(refusal.spans[0].start)
    message = f"{words.subject} is at line {line} of {file_name(text)} once its escapes are decoded, but it is unclear "
    message += f"which escapes of {words.new} are meant literally."
    hint = f"{words.send} both texts again without the backslashes that the file does not have."
    return _problem(text, "old_text_not_found", message, hint, reason="unclear_escapes", line=line)


def _indented_twice(text: Text, _edit: EditReading, refusal: Refusal, words: Words) -> Problem:
    line = text.line_number(refusal.spans[0].start)
    message = f"{words.prefix}{words.new} begins with the indentation that is before {words.old} at line {line} of "
    message += f"{file_name(text)}: its first line would be indented twice."
    hint = f"Begin both {words.old} and {words.new} with the indentation, or neither of them."
    return _problem(text, "invalid_arguments", message, hint, reason="indented_twice", line=line)


_EXPLANATIONS = {
    "not_found": _not_found,
    "several_spans": _several_spans,
    "disproportionate": _disproportionate,
    "not_unique_reading": _not_unique_reading,
    "unclear_escapes": _unclear_escapes,
    "indented_twice": _indented_twice,
}


def placeholder(text: Text, line: str, words: Words) -> Problem:
    """The new text has a line that stands for others."""
    message = f"{words.prefix}{words.new} has a placeholder, which would be written to {file_name(text)} as it is: "
    message += f"{visible(line)}."
    hint = f"Write out the lines that it stands for, or make {words.old} and {words.new} smaller, so that nothing is "
    hint += "left out."
    return _problem(text, "invalid_arguments", message, hint, reason="placeholder", line=line)
