"""The page and the HTTP API of `suture review`: routes only; what they show comes from the modules beside it.

`gate` refuses requests that come neither from the page nor with the token.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ..agent.answers import Answer
from ..agent.connection_limits import ConnectionLimits
from ..core.problems import SutureError
from ..core.readers import COMMAND
from ..words.write_diff import join_sections
from .api_schema import ANSWER_FIELDS, ANSWER_KINDS, api_schema
from .diff_view import LONGEST_LINE, MOST_ROWS_AT_ONCE, cut_line, hunk_view
from .event_stream import EventStream
from .explanations import Explanations
from .gate import EXCHANGE_PATH, Gate
from .inbox import Inbox, RefusedAnswerError
from .one_time_link import OneTimeCode
from .page_views import (
    answer_row,
    blame_view,
    commit_row,
    commit_view,
    explanation_view,
    json_response,
    refused_row,
    request_row,
    request_view,
)
from .timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request as HttpRequest

    from ..core.line_hunks import LineHunk
    from ..workspace.outcome import Change
    from .review_settings import ReviewSettings

STATIC = Path(__file__).parent / "static"
#: How many commits, answers and refused edits a list has unless a caller asks for fewer.
PAGE = 100
#: The most unchanged lines that are sent at once.
MOST_LINES = 500
#: How often a review of one request looks whether that is closed, in seconds.
POLL = 0.2


class _ApiError(Exception):
    """A request that can't be fulfilled, as an answer."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.data = {"code": code, "message": message}


