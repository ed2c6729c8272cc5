"""Find the errors an edit introduced, with language servers and linters."""

from __future__ import annotations

from ..core.lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import (
        CommandDiagnoser as CommandDiagnoser,
        line_reader as line_reader,
        read_ruff_json as read_ruff_json,
    )
    from .host import ServerLimits as ServerLimits
    from .language_servers import LanguageServers as LanguageServers
    from .report import (
        Diagnoser as Diagnoser,
        Diagnostic as Diagnostic,
        EditedFile as EditedFile,
        NoDiagnoser as NoDiagnoser,
        Report as Report,
        check_all as check_all,
    )
    from .server_table import SERVERS as SERVERS, Server as Server, configure_servers as configure_servers
    from .summary import summarize as summarize

_HOMES = {
    "CommandDiagnoser": "command",
    "Diagnoser": "report",
    "Diagnostic": "report",
    "EditedFile": "report",
    "LanguageServers": "language_servers",
    "NoDiagnoser": "report",
    "Report": "report",
    "SERVERS": "server_table",
    "Server": "server_table",
    "ServerLimits": "host",
    "check_all": "report",
    "configure_servers": "server_table",
    "line_reader": "command",
    "read_ruff_json": "command",
    "summarize": "summary",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
