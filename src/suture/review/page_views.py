"""Requests, commits and refused edits as the HTTP API shows them: plain data, with a limit on everything.

The names of fields are those of the values. Texts are as they are: whoever shows them has to escape them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from ..agent.permission_kinds import permission_kind
from ..agent.requests import notes_of, without_lines
from ..state.fingerprint import fingerprint
from .diff_view import RowBudget, cut_line, hunk_views, mark_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..agent.answer_log import AnswerRecord
    from ..state.refused_files import RefusedEdit
    from ..workspace.outcome import Change, Receipt
    from .explanations import ComparedLine, Explanation
    from .inbox import InboxItem
    from .timeline import Blame, Reversal

#: The most files of a request or a commit that are sent at once, and of a row in a list.
MOST_FILES = 200
MOST_NAMES = 5
#: The hashes of no file and of an empty one.
_NOTHING = {"", fingerprint(b"")}


def json_response(content: object, status: int = 200) -> Response:
    """An answer in JSON. Names of files can hold bytes that are not text, which only escapes can carry."""
    return Response(json.dumps(content, separators=(",", ":")).encode("ascii"), status, media_type="application/json")


def request_row(item: InboxItem) -> dict[str, Any]:
    """A request in a list."""
    request = item.request
    return {
        "id": request.id,
        "fingerprint": item.fingerprint,
        "subject": request.subject,
        "path": request.files[0].path if request.files else "",
        "permission": request.permission,
        "tool": request.tool,
        "actor": request.actor,
        "session": request.session,
        "workspace": request.workspace,
        "time": request.time,
        "file_count": len(request.files),
        "additions": sum([file.additions for file in request.files]),
        "deletions": sum([file.deletions for file in request.files]),
        "is_stale": bool(item.stale),
    }


def request_view(item: InboxItem, first: int = 0) -> dict[str, Any]:
    """A request with its files from the `first` on, each with as much of its diff as there is room for."""
    request = item.request
    budget = RowBudget()
    return request_row(item) | {
        "heading": permission_kind(request.permission).heading,
        "rule": request.rule,
        "always": list(request.always),
        "whole_only": request.whole_only,
        "stale": list(item.stale),
        "diagnostics": list(_diagnostics(request.metadata.get("diagnostics"))),
        "files": [
            _file(number, file, notes_of(file), budget) | {"summary": "" if file.hunks else without_lines(file)}
            for number, file in enumerate(request.files[first : first + MOST_FILES], first)
        ],
    }


def _file(index: int, file: Change, notes: list[str], budget: RowBudget) -> dict[str, Any]:
    hashes = {file.sha256_before, file.sha256_after}
    return {
        "index": index,
        "path": file.path,
        "move_to": file.move_to,
        "target": file.target,
        "kind": file.kind,
        "additions": file.additions,
        "deletions": file.deletions,
        "notes": notes,
        "is_binary": not file.hunks and file.sha256_before != file.sha256_after and not hashes <= _NOTHING,
        "hunks": hunk_views(file.hunks, budget),
    }


def _diagnostics(found: object) -> Iterator[str]:
    for one in found[:50] if isinstance(found, (list, tuple)) else ():
        yield str(one.get("message", one)) if isinstance(one, dict) else str(one)


def answer_row(record: AnswerRecord) -> dict[str, Any]:
    """A closed request."""
    names = ("id", "asked", "time", "permission", "tool", "actor", "session", "workspace", "subject")
    row = {name: getattr(record, name) for name in names}
    return row | {"kind": record.answer.kind, "message": record.answer.message, "files": list(record.files)}


def commit_row(receipt: Receipt) -> dict[str, Any]:
    """A commit in a list."""
    names = list(dict.fromkeys([change.move_to or change.path for change in receipt.changes]))
    return {
        "id": receipt.id,
        "time": receipt.time,
        "tool": receipt.tool,
        "actor": receipt.actor,
        "session": receipt.session,
        "paths": names[:MOST_NAMES],
        "file_count": len(names),
        "additions": sum([change.additions for change in receipt.changes]),
        "deletions": sum([change.deletions for change in receipt.changes]),
        "undoes": receipt.undoes,
        "undone_by": receipt.undone_by,
    }


def commit_view(receipt: Receipt, reversal: Reversal) -> dict[str, Any]:
    """A commit with its changes, and whether it can be taken back."""
    budget = RowBudget()
    changes = receipt.changes[:MOST_FILES]
    return commit_row(receipt) | {
        "reversal": {name: getattr(reversal, name) for name in ("action", "is_possible", "reason", "may_merge")},
        "files": [
            _file(number, change, change.notes(), budget) | {"summary": ""} for number, change in enumerate(changes)
        ],
    }


def blame_view(blame: Blame) -> dict[str, Any]:
    """The lines of a file, each with the commit that wrote it."""
    return {
        "path": blame.path,
        "gap": blame.gap,
        "commits": [commit_row(receipt) for receipt in blame.commits],
        "lines": [{"number": one.number, "text": cut_line(one.text), "commit": one.commit} for one in blame.lines],
    }


def refused_row(edit: RefusedEdit) -> dict[str, Any]:
    """A refused edit in a list."""
    return {
        "id": edit.id,
        "time": edit.time,
        "tool": edit.tool,
        "actor": edit.actor,
        "session": edit.session,
        "problems": [
            {"code": one.problem.code, "path": one.problem.path or "", "message": one.problem.message}
            for one in edit.problems[:MOST_NAMES]
        ],
        "problem_count": len(edit.problems),
    }


def explanation_view(explanation: Explanation) -> dict[str, Any]:
    """A refused edit, with each problem beside the file as it was."""
    return refused_row(explanation.edit) | {
        "explanations": [
            {
                "code": one.problem.code,
                "path": one.problem.path or "",
                "message": one.problem.message,
                "hint": one.problem.hint,
                "places": [
                    {"first": place.start, "last": place.end, "rows": [_compared(row) for row in place.rows]}
                    for place in one.places
                ],
            }
            for one in explanation.problems
        ]
    }


def _compared(row: ComparedLine) -> dict[str, Any]:
    """A row of an explanation in the form of a row of a diff: `before` is the edit, `after` the file."""
    if row.edit is None or row.file is None or row.edit != row.file:
        found: dict[str, Any] = {"old": None, "new": row.number, "around": row.kind == "around"}
        if row.edit is not None:
            found["before"] = mark_parts(row.edit, row.edit_marks)
        if row.file is not None:
            found["after"] = mark_parts(row.file, row.file_marks)
        return found
    return {"old": None, "new": row.number, "text": cut_line(row.file)}
