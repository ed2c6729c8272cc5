"""Reading a script for PowerShell or cmd whose only statement is `apply_patch`, without a shell.

As in `shell_grammar`, the grammar is closed and nothing is run or expanded::

    script      := lines [("cd" | "Set-Location") blanks word blanks (";" | "&&" | NEWLINE) lines] command lines
    command     := name blanks here-string | here-string blanks "|" blanks name
    name        := "apply_patch" | "applypatch"
    here-string := "@'" blanks NEWLINE body NEWLINE "'@" | '@"' blanks NEWLINE body NEWLINE '"@'
    word        := "'" … "'" | plain

PowerShell takes typographic quotes for straight ones: a line of a body that begins with one and `@` ends the body
there, so it is no such script. A body in double quotes is taken only if PowerShell would expand nothing in it. Models
also write heredocs for these shells, which have none: the command would fail there, so it means nothing else, and the
heredoc is read as for bash.
Windows PowerShell 5 passes neither a double quote in an argument nor a character beyond ASCII through a pipe; such a
command is refused. This was not compared with a real PowerShell.
"""

from __future__ import annotations

import re

from ..core.problems import PatchInvalidError, Problem
from .shell_grammar import PatchInput, read_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The names of shells, and whether each is Windows PowerShell 5, which changes some texts.
_POWERSHELLS = {"powershell": True, "pwsh": False}
_OPTIONS = frozenset({"-noprofile", "-nologo", "-noninteractive"})
_SCRIPT_OPTIONS = frozenset({"-command", "-c"})

_NAME = r"(?:apply_patch|applypatch)(?:\.exe)?"
#: The quotes that PowerShell takes for a single and for a double one.
_SINGLE_QUOTES = "'\u2018\u2019\u201a\u201b"
_DOUBLE_QUOTES = '"\u201c\u201d\u201e'
_WORD = rf"(?:'(?P<quoted>(?:[^{_SINGLE_QUOTES}\r\n]|'')*)'|(?P<plain>(?!-)[\w./\\:-]+))"
_FOLDER = rf"(?:(?i:cd|Set-Location)[ \t]+{_WORD}[ \t]*(?:;|&&|\r?\n)\s*)?"
_HERE_STRING = r"""@(?P<quote>['"])[ \t]*\r?\n(?P<body>.*?)\r?\n(?P=quote)@"""
_AS_ARGUMENT = re.compile(rf"\s*{_FOLDER}{_NAME}[ \t]+{_HERE_STRING}\s*", re.DOTALL)
_AS_INPUT = re.compile(rf"\s*{_FOLDER}{_HERE_STRING}[ \t]*\|[ \t]*{_NAME}\s*", re.DOTALL)
_HEREDOC = re.compile(r"apply_?patch[ \t]*<<")

_HERE_STRING_FORM = "@' at the end of a line, the patch, and '@ at the beginning of a line, then | apply_patch"


def read_windows_command(argv: Sequence[str]) -> PatchInput | None:
    """The input that a command of PowerShell or cmd passes to `apply_patch`; None if it is another command.

    Raises:
        PatchInvalidError: it is `apply_patch`, but the shell would not pass on the patch as written.
    """
    if len(argv) < 3:
        return None
    shell = re.split(r"[\\/]", argv[0])[-1].lower().removesuffix(".exe")
    options = [option.lower() for option in argv[1:-1]]
    script = argv[-1]
    if shell == "cmd" and options == ["/c"]:
        return read_script(script) if _HEREDOC.search(script) else None
    if shell not in _POWERSHELLS or options[-1] not in _SCRIPT_OPTIONS or not _OPTIONS.issuperset(options[:-1]):
        return None
    return _read_powershell(script, is_old=_POWERSHELLS[shell])


def _read_powershell(script: str, *, is_old: bool) -> PatchInput | None:
    """The input that a script of PowerShell passes to `apply_patch`; `is_old` is Windows PowerShell.

    Raises:
        PatchInvalidError: PowerShell would change the patch.
    """
    as_argument = _AS_ARGUMENT.fullmatch(script)
    as_input = _AS_INPUT.fullmatch(script)
    match = as_argument or as_input
    if match is None or _ends_early(match):
        return read_script(script) if _HEREDOC.search(script) else None
    body = match["body"]
    if match["quote"] == '"' and re.search(r"[$`]", body):
        raise _changed('PowerShell expands $ and ` between @" and "@')
    if as_argument and is_old and '"' in body:
        raise _changed("Windows PowerShell leaves out double quotes in an argument")
    if as_input and is_old and not body.isascii():
        raise _changed("Windows PowerShell sends other characters than ASCII as ? through a pipe")
    folder = match["plain"] or (match["quoted"] or "").replace("''", "'")
    return PatchInput(body + ("\n" if as_input else ""), folder.replace("\\", "/"))


def _ends_early(match: re.Match[str]) -> bool:
    """Whether a line of the body would end the here-string, so that the rest is another command."""
    quotes = _SINGLE_QUOTES if match["quote"] == "'" else _DOUBLE_QUOTES
    ends = tuple(f"{quote}@" for quote in quotes)
    return any(line.startswith(ends) for line in re.split(r"[\r\n]", match["body"]))


def _changed(why: str) -> PatchInvalidError:
    message = f"The patch would not arrive as written: {why}."
    details = {"reason": "expansion"}
    hint = f"Send the patch in a here-string in single quotes: {_HERE_STRING_FORM}."
    return PatchInvalidError([Problem("patch_parse_error", message, details=details, hint=hint)])
