"""What documents of `--json` share, as types: the schemas in `schemas/common.json` are written from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from ..core.json_schema import Keyword
from ..core.problems import PEER_NAMES

Sha256: TypeAlias = Annotated[
    str, Keyword("pattern", "^([0-9a-f]{64})?$"), "A SHA-256, or empty where there was no file."
]
CommitId: TypeAlias = Annotated[str, Keyword("pattern", "^[0-9a-f]{12}$")]
ErrorCode: TypeAlias = Annotated[str, Keyword("enum", tuple(sorted(frozenset().union(*PEER_NAMES.values()))))]
Mode: TypeAlias = Literal["", "100644", "100755"]


class ConcessionJson(TypedDict):
    """A leniency that was used, by name, with the patch line (0 where none applies) and what it is about, if the name
    does not say enough.
    """

    name: str
    line: int
    about: str


class HunkRefJson(TypedDict):
    """Which hunk of how many, and its line in the patch."""

    number: int
    of: int
    line: int


class ProblemJson(TypedDict):
    """One thing wrong."""

    code: ErrorCode
    message: str
    path: str
    hunk: HunkRefJson | None
    details: dict[str, Any]
    hint: str
    recoverable: bool


class SpanJson(TypedDict):
    """A range of characters, or of bytes, and the lines that it is in."""

    start: int
    end: int
    first_line: int
    last_line: int


class PlacedHunkJson(TypedDict):
    """Where a hunk went: its number from 1, the lines that it covers, and how it was found."""

    hunk: int
    start: int
    end: int
    tier: str
    score: float
    rivals: list[int]
    concessions: list[ConcessionJson]


class EditDoneJson(TypedDict):
    """Where a string edit went, before and after."""

    replacer: str
    spans: list[SpanJson]
    written: list[SpanJson]
    concessions: list[ConcessionJson]


class ChangeJson(TypedDict):
    """One operation on one file."""

    kind: Literal["add", "update", "delete", "move"]
    path: str
    move_to: str
    target: str
    additions: int
    deletions: int
    diff: str
    sha256_before: Sha256
    sha256_after: Sha256
    matches: list[PlacedHunkJson]
    edits: list[EditDoneJson]
    concessions: list[ConcessionJson]
    mode: Mode


class FileReceiptJson(TypedDict):
    """One file of a commit, and its copy in the trash."""

    path: str
    sha256_before: Sha256
    sha256_after: Sha256
    trash: str


class ReceiptJson(TypedDict):
    """Proof of a commit; `suture undo` takes its id."""

    id: CommitId
    time: float
    actor: str
    tool: str
    atomic: bool
    files: list[FileReceiptJson]
    concessions: list[ConcessionJson]
    undoes: str
    undone_by: str
    state_inside: bool
    parts: list[str]
    session: str


class LoggedCommitJson(TypedDict):
    """A commit of the history."""

    changes: list[ChangeJson]
    concessions: list[ConcessionJson]
    receipt: ReceiptJson


class HunkLinesJson(TypedDict):
    """One @@ block, as it was written."""

    lines: list[str]
    anchors: list[str]
    at_end: bool
    no_newline: Literal["", "old", "new", "both"]
    line_hint: int | None
    bare: list[int]
    line: int
    heading: str
    exact: list[str]


class AddFileJson(TypedDict):
    """Adds a file."""

    kind: Literal["add"]
    path: str
    content: str
    line: int
    mode: Mode
    onto_empty: bool


class DeleteFileJson(TypedDict):
    """Deletes a file."""

    kind: Literal["delete"]
    path: str
    line: int
    content: str | None
    blobs: list[str]


class UpdateFileJson(TypedDict):
    """Changes a file, and may move it."""

    kind: Literal["update"]
    path: str
    hunks: list[HunkLinesJson]
    move_to: str | None
    line: int
    mode: Mode
    blobs: list[str]
    is_copy: bool


class StringEditJson(TypedDict):
    """A replacement."""

    old: str
    new: str
    replace_all: bool
    count: Annotated[int | None, "How many places the edit says that there are."]
    within: Annotated[list[int] | None, "The lines that the edit says it is in: the first and the last."]


class EditFileJson(TypedDict):
    """Replaces texts in a file."""

    kind: Literal["edit"]
    path: str
    edits: list[StringEditJson]
    line: int


class WriteFileJson(TypedDict):
    """Writes a whole file."""

    kind: Literal["write"]
    path: str
    content: str
    line: int


class ChangeFileJson(TypedDict):
    """Changes a file without a text to find: by line numbers, a cell, a name or a sketch."""

    kind: Literal["change"]
    path: str
    change: Annotated[dict[str, Any], "What changes, by the name of its class and its fields."]
    line: int


OperationJson: TypeAlias = AddFileJson | DeleteFileJson | UpdateFileJson | EditFileJson | WriteFileJson | ChangeFileJson


class PatchJson(TypedDict):
    """A patch as it was read."""

    operations: list[OperationJson]
    environment_id: str | None
    concessions: list[ConcessionJson]
    form: Annotated[
        Literal["envelope", "unified", "search-replace", "json", "xml", "whole", "sketch", "mixed"],
        "The form that was read; mixed for several.",
    ]


class HeadJson(TypedDict):
    """What every document has."""

    format: Literal[1]
    command: str
    ok: bool
    exit_status: Literal[0, 1, 2, 3, 130]
    problems: list[ProblemJson]
    state_of_disk: str


#: What documents share: the types with a schema in `common.json`, by its name there.
COMMON: dict[str, Any] = {
    "sha256": Sha256,
    "concession": ConcessionJson,
    "hunkRef": HunkRefJson,
    "problem": ProblemJson,
    "span": SpanJson,
    "placedHunk": PlacedHunkJson,
    "editDone": EditDoneJson,
    "change": ChangeJson,
    "fileReceipt": FileReceiptJson,
    "receipt": ReceiptJson,
    "commit": LoggedCommitJson,
    "hunk": HunkLinesJson,
    "operation": OperationJson,
    "patch": PatchJson,
    "head": HeadJson,
}
