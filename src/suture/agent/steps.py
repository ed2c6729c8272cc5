"""The steps of a call.

Every call takes the same steps: resolve the paths, plan the change, check that the files were read, ask for permission,
commit under the locks of the files, publish the events, get the diagnostics. A path that may not be read is refused
before anything is looked up, so that no answer shows anything of it.

A call that may not wait for an answer ends with `UnansweredError` where it would ask. It is then run again with the
answer: the answer counts only if everything that it was about is the same as before.
"""

from __future__ import annotations

from contextlib import suppress
from time import time

from ..core.outcome import Change
from ..core.problems import PartlyAppliedError, PatchRejectedError, SutureError
from ..core.system_errors import system_failure
from ..words.file_problems import stale_file
from ..workspace.receipts import join_receipts, session_of_commits
from ..workspace.refused_edits import keep_refused
from ..workspace.workspace_limits import MOST_PLANS
from .answers import Decision
from .applied_calls import call_digest
from .diagnosis import diagnose, unchecked_notices
from .edited_texts import approved_part, describe_edits, edited_texts, forget_untold
from .event import DiagnosticsReceived, FileChanged, file_events
from .formatters import Formatters, format_files
from .pending import PreviewEndError, UnansweredError, fingerprint_of
from .queues import paths_to_lock, run_to_end
from .requests import Request, read_reason
from .result import change_result, count_files, follow_up
from .stale_calls import PLACE_CODES, UNREAD_MODES, RacedError, contents_of, merge_call
from .threads import LostExceptionError, in_thread
from .tools import REASON, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal, TypeAlias

    from ..core.outcome import Plan, Receipt
    from ..core.problems import Problem
    from ..workspace.guard import ResolvedPath
    from .answers import Answer
    from .diagnostics.report import Report
    from .edited_texts import EditedText
    from .pending import Pending
    from .read_checks import Mode
    from .result import Result
    from .session import Session
    from .stale_calls import MergedCall

    #: A plan, and the problems of the operations that it leaves out.
    PlanAndFailures: TypeAlias = tuple[Plan, Sequence[Problem]]


