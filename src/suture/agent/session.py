"""One agent at work in a workspace: the tools that a model calls, with reads, permissions, events and diagnostics.

A session holds what the calls of an agent share. `call` waits for the approver. `start` does not wait: it ends at a
question, as a `Pending`, and `resume` goes on with the answer. Calls are asynchronous because they wait for people and
for language servers; the core runs in a thread.
"""

from __future__ import annotations

import asyncio
import os
from inspect import signature

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..workspace.isolation import Isolation
from ..workspace.shell_commands import find_invocation
from .agent_limits import MOST_RESUMED
from .authorization import Permissions
from .bus import Bus
from .call import ToolCall
from .claims_check import Claims
from .commit_feed import CommitFeed
from .diagnostics.report import NoDiagnoser
from .diagnostics.text_check import isolated_diagnoser
from .formatters import Formatters
from .pending import Pending, Preview, PreviewEndError, UnansweredError
from .profiles import MERGED_TOOLS, READ_MODES, isolated_profile, narrow, profile_named
from .queues import Queues, paths_to_lock
from .read_access import ReadAccess
from .read_checks import ReadChecks
from .reads import Reads
from .result import Result, change_result, error_result
from .search_turns import SearchTurns
from .threads import LostExceptionError, in_thread
from .tool_arguments import check_arguments, parse_arguments
from .tool_methods import ToolMethods
from .tool_styles import definitions
from .tools import TOOLS, snake_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType
    from typing import Any, Literal, Self

    from ..core.dialect import Dialect
    from ..core.outcome import Plan, Receipt
    from ..core.readers import Reader
    from ..workspace.files.file_system import FileContent
    from ..workspace.workspace import Workspace
    from .answers import Answer
    from .approvers import Approver
    from .diagnostics.report import Diagnoser
    from .formatters import Formatter
    from .profiles import Profile
    from .read_checks import Mode
    from .requests import Request
    from .rules import Action, Rule, Rules

#: How long running calls may take to end when the session is closed, in seconds.
CLOSING = 5.0
#: What a model is told where an approval came too late.
_STALE = "It was approved, but what was approved has changed since, so the approval was not used."


