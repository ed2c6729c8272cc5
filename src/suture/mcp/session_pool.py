"""The sessions of a server, one for each client, and the workspaces that they share.

A session is known by its key, and no two clients get the same key by accident. It ends when it was idle for too long.
Sessions in the same directory share the workspace and its diagnoser, which are closed at the end.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from time import monotonic

from ..agent.configuration.find_settings import load
from ..agent.configuration.project_workspace import open_project
from ..agent.diagnostics.report import check_all
from ..agent.profiles import READ_MODES, profile_named
from ..agent.session import Session
from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value
from .server_limits import MOST_QUESTIONS, MOST_SESSIONS
from .static_requests import NAME
from .workspace_roots import choose_roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from ..agent.answers import Answer
    from ..agent.diagnostics.report import Diagnoser, EditedFile, Report
    from ..agent.read_checks import Mode
    from ..workspace.workspace import Workspace
    from .server_settings import ServerSettings


class ClientSession:
    """The session of one client, with the questions that are open.

    They are known by the fingerprints of what they are about, and outlive the call that asked.
    """

    def __init__(self, session: Session, questions: dict[str, asyncio.Task[Answer]]) -> None:
        self.session = session
        self.questions = questions
        #: The arguments of the client's own that the model was told about.
        self.ignored_arguments: set[str] = set()
        self.calls = 0
        self.last_call = monotonic()

    def ask(self, fingerprint: str, request_id: str, ask: Callable[[], Awaitable[Answer]]) -> asyncio.Task[Answer]:
        """The question about something: the one that is open, or a new one. Its name is the id of its request."""
        question = self.questions.get(fingerprint)
        if question is None:
            question = self.questions[fingerprint] = asyncio.create_task(_run(ask), name=request_id)
            if len(self.questions) > MOST_QUESTIONS:
                self.questions.pop(next(iter(self.questions))).cancel()
        return question

    async def close(self) -> None:
        """Withdraw the questions and end the session."""
        await _withdraw(self.questions)
        await self.session.close()


async def _withdraw(questions: dict[str, asyncio.Task[Answer]]) -> None:
    for question in questions.values():
        question.cancel()
    if questions:
        await asyncio.wait(questions.values())
    questions.clear()


async def _run(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    return await ask()


class _SharedDiagnoser:
    """A diagnoser that several sessions use, so that none of them closes it."""

    def __init__(self, diagnoser: Diagnoser) -> None:
        self._diagnoser = diagnoser
        #: Whether it can check texts that are not on the disk.
        self.checks_texts = getattr(diagnoser, "checks_texts", False)

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """Check one file."""
        return await self._diagnoser.check(path, before, after, timeout=timeout)

    async def check_all(self, edited: Sequence[EditedFile], *, timeout: float) -> list[Report]:
        """Check files that were edited together."""
        return await check_all(self._diagnoser, edited, timeout=timeout)

    async def close(self) -> None:
        """Leave it to the server."""


class _Place(Value):
    """A workspace, and the settings of the sessions in it."""

    workspace: Workspace
    settings: Mapping[str, Any]
    diagnoser: Diagnoser | None

    def __hash__(self) -> int:
        return id(self.workspace)


class SessionPool:
    """The sessions of a server by their keys."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._profile = profile_named(settings.profile)  # sessions add the tools for isolation
        if "read" in self._profile.tools:
            # The client may have a tool of that name as well.
            self._profile = self._profile.replace(reader=f"the tool {self._profile.tools['read']} of {NAME}")
        self._places: dict[tuple[str, ...], _Place] = {}
        self._sessions: dict[str, asyncio.Task[ClientSession]] = {}
        self._cleaner: asyncio.Task[None] | None = None
        #: The questions of calls without a session. Whoever sends the same call again gets the answer.
        self._questions: dict[str, asyncio.Task[Answer]] = {}

    @asynccontextmanager
    async def session(
        self, key: str | None, actor: str, find_roots: Callable[[], Awaitable[Sequence[str]]]
    ) -> AsyncIterator[ClientSession]:
        """The session of a client for one call.

        Without a key it is a session for this call alone. It can't know what was read before, so an edit has to fit
        exactly one place instead.

        Raises:
            SutureError: there is no workspace, or its configuration is wrong, or there are too many sessions.
        """
        if key is None:
            client = await self._make(actor, find_roots, self._questions)
            try:
                yield client
            finally:
                await _to_end(client.session.close())
            return
        client = await self._find(key, actor, find_roots)
        client.calls += 1
        try:
            yield client
        finally:
            client.calls -= 1
            client.last_call = monotonic()

    async def close(self) -> None:
        """End all sessions, then close what they shared."""
        if self._cleaner is not None:
            self._cleaner.cancel()
        for key in list(self._sessions):
            await self._end(key)
        await _withdraw(self._questions)
        for place in self._places.values():
            if place.diagnoser is not None:
                await place.diagnoser.close()
            place.workspace.close()
        self._places.clear()

    async def _find(self, key: str, actor: str, find_roots: Callable[[], Awaitable[Sequence[str]]]) -> ClientSession:
        """The session of a key, made if it is missing. One that could not be made is forgotten."""
        made = self._sessions.get(key)
        if made is None:
            await self._make_room()
            made = self._sessions.get(key)
        if made is None:
            # A task of its own: another call may wait for the session when this one is cancelled.
            made = self._sessions[key] = asyncio.ensure_future(self._make(actor, find_roots))
            self._cleaner = self._cleaner or asyncio.ensure_future(self._clean())
        try:
            return await asyncio.shield(made)
        except BaseException:
            if made.done() and (made.cancelled() or made.exception()) and self._sessions.get(key) is made:
                del self._sessions[key]
            raise

    async def _make(
        self,
        actor: str,
        find_roots: Callable[[], Awaitable[Sequence[str]]],
        shared: dict[str, asyncio.Task[Answer]] | None = None,
    ) -> ClientSession:
        """A new session. One for a single call shares its questions with others of that kind."""
        if shared is not None and self._settings.isolated:
            message = "This client has no session, so its changes can't be isolated."
            hint = "The user can start the server without --isolated, or use it over standard input and output."
            raise PatchRejectedError([Problem("invalid_arguments", message, hint=hint, recoverable=False)])
        explicit = self._settings.root
        roots = choose_roots(explicit, await find_roots() if explicit is None else ())
        place = self._places.get(roots)
        if place is None:
            place = self._places[roots] = self._open(roots)
        reads: dict[str, Mode] = {}
        if shared is not None:
            reads = {tool: "exact" for tool, mode in READ_MODES.items() if mode in ("require", "rebase")}
        elif self._settings.reads == "exact":
            reads = dict.fromkeys(("edit", "multiedit", "insert"), "exact")
        session = Session(
            place.workspace,
            profile=self._profile,
            reads={**reads, **self._profile.reads},
            keep_always=self._settings.keep_always,
            actor=actor,
            isolated=self._settings.isolated,
            claims=self._settings.claims,
            diagnoser=None if place.diagnoser is None else _SharedDiagnoser(place.diagnoser),
            **place.settings,
        )
        return ClientSession(session, {} if shared is None else shared)

    def _open(self, roots: tuple[str, ...]) -> _Place:
        root, *others = roots
        configuration = load(root, upward=False)
        workspace = open_project(
            root,
            configuration=configuration,
            for_session=True,
            extra_roots=others,
            durability=self._settings.durability,
        )
        session_settings = configuration.session_settings(root)
        diagnoser = session_settings.pop("diagnoser", None)
        return _Place(workspace, session_settings, diagnoser)

    async def _make_room(self) -> None:
        if len(self._sessions) < MOST_SESSIONS:
            return
        idle = [(client.last_call, key) for key, client in self._idle()]
        if not idle:
            message = f"The server has {MOST_SESSIONS} sessions, and all of them are busy."
            raise PatchRejectedError([Problem("locked", message, hint="Send the call again later.")])
        await self._end(min(idle)[1])

    def _idle(self) -> list[tuple[str, ClientSession]]:
        """The sessions without calls."""
        made = [(key, task) for key, task in self._sessions.items() if task.done() and not task.cancelled()]
        clients = [(key, task.result()) for key, task in made if task.exception() is None]
        return [(key, client) for key, client in clients if not client.calls]

    async def _clean(self) -> None:
        """End sessions that have been idle for too long."""
        timeout = self._settings.session_timeout
        while True:
            await asyncio.sleep(min(timeout / 4, 30.0))
            for key, client in self._idle():
                if client.last_call < monotonic() - timeout and not client.calls:
                    await self._end(key)

    async def _end(self, key: str) -> None:
        made = self._sessions.pop(key, None)
        if made is not None:
            with suppress(Exception, asyncio.CancelledError):
                client = await made
                await client.close()


async def _to_end(closing: Awaitable[None]) -> None:
    """Wait until something is closed, also if the call is cancelled meanwhile."""
    task = asyncio.ensure_future(closing)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.done():
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        raise
