"""Checks the files that a plan has written, and never waits for the diagnoser longer than the limit."""

from __future__ import annotations

import asyncio

from .diagnostics.report import EditedFile, NoDiagnoser, Report, check_all
from .diagnostics.summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from ..core.outcome import Plan
    from .diagnostics.report import Diagnoser

#: The part of the limit that is passed to the diagnoser, so that its own reason for a timeout arrives in time.
_OWN_SHARE = 0.9


async def diagnose(diagnoser: Diagnoser, plan: Plan, limit: float) -> dict[str, Report]:
    """The reports on the texts that a plan has written, by path. Never raises."""
    if isinstance(diagnoser, NoDiagnoser):
        return {}
    edited, others = _edited(plan)
    return {**(await _check(diagnoser, edited, limit) if edited else {}), **others}


def unchecked_notices(reports: Mapping[str, Report], reported: Container[str]) -> dict[str, str]:
    """Notices on files that could not be checked, by reason. A reason that was reported before holds on: no notice."""
    notices: dict[str, str] = {}
    for name, report in reports.items():
        if not report.asked and report.reason not in reported:
            notices.setdefault(report.reason, summarize(report, name=name))
    return notices


async def _check(diagnoser: Diagnoser, edited: Mapping[str, EditedFile], limit: float) -> dict[str, Report]:
    """A report for each edited file, by its name; what is not there within the limit is unknown."""
    asking = asyncio.ensure_future(check_all(diagnoser, list(edited.values()), timeout=limit * _OWN_SHARE))
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
            answer: object = asking.result()
            reports = [report for report in answer if isinstance(report, Report)] if isinstance(answer, list) else []
            if len(reports) == len(edited):
                return dict(zip(edited, reports, strict=True))
            reason = "the check left out a file"
    elif not asking.done():
        # It may ignore the cancellation and end later; its exception is retrieved so that asyncio does not log it.
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
    return {name: Report(one.path, "unknown", reason=reason) for name, one in edited.items()}


def _edited(plan: Plan) -> tuple[dict[str, EditedFile], dict[str, Report]]:
    """The texts to check, and reports on files that cannot be checked. A file that was only moved is neither."""
    edited: dict[str, EditedFile] = {}
    others: dict[str, Report] = {}
    for file in plan.files:
        after = file.content_after
        if after is None or file.moved_from:
            continue
        before = plan.content_before(file)
        try:
            encoding = file.encoding or "utf-8"
            texts = (None if before is None else before.decode(encoding), after.decode(encoding))
        except (UnicodeDecodeError, LookupError):
            reason = f"{file.shown} is not in {encoding.upper()}"
            others[file.shown] = Report(file.path, "unknown", reason=reason, asked=False)
            continue
        edited[file.shown] = EditedFile(file.path, *texts)
    return edited, others
