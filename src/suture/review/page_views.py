"""Requests, commits and refused edits as the HTTP API shows them: plain data, with a limit on everything.

The names of fields are those of the values. Texts are as they are: whoever shows them has to escape them.
"""

from __future__ import annotations

import json
from time import time
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from ..agent.answers import is_editable
from ..agent.permission_kinds import permission_kind
from ..agent.requests import notes_of, without_lines
from ..core.display import plural
from ..core.fingerprint import fingerprint
from ..core.line_hunks import count_lines
from ..words.notebook_diff import cell_hunks
from .diff_view import RowBudget, cut_line, hunk_view, hunk_views, mark_parts
from .file_texts import requested_contents, requested_texts
from .pictures import picture_type
from .review_limits import MOST_ROW_NAMES, MOST_ROW_PATHS, MOST_SENT_FILES, MOST_TRACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..agent.answer_log import AnswerRecord
    from ..agent.requests import Request
    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change, Receipt
    from ..state.refused_files import RefusedEdit
    from .activity import HistoryEvent
    from .explanations import ComparedLine, ExplainedProblem, Explanation
    from .file_texts import FileTexts
    from .inbox import InboxItem
    from .sent_view import ComparedPart
    from .timeline import Blame, Reversal

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
        "sentence": request.sentence,
        "reason": request.reason,
        "deadline": item.deadline,
        "late_note": item.late_note(time()),
        "path": request.files[0].path if request.files else "",
        "paths": [file.path for file in request.files[:MOST_ROW_PATHS]],
        "kind": _kind(request),
        "cautions": list(item.cautions),
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


def _kind(request: Request) -> str:
    """What would be done to all files; "update" if that differs."""
    kinds = {file.kind for file in request.files}
    return kinds.pop() if len(kinds) == 1 else "update"


def request_view(item: InboxItem, first: int = 0) -> dict[str, Any]:
    """A request with its files from the `first` on, each with as much of its diff as there is room for."""
    request = item.request
    budget = RowBudget()
    files = request.files[first : first + MOST_SENT_FILES]
    return request_row(item) | {
        "heading": permission_kind(request.permission).heading,
        "rule": request.rule,
        "always": list(request.always),
        "whole_only": request.whole_only,
        "stale": list(item.stale),
        "diagnostics": list(_diagnostics(request.metadata.get("diagnostics"))),
        "files": [_requested_file(request, number, file, budget) for number, file in enumerate(files, first)],
    }


def _requested_file(request: Request, number: int, file: Change, budget: RowBudget) -> dict[str, Any]:
    """One file of a request, with its diff, or with its contents where no diff says what changes."""
    has_diff = bool(file.hunks) and not file.binary
    has_text_before = has_diff and file.kind in ("update", "move")
    before = requested_texts(file).before if has_text_before and budget.rows else None
    contents = (None, None) if has_diff else requested_contents(file)
    view = _file(number, file, notes_of(file), budget, before) | _content_view(*contents)
    return view | {
        "summary": "" if file.hunks else without_lines(file),
        "has_sent": any(part.path == file.path for part in request.sent),
        "can_edit": is_editable(file) and not request.whole_only,
    }


def _content_view(before: bytes | None, after: bytes | None) -> dict[str, Any]:
    """How large a file is that has no lines to show, and whether a page can draw it."""
    sides = {"before": before, "after": after}
    return {
        "sizes": {side: None if content is None else len(content) for side, content in sides.items()},
        "pictures": [side for side, content in sides.items() if content is not None and picture_type(content)],
    }


def _file(index: int, file: Change, notes: list[str], budget: RowBudget, before: str | None) -> dict[str, Any]:
    """What every page says of a changed file. `before` is its text before, if that is known."""
    lines = [] if before is None else before.removesuffix("\n").split("\n")
    is_empty = {file.sha256_before, file.sha256_after} <= _NOTHING
    has_new_content = file.sha256_before != file.sha256_after
    return {
        "index": index,
        "path": file.path,
        "move_to": file.move_to,
        "target": file.target,
        "kind": file.kind,
        "additions": file.additions,
        "deletions": file.deletions,
        "notes": notes,
        "is_binary": not file.hunks and has_new_content and not is_empty,
        "line_count": None if before is None else len(lines),
        "hunks": hunk_views(cell_hunks(file.path, file.hunks), budget, file.path, lines),
    }


def _diagnostics(diagnostics: object) -> Iterator[str]:
    for one in diagnostics[:50] if isinstance(diagnostics, (list, tuple)) else ():
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
        "paths": names[:MOST_ROW_NAMES],
        "file_count": len(names),
        "additions": sum([change.additions for change in receipt.changes]),
        "deletions": sum([change.deletions for change in receipt.changes]),
        "undoes": receipt.undoes,
        "undone_by": receipt.undone_by,
    }


def commit_view(receipt: Receipt, reversal: Reversal, texts: Callable[[Change], FileTexts]) -> dict[str, Any]:
    """A commit with its changes, and whether it can be taken back. `texts` finds what a file was then."""
    budget = RowBudget()

    def committed(number: int, change: Change) -> dict[str, Any]:
        before = texts(change).before if change.hunks and budget.rows and number < MOST_TRACED else None
        view = _file(number, change, change.notes(), budget, before) | _content_view(None, None)
        return view | {"summary": "", "has_sent": False, "can_edit": False}

    changes = receipt.changes[:MOST_SENT_FILES]
    return commit_row(receipt) | {
        "reversal": {name: getattr(reversal, name) for name in ("action", "is_possible", "reason", "may_merge")},
        "files": [committed(number, change) for number, change in enumerate(changes)],
    }


