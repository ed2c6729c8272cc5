"""Problems as data, and the exceptions that carry them.

A `Problem` is one thing wrong: a code for programs, a message for models and people, a hint on what to do next.
Exceptions are classified by the state of the disk, problems by their cause. This module imports only the value base, so
every layer can report problems.
"""

from __future__ import annotations

from _contextvars import ContextVar

from .display import model_text
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar, Literal, TypeAlias

    from .interface_names import InterfaceNames
    from .patch import Hunk

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
    {"patch_apply_error", "multiple_matches", "overlapping_edits", "old_text_not_found", "no_change", "stale_file"}
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

#: The most bytes that a text for a model may have.
MODEL_TEXT_LIMIT = 4000


#: The interface whose names messages use: a table of `interface_names`, or the name of one.
INTERFACE: ContextVar[InterfaceNames | str] = ContextVar("interface", default="PYTHON")


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


class Problem(Value):
    """One thing wrong, as data.

    `message` says what is wrong, with the evidence; `hint` says what to do next; `details` is for programs.
    """

    code: Code
    message: str
    path: str = ""
    hunk: HunkRef | None = None
    details: Mapping[str, object] = {}
    hint: str = ""
    recoverable: bool = True

    _not_compared: ClassVar[tuple[str, ...]] = ("details",)

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class SutureError(Exception):
    """The base of all exceptions of Suture: `problems` has everything that is wrong, as data."""

    #: The state of the disk after this exception: the last sentence of every message.
    state_of_disk = "No file was changed."

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.for_model())

    def __reduce__(self) -> tuple[type[SutureError], tuple[object, ...]]:
        return type(self), (self.problems,)

    def for_model(self, limit: int = MODEL_TEXT_LIMIT) -> str:
        """The problems as a text that a model can act on, of at most `limit` bytes."""
        kept: list[str] = []
        state = model_text(self.state_of_disk)
        room = limit - _size(state) - 2
        for number, problem in enumerate(self.problems):
            text = model_text(str(problem))
            left = len(self.problems) - number
            note = f"{left} more problem{'s' * (left > 1)} not shown: fix these first."
            # Every text but the last leaves room for the note that some are not shown.
            reserved = len(note) + 2 if left > 1 else 0
            if _size(text) + 2 + reserved > room and kept:
                kept.append(note)
                break
            text = _cut(text, room - 2 - reserved)
            kept.append(text)
            room -= _size(text) + 2
        answer = "\n\n".join((*filter(None, kept), state))
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
    """A commit failed and could not be rolled back; its journal is kept, and the message says how to repair it."""

    state_of_disk = (
        "Some files may be changed and others not. The journal is kept: the next use of the workspace, or "
        "`suture recover`, brings all of them back."
    )
