"""Whether a call may go ahead: the rules are looked at, and where they say so a person is asked.

A deny of the rules is final: no answer of a person lifts it. What was answered with "always" turns an ask into an allow
until the session ends, also for requests that wait at that moment. Every question ends: answered, withdrawn with its
caller, or out of time; and where anything goes wrong with it the answer is no.
"""

from __future__ import annotations

import asyncio

from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value
from ..events.event import PermissionAsked, PermissionReplied
from ..permissions.answers import Answer, Decision
from ..permissions.rules import Rule, Rules, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..events.bus import Bus
    from ..permissions.approvers import Approver
    from ..permissions.requests import Request
    from ..permissions.rules import Action, Verdict

#: How long an approver that was cancelled may take to clear up, in seconds.
CLEARING = 1.0
#: What is done to a file under a permission, for messages.
_DONE = {"edit": "edited", "read": "read", "external_directory": "touched, since it is outside of the workspace"}
_ASKED = {"edit": "the edit of {1}", "read": "reading {1}", "external_directory": "access to {1} outside the workspace"}


class _PendingRequest(Value):
    """A request that waits: `covered` gets the answer to another one that holds for it too."""

    request: Request
    covered: asyncio.Future[Answer]


class Permissions:
    """The rules of a session, who is asked, and what was answered with "always".

    Without an approver nobody can be asked, and what would be is rejected. `timeout` is how long one may take, in
    seconds; None is for ever.
    """

    def __init__(
        self,
        rules: Rules | Iterable[Rule | tuple[str, str, Action]] = (),
        approver: Approver | None = None,
        bus: Bus | None = None,
        timeout: float | None = None,
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else Rules(rules)
        self.approver = approver
        self.timeout = timeout
        self._bus = bus
        #: What was answered with "always", as rules that allow.
        self._always = Rules()
        self._waiting: dict[str, _PendingRequest] = {}
        self._closed = False

    @property
    def always(self) -> tuple[Rule, ...]:
        """What was answered with "always" so far."""
        return self._always.rules

    @property
    def pending(self) -> tuple[Request, ...]:
        """The requests that wait for an answer, the oldest first."""
        return tuple([waiting.request for waiting in self._waiting.values()])

    def verdict(self, request: Request) -> Verdict:
        """What is done with a request, without asking: the strictest of what holds for its files."""
        return strictest(self._verdicts(request))

    async def check(self, request: Request) -> Decision:
        """Find out whether a request may go ahead, with which of its hunks, and wait for a person where need be.

        Raises:
            PatchRejectedError: it may not: `rejected` by a rule or a person, or `timeout`.
        """
        verdicts = self._verdicts(request)
        denied = [verdict for verdict in verdicts if verdict.action == "deny"]
        if denied:
            raise PatchRejectedError([_denied(request, verdict) for verdict in denied])
        asked = [verdict for verdict in verdicts if verdict.action == "ask"]
        if not asked:
            return Decision(request)
        if self.approver is None:
            raise PatchRejectedError([_nobody(request, asked[0])])
        if self._closed:
            raise PatchRejectedError([_over(request)])
        answer = await self._ask(self.approver, request)
        if answer.kind == "reject" or (answer.kind == "some" and not any(answer.hunks.values())):
            raise PatchRejectedError([_rejected(request, answer)])
        return Decision(request, answer)

    def remember(self, permission: str, *globs: str) -> None:
        """Don't ask again for what these globs match, and let what waits and is covered by them go ahead.

        Raises:
            ValueError: one of them is no glob.
        """
        rules = [Rule(permission, glob, "allow") for glob in globs]
        self._always = self._always.and_then(*[rule for rule in rules if rule not in self._always.rules])
        for waiting in self._waiting.values():
            if not waiting.covered.done() and self.verdict(waiting.request).action == "allow":
                waiting.covered.set_result(Answer.always(*globs))

    def close(self) -> None:
        """Ask nobody any more: what waits for an answer is refused, and what would be asked for from now on too."""
        self._closed = True
        for waiting in self._waiting.values():
            if not waiting.covered.done():
                waiting.covered.set_result(Answer("withdrawn", "closed"))

    def _verdicts(self, request: Request) -> list[Verdict]:
        verdicts = self.rules.verdicts(request.permission, request.names)
        if not len(self._always):
            return verdicts
        always = self._always.verdicts(request.permission, request.names)
        return [also if one.action == "ask" else one for one, also in zip(verdicts, always, strict=True)]

    async def _ask(self, approver: Approver, request: Request) -> Answer:
        """Ask, and wait until there is an answer, or another one holds for this request too."""
        covered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = _PendingRequest(request, covered)
        self._publish(PermissionAsked(request))
        asking = asyncio.ensure_future(_asked(approver, request))
        answer = Answer("withdrawn", "cancelled")
        try:
            await asyncio.wait([asking, covered], timeout=self.timeout, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                answer = _checked(asking, request)
                if answer.kind == "always":
                    del self._waiting[request.id]
                    self.remember(request.permission, *(answer.patterns or request.always))
            elif covered.done():
                answer = covered.result()
                if answer.kind == "withdrawn":
                    raise PatchRejectedError([_over(request)])
            else:
                answer = Answer("withdrawn", "timeout")
                raise PatchRejectedError([_out_of_time(request, self.timeout)])
        except _NoAnswerError as failed:
            answer = Answer.reject(str(failed))
            raise PatchRejectedError([_broken(request, str(failed))]) from failed.__cause__
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


class _NoAnswerError(Exception):
    """An approver raised, or what it gave is no answer to the request."""


async def _asked(approver: Approver, request: Request) -> Answer:
    return await approver.ask(request)


def _checked(asking: asyncio.Future[Answer], request: Request) -> Answer:
    try:
        answer: object = asking.result()
        if not isinstance(answer, Answer):
            message = f"expected an Answer; found {answer!r}"
            raise TypeError(message)  # noqa: TRY301 - it is told as any other error of an approver
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
    """Take a question back that nobody waits for any more, and give its approver the time to clear up."""
    if not asking.done():
        asking.cancel()
        await asyncio.wait([asking], timeout=CLEARING)
    if asking.done() and not asking.cancelled():
        # What an approver raises while it is cancelled interests nobody; asked for, it isn't logged.
        asking.exception()


def _denied(request: Request, verdict: Verdict) -> Problem:
    done = _DONE.get(request.permission, f"used with the permission '{request.permission}'")
    message = f"{verdict.path or 'This'} may not be {done}: the rule '{verdict.rule}' denies it."
    others = "Send the others without it. " if len(request.files) > 1 else ""
    hint = f"Leave it alone and go on without it. {others}Whoever runs this can change the setting rules."
    rule = None if verdict.rule is None else str(verdict.rule)
    return _problem(request, message, hint, "rule", verdict.path, rule=rule)


def _nobody(request: Request, verdict: Verdict) -> Problem:
    message = f"Somebody has to allow {_what(request)}, and nobody is there to be asked."
    hint = (
        "Go on without it. Whoever runs this can name somebody with the setting approver, or allow it with "
        f"the setting rules: ('{request.permission}', '{verdict.path or '*'}', 'allow')."
    )
    return _problem(request, message, hint, "nobody", verdict.path)


def _rejected(request: Request, answer: Answer) -> Problem:
    if answer.message:
        message = f"The person who was asked has refused {_what(request)}, and says: {answer.message}"
        return _problem(request, message, "Do as they say.", "person", said=answer.message)
    message = f"The person who was asked has refused {_what(request)}, and has not said why."
    hint = "Don't send it again. Ask what they want instead, or go on without it."
    return _problem(request, message, hint, "person")


def _broken(request: Request, error: str) -> Problem:
    message = f"Nobody has allowed {_what(request)}: asking for it failed ({error})."
    hint = "Go on without it. Whoever runs this has to look after the setting approver."
    return _problem(request, message, hint, "approver", error=error)


def _over(request: Request) -> Problem:
    message = f"Nobody has allowed {_what(request)}: the session was closed."
    return _problem(request, message, "Go on without it.", "closed")


def _out_of_time(request: Request, timeout: float | None) -> Problem:
    seconds = 0.0 if timeout is None else timeout
    message = f"Nobody has said within {seconds:g} seconds whether {_what(request)} is allowed."
    hint = "It was not refused: do something else first, and then send it again."
    return _problem(request, message, hint, "timeout", seconds=seconds).replace(code="timeout", recoverable=True)


def _what(request: Request) -> str:
    """What was asked for, as a part of a sentence."""
    return _ASKED.get(request.permission, "'{0}' of {1}").format(request.permission, request.subject)


def _problem(request: Request, message: str, hint: str, reason: str, path: str = "", **more: object) -> Problem:
    where = path or (request.files[0].path if len(request.files) == 1 else "")
    details = {"path": where, "reason": reason, "permission": request.permission, "request": request.id, **more}
    return Problem("rejected", message, where, None, details, hint, recoverable=reason == "person")
