"""Checks of paths that come from a stored plan, a journal or a history instead of a patch.

The guard has supposedly checked them before, but a plan may have been changed on its way, and a journal inside the
workspace may have come with somebody else's files. So they are checked again before anything is done with them.
"""

from __future__ import annotations

from posixpath import dirname, normpath
from shlex import quote

from ..core.common_limits import DEEPEST_FOLDER
from ..core.fingerprint import fingerprint
from ..core.paths import folders_above, visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.record import ABSENT, ID_LENGTH, NEW_EXECUTABLE, STAGED
from ..core.system import is_absolute
from ..words.denied_path import DeniedPath
from ..words.next_steps import LiftForCommit
from ..words.remarks import Before, Instead
from .guard import DEFAULT_DENY
from .workspace_limits import MOST_NEW_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from ..core.outcome import Plan
    from ..core.problems import Code
    from ..core.record import Entry, Snapshot
    from .guard import Guard

_PLAN_HINT = "The plan was made for another workspace or changed since: make it again."
_JOURNAL_HINT = "Open the workspace with the extra_roots that it had when the commit was made."
_FOREIGN_HINT = (
    "If nobody here made this commit, its journal came with the files: move the directory .suture elsewhere."
)


def check_absolute_path(guard: Guard, path: str, *, globs: bool = True) -> None:
    """Refuse an absolute path that the guard would never have returned.

    Raises:
        PatchRejectedError: it is not a path of this workspace, or may not be touched.
    """
    windows = guard.files.windows_names
    is_normal = is_absolute(path, windows=windows) and normpath(path) == path and not path.startswith("//")
    has_odd_character = "\0" in path or (windows and ":" in path[2:])
    if not is_normal or has_odd_character:
        _refuse("invalid_arguments", path, "is not a normalized absolute path")
    if not guard.is_inside(path) or path in guard.files.roots:
        _refuse("outside_workspace", path, "is not a path inside the workspace")
    if globs:
        guard.check_globs(path, guard.shown(path))


def check_plan(guard: Guard, plan: Plan) -> None:
    """Refuse a plan that this workspace did not make.

    Raises:
        PatchRejectedError: with all problems.
    """
    names = {file.path: file for file in plan.files}
    removed = {file.path for file in plan.files if file.after.kind == "absent"}
    links = {file.before for file in plan.files if file.before.kind == "link"}
    problems: list[Problem] = []
    for file in plan.files:
        try:
            if len(names) < len(plan.files) or file.shown != guard.shown(file.path):
                _refuse("invalid_arguments", file.path, "occurs twice in the plan, or under a wrong name")
            if file.after.kind != "file" and file.after != ABSENT and file.after not in links:
                _refuse("invalid_arguments", file.path, "would become something that no plan makes")
            if not (_is_snapshot(file.before) and _is_snapshot(file.after)):
                _refuse("invalid_arguments", file.path, "has a kind, hash, size or mode in the plan that no file has")
            for path in filter(None, (file.path or ".", file.like, file.moved_from)):
                check_absolute_path(guard, path)
            if file.moved_from and file.moved_from not in removed:
                _refuse("invalid_arguments", file.moved_from, "is moved by the plan, but would stay")
            origin = names[file.moved_from].before if file.moved_from else None
            if origin is not None and (origin.sha256, origin.size) != (file.after.sha256, file.after.size):
                _refuse("invalid_arguments", file.path, "is moved by the plan, but would change")
            content = file.content if file.after.kind == "file" and origin is None else None
            if content is not None and (fingerprint(content), len(content)) != (file.after.sha256, file.after.size):
                _refuse("invalid_arguments", file.path, "has a content in the plan that doesn't match its hash")
            # Of a link, nothing was read.
            if file.was and fingerprint(file.was) != (origin or file.before).sha256:
                _refuse("invalid_arguments", file.path, "has an old content in the plan that doesn't match its hash")
        except PatchRejectedError as rejected:
            problems += rejected.problems
    parents = folders_above(set(names))
    if len(plan.folders) > MOST_NEW_FOLDERS:
        message = f"would make {len(plan.folders):,} directories, and {MOST_NEW_FOLDERS:,} is the limit"
        _refuse("invalid_arguments", plan.folders[-1], message)
    for folder in plan.folders:
        try:
            check_absolute_path(guard, folder)
            if guard.depth(folder) >= DEEPEST_FOLDER:
                _refuse("invalid_arguments", folder, f"would be in more than {DEEPEST_FOLDER} directories")
            if folder not in parents:
                _refuse("invalid_arguments", folder, "is a directory that the plan makes and puts nothing into")
        except PatchRejectedError as rejected:
            problems += rejected.problems
    if problems:
        raise PatchRejectedError(problems)


