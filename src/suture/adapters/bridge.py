"""What all adapters share: calls that end at a question, questions and replies as plain data, and missing packages.

Frameworks end a call that needs an approval and run it again with the answer, often in another process, and some match
answers to calls by their order. So a question carries the fingerprint of what it is about, a reply repeats it, and an
answer counts only where the fingerprints agree. Otherwise the question is asked again.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from copy import copy
from json import dumps

from ..agent.answers import Answer
from ..agent.hidden_hunks import hidden_hunks, needed_hunks
from ..agent.pending import Pending
from ..agent.requests import describe, notes_of
from ..agent.result import error_result
from ..agent.sync import SyncSession
from ..core.display import hunk_text, one_line
from ..core.json_values import JsonValue, to_data
from ..core.problems import PatchRejectedError, Problem
from .adapter_limits import MOST_ASKED_CHARACTERS, MOST_OPEN_QUESTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Mapping
    from typing import Any, TypeVar

    from ..agent.profiles import Profile
    from ..agent.requests import Request
    from ..agent.result import Result
    from ..agent.session import Session
    from ..core.line_hunks import LineHunk
    from ..core.readers import Reader

    T = TypeVar("T")


@contextmanager
def extra(name: str) -> Iterator[None]:
    """A context for the imports of an adapter.

    Raises:
        ImportError: a package is missing. The message names the extra that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"the package {error.name!r} is missing; install suture[{name}]"
        raise ImportError(message, name=error.name) from error


