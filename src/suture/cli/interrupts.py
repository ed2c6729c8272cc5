"""Interrupts: Ctrl-C, SIGTERM and SIGHUP, on Windows SIGBREAK. Each of them rolls back a running commit.

Once the commit is done, Ctrl-C is ignored, so that no interrupt is reported although everything was changed; the other
signals end the process, and the commit stays.
"""

from __future__ import annotations

import sys

from ..core.system import ENDING_SIGNALS

if sys.platform == "win32":
    import _thread
    from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from ..workspace.workspace import Workspace
else:
    # The `signal` module builds enums of all signals, which takes longer than an edit.
    import _signal

TERMINATION = ENDING_SIGNALS

#: How long after an interrupt that got lost it is raised again, in seconds.
SOON = 0.01


def end_quietly() -> None:
    """Let Ctrl-C end the process like any other signal does, as long as there is nothing to roll back."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def listen() -> None:
    """Treat the signals as interrupts, except those that our parent process ignores."""
    for number in (_signal.SIGINT, *TERMINATION):
        if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
            _signal.signal(number, _interrupt)
    sys.unraisablehook = _raise_again


def _raise_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that was raised in a callback of the interpreter, which can only drop and print it."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    if sys.platform == "win32":

        def raise_soon() -> None:
            sleep(SOON)
            _thread.interrupt_main(_signal.SIGINT)

        _thread.start_new_thread(raise_soon, ())
    else:
        _signal.signal(_signal.SIGALRM, _interrupt)
        _signal.setitimer(_signal.ITIMER_REAL, SOON)


def _interrupt(_number: int, _frame: object) -> None:
    """Stop the work at the first signal. Later ones are ignored, so that they cannot interrupt the rollback."""
    for number in (_signal.SIGINT, *TERMINATION):
        if _signal.getsignal(number) is _interrupt:
            _signal.signal(number, _ignore)
    raise KeyboardInterrupt


def _ignore(_number: int, _frame: object) -> None:
    """Ignore a signal. SIG_IGN would be inherited by child processes and warn about a pending signal."""


def ignore_after_commit(workspace: Workspace) -> None:
    """Ignore interrupts once a commit of this workspace is done."""
    begun = False

    def watch(step: str, what: str) -> None:
        nonlocal begun
        if step != "store":
            return
        # A commit that finishes without having begun here belongs to another process and is being repaired.
        begun = begun or what == "after begin"
        if begun and what == "after finish":
            _stop_listening()

    workspace.files.watch = watch


def _stop_listening() -> None:
    """Ignore interrupts for the rest of the process. Without `listen`, the signals are left alone."""
    for number in TERMINATION:
        if _signal.getsignal(number) is _interrupt:
            _signal.signal(number, _signal.SIG_DFL)
    ignore_ctrl_c()


def ignore_ctrl_c() -> object:
    """Ignore Ctrl-C in this process but not in its children; returns the handler for `restore_ctrl_c`."""
    handler = _signal.getsignal(_signal.SIGINT)
    if handler is _interrupt:
        _signal.signal(_signal.SIGINT, _ignore)
    return handler


def restore_ctrl_c(handler: object) -> None:
    """Handle Ctrl-C as before `ignore_ctrl_c`."""
    if handler is _interrupt:
        _signal.signal(_signal.SIGINT, _interrupt)
