"""Answers to requests, and decisions: values only.

An answer is once, always, reject, or some of the hunks, each with an optional message and comments on lines for the
model; or that nobody can be reached. It may have another text for a file than the proposed one, which is written
instead. A decision is a request that may go ahead, with all of its hunks, with some, or with another text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..core.display import one_line, plural, safe_text
from ..core.json_values import JsonValue
from ..core.value import Value
from .agent_limits import LONGEST_COMMENT, MOST_COMMENTS, MOST_REJECTED_HUNKS, MOST_REJECTED_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal, Self, TypeAlias

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change
    from .requests import Request

AnswerKind: TypeAlias = "Literal['once', 'always', 'reject', 'some', 'unreachable', 'withdrawn']"
#: The numbers of hunks by the path of their file; "all" is the file as a whole.
Chosen: TypeAlias = "Mapping[str, tuple[int, ...] | Literal['all']]"

#: The answers that a request may be given.
KINDS = ("once", "always", "reject", "some", "unreachable")
#: Those of them that approve a request or a part of it.
APPROVALS = ("once", "always", "some")


class LineComment(JsonValue):
    """What a person says about a line: of the proposed text, or "before" it, about a line that would be removed."""

    path: str
    #: From 1.
    line: int
    text: str
    side: Literal["after", "before"] = "after"

    def __str__(self) -> str:
        removed = " (before the change)" if self.side == "before" else ""
        return f"{one_line(self.path)}:{self.line}{removed}: {safe_text(self.text, 'message')}"


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
    #: What the person says about single lines, whatever the answer is.
    comments: tuple[LineComment, ...] = ()
    #: For "once" and "some": by path, the whole text that is written instead of the proposed one, with a BOM as its
    #: first character if the file has one. Such a file is approved with exactly this text, whatever `hunks` says of it.
    edits: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash((self.kind, self.message, self.patterns, self.comments))

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
            ValueError: it names a file or a hunk that the request does not have, is incomplete, or has a value of
                another type than is declared.
        """
        _check_types(self)
        if self.kind not in KINDS:
            message = f"expected an answer of {', '.join(KINDS)}; found {self.kind!r}"
            raise ValueError(message)
        if not all(pattern.strip() for pattern in self.patterns):
            message = f"expected globs as patterns; found {self.patterns!r}"
            raise ValueError(message)
        _check_comments(self, request)
        if self.edits:
            _check_edits(self, request)
        if self.kind == "some":
            _check_hunks(self, request)

    def remarks(self) -> str:
        """What the person said, for the model: the message, and the comments in a line each, as `path:line: text`."""
        said = [safe_text(self.message, "message")] if self.message else []
        if self.comments:
            said.append("On these lines:" if said else "on these lines:")
            said += [f"  {comment}" for comment in self.comments]
        return "\n".join(said)


class Decision(Value):
    """A request that may go ahead, as a whole or with some of its hunks.

    `answer` is that of a person; None if the rules or an earlier "always" allow it.
    """

    request: Request
    answer: Answer | None = None

    @property
    def is_whole(self) -> bool:
        """Whether everything is approved, as it was proposed."""
        if self.edits:
            return False
        return all(len(self.hunks_of(f.path)) == len(f.hunks) and self.is_approved(f.path) for f in self.request.files)

    @property
    def edits(self) -> Mapping[str, str]:
        """The texts that a person wants instead of the proposed ones, by path."""
        return {} if self.answer is None else self.answer.edits

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
        """The numbers of the rejected hunks, by file; empty for a rejected file without hunks.

        Files with another text than the proposed one are not among them: their difference says more.
        """
        rejected = {}
        for file in self.request.files:
            if file.path in self.edits:
                continue
            kept = self.hunks_of(file.path)
            if len(kept) < len(file.hunks) or not self.is_approved(file.path):
                rejected[file.path] = tuple([n for n in range(1, len(file.hunks) + 1) if n not in kept])
        return rejected

    def for_model(self) -> str:
        """The text for a model: the rejected hunks, and the message of the user."""
        left_out = self.left_out
        remarks = "" if self.answer is None else self.answer.remarks()
        message = f"The user said: {remarks}" if remarks else ""
        if not left_out:
            return message
        lines = ["The user approved only a part of this. These hunks were not applied:"]
        room = MOST_REJECTED_HUNKS
        for path, numbers in left_out.items():
            file = self.request.file(path)
            if not self.is_approved(path):
                # Nothing of the file was applied, and it may have no hunks: an empty file, or another name.
                lines.append(f"{path}: not changed")
                continue
            word = "hunk" if len(numbers) == 1 else "hunks"
            lines.append(f"{path}: {word} {_join_words(numbers)} of {len(file.hunks)}")
            quoted_numbers = numbers[:room]
            for number in quoted_numbers:
                lines += _shorten(file.hunks[number - 1])
            room -= len(quoted_numbers)
        return "\n".join([*lines, message or "Don't send these hunks again unless the user asks for them."])

    def _chosen(self, path: str) -> tuple[int, ...] | Literal["all"]:
        if path in self.edits:
            return "all"
        if self.answer is None or self.answer.kind != "some":
            return "all"
        chosen = self.answer.hunks.get(path, ())
        return "all" if chosen == "all" else tuple(sorted(set(chosen)))


