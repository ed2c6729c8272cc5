"""What can be set about the server. Nothing here needs the SDK."""

from __future__ import annotations

from ..agent.profiles import isolated_profile, profile_named
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..agent.profiles import Profile

#: Who is asked for an approval: the user through the client, the client on its own, or another process.
APPROVERS = ("elicit", "client", "queue")


class ServerSettings(Value):
    """The settings of a server.

    Clients commonly give up on a call after 60 seconds. So a call waits `approval_timeout` seconds for an answer and
    then says that the question is still open. A session without calls ends after `session_timeout` seconds.
    """

    root: str | None = None
    profile: str = "core"
    approve: Literal["elicit", "client", "queue"] = "elicit"
    #: Whether an edit of a file that was not read is accepted if it fits exactly one place: for clients whose own read
    #: tool stays.
    reads: Literal["require", "exact"] = "require"
    #: What a commit survives; empty means as configured.
    durability: Literal["", "full", "process"] = ""
    #: The directory for `queue`; empty means the one of the workspace in the state directory.
    approvals: str = ""
    approval_timeout: float = 50.0
    keep_always: bool = False
    #: Whether each session works in isolation until it merges.
    isolated: bool = False
    #: For how many seconds a read claims a file; None claims nothing.
    claims: float | None = None
    session_timeout: float = 1800.0
    #: Whether results have structured content. Some clients then hide the text from the model.
    structured: bool = False
    #: The interval of progress reports in seconds.
    heartbeat: float = 5.0

    @property
    def tools(self) -> Profile:
        """The profile, with the tools that isolated sessions have."""
        profile = profile_named(self.profile)
        return isolated_profile(profile) if self.isolated else profile
