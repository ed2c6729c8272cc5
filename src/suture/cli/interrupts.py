"""Interrupts: Ctrl-C, and the polite ways to end a process. Each of them rolls a commit back.

Once the commit is done it is too late for that. From then on Ctrl-C is not heard, so that nobody is told of an
interrupt where everything was changed; the others end the process, and what was done stays.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from ..workspace.workspace import Workspace
else:
    # The module around it makes enumerations of all signals, which takes longer than an edit.
    import _signal

POLITE = (_signal.SIGTERM, _signal.SIGHUP)


def listen() -> None:
    """Take the polite signals for an interrupt, but those that whoever started us wants to be ignored."""
    for number in (_signal.SIGINT, *POLITE):
        if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
            _signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: object) -> None:
    """The first one ends the work. Whoever is impatient must not break off the way back."""
    for number in (_signal.SIGINT, *POLITE):
        if _signal.getsignal(number) is _interrupt:
            _signal.signal(number, _nothing)
    raise KeyboardInterrupt


def _nothing(_number: int, _frame: object) -> None:
    """Not SIG_IGN: a signal that is on its way would be complained of, and programs would inherit it."""


def until_done(workspace: Workspace) -> None:
    """From the moment on at which a commit of this workspace is done, no interrupt is heard."""
    begun = False

    def watch(step: str, what: str) -> None:
        nonlocal begun
        if step != "store":
            return
        # A commit that is finished without having been begun here is one of another process, in its repair.
        begun = begun or what == "after begin"
        if begun and what == "after finish":
            too_late()

    workspace.files.watch = watch


def too_late() -> None:
    """Hear no interrupt any more. Where nobody listens, the signals are not ours and stay as they are."""
    for number in POLITE:
        if _signal.getsignal(number) is _interrupt:
            _signal.signal(number, _signal.SIG_DFL)
    deaf()


def deaf() -> object:
    """Don't hear Ctrl-C, though programs that are started do; gives what `hear` needs to hear it again."""
    heard = _signal.getsignal(_signal.SIGINT)
    if heard is _interrupt:
        _signal.signal(_signal.SIGINT, _nothing)
    return heard


def hear(heard: object) -> None:
    """Hear Ctrl-C as before."""
    if heard is _interrupt:
        _signal.signal(_signal.SIGINT, _interrupt)