def _check_types(answer: Answer) -> None:
    """Check the types of all values: an approver may be a program that no type checker has seen."""
    _expect(answer.kind, str, "kind")
    _expect(answer.message, str, "message")
    _expect(answer.by_person, bool, "by_person")
    for pattern in _several(answer.patterns, "patterns"):
        _expect(pattern, str, "patterns")
    for comment in _several(answer.comments, "comments"):
        _expect(comment, LineComment, "comments")
        _expect(comment.path, str, "the path of a comment")
        _expect(comment.line, int, "the line of a comment")
        _expect(comment.text, str, "the text of a comment")
        if comment.side not in ("after", "before"):
            message = f"expected 'after' or 'before' as the side of a comment; found {comment.side!r:.60}"
            raise ValueError(message)
    for path, numbers in _expect(answer.hunks, Mapping, "hunks").items():
        _expect(path, str, "the path of hunks")
        if numbers != "all":
            _several(numbers, "the numbers of hunks")
    for path, text in _expect(answer.edits, Mapping, "edits").items():
        _expect(path, str, "the path of an edit")
        _expect(text, str, "the text of an edit")


def _several(given: Any, name: str) -> Collection[Any]:  # noqa: ANN401 - any value
    """Several values: not a text, which is a collection of its characters, nor a mapping."""
    if isinstance(given, (str, bytes, Mapping)):
        message = f"expected several values as {name}; found {given!r:.60}"
        raise ValueError(message)  # noqa: TRY004 - what is wrong is the answer
    several: Collection[Any] = _expect(given, Collection, name)
    return several


def _expect(given: Any, kind: type, name: str) -> Any:  # noqa: ANN401 - any value
    """The value itself, if it is of this type. A truth value is no number."""
    if not isinstance(given, kind) or (kind is int and isinstance(given, bool)):
        message = f"expected a value of the type {kind.__name__} as {name}; found {given!r:.60}"
        raise ValueError(message)
    return given


def _check_comments(answer: Answer, request: Request) -> None:
    if len(answer.comments) > MOST_COMMENTS:
        message = f"expected at most {MOST_COMMENTS} comments; found {len(answer.comments)}"
        raise ValueError(message)
    for comment in answer.comments:
        _check_path(comment.path, request)
        if comment.line < 1:
            message = f"expected the number of a line, from 1; found {comment.line}"
            raise ValueError(message)
        if not comment.text.strip() or len(comment.text) > LONGEST_COMMENT:
            message = f"expected a comment of 1 to {LONGEST_COMMENT} characters; found {len(comment.text.strip())}"
            raise ValueError(message)


def _check_edits(answer: Answer, request: Request) -> None:
    if answer.kind not in ("once", "some"):
        message = f"expected no edited text with the answer {answer.kind!r}"
        raise ValueError(message)
    if request.whole_only:
        message = "this request can be approved as it is only: its changes depend on one another"
        raise ValueError(message)
    for path in answer.edits:
        file = _check_path(path, request)
        if not is_editable(file):
            message = f"expected an edited text for a file that gets new lines of text; found one for {path!r}"
            raise ValueError(message)


def is_editable(file: Change) -> bool:
    """Whether a person can give a file another text than the proposed one: if it is text, and lines of it change."""
    return file.kind in ("add", "update", "move") and bool(file.hunks) and not file.binary


def _check_path(path: str, request: Request) -> Change:
    """The file of a request that an answer names."""
    try:
        return request.file(path)
    except KeyError:
        message = f"the request has no file {path!r}, but {', '.join([repr(file.path) for file in request.files])}"
        raise ValueError(message) from None


def _check_hunks(answer: Answer, request: Request) -> None:
    for path, chosen in answer.hunks.items():
        count = len(_check_path(path, request).hunks)
        if chosen == "all":
            continue
        wrong = [number for number in chosen if type(number) is not int or not 1 <= number <= count]
        if wrong:
            message = f"{path} has {count} {plural('hunk', count)}; there is no hunk {_join_words(wrong)}"
            raise ValueError(message)
    if request.whole_only and any(answer.hunks.values()) and not Decision(request, answer).is_whole:
        message = "this request can be approved as a whole only: its changes depend on one another"
        raise ValueError(message)


def _join_words(numbers: Sequence[object]) -> str:
    words = [str(number) for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _shorten(hunk: LineHunk) -> list[str]:
    lines = [hunk.header, *hunk.written_lines]
    more = len(lines) - MOST_REJECTED_LINES
    return [*lines[:MOST_REJECTED_LINES], f"… {more} more lines"] if more > 0 else lines
