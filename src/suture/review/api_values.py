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
    section: Annotated[str, "the line that names the part which it is in, such as a function, if known"]
    first: Annotated[Count, "the first line that it replaces"]
    last: Annotated[Count, "the last line that it replaces; before `first` if it only adds lines"]
    shift: Annotated[int, "how much further down the lines after it are"]
    start: Count
    total: Annotated[Count, "how many rows it has; about as many, if none is sent"]
    rows: list[RowJson]


class SizesJson(TypedDict):
    """The bytes of a file before and after, if known."""

    before: Count | None
    after: Count | None


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
    line_count: Annotated[Count | None, "how many lines the file has before, if known"]
    sizes: Annotated[SizesJson, "of a file without a diff"]
    has_sent: Annotated[bool, "whether what the model wrote differs, and can be fetched"]
    can_edit: Annotated[bool, "whether an answer may have another text for it"]
    pictures: Annotated[list[Literal["before", "after"]], "where it is a picture that can be fetched"]
    hunks: list[HunkJson]


class RequestRowJson(TypedDict):
    """A request that waits."""

    id: str
    fingerprint: Annotated[str, "what an answer has to name"]
    subject: str
    sentence: Annotated[str, "who asks for what"]
    reason: Annotated[str, "why the model wants it, if it said so"]
    deadline: Annotated[Time, "until when the agent waits; 0 if it waits as long as it takes"]
    late_note: Annotated[str, "what an answer would do now that the agent no longer waits, if that is so"]
    path: str
    paths: Annotated[list[str], "the first 50 files"]
    kind: Annotated[
        Literal["add", "update", "delete", "move", "read", "list"], "what would be done to all files, or `update`"
    ]
    cautions: Annotated[
        list[Literal["outside", "delete", "mode", "binary", "loose"]], "why it needs a closer look than others"
    ]
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
    """The requests that wait, newest first; or, with the `mark` of an earlier answer, only what differs since."""

    requests: list[RequestRowJson]
    gone: Annotated[list[str], "the ids of those that no longer wait"]
    is_whole: Annotated[bool, "whether `requests` are all of them"]
    mark: Annotated[str, "what to send the next time"]
    total: Count


class LinesJson(TypedDict):
    """Lines of a file before a change."""

    first: Count
    lines: list[str]


class ColorsJson(TypedDict):
    """Syntax colors of the lines of a file, from `first` on: of each line starts, ends and letters, one after the
    other. The letters stand for keyword, string, comment, number, function and type.
    """

    first: Count
    lines: list[list[Count | Literal["k", "s", "c", "n", "f", "t"]]]


class TextJson(TypedDict):
    """A file before or after a change, as text."""

    text: str


class AnswersJson(TypedDict):
    """Answers to several requests at once."""

    answers: list[OneAnswerJson]


class AnswerOutcomeJson(TypedDict):
    """What became of one of several answers; without a message, it was given."""

    id: str
    message: str


class AnswerOutcomesJson(TypedDict):
    """What became of each of several answers."""

    answers: list[AnswerOutcomeJson]


class ComparedRowJson(RowJson):
    """A row that may be one of those around the edit."""

    around: NotRequired[bool]


class CommentJson(TypedDict):
    """What somebody says about a line, counted from 1, of the file before or after."""

    path: str
    line: Count
    text: str
    side: NotRequired[Literal["before", "after"]]


class SentPartJson(TypedDict):
    """A part of an edit: what the model looked for beside the file, and what it wrote beside what will be written."""

    label: str
    found: list[ComparedRowJson]
    written: list[ComparedRowJson]


class SentJson(TypedDict):
    """The parts of an edit that were placed with concessions."""

    parts: list[SentPartJson]


class EditedTextJson(TypedDict):
    """A text that somebody wants instead of the proposed one."""

    text: str


class EditedFileJson(TypedDict):
    """That text as it would be written, and what it changes."""

    text: str
    additions: Count
    deletions: Count
    hunks: list[HunkJson]


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
    parts: NotRequired[
        Annotated[
            dict[str, list[str]],
            "the approved hunks and parts of hunks by path, such as `1` and `2.1`; such a file need not be in `hunks`",
        ]
    ]
    edits: NotRequired[Annotated[dict[str, str], "by path, the whole text that is written instead of the proposed one"]]
    comments: NotRequired[Annotated[list[CommentJson], "what is said about single lines"]]
    by_person: NotRequired[Annotated[bool, "false if a program decides; then the model is not told that a person did"]]


class OneAnswerJson(AnswerJson):
    """An answer, and the request that it is for."""

    id: str


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


class ErrorJson(TypedDict):
    """Why it was refused. `request` is the request as it is now, if it still waits."""

    code: str
    message: str
    request: NotRequired[RequestJson | None]
