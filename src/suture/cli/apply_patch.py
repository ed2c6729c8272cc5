"""`apply_patch`: applies a patch from its only argument or standard input. Paths start at the current directory.

A drop-in replacement for Codex's program of the same name: dialect codex, the same messages and exit codes. Unlike
Codex, it applies all of a patch or nothing, unless `SUTURE_ATOMIC=0` is set. Agents start it for every edit, so it
loads only what an edit needs and reads its arguments by hand.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from .. import __version__
from ..core.common_limits import MOST_INPUT_BYTES
from ..core.problems import PatchRejectedError, SutureError
from ..core.system import is_absolute, relative_path
from .interrupts import ignore_after_commit, listen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.outcome import Change, Receipt
    from ..core.readers import Reader
USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch"
HELP = f"""{USAGE}

Apply a patch (*** Begin Patch … *** End Patch), all of it or nothing. Paths are relative to the current
directory, and may lead to any file of the project.

Environment:
  SUTURE_ALLOW=GLOB:GLOB     Allow paths that are denied by default, such as .env
  SUTURE_ATOMIC=0            Apply operations one by one and stop at the first failure
  SUTURE_DURABILITY=process  Survive a killed process but not a power failure; faster
  SUTURE_STATE_DIR=DIR       Keep journals and histories here
  SUTURE_DEBUG=1             Show a traceback for unexpected errors

Exit status: 0 success, 1 failure, 2 usage error, 130 interrupted. See also `suture --help`.
"""
#: The letters of the summary in order, with the kinds of change each stands for.
GROUPS = (("A", ("add",)), ("M", ("update", "move")), ("D", ("delete",)))


class InputError(Exception):
    """The arguments, the environment or standard input is invalid; `status` is the exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def main() -> None:
    """The entry point."""
    # The process is too short-lived for garbage collection to pay off.
    gc.disable()
    listen()
    status = run(sys.argv[1:], exiting=True)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, AttributeError):
        pass  # the reader is gone
    # Skip the interpreter's orderly shutdown, which takes time and has nothing left to do.
    os._exit(status)


def run(arguments: Sequence[str], *, exiting: bool = False) -> int:
    """Apply the patch, print the result, and return the exit status; `exiting` if the process ends right after."""
    try:
        if list(arguments) in (["--help"], ["-h"]):
            _print(sys.stdout, HELP)
            return 0
        if list(arguments) == ["--version"]:
            _print(sys.stdout, f"apply_patch (suture {__version__})\n")
            return 0
        patch = _read_patch(arguments)
        receipt, start = _apply(patch, exiting=exiting)
        if receipt.state_inside:
            from .run_edit import STATE_INSIDE

            _print(sys.stderr, f"{STATE_INSIDE}\n")
    except InputError as error:
        _print(sys.stderr, f"{error}\n")
        return error.status
    except KeyboardInterrupt:
        state = "No file was changed." if _atomic() else "Earlier operations were kept: see suture log."
        _print(sys.stderr, f"Interrupted. {state}\n")
        return 130
    except Exception as error:  # noqa: BLE001 - the model gets one clear sentence, never a traceback
        return _report(error)
    _print(sys.stdout, summary(receipt.changes, start))
    return 0


def summary(changes: Sequence[Change], start: str = "") -> str:
    """The changes in groups, as Codex prints them: a move is an `M` with its new path, relative to the directory."""
    lines = ["Success. Updated the following files:"]
    for letter, kinds in GROUPS:
        for change in changes:
            if change.kind in kinds:
                path = change.move_to or change.path
                lines.append(f"{letter} {relative_path(path, start) if start and not is_absolute(path) else path}")
    return "\n".join([*lines, ""])


def _read_patch(arguments: Sequence[str]) -> str:
    """The text of the patch.

    Raises:
        InputError: there is no patch, or it is not UTF-8.
    """
    if len(arguments) > 1:
        raise InputError("Error: apply_patch accepts exactly one argument.", 2)
    if arguments:
        try:
            arguments[0].encode()
        except UnicodeEncodeError:
            raise InputError("Error: apply_patch requires a UTF-8 PATCH argument.", 1) from None
        return arguments[0]
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError(USAGE, 2)
    try:
        data = sys.stdin.buffer.read(MOST_INPUT_BYTES + 1)
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _stdin_error("It is not UTF-8: byte", error.start + 1, f"is {data[error.start]:#04x}.") from None
    except OSError as error:
        raise _stdin_error(error.strerror) from None
    if len(data) > MOST_INPUT_BYTES:
        raise _stdin_error("It is larger than", MOST_INPUT_BYTES >> 20, "MB.")
    if not text:
        raise InputError(USAGE, 2)
    return text


def _stdin_error(*reason: object) -> InputError:
    return InputError(f"Error: Failed to read PATCH from stdin.\n{' '.join(map(str, reason))}", 1)


def _apply(patch: str, *, exiting: bool) -> tuple[Receipt, str]:
    """Apply a patch to the project; the receipt, and where in the project paths start."""
    from ..agent.configuration.project_workspace import open_project
    from ..workspace.project import find_project

    level = os.environ.get("SUTURE_DURABILITY", "")
    if level not in ("full", "process", ""):
        message = f"Error: SUTURE_DURABILITY must be full or process, not {level}."
        raise InputError(message, 2)
    try:
        root, start = find_project()
    except OSError:
        raise InputError("Error: The current directory no longer exists.", 1) from None
    allowed = filter(None, os.environ.get("SUTURE_ALLOW", "").split(":"))
    workspace = open_project(
        root, lift=allowed, dialect="codex", relative_to=start, actor="apply_patch", durability=level
    )
    if _atomic():
        ignore_after_commit(workspace)
    try:
        receipt = workspace.apply(patch, atomic=_atomic())
    except BaseException as error:
        if isinstance(error, PatchRejectedError):
            # Without descriptors the modules can't be loaded. Nothing depends on them, and the refusal is what counts.
            with suppress(OSError):
                from ..workspace.refused_edits import keep_refused

                keep_refused(workspace, error.plan, _reader(), tool="apply_patch")
        workspace.close()
        raise
    # The commit is done: an interrupt must not be reported now.
    with suppress(KeyboardInterrupt):
        workspace.close(exiting=exiting)
    return receipt, start


def _atomic() -> bool:
    return os.environ.get("SUTURE_ATOMIC", "1") != "0"


def _reader() -> Reader:
    """Who reads what this program says."""
    from ..core.readers import APPLY_PATCH

    return APPLY_PATCH


def _report(error: Exception) -> int:
    if isinstance(error, SutureError):
        _print(sys.stderr, f"{error.told_to(_reader()).for_model()}\n")
        return 1
    if os.environ.get("SUTURE_DEBUG"):
        from traceback import print_exception

        print_exception(error)
    _print(sys.stderr, f"Error: {type(error).__name__}: {error}\n")
    return 1


def _print(stream: object, text: str) -> None:
    """Write text to a stream, unless its reader is gone."""
    try:
        buffer = stream.buffer  # type: ignore[attr-defined]
        buffer.write(text.encode("utf-8", "backslashreplace"))
        buffer.flush()
    except (OSError, AttributeError, ValueError):
        pass


if __name__ == "__main__":
    main()
