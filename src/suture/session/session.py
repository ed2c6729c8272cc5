"""One agent at work in a workspace: tools that a model calls, with reads, permissions, events and diagnostics.

A call goes one way: its arguments are checked, its paths resolved and guarded, the files read and the change planned,
the read and the permission asserted, the plan committed under the files' locks, the events published, the diagnostics
asked for. What a rule denies is refused before anything is read, so that no explanation shows what is in it. It is
asynchronous because it waits for people and for language servers; the core runs in a thread.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from ..core.display import encodable
from ..core.problems import PEER_NAMES, PartlyAppliedError, PatchRejectedError, SutureError
from ..diagnostics.report import NoDiagnoser
from ..events.bus import Bus
from ..events.event import DiagnosticsReceived, FileChanged, FileEdited
from ..format.envelope import parse
from ..permissions.partial_approval import approved_plan
from ..permissions.requests import Request, RequestedFile
from ..workspace.receipts import joined
from .authorization import Permissions
from .diagnosis import diagnosed, unasked
from .formatters import Formatters, formatted
from .plan_files import after_formatting, plan_up_to_failure
from .queues import Queues, to_its_end
from .reads import Reads
from .result import Result, capped, counted, failed, found_out, told
from .tools import arguments_of, checked, definitions, snake_case
from .view import beginning, view_file, view_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Literal, Self

    from ..core.problems import Problem
    from ..diagnostics.report import Diagnoser
    from ..permissions.approvers import Approver
    from ..permissions.rules import Action, Rule, Rules
    from ..workspace.guard import Resolved
    from ..workspace.outcome import Plan, Receipt
    from ..workspace.workspace import Workspace
    from .formatters import Formatter
    from .reads import Mode

#: How careful each tool is about files that were not read, or have changed since.
READ_MODES: Mapping[str, Mode] = {
    "write": "require",
    "edit": "require",
    "multiedit": "require",
    "delete": "require",
    "move": "require",
    "apply_patch": "exact",
}
#: How long calls that are at work may take to end when the session is closed, in seconds.
CLOSING = 5.0
#: What is wrong with a place in a file. Who has not read the file is told so first: it is the reason.
_OF_PLACES = PEER_NAMES["ComputeReplacements"] - {"no_change"}
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
        #: The reasons why files were not checked that were told.
        self._unasked: set[str] = set()
        self._queues = Queues()
        self._formatters = Formatters(formatters)

    # The tools.

    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with its lines numbered, or the names in a folder; remember that it was read."""
        # A folder may be written with a slash behind it, as it is in a list.
        resolved = self.workspace.guard().resolve(file_path.rstrip("/") or file_path)
        async with self._queues.turn([resolved.path]):
            await self._may_read(resolved)
            return await asyncio.to_thread(self._read, resolved, offset, limit)

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self._change(
            "write", [file_path], lambda: self.workspace.plan_write(file_path, content), "File written."
        )

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""

        def plan() -> Plan:
            return self.workspace.plan_edit(file_path, old_string, new_string, replace_all=replace_all)

        return await self._change("edit", [file_path], plan, "Edit applied successfully.")

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return await self._change(
            "multiedit",
            [file_path],
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
        """Apply a patch; with `dry_run` only tell what it would do, to whomever may do it.

        Without `atomic` it is done up to the first section that fails.
        """
        workspace = self.workspace
        parsed = parse(patch_text, workspace.dialect)
        failing: list[Problem] = []

        def plan() -> Plan:
            if atomic or dry_run:
                return workspace.plan(parsed, text=patch_text, expected_sha256=expected_sha256_by_path)
            found, problems = plan_up_to_failure(workspace, parsed, patch_text, expected_sha256_by_path)
            failing.extend(problems)
            return found

        paths = [name for one in parsed.operations for name in (one.path, getattr(one, "move_to", None)) if name]
        if not dry_run:
            return await self._change("apply_patch", paths, plan, "", failing, atomic=atomic)
        names = self._names(paths, strict=False)
        async with self._queues.turn(_locked(names)):
            await self._enter("apply_patch", names)
            found = await asyncio.to_thread(plan)
        if found.problems:
            raise PatchRejectedError(found.problems)
        return told("Nothing was changed. The patch would do this:", found, (), (), {}, atomic=atomic)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return await self._change("delete", [file_path], lambda: self.workspace.plan_delete(file_path), "File deleted.")

    async def move(self, file_path: str, to_path: str) -> Result:
        """Give a file another name."""
        return await self._change(
            "move", [file_path, to_path], lambda: self.workspace.plan_move(file_path, to_path), "File moved."
        )

    # Tools as a framework plugs them in.

    def tools(self, style: str = "openai") -> list[dict[str, Any]]:
        """The definitions of all tools: for "openai", for "anthropic", or as plain JSON schemas ("json")."""
        return definitions(style)

    async def call(self, name: str, arguments: Mapping[str, Any] | str) -> Result:
        """Run a tool as a model calls it: what is refused or fails is an answer for the model, no exception."""
        try:
            values = checked(name, arguments_of(arguments))
            method = getattr(self, name)
            result: Result = await method(**{snake_case(key): value for key, value in values.items()})
        except SutureError as error:
            return failed(name, error)
        return result

    async def close(self) -> None:
        """End the session; the workspace stays.

        What waits for an answer is refused, language servers are stopped, calls that are at work and waiting events get
        a moment to come to their end.
        """
        self.permissions.close()
        await self.diagnoser.close()
        await self._queues.quiet(CLOSING)
        await self.bus.close(timeout=1.0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # How it is done.

    def _names(self, paths: Iterable[str], *, strict: bool = True) -> list[Resolved]:
        """Where the paths of a call lead: its place in their queues is taken before anything waits.

        Raises:
            PatchRejectedError: one of them may not be touched; where not `strict`, that is left to the plan.
        """
        found: list[Resolved] = []
        for path in paths:
            try:
                found.append(self.workspace.guard().resolve(path))
                if not strict and found[-1].found is None and path[:2] in ("a/", "b/"):
                    # The plan may take it for the prefix of a diff.
                    found.append(self.workspace.guard().resolve(path[2:]))
            except PatchRejectedError:
                if strict:
                    raise
        return found

    async def _enter(self, tool: str, names: Iterable[Resolved]) -> frozenset[str]:
        """Refuse what a rule denies, and ask for folders outside, before anything is looked at; what was asked for."""
        files = [self._requested(resolved) for resolved in names]
        if not files:
            return frozenset()
        request = Request.for_files("edit", files, tool=tool, actor=self.actor)
        if self.permissions.verdict(request).action == "deny":
            await self.permissions.check(request)
        return await self._outside(request)

    async def _outside(self, request: Request, known: frozenset[str] = frozenset()) -> frozenset[str]:
        """Ask for the folders outside of the workspace's first one that a request touches, but for known paths."""
        external = request.external()
        paths = frozenset() if external is None else frozenset(path for path, _ in external.names)
        if external is not None and paths - known:
            await self.permissions.check(external)
        return paths

    def _requested(self, resolved: Resolved, kind: Literal["read", "list", "update"] = "update") -> RequestedFile:
        target = "" if resolved.path == resolved.name else self.workspace.guard().shown(resolved.path)
        return RequestedFile(resolved.shown, resolved.path, kind, target=target)

    async def _may_read(self, resolved: Resolved) -> None:
        """Reading is free, unless a rule says otherwise or the file is in another folder than the workspace's first."""
        is_folder = resolved.found is not None and resolved.found.kind == "folder"
        file = self._requested(resolved, "list" if is_folder else "read")
        request = Request.for_files("read", [file], tool="read", actor=self.actor)
        await self._outside(request)
        if not self._is_free(request):
            await self.permissions.check(request)

    def _is_free(self, request: Request) -> bool:
        verdicts = self.permissions.rules.verdicts("read", request.names)
        return all(verdict.rule is None or verdict.action == "allow" for verdict in verdicts)

    async def _change(
        self,
        tool: str,
        paths: Sequence[str],
        make_plan: Callable[[], Plan],
        first: str,
        failing: Sequence[Problem] = (),
        *,
        atomic: bool = True,
    ) -> Result:
        """Plan, assert, ask, commit, tell. What is in `failing` after planning was not done, and is told in the end."""
        names = self._names(paths, strict=tool != "apply_patch")
        async with self._queues.turn(_locked(names)):
            known = await self._enter(tool, names)
            plan, notices = await asyncio.to_thread(self._prepare, tool, names, make_plan)
            request = Request.from_plan(plan, tool=tool, actor=self.actor)
            await self._outside(request, known)
            decision = await self.permissions.check(request)
            if not decision.is_whole:
                plan = approved_plan(plan, decision, self.workspace.encoding)
                first = "Applied in part."
            said = decision.for_model()
            notices += [said] if said else []
            if not plan.files:
                if failing:
                    raise PatchRejectedError(failing)
                return told("Nothing was changed.", plan, (), notices, {}, atomic=atomic)
            receipts = [await self._write(plan, tool)]
            plan = await self._format(plan, receipts, notices)
            reports = await diagnosed(self.diagnoser, plan, self.diagnostics_timeout)
            for name, report in reports.items():
                self.bus.publish(DiagnosticsReceived(name, report))
        notices += unasked(reports, self._unasked)
        if failing:
            receipt = receipts[0] if len(receipts) == 1 else joined(receipts)
            partly = PartlyAppliedError(failing, receipt, [str(change) for change in plan.changes])
            for line in found_out(notices, reports):
                partly.add_note(line)
            raise partly
        first = first or f"Patch applied successfully. {counted(plan.changes)}:"
        return told(first, plan, receipts, notices, reports, atomic=atomic)

    def _prepare(self, tool: str, names: Sequence[Resolved], make_plan: Callable[[], Plan]) -> tuple[Plan, list[str]]:
        """The plan, and what has to be said of files that were not read."""
        plan = make_plan()
        mode = self._modes[tool]
        if plan.problems:
            if mode == "require" and all(problem.code in _OF_PLACES for problem in plan.problems):
                for resolved in names:
                    content = self.workspace.planner().look(resolved)
                    if content is not None:
                        self._reads.require(resolved.path, resolved.shown, content, self._view)
            raise PatchRejectedError(plan.problems)
        return plan, self._reads.check(plan, mode, self._view)

    async def _write(self, plan: Plan, tool: str) -> Receipt:
        """Commit a plan, remember and publish it: once it is begun it is brought to its end."""

        def commit() -> Receipt:
            receipt = self.workspace.commit(plan, actor=self.actor or None, tool=tool)
            # It is done; that it could not be remembered is no reason to say that it is not.
            with suppress(SutureError):
                self._remember(plan)
            return receipt

        async def write() -> Receipt:
            receipt = await asyncio.to_thread(commit)
            self._publish(receipt)
            return receipt

        return await to_its_end(write())

    async def _format(self, plan: Plan, receipts: list[Receipt], notices: list[str]) -> Plan:
        """Let formatters have the files that were written; what they change is a commit of its own behind this one."""
        workspace = self.workspace
        for file in plan.files if self._formatters else ():
            formatter = self._formatters.find(file.shown)
            if formatter is None or file.after.kind != "file" or file.moved_from:
                continue
            content, wrong = await formatted(formatter, file.path, workspace.root, file.content, workspace.encoding)
            if content is not None:
                try:
                    # Who has written it meanwhile shall not lose that to what was made of the old text.
                    expected = {file.shown: file.after.sha256}
                    made = await asyncio.to_thread(workspace.plan_write, file.shown, content, expected_sha256=expected)
                    receipts.append(await self._write(made, "format"))
                except SutureError as error:
                    wrong = error.problems[0].message.rstrip(".")
                else:
                    plan = after_formatting(plan, file, made, workspace.encoding)
                    notices.append(f"{file.shown} was formatted by {formatter.command[0]}:\n{made.diff.rstrip()}")
            if wrong:
                notices.append(f"{file.shown} was not formatted: {wrong}.")
        return plan

    def _remember(self, plan: Plan) -> None:
        """What the session has written it knows."""
        for file in plan.files:
            content = file.content_after
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
                was_there = change.kind == "add" and change.sha256_before
                self.bus.publish(FileChanged(change.path, "change" if was_there else _KINDS[change.kind]))

    def _read(self, resolved: Resolved, offset: int, limit: int) -> Result:
        node = self.workspace.planner().look(resolved)
        if node is None:
            text = view_folder(self.workspace.files, resolved.path, resolved.shown, offset, limit)
            return Result(resolved.shown, capped(text), {"folder": True})
        try:
            view = view_file(node, resolved.shown, self.workspace.encoding, offset, limit)
        except PatchRejectedError as refused:
            if refused.problems[0].code != "invalid_arguments":
                # It is no text: to know that is all there is to know of it.
                self._reads.note(resolved.path, node)
            raise
        self._reads.note(resolved.path, node, f"{view.first}-{view.last}")
        metadata = {"first": view.first, "last": view.last, "of": view.of, "whole": view.is_whole}
        return Result(resolved.shown, encodable(view.text), metadata)

    def _view(self, content: bytes, shown: str) -> str:
        """The beginning of a file, for who has to be told what it has; nothing where that is not free."""
        resolved = self.workspace.guard().resolve(shown)
        request = Request.for_files("read", [self._requested(resolved, "read")])
        if request.external() is not None or not self._is_free(request):
            return ""
        return beginning(content, shown, self.workspace.encoding)


def _locked(names: Iterable[Resolved]) -> list[str]:
    return [path for resolved in names for path in (resolved.name, resolved.path)]
