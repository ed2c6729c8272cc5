"""Edits that were refused, for people to look at: what was sent, why it was refused, and the file at that time.

An agent usually sends a better edit a moment later, so what the file looked like is kept as well: the lines at the
nearest place and at the places that fit. Nothing depends on it, so what can't be read is left out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import time

from ..core.problems import Problem, SutureError
from ..core.text import Text
from ..state.refused_files import Excerpt, RefusedEdit, RefusedHunk, keep_refused_edit
from .files.open_files import DiskFiles
from .workspace_limits import (
    LINES_AROUND_KEPT,
    LONGEST_KEPT_LINE,
    MOST_KEPT_LINES,
    MOST_KEPT_PLACES,
    MOST_KEPT_PROBLEMS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.outcome import Plan
    from ..core.readers import Reader
    from .workspace import Workspace


def keep_refused(
    workspace: Workspace, plan: Plan | None, reader: Reader, *, tool: str, actor: str = "", session: str = ""
) -> None:
    """Keep a plan that was refused, if the workspace is on a disk and has a history. Never raises a `SutureError`.

    Its problems are kept in the words of the reader to whom they were told.
    """
    is_kept = workspace.history and workspace.keep_refused_seconds > 0
    if plan is None or not is_kept or not isinstance(workspace.files, DiskFiles):
        return
    with suppress(SutureError):
        if plan.problems and plan.patch:
            refused = refused_edit(workspace, plan.told_to(reader)).replace(tool=tool, actor=actor, session=session)
            keep_refused_edit(refused, workspace.state_dir)


def refused_edit(workspace: Workspace, plan: Plan) -> RefusedEdit:
    """A plan with problems as a refused edit."""
    texts: dict[str, list[str]] = {}
    problems = []
    for problem in plan.problems[:MOST_KEPT_PROBLEMS]:
        sent_old, sent_new = _sent_lines(plan, problem)
        old, new = _shortened(sent_old), _shortened(sent_new)
        if problem.path not in texts:
            texts[problem.path] = _lines(workspace, plan, problem.path)
        places = _places(problem, len(old), texts[problem.path])
        is_whole = old == tuple(sent_old) and new == tuple(sent_new)
        problems.append(RefusedHunk(problem, old, places, new, is_whole))
    now = time()
    return RefusedEdit(
        f"{int(now * 1_000_000):014x}{os.urandom(4).hex()}",
        now,
        workspace.root,
        plan.tool,
        plan.patch,
        tuple(problems),
        expires=now + workspace.keep_refused_seconds,
    )


def _shortened(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple([line[:LONGEST_KEPT_LINE] for line in lines[:MOST_KEPT_LINES]])


def _sent_lines(plan: Plan, problem: Problem) -> tuple[Sequence[str], Sequence[str]]:
    """The lines that the part of an edit that a problem is about looks for, and those that it writes instead."""
    sent = plan.sent
    if isinstance(sent, tuple):
        edit = sent[0 if problem.edit is None else problem.edit.index]
        return _lines_of(edit.old), _lines_of(edit.new)
    for operation in () if sent is None else sent.operations:
        for hunk in getattr(operation, "hunks", ()):
            if problem.hunk is not None and hunk.line == problem.hunk.line:
                return tuple(hunk.old), tuple(hunk.new)
    return (), ()


def _lines_of(text: str) -> Sequence[str]:
    return text.removesuffix("\n").split("\n") if text else ()


def _lines(workspace: Workspace, plan: Plan, path: str) -> list[str]:
    """The lines of a file as the plan has read it; none if it was not read, or is no text."""
    try:
        resolved = workspace.guard().resolve(path, relative_to="")
        content = plan.contents.get(resolved.path, b"")
        return Text(content, workspace.encoding_of(resolved.path), path).body.split("\n")
    except SutureError:
        return []


def _places(problem: Problem, size: int, lines: Sequence[str]) -> tuple[Excerpt, ...]:
    """The places that a problem names: the nearest, or all that fit."""
    nearest, several = problem.cause.nearest, problem.cause.lines
    spans = [(nearest.first, nearest.last)] if nearest else [(line, line + max(1, size) - 1) for line in several]
    places = []
    for start, end in spans[:MOST_KEPT_PLACES]:
        first = max(1, start - LINES_AROUND_KEPT)
        last = min(len(lines), end + LINES_AROUND_KEPT, start + MOST_KEPT_LINES)
        if first <= last:
            excerpt = tuple([line[:LONGEST_KEPT_LINE] for line in lines[first - 1 : last]])
            places.append(Excerpt(first, start, min(end, last), excerpt))
    return tuple(places)
