"""One agent at work in a workspace: tools that a model calls, with reads, permissions, events and diagnostics.

A call goes one way: its arguments are checked, its paths resolved and guarded, the files read and the change planned,
the read and the permission asserted, the plan committed under the files' locks, the events published, the diagnostics
asked for. It is asynchronous because it waits for people and for language servers; the core runs in a thread.
"""

from __future__ import annotations

import asyncio
import os

from ..patch import DeleteFile, UpdateFile
from ..problems import PatchRejected, Problem, SutureError
from ..workspace.plans import parsed_patch
from ..workspace.receipts import joined
from .arguments import checked, definitions
from .diagnostics.report import Edited, NoDiagnoser, check_all
from .events import Bus, DiagnosticsReceived, FileChanged, FileEdited
from .formatters import Formatters, formatted
from .partial import approved_plan
from .permissions import Permissions
from .queues import Queues
from .reads import Reads
from .requests import Request
from .result import Result, capped, failed, told
from .viewing import view_file, view_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Literal, Self

    from ..patch import Operation
    from ..workspace.guard import Resolved
    from ..workspace.outcome import Plan, PlannedFile, Receipt
    from ..workspace.workspace import Workspace
    from .approvers import Approver
    from .diagnostics.report import Diagnoser, Report
    from .formatters import Formatter
    from .reads import Mode
    from .rules import Action, Rule, Rules

#: How careful each tool is about files that were not read, or have changed since.
READ_MODES: Mapping[str, Mode] = {
    "write": "require",
    "edit": "require",
    "multiedit": "require",
    "delete": "require",
    "move": "require",
    "apply_patch": "exact",
}
_KINDS: Mapping[str, Literal["add", "change", "unlink"]] = {"add": "add", "update": "change", "delete": "unlink"}


