"""Asks a diagnoser about the files of a plan that was written, and never waits longer than the limit for it."""

from __future__ import annotations

import asyncio

from ..diagnostics.report import EditedFile, NoDiagnoser, Report, check_all
from ..diagnostics.summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..diagnostics.report import Diagnoser
    from ..workspace.outcome import Plan

#: The part of the limit that a diagnoser is told of, so that its own reason for being late comes in time.
_OWN_LIMIT = 0.9


async def diagnosed(diagnoser: Diagnoser, plan: Plan, limit: float) -> dict[str, Report]:
    """What a diagnoser says of the texts that were written, by their names. It raises nothing."""
    if isinstance(diagnoser, NoDiagnoser):
        return {}
    edited, others = _edited(plan)
    return {**(await _asked(diagnoser, edited, limit) if edited else {}), **others}


def unasked(reports: Mapping[str, Report], said: set[str]) -> list[str]:
    """What to say of files that nobody could be asked about: each reason once, as it holds for the next edit too."""
    texts = []
    for name, report in reports.items():
        if not report.asked and report.reason not in said:
            said.add(report.reason)
            texts.append(summarize(report, name=name))
    return texts


async def _asked(diagnoser: Diagnoser, edited: Mapping[str, EditedFile], limit: float) -> dict[str, Report]:
    asking = asyncio.ensure_future(check_all(diagnoser, list(edited.values()), timeout=limit * _OWN_LIMIT))
    try:
        await asyncio.wait([asking], timeout=limit)
    finally:
        asking.cancel()
    reason = f"there was no answer within {limit:g} seconds"
    if asking.done() and not asking.cancelled():
        error = asking.exception()
        if error is not None:
            reason = f"the check failed ({type(error).__name__}: {error})"
        else:
            given: object = asking.result()
            reports = [report for report in given if isinstance(report, Report)] if isinstance(given, list) else []
            if len(reports) == len(edited):
                return dict(zip(edited, reports, strict=True))
            reason = "the check left out a file"
    elif not asking.done():
        # One that doesn't mind being cancelled may end when it likes; what it raises then interests nobody.
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
    return {name: Report(one.path, "unknown", reason=reason) for name, one in edited.items()}


def _edited(plan: Plan) -> tuple[dict[str, EditedFile], dict[str, Report]]:
    """The texts that were written, and reports on what nobody can be asked about.

    A file that only has another name now is as right or wrong as it was.
    """
    edited: dict[str, EditedFile] = {}
    others: dict[str, Report] = {}
    for file in plan.files:
        after = file.content_after
        if after is None or file.moved_from:
            continue
        before = plan.content_before(file)
        try:
            texts = (None if before is None else before.decode("utf-8"), after.decode("utf-8"))
        except UnicodeDecodeError:
            others[file.shown] = Report(file.path, "unknown", reason=f"{file.shown} is not in UTF-8", asked=False)
            continue
        edited[file.shown] = EditedFile(file.path, *texts)
    return edited, others
