"""The rules of the engine, by name, and how to switch one off: what each of them is worth.

The engine has its rules in a table, `suture.place.rule_table.RULES`, and `without(name)` next to it switches one off.
An engine without such a table has no rules to switch off.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any


def _module() -> Any:  # noqa: ANN401  # the engine on the path may be of any release
    try:
        return import_module("suture.place.rule_table")
    except ModuleNotFoundError:
        return None


def names() -> list[str]:
    """The names of all rules; none where the engine has no table."""
    table = getattr(_module(), "RULES", ())
    rows = table.values() if isinstance(table, dict) else table
    return [str(getattr(row, "name", row)) for row in rows]


def without(name: str) -> AbstractContextManager[object]:
    """While it is open, the rule of that name is switched off; with an empty name none is.

    Raises:
        LookupError: The engine has no such rule.
    """
    if not name:
        return nullcontext()
    if name not in names():
        known = ", ".join(names()) or "none"
        message = f"no rule of that name: {name} (the engine has: {known})"
        raise LookupError(message)
    switched: AbstractContextManager[object] = _module().without(name)
    return switched


def check(parser: ArgumentParser, options: Namespace) -> None:
    """Stop a program whose `--without` or `--all-rules` the engine on the path can't follow."""
    if options.without and options.without not in names():
        parser.error(f"no rule of that name: {options.without}; the engine has {', '.join(names()) or 'none'}")
    if options.all_rules and not names():
        parser.error("the engine has no table of rules")
