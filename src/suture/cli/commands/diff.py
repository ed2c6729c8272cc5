"""`suture diff`: a patch of two files or two folders."""

from __future__ import annotations

import os

from ...problems import PatchInvalid, PatchRejected, Problem
from ..arguments import UsageError
from ..comparing import Tree, compared
from ..documents import print_document
from ..shown import show_diff
from .parse import patch_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Print the patch that makes the one of the other."""
    before, after = _trees(options)
    for name in sorted({*before.others, *after.others}):
        screen.tell(f"suture diff: {name} is neither a file nor a folder, and passed over")
    old, new = before.contents(), after.contents()
    if options.unified:
        text, patch = _unified(old, new), None
    else:
        from ...rendering import render

        made = compared(old, new, options.dialect)
        try:
            text, patch = render(made, options.dialect) if made.operations else "", patch_data(made)
        except ValueError as error:
            message = f"There is no patch in the dialect {options.dialect} for it: {error}."
            raise PatchRejected([Problem("patch_apply_error", message)]) from error
    if screen.json:
        return print_document(screen, "diff", 0, {"text": text, "patch": patch, "unified": options.unified})
    screen.keep()
    show_diff(screen, text)
    return 0


def _trees(options: Namespace) -> tuple[Tree, Tree]:
    names = [os.path.join(options.root, name) for name in (options.before, options.after)]
    for given, name in zip((options.before, options.after), names, strict=True):
        if not os.path.exists(name):
            raise PatchInvalid([Problem("not_found", f"There is no file or folder {given}.", given)])
    folders = [os.path.isdir(name) for name in names]
    if folders[0] != folders[1]:
        message = "expected two files or two folders; found one of each"
        raise UsageError(message)
    if folders[0] and options.path:
        message = "--path is for two files; in folders every file has its own name"
        raise UsageError(message)
    shown = options.path or os.path.normpath(options.before)
    return Tree(names[0], shown), Tree(names[1], shown)


def _unified(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> str:
    from ...diff import unified_diff
    from ...text import Text

    parts = []
    for name in sorted(old.keys() | new.keys()):
        one, other = (None if name not in side else Text(side[name], None, name).raw for side in (old, new))
        parts.append(unified_diff(one, other, name) if one != other else "")
    return "".join(parts)