class Session:
    """One agent at work in a workspace.

    `rules` and `approver` decide what may be changed (docs/permissions.md): without rules everything is asked for, and
    without an approver what is asked for is refused. `reads` sets the mode of read tracking for each tool. A session of
    the same `id` goes on where the last one ended.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        id: str | None = None,  # noqa: A002 - the word for it
        rules: Rules | Iterable[Rule | tuple[str, str, Action]] = (),
        approver: Approver | None = None,
        approval_timeout: float | None = None,
        bus: Bus | None = None,
        diagnoser: Diagnoser | None = None,
        diagnostics_timeout: float = 5.0,
        formatters: Iterable[Formatter] = (),
        reads: Mapping[str, Mode] | None = None,
        actor: str = "",
    ) -> None:
        unknown = set(reads or {}) - set(READ_MODES)
        if unknown or set((reads or {}).values()) - {"require", "exact", "warn", "off"}:
            message = (
                f"reads wants a mode (require, exact, warn, off) for any of {', '.join(READ_MODES)}; found {reads}"
            )
            raise ValueError(message)
        self.workspace = workspace
        self.id = id or os.urandom(8).hex()
        self.actor = actor
        self.bus = bus or Bus()
        self.permissions = Permissions(rules, approver, self.bus, approval_timeout)
        self.diagnoser: Diagnoser = diagnoser or NoDiagnoser()
        self.diagnostics_timeout = diagnostics_timeout
        self._modes = {**READ_MODES, **(reads or {})}
        self._reads = Reads(workspace, self.id)
        self._queues = Queues()
        self._formatters = Formatters(formatters)

    # The tools.

    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with its lines numbered, or the names in a folder; remember that it was read."""
        resolved = self.workspace.guard().resolve(file_path)
        async with self._queues.turn([resolved.path]):
            return await asyncio.to_thread(self._read, resolved, offset, limit)

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self._change(
            "write", self._names(file_path), lambda: self.workspace.plan_write(file_path, content), "File written."
        )

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""

        def plan() -> Plan:
            return self.workspace.plan_edit(file_path, old_string, new_string, replace_all=replace_all)

        return await self._change("edit", self._names(file_path), plan, "Edit applied successfully.")

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return await self._change(
            "multiedit",
            self._names(file_path),
            lambda: self.workspace.plan_multiedit(file_path, edits),
            "All edits applied successfully.",
        )

    async def apply_patch(
        self,
        patch_text: str,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch; with `dry_run` only tell what it would do."""
        workspace = self.workspace
        parsed, _ = parsed_patch(patch_text, workspace.dialect)
        names = workspace.planner(workspace.dialect).paths(parsed.operations)

        def plan() -> Plan:
            return workspace.plan(patch_text, expected_sha256=expected_sha256_by_path)

        if dry_run:
            async with self._queues.turn(names):
                found = await asyncio.to_thread(plan)
            if found.problems:
                raise PatchRejected(found.problems)
            return told("Nothing was changed. The patch would do this:", found, None, (), {}, atomic=atomic)
        one_by_one = None
        if not atomic:

            def one_by_one() -> Receipt:
                expected = expected_sha256_by_path
                return workspace.apply(patch_text, expected_sha256=expected, atomic=False, actor=self.actor)

        return await self._change("apply_patch", names, plan, "Patch applied successfully.", one_by_one)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        plan = self._operation(DeleteFile(file_path), "delete")
        return await self._change("delete", self._names(file_path), plan, "File deleted.")

    async def move(self, file_path: str, to_path: str) -> Result:
        """Give a file another name."""
        plan = self._operation(UpdateFile(file_path, (), to_path), "move")
        return await self._change("move", self._names(file_path, to_path), plan, "File moved.")

    # Tools as a framework plugs them in.

    def tools(self, style: str = "openai") -> list[dict[str, Any]]:
        """The definitions of all tools: for "openai", for "anthropic", or as plain JSON schemas ("json")."""
        return definitions(style)

    async def call(self, name: str, arguments: Mapping[str, Any] | str) -> Result:
        """Run a tool as a model calls it: what is refused or fails is an answer for the model, no exception."""
        try:
            given = _read_arguments(arguments)
            values = checked(name, given)
            method = getattr(self, name)
            result: Result = await method(**{_PARAMETERS.get(key, key): value for key, value in values.items()})
        except SutureError as error:
            return failed(name, error)
        return result

    async def close(self) -> None:
        """End the session: language servers are stopped, waiting events delivered for a moment. The workspace stays."""
        await self.diagnoser.close()
        await self.bus.close(timeout=1.0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # How it is done.

    def _names(self, *paths: str) -> list[str]:
        """The names that a call is at: its place in their queues is taken before anything waits."""
        found: list[str] = []
        for path in paths:
            resolved = self.workspace.guard().resolve(path)
            found += (resolved.name, resolved.path)
        return found

    def _operation(self, operation: Operation, tool: str) -> Callable[[], Plan]:
        def plan() -> Plan:
            planner = self.workspace.planner(self.workspace.dialect)
            planner.operations([operation])
            return planner.plan(str(operation), tool)

        return plan

    async def _change(
        self,
        tool: str,
        names: Sequence[str],
        make_plan: Callable[[], Plan],
        first: str,
        one_by_one: Callable[[], Receipt] | None = None,
    ) -> Result:
        """Plan, assert, ask, commit, tell."""
        async with self._queues.turn(names):
            plan = await asyncio.to_thread(make_plan)
            if plan.problems and (one_by_one is None or not plan.changes):
                raise PatchRejected(plan.problems)
            notices = await asyncio.to_thread(self._reads.check, plan, self._modes[tool], self._view)
            request = Request.from_plan(plan, tool=tool, actor=self.actor)
            external = request.external()
            if external is not None:
                await self.permissions.check(external)
            decision = await self.permissions.check(request)
            if not decision.is_whole:
                plan = approved_plan(plan, decision)
            said = decision.for_model()
            notices += [said] if said else []
            if not plan.files and one_by_one is None:
                return Result(tool, capped("\n".join(["Nothing was changed.", *notices])))
            commit = one_by_one if one_by_one is not None and decision.is_whole else lambda: self._commit(plan, tool)
            receipt = await asyncio.to_thread(commit)
            plan, receipt, more = await self._format(plan, receipt)
            notices += more
            await asyncio.to_thread(self._remember, plan)
            self._publish(receipt)
            reports = await self._diagnose(plan)
        return told(first, plan, receipt, notices, reports, atomic=one_by_one is None)

    def _commit(self, plan: Plan, tool: str) -> Receipt:
        return self.workspace.commit(plan, actor=self.actor, tool=tool)

    async def _format(self, plan: Plan, receipt: Receipt) -> tuple[Plan, Receipt, list[str]]:
        """Let formatters have the files that were written; what they change is a commit of its own behind this one."""
        notices: list[str] = []
        for file in plan.files if self._formatters else ():
            formatter = self._formatters.find(file.shown)
            if formatter is None or file.after.kind != "file" or file.moved_from:
                continue
            content, wrong = await formatted(formatter, file.path, self.workspace.root, file.content)
            if wrong:
                notices.append(f"{file.shown} was not formatted: {wrong}.")
            if content is None:
                continue
            made = await asyncio.to_thread(self.workspace.plan_write, file.path, content)
            if made.problems:
                notices.append(f"{file.shown} was not formatted: {made.problems[0].message}")
                continue
            receipt = joined([receipt, await asyncio.to_thread(self._commit, made, "format")])
            files = [
                one.replace(content=content, after=made.files[0].after) if one is file else one for one in plan.files
            ]
            plan = plan.replace(files=tuple(files))
            notices.append(f"{file.shown} was formatted by {formatter.command[0]}:\n{made.diff.rstrip()}")
        return plan, receipt, notices

    def _remember(self, plan: Plan) -> None:
        """What the session has written it knows."""
        for file in plan.files:
            content = _after(file)
            if content is None:
                self._reads.forget(file.path)
            else:
                self._reads.note(file.path, content)

    def _publish(self, receipt: Receipt) -> None:
        for change in receipt.changes:
            if change.kind == "move":
                self.bus.publish(FileChanged(change.path, "unlink"))
                self.bus.publish(FileEdited(change.move_to, receipt.id))
                self.bus.publish(FileChanged(change.move_to, "add"))
            else:
                self.bus.publish(FileEdited(change.path, receipt.id))
                self.bus.publish(FileChanged(change.path, _KINDS[change.kind]))

    async def _diagnose(self, plan: Plan) -> dict[str, Report]:
        """What the language servers say of the files that were written, by their names."""
        if isinstance(self.diagnoser, NoDiagnoser):
            return {}
        edited: dict[str, Edited] = {}
        for file in plan.files:
            content = _after(file)
            if content is None or file.moved_from:
                continue
            try:
                before = content.decode("utf-8") if file.before.kind != "file" else (file.was or b"").decode("utf-8")
                after = content.decode("utf-8")
            except UnicodeDecodeError:
                continue
            edited[file.shown] = Edited(file.path, before if file.before.kind == "file" else None, after)
        if not edited:
            return {}
        reports = await check_all(self.diagnoser, list(edited.values()), timeout=self.diagnostics_timeout)
        found = dict(zip(edited, reports, strict=True))
        for name, report in found.items():
            self.bus.publish(DiagnosticsReceived(name, report))
        return found

    def _read(self, resolved: Resolved, offset: int, limit: int) -> Result:
        node = self.workspace.planner(self.workspace.dialect).look(resolved)
        if node is None:
            text = view_folder(self.workspace.files, resolved.path, resolved.shown)
            return Result(resolved.shown, capped(text), {"folder": True})
        view = view_file(node, resolved.shown, self.workspace.encoding, offset, limit)
        self._reads.note(resolved.path, node, f"{view.first}-{view.last}")
        metadata = {"first": view.first, "last": view.last, "of": view.of, "whole": view.is_whole}
        return Result(resolved.shown, view.text, metadata)

    def _view(self, content: bytes, shown: str) -> str:
        return view_file(content, shown, self.workspace.encoding, 1, 200).text[:3000]


#: What the methods call the arguments of the tools.
_PARAMETERS = {
    "filePath": "file_path",
    "toPath": "to_path",
    "oldString": "old_string",
    "newString": "new_string",
    "replaceAll": "replace_all",
    "patchText": "patch_text",
    "expectedSha256ByPath": "expected_sha256_by_path",
    "dryRun": "dry_run",
}


def _after(file: PlannedFile) -> bytes | None:
    """What a file holds now; None where there is none."""
    if file.after.kind != "file":
        return None
    return file.was if file.moved_from else file.content


def _read_arguments(arguments: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """The arguments of a call, which some frameworks hand on as JSON."""
    if not isinstance(arguments, str):
        return arguments
    from json import loads

    try:
        found = loads(arguments)
    except ValueError as error:
        message = f"The arguments are no JSON: {error}."
        raise PatchRejected([Problem("invalid_arguments", message, hint="Send an object.")]) from None
    if not isinstance(found, dict):
        raise PatchRejected([Problem("invalid_arguments", "The arguments are no object.", hint="Send an object.")])
    return found
