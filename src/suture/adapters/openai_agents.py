"""Suture in the OpenAI Agents SDK: function tools, the freeform `apply_patch` tool, and an editor for the hosted one.

The SDK asks for an approval before it runs a tool, and `RunState.approve` carries no payload. So questions and answers
go through `SutureTools`, and `save` stores them with the run. A call can't ask twice: if a file has changed since the
question, the answer says so, and the model can send the call again.
"""

from __future__ import annotations

from json import dumps, loads

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..format.patch_parser import parse
from ..permissions.answers import Answer
from ..session.pending import Pending
from .bridge import Bridge, Question, extra, reply

with extra("openai-agents"):
    from agents.editor import ApplyPatchResult

    from agents import ApplyPatchTool, CustomTool, FunctionTool, RunState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agents.editor import ApplyPatchOperation
    from agents.items import ToolApprovalItem

    from agents import Agent, ToolContext

    from ..session.session import Session
    from ..session.sync import SyncSession


class SutureTools:
    """The tools of a session for one agent, and the questions that its runs wait for."""

    def __init__(self, session: Session | SyncSession, **choice: Any) -> None:
        self.bridge = Bridge(session, **choice)
        self._replies: dict[str, dict[str, Any]] = {}

    def functions(self, *only: str) -> list[FunctionTool]:
        """Function tools: those with these names, or all.

        Raises:
            ValueError: there is no such tool.
        """
        return [self._function(one) for one in self.bridge.definitions("openai-responses", *only)]

    def apply_patch(self) -> CustomTool:
        """The tool that takes a patch as it is, with a grammar. A patch is applied as a whole or not at all."""
        [found] = self.bridge.definitions("openai-freeform", "apply_patch")
        return CustomTool(
            name=found["name"],
            description=found["description"],
            format=found["format"],
            on_invoke_tool=self._invoker(found["name"]),
            needs_approval=self._checker(found["name"]),
        )

    def hosted_apply_patch(self) -> ApplyPatchTool:
        """The hosted tool. Its operations come one by one, so a patch can be applied in part: prefer `apply_patch`."""
        editor = SutureEditor(self.bridge)
        return ApplyPatchTool(editor=editor, needs_approval=editor.needs_approval)

    def question(self, item: ToolApprovalItem) -> dict[str, Any]:
        """What a person is asked about an interruption of a run: the files with their hunks.

        Raises:
            KeyError: it is not about a tool of this object.
        """
        return self._question(item).to_data()

    async def answer(self, state: RunState, item: ToolApprovalItem, answer: Answer) -> None:
        """Answer an interruption, and approve or reject it in the state of the run.

        Raises:
            KeyError: it is not about a tool of this object.
            ValueError: it is no answer to this question.
        """
        question = self._question(item)
        answer.check(question.pending.request)
        if answer.kind in ("once", "always", "some"):
            self._replies[item.call_id] = reply(question.to_data(), answer)
            state.approve(item)
            return
        given = reply(question.to_data(), answer)
        result = await self.bridge.wait(self.bridge.advance(item.call_id, question.pending.tool, {}, given))
        state.reject(item, rejection_message=getattr(result, "output", answer.message))

    def save(self, state: RunState) -> str:
        """A stopped run with its questions and answers, for another process."""
        calls = {item.call_id for item in state.get_interruptions()}
        pending = {key: loads(one.to_json()) for key, one in self.bridge.open_questions().items() if key in calls}
        replies = {key: one for key, one in self._replies.items() if key in calls}
        return dumps({"run": state.to_json(), "pending": pending, "replies": replies})

    async def load(self, agent: Agent, text: str) -> RunState:
        """The run that `save` has stored."""
        data = loads(text)
        for key, one in data["pending"].items():
            self.bridge.keep(key, Pending.from_json(dumps(one)))
        self._replies |= data["replies"]
        return await RunState.from_json(agent, data["run"])

    def _question(self, item: ToolApprovalItem) -> Question:
        return Question(self.bridge.open_questions()[item.call_id])

    def _function(self, definition: Mapping[str, Any]) -> FunctionTool:
        return FunctionTool(
            name=definition["name"],
            description=definition["description"],
            params_json_schema=definition["parameters"],
            strict_json_schema=definition["strict"],
            on_invoke_tool=self._invoker(definition["name"]),
            needs_approval=self._checker(definition["name"]),
        )

    def _checker(self, tool: str) -> Any:
        async def needs_approval(_: object, arguments: Mapping[str, Any] | str, call_id: str) -> bool:
            return await self.bridge.wait(self.bridge.ask(call_id, tool, arguments)) is not None

        return needs_approval

    def _invoker(self, tool: str) -> Any:
        async def invoke(context: ToolContext, arguments: str) -> str:
            key = context.tool_call_id
            given = self._replies.pop(key, None) or _approval(self.bridge, key)
            return _text(await self.bridge.wait(self.bridge.advance(key, tool, arguments, given)))

        return invoke


class SutureEditor:
    """An editor for `ApplyPatchTool`. Pass `needs_approval` to the tool too, or set an approver on the session."""

    def __init__(self, session: Session | SyncSession | Bridge) -> None:
        self._bridge = session if isinstance(session, Bridge) else Bridge(session)
        self._bridge.session.tools("json", only=["apply_patch"])

    async def needs_approval(self, _: object, operation: ApplyPatchOperation, call_id: str) -> bool:  # noqa: ARG002
        """Whether a person has to be asked about an operation."""
        try:
            text = _envelope(operation)
        except SutureError:
            # The model gets the error when the operation is run.
            return False
        return await self._bridge.wait(self._bridge.ask(text, "apply_patch", text)) is not None

    async def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Add a file."""
        return await self._run(operation)

    async def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Change a file, and move it if the operation says so."""
        return await self._run(operation)

    async def delete_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Delete a file."""
        return await self._run(operation)

    async def _run(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        try:
            text = _envelope(operation)
        except SutureError as error:
            return ApplyPatchResult("failed", error.for_model())
        given = _approval(self._bridge, text)
        step = await self._bridge.wait(self._bridge.advance(text, "apply_patch", text, given))
        has_failed = isinstance(step, Question) or step.is_error
        return ApplyPatchResult("failed" if has_failed else "completed", _text(step))


def _envelope(operation: ApplyPatchOperation) -> str:
    """An operation as a patch.

    Raises:
        SutureError: it can't be read, or is more than one operation.
    """
    verb = {"create_file": "Add", "update_file": "Update", "delete_file": "Delete"}[operation.type]
    lines = ["*** Begin Patch", f"*** {verb} File: {operation.path}"]
    lines += [f"*** Move to: {operation.move_to}"] if operation.move_to else []
    lines += [operation.diff.rstrip("\n")] if operation.diff and verb != "Delete" else []
    text = "\n".join([*lines, "*** End Patch", ""])
    if len(parse(text).operations) != 1:
        message = f"This is more than one operation: {safe_text(operation.path)}."
        raise PatchRejectedError([Problem("invalid_arguments", message, hint="Send one operation for each file.")])
    return text


def _approval(bridge: Bridge, key: str) -> dict[str, Any] | None:
    """The SDK runs a call that has asked only if it was approved, so an open question means yes to all of it."""
    pending = bridge.open_questions().get(key)
    return None if pending is None else reply(Question(pending).to_data(), Answer.once())


def _text(step: Any) -> str:
    return step.refusal() if isinstance(step, Question) else str(step.output)
