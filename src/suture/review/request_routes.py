"""The routes of requests that wait: lists, diffs, and answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from ..agent.answers import Answer, is_editable
from ..core.line_hunks import line_hunks
from ..core.write_diff import join_sections
from .api_call import PAGE, ApiCall, ApiCallError, asked_hunk, handle_call, lines_of
from .api_schema import ANSWER_FIELDS, ANSWER_KINDS
from .diff_view import cut_line
from .edited_text import keep_unseen
from .file_texts import requested_contents, requested_texts, text_of_parts
from .inbox import RefusedAnswerError
from .list_changes import ListChanges
from .page_views import answer_row, edited_view, request_row, request_view, sent_view
from .pictures import picture_type
from .review_limits import LONGEST_SHOWN_TEXT, MOST_ANSWERS, MOST_ROWS_AT_ONCE
from .sent_view import compare_part

if TYPE_CHECKING:
    from ..core.outcome import Change
    from .file_texts import FileTexts
    from .inbox import Inbox
    from .syntax_colors import SyntaxColors


class RequestRoutes:
    """The routes of requests and answers."""

    def __init__(self, inbox: Inbox, syntax: SyntaxColors) -> None:
        self._inbox = inbox
        self._syntax = syntax
        self._changes = ListChanges()

    def routes(self) -> list[Route]:
        """The routes, each with what answers it."""
        one, file = "/api/requests/{id}", "/api/requests/{id}/files/{file}"
        return [
            Route("/api/requests", handle_call(self._requests)),
            Route(one, handle_call(self._request)),
            Route(f"{one}/diff", handle_call(self._diff)),
            Route(f"{file}/hunks/{{hunk}}", handle_call(self._hunk)),
            Route(f"{file}/lines", handle_call(self._lines)),
            Route(f"{file}/colors", handle_call(self._colors, self._syntax.turn)),
            Route(f"{file}/text", handle_call(self._text)),
            Route(f"{file}/sent", handle_call(self._sent)),
            Route(f"{file}/edited", handle_call(self._edited), methods=["POST"]),
            Route(f"{file}/picture", handle_call(self._picture)),
            Route(f"{one}/answer", handle_call(self._answer), methods=["POST"]),
            Route(f"{one}/coverage", handle_call(self._coverage), methods=["POST"]),
            Route("/api/answers", handle_call(self._answers)),
            Route("/api/answers", handle_call(self._answer_several), methods=["POST"]),
        ]

    def _requests(self, call: ApiCall) -> object:
        limit = call.number("limit", 1000, most=1000)
        total = 0

        def look() -> list[dict[str, Any]]:
            nonlocal total
            items = self._inbox.pending()
            total = len(items)
            return [request_row(item) for item in items]

        changed = self._changes.since(call.text("mark"), look)
        return {**changed, "requests": changed["requests"][:limit], "total": total}

    def _request(self, call: ApiCall) -> object:
        return request_view(self._inbox.item(call.id), call.number("files", 0))

    def _file(self, call: ApiCall) -> Change:
        files = self._inbox.item(call.id).request.files
        if not call.file < len(files):
            raise ApiCallError(404, "not_found", f"The request has {len(files)} files, counted from 0.")
        return files[call.file]

    def _hunk(self, call: ApiCall) -> object:
        return asked_hunk(self._file(call), call)

    def _lines(self, call: ApiCall) -> object:
        first, lines = call.lines(lines_of(requested_texts(self._file(call)), "before"))
        return {"first": first, "lines": [cut_line(line) for line in lines]}

    def _colors(self, call: ApiCall) -> object:
        file = self._file(call)
        return colors_of(self._syntax, call, file.content_name, requested_texts(file))

    def _text(self, call: ApiCall) -> object:
        text = getattr(requested_texts(self._file(call)), call.side)
        if text is None or len(text) > LONGEST_SHOWN_TEXT:
            raise ApiCallError(409, "no_text", "There is no such text, or it is too long to show.")
        return {"text": text}

    def _sent(self, call: ApiCall) -> object:
        request = self._inbox.item(call.id).request
        file = self._file(call)
        texts = requested_texts(file)
        parts = [part for part in request.sent if part.path == file.path]
        return sent_view([compare_part(part, texts, file.hunks) for part in parts])

    def _edited(self, call: ApiCall) -> object:
        file = self._file(call)
        given = call.body.get("text")
        texts = requested_texts(file)
        if not isinstance(given, str) or len(given) > LONGEST_SHOWN_TEXT:
            raise ApiCallError(422, "invalid", f"The text has at most {LONGEST_SHOWN_TEXT:,} characters.")
        if texts.after is None or not is_editable(file):
            raise ApiCallError(409, "no_text", texts.reason or "This file can't be edited.")
        text = keep_unseen(texts.after, given)
        hunks = line_hunks(texts.before, text)
        if sum([len(hunk.lines) for hunk in hunks]) > MOST_ROWS_AT_ONCE:
            raise ApiCallError(
                409, "too_large", "The change is too long to be shown wholly, so it can't be edited here."
            )
        return edited_view(text, hunks)

    def _picture(self, call: ApiCall) -> Response:
        contents = dict(zip(("before", "after"), requested_contents(self._file(call)), strict=True))
        content = contents[call.side]
        kind = picture_type(content) if content is not None else ""
        if content is None or not kind:
            raise ApiCallError(404, "not_found", "There is no picture that can be shown.")
        return Response(content, media_type=kind, headers={"Content-Disposition": "attachment"})

    def _diff(self, call: ApiCall) -> Response:
        request = self._inbox.item(call.id).request
        data = join_sections([file.section for file in request.files]).encode("utf-8", "surrogateescape")
        headers = {"Content-Disposition": 'attachment; filename="request.diff"'}
        return Response(data, media_type="text/plain; charset=utf-8", headers=headers)

    def _answer(self, call: ApiCall) -> object:
        given = dict(call.body)
        fingerprint = given.pop("fingerprint", None)
        if not isinstance(fingerprint, str) or given.get("kind") not in ANSWER_KINDS:
            raise ApiCallError(422, "invalid", f"An answer has a fingerprint, and a kind of {', '.join(ANSWER_KINDS)}.")
        if unknown := given.keys() - ANSWER_FIELDS:
            raise ApiCallError(422, "invalid", f"An answer has no field {min(unknown)!r}.")
        parts = given.pop("parts", {})
        answer = Answer.from_json(json.dumps(given))
        if parts:
            texts = self._texts_of_parts(call, parts)
            if both := texts.keys() & answer.edits.keys():
                raise ApiCallError(
                    422, "invalid", f"{min(both)!r} has parts and another text; an answer has one of them."
                )
            answer = answer.replace(edits={**answer.edits, **texts})
        self._inbox.answer(call.id, answer, fingerprint)
        return {"id": call.id, "kind": given["kind"]}

    def _texts_of_parts(self, call: ApiCall, parts: object) -> dict[str, str]:
        """The texts of files of which some hunks, or parts of hunks, are approved."""
        request = self._inbox.item(call.id).request
        if not isinstance(parts, dict):
            raise ApiCallError(422, "invalid", "The parts are lists of hunks by path.")
        texts = {}
        for path, names in parts.items():
            try:
                file = request.file(path)
            except KeyError:
                raise ApiCallError(422, "invalid", f"The request has no file {path!r}.") from None
            texts[path] = text_of_parts(file, names)
        return texts

    def _answer_several(self, call: ApiCall) -> object:
        given = call.body.get("answers")
        if not isinstance(given, list) or not 0 < len(given) <= MOST_ANSWERS or not all(map(_has_id, given)):
            raise ApiCallError(
                422, "invalid", f"There are 1 to {MOST_ANSWERS} answers, each with the id of its request."
            )
        outcomes = []
        for one in given:
            message = ""
            try:
                self._answer(call.about(str(one["id"]), {name: one[name] for name in one if name != "id"}))
            except (ApiCallError, RefusedAnswerError, ValueError) as error:
                message = str(error)
            outcomes.append({"id": one["id"], "message": message})
        return {"answers": outcomes}

    def _coverage(self, call: ApiCall) -> object:
        patterns = call.body.get("patterns", [])
        if not isinstance(patterns, list) or not all(isinstance(one, str) and one.strip() for one in patterns):
            raise ApiCallError(422, "invalid", "The patterns are a list of globs.")
        coverage = self._inbox.coverage(call.id, patterns)
        fields = {name: list(getattr(coverage, name)) for name in ("patterns", "files", "requests")}
        return fields | {"more": coverage.more, "cut": coverage.cut, "complete": coverage.is_complete}

    def _answers(self, call: ApiCall) -> object:
        return {
            "answers": [answer_row(record) for record in self._inbox.history(call.number("limit", PAGE, most=1000))]
        }


def colors_of(syntax: SyntaxColors, call: ApiCall, path: str, texts: FileTexts) -> object:
    """The syntax colors of the lines that a call asks for."""
    text = "\n".join(lines_of(texts, call.side))
    first, lines = call.lines(syntax.lines(path, text))
    return {"first": first, "lines": lines}


def _has_id(answer: object) -> bool:
    return isinstance(answer, dict) and isinstance(answer.get("id"), str)
