"""Diagnostics as data, and the `Diagnoser` protocol.

A `Report` is about one file after one edit. It is clean or has problems only if the file was checked; otherwise, for
example if a server is not installed or too slow, it is unknown, with the reason. Lines and columns count from 1,
columns in characters.
"""

from __future__ import annotations

import asyncio
import os

from ...core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Protocol, TypeAlias

    Severity: TypeAlias = Literal["error", "warning", "information", "hint"]
    State: TypeAlias = Literal["clean", "problems", "unknown"]
else:
    Protocol = object

UNKNOWN_BEFORE = "the errors before the edit are unknown"
#: The severities, most severe first, with their numbers in LSP.
SEVERITIES: Mapping[Severity, int] = {"error": 1, "warning": 2, "information": 3, "hint": 4}


class Diagnostic(Value):
    """One problem that a server or linter found in a file; the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    message: str
    code: str = ""
    source: str = ""


class Report(Value):
    """The result of checking one file after an edit.

    `reason` says why the result is unknown, or which of several sources did not answer. `source` names those that did.
    With `only_new` the diagnostics are those that the edit introduced. `asked` is False if no source can check this
    type of file; the next edit will get the same result.
    """

    path: str
    state: State
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""
    source: str = ""
    only_new: bool = True
    asked: bool = True


class EditedFile(Value):
    """An edited file: its absolute path, its text before (None for a new file) and after."""

    path: str
    before: str | None
    after: str
    #: Whether the disk has the text after. An isolated session changes nothing there.
    is_on_disk: bool = True


class Diagnoser(Protocol):
    """Checks files after an edit."""

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """Check one file within `timeout` seconds; never raises.

        `path` is absolute, `before` is None for a new file, and `after` is already on disk.
        """

    async def close(self) -> None:
        """Release all resources; later checks are unknown."""


class NoDiagnoser:
    """Checks nothing: the off switch."""

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ARG002 - the protocol's
        """Report unknown at once."""
        return Report(path, "unknown", reason="diagnostics are switched off", asked=False)

    async def close(self) -> None:
        """Do nothing."""


async def check_all(diagnoser: Diagnoser, edited: Sequence[EditedFile], *, timeout: float) -> list[Report]:
    """Check files that were edited together; one report each, in order.

    A diagnoser with a `check_all` method, such as `LanguageServers`, gets them all at once, so that a file is not
    blamed for a name that another file of the same patch defines. Others check them one by one.
    """
    check_together = getattr(diagnoser, "check_all", None)
    if check_together is not None:
        reports: list[Report] = await check_together(edited, timeout=timeout)
        return reports
    checks = (diagnoser.check(one.path, one.before, one.after, timeout=timeout) for one in edited)
    return list(await asyncio.gather(*checks))


def at_least(diagnostics: Iterable[Diagnostic], lowest: Severity) -> list[Diagnostic]:
    """The diagnostics that are at least as severe as `lowest`."""
    return [one for one in diagnostics if SEVERITIES[one.severity] <= SEVERITIES[lowest]]


def report_from(path: str, diagnostics: Sequence[Diagnostic], source: str, *, only_new: bool) -> Report:
    """The report of one source that checked the file."""
    return Report(path, "problems" if diagnostics else "clean", tuple(diagnostics), source=source, only_new=only_new)


def merge_reports(path: str, reports: Sequence[Report], *, only_new: bool) -> Report:
    """Merge the reports of several sources; the result is clean only if all of them are."""
    by_place = {}
    for report in reports:
        for diagnostic in report.diagnostics:
            start, end = (diagnostic.line, diagnostic.column), (diagnostic.end_line, diagnostic.end_column)
            by_place[start, end, diagnostic.message] = diagnostic
    diagnostics = tuple(by_place[place] for place in sorted(by_place))
    unknown = [report.reason for report in reports if report.state == "unknown"]
    source = ", ".join(report.source for report in reports if report.state != "unknown")
    state: State = "clean"
    if diagnostics:
        state = "problems"
    elif unknown or not reports:
        state = "unknown"
    asked = any(report.asked for report in reports)
    return Report(path, state, diagnostics, "; ".join(unknown), source, only_new, asked)


def file_type(path: str) -> str:
    """The type of a file in words: by its extension, or its name if it has none."""
    stem, ending = os.path.splitext(os.path.basename(path))
    return f"{ending} files" if ending else stem
