"""Problems as data, and the exceptions that carry them.

A `Problem` is one thing wrong: a code for programs, and a cause that is a value. Message and hint are put into words
when somebody reads them, for the reader that was passed in. Exceptions are classified by the state of the disk,
problems by their cause. This module imports only the value base, so every layer can report problems.
"""

from __future__ import annotations

from .common_limits import MODEL_TEXT_LIMIT
from .display import model_text, plural
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Literal, Self, TypeAlias

    from .patch import Hunk
    from .readers import Reader

    #: What to do next: the same for all readers, or in the words of each.
    Advice: TypeAlias = str | Callable[[Reader], str]

    Code: TypeAlias = Literal[
        "patch_parse_error",
        "patch_apply_error",
        "multiple_matches",
        "overlapping_edits",
        "old_text_not_found",
        "no_change",
        "invalid_arguments",
        "not_found",
        "already_exists",
        "is_directory",
        "not_a_file",
        "binary_file",
        "file_too_large",
        "encoding_error",
        "outside_workspace",
        "permission_denied",
        "rejected",
        "cancelled",
        "stale_file",
        "conflict",
        "not_read",
        "locked",
        "io_error",
        "timeout",
        "command_failed",
        "implicit_invocation",
    ]
else:
    # For `from_json`: a later version may have written a code that this one does not know.
    Code = str

# The codes by the error types that users of OpenCode's and Codex's patch tools know. Each code is in exactly one set.

#: The patch or the arguments could not be read.
ParseError: frozenset[str] = frozenset({"patch_parse_error", "invalid_arguments"})
#: The command is a bare patch.
ImplicitInvocation: frozenset[str] = frozenset({"implicit_invocation"})
#: The patch or the edit does not fit the file.
ComputeReplacements: frozenset[str] = frozenset(
    {
        "patch_apply_error",
        "multiple_matches",
        "overlapping_edits",
        "old_text_not_found",
        "no_change",
        "stale_file",
        "conflict",
    }
)
#: A file could not be read or written, or may not be.
IoError: frozenset[str] = frozenset(
    {
        "not_found",
        "already_exists",
        "is_directory",
        "not_a_file",
        "binary_file",
        "file_too_large",
        "encoding_error",
        "outside_workspace",
        "permission_denied",
        "rejected",
        "cancelled",
        "not_read",
        "locked",
        "io_error",
        "timeout",
        "command_failed",
    }
)
PEER_NAMES: Mapping[str, frozenset[str]] = {
    "ParseError": ParseError,
    "IoError": IoError,
    "ComputeReplacements": ComputeReplacements,
    "ImplicitInvocation": ImplicitInvocation,
}

#: What separates problems in a text.
_BETWEEN = "\n\n"


class HunkRef(Value):
    """Which hunk of an update a problem is about: its number from 1, of how many, and its line in the patch text."""

    number: int
    of: int
    line: int = 0


def hunk_ref(hunk: Hunk, number: int, of: int) -> HunkRef:
    """The hunk by its number among those that are planned or, where these are a part of an update, by its position."""
    if hunk.position is not None:
        number, of = hunk.position
    return HunkRef(number, of, hunk.line)


class EditRef(Value):
    """Which edit of a list a problem is about: its index, and of how many."""

    index: int
    of: int = 1


class NearestLines(Value):
    """The place of a file that is nearest to an edit: its lines, and how many of the edit's lines agree there.

    `line` is the first that differs. `text` is "new" where the new text of the edit is compared, and not the old one.
    """

    first: int
    last: int
    agree: int
    of: int
    line: int
    text: str = ""


class Cause(Value):
    """What a problem is about, as a value: it is put into words for a reader, and no text is read back."""

    @property
    def reason(self) -> str:
        """The name of the cause beside the code, as `details` has it."""
        return ""

    @property
    def nearest(self) -> NearestLines | None:
        """The place that is nearest to an edit, if one was looked for."""
        return None

    @property
    def lines(self) -> Sequence[int]:
        """The first lines of all places that an edit fits, or of where its lines are."""
        return ()

    def message(self, reader: Reader) -> str:
        """What is wrong, with the evidence."""
        raise NotImplementedError

    def hint(self, reader: Reader) -> str:
        """What to do next."""
        raise NotImplementedError

    @property
    def details(self) -> Mapping[str, object]:
        """What JSON shows of it."""
        raise NotImplementedError


