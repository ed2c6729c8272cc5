"""`suture review`: shows what waits for an answer on this machine: on a page, in the terminal, or as a list."""

from __future__ import annotations

from ..arguments import UsageError
from ..inputs import find_root
from ..json_output import print_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...review.review_settings import ReviewSettings
    from ..screen import Screen

#: How many answers the list for programs has.
MOST_ANSWERS = 100


def run(options: Namespace, screen: Screen) -> int:
    """Show the page, the terminal, or the list."""
    settings = _settings(options)
    if screen.json:
        return _print_list(settings, screen)
    if options.terminal:
        from ..review_terminal import run_terminal

        return run_terminal(settings, screen)
    return serve(settings, screen)


def serve(settings: ReviewSettings, screen: Screen) -> int:
    """Serve the page until it is stopped."""
    from importlib import import_module

    try:
        server = import_module("...review.server", __package__)
    except ModuleNotFoundError as error:
        if (error.name or "suture").partition(".")[0] == "suture" and error.name != "suture.review.server":
            raise
        message = f"the package {error.name} is missing; install suture[review], or use --terminal"
        raise UsageError(message) from None
    status: int = server.serve(settings, screen.error)
    return status


def _settings(options: Namespace) -> ReviewSettings:
    from ...review.review_settings import ReviewSettings

    port = options.port or "0"
    if not (port.isdecimal() and port.isascii() and int(port) < 65536):
        message = f"expected a port number for --port; found {options.port!r}"
        raise UsageError(message)
    root, _ = find_root(options)
    return ReviewSettings(root, tuple(options.approvals), options.host, int(port), not options.no_open)


def _print_list(settings: ReviewSettings, screen: Screen) -> int:
    from ...review.inbox import Inbox

    inbox = Inbox(settings.approvals)
    return print_document(screen, "review", 0, {"requests": inbox.pending(), "answers": inbox.history(MOST_ANSWERS)})