class CallSteps:
    """One call of a tool, without the tools themselves.

    With `waits`, the approver of the session is asked and the call waits for the answer. Otherwise it only has the
    answers of `pending` and `answer`. A `preview` changes nothing and records nothing.
    """

    def __init__(
        self,
        session: Session,
        tool: str = "",
        arguments: Mapping[str, object] | None = None,
        *,
        waits: bool = True,
        preview: bool = False,
        pending: Pending | None = None,
        answer: Answer | None = None,
    ) -> None:
        self.session = session
        #: The workspace that is changed: that of the session, or for a merge the one that everybody sees.
        self.workspace = session.workspace
        #: The workspace for reading and planning: what may not be read is refused. See `enter` and `may_read`.
        self.access = session.access
        self.visible = self.access.before_asking
        self.tool = tool
        #: Who reads the answer.
        self.reader = session.profile.reader_of(tool, session.reader)
        #: How strictly reads are demanded.
        self.mode: Mode = session.modes.get(tool, "off")
        own_arguments = dict(arguments or {})
        #: Why the model makes the call, for whoever is asked. No approval depends on it.
        stated = read_reason(str(own_arguments.pop(REASON.name, "")))
        self.reason = stated if pending is None else pending.request.reason
        self.arguments: Mapping[str, object] = own_arguments
        self.waits = waits
        self.preview = preview
        self.pending = pending
        self.answers: dict[str, Answer] = {}
        if pending is not None and answer is not None:
            self.answers = {**pending.answers, pending.fingerprint: answer}
        #: Whether the answer to the pending request was used.
        self.is_answered = False
        #: What was sent, by the names of the tool's parameters.
        self.sent: Mapping[str, object] = {}
        #: What identifies the call by what was sent, and whether a line number alone names its place.
        self.digest, self.is_by_number = "", False
        #: What became of the call where a file had changed since it was read.
        self.merged: MergedCall | None = None
        self.find_merge: Callable[..., MergedCall | None] = merge_call
        #: Whether the call is planned again if a file changes between the plan and the commit.
        self.plans_again = self.mode == "rebase"
        #: The commits of the call so far.
        self.receipts: list[Receipt] = []

    def failure(self, error: OSError | LostExceptionError) -> SutureError:
        """An error of the system, or a bug, that ended the call, as an exception that tells the state of the disk."""
        refused = error.problem() if isinstance(error, LostExceptionError) else system_failure(error)
        if not self.receipts:
            return refused
        receipt = self.receipts[0] if len(self.receipts) == 1 else join_receipts(self.receipts)
        return PartlyAppliedError(refused.problems, receipt, [str(change) for change in receipt.changes])

    def names(self, paths: Iterable[str], *, strict: bool = True) -> list[ResolvedPath]:
        """The resolved paths of a call. It joins their queues before it waits for anything.

        Raises:
            PatchRejectedError: some of them may not be read; or, if `strict`, one may not be touched. If not `strict`,
                the plan reports that.
        """
        guard = self.access.guard
        resolved: list[ResolvedPath] = []
        denied: list[Problem] = []
        for path in paths:
            try:
                resolved.append(guard.resolve(path))
                if not strict and resolved[-1].found is None and path[:2] in ("a/", "b/"):
                    # The plan may read this as the prefix of a diff.
                    resolved.append(guard.resolve(path[2:]))
            except PatchRejectedError as refused:
                denied += [problem for problem in refused.problems if strict or problem.code == "rejected"]
        if denied:
            raise PatchRejectedError(denied)
        return resolved

    async def enter(self, names: Sequence[ResolvedPath]) -> frozenset[str]:
        """Refuse denied paths, and ask for outside directories and for reading, before anything is read.

        Gives the outside paths that were asked for.
        """
        await self.load_kept()
        files = [self.requested(resolved) for resolved in names]
        known: frozenset[str] = frozenset()
        if files:
            request = Request.for_files("edit", files, tool=self.tool, actor=self.session.actor)
            self.session.permissions.check_denial(request)
            known = await self.outside(request)
        await self.grant(names, [file.replace(kind="read") for file in files])
        return known

    async def load_kept(self) -> None:
        """Read the answers that the workspace keeps. A call that has a turn waits for it first, to keep its place."""
        if self.session.permissions.keeps:
            await in_thread(self.session.permissions.load_kept)

    async def grant(self, names: Sequence[ResolvedPath], files: Sequence[Change]) -> None:
        """Ask to read files, where the rules say so. From here on the call sees them, and what is free."""
        request = self.access.request(files, self.tool, self.session.actor)
        if request is not None:
            await self.check(request)
        self.visible = self.access.after_asking(frozenset(paths_to_lock(names)))

    async def check(self, request: Request, plan: Plan | None = None) -> Decision:
        """The decision on a request: of the rules, of the approver, or of the answer that this call was given.

        Raises:
            PatchRejectedError: it is denied or rejected.
            UnansweredError: an answer is needed, and there is none for exactly this.
        """
        permissions, pending = self.session.permissions, self.pending
        rule = permissions.verdict(request).rule
        request = request.replace(
            session=self.session.id,
            workspace=self.workspace.root,
            time=time(),
            rule="" if rule is None else str(rule),
            reason=self.reason,
        )
        if self.is_isolated and request.permission == "edit":
            # Nothing of the user's files changes before the merge, and that asks for all of it.
            permissions.check_denial(request)
            return Decision(request)
        if self.waits:
            return await permissions.check(request)
        permissions.check_denial(request)
        fingerprint = self.fingerprint(request, plan)
        answer = self.answers.get(fingerprint)
        # Somebody was asked about this permission: whatever the rules say by now, another content is not approved.
        was_asked = pending is not None and pending.request.permission == request.permission
        if answer is None:
            if was_asked or permissions.verdict(request).action == "ask":
                raise UnansweredError(request, fingerprint, plan)
            return Decision(request)
        if pending is not None and fingerprint == pending.fingerprint:
            self.is_answered = True
            return permissions.settle(request.replace(id=pending.request.id), answer)
        return Decision(request, answer)

    @property
    def is_isolated(self) -> bool:
        """Whether the call changes only what an isolated session sees."""
        return self.session.isolation is not None and self.workspace is self.session.workspace

    def fingerprint(self, request: Request, plan: Plan | None = None) -> str:
        """What an answer to a request of this call is good for."""
        return fingerprint_of(self.tool, self.arguments, request, plan)

    def request_for(self, plan: Plan) -> Request:
        """The request for everything that a plan would do."""
        return Request.from_plan(plan, tool=self.tool, actor=self.session.actor)

    def end_preview(self, plan: Plan | None = None, request: Request | None = None) -> None:
        """End a preview here: from here on, the call would show or change something."""
        if self.preview:
            raise PreviewEndError(plan, request)

    async def outside(self, request: Request, known: frozenset[str] = frozenset()) -> frozenset[str]:
        """Ask for the directories outside the first root that a request touches, except for known paths."""
        external = request.external()
        paths = frozenset() if external is None else frozenset(path for path, _ in external.names)
        if external is not None and paths - known:
            await self.check(external)
        return paths

    def requested(self, resolved: ResolvedPath, kind: Literal["read", "list", "update"] = "update") -> Change:
        """A path as a file of a request."""
        target = "" if resolved.path == resolved.name else self.workspace.guard().shown(resolved.path)
        return Change(kind, resolved.shown, target=target, resolved=resolved.path)

    async def may_read(self, resolved: ResolvedPath) -> None:
        """Ask for a read, if a rule says so or the file is outside the first root. Other reads are free."""
        await self.load_kept()
        is_folder = resolved.found is not None and resolved.found.kind == "folder"
        file = self.requested(resolved, "list" if is_folder else "read")
        await self.outside(Request.for_files("read", [file], tool=self.tool, actor=self.session.actor))
        await self.grant([resolved], [file])

    async def change(
        self,
        paths: Sequence[str],
        make_plan: Callable[[], PlanAndFailures],
        first: str,
        *,
        strict: bool = True,
        write: Callable[[Plan], Receipt] | None = None,
    ) -> Result:
        """Plan, check, ask, commit, report. Failures of what the plan leaves out are raised in the end.

        Unless `strict`, the plan reports paths that may not be touched. `write` commits the plan in a way of its own,
        which can only do all of it.
        """
        names = self.names(paths, strict=strict)
        if TOOLS[self.tool].remembered:
            self.digest = call_digest(self.tool, self.sent, [resolved.path for resolved in names])
        async with self.session.queues.turn(paths_to_lock(names)):
            known = await self.enter(names)
            is_unasked = False
            for attempt in range(1, MOST_PLANS + 1):
                try:
                    if is_unasked:
                        receipt, plan, notices = await self.commit_alone(names, make_plan)
                        break
                    plan, failures, notices = await in_thread(self.prepare, names, make_plan)
                    request = self.request_for(plan)
                    if write is not None:
                        request = request.replace(whole_only=True)
                    try:
                        await self.outside(request, known)
                        decision = await self.check(request, plan)
                    except UnansweredError as unanswered:
                        unanswered.plan, unanswered.notices = plan, tuple(notices)
                        unanswered.reads = self.session.reads.current(plan)
                        raise
                    self.end_preview(plan, request)
                    edited: list[EditedText] = []
                    if not decision.is_whole:
                        edited = edited_texts(plan, decision)
                        plan = await in_thread(approved_part, self, plan, decision)
                        first = "Applied in part." if decision.left_out else "Applied with changes by the user."
                    if failures or not decision.is_whole:
                        # The same call again may be for the rest of it.
                        self.digest = ""
                    notices += filter(None, [decision.for_model(), describe_edits(edited)])
                    if not plan.files:
                        if failures:
                            raise PatchRejectedError(failures)
                        return self.answer("Nothing was changed.", plan, notices=notices)
                    is_unasked = decision.answer is None and write is None
                    receipt = await self.commit(plan, self.tool, write)
                    forget_untold(self.session.reads, plan, edited)
                    break
                except RacedError as raced:
                    # Somebody was faster. What the call is about has to be merged with that too.
                    if attempt == MOST_PLANS:
                        raise PatchRejectedError(raced.problems) from raced
            formatters = self.session.formatters if self.workspace is self.session.workspace else Formatters()
            formatting = await format_files(formatters, plan, self.workspace, self.commit)
            plan, receipts = formatting.plan, (receipt, *formatting.receipts)
            if self.digest and formatting.receipts:
                await in_thread(self.session.reads.applied.record, self.digest, plan)
            reports = await diagnose(self.session.diagnoser, plan, self.session.diagnostics_timeout)
            reports = {name: self.access.report(report) for name, report in reports.items()}
            for name, report in reports.items():
                self.session.bus.publish(DiagnosticsReceived(name, report, self.access.absolute(name)))
        unchecked = unchecked_notices(reports, self.session.reported_reasons)
        self.session.reported_reasons |= unchecked.keys()
        notices += [*formatting.notices, *unchecked.values()]
        if failures:
            receipt = receipts[0] if len(receipts) == 1 else join_receipts(receipts)
            error = PartlyAppliedError(failures, receipt, [str(change) for change in plan.changes])
            for paragraph in follow_up(notices, reports):
                error.add_note(paragraph)
            raise error
        if self.is_isolated:
            notices += self.session.isolation_notices()
        first = first or f"Patch applied successfully. {count_files(plan.changes)}:"
        return self.answer(first, plan, receipts, notices, reports)

    def answer(
        self,
        first: str,
        plan: Plan,
        receipts: Sequence[Receipt] = (),
        notices: Sequence[str] = (),
        reports: Mapping[str, Report] | None = None,
    ) -> Result:
        """The answer to a call that changed files, or would change them."""
        texts = self.session.whole_texts
        return change_result(first, plan, receipts, notices, reports or {}, whole_texts=texts)

    def prepare(
        self, names: Sequence[ResolvedPath], make_plan: Callable[[], PlanAndFailures]
    ) -> tuple[Plan, Sequence[Problem], list[str]]:
        """The plan, the failures of what it leaves out, and notices on files that were not read."""
        plan, failures = make_plan()
        mode, checks = self.mode, self.session.read_checks
        contents = contents_of(self.visible, names, plan) if plan.problems or mode == "rebase" else {}
        if plan.problems:
            self.explain_repetition(names, plan.problems, contents)
        self.merged = self.find_merge(self, names, make_plan, plan, contents)
        if self.merged is not None:
            plan, failures = self.merged.plan, ()
        if mode == "rebase":
            mode = UNREAD_MODES.get(self.tool, "require")
        if plan.problems:
            plan = plan.told_to(self.reader)
            if mode == "require" and all(problem.code in PLACE_CODES for problem in plan.problems):
                for one in names:
                    if one.path in contents:
                        checks.require(one.path, one.shown, contents[one.path], record=not self.preview)
            if not self.preview:
                session = self.session
                keep_refused(self.visible, plan, self.reader, tool=self.tool, actor=session.actor, session=session.id)
            raise PatchRejectedError(plan.problems, plan)
        if self.digest:
            self.session.reads.applied.check(self.digest, plan)
        if self.pending is not None and self.fingerprint(self.request_for(plan), plan) in self.answers:
            # They were checked when the question was asked, and nothing has changed.
            return plan, failures, list(self.pending.notices)
        claimed = self.session.claims.check({file.path: file.shown for file in plan.files})
        if self.merged is None:
            return plan, failures, [*checks.check(plan, mode, record=not self.preview), *claimed]
        notices = checks.check(plan, mode, record=not self.preview, merged=self.merged.known.keys())
        return plan, failures, [*notices, *self.merged.notices, *claimed]

    def explain_repetition(
        self, names: Sequence[ResolvedPath], problems: Sequence[Problem], contents: Mapping[str, bytes]
    ) -> None:
        """Refuse a call that was applied before and now finds no place as that, whatever else is wrong with it.

        Raises:
            PatchRejectedError: its result is still there (`already_applied`).
        """
        if not self.digest or any(problem.code not in PLACE_CODES for problem in problems):
            return
        if all(problem.reason == "already_applied" for problem in problems):
            return
        files = {one.path: (one.shown, contents[one.path]) for one in names if one.path in contents}
        repeated = self.session.reads.applied.explain(self.digest, files)
        if repeated:
            raise PatchRejectedError(repeated)

    async def commit(self, plan: Plan, tool: str, write: Callable[[Plan], Receipt] | None = None) -> Receipt:
        """Commit a plan, record its contents as read and publish it. A cancellation waits until that is done."""
        return await run_to_end(self.publish(lambda: self.write_plan(plan, tool, write)))

    async def publish(self, write: Callable[[], Receipt]) -> Receipt:
        """Make a commit in a thread, and publish what it did."""
        receipt = await in_thread(write)
        for event in file_events(receipt, self.access.absolute):
            # What only the session sees is no change of a file for anybody else.
            if not (self.is_isolated and isinstance(event, FileChanged)):
                self.session.bus.publish(event)
        return receipt

    def write_plan(self, plan: Plan, tool: str, write: Callable[[Plan], Receipt] | None = None) -> Receipt:
        """Commit a plan and record its contents as read."""
        session_of_commits.set(self.session.id)
        try:
            actor = self.session.actor or None
            receipt = write(plan) if write else self.workspace.commit(plan, actor=actor, tool=tool)
        except PatchRejectedError as refused:
            is_stale = all(problem.code == "stale_file" for problem in refused.problems)
            if not self.plans_again or tool != self.tool or not is_stale:
                raise
            raise RacedError(refused.problems) from refused
        self.receipts.append(receipt)
        self.session.note_commit(receipt)
        # The files are written; that the reads could not be recorded does not change that.
        with suppress(SutureError):
            if self.workspace is self.session.workspace:
                self.session.read_checks.note_written(plan, is_whole=plan.tool == "write" and tool == self.tool)
            if self.merged is not None and tool == self.tool:
                self.merged.note_known(self.session.reads, plan)
        if self.digest and tool == self.tool:
            self.session.reads.applied.record(self.digest, plan)
        return receipt

    async def commit_alone(
        self, names: Sequence[ResolvedPath], make_plan: Callable[[], PlanAndFailures]
    ) -> tuple[Receipt, Plan, list[str]]:
        """Plan and commit while nobody else can change the files, after others were faster. Nobody is asked.

        Raises:
            PatchRejectedError: what would be done now needs an answer (`stale_file`), or can't be done.
        """
        done: list[tuple[Plan, list[str]]] = []

        def write() -> Receipt:
            with self.workspace.lock(*[resolved.shown for resolved in names], actor=self.session.actor or None):
                plan, failures, notices = self.prepare(names, make_plan)
                if failures or self.session.permissions.verdict(self.request_for(plan)).action != "allow":
                    file = plan.files[0]
                    raise PatchRejectedError([stale_file(file.shown, "", file.before.sha256)])
                done.append((plan, notices))
                return self.write_plan(plan, self.tool)

        receipt = await run_to_end(self.publish(write))
        return receipt, *done[-1]
