"""`apply_patch`: a patch as its one argument or on standard input, applied to the current folder.

A drop-in for the program of that name: dialect codex, its texts on standard output and error, its exit codes. Other
than that program it does all of a patch or nothing, unless `SUTURE_ATOMIC=0` asks for one operation after another. An
agent starts it for every edit, so nothing is loaded that an edit does not use, and arguments are read by hand.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..workspace.outcome import Change, Receipt
    from ..workspace.store import Durability

USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch"
HELP = f"""{USAGE}

Applies a patch between *** Begin Patch and *** End Patch to the current folder, all of it or nothing.

Environment:
  SUTURE_ATOMIC=0            one operation after another, up to the first that fails
  SUTURE_DURABILITY=process  survive a killed process, but no loss of power; faster
  SUTURE_STATE_DIR=DIR       where journals and histories are kept
  SUTURE_DEBUG=1             show where an unexpected error came from

Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted. More can be done with `suture --help`.
"""
#: The letters in the order of the groups, and the kinds of change that each stands for.
GROUPS = (("A", ("add",)), ("M", ("update", "move")), ("D", ("delete",)))
#: Bytes of a patch that are read from standard input; the parser refuses more than this.
MOST_BYTES = 64 * 1024 * 1024


class Refused(Exception):
    """There is no patch to apply; `status` is the exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def main() -> None:
    """The entry point."""
    # Nothing here lives long enough to be worth looking for cycles.
    import gc

    from .interrupts import listen

    gc.disable()
    listen()
    status = run(sys.argv[1:], exiting=True)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, AttributeError):
        pass  # nobody reads it any more
    # Nothing is left to be done. Taking the interpreter down in good order costs time and does nothing more.
    os._exit(status)


def run(arguments: Sequence[str], *, exiting: bool = False) -> int:
    """Do it, say what was done, and give the exit status; `exiting` says that the process ends right behind it."""
    try:
        if list(arguments) in (["--help"], ["-h"]):
            _say(sys.stdout, HELP)
            return 0
        if list(arguments) == ["--version"]:
            from .. import __version__

            _say(sys.stdout, f"apply_patch (suture {__version__})\n")
            return 0
        receipt = _apply(_patch(arguments), exiting=exiting)
    except Refused as refused:
        _say(sys.stderr, f"{refused}\n")
        return refused.status
    except KeyboardInterrupt:
        state = "No file was changed." if _atomic() else "What was done before it stays: see suture log."
        _say(sys.stderr, f"Interrupted. {state}\n")
        return 130
    except Exception as error:  # noqa: BLE001 - whatever it is, a model reads one clear sentence
        return _failed(error)
    _say(sys.stdout, summary(receipt.changes))
    return 0


def summary(changes: Sequence[Change]) -> str:
    """What was done, by groups, as Codex tells it: a move is an `M` with its new path."""
    lines = ["Success. Updated the following files:"]
    for letter, kinds in GROUPS:
        lines += [f"{letter} {change.move_to or change.path}" for change in changes if change.kind in kinds]
    return "\n".join([*lines, ""])


def _patch(arguments: Sequence[str]) -> str:
    """The text of the patch.

    Raises:
        Refused: there is none, or it is no text.
    """
    if len(arguments) > 1:
        raise Refused("Error: apply_patch accepts exactly one argument.", 2)
    if arguments:
        try:
            arguments[0].encode()
        except UnicodeEncodeError:
            raise Refused("Error: apply_patch requires a UTF-8 PATCH argument.", 1) from None
        return arguments[0]
    if sys.stdin is None or sys.stdin.isatty():
        raise Refused(USAGE, 2)
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _unread("It is not UTF-8: byte", error.start + 1, f"is {data[error.start]:#04x}.") from None
    except OSError as error:
        raise _unread(error.strerror) from None
    if len(data) > MOST_BYTES:
        raise _unread("It has more than", MOST_BYTES >> 20, "MB.")
    if not text:
        raise Refused(USAGE, 2)
    return text


def _unread(*reason: object) -> Refused:
    return Refused(f"Error: Failed to read PATCH from stdin.\n{' '.join(map(str, reason))}", 1)


def _apply(patch: str, *, exiting: bool) -> Receipt:
    from contextlib import suppress

    from ..workspace.workspace import Workspace
    from .interrupts import until_done

    wanted = os.environ.get("SUTURE_DURABILITY", "full")
    if wanted not in ("full", "process"):
        message = f"Error: SUTURE_DURABILITY is full or process, not {wanted}."
        raise Refused(message, 2)
    durability: Durability = "process" if wanted == "process" else "full"
    workspace = Workspace(".", dialect="codex", durability=durability, actor="apply_patch")
    if _atomic():
        until_done(workspace)
    try:
        receipt = workspace.apply(patch, atomic=_atomic())
    except BaseException:
        workspace.close()
        raise
    # It is done, and not to be called interrupted.
    with suppress(KeyboardInterrupt):
        workspace.close(exiting=exiting)
    return receipt


def _atomic() -> bool:
    return os.environ.get("SUTURE_ATOMIC", "1") != "0"


def _failed(error: Exception) -> int:
    from ..core.problems import SutureError

    if isinstance(error, SutureError):
        _say(sys.stderr, f"{error.for_model()}\n")
        return 1
    if os.environ.get("SUTURE_DEBUG"):
        from traceback import print_exception

        print_exception(error)
    _say(sys.stderr, f"Error: {type(error).__name__}: {error}\n")
    return 1


def _say(stream: object, text: str) -> None:
    """Write to a stream what it can show; where nobody listens any more there is nothing to say."""
    try:
        buffer = stream.buffer  # type: ignore[attr-defined]
        buffer.write(text.encode("utf-8", "backslashreplace"))
        buffer.flush()
    except (OSError, AttributeError, ValueError):
        pass


if __name__ == "__main__":
    main()
