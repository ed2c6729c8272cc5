"""One call of the HTTP API: what it asks for, and how what goes wrong becomes an answer."""

from __future__ import annotations

import json
from contextlib import nullcontext
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ..agent.threads import in_thread
from ..core.problems import SutureError
from ..core.readers import COMMAND
from ..words.notebook_diff import cell_hunks
from .diff_view import hunk_view
from .inbox import RefusedAnswerError
from .page_views import json_response, request_view
from .review_limits import LONGEST_ROW, MOST_ROWS_AT_ONCE, MOST_UNCHANGED_LINES

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from starlette.exceptions import HTTPException
    from starlette.requests import Request as HttpRequest

    from ..core.outcome import Change
    from .file_texts import FileTexts

T = TypeVar("T")
#: How many commits, answers and refused edits a list has unless a caller asks for fewer.
PAGE = 100


class ApiCallError(Exception):
    """A request that can't be fulfilled, as an answer."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.data = {"code": code, "message": message}


class ApiCall:
    """One call of the API: its path, its query and its body."""

    def __init__(self, request: HttpRequest, body: dict[str, Any]) -> None:
        self._query = request.query_params
        self.id: str = request.path_params.get("id", "")
        self.file = whole_number("file", request.path_params.get("file", "0"))
        self.hunk = whole_number("hunk", request.path_params.get("hunk", "0"))
        self.body = body

    def about(self, request_id: str, body: dict[str, Any]) -> ApiCall:
        """The same call about another request."""
        other = copy(self)
        other.id, other.body = request_id, body
        return other

    def text(self, name: str) -> str:
        """What the query has under a name; empty if nothing."""
        return str(self._query.get(name, ""))

    @property
    def side(self) -> str:
        """Which side of a change it is about."""
        return "before" if self.text("side") == "before" else "after"

    def lines(self, lines: list[T]) -> tuple[int, list[T]]:
        """Some of these lines, as it asks for them, and the number of the first."""
        first = max(1, self.number("first", 1))
        last = min(self.number("last", first), first + MOST_UNCHANGED_LINES - 1)
        return first, lines[first - 1 : last]

    def number(self, name: str, default: int, most: int = 10**9) -> int:
        """The number that the query has under a name."""
        text = self.text(name)
        return min(whole_number(name, text), most) if text else default

    def body_number(self, name: str) -> int:
        """The number that the body has under a name."""
        value = self.body.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**9:
            raise ApiCallError(422, "invalid", f"{name} is a number.")
        return value

    def seconds(self, name: str, default: float) -> float:
        """The time that the query has under a name."""
        try:
            return float(self.text(name) or default)
        except ValueError:
            raise ApiCallError(422, "invalid", f"{name} is a time in seconds since 1970.") from None


def lines_of(texts: FileTexts, side: str) -> list[str]:
    """The lines of a file before or after; an answer that says why not, if they are not known."""
    text: str | None = getattr(texts, side)
    if text is None:
        raise ApiCallError(409, "no_text", texts.reason or f"There is no file {side}.")
    return text.removesuffix("\n").split("\n")


def whole_number(name: str, text: str) -> int:
    """A number that was sent as text."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ApiCallError(422, "invalid", f"{name} is a number.")
    return int(text)


def asked_hunk(file: Change, call: ApiCall) -> object:
    """The rows of a hunk that a call asks for."""
    hunks = cell_hunks(file.path, file.hunks)
    if not 1 <= call.hunk <= len(hunks):
        raise ApiCallError(404, "not_found", f"The file has {len(hunks)} hunks, counted from 1.")
    rows = call.number("rows", MOST_ROWS_AT_ONCE, most=MOST_ROWS_AT_ONCE)
    longest = None if call.text("whole") else LONGEST_ROW
    return hunk_view(hunks[call.hunk - 1], call.hunk, call.number("start", 0), rows, longest=longest)


def handle_call(act: Callable[[ApiCall], Any], turn: asyncio.Lock | None = None) -> Callable[[HttpRequest], Any]:
    """A route that runs in a thread, since it reads files. What goes wrong becomes an answer.

    Routes that share a turn take one thread together: what may be slow leaves the others to the answers of a person.
    """

    async def handle(request: HttpRequest) -> Response:
        try:
            call = ApiCall(request, await _body(request))
            async with turn or nullcontext():
                result = await in_thread(act, call)
        except ApiCallError as error:
            return json_response(error.data, error.status)
        except RefusedAnswerError as error:
            return _refused_answer(error, request.method)
        except SutureError as error:
            return _failure(error)
        except ValueError as error:
            return json_response({"code": "invalid", "message": str(error)}, 422)
        except OSError as error:
            return json_response({"code": "failed", "message": f"{error.strerror or error}."}, 500)
        return result if isinstance(result, Response) else json_response(result)

    return handle


def _refused_answer(error: RefusedAnswerError, method: str) -> Response:
    """The response when a request is no longer pending, or has changed: with the request as it is now."""
    status = 404 if method == "GET" else 409
    if error.item is None:
        return json_response({"code": "not_pending", "message": error.reason, "request": None}, status)
    return json_response({"code": "changed", "message": error.reason, "request": request_view(error.item)}, status)


def _failure(error: SutureError) -> Response:
    """The response for an error, with its first problem in the words of the command line."""
    if not error.problems:
        return json_response({"code": "failed", "message": str(error)}, 409)
    problem = error.told_to(COMMAND).problems[0]
    message = " ".join(filter(None, [problem.message, problem.hint]))
    status = 404 if problem.code == "not_found" else 409
    return json_response({"code": problem.code, "message": message}, status)


async def no_route(_: HttpRequest, error: HTTPException) -> Response:
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
        raise ApiCallError(422, "invalid", "The body is a JSON object.")
    return body
