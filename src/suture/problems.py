"""Problems as data, and the exceptions that carry them.

A `Problem` is one thing wrong: a code for programs, a message for models and people, a hint on what to do next.
Exceptions are classed by the state of the disk; problems are classed by their cause. This module imports nothing of
ours but the value base, so that every layer can speak of problems.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import ClassVar, Literal, TypeAlias

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

#: The codes under the names that users of the seeds' tools know.
SEED_NAMES: Mapping[str, frozenset[str]] = {
    "ParseError": frozenset({"patch_parse_error", "invalid_arguments"}),
    "IoError": frozenset(
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
            "locked",
            "io_error",
            "timeout",
        }
    ),
    "ComputeReplacements": frozenset(
        {"patch_apply_error", "multiple_matches", "overlapping_edits", "old_text_not_found", "no_change", "stale_file"}
    ),
    "ImplicitInvocation": frozenset({"implicit_invocation"}),
}

#: How long a text for a model may get, in characters.
MODEL_TEXT_LIMIT = 4000


class HunkRef(Value):
    """Which hunk of an update a problem speaks of: its number from 1, of how many, and its line in the patch text."""

    number: int
    of: int
    line: int = 0


class Problem(Value):
    """One thing wrong, as data.

    `message` says what is wrong, with the evidence; `hint` says what to do next; `details` is the same for programs.
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
    """The base of all of Suture's exceptions: `problems` is the whole answer as data."""

    #: What the disk looks like after this exception, the last sentence of every answer.
    state_of_disk = "No file was changed."

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.for_model())

    def __reduce__(self) -> tuple[type[SutureError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)

    def for_model(self, limit: int = MODEL_TEXT_LIMIT) -> str:
        """The answer as a text that a model can act upon, of at most `limit` characters."""
        texts = [str(problem) for problem in self.problems]
        kept = list(texts)
        while True:
            left_out = len(texts) - len(kept)
            note = [f"{left_out} more problem{'s' * (left_out > 1)} left out here: mend these first."] if left_out else []
            answer = "\n\n".join([*kept, *note, self.state_of_disk])
            if len(answer) <= limit:
                return answer
            if len(kept) > 1:
                kept.pop()
                continue
            room = max(0, limit - (len(answer) - len(kept[0])) - 2)
            kept[0] = kept[0][:room] + " …"
            return "\n\n".join([*kept, *note, self.state_of_disk])[-limit:] if limit > 0 else ""


class PatchInvalid(SutureError):
    """The patch text could not be read; no file was looked at."""


class PatchRejected(SutureError):
    """The patch was read but cannot be applied; nothing was written."""
