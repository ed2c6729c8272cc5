"""`suture diff`: a patch of two files or two folders."""

from __future__ import annotations

import os

from ...core.display import one_line
from ...core.problems import PatchInvalidError, PatchRejectedError, Problem
from ...diff.compare_trees import compare_trees
from ..arguments import UsageError
from ..inputs import unreadable
from ..json_output import print_document
from ..progress import waiting
from ..render import show_diff
from ..tree import Tree
from .parse import patch_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from ...diff.compare_trees import Progress
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch that makes the one of the other."""
    try:
        before, after = _trees(options)
        with waiting(screen) as job:
            old, new = before.contents(job.at), after.contents(job.at)
    except OSError as error:
        raise PatchInvalidError([unreadable(str(error.filename), error)]) from error
    for name, why in _passed_over(before, after):
        screen.tell(f"suture diff: {one_line(name)} {why}, and passed over")
    with waiting(screen) as job:
        text, patch = (_unified(old, new, job.at), None) if options.unified else _envelope(old, new, options, job.at)
    if screen.json:
        return print_document(screen, "diff", 0, {"text": text, "patch": patch, "unified": options.unified})
    screen.keep()
    show_diff(screen, text)
    return 0


def _passed_over(before: Tree, after: Tree) -> list[tuple[str, str]]:
    """What no patch says, with the reason."""
    others = [(name, "is neither a file nor a folder") for name in {*before.others, *after.others}]
    come = [(name, "can be run now, which a patch can't say") for name in after.programs - before.programs]
    gone = [(name, "can't be run any more, which a patch can't say") for name in before.programs - after.programs]
    return sorted([*others, *come, *[one for one in gone if one[0] in after.files]])


def _envelope(
    old: Mapping[str, bytes], new: Mapping[str, bytes], options: Namespace, tell: Progress
) -> tuple[str, dict[str, object]]:
    from ...format.writer import render

    made = compare_trees(old, new, options.dialect, tell)
    try:
        return render(made, options.dialect) if made.operations else "", patch_data(made)
    except ValueError as error:
        message = f"There is no patch in the dialect {options.dialect} for it: {error}."
        raise PatchRejectedError([Problem("patch_apply_error", message)]) from error


def _trees(options: Namespace) -> tuple[Tree, Tree]:
    names = [os.path.join(options.root, name) for name in (options.before, options.after)]
    for given, name in zip((options.before, options.after), names, strict=True):
        if not os.path.exists(name):
            raise PatchInvalidError([Problem("not_found", f"There is no file or folder {given}.", given)])
    folders = [os.path.isdir(name) for name in names]
    if folders[0] != folders[1]:
        message = "expected two files or two folders; found one of each"
        raise UsageError(message)
    if folders[0] and options.path:
        message = "--path is for two files; in folders every file has its own name"
        raise UsageError(message)
    shown = options.path or os.path.normpath(options.before)
    return Tree(names[0], shown), Tree(names[1], shown)


def _unified(old: Mapping[str, bytes], new: Mapping[str, bytes], tell: Progress) -> str:
    from ...core.text import Text
    from ...diff.write_diff import join_diffs, unified_diff

    parts = []
    names = sorted(old.keys() | new.keys())
    for number, name in enumerate(names):
        tell("comparing", number, len(names))
        one, other = (None if name not in side else Text(side[name], None, name).raw for side in (old, new))
        parts.append(unified_diff(one, other, name) if one != other else "")
    return join_diffs(parts)
