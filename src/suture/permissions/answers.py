"""What a person may answer to a request, and what comes of it: values only.

An answer is once, always, reject, or some of the hunks; with any of them goes a message for the model. A decision is a
request that may go ahead, with all of its hunks or with some.
"""

from __future__ import annotations

from ..core.json_values import JsonValue
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Self, TypeAlias

    from .requests import Request

AnswerKind: TypeAlias = "Literal['once', 'always', 'reject', 'some', 'withdrawn']"
#: The numbers of hunks by the path of their file; "all" is the file as a whole.
Chosen: TypeAlias = "Mapping[str, tuple[int, ...] | Literal['all']]"

#: What a person may answer.
KINDS = ("once", "always", "reject", "some")
#: How many lines of a hunk that was left out a model is shown, and how many hunks.
_SHOWN_LINES = 12
_SHOWN_HUNKS = 10


class Answer(JsonValue):
    """What a person says to a request. `message` is for the model, whatever the answer is.

    "withdrawn" is no answer of a person: nobody waits for one any more.
    """

    kind: AnswerKind
    message: str = ""
    #: Of "always": the globs that it holds for; none are those that the request proposes.
    patterns: tuple[str, ...] = ()
    #: Of "some": what is approved. A file that is not named here is not.
    hunks: Chosen = {}

    def __hash__(self) -> int:
        return hash((self.kind, self.message, self.patterns))

    @classmethod
    def once(cls, message: str = "") -> Self:
        """Yes, this time."""
        return cls("once", message)

    @classmethod
    def always(cls, *patterns: str, message: str = "") -> Self:
        """Yes, and don't ask again in this session for what these globs match."""
        return cls("always", message, patterns)

    @classmethod
    def reject(cls, message: str = "") -> Self:
        """No, and perhaps why."""
        return cls("reject", message)

    @classmethod
    def some(cls, hunks: Mapping[str, Iterable[int] | Literal["all"]], message: str = "") -> Self:
        """Yes to these hunks, by file and number, and no to the others: `{"src/app.py": [1, 3], "b.py": "all"}`."""
        chosen: Chosen = {path: "all" if some == "all" else tuple(sorted(set(some))) for path, some in hunks.items()}
        return cls("some", message, (), chosen)

    def check(self, request: Request) -> None:
        """Make sure that it is an answer to this request.

        Raises:
            ValueError: it names a file or a hunk that the request hasn't, or something is missing.
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
    """A request that may go ahead: as a whole, or with some of its hunks.

    `answer` is what a person said; None where the rules, or an earlier "always", allowed it.
    """

    request: Request
    answer: Answer | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything that was asked for is allowed."""
        return all(len(self.hunks_of(f.path)) == len(f.hunks) and self.is_done(f.path) for f in self.request.files)

    def hunks_of(self, path: str) -> tuple[int, ...]:
        """The numbers of the hunks of a file that are allowed."""
        file = self.request.file(path)
        chosen = self._chosen(path)
        return tuple(range(1, len(file.hunks) + 1)) if chosen == "all" else chosen

    def is_done(self, path: str) -> bool:
        """Whether anything is done to a file."""
        return self._chosen(path) != ()

    @property
    def left_out(self) -> dict[str, tuple[int, ...]]:
        """The numbers of the hunks that are not allowed, by file; for a file without hunks none."""
        found = {}
        for file in self.request.files:
            kept = self.hunks_of(file.path)
            if len(kept) < len(file.hunks) or not self.is_done(file.path):
                found[file.path] = tuple([n for n in range(1, len(file.hunks) + 1) if n not in kept])
        return found

    def for_model(self) -> str:
        """What a model has to know of it once the rest is written: which hunks were left out, and what was said."""
        left_out = self.left_out
        said = f"They said: {self.answer.message}" if self.answer is not None and self.answer.message else ""
        if not left_out:
            return said.replace("They", "The person who allowed this", 1)
        lines = ["The person who was asked has approved a part of this only. What follows was not applied:"]
        room = _SHOWN_HUNKS
        for path, numbers in left_out.items():
            file = self.request.file(path)
            which = f"hunk{'s' * (len(numbers) > 1)} {_listed(numbers)} of {len(file.hunks)}"
            lines.append(f"{path}: {which if self.is_done(path) else 'nothing was done to it'}")
            for number in numbers[:room] if self.is_done(path) else ():
                lines += _cut(file.hunks[number - 1])
                room -= 1
        return "\n".join([*lines, said or "Don't send these hunks again unless you are asked to."])

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
            message = f"{path} has {count} hunk{'s' * (count != 1)}, and none is {_listed(wrong)}"
            raise ValueError(message)
    if not Decision(request, answer).is_whole and any(answer.hunks.values()) and request.whole_only:
        message = "this request can be approved as a whole only: its changes build upon one another"
        raise ValueError(message)


def _listed(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _cut(hunk: str) -> list[str]:
    lines = hunk.rstrip("\n").split("\n")
    return lines if len(lines) <= _SHOWN_LINES else [*lines[:_SHOWN_LINES], f"… {len(lines) - _SHOWN_LINES} more lines"]