class Session(ToolMethods):
    """One agent at work in a workspace.

    `rules` and `approver` decide what may be changed: without rules every change needs an approval, and without an
    approver it is refused. `profile` says which tools a model may call, and under which names. `reads` sets the mode of
    read tracking for each tool. With `empty_old="overwrite"`, an `edit` with an empty `oldString` writes the whole
    file, also one with content. A session with the `id` of an earlier one knows what that one has read.

    With `isolated`, the changes are kept beside the workspace, where only this session sees them, until `merge` brings
    them into it or `discard` forgets them. They outlive the process: a session with the same `id` has them again.

    With `claims`, a number of seconds, the session claims each file that it reads for so long, and keeps out of files
    that other sessions claim. `release` ends a claim.
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
        profile: str | Profile = "core",
        empty_old: Literal["create", "overwrite"] | None = None,
        whole_texts: bool = False,
        keep_always: bool = False,
        actor: str = "",
        isolated: bool = False,
        claims: float | None = None,
    ) -> None:
        if empty_old not in ("create", "overwrite", None):
            message = f"expected empty_old 'create' or 'overwrite'; found {empty_old!r}"
            raise ValueError(message)
        unknown = set(reads or {}) - set(READ_MODES)
        if unknown or set((reads or {}).values()) - {"require", "exact", "rebase", "warn", "off"}:
            modes = "require, exact, rebase, warn or off"
            message = f"expected reads to map {', '.join(READ_MODES)} to {modes}; found {reads}"
            raise ValueError(message)
        unmerged = [tool for tool, mode in (reads or {}).items() if mode == "rebase" and tool not in MERGED_TOOLS]
        if unmerged:
            message = f"expected the mode rebase only for {', '.join(MERGED_TOOLS)}; found {', '.join(unmerged)}"
            raise ValueError(message)
        check_outside = getattr(getattr(approver, "folder", None), "check_outside", None)
        if check_outside is not None and workspace.files.on_disk:
            check_outside(workspace.files.roots)
        self.id = id or os.urandom(8).hex()
        self.actor = actor
        #: The workspace that everybody sees. An isolated session works in one of its own until it merges.
        self.tree = workspace
        self.isolation = Isolation(workspace, self.id, actor) if isolated else None
        self.workspace = workspace if self.isolation is None else self.isolation.workspace
        self.claims = Claims(workspace, self.id, actor, None if isolated else claims)
        #: What publishes the commits of others.
        self._feed: asyncio.Task[None] | None = None
        self.bus = bus or Bus()
        self.permissions = Permissions(
            rules, approver, self.bus, approval_timeout, workspace.approvals if keep_always else None
        )
        self.diagnoser: Diagnoser = diagnoser or NoDiagnoser()
        if self.isolation is not None:
            self.diagnoser = isolated_diagnoser(self.diagnoser, self.isolation.texts)
        self.diagnostics_timeout = diagnostics_timeout
        #: Whether the metadata of results has the texts before and after.
        self.whole_texts = whole_texts
        self.profile = profile_named(profile)
        if isolated:
            self.profile = isolated_profile(self.profile)
        self.empty_old = empty_old or self.profile.empty_old
        self._own_modes = dict(reads or {})
        #: The tools that `call` accepts: ours by the names that models know, in lower case.
        self._accepted: dict[str, str] = {}
        self.modes: Mapping[str, Mode] = READ_MODES
        self._accept(self.profile)
        self.access = ReadAccess(self.workspace, self.permissions)
        self.reads = Reads(self.workspace, self.id)
        self.read_checks = ReadChecks(self.reads, workspace.encoding_of)
        #: Whether the model was told that its changes are isolated.
        self.is_isolation_told = False
        #: Why files could not be checked: each reason is reported once.
        self.reported_reasons: set[str] = set()
        self.queues = Queues()
        self.searches = SearchTurns()
        self.formatters = Formatters(formatters)
        #: The ids of the commits of this session that can be undone, oldest first.
        self.commits: dict[str, None] = {}
        #: Who reads the answers, if it is not a model that knows the names of the profile.
        self.reader: Reader | None = None
        #: The ids of requests that were answered here, oldest first, so that no answer counts twice.
        self._resumed: dict[str, None] = {}

    async def _run_tool(self, tool: str, *arguments: object) -> Result:
        """Run a tool with arguments in the order of its parameters."""
        return await self._run(ToolCall(self, tool), *arguments)

    async def read_raw(self, file_path: str) -> FileContent:
        """The content of a file for the host, within the rules. It counts as a read by the model.

        Raises:
            SutureError: it can't be read, or may not be.
        """
        return await ToolCall(self, "read").read_raw(file_path)

    async def apply_command(
        self, argv: Sequence[str], cwd: str = ".", *, dialect: str | Dialect = "codex"
    ) -> Result | None:
        """Apply the patch of a shell command that does nothing but call `apply_patch`; None for any other command.

        For a host that runs commands: ask here first. The command is not run. As with `call`, a refusal or failure is
        an answer for the model. A relative `cwd` is relative to the workspace.
        """
        try:
            invocation = find_invocation(argv, cwd, self.access.before_asking, dialect=dialect)
            return None if invocation is None else await self.apply_patch(invocation)
        except SutureError as error:
            return error_result("apply_patch", error)

    def lock(self, *paths: str) -> AbstractAsyncContextManager[None]:
        """A context in which no other call of this session reads or changes these files, in the order of arrival.

        Inside, a tool of the session called on one of them is refused (`locked`). `Workspace.lock` is the lock against
        other threads and processes.

        Raises:
            PatchRejectedError: a path may not be touched or read.
        """
        return self.queues.turn(paths_to_lock([self.access.guard.resolve(path) for path in paths]))

    # For frameworks.

    def tools(
        self,
        style: str = "openai",
        *,
        only: Iterable[str] | None = None,
        names: Mapping[str, str] | None = None,
        profile: str | Profile | None = None,
        hidden: bool = False,
    ) -> list[dict[str, Any]]:
        """The definitions of the tools for a model's API.

        The styles are "openai" (Chat Completions), "openai-responses", "openai-freeform" (Responses, with a grammar for
        patches), "anthropic", "gemini", "mcp", and "json" for plain JSON schemas. `only` chooses tools, `names` renames
        them, `profile` is another one than the session's. The session then accepts calls of these tools too. `hidden`
        adds the arguments that only programs need.

        Raises:
            ValueError: there is no such style, profile or tool.
        """
        chosen = self.profile if profile is None else profile_named(profile)
        if self.isolation is not None:
            chosen = isolated_profile(chosen)
        chosen = narrow(chosen, None if only is None else tuple(only), names or {})
        tools = definitions(chosen, style, hidden=hidden)
        self._accept(chosen)
        return tools

    @property
    def foreign_undo_mode(self) -> Mode:
        """How strictly `undo` demands reads for a commit that this session did not make."""
        return self._own_modes.get("undo", "require")

    def _accept(self, profile: Profile) -> None:
        """Accept calls of the tools of a profile, and treat reads as it says."""
        self._accepted |= {name.lower(): tool for tool, name in profile.tools.items()}
        self.modes = {**self.modes, **profile.reads, **self._own_modes}

    def _arguments(self, tool: str, arguments: Mapping[str, Any] | str) -> tuple[str, dict[str, Any]]:
        """Our name of the tool that a model calls, and its arguments by their names.

        Raises:
            PatchRejectedError: there is no such tool, or the arguments are wrong.
        """
        name = self._accepted.get(tool.lower())
        if name is None:
            hint = f"The tools are {', '.join(self.profile.tools.values())}."
            raise PatchRejectedError([Problem("invalid_arguments", f"There is no tool {safe_text(tool)}.", hint=hint)])
        parsed = parse_arguments(name, arguments)
        return name, check_arguments(name, parsed, in_snake_case=self.profile.snake_case)

    async def call(self, name: str, arguments: Mapping[str, Any] | str) -> Result:
        """Run a tool as a model calls it. A refusal or failure is an answer for the model, not an exception."""
        call: ToolCall | None = None
        try:
            call = ToolCall(self, *self._arguments(name, arguments))
            return await self._run(call)
        except SutureError as error:
            return error_result(name, error, None if call is None else call.arguments)

    # Calls that don't wait for an answer.

    async def preview(self, tool: str, arguments: Mapping[str, Any] | str) -> Preview:
        """What `start` would do with a call. It writes nothing, asks nobody, and records no read."""
        call: ToolCall | None = None
        try:
            call = ToolCall(self, *self._arguments(tool, arguments), waits=False, preview=True)
            await self._run(call)
        except UnansweredError as end:
            result = _would("Nothing was changed. This needs an approval:", end.plan, end.request)
            return Preview("ask", result, end.request, end.fingerprint)
        except PreviewEndError as end:
            return Preview("allow", _would("Nothing was changed. The call would do this:", end.plan, end.request))
        except SutureError as error:
            denied = any(p.code == "rejected" and p.reason == "rule" for p in error.problems)
            return Preview(
                "deny" if denied else "fail", error_result(tool, error, None if call is None else call.arguments)
            )
        raise AssertionError("BUG: a preview ran to its end")

    async def start(self, tool: str, arguments: Mapping[str, Any] | str) -> Result | Pending:
        """Run a tool up to its end, or to the first question: then nothing was written, and the rest waits.

        The approver of the session is not asked. As with `call`, a refusal is an answer for the model.
        """
        try:
            call = ToolCall(self, *self._arguments(tool, arguments), waits=False)
        except SutureError as error:
            return error_result(tool, error)
        return await self._advance(call)

    async def resume(self, pending: Pending, answer: Answer) -> Result | Pending:
        """Go on with a call that waits, also one that another process has started.

        The answer holds only for exactly what was asked. If a file has changed since, the call is planned again, and
        either fails or ends as a new `Pending`.

        Raises:
            ValueError: it does not answer this request.
        """
        answer.check(pending.request)
        request = pending.request
        if request.id in self._resumed:
            return error_result(pending.tool, PatchRejectedError([_already_resumed(request)]), pending.arguments)
        self._resumed[request.id] = None
        if len(self._resumed) > MOST_RESUMED:
            del self._resumed[next(iter(self._resumed))]
        try:
            # A rejection needs no further look at the files.
            if answer.kind in ("reject", "unreachable"):
                self.permissions.settle(request, answer)
            self.reads.adopt(pending.reads)
            if pending.tool not in TOOLS:
                message = f"There is no tool {safe_text(pending.tool)}."
                raise PatchRejectedError([Problem("invalid_arguments", message)])  # noqa: TRY301 - as any other refusal
            values = check_arguments(pending.tool, pending.arguments)
            call = ToolCall(self, pending.tool, values, waits=False, pending=pending, answer=answer)
            return await self._advance(call)
        except SutureError as error:
            return error_result(pending.tool, error, pending.arguments)
        except BaseException:
            # It was cancelled, so the question is still open.
            self._resumed.pop(request.id, None)
            raise

    async def _advance(self, call: ToolCall) -> Result | Pending:
        """Run a call up to its end or to its next question."""
        before = call.pending
        outcome: Result | Pending
        try:
            outcome = await self._run(call)
        except UnansweredError as end:
            answers = call.answers if call.is_answered or before is None else before.answers
            replaces = "" if before is None or call.is_answered else before.request.id
            more = (answers, end.reads, end.notices, replaces)
            outcome = Pending(call.tool, call.arguments, end.request, end.fingerprint, *more)
        except SutureError as error:
            if before is not None and not call.is_answered:
                error.add_note(_STALE)
            outcome = error_result(call.tool, error, call.arguments)
        if before is not None and not call.is_answered:
            self.permissions.withdraw(before.request, "stale")
        if isinstance(outcome, Pending):
            self.permissions.announce(outcome.request)
        return outcome

    def isolation_notices(self) -> list[str]:
        """What a model is told after its first change in isolation."""
        if self.is_isolation_told:
            return []
        self.is_isolation_told = True
        merge = self.profile.tools["merge"]
        return [f"This change is isolated: nobody else sees it before {merge} brings it into the workspace."]

    def note_commit(self, receipt: Receipt) -> None:
        """Remember a commit of this session, so that it can be undone."""
        if receipt.undoes:
            self.commits.pop(receipt.undoes, None)
        else:
            self.commits[receipt.id] = None

    async def _run(self, call: ToolCall, *arguments: object) -> Result:
        """Run a tool with these arguments, or with those of the call. Messages use the names that the model knows."""
        named = {} if arguments else {snake_case(key): value for key, value in call.arguments.items()}
        tool = getattr(call, call.tool)
        bound = signature(tool).bind(*arguments, **named)
        bound.apply_defaults()
        call.sent = bound.arguments
        self._follow_others()
        try:
            result: Result = await tool(*arguments, **named)
        except SutureError as error:
            error.told_to(call.reader)
            raise
        except (OSError, LostExceptionError) as error:
            raise call.failure(error).told_to(call.reader) from error
        return result

    def release(self, *paths: str) -> None:
        """Finish with files: they are no longer claimed, until the session reads them again.

        Raises:
            PatchRejectedError: a path may not be touched.
        """
        self.claims.release([self.workspace.guard().resolve(path).path for path in paths])

    def _follow_others(self) -> None:
        """Publish what others commit from now on, if anybody listens."""
        if self._feed is None and self.bus.is_heard:
            # Before anything is awaited, so that two calls at the same time start one.
            self._feed = asyncio.ensure_future(CommitFeed(self.tree, self.id).run(self.bus.publish))

    async def close(self) -> None:
        """End the session. The workspace stays open.

        Pending requests are refused and language servers are stopped. Running calls and queued events get a moment to
        finish.
        """
        self.permissions.close()
        self.claims.close()
        if self._feed is not None:
            self._feed.cancel()
        await self.diagnoser.close()
        await self.queues.quiet(CLOSING)
        await self.bus.close(timeout=1.0)
        if self.isolation is not None:
            await in_thread(self.isolation.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _would(first: str, plan: Plan | None, request: Request | None) -> Result:
    """What a preview tells: the planned changes, or what the permission is for."""
    if plan is not None:
        return change_result(first, plan, (), (), {})
    return Result("" if request is None else request.subject, first)


def _already_resumed(request: Request) -> Problem:
    message = f"The request {request.id} was already answered, and its call has ended."
    details = {"reason": "answered", "request": request.id}
    return Problem("rejected", message, details=details, hint="Send the call again if it is still needed.")