class Bridge:
    """The calls of one adapter: the tools of a session, and the questions that wait for an answer.

    A `SyncSession` can be used from any event loop and without one, a `Session` only from its own.
    """

    def __init__(
        self,
        session: Session | SyncSession,
        *,
        only: Iterable[str] | None = None,
        names: Mapping[str, str] | None = None,
        profile: str | Profile | None = None,
    ) -> None:
        self._sync = session if isinstance(session, SyncSession) else None
        self.session: Session = session.session if isinstance(session, SyncSession) else session
        self._choice: dict[str, Any] = {
            "only": None if only is None else tuple(only),
            "names": names,
            "profile": profile,
        }
        self._open: dict[object, Pending | Result] = {}
        #: Replies that are given before their calls are run, by the keys of the calls.
        self.replies: dict[object, dict[str, Any]] = {}

    def definitions(self, style: str = "json", *only: str) -> list[dict[str, Any]]:
        """The chosen tools in the format of an API, or only these."""
        return self.session.tools(style, **{**self._choice, **({"only": only} if only else {})})

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of work of the session, from any event loop if the session has its own."""
        return await (work if self._sync is None else asyncio.to_thread(self._sync.wait_for, work))

    def block(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of work of the session, without an event loop.

        Raises:
            TypeError: the session is asynchronous.
        """
        if self._sync is None:
            work.close()
        return self.require_sync().wait_for(work)

    def require_sync(self) -> SyncSession:
        """The session, if its calls can block.

        Raises:
            TypeError: the session is asynchronous.
        """
        if self._sync is None:
            message = (
                "this needs a SyncSession, which works with and without an event loop; "
                "found a Session, which works in its own event loop only"
            )
            raise TypeError(message)
        return self._sync

    async def advance(
        self, key: object, tool: str, arguments: Mapping[str, Any] | str, given: object = None
    ) -> Result | Question:
        """Run a call to its end or to the first question that the reply has no answer to.

        `key` identifies the call when it is run again. If the session has an approver, that one is asked instead.
        """
        if self.session.permissions.approver is not None:
            return await self.session.call(tool, arguments)
        answers: dict[str, Answer] = {}
        notice = "" if given is None else "The reply was about something else, so it was not used."
        try:
            if given is not None:
                reply = _read_reply(given)
                self.session.reads.adopt(reply.reads)
                answers = {**reply.answers, reply.fingerprint: reply.answer}
        except ValueError as error:
            notice = str(error)
        step = self._open.pop(key, None)
        if step is None:
            step = await self.session.start(tool, arguments)
        step = self._refuse_unshowable(step)
        while isinstance(step, Pending) and step.fingerprint in answers:
            try:
                answer = _with_real_paths(answers.pop(step.fingerprint), step.request)
                step, notice = await self.session.resume(step, answer), ""
            except ValueError as error:
                notice = str(error)
            step = self._refuse_unshowable(step)
        if not isinstance(step, Pending):
            return step
        self.keep(key, step)
        if step.replaces:
            notice = notice or "What was approved has changed since, so the approval was not used."
        return Question(step, notice)

    async def ask(self, key: object, tool: str, arguments: Mapping[str, Any] | str) -> Question | None:
        """The question that a call would end at, for frameworks that ask before they run a call."""
        if self.session.permissions.approver is not None:
            return None
        if (await self.session.preview(tool, arguments)).action != "ask":
            return None
        step = self._refuse_unshowable(await self.session.start(tool, arguments))
        # Between the two, another call may have been allowed "always". Then this one has run, and its result waits.
        self.keep(key, step)
        return Question(step) if isinstance(step, Pending) else None

    def _refuse_unshowable(self, step: Pending | Result) -> Pending | Result:
        """The step; a refusal where a question could not show all of the change, which nobody can approve then."""
        if not isinstance(step, Pending):
            return step
        request = step.request
        if not needed_hunks(request, hidden_hunks(request, MOST_ASKED_CHARACTERS)):
            return step
        self.session.permissions.withdraw(request, "too large to be shown")
        message = f"{one_line(request.subject)}: the change is too large to be shown to the user for an approval."
        hint = f"Make it in several smaller changes, each of at most {MOST_ASKED_CHARACTERS:,} characters."
        details = {"reason": "too_large", "permission": request.permission, "request": request.id}
        error = PatchRejectedError([Problem("rejected", message, details=details, hint=hint)])
        return error_result(step.tool, error, step.arguments)

    async def finish(self, key: object, tool: str, arguments: Mapping[str, Any] | str) -> Result | Question:
        """Run a call that a framework runs only if it was approved: the reply that was given, or yes to all of it."""
        pending = self.open_questions().get(key)
        given = self.replies.pop(key, None)
        if given is None and pending is not None:
            given = reply(Question(pending).to_data(), Answer.once())
        return await self.advance(key, tool, arguments, given)

    def keep(self, key: object, step: Pending | Result) -> None:
        """Remember what a call has come to, for when it is run again."""
        self._open[key] = step
        if len(self._open) > MOST_OPEN_QUESTIONS:
            del self._open[next(iter(self._open))]

    def open_questions(self) -> dict[Any, Pending]:
        """The calls that wait for an answer, by their keys."""
        return {key: step for key, step in self._open.items() if isinstance(step, Pending)}


class Reply(JsonValue):
    """The answer to a question, with what the question says about the call."""

    fingerprint: str
    answer: Answer
    #: The answers to earlier questions of the same call, by their fingerprints.
    answers: Mapping[str, Answer] = {}
    #: What the model has read of the files of the call.
    reads: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash(self.fingerprint)


