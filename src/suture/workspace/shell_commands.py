"""What a shell command that runs `apply_patch` would do to a workspace, without running it."""

from __future__ import annotations

import posixpath

from ..core.dialect import STANDARD, dialect_named
from ..core.patch import UpdateFile
from ..core.problems import PatchRejectedError, Problem
from ..core.system import is_absolute
from ..format.envelope import parse_envelope
from ..format.invocations import Invocation, read_command, target_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.outcome import Plan
    from ..core.patch import Operation, Patch
    from ..core.problems import Code
    from ..format.shell_grammar import PatchInput
    from .guard import Guard, ResolvedPath
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
    invocation = find_invocation(argv, cwd, workspace, dialect=dialect)
    if invocation is None:
        return None
    patch = rebase_patch(invocation, workspace)
    plan = workspace.plan(patch, dialect=invocation.dialect, text=invocation.text)
    return plan.replace(cwd=invocation_folder(invocation, workspace))


def find_invocation(
    argv: Sequence[str], cwd: str, workspace: Workspace, *, dialect: str | Dialect = "codex"
) -> Invocation | None:
    """As `parse_invocation`, for a directory of a workspace, which must exist. The answer has it as an absolute path.

    Raises:
        PatchInvalidError: as for `parse_invocation`.
        PatchRejectedError: the directory does not exist, or may not be touched.
    """
    chosen = dialect_named(dialect)
    patch_input = read_command(argv, chosen)
    if patch_input is None:
        return None
    patch = parse_envelope(patch_input.text, chosen)
    workspace.recover_if_needed()
    return Invocation(patch, patch_input.text, _resolved_folder(workspace, cwd, patch_input), chosen)


def invocation_folder(invocation: Invocation, workspace: Workspace) -> str:
    """The directory that the paths of a command are relative to, as an absolute path.

    Raises:
        PatchRejectedError: it does not exist, or may not be touched.
    """
    return _existing(workspace.guard(STANDARD), invocation.folder).path


def rebase_patch(invocation: Invocation, workspace: Workspace) -> Patch:
    """The patch of a command with paths relative to the workspace, or absolute in another root.

    Raises:
        PatchRejectedError: the directory of the command does not exist, or may not be touched.
    """
    guard = workspace.guard(STANDARD)
    display_path = guard.shown(invocation_folder(invocation, workspace))
    if guard.relative_to and not is_absolute(display_path):
        display_path = posixpath.relpath(display_path, guard.relative_to)
    base = "" if display_path == "." else display_path
    operations = tuple([_rebased(operation, base) for operation in invocation.patch.operations])
    return invocation.patch.replace(operations=operations)


def _resolved_folder(workspace: Workspace, cwd: str, patch_input: PatchInput) -> str:
    """The directory that paths start from, as an absolute path.

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
    return _existing(guard, target_folder(cwd, patch_input)).path


def _existing(guard: Guard, folder: str) -> ResolvedPath:
    """An existing directory that may be touched."""
    folder = posixpath.normpath(folder)
    if folder == "/" and guard.roots[0][0] != "/":
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
