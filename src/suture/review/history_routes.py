"""The routes of what was done: the history of a workspace, undo and redo, blame, and refused edits."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.routing import Route

from ..agent.claims_check import live_claims
from ..core.json_values import to_data
from .activity import events_of
from .api_call import PAGE, ApiCall, ApiCallError, asked_hunk, handle_call, lines_of
from .apply_here import AppliedHere
from .diff_view import cut_line
from .explanations import Explanations
from .page_views import blame_view, commit_row, commit_view, event_view, explanation_view, refused_row
from .request_routes import colors_of
from .timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..agent.requests import Request
    from .file_texts import FileTexts
    from .inbox import Inbox
    from .syntax_colors import SyntaxColors


class HistoryRoutes:
    """The routes of commits and refused edits. `root` is the workspace that is always known."""

    def __init__(self, inbox: Inbox, syntax: SyntaxColors, root: str) -> None:
        self._inbox = inbox
        self._syntax = syntax
        self._own_root = root
        self._applied = AppliedHere()

    def close(self) -> None:
        """Withdraw what this server asks for."""
        self._applied.close()

    def routes(self) -> list[Route]:
        """The routes, each with what answers it."""
        commit, file = "/api/commits/{id}", "/api/commits/{id}/files/{file}"
        return [
            Route("/api/workspaces", handle_call(self._workspaces)),
            Route("/api/claims", handle_call(self._claims)),
            Route("/api/timeline", handle_call(self._happened)),
            Route("/api/commits", handle_call(self._commits)),
            Route(commit, handle_call(self._commit)),
            Route(f"{file}/hunks/{{hunk}}", handle_call(self._commit_hunk)),
            Route(f"{file}/lines", handle_call(self._commit_lines)),
            Route(f"{file}/colors", handle_call(self._commit_colors, self._syntax.turn)),
            Route(f"{commit}/undo", handle_call(self._undo), methods=["POST"]),
            Route(f"{commit}/undo-hunk", handle_call(self._undo_hunk), methods=["POST"]),
            Route(f"{commit}/redo", handle_call(self._redo), methods=["POST"]),
            Route("/api/sessions/undo", handle_call(self._undo_session), methods=["POST"]),
            Route("/api/blame", handle_call(self._blame)),
            Route("/api/refused", handle_call(self._refused)),
            Route("/api/refused/{id}", handle_call(self._explanation)),
            Route("/api/refused/{id}/apply", handle_call(self._apply_here), methods=["POST"]),
        ]

    def _workspaces(self, _: ApiCall) -> object:
        return {"workspaces": self._known_roots()}

    def _known_roots(self) -> list[str]:
        return list(dict.fromkeys([self._own_root, *self._inbox.workspaces()]))

    @contextmanager
    def _timeline(self, call: ApiCall) -> Iterator[Timeline]:
        timeline = Timeline.open(self._root(call))
        with timeline.workspace:
            yield timeline

    def _root(self, call: ApiCall) -> str:
        roots = self._known_roots()
        root = call.text("workspace") or call.body.get("workspace") or (roots[0] if roots else "")
        if root not in roots:
            raise ApiCallError(404, "not_found", "There is no such workspace here; /api/workspaces lists them.")
        return str(root)

    def _claims(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            guard = timeline.workspace.guard()
            claims = live_claims(timeline.workspace)
        return {"claims": [one.replace(path=guard.shown(one.path)).json_fields() for one in claims]}

    def _commits(self, call: ApiCall) -> object:
        limit = call.number("limit", PAGE, most=1000)
        with self._timeline(call) as timeline:
            commits = timeline.commits(
                limit + 1,
                before=call.text("before") or None,
                path=call.text("path") or None,
                session=call.text("session"),
                since=call.seconds("since", 0.0),
                until=call.seconds("until", float("inf")),
            )
        return {"commits": [commit_row(receipt) for receipt in commits[:limit]], "more": len(commits) > limit}

    def _commit(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            receipt = timeline.commit(call.id)
            return commit_view(receipt, timeline.reversal(call.id), lambda file: timeline.texts(receipt.id, file))

    def _commit_hunk(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            changes = timeline.commit(call.id).changes
        if not call.file < len(changes):
            raise ApiCallError(404, "not_found", f"The commit has {len(changes)} changes, counted from 0.")
        return asked_hunk(changes[call.file], call)

    def _commit_texts(self, call: ApiCall) -> tuple[str, FileTexts]:
        with self._timeline(call) as timeline:
            receipt = timeline.commit(call.id)
            if not call.file < len(receipt.changes):
                raise ApiCallError(404, "not_found", f"The commit has {len(receipt.changes)} changes, counted from 0.")
            change = receipt.changes[call.file]
            return change.content_name, timeline.texts(receipt.id, change)

    def _commit_lines(self, call: ApiCall) -> object:
        first, lines = call.lines(lines_of(self._commit_texts(call)[1], "before"))
        return {"first": first, "lines": [cut_line(line) for line in lines]}

    def _commit_colors(self, call: ApiCall) -> object:
        return colors_of(self._syntax, call, *self._commit_texts(call))

    def _undo(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_row(timeline.undo(call.id, merge=call.body.get("merge") is True))

    def _undo_hunk(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_row(timeline.undo_hunk(call.id, call.body_number("file"), call.body_number("hunk")))

    def _undo_session(self, call: ApiCall) -> object:
        session = call.body.get("session")
        if not isinstance(session, str) or not session:
            raise ApiCallError(422, "invalid", "The session is the id of a session.")
        with self._timeline(call) as timeline:
            return to_data(timeline.undo_session(session, merge=call.body.get("merge") is True))

    def _happened(self, call: ApiCall) -> object:
        limit = call.number("limit", PAGE, most=1000)
        root, session, path = self._root(call), call.text("session"), call.text("path")
        since, until = call.seconds("since", 0.0), call.seconds("until", float("inf"))

        def is_asked_for(workspace: str, of_session: str, time: float, paths: Iterable[str]) -> bool:
            if workspace != root or not since <= time <= until:
                return False
            return session in ("", of_session) and (not path or path in paths)

        def is_pending_one(request: Request) -> bool:
            paths = [file.path for file in request.files]
            return is_asked_for(request.workspace, request.session, request.time, paths)

        with self._timeline(call) as timeline:
            receipts = timeline.commits(limit + 1, path=path or None, session=session, since=since, until=until)
        answered = [
            record
            for record in self._inbox.history(1000)
            if is_asked_for(record.workspace, record.session, record.time, record.hashes)
        ]
        pending = [item for item in self._inbox.pending() if is_pending_one(item.request)]
        events = events_of(pending, answered, receipts)
        return {"events": [event_view(event) for event in events[:limit]], "more": len(events) > limit}

    def _redo(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            return commit_row(timeline.redo(call.id, merge=call.body.get("merge") is True))

    def _blame(self, call: ApiCall) -> object:
        with self._timeline(call) as timeline:
            return blame_view(timeline.blame(call.text("path")))

    def _refused(self, call: ApiCall) -> object:
        edits = Explanations(self._root(call)).refused(call.number("limit", PAGE, most=1000))
        return {"refused": [refused_row(edit) for edit in edits]}

    def _explanation(self, call: ApiCall) -> object:
        try:
            explanation = Explanations(self._root(call)).explanation(call.id)
        except KeyError:
            raise ApiCallError(404, "not_found", "The refused edit is no longer kept.") from None
        return explanation_view(explanation, self._applied.outcomes.get(call.id, ("", "")))

    def _apply_here(self, call: ApiCall) -> object:
        root = self._root(call)
        try:
            edit = Explanations(root).explanation(call.id).edit
            request = self._applied.ask(root, edit, call.body_number("problem"), call.body_number("place"))
        except (KeyError, IndexError):
            raise ApiCallError(404, "not_found", "The refused edit is no longer kept, or has no such place.") from None
        return {"request": request}
