"""`suture review`: shows what waits for an answer on this machine: on a page, in the terminal, or as a list."""

from __future__ import annotations

from ...review.inbox import Inbox
from ...review.notification import Notifier
from ...review.review_settings import ReviewSettings
from ..arguments import UsageError
from ..json_output import print_document
from ..project_options import configuration, find_root
from ..review_patch import PageNotInstalledError, page_server
from ..review_terminal import run_terminal
from ..screen_limits import MOST_PRINTED_ANSWERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show the page, the terminal, or the list."""
    settings = _settings(options)
    Inbox.prune()
    if screen.json:
        return _print_list(settings, screen)
    if options.terminal:
        return run_terminal(settings, screen)
    try:
        pages = page_server()
    except PageNotInstalledError as error:
        message = f"the package {error} is missing; install suture[review], or use --terminal"
        raise UsageError(message) from None

    with Notifier(Inbox(settings.approvals), settings.notify, folders=settings.approvals, report=screen.error):
        try:
            status: int = pages.serve(settings, screen.error)
        except OSError as error:
            message = f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}"
            raise UsageError(message) from error
        return status


def _settings(options: Namespace) -> ReviewSettings:
    port = options.port or "0"
    if not (port.isdecimal() and port.isascii() and len(port) < 6 and int(port) < 65536):
        message = f"expected a port number for --port; found {options.port!r}"
        raise UsageError(message)
    root, _ = find_root(options)
    notify = configuration(options).notify
    return ReviewSettings(root, tuple(options.approvals), options.host, int(port), not options.no_open, notify)


def _print_list(settings: ReviewSettings, screen: Screen) -> int:
    inbox = Inbox(settings.approvals)
    return print_document(
        screen, "review", 0, {"requests": inbox.pending(), "answers": inbox.history(MOST_PRINTED_ANSWERS)}
    )