def event_view(event: HistoryEvent) -> dict[str, Any]:
    """Something that happened, with a sentence for what it was about."""
    row: dict[str, Any] = {"kind": event.kind, "time": event.time, "link": event.link}
    if event.item is not None:
        about = request_row(event.item)
        return row | {name: about[name] for name in ("id", "subject", "tool", "actor", "session")} | _NO_COMMIT
    if event.record is not None:
        record = event.record
        names = ("id", "subject", "tool", "actor", "session")
        about = {name: getattr(record, name) for name in names} | _NO_COMMIT
        return row | about | {"answer": record.answer.kind, "message": record.answer.message, "asked": record.asked}
    assert event.receipt is not None, "BUG: an event of nothing"
    about = commit_row(event.receipt)
    more = about["file_count"] - 1
    first = (about["paths"] or ["nothing"])[0]
    subject = f"{first} and {more} more {plural('file', more)}" if more > 0 else first
    return row | {"subject": subject, "answer": "", "message": "", "asked": 0.0} | _picked(about)


_NO_COMMIT = {"answer": "", "message": "", "asked": 0.0, "undoes": "", "undone_by": "", "additions": 0, "deletions": 0}


def _picked(row: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "tool", "actor", "session", "undoes", "undone_by", "additions", "deletions")
    return {name: row[name] for name in names}


def blame_view(blame: Blame) -> dict[str, Any]:
    """The lines of a file, each with the commit that wrote it."""
    return {
        "path": blame.path,
        "gap": blame.gap,
        "commits": [commit_row(receipt) for receipt in blame.commits],
        "lines": [{"number": one.number, "text": cut_line(one.text), "commit": one.commit} for one in blame.lines],
    }


def _title(code: str) -> str:
    """A code in words."""
    return _TITLES.get(code, code.replace("_", " "))


#: The codes of edits that are often refused, in words for people.
_TITLES = {
    "patch_parse_error": "can't be read",
    "patch_apply_error": "not found in the file",
    "old_text_not_found": "not found in the file",
    "multiple_matches": "fits in several places",
    "overlapping_edits": "edits overlap",
    "no_change": "changes nothing",
    "not_found": "no such file",
    "already_exists": "the file exists",
    "stale_file": "the file has changed",
    "conflict": "conflicts with another change",
    "not_read": "the file was not read",
    "invalid_arguments": "wrong arguments",
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
            {
                "code": one.problem.code,
                "title": _title(one.problem.code),
                "path": one.problem.path or "",
                "message": one.problem.message,
            }
            for one in edit.problems[:MOST_ROW_NAMES]
        ],
        "problem_count": len(edit.problems),
    }


def sent_view(parts: Iterable[ComparedPart]) -> dict[str, Any]:
    """What a model wrote of some parts of an edit, beside the file before and after."""
    views = []
    for compared in parts:
        part = compared.part
        views.append(
            {
                "label": f"Edit {part.number}, lines {part.start} to {part.end}",
                "found": [_compared(row) for row in compared.found],
                "written": [_compared(row) for row in compared.written],
            }
        )
    return {"parts": views}


def edited_view(text: str, hunks: Sequence[LineHunk]) -> dict[str, Any]:
    """A text that a person wants instead of the proposed one, and the lines that it changes in the file.

    Each line is there as a whole: what a page fetches later is about the proposed text.
    """
    additions, deletions = count_lines(hunks)
    views = [hunk_view(hunk, number, longest=None) for number, hunk in enumerate(hunks, 1)]
    return {"text": text, "additions": additions, "deletions": deletions, "hunks": views}


def explanation_view(explanation: Explanation, applied: tuple[str, str]) -> dict[str, Any]:
    """A refused edit, with each problem beside the file as it was.

    `applied` is the id of the request that asks for it at a place of somebody's choice, and what became of that.
    """
    request_id, outcome = applied
    return refused_row(explanation.edit) | {
        "request": request_id,
        "outcome": outcome,
        "explanations": [_explained_problem(explained) for explained in explanation.problems],
    }


def _explained_problem(explained: ExplainedProblem) -> dict[str, Any]:
    """One problem of a refused edit, with the places of the file that it is about."""
    places = []
    for place in explained.places:
        rows = [_compared(row) for row in place.rows]
        places.append({"first": place.start, "last": place.end, "rows": rows})
    problem = explained.problem
    return {
        "replacement": list(explained.replacement),
        "can_apply": explained.is_whole,
        "title": _title(problem.code),
        "code": problem.code,
        "path": problem.path or "",
        "message": problem.message,
        "hint": problem.hint,
        "places": places,
    }


def _compared(row: ComparedLine) -> dict[str, Any]:
    """A row of an explanation in the form of a row of a diff: `before` is the edit, `after` the file."""
    if row.edit is None or row.file is None or row.edit != row.file:
        view: dict[str, Any] = {"old": None, "new": row.number, "around": row.kind == "around"}
        if row.edit is not None:
            view["before"] = mark_parts(row.edit, row.edit_marks)
        if row.file is not None:
            view["after"] = mark_parts(row.file, row.file_marks)
        return view
    return {"old": None, "new": row.number, "text": cut_line(row.file)}
