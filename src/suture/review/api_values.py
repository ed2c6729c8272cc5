"""What the HTTP API of `suture review` is sent and answers, as types. `api_schema` makes the OpenAPI document of them.

A test checks real answers against them. They are not imported where answers are made.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from ..core.json_schema import Keyword

#: Whole numbers from 0 on, line numbers, and times.
Count: TypeAlias = Annotated[int, Keyword("minimum", 0)]
Line: TypeAlias = Annotated[int | None, Keyword("minimum", 1)]
Time: TypeAlias = Annotated[float, "seconds since 1970"]
Parts: TypeAlias = Annotated[list[str], "the line in parts; every second part has changed"]


class RowJson(TypedDict):
    """A line before and after. `text` if it has not changed, otherwise `before`, `after`, or both. The text is that of
    the file: whoever shows it to a person marks characters that have no ink.
    """

    old: Line
    new: Line
    text: NotRequired[str]
    before: NotRequired[Parts]
    after: NotRequired[Parts]
    cut: NotRequired[
        Annotated[Count, "how many characters are not shown; ask for the hunk with `whole` for all of them"]
    ]
    no_newline: NotRequired[Annotated[list[Literal["before", "after"]], "where no newline ends it"]]


class HunkJson(TypedDict):
    """A hunk, from the row `start` on. If there are more rows than are sent, ask for the hunk with `start`."""

    number: Annotated[Count, "from 1; answers name it"]
    header: str
    first: Annotated[Count, "the first line that it replaces"]
    last: Annotated[Count, "the last line that it replaces; before `first` if it only adds lines"]
    shift: Annotated[int, "how much further down the lines after it are"]
    start: Count
    total: Annotated[Count, "how many rows it has; about as many, if none is sent"]
    rows: list[RowJson]


class FileJson(TypedDict):
    """A file of a request or a commit."""

    index: Count
    path: str
    move_to: str
    target: Annotated[str, "where the path is a link: the file that it leads to"]
    kind: Literal["add", "update", "delete", "move", "read", "list"]
    additions: Count
    deletions: Count
    notes: Annotated[list[str], "the concessions that were made to place the change"]
    is_binary: bool
    summary: Annotated[str, "what would happen to a file of a request that has no hunks"]
    hunks: list[HunkJson]


class RequestRowJson(TypedDict):
    """A request that waits."""

    id: str
    fingerprint: Annotated[str, "what an answer has to name"]
    subject: str
    path: str
    permission: str
    tool: str
    actor: str
    session: str
    workspace: str
    time: Time
    file_count: Count
    additions: Count
    deletions: Count
    is_stale: Annotated[bool, "whether a file has changed since, so that it can't be approved"]


class RequestJson(RequestRowJson):
    """A request that waits."""

    heading: Annotated[str, "the permission in words, for a heading in front of the subject"]
    rule: Annotated[str, "the rule that made it ask"]
    always: Annotated[list[str], "the globs that it proposes for an answer `always`"]
    whole_only: Annotated[bool, "whether it can be approved as a whole only"]
    stale: Annotated[list[str], "a sentence for each file that has changed since"]
    diagnostics: Annotated[list[str], "the errors that it would introduce, if known"]
    files: Annotated[list[FileJson], "the first 200 files"]


class RequestListJson(TypedDict):
    """The requests that wait, newest first."""

    requests: list[RequestRowJson]
    total: Count


class LinesJson(TypedDict):
    """Lines of a file as it is now."""

    first: Count
    lines: list[str]


class AnswerJson(TypedDict):
    """An answer. The first one counts. It is refused if the request is no longer what was shown."""

    kind: Literal["once", "always", "reject", "some"]
    fingerprint: Annotated[str, "that of the request as it was shown"]
    message: NotRequired[Annotated[str, "for the model"]]
    patterns: NotRequired[Annotated[list[str], "for `always`: the globs; without any, those that the request proposes"]]
    hunks: NotRequired[
        Annotated[
            dict[str, list[Count] | Literal["all"]],
            "for `some`: the approved hunks by path; a file that is not named is rejected",
        ]
    ]
    by_person: NotRequired[Annotated[bool, "false if a program decides; then the model is not told that a person did"]]


class AnsweredJson(TypedDict):
    """The request that was answered, and how."""

    id: str
    kind: str


class PatternsJson(TypedDict):
    """The globs of an answer `always`; without any, those that the request proposes."""

    patterns: NotRequired[list[str]]


class CoverageJson(TypedDict):
    """What an answer `always` would cover."""

    patterns: list[str]
    files: Annotated[list[str], "files that exist now"]
    more: Annotated[Count, "how many more files there are"]
    cut: Annotated[bool, "whether not all files were looked at"]
    complete: Annotated[bool, "whether the files and the patterns name everything that is covered"]
    requests: Annotated[list[str], "the ids of other requests that wait"]


class ClosedRequestJson(TypedDict):
    """A request that was closed."""

    id: str
    asked: Time
    time: Time
    permission: str
    tool: str
    actor: str
    session: str
    workspace: str
    subject: str
    kind: Literal["once", "always", "reject", "some", "unreachable", "withdrawn"]
    message: str
    files: list[str]


class ClosedListJson(TypedDict):
    """The requests that were closed, newest first."""

    answers: list[ClosedRequestJson]


class WorkspacesJson(TypedDict):
    """The workspaces that have requests or were named."""

    workspaces: list[str]


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


class ComparedRowJson(RowJson):
    """A row that may be one of those around the edit."""

    around: NotRequired[bool]


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


class ExplanationJson(RefusedRowJson):
    """A refused edit."""

    explanations: list[ExplainedProblemJson]


class ErrorJson(TypedDict):
    """Why it was refused. `request` is the request as it is now, if it still waits."""

    code: str
    message: str
    request: NotRequired[RequestJson | None]
