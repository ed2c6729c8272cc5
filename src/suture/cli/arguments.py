"""Parses the command line of `suture` and writes its help, both from the table of commands."""

from __future__ import annotations

from .. import __version__
from .table import BY_NAME, COMMANDS, COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from .command_values import Command, Option

EXIT_STATUSES = "Exit status: 0 success, 1 failure (nothing changed), 2 usage error, 3 partly applied, 130 interrupted."


#: How many characters of help fit next to the name of an option.
HELP_WIDTH = 95


class UsageError(Exception):
    """The command line is invalid; `command` names the command if it is known."""

    def __init__(self, message: str, command: str = "") -> None:
        super().__init__(message)
        self.command = command


class HelpRequest(Exception):  # noqa: N818 - not an error
    """The command line asks for help or the version, which is the message."""


def parse_arguments(argv: Sequence[str]) -> tuple[Command, Namespace]:
    """The command and its arguments.

    Raises:
        HelpRequest: the command line asks for help or the version.
        UsageError: the command line is invalid.
    """
    before, name, after = _split(argv)
    if name == "help":
        # `suture help apply` means `suture apply --help`.
        name = next((word for word in after if not word.startswith("-")), None)
        after = ["--help"]
    command = BY_NAME.get(name or "")
    words = _join_values([*before, *after], (*command.options, *COMMON) if command else COMMON)
    flags = words[: words.index("--")] if "--" in words else words
    if "--version" in flags:
        message = f"suture {__version__}\n"
        raise HelpRequest(message)
    wants_help = "--help" in flags or "-h" in flags
    if name is None:
        if wants_help:
            raise HelpRequest(overview())
        message = "expected a command: " + ", ".join(BY_NAME)
        raise UsageError(message)
    if command is None:
        raise UsageError(_unknown(name))
    if wants_help:
        raise HelpRequest(command_help(command))
    return command, _parser(command).parse_args(words)


def flags_with_values(options: Sequence[Option]) -> list[str]:
    """The flags of the options that take a value."""
    flags: list[str] = []
    for option in options:
        if option.value:
            flags += option.flags
    return flags


def _join_values(words: Sequence[str], options: Sequence[Option]) -> list[str]:
    """The words with each value joined to its option, because the text to find can begin with a dash."""
    valued = {flag for flag in flags_with_values(options) if flag.startswith("--")}
    joined: list[str] = []
    rest = iter(words)
    for word in rest:
        value = next(rest, None) if word in valued else None
        joined.append(word if value is None else f"{word}={value}")
        if word == "--":
            joined += rest
    return joined


def _split(argv: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """The words before the command's name, the name, and the words after it."""
    valued = flags_with_values(COMMON)
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in valued else 1
    return list(argv[:index]), argv[index] if index < len(argv) else None, list(argv[index + 1 :])


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, BY_NAME, 1, 0.7)
    hint = f"; did you mean {near[0]}?" if near else ". The commands are: " + ", ".join(BY_NAME)
    return f"unknown command {name!r}{hint}"


def _parser(command: Command) -> ArgumentParser:
    from argparse import ArgumentParser

    class Parser(ArgumentParser):
        def error(self, message: str) -> None:  # type: ignore[override]
            raise UsageError(message, command.name)

    parser = Parser(prog=f"suture {command.name}", add_help=False, allow_abbrev=False)
    counts = {"one": None, "optional": "?", "any": "*"}
    for argument in command.arguments:
        count, choices = counts[argument.count], argument.choices or None
        parser.add_argument(argument.name.lower(), metavar=argument.name, nargs=count, choices=choices)
    for option in (*command.options, *COMMON):
        if not option.value:
            parser.add_argument(*option.flags, dest=option.key, action="store_true")
        elif option.is_repeatable:
            parser.add_argument(*option.flags, dest=option.key, action="append", default=[])
        else:
            values = option.choices or None
            parser.add_argument(*option.flags, dest=option.key, default=option.default, choices=values)
    return parser


def overview() -> str:
    """The help of the whole program."""
    width = max(len(command.name) for command in COMMANDS)
    lines = [
        "Usage: suture COMMAND [options]",
        "",
        "Apply edits written by language models: exactly where they belong, all of them or none.",
        "",
        "Commands:",
        *[f"  {command.name:{width}}  {command.summary}" for command in COMMANDS],
        "",
        "Global options:",
        *_options(COMMON),
        *_columns([("-h, --help", "Show this help, or the help of a command"), ("--version", "Show the version")]),
        "",
        "Examples:",
        "  suture apply change.patch      Apply a patch to the current directory",
        "  suture explain change.patch    Explain why it does not apply",
        "  suture undo                    Undo the last commit",
        "",
        EXIT_STATUSES,
        "Use `suture COMMAND --help` for more about a command.",
        "",
    ]
    return "\n".join(lines)


def command_help(command: Command) -> str:
    """The help of one command."""
    forms = {"one": "{}", "optional": "[{}]", "any": "[{} …]"}
    names = [forms[argument.count].format(argument.name) for argument in command.arguments]
    lines = [" ".join(["Usage: suture", command.name, "[options]", *names]), "", f"{command.summary}."]
    if command.about:
        lines += [command.about]
    if command.arguments:
        rows = [(argument.name, argument.help + _values(argument.choices)) for argument in command.arguments]
        lines += ["", "Arguments:", *_columns(rows)]
    if command.options:
        lines += ["", "Options:", *_options(command.options)]
    lines += ["", "Global options:", *_options(COMMON)]
    if command.examples:
        lines += ["", "Examples:"]
        for line, about in command.examples:
            lines += [f"  {line}"] + ([f"      {about}"] if about else [])
    return "\n".join([*lines, "", EXIT_STATUSES, ""])


def _options(options: Sequence[Option]) -> list[str]:
    rows = []
    for option in options:
        name = ", ".join(option.flags) + (f" {option.value}" if option.value else "")
        notes = _values(option.choices)
        notes += f" [default: {option.default}]" if option.default else ""
        rows.append((name, option.help + notes))
    return _columns(rows)


def _values(choices: Sequence[str]) -> str:
    """What help says about a value that has to be one of these."""
    return f" [values: {', '.join(choices)}]" if choices else ""


def _columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Names and what they mean, next to each other, or one below the other where a name is long."""
    from textwrap import wrap

    lines = []
    for name, text in rows:
        first, *more = wrap(text, HELP_WIDTH, break_long_words=False) or [""]
        lines.append(f"  {name:22} {first}" if len(name) <= 22 else f"  {name}\n{'':25}{first}")
        lines += [f"{'':25}{line}" for line in more]
    return lines
