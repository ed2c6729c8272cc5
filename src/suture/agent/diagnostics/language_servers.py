"""A diagnoser that runs language servers, started on demand by file type, several for one file if needed.

`server_table` lists the servers; `host` keeps one running.
"""

from __future__ import annotations

import asyncio
import os

from .diagnostic_limits import LONGEST_SERVED_TEXT
from .host import Host, ReportFilter, ServerLimits
from .report import EditedFile, Report, file_type, merge_reports
from .server_table import SERVERS, find_program, search_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from .report import Severity
    from .server_table import Server


class LanguageServers:
    """The language servers of one workspace; an async context manager that stops them at the end.

    Programs are looked up in `folders`, next to the running Python, and on PATH. `only_new` leaves out problems from
    before the edit, `lowest` those that are less severe. An instance belongs to one event loop.
    """

    #: Whether it can check texts that are not on the disk.
    checks_texts = True

    def __init__(
        self,
        root: str,
        table: Iterable[Server] = SERVERS,
        *,
        only_new: bool = True,
        lowest: Severity = "error",
        folders: Sequence[str] = (),
        limits: ServerLimits | None = None,
    ) -> None:
        self._root = os.path.abspath(root)
        self._table = tuple(table)
        self._filter = ReportFilter(only_new, lowest)
        self._folders = tuple(folders)
        self._limits = limits or ServerLimits()
        self._hosts: dict[str, Host] = {}
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """Check one file with all servers for its type, within `timeout` seconds."""
        (report,) = await self.check_all([EditedFile(path, before, after)], timeout=timeout)
        return report

    async def check_all(self, edited: Sequence[EditedFile], *, timeout: float) -> list[Report]:
        """Check files that were edited together, within `timeout` seconds; one report each, in order."""
        sources: list[list[Report]] = [[] for _ in edited]
        work: dict[str, tuple[Host, list[int]]] = {}
        for number, one in enumerate(edited):
            hosts, reason = self._hosts_of(one)
            for name, host in hosts:
                work.setdefault(name, (host, []))[1].append(number)
            if not hosts:
                sources[number].append(Report(one.path, "unknown", reason=reason, asked=False))
        checks = (host.check([edited[number] for number in numbers], timeout) for host, numbers in work.values())
        answers = await asyncio.gather(*checks)
        for (_, numbers), reports in zip(work.values(), answers, strict=True):
            for number, report in zip(numbers, reports, strict=True):
                sources[number].append(report)
        only_new = self._filter.only_new
        reports_by_file = zip(edited, sources, strict=True)
        return [merge_reports(one.path, reports, only_new=only_new) for one, reports in reports_by_file]

    async def close(self) -> None:
        """Stop all servers; later checks are unknown."""
        self._closed = True
        hosts, self._hosts = self._hosts, {}
        await asyncio.gather(*(host.close() for host in hosts.values()))

    def _hosts_of(self, edited: EditedFile) -> tuple[list[tuple[str, Host]], str]:
        """The servers for a file, one of each kind, or the reason why there are none."""
        if self._closed:
            return [], "the language servers are closed"
        servers = [server for server in self._table if server.language_of(edited.path)]
        if not servers:
            return [], f"no language server is known for {file_type(edited.path)}"
        if max(len(edited.before or ""), len(edited.after)) > LONGEST_SERVED_TEXT:
            return [], f"the file has more than {LONGEST_SERVED_TEXT:,} characters"
        hosts: dict[str, tuple[str, Host]] = {}
        missing = []
        for server in servers:
            kind = server.kind or server.name
            if kind in hosts:
                continue
            host = self._hosts.get(server.name)
            if host is None:
                program, *arguments = server.command
                paths = [find_program(name, self._folders) for name in (program, *server.needs)]
                missing += [n for n, path in zip((program, *server.needs), paths, strict=True) if path is None]
                if paths[0] is None or None in paths:
                    continue
                command, path = (paths[0], *arguments), search_path(self._folders)
                host = Host(server, command, self._root, self._filter, self._limits, path)
                self._hosts[server.name] = host
            hosts[kind] = server.name, host
        reason = f"no language server for {file_type(edited.path)} is installed (missing: {', '.join(missing)})"
        return list(hosts.values()), reason
