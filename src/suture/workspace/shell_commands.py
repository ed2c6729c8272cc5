"""What a shell command that runs `apply_patch` would do to a workspace, without running it."""

from __future__ import annotations

import posixpath

from ..core.dialect import STANDARD, dialect_named
from ..core.patch import UpdateFile
from ..core.problems import PatchRejectedError, Problem
from ..format.envelope import parse
from ..format.invocations import read_command, target_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Operation
    from ..core.problems import Code
    from ..format.shell_grammar import PatchInput
    from .guard import Guard, ResolvedPath
    from .outcome import Plan
    from .workspace import Workspace


def verify_invocation(
    argv: Sequence[str], cwd: str, workspace: Workspace, *, dialect: str | Dialect = "codex"
) -> Plan | None:
    """What a command would do to a workspace, with all its problems; None if it is not `apply_patch`.

    Files are read and diffs computed; nothing is written. A relative `cwd` is relative to the workspace.

    Raises:
        PatchInvalidError: as for `parse_invocation`.
        PatchRejectedError: the directory does not exist, or may not be touched.
    """
    chosen = dialect_named(dialect)
    patch_input = read_command(argv, chosen)
    if patch_input is None:
        return None
    patch = parse(patch_input.text, chosen)
    workspace.recover_if_needed()
    base = _resolved_folder(workspace, cwd, patch_input)
    operations = tuple([_rebased(operation, base) for operation in patch.operations])
    return workspace.plan(patch.replace(operations=operations), dialect=chosen, text=patch_input.text)


def _resolved_folder(workspace: Workspace, cwd: str, patch_input: PatchInput) -> str:
    """The directory that paths start from: relative to the root, or absolute in another root; "" for the root.

    Raises:
        PatchRejectedError: it is outside, denied, missing, or not a directory.
    """
    guard = workspace.guard(STANDARD)
    parts = patch_input.folder.split("/")
    for number, part in enumerate(parts):
        if part == ".." and _existing(guard, posixpath.join(cwd, "/".join(parts[:number]))).via:
            # For the system, `link/..` is the parent of the link's target; for most shells, the parent of the link.
            message = f"The directory {patch_input.folder} has a .. after a symbolic link, so it is ambiguous."
            raise PatchRejectedError([_folder_problem("command_failed", patch_input.folder, message, "link")])
    shown = guard.shown(_existing(guard, target_folder(cwd, patch_input)).path)
    if guard.relative_to and shown[0] != "/":
        shown = posixpath.relpath(shown, guard.relative_to)
    return "" if shown == "." else shown


def _existing(guard: Guard, folder: str) -> ResolvedPath:
    """An existing directory that may be touched."""
    folder = posixpath.normpath(folder)
    if folder == "/" != guard.roots[0][0]:
        message = "/ is outside the workspace."
        raise PatchRejectedError([_folder_problem("outside_workspace", folder, message, "absolute")])
    resolved = guard.resolve("." if folder == "/" else folder, relative_to="")
    if resolved.found is None or resolved.found.kind != "folder":
        raise PatchRejectedError([_folder_problem("not_found", folder, f"There is no directory {folder}.", "folder")])
    return resolved


def _folder_problem(code: Code, folder: str, message: str, reason: str) -> Problem:
    details = {"path": folder, "reason": reason}
    return Problem(code, message, folder, details=details, hint="Start from a directory of the workspace.")


def _rebased(operation: Operation, base: str) -> Operation:
    """An operation with paths relative to a directory, as one with paths relative to the workspace."""
    if not base:
        return operation
    path = posixpath.join(base, operation.path)
    if isinstance(operation, UpdateFile) and operation.move_to is not None:
        return operation.replace(path=path, move_to=posixpath.join(base, operation.move_to))
    return operation.replace(path=path)
