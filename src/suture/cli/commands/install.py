"""`suture install CLIENT`: makes Suture the edit tool of a client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...mcp.client_install import FileChanges, installation
from ..arguments import UsageError
from ..json_output import print_document
from ..project_options import find_root
from ..render import change_line, show_changed_lines
from ..user_commands import split_words

if TYPE_CHECKING:
    from argparse import Namespace

    from ...core.outcome import Plan
    from ...mcp.client_install import Installation
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Show what would be written, ask, and write it."""
    flags = {"profile": options.profile, "approve": options.approve}
    setup = installation(
        options.client,
        find_root(options)[0],
        headless=options.headless,
        for_user=options.user,
        flags={name: value for name, value in flags.items() if value is not None},
        program=_words(options.program),
    )
    if options.print:
        return _print(setup, screen)
    with FileChanges.to_install(setup) as changes:
        return carry_out("install", setup, changes, options, screen)


def _words(command: str | None) -> list[str]:
    """The words of a command line; none without one.

    Raises:
        UsageError: it is empty, or a quote is open.
    """
    if command is None:
        return []
    try:
        words = split_words(command)
    except ValueError:
        words = []
    if not words:
        message = f"--program is not a command line: {command!r}"
        raise UsageError(message)
    return words


def carry_out(command: str, setup: Installation, changes: FileChanges, options: Namespace, screen: Screen) -> int:
    """Show a plan, ask about it, and commit it. Nothing to do is a success."""
    plan = changes.plan()
    commit = ""
    if plan is not None:
        if not screen.json:
            _show(plan, screen)
        if not _is_agreed(options, screen):
            screen.error("Nothing was written.")
            return 1
    changes.write_catalog()
    if command == "install":
        changes.trust_commands()
    if plan is not None:
        commit = changes.commit(plan)
        screen.files_changed = True
    if screen.json:
        return print_document(screen, command, 0, _fields(setup, plan, commit))
    if plan is None:
        verb = "is set up already" if command == "install" else "has nothing of Suture in these settings"
        screen.print(f"{setup.client.title} {verb}.")
    else:
        where = f" --root {setup.root}" if options.user else ""
        screen.print(f"Commit {commit[:12]}. To undo it: suture undo{where} {commit[:12]}")
    if command == "install":
        for line in advice(setup):
            screen.print(line)
    return 0


def advice(setup: Installation) -> list[str]:
    """Who approves, and what is left to do by hand."""
    return [f"Who approves an edit: {setup.approval}", *[f"By hand: {line}" for line in setup.by_hand]]


def _show(plan: Plan, screen: Screen) -> None:
    for change in plan.changes:
        screen.print(change_line(screen, change))
    show_changed_lines(screen, plan.changes)


def _is_agreed(options: Namespace, screen: Screen) -> bool:
    """Whether the user wants this.

    Raises:
        UsageError: nobody can be asked.
    """
    if options.yes:
        return True
    if screen.json or not screen.is_terminal or sys.stdin is None or not sys.stdin.isatty():
        message = "there is no terminal to ask on; use --yes to write this, or --print to only see it"
        raise UsageError(message)
    screen.draw("Write this? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _print(setup: Installation, screen: Screen) -> int:
    if screen.json:
        return print_document(screen, "install", 0, _fields(setup, None, ""))
    for file in setup.files:
        screen.print(f"# {file.path}\n{file.new_text}")
    for line in advice(setup):
        screen.error(line)
    return 0


def _fields(setup: Installation, plan: Plan | None, commit: str) -> dict[str, object]:
    return {
        "client": setup.client.name,
        "root": setup.root,
        "files": {file.path: file.new_text for file in setup.files},
        "changes": [] if plan is None else plan.changes,
        "commit": commit or None,
        "approval": setup.approval,
        "by_hand": list(setup.by_hand),
    }
