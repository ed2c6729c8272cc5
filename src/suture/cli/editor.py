"""The user's editor, for a text that is edited before it is used."""

from __future__ import annotations

import os
from subprocess import run
from tempfile import TemporaryDirectory

from ..core.system import WINDOWS
from .arguments import UsageError
from .interrupts import ignore_ctrl_c, restore_ctrl_c
from .user_commands import user_command

#: What every system has.
_EDITOR = "notepad" if WINDOWS else "vi"


def edit_text(text: str, name: str = "hunk.diff", *, exact: bool = False) -> str:
    """Open a text in the user's editor, in a file of this name, and return the result.

    With `exact`, carriage returns are kept as the editor writes them; otherwise every line ends with a newline alone.

    Raises:
        UsageError: the editor cannot be started or fails.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or _EDITOR
    newline = "" if exact else None
    # While the editor runs, Ctrl-C belongs to it.
    handler = ignore_ctrl_c()
    try:
        with TemporaryDirectory() as folder:
            path = f"{folder}/{name}"
            with open(path, "w", encoding="utf-8", errors="surrogateescape", newline=newline) as file:
                file.write(text)
            status = run([*user_command(editor), path], check=False).returncode  # noqa: S603 - the user's own choice
            if status:
                message = f"The editor {editor!r} exited with status {status}."
                raise UsageError(message)
            with open(path, encoding="utf-8", errors="surrogateescape", newline=newline) as edited:
                return edited.read()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        message = f"The editor {editor!r} cannot be used: {why}."
        raise UsageError(message) from error
    finally:
        restore_ctrl_c(handler)
