"""Why a string edit has no place, as problems that a model can act upon.

What hunks are told, string edits are told too: the nearest lines, the first difference, whether the new text is there
already. It decides nothing: an edit that comes here is refused.
"""

from __future__ import annotations

from ..core.dialect import STANDARD
from ..core.problems import Problem
from .differences import differences
from .message_lines import line_list, line_range, visible
from .nearest import blocks_around, line_numbers
from .search import MOST_PLACES, find_block
from .tiers import FOLDING, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.problems import Code
    from ..core.text import Text
    from .edit_readings import EditReading
    from .message_lines import Words
    from .replacers import TextPlace

#: Places that a message shows, and those whose line numbers are given as data.
MOST_SHOWN = 5
MOST_LINES = 50


def _file(text: Text) -> str:
    return visible(text.path)[1:-1] if text.path else "the file"


def _problem(text: Text, code: Code, message: str, hint: str, **details: object) -> Problem:
    return Problem(code, message, text.path, None, {"path": text.path, **details}, hint)


def not_found(text: Text, wanted: EditReading, words: Words) -> Problem:
    """The old text stands nowhere."""
    subject = f"{words.subject} not found in content"
    there = _new_text(text, wanted)
    if there is not None:
        line = text.line_number(there)
        message = (
            f"{subject}, but newString is: it stands in {_file(text)} at line {line}. "
            "The edit seems to be applied already."
        )
        hint = "Leave this edit out, if that is the place."
        return _problem(text, "old_text_not_found", message, hint, reason="already_applied", line=line)
    if not wanted.old.strip():
        message = (
            f"{subject} of {_file(text)}: it is nothing but white space, {visible(wanted.old)}, and such a text is "
            "only taken exactly as it is."
        )
        hint = "Name the lines around it in oldString, as the file has them."
        return _problem(text, "old_text_not_found", message, hint, reason="context_not_found")
    found = differences(text, wanted.hunk, STANDARD, words=words)
    details: dict[str, object] = {"reason": "context_not_found"}
    if found.nearest is not None:
        details["nearest"] = found.nearest
    message = f"{subject} of {_file(text)}.\n{found.message}"
    return _problem(text, "old_text_not_found", message, found.hint, **details)


def _new_text(text: Text, wanted: EditReading) -> int | None:
    """Where the new text stands, if it says enough to tell that the edit was made before."""
    if not is_distinctive(wanted.new) or wanted.new in wanted.old:
        return None
    if "\n" not in wanted.new.strip("\n"):
        # A part of a line may stand anywhere; a whole distinctive line was most likely written.
        found = find_block(text.body, [wanted.new.strip("\n")], FOLDING)
        return found.starts[0] if found is not None else None
    found = find_block(text.body, wanted.hunk.new, FOLDING)
    return found.starts[0] if found is not None else None


def several(text: Text, spans: Sequence[TextPlace], replacer: str, words: Words) -> Problem:
    """The old text stands in more than one place."""
    starts = sorted(span.start for span in spans)
    body = text.body
    numbers = line_numbers(body, [body.rfind("\n", 0, start) + 1 for start in starts[:MOST_LINES]])
    more = " or more" if len(spans) >= MOST_PLACES else ""
    how = "" if replacer == "simple" else f" when it is taken loosely (replacer {replacer})"
    which = words.subject.removesuffix("oldString")
    message = f"{which}Found multiple matches for oldString in {_file(text)}: it stands {len(spans)}{more} times{how}."
    openers = [_opener(body, start) for start in starts[:MOST_SHOWN]]
    apart = len(set(openers)) == len(openers)
    for number, start, opener in zip(numbers, starts, openers, strict=False):
        line = body.rfind("\n", 0, start) + 1
        message += f"\n  line {number}: {visible(text.line_at(line))}"
        if apart and opener:
            message += f" in {visible(opener.strip())}"
    if len(numbers) > MOST_SHOWN:
        message += f"\n  and {line_list(numbers[MOST_SHOWN:])}"
    hint = "Provide more surrounding lines in oldString, so that one place is left"
    hint += ", or set replaceAll to change all of them." if replacer == "simple" else "."
    return _problem(
        text, "multiple_matches", message, hint, lines=numbers, replacer=replacer, cutShort=len(spans) >= MOST_PLACES
    )


def _opener(body: str, start: int) -> str:
    """The line that opens the block around a place."""
    around = blocks_around(body, body.rfind("\n", 0, start) + 1)
    return around[0][1] if around else ""


def disproportionate(text: Text, wanted: EditReading, span: TextPlace, replacer: str, words: Words) -> Problem:
    """The place is much longer than the text that was looked for."""
    first, last = text.line_number(span.start), text.line_number(max(span.start, span.end - 1))
    asked = wanted.old.strip("\n").count("\n") + 1
    message = (
        f"{words.subject} not found in content of {_file(text)}: the replacer {replacer} would take "
        f"{line_range(first, last)} for its {asked} line{'s' * (asked > 1)}, which is far more than it says."
    )
    hint = "Send oldString with all lines that are to be replaced, as the file has them."
    return _problem(text, "old_text_not_found", message, hint, reason="disproportionate", first=first, last=last)


def not_unique_reading(text: Text, spans: Sequence[TextPlace], note: str, words: Words) -> Problem:
    """The old text has a place only when it is read in another way, and then more than one."""
    starts = sorted(span.start for span in spans)
    numbers = line_numbers(text.body, [text.body.rfind("\n", 0, start) + 1 for start in starts[:MOST_LINES]])
    what = {
        "line_numbers": "without its line numbers",
        "html_entities": "with its HTML entities decoded",
        "characters_escaped": "with its characters written as escapes",
        "old_corrected": "with the lines that newString has right",
    }[note]
    message = (
        f"{words.subject} not found in content of {_file(text)} as it is; {what} it stands {len(spans)} times: "
        f"{line_list(numbers)}."
    )
    hint = "Send oldString as the file has it, with enough lines that one place is left."
    return _problem(text, "multiple_matches", message, hint, lines=numbers)


def unclear_escapes(text: Text, span: TextPlace, words: Words) -> Problem:
    """The old text has a place once its escapes are undone, but those of the new one may be its own."""
    line = text.line_number(span.start)
    newer = words.subject.replace("oldString", "newString")
    message = (
        f"{words.subject} stands at line {line} of {_file(text)} once its escapes are undone, but it can't be told "
        f"which escapes of {newer} are meant as they are."
    )
    hint = "Send both texts again without the backslashes that the file has not."
    return _problem(text, "old_text_not_found", message, hint, reason="unclear_escapes", line=line)


def indented_twice(text: Text, span: TextPlace, words: Words) -> Problem:
    """The new text begins with the indentation that already stands before its place."""
    newer = words.subject.replace("oldString", "newString")
    line = text.line_number(span.start)
    message = (
        f"{newer} begins with the indentation that stands before oldString at line {line} of {_file(text)}: its first "
        "line would be indented twice."
    )
    hint = "Begin both oldString and newString with the indentation, or neither of them."
    return _problem(text, "invalid_arguments", message, hint, reason="indented_twice", line=line)


def placeholder(text: Text, line: str, words: Words) -> Problem:
    """The new text has a line that stands for others."""
    message = (
        f"{words.subject.replace('oldString', 'newString')} has a placeholder, which would be written to "
        f"{_file(text)} as it is: {visible(line)}."
    )
    hint = (
        "Write the lines out that it stands for, or make oldString and newString smaller, so that nothing is left out."
    )
    return _problem(text, "invalid_arguments", message, hint, reason="placeholder", line=line)