class ReviewServer:
    """The routes. `token` is a new one by default."""

    def __init__(
        self,
        settings: ReviewSettings,
        *,
        token: str | None = None,
    ) -> None:
        self._inbox = Inbox(settings.approvals)
        self.settings = settings
        self.token = token_urlsafe(24) if token is None else token
        self.code = OneTimeCode()
        self.limits = ConnectionLimits()
        self.events = EventStream(self._inbox, settings.approvals, [settings.root])

    def app(self) -> Gate:
        """The ASGI application."""
        one, file = "/api/requests/{id}", "/api/requests/{id}/files/{file}"
        commit = "/api/commits/{id}"
        routes = [
            Route("/api/openapi.json", _handle(self._schema)),
            Route("/api/events", self._events),
            Route("/api/requests", _handle(self._requests)),
            Route(one, _handle(self._request)),
            Route(f"{one}/diff", _handle(self._diff)),
            Route(f"{file}/hunks/{{hunk}}", _handle(self._hunk)),
            Route(f"{file}/lines", _handle(self._lines)),
            Route(f"{one}/answer", _handle(self._answer), methods=["POST"]),
            Route(f"{one}/coverage", _handle(self._coverage), methods=["POST"]),
            Route("/api/answers", _handle(self._answers)),
            Route("/api/workspaces", _handle(self._workspaces)),
            Route("/api/commits", _handle(self._commits)),
            Route(commit, _handle(self._commit)),
            Route(f"{commit}/files/{{file}}/hunks/{{hunk}}", _handle(self._commit_hunk)),
            Route(f"{commit}/undo", _handle(self._undo), methods=["POST"]),
            Route(f"{commit}/redo", _handle(self._redo), methods=["POST"]),
            Route("/api/blame", _handle(self._blame)),
            Route("/api/refused", _handle(self._refused)),
            Route("/api/refused/{id}", _handle(self._explanation)),
            Route(EXCHANGE_PATH, _handle(self._exchange), methods=["POST"]),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]
        app = Starlette(routes=routes, lifespan=self._lifespan, exception_handlers={HTTPException: _no_route})
        return Gate(app, self.token, self.settings.host, self.limits)

    def _exchange(self, call: _ApiCall) -> object:
        code = call.body.get("code")
        if not isinstance(code, str) or not self.code.take(code):
            raise _ApiError(403, "wrong_code", "This link was used before, or is too old.")
        return {"token": self.token}

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        watching = asyncio.ensure_future(self.events.run())
        try:
            yield
        finally:
            self.events.close()
            await watching

    async def _events(self, _: HttpRequest) -> Response:
        return StreamingResponse(self.events.listen(), media_type="text/event-stream")

    def _schema(self, _: _ApiCall) -> object:
        return api_schema()

    async def wait_for_end(self) -> None:
        """Wait until the one request that this review is for is closed; for ever if it is for all."""
        while self.settings.request:
            try:
                await asyncio.to_thread(self._inbox.item, self.settings.request)
            except RefusedAnswerError:
                return
            await asyncio.sleep(POLL)
        await asyncio.Event().wait()

    # Requests.

    def _requests(self, call: _ApiCall) -> object:
        limit = call.number("limit", 1000, most=1000)
        items = self._inbox.pending()
        return {"requests": [request_row(item) for item in items[:limit]], "total": len(items)}

    def _request(self, call: _ApiCall) -> object:
        return request_view(self._inbox.item(call.id), call.number("files", 0))

    def _file(self, call: _ApiCall) -> Change:
        files = self._inbox.item(call.id).request.files
        if not call.file < len(files):
            raise _ApiError(404, "not_found", f"The request has {len(files)} files, counted from 0.")
        return files[call.file]

    def _hunk(self, call: _ApiCall) -> object:
        return _hunk(self._file(call).hunks, call)

    def _lines(self, call: _ApiCall) -> object:
        texts = self._inbox.texts(call.id, self._file(call).path)
        if texts.before is None:
            raise _ApiError(409, "no_text", texts.reason or "There is no file before.")
        first = max(1, call.number("first", 1))
        last = min(call.number("last", first), first + MOST_LINES - 1)
        lines = texts.before.removesuffix("\n").split("\n")[first - 1 : last]
        return {"first": first, "lines": [cut_line(line) for line in lines]}

    def _diff(self, call: _ApiCall) -> Response:
        request = self._inbox.item(call.id).request
        data = join_sections([file.section for file in request.files]).encode("utf-8", "surrogateescape")
        headers = {"Content-Disposition": 'attachment; filename="request.diff"'}
        return Response(data, media_type="text/plain; charset=utf-8", headers=headers)

    def _answer(self, call: _ApiCall) -> object:
        given = dict(call.body)
        fingerprint = given.pop("fingerprint", None)
        if not isinstance(fingerprint, str) or given.get("kind") not in ANSWER_KINDS:
            raise _ApiError(422, "invalid", f"An answer has a fingerprint, and a kind of {', '.join(ANSWER_KINDS)}.")
        if unknown := given.keys() - ANSWER_FIELDS:
            raise _ApiError(422, "invalid", f"An answer has no field {min(unknown)!r}.")
        self._inbox.answer(call.id, Answer.from_json(json.dumps(given)), fingerprint)
        return {"id": call.id, "kind": given["kind"]}

    def _coverage(self, call: _ApiCall) -> object:
        patterns = call.body.get("patterns", [])
        if not isinstance(patterns, list) or not all(isinstance(one, str) and one.strip() for one in patterns):
            raise _ApiError(422, "invalid", "The patterns are a list of globs.")
        found = self._inbox.coverage(call.id, patterns)
        fields = {name: list(getattr(found, name)) for name in ("patterns", "files", "requests")}
        return fields | {"more": found.more, "cut": found.cut, "complete": found.is_complete}

    def _answers(self, call: _ApiCall) -> object:
        return {
            "answers": [answer_row(record) for record in self._inbox.history(call.number("limit", PAGE, most=1000))]
        }

    # History.

    def _workspaces(self, _: _ApiCall) -> object:
        return {"workspaces": self._known_roots()}

    def _known_roots(self) -> list[str]:
        return list(dict.fromkeys([self.settings.root, *self._inbox.workspaces()]))

    @contextmanager
    def _timeline(self, call: _ApiCall) -> Iterator[Timeline]:
        timeline = Timeline.open(self._root(call))
        with timeline.workspace:
            yield timeline

    def _root(self, call: _ApiCall) -> str:
        roots = self._known_roots()
        root = call.text("workspace") or call.body.get("workspace") or (roots[0] if roots else "")
        if root not in roots:
            raise _ApiError(404, "not_found", "There is no such workspace here; /api/workspaces lists them.")
        return str(root)

    def _commits(self, call: _ApiCall) -> object:
        limit = call.number("limit", PAGE, most=1000)
        with self._timeline(call) as timeline:
            found = timeline.commits(
                limit + 1,
                before=call.text("before") or None,
                path=call.text("path") or None,
                session=call.text("session"),
                since=call.seconds("since", 0.0),
                until=call.seconds("until", float("inf")),
            )
        return {"commits": [commit_row(receipt) for receipt in found[:limit]], "more": len(found) > limit}

    def _commit(self, call: _ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_view(timeline.commit(call.id), timeline.reversal(call.id))

    def _commit_hunk(self, call: _ApiCall) -> object:
        with self._timeline(call) as timeline:
            changes = timeline.commit(call.id).changes
        if not call.file < len(changes):
            raise _ApiError(404, "not_found", f"The commit has {len(changes)} changes, counted from 0.")
        return _hunk(changes[call.file].hunks, call)

    def _undo(self, call: _ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_row(timeline.undo(call.id, merge=call.body.get("merge") is True))

    def _redo(self, call: _ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_row(timeline.redo(call.id, merge=call.body.get("merge") is True))

    def _blame(self, call: _ApiCall) -> object:
        with self._timeline(call) as timeline:
            return blame_view(timeline.blame(call.text("path")))

    # Refused edits.

    def _refused(self, call: _ApiCall) -> object:
        edits = Explanations(self._root(call)).refused(call.number("limit", PAGE, most=1000))
        return {"refused": [refused_row(edit) for edit in edits]}

    def _explanation(self, call: _ApiCall) -> object:
        try:
            return explanation_view(Explanations(self._root(call)).explanation(call.id))
        except KeyError:
            raise _ApiError(404, "not_found", "The refused edit is no longer kept.") from None


class _ApiCall:
    """One call of the API: its path, its query and its body."""

    def __init__(self, request: HttpRequest, body: dict[str, Any]) -> None:
        self._query = request.query_params
        self.id: str = request.path_params.get("id", "")
        self.file = _number("file", request.path_params.get("file", "0"))
        self.hunk = _number("hunk", request.path_params.get("hunk", "0"))
        self.body = body

    def text(self, name: str) -> str:
        return str(self._query.get(name, ""))

    def number(self, name: str, default: int, most: int = 10**9) -> int:
        text = self.text(name)
        return min(_number(name, text), most) if text else default

    def seconds(self, name: str, default: float) -> float:
        try:
            return float(self.text(name) or default)
        except ValueError:
            raise _ApiError(422, "invalid", f"{name} is a time in seconds since 1970.") from None


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _ApiError(422, "invalid", f"{name} is a number.")
    return int(text)


def _hunk(hunks: tuple[LineHunk, ...], call: _ApiCall) -> object:
    if not 1 <= call.hunk <= len(hunks):
        raise _ApiError(404, "not_found", f"The file has {len(hunks)} hunks, counted from 1.")
    rows = call.number("rows", MOST_ROWS_AT_ONCE, most=MOST_ROWS_AT_ONCE)
    longest = None if call.text("whole") else LONGEST_LINE
    return hunk_view(hunks[call.hunk - 1], call.hunk, call.number("start", 0), rows, longest=longest)


def _handle(act: Callable[[_ApiCall], Any]) -> Callable[[HttpRequest], Any]:
    """A route that runs in a thread, since it reads files. What goes wrong becomes an answer."""

    async def handle(request: HttpRequest) -> Response:
        try:
            call = _ApiCall(request, await _body(request))
            found = await asyncio.to_thread(act, call)
        except _ApiError as error:
            return json_response(error.data, error.status)
        except RefusedAnswerError as error:
            status = 404 if request.method == "GET" else 409
            now = None if error.item is None else request_view(error.item)
            code = "not_pending" if now is None else "changed"
            return json_response({"code": code, "message": error.reason, "request": now}, status)
        except SutureError as error:
            problem = error.told_to(COMMAND).problems[0] if error.problems else None
            message = " ".join(filter(None, [problem.message, problem.hint])) if problem else str(error)
            status = 404 if problem is not None and problem.code == "not_found" else 409
            return json_response({"code": problem.code if problem else "failed", "message": message}, status)
        except ValueError as error:
            return json_response({"code": "invalid", "message": str(error)}, 422)
        except OSError as error:
            return json_response({"code": "failed", "message": f"{error.strerror or error}."}, 500)
        return found if isinstance(found, Response) else json_response(found)

    return handle


async def _no_route(_: HttpRequest, error: HTTPException) -> Response:
    """The answer for a path or a method that there is not."""
    code = "wrong_method" if error.status_code == 405 else "not_found"
    return json_response({"code": code, "message": f"{error.detail}."}, error.status_code)


async def _body(request: HttpRequest) -> dict[str, Any]:
    if request.method != "POST":
        return {}
    try:
        body = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError, ClientDisconnect):
        body = None
    if not isinstance(body, dict):
        raise _ApiError(422, "invalid", "The body is a JSON object.")
    return body
