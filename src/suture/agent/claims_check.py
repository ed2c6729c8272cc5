"""Claims: files that another session has read and not finished with. They are advice, with a time limit.

A session with `claims` claims what it reads, and keeps out of what others claim: its call is refused. Any other session
is only told.
"""

from __future__ import annotations

from time import time

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem
from ..core.system_errors import methods_report_system_errors, reports_system_errors
from ..core.value import Value
from ..state.claims import ClaimFile, claimants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..workspace.workspace import Workspace


class Claim(Value):
    """A file that a session has read and not finished with."""

    path: str
    session: str
    actor: str
    #: When it was read, and when the claim ends.
    time: float
    until: float

    @property
    def who(self) -> str:
        """The claimant, for a message."""
        return safe_text(self.actor) or f"the session {safe_text(self.session)}"


@methods_report_system_errors
class Claims:
    """The claims of a session, and those of others. `seconds` is how long a read claims a file; None claims nothing."""

    def __init__(self, workspace: Workspace, session: str, actor: str, seconds: float | None) -> None:
        self._workspace = workspace
        self._session = session
        state = workspace.state.folder() if seconds is not None else None
        self._file = None if state is None or seconds is None else ClaimFile(state, session, actor, seconds)

    @property
    def keeps_out(self) -> bool:
        """Whether the session keeps out of what others claim."""
        return self._file is not None

    def release(self, paths: Iterable[str]) -> None:
        """Finish with files, by their absolute paths."""
        if self._file is not None:
            self._file.release(paths)

    def close(self) -> None:
        """Claim nothing any more."""
        if self._file is not None:
            self._file.close()

    def check(self, paths: Mapping[str, str]) -> list[str]:
        """Notices on files that others claim: absolute paths, each with the name that messages have for it.

        Raises:
            PatchRejectedError: the session keeps out of them (`locked`).
        """
        claims = [one for one in live_claims(self._workspace) if one.session != self._session and one.path in paths]
        if claims and self._file is not None:
            raise PatchRejectedError([_claimed(paths[one.path], one) for one in claims])
        return [_sentence(paths[one.path], one) for one in claims]


@reports_system_errors
def live_claims(workspace: Workspace) -> list[Claim]:
    """The claims of all living sessions in a workspace.

    Raises:
        PatchRejectedError: a session can't be looked at, and may claim anything (`io_error`).
    """
    claims: list[Claim] = []
    now = time()
    for one in claimants(workspace.state):
        for path, when in workspace.records_of(one.session).reads_since(now - one.seconds):
            if when > one.released.get(path, 0.0):
                claims.append(Claim(path, one.session, one.actor, when, when + one.seconds))
    return claims


def _sentence(display_path: str, claim: Claim) -> str:
    seconds = max(0, round(time() - claim.time))
    return f"{claim.who} read {display_path} {seconds} s ago and may be working on it."


def _claimed(display_path: str, claim: Claim) -> Problem:
    left = max(1, round(claim.until - time()))
    message = f"{_sentence(display_path, claim)} This session keeps out of such files."
    hint = f"Do something else first. The claim ends when that session finishes, or in {left} s without a read."
    details = {"path": display_path, "actor": claim.actor, "session": claim.session, "seconds": left}
    return Problem("locked", message, display_path, None, details, hint, reason="claimed")
