"""Texts that a person wants instead of the proposed ones: what of them differs, and what the model is told."""

from __future__ import annotations

from ..core.display import one_line
from ..core.line_hunks import line_hunks
from ..core.value import Value
from .agent_limits import MOST_EDITED_LINES
from .partial_approval import approved_plan, text_in_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Plan
    from .answers import Decision
    from .reads import Reads
    from .steps import CallSteps


class EditedText(Value):
    """A file that a person gave another text than the proposed one: the hunks that lead from one to the other."""

    path: str
    hunks: tuple[LineHunk, ...]

    @property
    def lines(self) -> list[str]:
        """The difference as a diff has it."""
        return [line for hunk in self.hunks for line in (hunk.header, *hunk.written_lines)]


def edited_texts(plan: Plan, decision: Decision) -> list[EditedText]:
    """What a person changed in the texts that a plan proposes."""
    files = {file.shown: file for file in plan.files}
    edited_files: list[EditedText] = []
    for change in plan.changes:
        text = decision.edits.get(change.path)
        if text is not None:
            proposed = text_in_diff(files[change.content_name].content_after, change, files).raw
            edited_files.append(EditedText(change.path, line_hunks(proposed, text)))
    return edited_files


def describe_edits(edited: Sequence[EditedText]) -> str:
    """What a model is told: the difference from what it proposed."""
    if not edited:
        return ""
    rows = ["The user changed your text before approving it. Compared with what you sent, the file now has:"]
    for file in edited:
        lines = file.lines
        rows += [f"{one_line(file.path)}:", *lines[:MOST_EDITED_LINES]]
        if len(lines) > MOST_EDITED_LINES:
            rows.append(f"… {len(lines) - MOST_EDITED_LINES} more lines. Read the file before you edit it again.")
    return "\n".join([*rows, "Keep these changes of the user."])


def forget_untold(reads: Reads, plan: Plan, edited: Sequence[EditedText]) -> None:
    """Record that a model does not know a file in which a person has changed more than the model is told."""
    untold = {file.path for file in edited if len(file.lines) > MOST_EDITED_LINES}
    names = {change.content_name for change in plan.changes if change.path in untold}
    for file in plan.files:
        content = file.content_after
        if file.shown in names and content is not None:
            reads.note(file.path, content, (), anew=True)


def approved_part(call: CallSteps, plan: Plan, decision: Decision) -> Plan:
    """The part of a call's plan that was approved, with the texts that a person wants, which are checked like others.

    Raises:
        PatchRejectedError: such a text can't be written, or a rule denies a file by now.
    """
    part = approved_plan(plan, decision)
    if decision.edits:
        guard = call.visible.guard()
        for change in part.changes:
            guard.resolve(change.path)
        call.session.permissions.check_denial(call.request_for(part))
    return part
