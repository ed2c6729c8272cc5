"""The table of options in docs/cli.md is written from the table of commands. To write it anew::

SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/project/test_option_table.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared.goldens import WRITE
from tests.shared.pages import ROOT

from suture.cli.table import COMMANDS, COMMON

if TYPE_CHECKING:
    from suture.cli.command_values import Option

PAGE = ROOT / "docs" / "cli.md"
BEGIN = "<!-- The table of options is written from cli/table.py. -->\n"
END = "<!-- The end of the table of options. -->\n"


def spelling(option: Option) -> str:
    """The flags of an option, the last one with the name of its value."""
    flags = [*option.flags[:-1], f"{option.flags[-1]} {option.value}".strip()]
    return ", ".join(f"`{flag}`" for flag in flags).replace("|", r"\|")


def meaning(option: Option) -> str:
    """The help of an option, the values it can have, and that it can be repeated."""
    parts = [option.help.replace("|", r"\|")]
    if option.choices:
        parts.append("one of " + ", ".join(f"`{choice}`" for choice in option.choices))
    if option.is_repeatable:
        parts.append("repeatable")
    return "; ".join(parts)


def option_table() -> str:
    """One row for each option, with all commands that have it, in the order of the commands."""
    commands: dict[Option, list[str]] = {}
    for command in COMMANDS:
        for option in command.options:
            if option not in COMMON:
                commands.setdefault(option, []).append(f"`{command.name}`")
    rows = [f"| {spelling(option)} | {', '.join(names)} | {meaning(option)} |\n" for option, names in commands.items()]
    return "| option | commands | meaning |\n| --- | --- | --- |\n" + "".join(rows)


def test_the_page_has_the_options_of_the_table() -> None:
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    written = f"{before}{BEGIN}\n{option_table()}\n{END}{after}"
    if WRITE:
        PAGE.write_text(written, "utf-8", newline="\n")
    assert written == text
