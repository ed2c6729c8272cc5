"""One agent at work in a workspace: the tools that a model calls, with reads, permissions, events and diagnostics.

Every call takes the same steps: check the arguments, resolve the paths, plan the change, check that the files were
read, ask for permission, commit under the locks of the files, publish the events, get the diagnostics. A path that a
rule denies is refused before anything is read, so that no message shows its content. Calls are asynchronous because
they wait for people and for language servers; the core runs in a thread.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress

from ..core.display import encodable
from ..core.problems import PEER_NAMES, PartlyAppliedError, PatchRejectedError, SutureError
from ..diagnostics.report import NoDiagnoser
from ..events.bus import Bus
from ..events.event import DiagnosticsReceived
from ..format.envelope import parse
from ..permissions.partial_approval import approved_plan
from ..permissions.requests import Request, RequestedFile
from ..workspace.receipts import join_receipts
from .authorization import Permissions
from .diagnosis import diagnose, unchecked_notices
from .file_events import file_events
from .formatters import Formatters, format_files
from .partial_plan import plan_up_to_failure
from .queues import Queues, run_to_end
from .reads import Reads
from .result import Result, cap_output, change_result, count_files, error_result, follow_up
from .tools import check_arguments, definitions, parse_arguments, snake_case
from .view import view_beginning, view_file, view_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Literal, Self, TypeAlias

    from ..core.problems import Problem
    from ..diagnostics.report import Diagnoser
    from ..permissions.approvers import Approver
    from ..permissions.rules import Action, Rule, Rules
    from ..workspace.guard import ResolvedPath
    from ..workspace.outcome import Plan, Receipt
    from ..workspace.workspace import Workspace
    from .formatters import Formatter
    from .reads import Mode

    #: A plan, and the problems of the operations that it leaves out.
    PlanAndFailures: TypeAlias = tuple[Plan, Sequence[Problem]]

#: How each tool treats files that were not read, or have changed since.
READ_MODES: Mapping[str, Mode] = {
    "write": "require",
    "edit": "require",
    "multiedit": "require",
    "delete": "require",
    "move": "require",
    "apply_patch": "exact",
}
#: How long running calls may take to end when the session is closed, in seconds.
CLOSING = 5.0
#: Problems of an edit that an unread file explains: that the file was not read is reported first.
_PLACE_CODES = PEER_NAMES["ComputeReplacements"] - {"no_change"}


class Session:
    """One agent at work in a workspace.

    `rules` and `approver` decide what may be changed (docs/permissions.md): without rules every change needs an
    approval, and without an approver it is refused. `reads` sets the mode of read tracking for each tool. A session
    with the `id` of an earlier one knows what that one has read.
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
            message = f"expected reads to map {', '.join(READ_MODES)} to require, exact, warn or off; found {reads}"
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
        #: Why files could not be checked: each reason is reported once.
        self._reported_reasons: set[str] = set()
        self._queues = Queues()
        self._formatters = Formatters(formatters)

    # The tools.

    async def read(self, file_path: str, offset: int = 0, limit: int = 0) -> Result:
        """Show a file with numbered lines, or the names in a directory, and record the read."""
        # A directory may end with a slash, as it does in a listing.
        resolved = self.workspace.guard().resolve(file_path.rstrip("/") or file_path)
        async with self._queues.turn([resolved.path]):
            await self._may_read(resolved)
            return await asyncio.to_thread(self._read, resolved, offset, limit)

    async def write(self, file_path: str, content: str) -> Result:
        """Write a whole file."""
        return await self._change(
            "write", [file_path], lambda: (self.workspace.plan_write(file_path, content), ()), "File written."
        )

    async def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> Result:
        """Replace a text in a file."""

        def plan() -> PlanAndFailures:
            return self.workspace.plan_edit(file_path, old_string, new_string, replace_all=replace_all), ()

        return await self._change("edit", [file_path], plan, "Edit applied successfully.")

    async def multiedit(self, file_path: str, edits: Sequence[Any]) -> Result:
        """Replace several texts in a file, all or none."""
        return await self._change(
            "multiedit",
            [file_path],
            lambda: (self.workspace.plan_multiedit(file_path, edits), ()),
            "All edits applied successfully.",
        )

    async def apply_patch(
        self,
        patch_text: str,
        expected_sha256_by_path: Mapping[str, str] | None = None,
        atomic: bool = True,
        dry_run: bool = False,
    ) -> Result:
        """Apply a patch. With `dry_run` only report what it would do.

        Without `atomic` it is applied up to the first section that fails.
        """
        workspace = self.workspace
        parsed = parse(patch_text, workspace.dialect)

        def make_plan() -> PlanAndFailures:
            if atomic or dry_run:
                return workspace.plan(parsed, text=patch_text, expected_sha256=expected_sha256_by_path), ()
            return plan_up_to_failure(workspace, parsed, patch_text, expected_sha256_by_path)

        paths = [name for one in parsed.operations for name in (one.path, getattr(one, "move_to", None)) if name]
        if not dry_run:
            return await self._change("apply_patch", paths, make_plan, "", atomic=atomic)
        names = self._names(paths, strict=False)
        async with self._queues.turn(_locked(names)):
            await self._enter("apply_patch", names)
            plan, _ = await asyncio.to_thread(make_plan)
        if plan.problems:
            raise PatchRejectedError(plan.problems)
        return change_result("Nothing was changed. The patch would do this:", plan, (), (), {}, atomic=atomic)

    async def delete(self, file_path: str) -> Result:
        """Delete a file."""
        return await self._change(
            "delete", [file_path], lambda: (self.workspace.plan_delete(file_path), ()), "File deleted."
        )

    async def move(self, file_path: str, to_path: str) -> Result:
        """Move or rename a file."""
        return await self._change(
            "move", [file_path, to_path], lambda: (self.workspace.plan_move(file_path, to_path), ()), "File moved."
        )

    # For frameworks.

    def tools(self, style: str = "openai") -> list[dict[str, Any]]:
        """The definitions of all tools: for "openai", for "anthropic", or as plain JSON schemas ("json")."""
        return definitions(style)

    async def call(self, name: str, arguments: Mapping[str, Any] | str) -> Result:
        """Run a tool as a model calls it. A refusal or failure is an answer for the model, not an exception."""
        try:
            values = check_arguments(name, parse_arguments(arguments))
            method = getattr(self, name)
            result: Result = await method(**{snake_case(key): value for key, value in values.items()})
        except SutureError as error:
            return error_result(name, error)
        return result

    async def close(self) -> None:
        """End the session. The workspace stays open.

        Pending requests are refused and language servers are stopped. Running calls and queued events get a moment to
        finish.
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

    # The steps of a call.

    def _names(self, paths: Iterable[str], *, strict: bool = True) -> list[ResolvedPath]:
        """The resolved paths of a call. It joins their queues before it waits for anything.

        Raises:
            PatchRejectedError: one of them may not be touched. If not `strict`, the plan reports that.
        """
        found: list[ResolvedPath] = []
        for path in paths:
            try:
                found.append(self.workspace.guard().resolve(path))
                if not strict and found[-1].found is None and path[:2] in ("a/", "b/"):
                    # The plan may read this as the prefix of a diff.
                    found.append(self.workspace.guard().resolve(path[2:]))
            except PatchRejectedError:
                if strict:
                    raise
        return found

    async def _enter(self, tool: str, names: Iterable[ResolvedPath]) -> frozenset[str]:
        """Refuse denied paths and ask for outside directories before anything is read; gives the paths asked for."""
        files = [self._requested(resolved) for resolved in names]
        if not files:
            return frozenset()
        request = Request.for_files("edit", files, tool=tool, actor=self.actor)
        if self.permissions.verdict(request).action == "deny":
            await self.permissions.check(request)
        return await self._outside(request)

    async def _outside(self, request: Request, known: frozenset[str] = frozenset()) -> frozenset[str]:
        """Ask for the directories outside the first root that a request touches, except for known paths."""
        external = request.external()
        paths = frozenset() if external is None else frozenset(path for path, _ in external.names)
        if external is not None and paths - known:
            await self.permissions.check(external)
        return paths

    def _requested(self, resolved: ResolvedPath, kind: Literal["read", "list", "update"] = "update") -> RequestedFile:
        target = "" if resolved.path == resolved.name else self.workspace.guard().shown(resolved.path)
        return RequestedFile(resolved.shown, resolved.path, kind, target=target)

    async def _may_read(self, resolved: ResolvedPath) -> None:
        """Ask for a read, if a rule says so or the file is outside the first root. Other reads are free."""
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
        make_plan: Callable[[], PlanAndFailures],
        first: str,
        *,
        atomic: bool = True,
    ) -> Result:
        """Plan, check, ask, commit, report. Failures of what the plan leaves out are raised in the end."""
        names = self._names(paths, strict=tool != "apply_patch")
        async with self._queues.turn(_locked(names)):
            known = await self._enter(tool, names)
            plan, failures, notices = await asyncio.to_thread(self._prepare, tool, names, make_plan)
            request = Request.from_plan(plan, tool=tool, actor=self.actor)
            await self._outside(request, known)
            decision = await self.permissions.check(request)
            if not decision.is_whole:
                plan = approved_plan(plan, decision, self.workspace.encoding)
                first = "Applied in part."
            notices += filter(None, [decision.for_model()])
            if not plan.files:
                if failures:
                    raise PatchRejectedError(failures)
                return change_result("Nothing was changed.", plan, (), notices, {}, atomic=atomic)
            receipt = await self._commit(plan, tool)
            formatting = await format_files(self._formatters, plan, self.workspace, self._commit)
            plan, receipts = formatting.plan, (receipt, *formatting.receipts)
            reports = await diagnose(self.diagnoser, plan, self.diagnostics_timeout)
            for name, report in reports.items():
                self.bus.publish(DiagnosticsReceived(name, report))
        unchecked = unchecked_notices(reports, self._reported_reasons)
        self._reported_reasons |= unchecked.keys()
        notices += [*formatting.notices, *unchecked.values()]
        if failures:
            receipt = receipts[0] if len(receipts) == 1 else join_receipts(receipts)
            error = PartlyAppliedError(failures, receipt, [str(change) for change in plan.changes])
            for paragraph in follow_up(notices, reports):
                error.add_note(paragraph)
            raise error
        first = first or f"Patch applied successfully. {count_files(plan.changes)}:"
        return change_result(first, plan, receipts, notices, reports, atomic=atomic)

    def _prepare(
        self, tool: str, names: Sequence[ResolvedPath], make_plan: Callable[[], PlanAndFailures]
    ) -> tuple[Plan, Sequence[Problem], list[str]]:
        """The plan, the failures of what it leaves out, and notices on files that were not read."""
        plan, failures = make_plan()
        mode = self._modes[tool]
        if plan.problems:
            if mode == "require" and all(problem.code in _PLACE_CODES for problem in plan.problems):
                for resolved in names:
                    content = self.workspace.planner().look(resolved)
                    if content is not None:
                        self._reads.require(resolved.path, resolved.shown, content, self._view)
            raise PatchRejectedError(plan.problems)
        return plan, failures, self._reads.check(plan, mode, self._view)

    async def _commit(self, plan: Plan, tool: str) -> Receipt:
        """Commit a plan, record its contents as read and publish it. A cancellation waits until that is done."""

        def commit() -> Receipt:
            receipt = self.workspace.commit(plan, actor=self.actor or None, tool=tool)
            # The files are written; that the reads could not be recorded does not change that.
            with suppress(SutureError):
                self._remember(plan)
            return receipt

        async def commit_and_publish() -> Receipt:
            receipt = await asyncio.to_thread(commit)
            for event in file_events(receipt):
                self.bus.publish(event)
            return receipt

        return await run_to_end(commit_and_publish())

    def _remember(self, plan: Plan) -> None:
        """Record what the session has written as read."""
        for file in plan.files:
            content = file.content_after
            if content is None:
                self._reads.forget(file.path)
            else:
                self._reads.note(file.path, content)

    def _read(self, resolved: ResolvedPath, offset: int, limit: int) -> Result:
        content = self.workspace.planner().look(resolved)
        if content is None:
            text = view_folder(self.workspace.files, resolved.path, resolved.shown, offset, limit)
            return Result(resolved.shown, cap_output(text), {"folder": True})
        try:
            view = view_file(content, resolved.shown, self.workspace.encoding, offset, limit)
        except PatchRejectedError as refused:
            if refused.problems[0].code != "invalid_arguments":
                # That it is binary is all there is to know.
                self._reads.note(resolved.path, content)
            raise
        self._reads.note(resolved.path, content, f"{view.first}-{view.last}")
        metadata = {"first": view.first, "last": view.last, "of": view.of, "whole": view.is_whole}
        return Result(resolved.shown, encodable(view.text), metadata)

    def _view(self, content: bytes, shown: str) -> str:
        """The beginning of a file for an error message; empty where reading it needs a permission."""
        resolved = self.workspace.guard().resolve(shown)
        request = Request.for_files("read", [self._requested(resolved, "read")])
        if request.external() is not None or not self._is_free(request):
            return ""
        return view_beginning(content, shown, self.workspace.encoding)


def _locked(names: Iterable[ResolvedPath]) -> list[str]:
    return [path for resolved in names for path in (resolved.name, resolved.path)]
