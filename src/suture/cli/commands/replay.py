"""`suture replay`: what the edit tools of agents did with edits, beside what Suture does."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from ...core.display import safe_text
from ...core.problems import PatchInvalidError, Problem
from ...replay.case_export import CaseExport
from ...replay.html_page import render_page
from ...replay.new_file import NewFile
from ...replay.outcomes import replay
from ...replay.rebuild import read_edits
from ...replay.replay_report import ReplayReport
from ...replay.sources import given_places, usual_places
from ..arguments import UsageError
from ..json_output import print_document
from ..progress import ProgressBar
from ..render import show_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from ...replay.outcomes import ReplayedEdit
    from ...replay.recorded_edit import RecordedEdit
    from ...replay.sources import Source
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Read transcripts, and report."""
    if options.redact and (options.export or options.show):
        message = "--redact leaves out contents, which --export and --show are about."
        raise UsageError(message)
    page = NewFile(options.html) if options.html else None
    sources = list(given_places(options.path)) if options.path else usual_places(Path.home(), Path.cwd())
    report = ReplayReport(redact=options.redact)
    details: list[tuple[dict[str, Any], ReplayedEdit]] = []
    export = CaseExport(options.export) if options.export else None
    with export or nullcontext(), ProgressBar(screen, unit="edit") as bar:
        edits = replay(_read(sources, report), processes=_jobs(options.jobs), show=options.show or "")
        for count, replayed in enumerate(edits, 1):
            report.add(replayed)
            if export is not None:
                export.add(replayed.edit)
            if options.show and replayed.edit.id.startswith(options.show):
                details.append((report.entry(replayed) | {"edit": _written(replayed.edit)}, replayed))
            bar.update("replaying", count)
    if page is not None:
        with page:
            page.file.write(render_page(report).encode("utf-8", "backslashreplace"))
    if options.show:
        return _show(options, screen, details)
    if screen.json:
        return print_document(screen, "replay", 0, report.to_json())
    screen.start_paging()
    if not report.sources:
        named = ("…" if options.redact else safe_text(str(source.path)) for source in sources)
        places = ", ".join(dict.fromkeys(named))
        screen.print(f"No transcripts in {places}." if places else "No place with transcripts was found.")
        for line in report.troubles():
            screen.print(line)
        return 0
    for line in report.lines():
        screen.print(line)
    if report.entries and not options.redact:
        screen.print(
            "\nTo see one of them: suture replay --show ID" + "".join(f" {safe_text(path)}" for path in options.path)
        )
    if export is not None:
        screen.error(f"{export.count:,} cases written to {safe_text(options.export)}.")
    return 0


def _read(sources: list[Source], report: ReplayReport) -> Iterator[RecordedEdit]:
    for source in sources:
        yield from read_edits(source, report.add_recording)


def _written(edit: RecordedEdit) -> str:
    """The edit as text."""
    if isinstance(edit.edit, str):
        return edit.edit
    blocks = (f"<<<<<<< SEARCH\n{one.old}\n=======\n{one.new}\n>>>>>>> REPLACE" for one in edit.edit)
    return "\n".join(blocks)


def _show(options: Namespace, screen: Screen, details: list[tuple[dict[str, Any], ReplayedEdit]]) -> int:
    if not details:
        message = f"No edit has an ID that starts with {options.show}."
        raise PatchInvalidError((Problem("not_found", message, hint="suture replay lists the IDs."),))
    if screen.json:
        return print_document(screen, "replay", 0, {"edits": [entry for entry, _ in details]})
    screen.start_paging()
    for entry, replayed in details:
        verdict = entry["verdict"] + (f": {entry['reason']}" if entry["reason"] else "")
        screen.print(screen.style(f"{entry['id']}  {entry['agent']}  {safe_text(entry['path'])}", "bold"))
        screen.print(
            f"Model {safe_text(entry['model'])}, tool {safe_text(entry['tool'])}. The file: {entry['origin']}."
        )
        for title, text in (
            ("The edit:", entry["edit"]),
            (f"The agent's tool ({verdict}):", entry["tool_answer"]),
            (f"Suture ({entry['outcome']}):", entry["answer"]),
        ):
            screen.print(f"\n{screen.style(title, 'bold')}")
            screen.print(safe_text(text, "terminal").rstrip("\n"))
        if replayed.difference is not None and replayed.difference.hunks:
            title = "From the recorded result to Suture's:" if entry["outcome"] == "different" else ""
            screen.print("\n" + (screen.style(title, "bold") if title else ""))
            show_diff(screen, [replayed.difference])
        screen.print()
    return 0


def _jobs(value: str | None) -> int | None:
    if value is None:
        return None
    if not value.isdecimal() or not value.isascii() or not 0 < int(value[:9]) < 10_000:
        message = f"--jobs must be a number above 0, not {value}"
        raise UsageError(message)
    return int(value)
