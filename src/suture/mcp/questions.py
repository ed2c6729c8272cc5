"""Requests for approval as forms that a client shows, and what the client sends back as answers.

An approval needs an explicit decision. A client that sends a form back unseen approves nothing, and a model is not told
that a person refused where a client may have done it.
"""

from __future__ import annotations

from ..core.display import safe_text, shorten
from ..core.value import Value
from ..permissions.answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, Literal, TypeAlias

    from ..permissions.requests import Request

    #: The file and the hunk that a number stands for.
    Choice: TypeAlias = tuple[str, int | Literal["all"]]

#: The most characters of a form's message, and of a message to the model.
MOST_SHOWN = 8000
MOST_SAID = 2000
APPROVE, SOME, ALWAYS, REJECT = "approve", "approve some", "approve always", "reject"
_VERBS = {"edit": "change", "read": "read", "external_directory": "use files outside the workspace:"}


class Form(Value):
    """A form: its message, and the schema of what is sent back."""

    message: str
    schema: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(self.message)


def form_of(request: Request, fault: str = "") -> Form:
    """The form for a request. `fault` is what was wrong with the last answer."""
    choices = list(choices_of(request))
    verb = _VERBS.get(request.permission, f"use the permission '{safe_text(request.permission)}' for")
    lines = [f"{safe_text(fault)}\n"] if fault else []
    lines += [f"May the model {verb} {safe_text(request.subject)}?", ""]
    number, left_out = 0, 0
    size = sum(map(len, lines))
    for file in request.files:
        lines.append(safe_text(str(file)))
        for hunk in file.hunks or ("",):
            number += 1
            text = f"[{number}] {safe_text(hunk.rstrip(), 'message')}".rstrip()
            if not hunk:
                lines[-1] = f"[{number}] {lines[-1]}"
            elif size + len(text) <= MOST_SHOWN:
                lines.append(text)
                size += len(text)
            else:
                left_out += 1
    if left_out:
        lines.append(f"{left_out} of {number} hunks are too long to be shown here.")
    return Form("\n".join(lines), _schema(request, len(choices)))


def choices_of(request: Request) -> Iterator[Choice]:
    """What the numbers of a form stand for, in order: each hunk, and each file without hunks as a whole."""
    for file in request.files:
        if file.hunks:
            yield from [(file.path, number) for number in range(1, len(file.hunks) + 1)]
        else:
            yield file.path, "all"


def _schema(request: Request, count: int) -> dict[str, Any]:
    decisions = [APPROVE, ALWAYS, REJECT]
    always = shorten(", ".join(map(safe_text, request.always)), 200)
    about = f'"{ALWAYS}" also approves later changes of {always}.'
    hunks = {}
    if count > 1 and not request.whole_only:
        decisions.insert(1, SOME)
        description = f'For "{SOME}": the numbers in brackets, such as 1, 3'
        hunks["hunks"] = {"type": "string", "title": "Hunks", "description": description}
    decision = {"type": "string", "title": "Decision", "description": about, "enum": decisions}
    message = {"type": "string", "title": "Message", "description": "What the model should know"}
    # There is no default: an approval is a choice that somebody made.
    return {
        "type": "object",
        "properties": {"decision": decision, **hunks, "message": message},
        "required": ["decision"],
    }


def answer_of(action: str, content: Mapping[str, Any] | None, request: Request) -> Answer:
    """The answer that a form came back with.

    Raises:
        ValueError: the hunks that it names can't be read, or are not there; the person should be asked again.
    """
    if action == "decline":
        return Answer.decline()
    if action != "accept":
        return Answer.unreachable("the question was dismissed")
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
    words = text.replace(",", " ").split()
    numbers = sorted({int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 6})
    if not words or len(words) > len(choices) or not all(word.isascii() and word.isdigit() for word in words):
        message = f"Expected the numbers of hunks, such as 1, 3; found {shorten(text, 100)!r}."
        raise ValueError(message)
    if not numbers or not 1 <= numbers[0] <= numbers[-1] <= len(choices):
        message = f"Expected numbers from 1 to {len(choices)}; found {shorten(text, 100)!r}."
        raise ValueError(message)
    chosen: dict[str, list[int] | Literal["all"]] = {}
    for number in numbers:
        path, hunk = choices[number - 1]
        if hunk == "all":
            chosen[path] = "all"
        else:
            hunks = chosen.setdefault(path, [])
            assert hunks != "all", "BUG: a file with hunks is chosen by hunks"
            hunks.append(hunk)
    return chosen
