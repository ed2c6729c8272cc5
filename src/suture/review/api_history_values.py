"""What the HTTP API of `suture review` answers about what was done and what was refused, as types."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from .api_values import ComparedRowJson, Count, FileJson, Time  # noqa: TC001 - a schema is made of them


class WorkspacesJson(TypedDict):
    """The workspaces that have requests or were named."""

    workspaces: list[str]


class ClaimJson(TypedDict):
    """A file that a session at work has read and not finished with."""

    path: str
    session: str
    actor: str
    time: Annotated[float, "when it was read"]
    until: Annotated[float, "when the claim ends"]


class ClaimListJson(TypedDict):
    """The claims in a workspace."""

    claims: list[ClaimJson]


class CommitRowJson(TypedDict):
    """A commit."""

    id: str
    time: Time
    tool: str
    actor: str
    session: str
    paths: Annotated[list[str], "the first few"]
    file_count: Count
    additions: Count
    deletions: Count
    undoes: str
    undone_by: str


class CommitListJson(TypedDict):
    """The commits of a workspace, newest first."""

    commits: list[CommitRowJson]
    more: bool


class ReversalJson(TypedDict):
    """Whether a commit can be undone, or redone if it was undone."""

    action: Literal["undo", "redo"]
    is_possible: bool
    reason: str
    may_merge: Annotated[bool, "whether `merge` may work, which keeps what has changed since"]


class CommitJson(CommitRowJson):
    """A commit."""

    reversal: ReversalJson
    files: list[FileJson]


class ReverseJson(TypedDict):
    """How to undo or redo a commit."""

    workspace: NotRequired[str]
    merge: NotRequired[bool]


class BlameLineJson(TypedDict):
    """A line, and the commit that wrote it."""

    number: Count
    text: str
    commit: str


class BlameJson(TypedDict):
    """Which commit wrote each line of a file as it is now."""

    path: str
    gap: Annotated[str, "why older lines are unknown, if they are"]
    commits: list[CommitRowJson]
    lines: list[BlameLineJson]


class ProblemRowJson(TypedDict):
    """A problem."""

    code: str
    title: Annotated[str, "the code in words"]
    path: str
    message: str


class RefusedRowJson(TypedDict):
    """A refused edit."""

    id: str
    time: Time
    tool: str
    actor: str
    session: str
    problems: Annotated[list[ProblemRowJson], "the first few"]
    problem_count: Count


class RefusedListJson(TypedDict):
    """The last refused edits, newest first."""

    refused: list[RefusedRowJson]


class PlaceJson(TypedDict):
    """A place of the file beside the edit: `before` is the edit, `after` the file. Rows with `around` are not
    compared.
    """

    first: Count
    last: Count
    rows: list[ComparedRowJson]


class ExplainedProblemJson(ProblemRowJson):
    """A problem."""

    hint: str
    places: list[PlaceJson]
    replacement: Annotated[list[str], "the lines that it would have written"]
    can_apply: Annotated[bool, "whether it can be asked for at one of the places"]


class ExplanationJson(RefusedRowJson):
    """A refused edit."""

    request: Annotated[str, "the request that asks for it at a place, if there was one"]
    outcome: Annotated[str, "what became of that request, as a sentence"]
    explanations: list[ExplainedProblemJson]


class ApplyHereJson(TypedDict):
    """At which place a refused edit is asked for: the numbers of the problem and of its place, from 0."""

    problem: Count
    place: Count
    workspace: NotRequired[str]


class AskedJson(TypedDict):
    """A request that was made."""

    request: str


class EventJson(TypedDict):
    """Something that happened in a workspace."""

    kind: Literal["asked", "answered", "written", "undone"]
    time: Time
    id: Annotated[str, "of the request, or of the commit"]
    link: Annotated[str, "the commit that an answer led to, or the request that a commit was approved by, if known"]
    subject: str
    tool: str
    actor: str
    session: str
    answer: Annotated[str, "how a request was answered"]
    message: str
    asked: Time
    undoes: str
    undone_by: str
    additions: Count
    deletions: Count


class EventListJson(TypedDict):
    """What happened in a workspace, newest first."""

    events: list[EventJson]
    more: bool


class HunkNumberJson(TypedDict):
    """Which hunk of a commit to take back."""

    file: Count
    hunk: Count
    workspace: NotRequired[str]


class SessionJson(TypedDict):
    """Which session to take back."""

    session: str
    workspace: NotRequired[str]
    merge: NotRequired[bool]


class SessionUndoJson(TypedDict):
    """The commits that took others back, and the one that can't be undone, with the reason, if there is one."""

    session: str
    undone: list[str]
    stopped_at: str
    reason: str
