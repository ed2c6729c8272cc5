"""Requests for approval as forms that a client shows, and what the client sends back as answers.

An approval needs an explicit decision. A client that sends a form back unseen approves nothing, and a model is not told
that a person refused where a client may have done it. What does not fit into a form can't be approved in it.
"""

from __future__ import annotations

from ..agent.answers import Answer
from ..agent.hidden_hunks import approves_hidden, hidden_hunks, needed_hunks
from ..agent.requests import describe, notes_of, without_lines
from ..core.display import hunk_text, one_line, safe_text, shorten
from ..core.value import Value
from .server_limits import MOST_FORM_CHARACTERS, MOST_SAID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal, TypeAlias

    from ..agent.hidden_hunks import HunkNumbers
    from ..agent.requests import Request

    #: The file and the hunk that a number stands for.
    Choice: TypeAlias = tuple[str, int | Literal["all"]]

APPROVE, SOME, ALWAYS, REJECT = "approve", "approve some", "approve always", "reject"


class Form(Value):
    """A form: its message, and the schema of what is sent back."""

    message: str
    schema: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(self.message)


def form_of(request: Request, fault: str = "", seconds: float = 0, *, only_decision: bool = False) -> Form:
    """The form for a request. `fault` is what was wrong with the last answer; the call waits for so many seconds.

    With `only_decision` it has no fields for text: for a client in which these can't be left empty.
    """
    choices = list(choices_of(request))
    lines = [f"{safe_text(fault)}\n"] if fault else []
    lines += [f"May the model {safe_text(request.action)}?"]
    if request.reason:
        lines += [f"Its reason: {one_line(request.reason)}"]
    lines.append("")
    number = 0
    hidden = hidden_hunks(request, MOST_FORM_CHARACTERS)
    for file in request.files:
        lines.append(one_line(" ".join([describe(file), *[f"({note})" for note in notes_of(file)]])))
        if not file.hunks:
            number += 1
            lines[-1] = f"[{number}] {lines[-1]}: {without_lines(file)}"
        for place, hunk in enumerate(file.hunks, 1):
            number += 1
            text = hunk_text(hunk)
            if place in hidden.get(file.path, ()):
                text = f"(too long for this form: {len(text):,} characters)"
            # No line of a hunk can be taken for one of ours.
            lines.append(f"[{number}] " + text.replace("\n", "\n    "))
    needed = needed_hunks(request, hidden)
    if needed:
        lines += ["", _too_long(request, needed)]
    if seconds:
        lines += ["", f"The call waits {seconds:g} seconds. A later answer takes effect when the model asks again."]
    in_full = len(choices) - sum(map(len, needed.values()))
    return Form("\n".join(lines), _schema(request, len(choices), in_full, only_decision=only_decision))


def _too_long(request: Request, needed: HunkNumbers) -> str:
    """What to do about hunks that a form does not show."""
    count, of = sum(map(len, needed.values())), len(list(choices_of(request)))
    which = f"{count} of {of} hunks {'is' if count == 1 else 'are'}"
    return (
        f"{which} too long to be shown here, so this can't be approved as a whole here. Ask the model for smaller "
        "changes, or start the server with --approve queue and decide in `suture review`, which shows everything."
    )


def choices_of(request: Request) -> Iterator[Choice]:
    """What the numbers of a form stand for, in order: each hunk, and each file without hunks as a whole."""
    for file in request.files:
        if file.hunks:
            yield from [(file.path, number) for number in range(1, len(file.hunks) + 1)]
        else:
            yield file.path, "all"


def _schema(request: Request, count: int, in_full: int, *, only_decision: bool) -> dict[str, Any]:
    """The schema of the answer to a request with so many choices, of which so many can be approved here."""
    is_whole = in_full == count
    has_parts = count > 1 and in_full > 0 and not request.whole_only and not only_decision
    offered = {APPROVE: is_whole, SOME: has_parts, ALWAYS: is_whole, REJECT: True}
    decisions = [decision for decision, is_offered in offered.items() if is_offered]
    about, hunks = "Not everything is shown.", {}
    if is_whole:
        always = ", ".join(map(one_line, request.always))
        about = f'"{ALWAYS}" also approves later changes of {always}, and of nothing else.'
    if has_parts:
        description = f'For "{SOME}": the numbers in brackets, such as 1, 3'
        hunks["hunks"] = {"type": "string", "title": "Hunks", "description": description}
    decision = {"type": "string", "title": "Decision", "description": about, "enum": decisions}
    message = {"type": "string", "title": "Message", "description": "What the model should know"}
    texts = {} if only_decision else {**hunks, "message": message}
    # There is no default: an approval is a choice that somebody made.
    return {
        "type": "object",
        "properties": {"decision": decision, **texts},
        "required": ["decision"],
    }


def answer_of(action: str, content: Mapping[str, Any] | None, request: Request) -> Answer:
    """The answer that a form came back with.

    Raises:
        ValueError: the hunks that it names can't be read, are not there, or were not shown; the person should be asked
            again.
    """
    answer = _read_answer(action, content, request)
    if approves_hidden(answer, needed_hunks(request, hidden_hunks(request, MOST_FORM_CHARACTERS))):
        message = "That would approve hunks that are too long to be shown here."
        raise ValueError(message)
    return answer


def _read_answer(action: str, content: Mapping[str, Any] | None, request: Request) -> Answer:
    if action != "accept":
        # Esc means no. A client without a person does the same by itself, so the model is not told that somebody did.
        return Answer.decline()
    given = content or {}
    message = str(given.get("message") or "")[:MOST_SAID]
    match given.get("decision"):
        case "approve":
            return Answer.once(message)
        case "approve always":
            return Answer.always(message=message)
        case "reject":
            return Answer.reject(message)
        case "approve some":
            answer = Answer.some(_chosen(str(given.get("hunks") or ""), list(choices_of(request))), message)
            answer.check(request)
            return answer
    return Answer.unreachable("the client answered without a decision")


def _chosen(text: str, choices: list[Choice]) -> dict[str, list[int] | Literal["all"]]:
    """The hunks of each file that a text such as "1, 3" names, by their numbers in the form.

    Raises:
        ValueError: the text has something else than these numbers.
    """
    words = text.replace(",", " ").split()
    are_numbers = all(word.isascii() and word.isdigit() for word in words)
    if not words or not are_numbers or len(words) > len(choices):
        message = f"Expected the numbers of hunks, such as 1, 3; found {shorten(text, 100)!r}."
        raise ValueError(message)
    numbers = {word.lstrip("0") for word in words}
    by_number = {str(number): choice for number, choice in enumerate(choices, 1)}
    if not numbers <= by_number.keys():
        message = f"Expected numbers from 1 to {len(choices)}; found {shorten(text, 100)!r}."
        raise ValueError(message)
    chosen: dict[str, list[int] | Literal["all"]] = {}
    for number, (path, hunk) in by_number.items():
        if number not in numbers:
            continue
        if hunk == "all":
            chosen[path] = "all"
        else:
            hunks = chosen.setdefault(path, [])
            assert hunks != "all", "BUG: a file with hunks is chosen by hunks"
            hunks.append(hunk)
    return chosen
