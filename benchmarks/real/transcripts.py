"""Replay the transcripts of public repositories: `python -m benchmarks.real.transcripts FOLDER`.

FOLDER has a clone of each repository that `repositories.txt` names, as `owner+name` or `owner+name/repo`. To make one:

    git clone --mirror https://github.com/OWNER/NAME FOLDER/OWNER+NAME

`--write` keeps names, counts and verdicts in `replay.json`, and no contents. `--export FILE` writes the scored edits
as cases for `python -m benchmarks.real FILE`; those are other people's code and belong into no repository.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.speed.clock import table
from suture.replay.case_export import CaseExport
from suture.replay.outcomes import replay
from suture.replay.rebuild import read_edits
from suture.replay.replay_report import ReplayReport
from suture.replay.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
COLUMNS = ("edits", "accepted", "same", "different", "accepted_refused", "rejected", "placed", "rejected_refused",
           "not_scored")  # fmt: skip


def repositories() -> list[str]:
    """The names of the list, as owner/name."""
    lines = (HERE / "repositories.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def find_clone(folder: Path, name: str) -> Path | None:
    """The clone of a repository, if it is there."""
    clone = folder / name.replace("/", "+")
    return next((path for path in (clone / "repo", clone) if (path / "HEAD").is_file()), None)


def replay_all(folder: Path, export: CaseExport | None) -> Iterator[tuple[str, ReplayReport]]:
    """Each repository that is there, with its report."""
    for name in repositories():
        clone = find_clone(folder, name)
        if clone is None:
            print(f"missing: {name}")
            continue
        report = ReplayReport(redact=True)
        for replayed in replay(read_edits(Source(clone, is_repository=True, name=name), report.add_recording)):
            report.add(replayed)
            if export is not None:
                export.add(replayed.edit)
        yield name, report


def summary(reports: dict[str, ReplayReport]) -> dict[str, Any]:
    """Names, counts and verdicts."""
    return {
        name: {
            "groups": report.to_json()["groups"],
            "reasons": report.to_json()["reasons"],
            "verdicts": {entry["id"]: f"{entry['verdict']}: {entry['outcome']}" for entry in report.entries},
        }
        for name, report in reports.items()
    }


def tables(reports: dict[str, ReplayReport]) -> Iterator[str]:
    """The counts by repository, by agent, and by reason."""
    head = tuple(column.replace("_", " ") for column in COLUMNS)
    whole: Counter[str] = Counter()
    agents: dict[str, Counter[str]] = {}
    reasons: dict[str, Counter[str]] = {}
    rows = []
    for name, report in reports.items():
        whole += report.total()
        rows.append((name, ", ".join(sorted({agent for agent, *_ in report.groups})), *_cells(report.total())))
        for (agent, _, form), counts in report.groups.items():
            agents.setdefault(f"{agent}, {form}", Counter()).update(counts)
        for reason, counts in report.reasons.items():
            reasons.setdefault(reason, Counter()).update(counts)
    yield table(("repository", "agents", *head), [*rows, ("**all**", "", *_cells(whole))])
    yield table(("agent, form", *head), [(name, *_cells(counts)) for name, counts in sorted(agents.items())])
    names = ("rejected", "placed", "refused", "not_scored", "follow_up_calls", "follow_up_tokens")
    ordered = sorted(reasons.items(), key=lambda item: -item[1]["rejected"])
    yield table(
        ("reason", *(name.replace("_", " ") for name in names)),
        [(reason, *(f"{counts[name]:,}" for name in names)) for reason, counts in ordered],
    )


def _cells(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(f"{counts[column]:,}" for column in COLUMNS)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real.transcripts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="clones, as owner+name")
    parser.add_argument("--write", action="store_true", help="keep names, counts and verdicts in replay.json")
    parser.add_argument("--export", metavar="FILE", help="write the scored edits as cases")
    options = parser.parse_args()
    export = CaseExport(options.export) if options.export else None
    with export or nullcontext():
        reports = dict(replay_all(options.folder, export))
    print("\n\n".join(tables(reports)))
    if options.write:
        (HERE / "replay.json").write_text(json.dumps(summary(reports), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
