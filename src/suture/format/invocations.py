"""`apply_patch` inside argv and shell scripts: what an agent's command hands to it, before anybody runs it.

Nothing is run or written. The answer is what the command hands to `apply_patch`, or None for any other command, or an
exception for a patch that would not arrive as it is written. The grammar of scripts is in `shell_grammar`; what a
command would do to a workspace is in `workspace.shell_commands`.
"""

from __future__ import annotations

import posixpath

from ..core.dialect import BEGIN, COMMANDS, dialect_named
from ..core.problems import PatchInvalidError, Problem
from ..core.value import Value
from .envelope import parse
from .shell_grammar import Handed, read_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Patch

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
        PatchInvalidError: it is a patch without the command (`implicit_invocation`), a patch that can't be read, or
            one that the shell would change.
    """
    chosen = dialect_named(dialect)
    handed = read_command(argv, chosen)
    if handed is None:
        return None
    return Invocation(parse(handed.text, chosen), handed.text, folder_of(cwd, handed))


def read_command(argv: Sequence[str], dialect: Dialect) -> Handed | None:
    """What argv hands to `apply_patch`; None where it is another command."""
    if isinstance(argv, str):
        message = f"expected argv as a list of arguments; found the text {argv[:40]!r}"
        raise TypeError(message)
    script = _script_of(argv)
    alone = argv[0] if len(argv) == 1 else script
    if alone is not None and _is_bare_patch(alone):
        raise PatchInvalidError([_implicit(), *_unreadable(alone, dialect)])
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
    except PatchInvalidError as invalid:
        return invalid.problems
    return ()


def _implicit() -> Problem:
    message = "Raw patch without command: a patch stands where a command was expected."
    hint = (
        'Put the command in front: ["apply_patch", "<the patch>"], or in a shell '
        "apply_patch <<'EOF', the patch, and a line EOF."
    )
    return Problem("implicit_invocation", message, hint=hint)


def folder_of(cwd: str, handed: Handed) -> str:
    """Where a shell is after its `cd`: it takes `name/..` away as text."""
    return posixpath.normpath(posixpath.join(cwd, handed.folder))
