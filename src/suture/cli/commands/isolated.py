"""`suture isolated`: what isolated sessions have changed and not merged: list it, merge it, or discard it."""

from __future__ import annotations

from datetime import UTC, datetime

from ...core.paths import visible_path
from ...core.problems import PatchRejectedError, Problem
from ...workspace.isolation import Isolation, isolated_sessions
from ...workspace.receipts import session_of_commits
from ..arguments import UsageError
from ..inputs import open_workspace
from ..json_output import print_document
from ..run_edit import explain_interrupt, show_plan, show_receipt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...state.overlay_store import IsolatedState
    from ...workspace.workspace import Workspace
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """List the sessions, or merge or discard the changes of one."""
    if options.action not in ("list", "merge", "discard") or (options.action == "list") != (options.session is None):
        message = "expected list, merge SESSION or discard SESSION"
        raise UsageError(message)
    with open_workspace(options) as workspace:
        if options.action == "list":
            return _list(workspace, screen)
        state = _find(workspace, options.session)
        isolation = Isolation(workspace, state.session, state.actor)
        try:
            if options.action == "merge":
                return _merge(isolation, state, options, screen)
            paths = isolation.discard()
        finally:
            isolation.close()
    if screen.json:
        return print_document(screen, "isolated", 0, {"action": "discard", "sessions": [_fields(state, paths)]})
    screen.print(
        f"Discarded the changes of the session {visible_path(state.session)} in {', '.join(map(visible_path, paths))}."
    )
    return 0


def _list(workspace: Workspace, screen: Screen) -> int:
    sessions = isolated_sessions(workspace)
    paths: dict[str, tuple[str, ...]] = {}
    for one in sessions:
        isolation = Isolation(workspace, one.session, one.actor)
        paths[one.session] = isolation.paths
        isolation.close()
    if screen.json:
        fields = [_fields(one, paths[one.session]) for one in sessions]
        return print_document(screen, "isolated", 0, {"action": "list", "sessions": fields})
    for one in sessions:
        when = datetime.fromtimestamp(one.time, UTC).strftime("%Y-%m-%d %H:%M")
        by = f" by {visible_path(one.actor)}" if one.actor else ""
        screen.print(f"{visible_path(one.session)} {when}{by}: {', '.join(map(visible_path, paths[one.session]))}")
    if not sessions:
        screen.error("No isolated session has changes that are not merged.")
    return 0


def _merge(isolation: Isolation, state: IsolatedState, options: Namespace, screen: Screen) -> int:
    merge = isolation.plan_merge()
    if merge.plan.problems:
        raise PatchRejectedError(merge.plan.problems, merge.plan)
    if options.dry_run:
        return show_plan("isolated", merge.plan, options, screen)
    if not merge.plan.files:
        isolation.forget_merged(merge)
        if screen.json:
            return print_document(screen, "isolated", 0, {"action": "merge", "sessions": [_fields(state, ())]})
        screen.print("There is nothing to merge: the workspace has all changes of this session.")
        return 0
    session_of_commits.set(state.session)
    receipt = explain_interrupt(lambda: isolation.commit_merge(merge, state.actor or None))
    return show_receipt("isolated", receipt, options, screen)


def _find(workspace: Workspace, name: str) -> IsolatedState:
    """A session by its id or the beginning of it.

    Raises:
        PatchRejectedError: there is none, or there are several.
    """
    sessions = isolated_sessions(workspace)
    candidates = [one for one in sessions if one.session == name] or [
        one for one in sessions if one.session.startswith(name)
    ]
    if len(candidates) == 1:
        return candidates[0]
    message = f"There are {len(candidates)} isolated sessions whose ids begin with {visible_path(name)}."
    if not candidates:
        message = f"No isolated session {visible_path(name)} has changes that are not merged."
    raise PatchRejectedError([Problem("not_found", message, hint="suture isolated list shows them.")])


def _fields(one: IsolatedState, paths: tuple[str, ...]) -> dict[str, object]:
    return {"session": one.session, "actor": one.actor, "time": one.time, "paths": list(paths)}
