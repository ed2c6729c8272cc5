"""Paths that come from elsewhere than a patch: from a plan that was kept, from a journal or a history.

The guard has seen them once, or so it is claimed. Nothing is done with them before it has seen them again: a plan may
have been changed on its way, and a journal inside the workspace may have come with the files of somebody else.
"""

from __future__ import annotations

from posixpath import dirname, normpath

from ..core.paths import visible_path
from ..core.problems import PatchRejectedError, Problem
from .fingerprint import fingerprint
from .record import ID_LENGTH, STAGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ..core.problems import Code
    from .guard import Guard
    from .outcome import Plan
    from .record import Entry

_OF_A_PLAN = "It was made for another workspace, or somebody has changed it: make it again."
_OF_A_JOURNAL = (
    "Open the workspace with the settings of that commit (extra_roots, lift). If nobody here has made it, take the "
    "state folder away, or the folder .suture if it came with the files."
)


def vet(guard: Guard, path: str, *, globs: bool = True) -> None:
    """Refuse an absolute path that the guard would never have given.

    Raises:
        PatchRejectedError: it is no path of this workspace, or may not be touched.
    """
    if path[:1] != "/" or path[:2] == "//" or normpath(path) != path or "\0" in path:
        _refuse("invalid_arguments", path, "is no absolute path in its shortest form")
    if not guard.is_inside(path) or path in guard.files.roots:
        _refuse("outside_workspace", path, "is no path inside the workspace")
    if globs:
        guard.check_globs(path, guard.shown(path))


def vet_plan(guard: Guard, plan: Plan) -> None:
    """Refuse a plan that was not made by this workspace, or not for it.

    Raises:
        PatchRejectedError: with all problems.
    """
    names = {file.path for file in plan.files}
    going = {file.path for file in plan.files if file.after.kind == "absent"}
    links = {file.before for file in plan.files if file.before.kind == "link"}
    problems: list[Problem] = []
    for file in plan.files:
        try:
            if len(names) < len(plan.files) or file.shown != guard.shown(file.path):
                _refuse("invalid_arguments", file.path, "is named in the plan as no plan names it")
            if file.after.kind not in {"file", "absent"} and file.after not in links:
                _refuse("invalid_arguments", file.path, "would become what no plan makes")
            for path in filter(None, (file.path or ".", file.like, file.moved_from)):
                vet(guard, path)
            if file.moved_from and file.moved_from not in going:
                _refuse("invalid_arguments", file.moved_from, "is moved by the plan, and would stay")
            written = file.after.kind == "file" and not file.moved_from
            if written and fingerprint(file.content) != file.after.sha256:
                _refuse("invalid_arguments", file.path, "has another content in the plan than its hash says")
        except PatchRejectedError as rejected:
            problems += rejected.problems
    above = folders_above(names)
    for folder in plan.folders:
        try:
            vet(guard, folder)
            if folder not in above:
                _refuse("invalid_arguments", folder, "is made by the plan, and nothing in it")
        except PatchRejectedError as rejected:
            problems += rejected.problems
    if problems:
        raise PatchRejectedError(problems)


def vet_entry(guard: Guard, entry: Entry, *, globs: bool, inside: bool) -> None:
    """Refuse to follow a journal entry that this workspace can't have written, or whose paths the globs deny.

    One that lies `inside` the workspace may have come with its files, so extra roots are not reached by it.

    Raises:
        PatchRejectedError: with the one problem.
    """
    try:
        _vet_entry(guard, entry, globs=globs, inside=inside)
    except PatchRejectedError as rejected:
        raise PatchRejectedError([problem.replace(hint=_OF_A_JOURNAL) for problem in rejected.problems]) from rejected


def _vet_entry(guard: Guard, entry: Entry, *, globs: bool, inside: bool) -> None:
    if len(entry.id) != ID_LENGTH or set(entry.id) - set("0123456789abcdef"):
        _refuse("invalid_arguments", entry.id, "is no id of a commit")
    names = {record.path for record in entry.files}
    above = folders_above(names)
    for record in entry.files:
        for path in filter(None, (record.path or ".", record.moved_from)):
            vet(guard, path, globs=globs)
        if record.staged and not (record.staged.endswith(STAGED) and dirname(record.staged) == dirname(record.path)):
            _refuse("invalid_arguments", record.staged, "is not the name of a staged file")
        if record.moved_from and record.moved_from not in names:
            _refuse("invalid_arguments", record.moved_from, "is moved by a commit that does not know it")
    for folder in entry.folders:
        vet(guard, folder, globs=globs)
        if folder not in above:
            _refuse("invalid_arguments", folder, "is made by a commit that puts nothing into it")
    if inside:
        first = guard.roots[0][1]
        for path in names:
            if not path.startswith(first):
                _refuse("outside_workspace", path, "is outside of the folder that this journal lies in")


def folders_above(paths: set[str]) -> set[str]:
    """All folders above some paths."""
    found: set[str] = set()
    for path in paths:
        folder = dirname(path)
        while folder not in found and folder not in {"", "/"}:
            found.add(folder)
            folder = dirname(folder)
    return found


def _refuse(code: Code, path: str, why: str) -> NoReturn:
    shown = visible_path(path)
    details = {"path": shown, "reason": "not_ours"}
    raise PatchRejectedError([Problem(code, f"{shown!r} {why}.", shown, None, details, _OF_A_PLAN, recoverable=False)])
