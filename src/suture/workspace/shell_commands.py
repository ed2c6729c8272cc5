"""What a shell command that is `apply_patch` would do to a workspace, before anybody runs it."""

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
    """What a command would do to a workspace, with all its problems; None where it is not `apply_patch`.

    Files are read and diffs computed; nothing is written. A relative `cwd` is relative to the workspace.

    Raises:
        PatchInvalidError: as for `parse_invocation`.
        PatchRejectedError: the folder is not there, or may not be touched.
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
    """The folder as paths of the workspace begin: relative to its root, or absolute in another root; "" for the root.

    Raises:
        PatchRejectedError: it is outside, denied, missing, or no folder.
    """
    guard = workspace.guard(STANDARD)
    parts = patch_input.folder.split("/")
    for number, part in enumerate(parts):
        if part == ".." and _existing(guard, posixpath.join(cwd, "/".join(parts[:number]))).via:
            # The system takes `link/..` for the folder above the link's target, most shells for that above the link.
            message = (
                f"The folder {patch_input.folder} leads through a symbolic link and up again, so it can be either side."
            )
            raise PatchRejectedError([_folder_problem("command_failed", patch_input.folder, message, "link")])
    shown = guard.shown(_existing(guard, target_folder(cwd, patch_input)).path)
    return "" if shown == "." else shown


def _existing(guard: Guard, folder: str) -> ResolvedPath:
    """A folder that is there and may be touched."""
    folder = posixpath.normpath(folder)
    if folder == "/" != guard.roots[0][0]:
        message = "/ is outside the workspace."
        raise PatchRejectedError([_folder_problem("outside_workspace", folder, message, "absolute")])
    resolved = guard.resolve("." if folder == "/" else folder)
    if resolved.found is None or resolved.found.kind != "folder":
        raise PatchRejectedError([_folder_problem("not_found", folder, f"There is no folder {folder}.", "folder")])
    return resolved


def _folder_problem(code: Code, folder: str, message: str, reason: str) -> Problem:
    details = {"path": folder, "reason": reason}
    return Problem(code, message, folder, details=details, hint="Start from a folder of the workspace.")


def _rebased(operation: Operation, base: str) -> Operation:
    """An operation whose relative paths start from a folder, as one whose paths start from the workspace."""
    if not base:
        return operation
    path = posixpath.join(base, operation.path)
    if isinstance(operation, UpdateFile) and operation.move_to is not None:
        return operation.replace(path=path, move_to=posixpath.join(base, operation.move_to))
    return operation.replace(path=path)
