"""Requests and answers in a directory another process can answer in. `state/approval_requests.py` has its files."""

from __future__ import annotations

from contextlib import suppress

from ..state.approval_requests import NotPendingError, RequestFiles, not_pending
from .answer_log import AnswerLog, answer_line
from .answers import Answer
from .requests import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from ..state.backend import ApprovalBackend


class ApprovalFolder:
    """A directory of pending requests. One process writes them; any other process of the same user may answer.

    It must be outside the workspace: whoever can write there can approve. `poll` is the interval in seconds at which
    the asking process looks for answers.
    """

    def __init__(self, path: str | os.PathLike[str], *, poll: float = 0.05) -> None:
        self.poll = poll
        self._kept: ApprovalBackend = RequestFiles(path, read_request)
        self.path = self._kept.path
        #: What became of the closed requests.
        self.log = AnswerLog(self._kept.log)

    # For the process that asks.

    def put(self, request: Request) -> None:
        """Open a request.

        Raises:
            OSError: the directory can't be written, or other users can write there.
        """
        self._kept.put(request.id, request.to_json())

    def extend(self, request_id: str, deadline: float) -> None:
        """Say that the agent waits again, until another time. A request that is closed meanwhile is left alone."""
        self._kept.extend(request_id, deadline)

    def answer(self, request: Request) -> Answer | None:
        """The answer to a request, if there is one. An invalid answer is removed."""
        text = self._kept.answer(request.id)
        if text is None:
            return None
        try:
            answer = Answer.from_json(text)
            answer.check(request)
        except ValueError:
            self._kept.remove_answer(request.id)
            return None
        return answer

    def check_outside(self, roots: Iterable[str]) -> None:
        """Refuse a directory inside a workspace, in which the model could approve its own edits.

        Raises:
            ValueError: it is inside one of these roots, or a link on its path is, which the model could replace.
        """
        self._kept.check_outside(roots)

    def withdraw(self, request: Request, answer: Answer | None = None) -> None:
        """Close a request, and log its answer if it has one. After that it can't be answered."""
        self._kept.withdraw(request.id, answer_line(request, answer))

    # For the process that answers.

    def pending(self) -> list[Request]:
        """The pending requests, oldest first."""
        requests = []
        for name in self.ids():
            with suppress(NotPendingError):
                requests.append(self.request(name))
        return requests

    def ids(self) -> list[str]:
        """The ids of what may be pending, oldest first. `request` says which are."""
        return self._kept.ids()

    def reply(self, request_id: str, answer: Answer) -> None:
        """Answer a request. The first answer counts.

        Raises:
            NotPendingError: the request was answered or withdrawn, or the process that asked is gone.
            ValueError: it does not answer this request.
        """
        answer.check(self.request(request_id))
        self._kept.reply(request_id, answer.to_json())

    def request(self, name: str) -> Request:
        """One pending request.

        Raises:
            NotPendingError: it was answered or withdrawn, or the process that asked is gone.
            ValueError: it is not an id.
        """
        _, text = self.look(name)
        try:
            return read_request(name, text or "")
        except ValueError:
            raise NotPendingError(not_pending(name)) from None

    def deadline(self, request: Request) -> float:
        """Until when the agent waits for an answer to a request; 0 if it waits as long as it takes."""
        later = self._kept.deadline(request.id)
        return request.deadline if later is None else later

    def claim_notice(self, name: str) -> bool:
        """Whether nobody was told about a request yet; from now on, somebody was.

        Raises:
            OSError: there is no such request.
            ValueError: it is not an id.
        """
        return self._kept.claim_notice(name)

    def look(self, name: str, known: int = -1) -> tuple[int, str | None]:
        """The text of a pending request, and the number of its file; no text if that number is `known`.

        Raises:
            NotPendingError: it was answered or withdrawn, or the process that asked is gone.
            ValueError: it is not an id.
        """
        return self._kept.look(name, known)


def read_request(name: str, text: str) -> Request:
    """The request in the directory of this name.

    Raises:
        ValueError: it is not a request, or that of a different directory, where an answer would not find it.
    """
    request = Request.from_json(text)
    if request.id != name:
        message = f"expected the request {name}; found {request.id!r}"
        raise ValueError(message)
    return request
