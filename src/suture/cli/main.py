"""`suture`: finds the command, runs it, and turns errors into messages and exit statuses.

Commands raise errors; only this module prints them. A traceback is shown only with `--debug`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from ..core.display import safe_text, terminal_text
from ..core.problems import PartlyAppliedError, Problem, SutureError
from ..core.readers import COMMAND, COMMAND_WITH_JSON
from ..core.system import absolute_search_path
from ..workspace.globs import glob_fault
from .arguments import HelpRequest, UsageError, parse_arguments
from .interrupts import listen
from .json_output import print_document, print_error
from .screen import PIPE_CLOSED, ReaderGoneError, Screen, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..core.problems import Code
    from .command_values import Command


#: Commands that change no file of a workspace, not even to repair an interrupted commit.
_ONLY_READING = frozenset(("batch", "completion", "diff", "parse", "replay"))


def main() -> None:
    """The entry point."""
    listen()
    # A pager, an editor or a browser of the directory that we are in is never meant: it may be that of a repository.
    os.environ["PATH"] = absolute_search_path()
    os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"  # the same for Windows
    status = run(sys.argv[1:])
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, AttributeError, ValueError):
            # The reader is gone. Without this, Python would complain about the buffered rest at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    sys.exit(status)


def run(argv: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    screen = Screen(json="--json" in argv)
    name = ""
    try:
        command, options = parse_arguments(argv)
        name = command.name
        screen = Screen(color=options.color, pager=not options.no_pager, json=options.json)
        for folder in options.C:
            _enter(folder)
        # Patches may hold tool calls, whose arguments have the names of tools.
        screen.reader = COMMAND_WITH_JSON if hasattr(options, "format") else COMMAND
        if hasattr(options, "skip_applied"):
            screen.reader = screen.reader.replace(skip="use --skip-applied")
        _check_globs(options)
        if hasattr(options, "exclude"):
            screen.reader = screen.reader.replace(exclude="with --exclude {in_shell}")
        if getattr(options, "dialect", "") is None:
            from .project_options import configuration

            options.dialect = configuration(options).dialect
        status = _run(command, options, screen)
    except HelpRequest as request:
        screen.start_paging()
        screen.write(str(request))
        screen.end_paging()
        status = 0
    except UsageError as error:
        status = _report_usage(screen, name or error.command, str(error))
    except ReaderGoneError:
        status = PIPE_CLOSED
    except KeyboardInterrupt as interrupt:
        status = _report_interrupt(screen, name, str(interrupt) or "Nothing was done.")
    except Exception as error:  # noqa: BLE001 - the user gets one clear sentence, never a traceback
        status = _report_error(screen, name, error, debug="--debug" in argv)
    if screen.write_error:
        screen.error(f"suture: cannot write to standard output: {screen.write_error}.")
        status = status if screen.files_changed else status or 1
    return status


def _enter(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        message = f"cannot change to {folder}: {error.strerror}"
        raise UsageError(message) from error


def _check_globs(options: Namespace) -> None:
    """Refuse globs of the command line that can't be used.

    Raises:
        UsageError: with the first of them.
    """
    for option in ("exclude", "allow"):
        for glob in getattr(options, option, ()) or ():
            fault = glob_fault(glob)
            if fault:
                message = f"--{option} {safe_text(glob)} {fault}"
                raise UsageError(message)


def _run(command: Command, options: Namespace, screen: Screen) -> int:
    module = import_module(f".commands.{command.name}", __package__)
    try:
        status: int = module.run(options, screen)
    finally:
        screen.end_paging()
    return status


def _report_usage(screen: Screen, name: str, message: str) -> int:
    if screen.json:
        return _print_problem(screen, name, 2, "invalid_arguments", message)
    program = f"suture {name}".rstrip()
    screen.error(f"{program}: {safe_text(message, 'terminal')}\nTry: {program} --help")
    return 2


def _report_interrupt(screen: Screen, name: str, state: str) -> int:
    message = f"Interrupted. {state}"
    if screen.json:
        return _print_problem(screen, name, 130, "cancelled", message, state)
    screen.error(message)
    return 130


def _print_problem(screen: Screen, name: str, status: int, code: Code, message: str, state: str = "") -> int:
    return print_document(screen, name, status, problems=[Problem(code, message)], state_of_disk=state)


def _report_error(screen: Screen, name: str, error: Exception, *, debug: bool) -> int:
    if debug:
        from traceback import print_exception

        print_exception(error)
    reported = error if isinstance(error, SutureError) else _unexpected(error, may_write=name not in _ONLY_READING)
    reported.told_to(screen.reader)
    status = 3 if isinstance(error, PartlyAppliedError) else 1
    if screen.json:
        print_error(screen, name, status, reported)
    else:
        text = reported.for_model(1 << 20)
        # A program gets the lines of files as they are, to send them again.
        screen.error(terminal_text(text) if is_terminal(sys.stderr) else text)
    return status


def _unexpected(error: Exception, *, may_write: bool) -> SutureError:
    """An unexpected error as a SutureError."""

    class UnexpectedError(SutureError):
        state_of_disk = "Files may have been changed: see `suture log`." if may_write else "No file was changed."

    if isinstance(error, OSError):
        text = f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
        return UnexpectedError([Problem("io_error", f"{text}.")])
    message = f"Unexpected error: {type(error).__name__}: {error}"
    hint = "This is a bug in Suture. Please report it with the output of --debug."
    return UnexpectedError([Problem("io_error", message, hint=hint, recoverable=False)])
