"""The HTTP API as an OpenAPI document: what is sent and what is answered, for editors and bots that review.

Every field that an answer has is named here; a test checks real answers against it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Schema: TypeAlias = "dict[str, Any]"

#: Raised when a field is removed or changes its meaning.
VERSION = "1"

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
LINE: Schema = {"type": ["integer", "null"], "minimum": 1}
FLAG: Schema = {"type": "boolean"}
TIME: Schema = {"type": "number", "description": "seconds since 1970"}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(_description: str = "", _optional: str = "", **fields: Schema) -> Schema:
    required = [name for name in fields if name not in _optional.split()]
    schema = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    return schema | ({"description": _description} if _description else {})


def _more(base: Schema, **fields: Schema) -> Schema:
    """An object with the fields of another one, and more."""
    required = [*base["required"], *fields]
    return base | {"properties": base["properties"] | fields, "required": required}


PARTS = _list(TEXT) | {"description": "the line in parts; every second part has changed"}
ROW = _object(
    "A line before and after. `text` if it has not changed, otherwise `before`, `after`, or both. Characters that "
    "have no ink are written as ⟨U+202E⟩, except for tabs and carriage returns.",
    "text before after cut no_newline",
    old=LINE,
    new=LINE,
    text=TEXT,
    before=PARTS,
    after=PARTS,
    cut=COUNT | {"description": "how many characters are not shown; ask for the hunk with `whole` for all of them"},
    no_newline=_list({"enum": ["before", "after"]}) | {"description": "where no newline ends it"},
)
HUNK = _object(
    "A hunk, from the row `start` on. If there are more rows than are sent, ask for the hunk with `start`.",
    number=COUNT | {"description": "from 1; answers name it"},
    header=TEXT,
    first=COUNT | {"description": "the first line that it replaces"},
    last=COUNT | {"description": "the last line that it replaces; before `first` if it only adds lines"},
    shift={"type": "integer", "description": "how much further down the lines after it are"},
    start=COUNT,
    total=COUNT | {"description": "how many rows it has; about as many, if none is sent"},
    rows=_list(_ref("Row")),
)
FILE = _object(
    "A file of a request or a commit.",
    index=COUNT,
    path=TEXT,
    move_to=TEXT,
    target=TEXT | {"description": "where the path is a link: the file that it leads to"},
    kind={"enum": ["add", "update", "delete", "move", "read", "list"]},
    additions=COUNT,
    deletions=COUNT,
    notes=_list(TEXT) | {"description": "the concessions that were made to place the change"},
    is_binary=FLAG,
    summary=TEXT | {"description": "what would happen to a file of a request that has no hunks"},
    hunks=_list(_ref("Hunk")),
)
REQUEST_ROW = _object(
    "A request that waits.",
    id=TEXT,
    fingerprint=TEXT | {"description": "what an answer has to name"},
    subject=TEXT,
    path=TEXT,
    permission=TEXT,
    tool=TEXT,
    actor=TEXT,
    session=TEXT,
    workspace=TEXT,
    time=TIME,
    file_count=COUNT,
    additions=COUNT,
    deletions=COUNT,
    is_stale=FLAG | {"description": "whether a file has changed since, so that it can't be approved"},
)
REQUEST = _more(
    REQUEST_ROW,
    heading=TEXT | {"description": "the permission in words, for a heading in front of the subject"},
    rule=TEXT | {"description": "the rule that made it ask"},
    always=_list(TEXT) | {"description": "the globs that it proposes for an answer `always`"},
    whole_only=FLAG | {"description": "whether it can be approved as a whole only"},
    stale=_list(TEXT) | {"description": "a sentence for each file that has changed since"},
    diagnostics=_list(TEXT) | {"description": "the errors that it would introduce, if known"},
    files=_list(_ref("File")) | {"description": "the first 200 files"},
)
ANSWER = _object(
    "An answer. The first one counts. It is refused if the request is no longer what was shown.",
    "message patterns hunks by_person",
    kind={"enum": ["once", "always", "reject", "some"]},
    fingerprint=TEXT | {"description": "that of the request as it was shown"},
    message=TEXT | {"description": "for the model"},
    patterns=_list(TEXT) | {"description": "for `always`: the globs; without any, those that the request proposes"},
    hunks={
        "type": "object",
        "description": "for `some`: the approved hunks by path; a file that is not named is rejected",
        "additionalProperties": {"oneOf": [_list(COUNT), {"const": "all"}]},
    },
    by_person=FLAG | {"description": "false if a program decides; then the model is not told that a person did"},
)
CLOSED = _object(
    "A request that was closed.",
    id=TEXT,
    asked=TIME,
    time=TIME,
    permission=TEXT,
    tool=TEXT,
    actor=TEXT,
    session=TEXT,
    workspace=TEXT,
    subject=TEXT,
    kind={"enum": ["once", "always", "reject", "some", "unreachable", "withdrawn"]},
    message=TEXT,
    files=_list(TEXT),
)
COVERAGE = _object(
    "What an answer `always` would cover.",
    patterns=_list(TEXT),
    files=_list(TEXT) | {"description": "files that exist now"},
    more=COUNT | {"description": "how many more files there are"},
    cut=FLAG | {"description": "whether not all files were looked at"},
    requests=_list(TEXT) | {"description": "the ids of other requests that wait"},
    complete=FLAG | {"description": "whether the files and the patterns name everything that is covered"},
)
COMMIT_ROW = _object(
    "A commit.",
    id=TEXT,
    time=TIME,
    tool=TEXT,
    actor=TEXT,
    session=TEXT,
    paths=_list(TEXT) | {"description": "the first few"},
    file_count=COUNT,
    additions=COUNT,
    deletions=COUNT,
    undoes=TEXT,
    undone_by=TEXT,
)
REVERSAL = _object(
    "Whether a commit can be undone, or redone if it was undone.",
    action={"enum": ["undo", "redo"]},
    is_possible=FLAG,
    reason=TEXT,
    may_merge=FLAG | {"description": "whether `merge` may work, which keeps what has changed since"},
)
COMMIT = _more(COMMIT_ROW, reversal=_ref("Reversal"), files=_list(_ref("File")))
BLAME = _object(
    "Which commit wrote each line of a file as it is now.",
    path=TEXT,
    gap=TEXT | {"description": "why older lines are unknown, if they are"},
    commits=_list(_ref("CommitRow")),
    lines=_list(_object(number=COUNT, text=TEXT, commit=TEXT)),
)
PROBLEM = _object("A problem.", code=TEXT, path=TEXT, message=TEXT)
REFUSED_ROW = _object(
    "A refused edit.",
    id=TEXT,
    time=TIME,
    tool=TEXT,
    actor=TEXT,
    session=TEXT,
    problems=_list(_ref("Problem")) | {"description": "the first few"},
    problem_count=COUNT,
)
PLACE = _object(
    "A place of the file beside the edit: `before` is the edit, `after` the file. Rows with `around` are not compared.",
    first=COUNT,
    last=COUNT,
    rows=_list(_more(ROW, around=FLAG) | {"required": ["old", "new"]}),
)
EXPLAINED = _more(PROBLEM, hint=TEXT, places=_list(_ref("Place")))
EXPLANATION = _more(REFUSED_ROW, explanations=_list(_ref("ExplainedProblem")))
ERROR = _object(
    "Why it was refused. `request` is the request as it is now, if it still waits.",
    "request",
    code=TEXT,
    message=TEXT,
    request={"oneOf": [_ref("Request"), {"type": "null"}]},
)

SCHEMAS: dict[str, Schema] = {
    "Row": ROW,
    "Hunk": HUNK,
    "File": FILE,
    "RequestRow": REQUEST_ROW,
    "Request": REQUEST,
    "RequestList": _object(requests=_list(_ref("RequestRow")), total=COUNT),
    "Lines": _object(first=COUNT, lines=_list(TEXT)),
    "Answer": ANSWER,
    "Answered": _object(id=TEXT, kind=TEXT),
    "Patterns": _object("", "patterns", patterns=_list(TEXT)),
    "Coverage": COVERAGE,
    "ClosedRequest": CLOSED,
    "ClosedList": _object(answers=_list(_ref("ClosedRequest"))),
    "Workspaces": _object(workspaces=_list(TEXT)),
    "CommitRow": COMMIT_ROW,
    "CommitList": _object(commits=_list(_ref("CommitRow")), more=FLAG),
    "Reversal": REVERSAL,
    "Commit": COMMIT,
    "Reverse": _object("", "workspace merge", workspace=TEXT, merge=FLAG),
    "Blame": BLAME,
    "Problem": PROBLEM,
    "RefusedRow": REFUSED_ROW,
    "RefusedList": _object(refused=_list(_ref("RefusedRow"))),
    "Place": PLACE,
    "ExplainedProblem": EXPLAINED,
    "Explanation": EXPLANATION,
    "Error": ERROR,
}

#: The operations: method, path, what it does, the schema of the answer, that of the body, and the names in the query.
OPERATIONS = (
    ("get", "/api/requests", "The requests that wait, newest first", "RequestList", "", "limit"),
    ("get", "/api/requests/{id}", "One request with its diff; more files from `files` on", "Request", "", "files"),
    ("get", "/api/requests/{id}/diff", "Its whole diff, which `git apply` accepts", "text/plain", "", ""),
    ("get", "/api/requests/{id}/files/{file}/hunks/{hunk}", "More rows of a hunk", "Hunk", "", "start rows whole"),
    ("get", "/api/requests/{id}/files/{file}/lines", "Lines of a file as it is now", "Lines", "", "first last"),
    ("post", "/api/requests/{id}/answer", "Answer a request", "Answered", "Answer", ""),
    ("post", "/api/requests/{id}/coverage", "What an answer `always` would cover", "Coverage", "Patterns", ""),
    ("get", "/api/answers", "The requests that were closed, newest first", "ClosedList", "", "limit"),
    ("get", "/api/events", "Server-sent events: `requests` and `history`", "text/event-stream", "", ""),
    ("get", "/api/workspaces", "The workspaces that have requests or were named", "Workspaces", "", ""),
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
    ("post", "/api/commits/{id}/undo", "Undo a commit", "CommitRow", "Reverse", ""),
    ("post", "/api/commits/{id}/redo", "Redo a commit that was undone", "CommitRow", "Reverse", ""),
    ("get", "/api/blame", "Which commit wrote each line of a file", "Blame", "", "workspace path"),
    ("get", "/api/refused", "The last refused edits, newest first", "RefusedList", "", "workspace limit"),
    ("get", "/api/refused/{id}", "A refused edit beside the file", "Explanation", "", "workspace"),
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
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    parameters = [{"name": n, "in": "path", "required": True, "schema": TEXT if n == "id" else COUNT} for n in names]
    parameters += [{"name": name, "in": "query", "schema": TEXT} for name in query.split()]
    content = {answer: {"schema": TEXT}} if "/" in answer else _json(answer)
    operation = {
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": "done", "content": content},
            "4XX": {"description": "refused", "content": _json("Error")},
            "5XX": {"description": "failed", "content": _json("Error")},
        },
    }
    return operation | ({"requestBody": {"required": True, "content": _json(body)}} if body else {})


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(name)}}
