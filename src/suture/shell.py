"""`apply_patch` inside argv and shell scripts: what an agent's command would do, before anybody runs it.

`parse_invocation` reads, `verify_invocation` also plans. Neither runs or writes anything. The answer is what the
command hands to `apply_patch`, or None for any other command, or an exception for a patch that would not arrive as it
is written. What a script may be is in `script`.
"""

from __future__ import annotations

import posixpath

from .dialect import STANDARD, dialect_named
from .envelope import parse
from .markers import BEGIN
from .patch import UpdateFile
from .problems import PatchInvalid, PatchRejected, Problem
from .script import COMMANDS, Handed, read_script
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .dialect import Dialect
    from .patch import Operation, Patch
    from .problems import Code
    from .workspace.guard import Guard, Resolved
    from .workspace.outcome import Plan
    from .workspace.plans import Plans

#: The shells by their names, and the options in front of a script.
_SHELLS = ("bash", "zsh", "sh")
_OPTIONS = (["-c"], ["-lc"], ["-l", "-c"])


class Invocation(Value):
    """A command that is `apply_patch`: the patch, its text, and the folder that its relative paths start from."""

    patch: Patch
    text: str
    folder: str


def parse_invocation(argv: Sequence[str], cwd: str, *, dialect: str | Dialect = "codex") -> Invocation | None:
    """The patch that a command would apply; None where the command is not `apply_patch`.

    It is `["apply_patch", patch]`, or a script of `bash`, `zsh` or `sh` that does nothing else
    (docs/invocations.md has the forms). `cwd` is where the command would run.

    Raises:
        PatchInvalid: it is a patch without the command (`implicit_invocation`), a patch that can't be read, or one that
            the shell would change.
    """
    chosen = dialect_named(dialect)
    handed = _handed(argv, chosen)
    if handed is None:
        return None
    return Invocation(parse(handed.text, chosen), handed.text, _folder(cwd, handed))


def verify_invocation(
    argv: Sequence[str], cwd: str, workspace: Plans, *, dialect: str | Dialect = "codex"
) -> Plan | None:
    """What a command would do to a workspace, with all its problems; None where it is not `apply_patch`.

    Files are read and diffs computed; nothing is written. A relative `cwd` is relative to the workspace.

    Raises:
        PatchInvalid: as for `parse_invocation`.
        PatchRejected: the folder is not there, or may not be touched.
    """
    chosen = dialect_named(dialect)
    handed = _handed(argv, chosen)
    if handed is None:
        return None
    patch = parse(handed.text, chosen)
    workspace.ready()
    base = _resolved_folder(workspace, cwd, handed)
    operations = [_rebased(operation, base) for operation in patch.operations]
    return workspace.plan_operations(operations, patch, handed.text, chosen, None)


def _handed(argv: Sequence[str], dialect: Dialect) -> Handed | None:
    """What argv hands to `apply_patch`; None where it is another command."""
    if isinstance(argv, str):
        message = f"expected argv as a list of arguments; found the text {argv[:40]!r}"
        raise TypeError(message)
    script = _script_of(argv)
    alone = argv[0] if len(argv) == 1 else script
    if alone is not None and _is_bare_patch(alone):
        raise PatchInvalid([_implicit(), *_unreadable(alone, dialect)])
    if len(argv) == 2 and argv[0] in COMMANDS:
        return Handed(argv[1])
    return None if script is None else read_script(script)


def _script_of(argv: Sequence[str]) -> str | None:
    """The script that a shell is told to run, if argv is that."""
    if len(argv) not in (3, 4) or posixpath.basename(argv[0]) not in _SHELLS or list(argv[1:-1]) not in _OPTIONS:
        return None
    return argv[-1]


def _is_bare_patch(text: str) -> bool:
    """Whether a text begins as a patch does, which no command and no script do."""
    return text.lstrip().partition("\n")[0].rstrip() == BEGIN


def _unreadable(text: str, dialect: Dialect) -> tuple[Problem, ...]:
    """What else is wrong with a bare patch, so that it need not be sent twice."""
    try:
        parse(text, dialect)
    except PatchInvalid as invalid:
        return invalid.problems
    return ()


def _implicit() -> Problem:
    message = "Raw patch without command: a patch stands where a command was expected."
    hint = (
        'Put the command in front: ["apply_patch", "<the patch>"], or in a shell '
        "apply_patch <<'EOF', the patch, and a line EOF."
    )
    return Problem("implicit_invocation", message, hint=hint)


def _folder(cwd: str, handed: Handed) -> str:
    """Where a shell is after its `cd`: it takes `name/..` away as text."""
    return posixpath.normpath(posixpath.join(cwd, handed.folder))


def _resolved_folder(workspace: Plans, cwd: str, handed: Handed) -> str:
    """The folder as paths of the workspace begin: relative to its root, or absolute in another root; "" for the root.

    Raises:
        PatchRejected: it is outside, denied, missing, or no folder.
    """
    guard = workspace.guard(STANDARD)
    parts = handed.folder.split("/")
    for number, part in enumerate(parts):
        if part == ".." and _existing(guard, posixpath.join(cwd, "/".join(parts[:number]))).via:
            # The system takes `link/..` for the folder above the link's target, most shells for that above the link.
            message = (
                f"The folder {handed.folder} leads through a symbolic link and up again, so it can be either side."
            )
            raise PatchRejected([_folder_problem("command_failed", handed.folder, message, "link")])
    shown = guard.shown(_existing(guard, _folder(cwd, handed)).path)
    return "" if shown == "." else shown


def _existing(guard: Guard, folder: str) -> Resolved:
    """A folder that is there and may be touched."""
    folder = posixpath.normpath(folder)
    if folder == "/" != guard.roots[0][0]:
        message = "/ is outside the workspace."
        raise PatchRejected([_folder_problem("outside_workspace", folder, message, "absolute")])
    resolved = guard.resolve("." if folder == "/" else folder)
    if resolved.found is None or resolved.found.kind != "folder":
        raise PatchRejected([_folder_problem("not_found", folder, f"There is no folder {folder}.", "folder")])
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
