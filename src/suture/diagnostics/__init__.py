"""Errors that an edit introduced: language servers and linters."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import CommandDiagnoser as CommandDiagnoser
    from .languages import LanguageServers as LanguageServers
    from .report import Diagnostic as Diagnostic, Report as Report

_HOMES = {
    "CommandDiagnoser": "command",
    "Diagnostic": "report",
    "LanguageServers": "languages",
    "Report": "report",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
