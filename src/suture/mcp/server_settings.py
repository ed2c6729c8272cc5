"""What can be set about the server. Nothing here needs the SDK."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

#: Who is asked for an approval: the user through the client, the client on its own, or another process.
APPROVERS = ("elicit", "client", "queue")
#: The largest message of a client, in bytes. A larger one is refused.
LARGEST_CLIENT_MESSAGE = 16 * 1024 * 1024
#: How many sessions there may be.
MOST_SESSIONS = 1000


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
    session_timeout: float = 1800.0
    #: Whether results have structured content. Some clients then hide the text from the model.
    structured: bool = False
    #: The interval of progress reports in seconds.
    heartbeat: float = 5.0