def _is_snapshot(snapshot: Snapshot) -> bool:
    """Whether a snapshot can be one of a plan."""
    if snapshot.kind not in {"absent", "file", "link"} or snapshot.size < 0:
        return False
    digits = 64 if snapshot.kind == "file" else 0
    is_hash = len(snapshot.sha256) == digits and set(snapshot.sha256) <= set("0123456789abcdef")
    is_mode = 0 <= snapshot.mode <= 0o7777 or snapshot.mode == NEW_EXECUTABLE
    has_target = snapshot.target != ""
    is_target = has_target == (snapshot.kind == "link") and "\0" not in snapshot.target
    return is_hash and is_mode and is_target


def check_entry(guard: Guard, entry: Entry, *, globs: bool, inside: bool) -> None:
    """Refuse a journal entry that this workspace can't have written, or with paths that the globs deny.

    A journal `inside` the workspace may have come with its files, so its entries can't reach extra roots.

    Raises:
        PatchRejectedError: with the first problem, or with all paths that are denied.
    """
    try:
        _check_entry(guard, entry, inside=inside)
    except PatchRejectedError as rejected:
        problems = [problem.replace(remarks=(Instead(_JOURNAL_HINT),)) for problem in rejected.problems]
        raise PatchRejectedError(_warned(problems) if inside else problems) from rejected
    if globs and (problems := _denied(guard, entry)):
        raise PatchRejectedError(_warned(problems) if inside else problems)


def _warned(problems: Sequence[Problem]) -> list[Problem]:
    """Problems of a journal that may have come with somebody else's files: that comes before any other advice."""
    warning = Before(f"{_FOREIGN_HINT} If it is yours,")
    return [problem.replace(remarks=(*problem.remarks, warning)) for problem in problems]


def _denied(guard: Guard, entry: Entry) -> list[Problem]:
    """A problem for each path of a commit that the globs deny, with the command that takes the commit back anyway."""
    paths: list[str] = []
    for record in entry.files:
        paths.append(record.path)
        if record.moved_from:
            paths.append(record.moved_from)
    problems: list[Problem] = []
    for path in dict.fromkeys((*paths, *entry.folders, *entry.emptied)):
        try:
            guard.check_globs(path, guard.shown(path))
        except PatchRejectedError as rejected:
            problems += rejected.problems
    causes = [_denied_by_default(problem) for problem in problems]
    by_default = [cause for cause in causes if cause is not None]
    if not by_default:
        return problems
    options = " ".join(dict.fromkeys(f"--allow {_lifting(cause)}" for cause in by_default))
    globs = list(dict.fromkeys(cause.glob for cause in by_default))
    lift = Instead(LiftForCommit(f"suture {_command_for(entry)} {options}", globs))
    return [
        problem if cause is None else problem.replace(remarks=(lift,))
        for problem, cause in zip(problems, causes, strict=True)
    ]


def _denied_by_default(problem: Problem) -> DeniedPath | None:
    """The cause of a problem, if that is a glob that denies a path by default."""
    cause = problem.cause
    return cause if isinstance(cause, DeniedPath) and cause.glob in DEFAULT_DENY else None


def _command_for(entry: Entry) -> str:
    """The command that has to touch the files of a commit again."""
    if entry.state == "open":
        return "recover"
    return f"redo {entry.id}" if entry.tool == "undo" else f"undo {entry.id}"


def _lifting(cause: DeniedPath) -> str:
    """What lifts the glob that denies a path, for a shell: the path, if it means nothing else as a glob."""
    path = visible_path(cause.path)
    is_plain = not is_absolute(path) and not set("*?[]{}!\\").intersection(path)
    return quote(path if is_plain else cause.glob)


def _check_entry(guard: Guard, entry: Entry, *, inside: bool) -> None:
    if len(entry.id) != ID_LENGTH or set(entry.id) - set("0123456789abcdef"):
        _refuse("invalid_arguments", entry.id, "is not the id of a commit")
    names = {record.path for record in entry.files}
    parents = folders_above(names)
    for record in entry.files:
        for path in filter(None, (record.path or ".", record.moved_from)):
            check_absolute_path(guard, path, globs=False)
        if record.staged and not (record.staged.endswith(STAGED) and dirname(record.staged) == dirname(record.path)):
            _refuse("invalid_arguments", record.staged, "is not the name of a staged file")
        if record.moved_from and record.moved_from not in names:
            _refuse("invalid_arguments", record.moved_from, "is moved by a commit that has no such file")
    for folder in (*entry.folders, *entry.emptied):
        check_absolute_path(guard, folder, globs=False)
        if folder not in parents:
            _refuse("invalid_arguments", folder, "is a directory in which the commit has no file")
    if inside:
        first = guard.roots[0][1]
        for path in names:
            if not path.startswith(first):
                _refuse("outside_workspace", path, "is outside the directory that this journal is in")


def _refuse(code: Code, path: str, why: str) -> NoReturn:
    display_path = visible_path(path)
    details = {"path": display_path, "reason": "not_ours"}
    raise PatchRejectedError(
        [Problem(code, f"{display_path!r} {why}.", display_path, None, details, _PLAN_HINT, recoverable=False)]
    )
