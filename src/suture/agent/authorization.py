"""Whether a call may go ahead: the rules decide, or a person is asked.

A deny rule cannot be overridden by an approval. An answer "always" turns "ask" into "allow" until the session ends,
also for requests that are pending. Every request ends: it is answered, withdrawn by its caller, or times out. If
anything goes wrong, the answer is no.
"""

from __future__ import annotations

import asyncio
from time import time

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value
from .answers import Answer, Decision
from .event import PermissionAsked, PermissionReplied
from .permission_kinds import permission_kind
from .requests import rule_names
from .rules import Rule, Rules, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..state.approvals import Approvals
    from .approvers import Approver
    from .bus import Bus
    from .requests import Request
    from .rules import Action, Name, Verdict

#: How long a cancelled approver may take to clean up, in seconds.
CLEARING = 1.0


class _PendingRequest(Value):
    """A pending request. `covered` gets the answer to another request that holds for this one too."""

    request: Request
    covered: asyncio.Future[Answer]


class Permissions:
    """The rules of a session, its approver, and the answers "always". With `approvals`, the workspace keeps these.

    Without an approver, everything that needs an approval is refused. `timeout` is how long an approver may take, in
    seconds; None is forever.
    """

    def __init__(
        self,
        rules: Rules | Iterable[Rule | tuple[str, str, Action]] = (),
        approver: Approver | None = None,
        bus: Bus | None = None,
        timeout: float | None = None,
        approvals: Approvals | None = None,
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else Rules(rules)
        self.approver = approver
        self.timeout = timeout
        self._bus = bus
        #: The answers "always", as rules that allow.
        self._always = Rules()
        #: The same, of those that the workspace keeps.
        self._kept = Rules()
        self._approvals = approvals
        self._waiting: dict[str, _PendingRequest] = {}
        self._closed = False

    @property
    def always(self) -> tuple[Rule, ...]:
        """The answers "always" so far, as rules; those that the workspace keeps come first."""
        return (*self._kept.rules, *self._always.rules)

    @property
    def keeps(self) -> bool:
        """Whether the workspace keeps answers."""
        return self._approvals is not None

    def load_kept(self) -> None:
        """Read the answers that the workspace keeps: another process may have added or revoked some."""
        if self._approvals is not None:
            rules = tuple([Rule(one.permission, one.glob, "allow") for one in self._approvals.all()])
            if rules != self._kept.rules:
                self._kept = Rules(rules)

    @property
    def pending(self) -> tuple[Request, ...]:
        """The pending requests, oldest first."""
        return tuple([waiting.request for waiting in self._waiting.values()])

    def verdict(self, request: Request) -> Verdict:
        """What the rules say of a request: the strictest verdict on its files. Nobody is asked."""
        return strictest(self._verdicts(request))

    def path_verdict(self, permission: str, name: Name) -> Verdict:
        """What the rules and the answers "always" say of one path. Nobody is asked."""
        verdict = self.rules.verdict(permission, *name)
        if verdict.action != "ask" or not self.always:
            return verdict
        also = self._always.verdict(permission, *name)
        return also if also.action == "allow" else self._kept.verdict(permission, *name)

    async def check(self, request: Request) -> Decision:
        """Decide whether a request may go ahead, and with which hunks. Waits for a person if the rules say so.

        Raises:
            PatchRejectedError: it is `rejected` by a rule or a person, or there is a `timeout`.
        """
        self.check_denial(request)
        asked = [verdict for verdict in self._verdicts(request) if verdict.action == "ask"]
        if not asked:
            return Decision(request)
        if self.approver is None:
            raise PatchRejectedError([_no_approver(request, asked[0])])
        if self._closed:
            raise PatchRejectedError([_session_closed(request)])
        return _decide(request, await self._ask(self.approver, request))

    def check_denial(self, request: Request) -> None:
        """Refuse what a rule denies. Nobody is asked.

        Raises:
            PatchRejectedError: a rule denies a file of the request.
        """
        denied = [verdict for verdict in self._verdicts(request) if verdict.action == "deny"]
        if denied:
            raise PatchRejectedError([_denied_by_rule(request, verdict) for verdict in denied])

    def announce(self, request: Request) -> None:
        """Publish a question that somebody else asks. `settle` or `withdraw` closes it."""
        self._publish(PermissionAsked(request))

    def settle(self, request: Request, answer: Answer) -> Decision:
        """Close an announced question with its answer: the decision, as `check` gives it.

        Raises:
            PatchRejectedError: it is rejected, or nobody could be reached.
        """
        if answer.kind == "always":
            self.remember(request.permission, *(answer.patterns or request.always))
        self._publish(PermissionReplied(request.id, answer))
        return _decide(request, answer)

    def withdraw(self, request: Request, reason: str) -> None:
        """Close an announced question that needs no answer any more."""
        self._publish(PermissionReplied(request.id, Answer("withdrawn", reason)))

    def remember(self, permission: str, *globs: str) -> None:
        """Don't ask again for paths that these globs match, and approve the pending requests that they cover.

        Raises:
            ValueError: a glob is invalid.
        """
        kept: list[Rule] = []
        session_only: list[Rule] = []
        for rule in [Rule(permission, glob, "allow") for glob in globs]:
            # An answer that is kept can be revoked while the session runs, so the session does not remember it as well.
            is_kept = self._approvals is not None and self._approvals.keep(permission, rule.glob)
            if is_kept:
                kept.append(rule)
            else:
                session_only.append(rule)
        self._kept = self._kept.and_then(*[rule for rule in kept if rule not in self._kept.rules])
        self._always = self._always.and_then(*[rule for rule in session_only if rule not in self._always.rules])
        for waiting in self._waiting.values():
            if not waiting.covered.done() and self.verdict(waiting.request).action == "allow":
                waiting.covered.set_result(Answer.always(*globs))

    def close(self) -> None:
        """Refuse all pending requests, and everything that needs an approval from now on."""
        self._closed = True
        for waiting in self._waiting.values():
            if not waiting.covered.done():
                waiting.covered.set_result(Answer("withdrawn", "closed"))

    def _verdicts(self, request: Request) -> list[Verdict]:
        names = request.names or (("", ""),)
        return [self.path_verdict(request.permission, name) for name in names]

    async def _ask(self, approver: Approver, request: Request) -> Answer:
        """Ask, and wait for the answer, or for an answer to another request that covers this one."""
        covered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        if self.timeout is not None and not request.deadline:
            request = request.replace(deadline=time() + self.timeout)
        self._waiting[request.id] = _PendingRequest(request, covered)
        self._publish(PermissionAsked(request))
        asking = asyncio.ensure_future(_ask_approver(approver, request))
        answer = Answer("withdrawn", "cancelled")
        try:
            await asyncio.wait([asking, covered], timeout=self.timeout, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                answer = _valid_answer(asking, request)
                if answer.kind == "always":
                    del self._waiting[request.id]
                    self.remember(request.permission, *(answer.patterns or request.always))
            elif covered.done():
                answer = covered.result()
                if answer.kind == "withdrawn":
                    raise PatchRejectedError([_session_closed(request)])
            else:
                answer = Answer("withdrawn", "timeout")
                raise PatchRejectedError([_timed_out(request, self.timeout)])
        except _NoAnswerError as failed:
            answer = Answer.unreachable(str(failed))
            raise PatchRejectedError([_approver_failed(request, str(failed))]) from failed.__cause__
        finally:
            self._waiting.pop(request.id, None)
            try:
                await _end(asking)
            finally:
                self._publish(PermissionReplied(request.id, answer))
        return answer

    def _publish(self, event: PermissionAsked | PermissionReplied) -> None:
        if self._bus is not None:
            self._bus.publish(event)


def _decide(request: Request, answer: Answer) -> Decision:
    """The decision that an answer makes."""
    if answer.kind == "unreachable":
        raise PatchRejectedError([_nobody_reached(request, answer)])
    if answer.kind == "reject" or (answer.kind == "some" and not answer.edits and not any(answer.hunks.values())):
        raise PatchRejectedError([_rejected(request, answer)])
    return Decision(request, answer)


class _NoAnswerError(Exception):
    """An approver raised, or returned something that does not answer the request."""


async def _ask_approver(approver: Approver, request: Request) -> Answer:
    return await approver.ask(request)


def _valid_answer(asking: asyncio.Future[Answer], request: Request) -> Answer:
    """The answer of an approver, if it fits the request.

    Raises:
        _NoAnswerError: it does not, or the approver failed.
    """
    try:
        answer: object = asking.result()
        if not isinstance(answer, Answer):
            message = f"expected an Answer; found {answer!r}"
            raise TypeError(message)  # noqa: TRY301 - it is reported like any other error of an approver
        answer.check(request)
        if answer.kind == "always":
            Rules([Rule(request.permission, glob, "allow") for glob in answer.patterns])
    except asyncio.CancelledError as error:
        raise _NoAnswerError("it was cancelled") from error
    except Exception as error:
        message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _NoAnswerError(message) from error
    return answer


async def _end(asking: asyncio.Future[Answer]) -> None:
    """Cancel a question that nobody waits for, and give its approver time to clean up."""
    if not asking.done():
        asking.cancel()
        await asyncio.wait([asking], timeout=CLEARING)
    if asking.done() and not asking.cancelled():
        # An exception during the cancellation is not needed; retrieved, asyncio does not log it.
        asking.exception()


def _denied_by_rule(request: Request, verdict: Verdict) -> Problem:
    what = permission_kind(request.permission).denied
    message = f"{verdict.path or 'This'} may not be {what}: the rule '{verdict.rule}' denies it."
    others = "Send the other files without it. " if len(request.files) > 1 else ""
    hint = f"Continue without it. {others}The user can change the setting rules."
    rule = None if verdict.rule is None else str(verdict.rule)
    return _problem(request, message, hint, "rule", verdict.path, rule=rule)


def _no_approver(request: Request, verdict: Verdict) -> Problem:
    # The path that was written: it may be a link, and the verdict about what it leads to.
    path = next((file.path for file in request.files if verdict.path in dict(rule_names(file))), verdict.path)
    message = f"{_sentence(request)} needs an approval, and there is nobody to ask."
    hint = (
        "Continue without it. The user can add somebody with the setting approver, or allow it with "
        f"the setting rules: ('{request.permission}', '{path or '*'}', 'allow')."
    )
    return _problem(request, message, hint, "nobody", path)


def _nobody_reached(request: Request, answer: Answer) -> Problem:
    because = f": {safe_text(answer.message, 'message')}" if answer.message else ""
    message = f"{_sentence(request)} needs an approval, and nobody could be reached{because.rstrip('.')}."
    hint = "It was not rejected. Continue without it, or send it again later."
    return _problem(request, message, hint, "unreachable", said=answer.message).replace(recoverable=True)


def _rejected(request: Request, answer: Answer) -> Problem:
    """The refusal of a request that a person or a program has rejected, with what they said."""
    if not answer.by_person:
        said = f" The reason: {safe_text(answer.message, 'message')}" if answer.message else ""
        message = f"{_sentence(request)} was declined, perhaps automatically.{said}"
        return _problem(request, message, "Continue without it, or ask the user.", "declined", said=answer.message)
    remarks = answer.remarks()
    if remarks:
        message = f"The user rejected {_what(request)} and said: {remarks}"
        comments = [str(comment) for comment in answer.comments]
        hint = "Do what the user said."
        if comments:
            return _problem(request, message, hint, "person", said=answer.message, comments=comments)
        return _problem(request, message, hint, "person", said=answer.message)
    message = f"The user rejected {_what(request)} without a reason."
    hint = "Don't send it again. Ask the user what to do instead, or continue without it."
    return _problem(request, message, hint, "person")


def _approver_failed(request: Request, error: str) -> Problem:
    message = f"{_sentence(request)} was not approved: the approver failed ({safe_text(error, 'message')})."
    hint = "Continue without it. The user has to check the setting approver."
    return _problem(request, message, hint, "approver", error=error)


def _session_closed(request: Request) -> Problem:
    message = f"{_sentence(request)} was not approved: the session was closed."
    return _problem(request, message, "Continue without it.", "closed")


def _timed_out(request: Request, timeout: float | None) -> Problem:
    seconds = 0.0 if timeout is None else timeout
    message = f"{_sentence(request)} was not approved: there was no answer within {seconds:g} seconds."
    hint = "It was not rejected either. Do something else first, then send it again."
    return _problem(request, message, hint, "timeout", seconds=seconds).replace(code="timeout", recoverable=True)


def _what(request: Request) -> str:
    """What was asked for, in words."""
    return permission_kind(request.permission).subject.format(request.subject)


def _sentence(request: Request) -> str:
    """The same at the beginning of a sentence."""
    what = _what(request)
    return what[0].upper() + what[1:]


def _problem(request: Request, message: str, hint: str, reason: str, path: str = "", **more: object) -> Problem:
    where = path or (request.files[0].path if len(request.files) == 1 else "")
    details = {"path": where, "permission": request.permission, "request": request.id, **more}
    return Problem("rejected", message, where, None, details, hint, recoverable=reason == "person", reason=reason)
