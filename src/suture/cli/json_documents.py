"""What `--json` prints, as types: the schemas in `schemas/` are written from them, see tests/cli/test_schemas.py.

A document has the fields of `HeadJson` and those of its command. If the command fails, the latter may be missing. The
tests check real documents against the schemas. Programs load nothing of this.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .json_document_parts import ChangeJson, ConcessionJson, LoggedCommitJson, PatchJson, ReceiptJson, Sha256

# The fields of each command.


class EditDocument(TypedDict):
    """Of a command that changes files, or plans to."""

    changes: list[ChangeJson]
    concessions: list[ConcessionJson]
    receipt: Annotated[ReceiptJson | None, "null where nothing was written"]
    fingerprints: NotRequired[Annotated[dict[str, Sha256], "Of a plan: the SHA-256 of every file as it was read."]]


class TallyJson(TypedDict):
    """What became of the rows."""

    rows: int
    reward: float
    outcomes: dict[str, int]
    codes: dict[str, int]
    tiers: dict[str, int]
    replacers: dict[str, int]
    concessions: dict[str, int]


class BatchDocument(TypedDict):
    """Of `suture batch`."""

    summary: TallyJson
    resumed_after: int


class CompletionDocument(TypedDict):
    """Of `suture completion`."""

    shell: Literal["bash", "zsh", "fish"]
    text: str


#: Of `suture convert`; one field has the name of a keyword.
ConvertDocument = TypedDict(
    "ConvertDocument",
    {
        "text": str,
        "unified": bool,
        "from": Annotated[str, "The form that was read; mixed for several."],
        "to": Annotated[Literal["envelope", "unified", "search-replace", "json"], "The form of the text."],
    },
)


class DiffDocument(TypedDict):
    """Of `suture diff`."""

    text: str
    patch: Annotated[PatchJson | None, "null for a unified diff"]
    unified: bool


class FindingJson(TypedDict):
    """What `suture doctor` found about one thing."""

    name: str
    state: Literal["ok", "note", "wrong"]
    text: str


class DoctorDocument(TypedDict):
    """Of `suture doctor`."""

    findings: list[FindingJson]


class InstallDocument(TypedDict):
    """Of `suture install` and `suture uninstall`."""

    client: str
    root: Annotated[str, "The directory that the paths start from."]
    files: Annotated[dict[str, str], "What the client needs, by path, as new files."]
    changes: Annotated[list[ChangeJson], "What was changed; empty where nothing was."]
    commit: Annotated[str | None, "The ID of the commit; null where nothing was written."]
    approval: Annotated[str, "Who approves an edit."]
    by_hand: Annotated[list[str], "What is left to do by hand."]


class LogDocument(TypedDict):
    """Of `suture log`."""

    commits: list[LoggedCommitJson]


class McpDocument(TypedDict):
    """Of `suture mcp`, which prints a document only where it fails."""


class ParseDocument(TypedDict):
    """Of `suture parse`."""

    dialect: str
    patch: PatchJson


class ApprovalJson(TypedDict):
    """An answer "always" that is kept."""

    permission: str
    glob: str
    time: float


class PermissionsDocument(TypedDict):
    """Of `suture permissions`."""

    action: Literal["list", "revoke"]
    approvals: list[ApprovalJson]


class RecoveredCommitJson(TypedDict):
    """A commit that was cut short, and what became of it."""

    id: str
    time: float
    actor: str
    outcome: Literal["rolled_back", "completed"]
    paths: list[str]
    left_alone: list[str]


class RecoverDocument(TypedDict):
    """Of `suture recover`."""

    recovered: list[RecoveredCommitJson]


class SourceJson(TypedDict):
    """Transcripts of an agent."""

    path: str
    agent: str
    transcripts: int
    sessions: int


class EditCountsJson(TypedDict):
    """What became of recorded edits."""

    edits: int
    accepted: int
    rejected: int
    declined: int
    unanswered: int
    same: int
    different: int
    accepted_refused: int
    placed: int
    rejected_refused: int
    not_scored: int


class EditGroupNameJson(TypedDict):
    """What edits of a group have in common."""

    agent: str
    model: str
    form: str


class EditGroupJson(EditGroupNameJson, EditCountsJson):
    """What became of the edits of an agent, a model and a form."""


class ReasonCountsJson(TypedDict):
    """What became of edits that were rejected for one reason."""

    reason: str
    rejected: int
    placed: int
    refused: int
    not_scored: int
    follow_up_calls: int
    follow_up_tokens: int


class CallShapeJson(TypedDict):
    """Calls of one tool of an agent that change files, and how many of them were read."""

    agent: str
    tool: str
    calls: int
    read: int


class ReplayEntryJson(TypedDict):
    """One recorded edit."""

    id: str
    agent: str
    model: str
    tool: str
    form: str
    path: str
    verdict: Literal["accepted", "rejected", "declined", "unanswered"]
    reason: str
    outcome: Literal["same", "different", "refused", "placed", "not scored"]
    whitespace_only: bool
    origin: str
    codes: list[str]
    concessions: list[str]
    follow_up_calls: int
    follow_up_tokens: int
    tool_answer: str
    answer: str
    diff: str


class ReplayEditJson(ReplayEntryJson):
    """One recorded edit, with what was sent."""

    edit: str


class ReplayDocument(TypedDict):
    """Of `suture replay`."""

    sources: list[SourceJson]
    total: EditCountsJson
    groups: list[EditGroupJson]
    reasons: list[ReasonCountsJson]
    shapes: Annotated[list[CallShapeJson], "Calls that change files, by agent and tool."]
    origins: dict[str, int]
    entries: list[ReplayEntryJson]
    entries_left_off: int
    unknown_records: dict[str, int]
    unreadable_records: int


class ReplayShowDocument(TypedDict):
    """Of `suture replay --show`."""

    edits: Annotated[list[ReplayEditJson], "With --show."]


class RequestedFileJson(TypedDict):
    """A file of a request."""

    path: str
    resolved: str
    kind: Literal["add", "update", "delete", "move", "read", "list"]
    additions: int
    deletions: int
    diff: str
    hunks: list[str]
    move_to: str
    move_to_resolved: str
    target: str
    sha256_before: str
    sha256_after: str
    notes: list[str]


class WaitingRequestJson(TypedDict):
    """A request for a permission."""

    id: str
    permission: str
    files: list[RequestedFileJson]
    patterns: list[str]
    always: list[str]
    metadata: dict[str, Any]
    tool: str
    actor: str
    whole_only: bool
    session: str
    workspace: str
    time: float
    rule: str


class InboxItemJson(TypedDict):
    """A request that waits, what an answer has to name, and the files that have changed since."""

    request: WaitingRequestJson
    fingerprint: str
    stale: list[str]


class GivenAnswerJson(TypedDict):
    """An answer to a request."""

    kind: Literal["once", "always", "reject", "some", "unreachable", "withdrawn"]
    message: str
    patterns: list[str]
    hunks: dict[str, Any]
    by_person: bool


class AnswerRecordJson(TypedDict):
    """A request that was closed."""

    id: str
    asked: float
    time: float
    answer: GivenAnswerJson
    permission: str
    tool: str
    actor: str
    session: str
    workspace: str
    subject: str
    files: list[str]


class ReviewDocument(TypedDict):
    """Of `suture review`."""

    requests: list[InboxItemJson]
    answers: list[AnswerRecordJson]


class ToolDocument(TypedDict):
    """Of `suture tool`."""

    decision: Annotated[
        Literal["done", "ask", "allow", "deny", "fail"],
        "What became of the call: done, or with --preview what it needs; fail and deny where it was refused.",
    ]
    fingerprint: Annotated[str, "With --preview: what --approved takes."]
    title: str
    output: Annotated[str, "The answer for the model."]
    files: Annotated[list[str], "The files that are changed."]
    diff: str


class TrustDocument(TypedDict):
    """Of `suture trust`."""

    settings: list[str]
    trusted: bool


class IsolatedSessionJson(TypedDict):
    """An isolated session with changes that are not merged."""

    session: str
    actor: str
    time: float
    paths: list[str]


class IsolatedDocument(TypedDict):
    """Of `suture isolated`, unless it merges."""

    action: Literal["list", "merge", "discard"]
    sessions: list[IsolatedSessionJson]


#: The documents of each command. One that succeeds has all fields of one of them.
DOCUMENTS: dict[str, tuple[Any, ...]] = {
    "apply": (EditDocument,),
    "batch": (BatchDocument,),
    "check": (EditDocument,),
    "completion": (CompletionDocument,),
    "convert": (ConvertDocument,),
    "diff": (DiffDocument,),
    "doctor": (DoctorDocument,),
    "edit": (EditDocument,),
    "explain": (EditDocument,),
    "install": (InstallDocument,),
    "isolated": (IsolatedDocument, EditDocument),
    "log": (LogDocument,),
    "mcp": (McpDocument,),
    "multiedit": (EditDocument,),
    "parse": (ParseDocument,),
    "permissions": (PermissionsDocument,),
    "recover": (RecoverDocument,),
    "redo": (EditDocument,),
    "replay": (ReplayDocument, ReplayShowDocument),
    "review": (ReviewDocument,),
    "show": (LoggedCommitJson,),
    "tool": (ToolDocument,),
    "trust": (TrustDocument,),
    "undo": (EditDocument,),
    "uninstall": (InstallDocument,),
}
