"""`suture review`: shows what waits for an answer on this machine: on a page, in the terminal, or as a list."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import configuration, find_root
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import ModuleType

    from ...review.review_settings import ReviewSettings
    from ..screen import Screen

#: How many answers the list for programs has.
MOST_ANSWERS = 100


def run(options: Namespace, screen: Screen) -> int:
    """Show the page, the terminal, or the list."""
    from ...review.inbox import Inbox

    settings = _settings(options)
    Inbox.prune()
    if screen.json:
        return _print_list(settings, screen)
    if options.terminal:
        from ..review_terminal import run_terminal

        return run_terminal(settings, screen)
    pages = _pages()
    from ...review.notification import Notifier

    with Notifier(Inbox(settings.approvals), settings.notify, folders=settings.approvals, report=screen.error):
        try:
            status: int = pages.serve(settings, screen.error)
        except OSError as error:
            message = f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}"
            raise UsageError(message) from error
        return status


def _pages() -> ModuleType:
    """The module that serves the page, which needs an extra."""
    try:
        from ...review import serve
    except ModuleNotFoundError as error:
        if (error.name or "suture").partition(".")[0] == "suture":
            raise
        message = f"the package {error.name} is missing; install suture[review], or use --terminal"
        raise UsageError(message) from None
    return serve


def _settings(options: Namespace) -> ReviewSettings:
    from ...review.review_settings import ReviewSettings

    port = options.port or "0"
    if not (port.isdecimal() and port.isascii() and len(port) < 6 and int(port) < 65536):
        message = f"expected a port number for --port; found {options.port!r}"
        raise UsageError(message)
    root, _ = find_root(options)
    notify = configuration(options).notify
    return ReviewSettings(root, tuple(options.approvals), options.host, int(port), not options.no_open, notify)


def _print_list(settings: ReviewSettings, screen: Screen) -> int:
    from ...review.inbox import Inbox

    inbox = Inbox(settings.approvals)
    return print_document(screen, "review", 0, {"requests": inbox.pending(), "answers": inbox.history(MOST_ANSWERS)})
