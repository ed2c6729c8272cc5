"""Find the errors an edit introduced, with language servers and linters."""

from __future__ import annotations

from ...core.lazy import lazy_names

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

if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "command": "CommandDiagnoser line_reader read_ruff_json",
            "host": "ServerLimits",
            "language_servers": "LanguageServers",
            "report": "Diagnoser Diagnostic EditedFile NoDiagnoser Report check_all",
            "server_table": "SERVERS Server configure_servers",
            "summary": "summarize",
        },
    )
