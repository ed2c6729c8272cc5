"""`suture diff`: creates a patch from two files or directories."""

from __future__ import annotations

import os

from ...core.display import one_line
from ...core.file_errors import FileTooLargeError
from ...core.line_hunks import line_hunks
from ...core.patch import EXECUTABLE, PLAIN
from ...core.problems import PatchInvalidError, PatchRejectedError, Problem
from ...core.system import slashed
from ...core.text import Text
from ...core.write_diff import FileSection, join_sections
from ...format.writer import render
from ...place.compare_trees import compare_trees
from ..arguments import UsageError
from ..inputs import read_problem
from ..json_output import print_document
from ..progress import ProgressBar
from ..render import show_diff, show_patch
from ..tree import Tree
from .parse import patch_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping

    from ...place.compare_trees import Progress
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print a patch that turns the first into the second."""
    try:
        before, after = _trees(options)
        with ProgressBar(screen) as progress:
            old, new = before.contents(progress.update), after.contents(progress.update)
    except FileTooLargeError as error:
        name, limit = slashed(str(error.filename)), f"{error.limit >> 20:,} MB"
        message = f"{one_line(name)}: up to this file, there are more than {limit} to compare."
        raise PatchInvalidError([Problem("file_too_large", message, name)]) from error
    except OSError as error:
        raise PatchInvalidError([read_problem(slashed(str(error.filename)), error)]) from error
    for name, reason in _left_out(before, after, with_modes=not options.unified):
        screen.error(f"suture diff: {one_line(name)} {reason}")
    if options.unified:
        with ProgressBar(screen) as progress:
            sections = list(_sections(old, new, progress.update, before.programs, after.programs))
        if screen.json:
            text = join_sections(sections)
            return print_document(screen, "diff", 0, {"text": text, "patch": None, "unified": True})
        screen.start_paging()
        show_diff(screen, sections)
        return 0
    with ProgressBar(screen) as progress:
        text, patch = _envelope(old, new, options, progress.update)
    if screen.json:
        return print_document(screen, "diff", 0, {"text": text, "patch": patch, "unified": False})
    screen.start_paging()
    show_patch(screen, text)
    return 0


def _left_out(before: Tree, after: Tree, *, with_modes: bool) -> list[tuple[str, str]]:
    """The differences that are not written: names with what is left out. Only a unified diff can express modes."""
    others = [(name, "was skipped: it is not a file or directory") for name in {*before.others, *after.others}]
    if not with_modes:
        return sorted(others)
    mode = "executable, which a patch cannot express"
    gained = [(name, f"became {mode}") for name in after.programs - before.programs]
    lost = [(name, f"is no longer {mode}") for name in (before.programs - after.programs) & after.files.keys()]
    return sorted([*others, *gained, *lost])


def _envelope(
    old: Mapping[str, bytes], new: Mapping[str, bytes], options: Namespace, tell: Progress
) -> tuple[str, dict[str, object]]:
    patch = compare_trees(old, new, options.dialect, tell)
    try:
        return render(patch, options.dialect) if patch.operations else "", patch_data(patch)
    except ValueError as error:
        message = f"The {options.dialect} dialect cannot express this patch: {error}."
        raise PatchRejectedError([Problem("patch_apply_error", message)]) from error


def _trees(options: Namespace) -> tuple[Tree, Tree]:
    names = [os.path.join(options.root or ".", name) for name in (options.before, options.after)]
    for argument, name in zip((options.before, options.after), names, strict=True):
        if not os.path.exists(name):
            raise PatchInvalidError([Problem("not_found", f"File or directory {argument} not found.", argument)])
    folders = [os.path.isdir(name) for name in names]
    if folders[0] != folders[1]:
        message = "expected two files or two directories; found one of each"
        raise UsageError(message)
    if folders[0] and options.path:
        message = "--path can only be used with two files, not with directories"
        raise UsageError(message)
    name = options.path or slashed(os.path.normpath(options.before))
    return Tree(names[0], name), Tree(names[1], name)


def _sections(
    old: Mapping[str, bytes], new: Mapping[str, bytes], tell: Progress, old_programs: set[str], new_programs: set[str]
) -> Iterator[FileSection]:
    """The files that differ, as those of a unified diff."""
    names = sorted(old.keys() | new.keys())
    for number, name in enumerate(names):
        tell("comparing", number, len(names))
        one, other = (None if name not in side else Text(side[name], None, name).raw for side in (old, new))
        old_mode, new_mode = (EXECUTABLE if name in programs else PLAIN for programs in (old_programs, new_programs))
        if one != other or old_mode != new_mode:
            yield FileSection(
                name,
                name,
                line_hunks(one, other),
                is_new=one is None,
                is_deleted=other is None,
                old_mode=old_mode,
                new_mode=new_mode,
            )
