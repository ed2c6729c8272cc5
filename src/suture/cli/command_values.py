"""What a subcommand of `suture` is made of, as values: options, arguments, help texts."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class Option(Value):
    """An option: its flags (short ones first), its help, and the name of its value if it takes one."""

    flags: tuple[str, ...]
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    default: str | None = None
    is_repeatable: bool = False
    #: What shells complete its value with.
    completes: Literal["", "file", "folder"] = ""

    @property
    def key(self) -> str:
        """Its name in the parsed arguments."""
        return self.flags[-1].lstrip("-").replace("-", "_")


class Argument(Value):
    """A positional argument and how often it can occur."""

    name: str
    help: str
    count: Literal["one", "optional", "any"] = "one"
    completes: tuple[Literal["file", "commit"], ...] = ("file",)
    choices: tuple[str, ...] = ()


class Command(Value):
    """A subcommand."""

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    #: What `--help` says after the summary.
    about: str = ""
    #: Command lines, each with what it does.
    examples: tuple[tuple[str, str], ...] = ()
