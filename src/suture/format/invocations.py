"""Finding the patch in a command that calls `apply_patch`, before anything runs it.

Nothing is run or written. A command gives the patch that it would pass to `apply_patch`, None if it is any other
command, or an exception if the patch would not arrive as written. `shell_grammar` has the grammar of scripts;
`workspace.shell_commands` says what a command would do to a workspace.
"""

from __future__ import annotations

import posixpath

from ..core.dialect import BEGIN, CODEX, COMMANDS, dialect_named
from ..core.problems import PatchInvalidError, Problem
from ..core.value import Value
from .envelope import parse_envelope
from .shell_grammar import HEREDOC_FORM, PatchInput, read_script
from .windows_shells import read_windows_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.dialect import Dialect
    from ..core.patch import Patch

#: The names of shells, and the options before a script.
_SHELLS = ("bash", "zsh", "sh")
_OPTIONS = (["-c"], ["-lc"], ["-l", "-c"])


class Invocation(Value):
    """A command that calls `apply_patch`: the patch, its text, and the directory that its paths are relative to.

    `dialect` is the one that the patch was parsed in.
    """

    patch: Patch
    text: str
    folder: str
    dialect: Dialect = CODEX


def parse_invocation(argv: Sequence[str], cwd: str = ".", *, dialect: str | Dialect = "codex") -> Invocation | None:
    """The patch that a command would apply; None if the command is not `apply_patch`.

    The command is `["apply_patch", patch]`, or a script for `bash`, `zsh` or `sh` that does nothing else, except that
    it may change the directory first, or such a script for PowerShell or `cmd`. `cwd` is where the command would run;
    without it, the directory of the invocation is relative to that, "." unless the script changes it.

    Raises:
        PatchInvalidError: the command is a patch itself (`implicit_invocation`), or its patch can't be parsed or would
            be changed by the shell.
    """
    chosen = dialect_named(dialect)
    patch_input = read_command(argv, chosen)
    if patch_input is None:
        return None
    return Invocation(
        parse_envelope(patch_input.text, chosen), patch_input.text, target_folder(cwd, patch_input), chosen
    )


def read_command(argv: Sequence[str], dialect: Dialect) -> PatchInput | None:
    """The input that argv passes to `apply_patch`; None if it is another command."""
    if isinstance(argv, str):
        message = f"expected argv as a list of arguments; found the text {argv[:40]!r}"
        raise TypeError(message)
    arguments: Sequence[object] = argv
    if not all(isinstance(argument, str) for argument in arguments):
        message = f"Every argument of a command is a text; found {list(arguments)!r:.80}."
        raise PatchInvalidError([Problem("invalid_arguments", message, hint="Send the command as a list of texts.")])
    script = _script(argv)
    alone = argv[0] if len(argv) == 1 else script
    if alone is not None and _is_bare_patch(alone):
        raise PatchInvalidError([_implicit_invocation(), *_parse_problems(alone, dialect)])
    if len(argv) == 2 and argv[0] in COMMANDS:
        return PatchInput(argv[1])
    return read_windows_command(argv) if script is None else read_script(script)


def _script(argv: Sequence[str]) -> str | None:
    """The script that argv passes to a shell, if it does."""
    if len(argv) not in (3, 4):
        return None
    shell, *options, script = argv
    is_shell = posixpath.basename(shell) in _SHELLS and options in _OPTIONS
    return script if is_shell else None


def _is_bare_patch(text: str) -> bool:
    """Whether a text starts like a patch, which no command or script does."""
    return text.lstrip().partition("\n")[0].rstrip() == BEGIN


def _parse_problems(text: str, dialect: Dialect) -> tuple[Problem, ...]:
    """What else is wrong with a bare patch, so that everything can be fixed at once."""
    try:
        parse_envelope(text, dialect)
    except PatchInvalidError as invalid:
        return invalid.problems
    return ()


def _implicit_invocation() -> Problem:
    message = "Raw patch without command: expected a command, found a patch."
    hint = f'Pass the patch to apply_patch: ["apply_patch", "<the patch>"], or in a shell {HEREDOC_FORM}.'
    return Problem("implicit_invocation", message, hint=hint)


def target_folder(cwd: str, patch_input: PatchInput) -> str:
    """The directory that a shell is in after `cd`, which removes `name/..` as text."""
    return posixpath.normpath(posixpath.join(cwd, patch_input.folder))
