"""The settings of a project that sessions use: rules, formatters, and what checks for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diagnostics.command import CommandDiagnoser
from ..diagnostics.language_servers import LanguageServers
from ..formatters import Formatter

if TYPE_CHECKING:
    from .settings import Configuration


def session_settings(configuration: Configuration, root: str) -> dict[str, Any]:
    """The arguments for `Session`, for a workspace at `root`."""
    settings: dict[str, Any] = {
        "rules": configuration.rules,
        "formatters": [Formatter(*one) for one in configuration.formatters],
    }
    if "diagnostics_timeout" in configuration.limits:
        settings["diagnostics_timeout"] = configuration.limits["diagnostics_timeout"]
    options = dict(configuration.diagnostics)
    if options.pop("language_servers", False):
        settings["diagnoser"] = LanguageServers(root)
    elif options:
        settings["diagnoser"] = CommandDiagnoser(root=root, **options)
    return settings
