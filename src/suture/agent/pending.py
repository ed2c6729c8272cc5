"""A call that waits for an answer, as a value that another process can store and go on with.

The fingerprint covers everything that an approval is about: the tool, its arguments, the permission, the resolved
paths, and the hashes of every file before and after. It does not depend on what was shown, since the diff of a binary
file is empty. An answer holds for one fingerprint and for nothing else.
"""

from __future__ import annotations

from hashlib import sha256
from json import dumps

from ..core.json_values import JsonValue, to_data
from ..core.value import Value
from .answers import Answer  # noqa: TC001 - `from_json` looks these up by their names
from .requests import Request, rule_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from ..core.outcome import Plan
    from ..core.record import Snapshot
    from .result import Result


class Pending(JsonValue):
    """A call that waits for an answer to `request`. Nothing was written. Pass it to `Session.resume`.

    Store it with `to_json`. Whoever can change a stored one can change what a person is shown, so keep it where only
    your program can write, or sign it.
    """

    tool: str
    arguments: Mapping[str, object]
    request: Request
    #: What the answer is good for; see `fingerprint_of`.
    fingerprint: str
    #: The answers to earlier questions of the same call, by their fingerprints.
    answers: Mapping[str, Answer] = {}
    #: What the model has read of the files of the call, by absolute path; see `Reads.current`.
    reads: Mapping[str, str] = {}
    #: Notices for the model that the answer of the tool will contain.
    notices: tuple[str, ...] = ()
    #: The id of the earlier request that this one replaces, because what it was about has changed.
    replaces: str = ""

    def __hash__(self) -> int:
        return hash((self.request.id, self.fingerprint))


class Preview(Value):
    """What `Session.start` would do with a call.

    `action` is "allow" if the call would run, "ask" if it would end as a `Pending`, "deny" if a rule denies it, and
    "fail" if it can't be done, whatever the rules say. `result` is what the model would be told: the changes, or the
    reason of a refusal. `request` and `fingerprint` are those of the question; without a question they are empty.
    """

    action: Literal["allow", "ask", "deny", "fail"]
    result: Result
    request: Request | None = None
    fingerprint: str = ""


class UnansweredError(Exception):
    """A call has come to a question that it has no answer to."""

    def __init__(self, request: Request, fingerprint: str, plan: Plan | None) -> None:
        super().__init__(request.id)
        self.request = request
        self.fingerprint = fingerprint
        self.plan = plan
        #: What `Pending` carries besides.
        self.reads: Mapping[str, str] = {}
        self.notices: tuple[str, ...] = ()


class PreviewEndError(Exception):
    """A preview has come to the point at which the call would change or show something."""

    def __init__(self, plan: Plan | None, request: Request | None) -> None:
        super().__init__("the end of a preview")
        self.plan = plan
        self.request = request


def fingerprint_of(tool: str, arguments: Mapping[str, object], request: Request, plan: Plan | None) -> str:
    """The SHA-256 of everything that an approval is about. Without a plan nothing is written, and paths are enough."""
    files = () if plan is None else plan.files
    about = [
        [tool, to_data(arguments), request.permission],
        [[file.kind, file.mode, *map(list, rule_names(file))] for file in request.files],
        [[file.path, *_state(file.before), *_state(file.after), file.moved_from] for file in files],
    ]
    return sha256(dumps(about, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _state(snapshot: Snapshot) -> tuple[object, ...]:
    return snapshot.kind, snapshot.sha256, snapshot.target