class Question:
    """A call that waits for an answer, and what a person is shown.

    Where a framework can't ask a second time about a call, it stands for a result that is an error.
    """

    is_error = True

    def __init__(self, pending: Pending, notice: str = "") -> None:
        self.pending = pending
        #: Why an earlier reply was not used.
        self.notice = notice

    def __str__(self) -> str:
        request = self.pending.request
        lines = [" ".join([describe(file), *[f"({note})" for note in notes_of(file)]]) for file in request.files]
        files = "\n".join(map(one_line, lines or [request.subject]))
        reason = f"\nIts reason: {one_line(request.reason)}" if request.reason else ""
        return f"{self.pending.tool} needs the permission {one_line(request.permission)} for:\n{files}{reason}"

    @property
    def output(self) -> str:
        """The answer to a model where a framework can't ask a second time."""
        return (
            f"Nothing was changed. {self}\nThere is no approval for exactly this: what was approved has changed since, "
            "or the call asks for something else now. Send the call again to ask anew."
        )

    @property
    def text(self) -> str:
        """The question with the diff, for frameworks that show a person nothing else."""
        parts = [str(self)]
        for file in self.files():
            if file["hunks"]:
                parts.append(f"\n{file['path']}:")
                parts += [hunk.rstrip("\n") for hunk in file["hunks"]]
        return "\n".join(parts)

    def files(self) -> list[dict[str, Any]]:
        """The files of the request as a person should see them, with nothing invisible."""
        request = self.pending.request
        hidden = hidden_hunks(request, MOST_ASKED_CHARACTERS)
        files = []
        for file in request.files:
            left_out = hidden.get(file.path, ())
            hunks = [_hunk(hunk, is_hidden=number in left_out) for number, hunk in enumerate(file.hunks, 1)]
            counts = {"kind": file.kind, "additions": file.additions, "deletions": file.deletions}
            named = {"path": one_line(file.path), **counts}
            moved = {"moveTo": one_line(file.move_to)} if file.move_to else {}
            notes = [one_line(note) for note in notes_of(file)]
            remarks = {"notes": notes} if notes else {}
            files.append({**named, **moved, **remarks, "hunks": hunks})
        return files

    def to_data(self) -> dict[str, Any]:
        """The question as data that JSON can hold. Everything is as a person should see it, with nothing invisible."""
        request = self.pending.request
        return {
            "type": "suture.question",
            "tool": self.pending.tool,
            "permission": request.permission,
            "text": self.text,
            **({"reason": one_line(request.reason)} if request.reason else {}),
            "files": self.files(),
            "wholeOnly": request.whole_only,
            "fingerprint": self.pending.fingerprint,
            "answers": to_data(self.pending.answers),
            "reads": dict(self.pending.reads),
            **({"replaces": self.pending.replaces} if self.pending.replaces else {}),
            **({"notice": self.notice} if self.notice else {}),
        }


def _hunk(hunk: LineHunk, *, is_hidden: bool) -> str:
    """A hunk as a person sees it. That of a file that is deleted can be too long, and is left out."""
    return f"({len(str(hunk)):,} characters of a file that is deleted)" if is_hidden else hunk_text(hunk)


def _with_real_paths(answer: Answer, request: Request) -> Answer:
    """The answer with the paths that files have, for those that the question showed with codes.

    Raises:
        ValueError: two files are shown with the same path.
    """
    paths: dict[str, str] = {}
    named = {*answer.hunks, *answer.edits, *[comment.path for comment in answer.comments]}
    for file in request.files:
        for name in {file.path, one_line(file.path)}:
            if name in named and paths.setdefault(name, file.path) != file.path:
                message = f"expected an answer for the whole change: two of its files are shown as {name}"
                raise ValueError(message)
    hunks = {paths.get(name, name): numbers for name, numbers in answer.hunks.items()}
    edits = {paths.get(name, name): text for name, text in answer.edits.items()}
    comments = tuple([comment.replace(path=paths.get(comment.path, comment.path)) for comment in answer.comments])
    return answer.replace(hunks=hunks, edits=edits, comments=comments)


def reply(question: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """The reply to a question, as data that JSON can hold. It counts only for what the question is about."""
    kept = {name: question[name] for name in ("fingerprint", "answers", "reads")}
    return {**kept, "answer": to_data(answer)}


def summary(result: Result) -> dict[str, Any]:
    """The metadata of a result that is worth a place in the history of a conversation."""
    more = result.metadata
    return {
        "title": result.title,
        "changedFiles": list(more.get("changedFiles", ())),
        "receipts": list(more.get("receipts", ())),
        "problems": [problem["code"] for problem in more.get("problems", ())],
    }


def _read_reply(given: object) -> Reply:
    """The reply that a framework hands back.

    Raises:
        ValueError: it is no reply.
    """
    try:
        return Reply.from_json(dumps(given))
    except (TypeError, ValueError) as error:
        message = f"The reply does not say what it is about: it needs the fingerprint and the answer ({error})."
        raise ValueError(message) from error


def told_to(session: Session, reader: Reader) -> Session:
    """A session whose answers are told to another reader, for tools that have names of their own."""
    other = copy(session)
    other.reader = reader
    return other
