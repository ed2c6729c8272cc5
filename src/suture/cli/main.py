"""`suture`: finds the command, runs it, and turns what went wrong into a message and an exit status.

A command raises what it can't do; here alone is decided what is printed of it. Nobody sees a traceback who has not
asked for one with `--debug`.
"""

from __future__ import annotations

import os
import sys

from .arguments import Asked, UsageError, read
from .interrupts import listen
from .screen import Screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..core.problems import SutureError
    from .table import Command


def main() -> None:
    """The entry point."""
    listen()
    status = run(sys.argv[1:])
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, AttributeError, ValueError):
            # Nobody reads it any more. What is left in the buffer would be complained of at the very end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.exit(status)


def run(argv: Sequence[str]) -> int:
    """Run a command line and give its exit status."""
    screen = Screen(json="--json" in argv)
    name = ""
    try:
        command, options = read(argv)
        name = command.name
        screen = Screen(colour=options.color, pager=not options.no_pager, json=options.json)
        status = _run(command, options, screen)
    except Asked as asked:
        screen.keep()
        screen.write(str(asked))
        screen.release()
        status = 0
    except UsageError as error:
        status = _usage(screen, name or error.command, str(error))
    except KeyboardInterrupt as interrupt:
        status = _interrupted(screen, name, str(interrupt) or "Nothing was done.")
    except Exception as error:  # noqa: BLE001 - whatever it is, a person reads one clear sentence
        status = _failed(screen, name, error, debug="--debug" in argv)
    if screen.lost:
        screen.tell(f"suture: standard output can't be written: {screen.lost}.")
        status = status if screen.is_done else status or 1
    return status


def _run(command: Command, options: Namespace, screen: Screen) -> int:
    from importlib import import_module

    module = import_module(f".commands.{command.name}", __package__)
    try:
        status: int = module.run(options, screen)
    finally:
        screen.release()
    return status


def _usage(screen: Screen, name: str, message: str) -> int:
    if screen.json:
        from ..core.problems import Problem
        from .json_output import print_document

        print_document(screen, name, 2, problems=[Problem("invalid_arguments", message)])
    else:
        screen.tell(f"suture{f' {name}' if name else ''}: {message}\nTry: suture{f' {name}' if name else ''} --help")
    return 2


def _interrupted(screen: Screen, name: str, said: str) -> int:
    if screen.json:
        from ..core.problems import Problem
        from .json_output import print_document

        problem = Problem("cancelled", f"Interrupted. {said}")
        print_document(screen, name, 130, problems=[problem], state_of_disk=said)
    else:
        screen.tell(f"Interrupted. {said}")
    return 130


def _failed(screen: Screen, name: str, error: Exception, *, debug: bool) -> int:
    from ..core.problems import PartlyAppliedError, SutureError

    if debug:
        from traceback import print_exception

        print_exception(error)
    known = error if isinstance(error, SutureError) else _unexpected(error)
    status = 3 if isinstance(error, PartlyAppliedError) else 1
    if screen.json:
        from .json_output import print_error

        print_error(screen, name, status, known)
    else:
        screen.tell(known.for_model(1 << 20))
    return status


def _unexpected(error: Exception) -> SutureError:
    """An error that nobody has foreseen, as one of ours."""
    from ..core.problems import Problem, SutureError

    class Unexpected(SutureError):
        state_of_disk = "Whether a file was changed is not known: look at `suture log`."

    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        return Unexpected([Problem("io_error", f"{what}.")])
    message = f"Something went wrong inside Suture: {type(error).__name__}: {error}"
    hint = "Please report it, with what --debug shows."
    return Unexpected([Problem("io_error", message, hint=hint, recoverable=False)])
