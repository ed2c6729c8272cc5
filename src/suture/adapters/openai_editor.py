"""An editor for the hosted `apply_patch` tool of the OpenAI Agents SDK. Its operations come one by one."""

from __future__ import annotations

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..format.patch_parser import parse
from .bridge import Bridge, extra

with extra("openai-agents"):
    from agents.editor import ApplyPatchResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agents.editor import ApplyPatchOperation

    from ..agent.session import Session
    from ..agent.sync import SyncSession

_VERBS = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}


class SutureEditor:
    """An editor for `ApplyPatchTool`. Pass `needs_approval` to the tool too, or set an approver on the session."""

    def __init__(self, session: Session | SyncSession | Bridge) -> None:
        self._bridge = session if isinstance(session, Bridge) else Bridge(session)
        self._bridge.definitions("json", "apply_patch")

    async def needs_approval(self, _: object, operation: ApplyPatchOperation, call_id: str) -> bool:
        """Whether a person has to be asked about an operation."""
        try:
            text = _envelope(operation)
        except SutureError:
            # The model gets the error when the operation is run.
            return False
        return await self._bridge.wait(self._bridge.ask(call_id, "apply_patch", text)) is not None

    async def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Change a file, and move it if the operation says so."""
        try:
            text = _envelope(operation)
        except SutureError as error:
            return ApplyPatchResult("failed", error.for_model())
        # The SDK does not say which call it runs. Two calls with the same text ask the same.
        asked = self._bridge.open_questions().items()
        key = next((call for call, pending in asked if pending.arguments.get("patchText") == text), text)
        step = await self._bridge.wait(self._bridge.finish(key, "apply_patch", text))
        return ApplyPatchResult("failed" if step.is_error else "completed", step.output)

    #: An operation says itself what it does.
    create_file = update_file
    delete_file = update_file


def _envelope(operation: ApplyPatchOperation) -> str:
    """An operation as a patch.

    Raises:
        SutureError: it can't be read, or is more than one operation.
    """
    lines = ["*** Begin Patch", f"*** {_VERBS[operation.type]} File: {operation.path}"]
    lines += [f"*** Move to: {operation.move_to}"] if operation.move_to else []
    lines += [operation.diff.rstrip("\n")] if operation.diff and operation.type != "delete_file" else []
    text = "\n".join([*lines, "*** End Patch", ""])
    if len(parse(text).operations) != 1:
        message = f"This is more than one operation: {safe_text(operation.path)}."
        raise PatchRejectedError([Problem("invalid_arguments", message, hint="Send one operation for each file.")])
    return text
