"""Answers to requests, and decisions: values only.

An answer is once, always, reject, or some of the hunks, each with an optional message for the model; or that nobody can
be reached. A decision is a request that may go ahead, with all of its hunks or with some.
"""

from __future__ import annotations

from ..core.display import safe_text
from ..core.json_values import JsonValue
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Self, TypeAlias

    from ..core.line_hunks import LineHunk
    from .requests import Request

AnswerKind: TypeAlias = "Literal['once', 'always', 'reject', 'some', 'unreachable', 'withdrawn']"
#: The numbers of hunks by the path of their file; "all" is the file as a whole.
Chosen: TypeAlias = "Mapping[str, tuple[int, ...] | Literal['all']]"

#: The answers that a request may be given.
KINDS = ("once", "always", "reject", "some", "unreachable")
#: Those of them that approve a request or a part of it.
APPROVALS = ("once", "always", "some")
#: How many rejected hunks a model is shown, and how many lines of each.
_SHOWN_LINES = 12
_SHOWN_HUNKS = 10


class Answer(JsonValue):
    """An answer to a request. `message` is for the model.

    Two kinds are not answers of a person: "unreachable", nobody could be asked, and "withdrawn", the request was
    cancelled, timed out, or was replaced by another.
    """

    kind: AnswerKind
    message: str = ""
    #: For "always": the globs that it covers. Empty means those that the request proposes.
    patterns: tuple[str, ...] = ()
    #: For "some": the approved hunks. A file that is not named here is not approved.
    hunks: Chosen = {}
    #: Whether a person gave it. A model is never told that a person refused where a program did.
    by_person: bool = True

    def __hash__(self) -> int:
        return hash((self.kind, self.message, self.patterns))

    @classmethod
    def once(cls, message: str = "") -> Self:
        """Yes, this time."""
        return cls("once", message)

    @classmethod
    def always(cls, *patterns: str, message: str = "") -> Self:
        """Yes, and don't ask again in this session for paths that these globs match."""
        return cls("always", message, patterns)

    @classmethod
    def reject(cls, message: str = "") -> Self:
        """No, with an optional reason."""
        return cls("reject", message)

    @classmethod
    def decline(cls, message: str = "") -> Self:
        """No, by a program: a policy, or a client that may not have shown the question to anybody."""
        return cls("reject", message, by_person=False)

    @classmethod
    def unreachable(cls, message: str = "") -> Self:
        """Nobody can be reached: neither yes nor no. The message says why."""
        return cls("unreachable", message, by_person=False)

    @classmethod
    def some(cls, hunks: Mapping[str, Iterable[int] | Literal["all"]], message: str = "") -> Self:
        """Yes to these hunks, by file and number, and no to the others: `{"src/app.py": [1, 3], "b.py": "all"}`."""
        chosen: Chosen = {path: "all" if some == "all" else tuple(sorted(set(some))) for path, some in hunks.items()}
        return cls("some", message, (), chosen)

    def check(self, request: Request) -> None:
        """Check that it answers this request.

        Raises:
            ValueError: it names a file or a hunk that the request does not have, or is incomplete.
        """
        if self.kind not in KINDS:
            message = f"expected an answer of {', '.join(KINDS)}; found {self.kind!r}"
            raise ValueError(message)
        if not all(pattern.strip() for pattern in self.patterns):
            message = f"expected globs as patterns; found {self.patterns!r}"
            raise ValueError(message)
        if self.kind == "some":
            _check_hunks(self, request)


class Decision(Value):
    """A request that may go ahead, as a whole or with some of its hunks.

    `answer` is that of a person; None if the rules or an earlier "always" allow it.
    """

    request: Request
    answer: Answer | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything is approved."""
        return all(len(self.hunks_of(f.path)) == len(f.hunks) and self.is_approved(f.path) for f in self.request.files)

    def hunks_of(self, path: str) -> tuple[int, ...]:
        """The numbers of the approved hunks of a file."""
        file = self.request.file(path)
        chosen = self._chosen(path)
        return tuple(range(1, len(file.hunks) + 1)) if chosen == "all" else chosen

    def is_approved(self, path: str) -> bool:
        """Whether a file is approved, at least in part."""
        return self._chosen(path) != ()

    @property
    def left_out(self) -> dict[str, tuple[int, ...]]:
        """The numbers of the rejected hunks, by file; empty for a rejected file without hunks."""
        found = {}
        for file in self.request.files:
            kept = self.hunks_of(file.path)
            if len(kept) < len(file.hunks) or not self.is_approved(file.path):
                found[file.path] = tuple([n for n in range(1, len(file.hunks) + 1) if n not in kept])
        return found

    def for_model(self) -> str:
        """The text for a model: the rejected hunks, and the message of the user."""
        left_out = self.left_out
        message = (
            f"The user said: {safe_text(self.answer.message, 'message')}"
            if self.answer is not None and self.answer.message
            else ""
        )
        if not left_out:
            return message
        lines = ["The user approved only a part of this. These hunks were not applied:"]
        room = _SHOWN_HUNKS
        for path, numbers in left_out.items():
            file = self.request.file(path)
            which = f"hunk{'s' * (len(numbers) > 1)} {_join_words(numbers)} of {len(file.hunks)}"
            lines.append(f"{path}: {which if self.is_approved(path) else 'not changed'}")
            for number in numbers[:room] if self.is_approved(path) else ():
                lines += _shorten(file.hunks[number - 1])
                room -= 1
        return "\n".join([*lines, message or "Don't send these hunks again unless the user asks for them."])

    def _chosen(self, path: str) -> tuple[int, ...] | Literal["all"]:
        if self.answer is None or self.answer.kind != "some":
            return "all"
        chosen = self.answer.hunks.get(path, ())
        return "all" if chosen == "all" else tuple(sorted(set(chosen)))


def _check_hunks(answer: Answer, request: Request) -> None:
    for path, chosen in answer.hunks.items():
        try:
            count = len(request.file(path).hunks)
        except KeyError:
            message = f"the request has no file {path!r}, but {', '.join([repr(file.path) for file in request.files])}"
            raise ValueError(message) from None
        if chosen == "all":
            continue
        wrong = [number for number in chosen if type(number) is not int or not 1 <= number <= count]
        if wrong:
            message = f"{path} has {count} hunk{'s' * (count != 1)}; there is no hunk {_join_words(wrong)}"
            raise ValueError(message)
    if not Decision(request, answer).is_whole and any(answer.hunks.values()) and request.whole_only:
        message = "this request can be approved as a whole only: its changes depend on one another"
        raise ValueError(message)


def _join_words(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _shorten(hunk: LineHunk) -> list[str]:
    lines = [hunk.header, *hunk.written_lines]
    return lines if len(lines) <= _SHOWN_LINES else [*lines[:_SHOWN_LINES], f"… {len(lines) - _SHOWN_LINES} more lines"]
