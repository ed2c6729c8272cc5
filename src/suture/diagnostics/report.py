"""Diagnostics as data, and the protocol of whoever finds them.

A `Report` is about one file after one edit. It is clean or has problems only where somebody has looked: everything
else, from a server that is not installed to one that is too slow, is unknown, with the reason. Lines and columns count
from 1, columns in characters.
"""

from __future__ import annotations

import os

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal, Protocol, TypeAlias

    Severity: TypeAlias = Literal["error", "warning", "information", "hint"]
    State: TypeAlias = Literal["clean", "problems", "unknown"]
else:
    Protocol = object

#: More in one file are not compared, as that would take too long.
MOST_DIAGNOSTICS = 5_000
#: The severities from the gravest on, with their numbers in the protocol of language servers.
SEVERITIES: Mapping[Severity, int] = {"error": 1, "warning": 2, "information": 3, "hint": 4}


class Diagnostic(Value):
    """One thing that a server or a linter found in a file; the end is behind its last character."""

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
    """What is known of a file after an edit.

    `reason` says why nothing is known, or, beside diagnostics, which of several sources could not be asked. `source`
    names those that answered. With `only_new` the diagnostics are those that the edit introduced. `asked` is False
    where there is nobody to ask about such a file, which is as true of the next edit.
    """

    path: str
    state: State
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""
    source: str = ""
    only_new: bool = True
    asked: bool = True


class Edited(Value):
    """A file that was edited: its absolute path and its text before, None where there was no file, and after."""

    path: str
    before: str | None
    after: str


class Diagnoser(Protocol):
    """Whoever can tell what an edit broke."""

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """A report on one file, within `timeout` seconds; it raises nothing.

        `path` is absolute, `before` is None for a new file, and `after` stands on the disk already.
        """

    async def close(self) -> None:
        """Let go of everything; a check afterwards is unknown."""


class NoDiagnoser:
    """The off switch: nothing is looked at."""

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ARG002 - the protocol's
        """Unknown, at once."""
        return Report(path, "unknown", reason="diagnostics are switched off", asked=False)

    async def close(self) -> None:
        """Nothing is held."""


async def check_all(diagnoser: Diagnoser, edited: Sequence[Edited], *, timeout: float) -> list[Report]:
    """The reports on files that were edited together, in their order.

    A diagnoser that has a method `check_all`, as language servers do, gets them at once: so a file is not blamed for a
    name that another file of the same patch defines. Any other is asked for each of them.
    """
    together = getattr(diagnoser, "check_all", None)
    if together is not None:
        reports: list[Report] = await together(edited, timeout=timeout)
        return reports
    import asyncio

    checks = (diagnoser.check(one.path, one.before, one.after, timeout=timeout) for one in edited)
    return list(await asyncio.gather(*checks))


def at_least(diagnostics: Iterable[Diagnostic], lowest: Severity) -> list[Diagnostic]:
    """Those that are as grave as `lowest` or graver."""
    least = SEVERITIES[lowest]
    return [found for found in diagnostics if SEVERITIES[found.severity] <= least]


def looked_at(path: str, found: Sequence[Diagnostic], source: str, *, only_new: bool) -> Report:
    """The report of one source that has looked at the file."""
    return Report(path, "problems" if found else "clean", tuple(found), source=source, only_new=only_new)


def merged(path: str, reports: Sequence[Report], *, only_new: bool) -> Report:
    """The reports of several sources as one: clean only where all of them are."""
    found = {(d.line, d.column, d.end_line, d.end_column, d.message): d for r in reports for d in r.diagnostics}
    diagnostics = tuple(found[place] for place in sorted(found))
    unknown = [report.reason for report in reports if report.state == "unknown"]
    source = ", ".join(report.source for report in reports if report.state != "unknown")
    state: State = "problems" if diagnostics else "unknown" if unknown or not reports else "clean"
    asked = any(report.asked for report in reports)
    return Report(path, state, diagnostics, "; ".join(unknown), source, only_new, asked)


def type_of(path: str) -> str:
    """The type of a file in words: its ending, or its name where it has none."""
    stem, ending = os.path.splitext(os.path.basename(path))
    return f"{ending} files" if ending else stem
