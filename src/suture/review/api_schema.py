"""The HTTP API as an OpenAPI document, for editors and bots that review: its operations, with the types of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args, get_type_hints

from ..core.json_schema import object_schema
from . import api_history_values, api_values

if TYPE_CHECKING:
    from typing import Any

    from ..core.json_schema import Schema

#: Raised when a field is removed or changes its meaning.
VERSION = "1"

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
#: The types that have a schema of their own, by its name.
_TYPES = {
    "Row": api_values.RowJson,
    "Hunk": api_values.HunkJson,
    "File": api_values.FileJson,
    "RequestRow": api_values.RequestRowJson,
    "Request": api_values.RequestJson,
    "RequestList": api_values.RequestListJson,
    "Lines": api_values.LinesJson,
    "Sizes": api_values.SizesJson,
    "Colors": api_values.ColorsJson,
    "Text": api_values.TextJson,
    "Comment": api_values.CommentJson,
    "SentPart": api_values.SentPartJson,
    "Sent": api_values.SentJson,
    "EditedText": api_values.EditedTextJson,
    "EditedFile": api_values.EditedFileJson,
    "Answer": api_values.AnswerJson,
    "OneAnswer": api_values.OneAnswerJson,
    "Answers": api_values.AnswersJson,
    "AnswerOutcome": api_values.AnswerOutcomeJson,
    "AnswerOutcomes": api_values.AnswerOutcomesJson,
    "Answered": api_values.AnsweredJson,
    "Patterns": api_values.PatternsJson,
    "Coverage": api_values.CoverageJson,
    "ClosedRequest": api_values.ClosedRequestJson,
    "ClosedList": api_values.ClosedListJson,
    "Workspaces": api_history_values.WorkspacesJson,
    "Claim": api_history_values.ClaimJson,
    "ClaimList": api_history_values.ClaimListJson,
    "CommitRow": api_history_values.CommitRowJson,
    "CommitList": api_history_values.CommitListJson,
    "Reversal": api_history_values.ReversalJson,
    "Commit": api_history_values.CommitJson,
    "Reverse": api_history_values.ReverseJson,
    "Blame": api_history_values.BlameJson,
    "Problem": api_history_values.ProblemRowJson,
    "RefusedRow": api_history_values.RefusedRowJson,
    "RefusedList": api_history_values.RefusedListJson,
    "Place": api_history_values.PlaceJson,
    "ExplainedProblem": api_history_values.ExplainedProblemJson,
    "Explanation": api_history_values.ExplanationJson,
    "ApplyHere": api_history_values.ApplyHereJson,
    "Asked": api_history_values.AskedJson,
    "Event": api_history_values.EventJson,
    "EventList": api_history_values.EventListJson,
    "HunkNumber": api_history_values.HunkNumberJson,
    "Session": api_history_values.SessionJson,
    "SessionUndo": api_history_values.SessionUndoJson,
    "Error": api_values.ErrorJson,
}


def _address(kind: object) -> str:
    name = next((name for name, own in _TYPES.items() if own is kind), "")
    return f"#/components/schemas/{name}" if name else ""


SCHEMAS: dict[str, Schema] = {name: object_schema(shape, _address) for name, shape in _TYPES.items()}
#: The fields of an answer, and its kinds.
ANSWER_FIELDS = frozenset(get_type_hints(api_values.AnswerJson))
ANSWER_KINDS: tuple[str, ...] = get_args(get_type_hints(api_values.AnswerJson)["kind"])

#: The operations: method, path, what it does, the schema of the answer, that of the body, and the names in the query.
OPERATIONS = (
    ("get", "/api/requests", "The requests that wait, or what differs since `mark`", "RequestList", "", "limit mark"),
    ("get", "/api/requests/{id}", "One request with its diff; more files from `files` on", "Request", "", "files"),
    ("get", "/api/requests/{id}/diff", "Its whole diff, which `git apply` accepts", "text/plain", "", ""),
    ("get", "/api/requests/{id}/files/{file}/hunks/{hunk}", "More rows of a hunk", "Hunk", "", "start rows whole"),
    ("get", "/api/requests/{id}/files/{file}/lines", "Lines of a file as it is now", "Lines", "", "first last"),
    (
        "get",
        "/api/requests/{id}/files/{file}/colors",
        "Syntax colors of lines `before` or `after`",
        "Colors",
        "",
        "side first last",
    ),
    ("get", "/api/requests/{id}/files/{file}/sent", "What the model wrote, beside the file", "Sent", "", ""),
    (
        "post",
        "/api/requests/{id}/files/{file}/edited",
        "What another text would change",
        "EditedFile",
        "EditedText",
        "",
    ),
    ("get", "/api/requests/{id}/files/{file}/text", "A file `before` or `after`", "Text", "", "side"),
    ("get", "/api/requests/{id}/files/{file}/picture", "A picture `before` or `after`", "image/*", "", "side"),
    ("post", "/api/requests/{id}/answer", "Answer a request", "Answered", "Answer", ""),
    ("post", "/api/requests/{id}/coverage", "What an answer `always` would cover", "Coverage", "Patterns", ""),
    ("post", "/api/answers", "Answer several requests", "AnswerOutcomes", "Answers", ""),
    ("get", "/api/answers", "The requests that were closed, newest first", "ClosedList", "", "limit"),
    ("get", "/api/events", "Server-sent events: `requests` and `history`", "text/event-stream", "", ""),
    ("get", "/api/workspaces", "The workspaces that have requests or were named", "Workspaces", "", ""),
    ("get", "/api/claims", "The files that sessions at work have read and claim", "ClaimList", "", "workspace"),
    (
        "get",
        "/api/commits",
        "The commits of a workspace, newest first",
        "CommitList",
        "",
        "workspace path session since until before limit",
    ),
    ("get", "/api/commits/{id}", "One commit with its diff", "Commit", "", "workspace"),
    (
        "get",
        "/api/commits/{id}/files/{file}/hunks/{hunk}",
        "More rows of a hunk of a commit",
        "Hunk",
        "",
        "workspace start rows whole",
    ),
    (
        "get",
        "/api/commits/{id}/files/{file}/lines",
        "Lines of a file before a commit",
        "Lines",
        "",
        "workspace first last",
    ),
    (
        "get",
        "/api/commits/{id}/files/{file}/colors",
        "Syntax colors of lines `before` or `after` a commit",
        "Colors",
        "",
        "workspace side first last",
    ),
    ("post", "/api/commits/{id}/undo", "Undo a commit", "CommitRow", "Reverse", ""),
    ("post", "/api/commits/{id}/undo-hunk", "Take back one hunk of a commit", "CommitRow", "HunkNumber", ""),
    ("post", "/api/sessions/undo", "Take back all commits of a session", "SessionUndo", "Session", ""),
    (
        "get",
        "/api/timeline",
        "What was asked, answered, written and undone in a workspace",
        "EventList",
        "",
        "workspace path session since until limit",
    ),
    ("post", "/api/commits/{id}/redo", "Redo a commit that was undone", "CommitRow", "Reverse", ""),
    ("get", "/api/blame", "Which commit wrote each line of a file", "Blame", "", "workspace path"),
    ("get", "/api/refused", "The last refused edits, newest first", "RefusedList", "", "workspace limit"),
    ("get", "/api/refused/{id}", "A refused edit beside the file", "Explanation", "", "workspace"),
    ("post", "/api/refused/{id}/apply", "Ask for a refused edit at a place", "Asked", "ApplyHere", ""),
)


def api_schema() -> dict[str, Any]:
    """The document."""
    paths: dict[str, Any] = {}
    for method, path, summary, answer, body, query in OPERATIONS:
        paths.setdefault(path, {})[method] = _operation(path, summary, answer, body, query)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Suture review", "version": VERSION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(path: str, summary: str, answer: str, body: str, query: str) -> dict[str, Any]:
    """What the document says of one operation. `answer` is the name of a schema, or a media type."""
    parameters: list[dict[str, Any]] = []
    for part in path.split("/"):
        if part.startswith("{"):
            name = part[1:-1]
            schema = TEXT if name == "id" else COUNT
            parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
    parameters += [{"name": name, "in": "query", "schema": TEXT} for name in query.split()]
    is_media_type = "/" in answer
    operation: dict[str, Any] = {
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "done", "content": {answer: {"schema": TEXT}} if is_media_type else _json(answer)},
            "4XX": {"description": "refused", "content": _json("Error")},
            "5XX": {"description": "failed", "content": _json("Error")},
        },
    }
    if body:
        operation["requestBody"] = {"required": True, "content": _json(body)}
    return operation


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