class PlainCause(Cause):
    """A cause in the words of whoever found it, or as JSON keeps it."""

    text: str
    advice: Advice = ""
    data: Mapping[str, object] = {}
    reason: str = ""

    def message(self, reader: Reader) -> str:  # noqa: ARG002 - the same for all
        """The words that were found for it."""
        return self.text

    def hint(self, reader: Reader) -> str:
        """The advice, in the words of the reader where it depends on that."""
        return self.advice if isinstance(self.advice, str) else self.advice(reader)

    @property
    def details(self) -> Mapping[str, object]:
        """The data that came with it."""
        return {**self.data, "reason": self.reason} if self.reason else self.data


class Remark(Value):
    """What somebody who knows more adds to a problem of somebody else."""

    def message(self, message: str, reader: Reader) -> str:  # noqa: ARG002 - for those that say more
        """The message with the remark."""
        return message

    def hint(self, hint: str, reader: Reader) -> str:  # noqa: ARG002
        """The hint with the remark."""
        return hint


class Problem(Value):
    """One thing wrong, as data.

    `message` says what is wrong, with the evidence; `hint` says what to do next; `details` is for programs. All three
    are derived from the `cause`, in the words of the `reader`.
    """

    __slots__ = ("_rendering",)

    code: Code
    cause: Cause
    path: str
    hunk: HunkRef | None
    edit: EditRef | None
    recoverable: bool
    remarks: tuple[Remark, ...]
    reader: Reader | None

    _public: ClassVar[tuple[str, ...]] = ("code", "message", "path", "hunk", "details", "hint", "recoverable")
    _not_compared: ClassVar[tuple[str, ...]] = ("details",)

    def __init__(
        self,
        code: Code,
        message: str = "",
        path: str = "",
        hunk: HunkRef | None = None,
        details: Mapping[str, object] | None = None,
        hint: Advice = "",
        recoverable: bool = True,
        *,
        reason: str = "",
        cause: Cause | None = None,
        edit: EditRef | None = None,
        remarks: tuple[Remark, ...] = (),
        reader: Reader | None = None,
    ) -> None:
        if cause is None:
            details = details or {}
            cause = PlainCause(message, hint, details, reason or str(details.get("reason", "")))
        fields = {
            "code": code,
            "cause": cause,
            "path": path,
            "hunk": hunk,
            "edit": edit,
            "recoverable": recoverable,
            "remarks": remarks,
            "reader": reader,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def message(self) -> str:
        """What is wrong, with the evidence."""
        return self._render()[0]

    @property
    def hint(self) -> str:
        """What to do next."""
        return self._render()[1]

    @property
    def details(self) -> Mapping[str, object]:
        """What programs outside of Suture can know about the cause."""
        return self._render()[2]

    def _render(self) -> tuple[str, str, Mapping[str, object]]:
        """The message, the hint and the details. They are made together, when somebody first asks for one of them."""
        rendered: tuple[str, str, Mapping[str, object]] | None = getattr(self, "_rendering", None)
        if rendered is None:
            reader = self._reader()
            message, hint, details = self.cause.message(reader), self.cause.hint(reader), self.cause.details
            for remark in self.remarks:
                message, hint = remark.message(message, reader), remark.hint(hint, reader)
            if self.edit is not None:
                details = {**details, "editIndex": self.edit.index}
                if self.edit.of > 1:
                    message = f"Edit {self.edit.index + 1} of {self.edit.of}: {message}"
            rendered = message, hint, details
            object.__setattr__(self, "_rendering", rendered)
        return rendered

    @property
    def reason(self) -> str:
        """The name of the cause beside the code; empty where the code tells enough."""
        return self.cause.reason

    def told_to(self, reader: Reader) -> Self:
        """The same problem in the words of a reader."""
        return self if reader is self.reader else self.replace(reader=reader)

    def replace(self, **changes: Any) -> Self:  # noqa: ANN401 - of any field
        """The same problem with other values for the named fields; a new text replaces its cause."""
        if changes.keys() & {"message", "hint", "details"}:
            changes = {name: getattr(self, name) for name in self._public} | changes
            return type(self)(**changes)
        return super().replace(**changes)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets it in the words of its reader.
        return type(self), tuple([getattr(self, name) for name in self._public])

    def __str__(self) -> str:
        message, hint = self.message, self.hint
        return f"{message}\n{hint}" if hint else message

    def _reader(self) -> Reader:
        if self.reader is not None:
            return self.reader
        from .readers import PYTHON

        return PYTHON


class SutureError(Exception):
    """The base of all exceptions of Suture: `problems` has everything that is wrong, as data."""

    #: The state of the disk after this exception: the last sentence of every message.
    state_of_disk = "No file was changed."

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__()

    def __str__(self) -> str:
        return self.for_model()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[type[SutureError], tuple[object, ...]]:
        return type(self), (self.problems,)

    def told_to(self, reader: Reader) -> Self:
        """This exception, whose problems are told in the words of a reader from here on."""
        self.problems = tuple([problem.told_to(reader) for problem in self.problems])
        return self

    def for_model(self, limit: int = MODEL_TEXT_LIMIT) -> str:
        """The problems as a text that a model can act on, of at most `limit` bytes."""
        kept: list[str] = []
        state = model_text(self.state_of_disk)
        # Each text pays for the blank line behind it.
        room = limit - _size(state)
        for number, problem in enumerate(self.problems):
            text = model_text(str(problem))
            left = len(self.problems) - number
            note = f"{left} more {plural('problem', left)} not shown: fix these first."
            # Every text but the last leaves room for the note that some are not shown.
            reserved = len(note) + len(_BETWEEN) if left > 1 else 0
            room_for_text = room - reserved - len(_BETWEEN)
            if kept and _size(text) > room_for_text:
                kept.append(note)
                break
            # The first problem is never left out: what has no room of it is cut.
            if not kept:
                text = _cut(text, room_for_text)
            kept.append(text)
            room -= _size(text) + len(_BETWEEN)
        answer = _BETWEEN.join((*filter(None, kept), state))
        return _cut(state, limit) if _size(answer) > limit else answer


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _cut(text: str, limit: int) -> str:
    """A text of at most `limit` bytes, with a mark where it was cut."""
    if _size(text) <= limit:
        return text
    mark = " …"
    kept = text.encode("utf-8", "surrogatepass")[: max(0, limit - _size(mark))]
    return kept.decode("utf-8", "ignore") + mark if limit >= _size(mark) else ""


class PatchInvalidError(SutureError):
    """The patch text could not be parsed; no file was read."""


class PatchRejectedError(SutureError):
    """The patch was parsed but cannot be applied; nothing was written.

    `plan` is the plan that has these problems, with what became of each operation; None where it was refused before
    it was planned.
    """

    def __init__(self, problems: Iterable[Problem], plan: Any = None) -> None:  # noqa: ANN401 - a value of `workspace`
        self.plan = plan
        super().__init__(problems)

    def __reduce__(self) -> tuple[type[SutureError], tuple[object, ...]]:
        # A process that gets it has other files: it needs the problems, not the contents.
        return type(self), (self.problems,)


class CommitFailedError(SutureError):
    """A commit failed and was rolled back: every file is as it was."""


class PartlyAppliedError(SutureError):
    """Operations were applied one by one, as requested, and one failed; `receipt` has those applied before it."""

    def __init__(self, problems: Iterable[Problem], receipt: object = None, done: Iterable[str] = ()) -> None:
        self.receipt = receipt
        self.done = tuple(done)
        self.state_of_disk = f"These were done before it and stay: {', '.join(self.done)}."
        super().__init__(problems)

    def __reduce__(self) -> tuple[type[PartlyAppliedError], tuple[object, ...]]:
        return type(self), (self.problems, self.receipt, self.done)


class RecoveryNeededError(SutureError):
    """A commit failed and could not be rolled back; its journal is kept, and the message says how to repair it.

    `is_untouched` says that it failed before it changed the first file.
    """

    state_of_disk = (
        "Some files may be changed and others not. The journal is kept: the next use of the workspace, or "
        "`suture recover`, brings all of them back."
    )

    def __init__(self, problems: Iterable[Problem], is_untouched: bool = False) -> None:
        self.is_untouched = is_untouched
        if is_untouched:
            self.state_of_disk = (
                "No file was changed. New files may be left beside them: the next use of the workspace, or "
                "`suture recover`, removes these."
            )
        super().__init__(problems)

    def __reduce__(self) -> tuple[type[RecoveryNeededError], tuple[object, ...]]:
        return type(self), (self.problems, self.is_untouched)
