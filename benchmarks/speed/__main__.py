"""Run the speed benchmark: `python -m benchmarks.speed`.

All figures are ratios to a peer or a baseline that was measured in the same run, call by call in turn. Without names of
parts all of them are run. `--quick` takes fewer cases and rounds; `--json FILE` writes the figures for programs too.
`--git PATH` adds hunks of the commits of a git repository; it may be repeated.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from benchmarks.accuracy.change import envelope
from benchmarks.accuracy.corpus import load
from benchmarks.speed.calls import codex, placed, right
from benchmarks.speed.clock import best, milliseconds, table
from benchmarks.speed.commits import commits
from benchmarks.speed.hostile import CASES
from benchmarks.speed.programs import programs
from benchmarks.speed.sessions import sessions
from benchmarks.speed.strings import edits, hostile_edits
from benchmarks.speed.texts import PATH, hunks, module, outdented_method, patch, repeated_methods
from benchmarks.speed.workspace import workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    Part = Callable[..., dict[str, float]]

SIZES = (100, 10_000, 200_000)


def main() -> None:
    """Print the tables, and write the figures where asked to."""
    alone = (real_patches, large_file, growth, hostile_inputs, edits, hostile_edits)
    parts: dict[str, Part] = {part.__name__: part for part in (*alone, workspace, sessions, start_up, programs)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(parts)}; commits, with --git")
    parser.add_argument("--git", type=Path, action="append", metavar="PATH", default=[],
                        help="hunks of the commits of that repository too; may be repeated")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="fewer cases and rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    if arguments.git:
        parts = {"commits": partial(commits, arguments.git), **parts}
    unknown = [name for name in arguments.parts if name not in parts]
    if unknown:
        parser.error(f"no part of that name: {', '.join(unknown)}")
    figures: dict[str, float] = {}
    print("# Speed\n")
    for name in arguments.parts or parts:
        figures |= parts[name](quick=arguments.quick)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def real_patches(*, quick: bool) -> dict[str, float]:
    """Parse and update of real patches on real files, beside codex-apply-patch and openai-agents."""
    from agents import apply_diff

    rows: list[tuple[int, float, float, float]] = []
    for change in load("report")[: 200 if quick else 1000]:
        draft = change.draft
        text, patch_text = draft.text(draft.before), envelope(draft)
        body = patch_text.split("\n", 2)[2].rsplit("\n*** End Patch", 1)[0]
        try:
            same = right(text, patch_text, draft.after()) and apply_diff(text, body) is not None
        except ValueError:
            continue
        peer = codex(text, patch_text, draft.path)
        if not same or isinstance(peer(), Exception):
            continue
        times = best(
            {
                "suture": lambda: placed(text, patch_text),  # noqa: B023
                "codex": peer,
                "agents": lambda: apply_diff(text, body),  # noqa: B023
            },
            rounds=3 if quick else 7,
            each=15,
        )
        rows.append((len(draft.before), times["suture"], times["codex"], times["agents"]))
    figures: dict[str, float] = {}
    lines = []
    for name, least, most in (("all", 0, 1 << 30), ("up to 300 lines", 0, 300), ("over 1,000 lines", 1001, 1 << 30)):
        part = [row for row in rows if least <= row[0] <= most]
        if part:
            to_codex = statistics.median(row[1] / row[2] for row in part)
            to_agents = statistics.median(row[1] / row[3] for row in part)
            figures |= {f"real {name} / codex": to_codex, f"real {name} / agents": to_agents}
            size = statistics.median(row[0] for row in part)
            lines.append((name, str(len(part)), f"{size:.0f}", f"{to_codex:.2f}×", f"{to_agents:.2f}×"))
    print("## Real patches on real files: parse + update, median of the ratios\n")
    head = ("files", "cases", "lines (median)", "to codex-apply-patch (Rust)", "to openai-agents apply_diff")
    print(table(head, lines), end="\n\n")
    return figures


def large_file(*, quick: bool) -> dict[str, float]:
    """One hunk near the end of 200,000 lines, beside codex-apply-patch."""
    whole = module(200_000)
    cases = {name: (whole, hunk) for name, hunk in hunks(200_000).items()}
    cases["indent (outdented by four)"] = indent(whole, "    "), hunks(200_000)["exact"]
    cases["indent, the first line 20,000 times"] = repeated_methods(200_000), outdented_method(200_000)
    figures: dict[str, float] = {}
    lines = []
    for name, (text, hunk) in cases.items():
        patch_text = patch(hunk)
        peer = codex(text, patch_text, PATH)
        times = best({"suture": lambda: placed(text, patch_text), "codex": peer}, rounds=3 if quick else 9)  # noqa: B023
        ratio = times["suture"] / times["codex"]
        figures[f"200k {name} / codex"] = ratio
        outcome = "refuses too" if isinstance(peer(), Exception) else "applies it"
        lines.append((name, f"{ratio:.2f}×", milliseconds(times["suture"]), milliseconds(times["codex"]), outcome))
    print("## One hunk near the end of 200,000 lines: parse + update, with the explanation where it is refused\n")
    print(table(("hunk", "ratio", "suture", "codex-apply-patch", "which"), lines), end="\n\n")
    return figures


def growth(*, quick: bool) -> dict[str, float]:
    """How the cost of each tier grows with the file."""
    figures: dict[str, float] = {}
    rows: dict[str, list[str]] = {}
    for size in SIZES:
        text = module(size)
        for name, hunk in hunks(size).items():
            patch_text = patch(hunk)
            rounds = 5 if quick else 15
            times = best({"suture": lambda: placed(text, patch_text), "split": lambda: text.split("\n")}, rounds)  # noqa: B023
            ratio = figures[f"{name} {size} / split"] = times["suture"] / times["split"]
            rows.setdefault(name, []).append(f"{milliseconds(times['suture'])} ({ratio:.1f}×)")
    print("## Growth with the file: time, and the ratio to splitting the same text into lines\n")
    head = ("tier", *(f"{size:,} lines" for size in SIZES))
    print(table(head, [(name, *times) for name, times in rows.items()]), end="\n\n")
    return figures


def hostile_inputs(*, quick: bool) -> dict[str, float]:
    """Inputs that make naive search quadratic."""
    figures: dict[str, float] = {}
    lines = []
    for name, make in CASES.items():
        text, patch_text = make()
        calls = {"suture": lambda: placed(text, patch_text), "split": lambda: text.split("\n")}  # noqa: B023
        times = best(calls, rounds=1 if quick else 3)
        figures[f"hostile {name} / split"] = times["suture"] / times["split"]
        answer = placed(text, patch_text)
        outcome = "refused" if isinstance(answer, str) else "placed"
        lines.append((name, outcome, milliseconds(times["suture"]), f"{times['suture'] / times['split']:.1f}×"))
    print("## Hostile inputs\n")
    print(table(("input", "outcome", "time", "to splitting the text"), lines), end="\n\n")
    return figures


def start_up(*, quick: bool) -> dict[str, float]:
    """`import suture`, and one exact update, beside an interpreter that does nothing."""
    patch_text = patch(["-a", "+b"])
    update = f"import suture; suture.update('a\\n', suture.parse({patch_text!r}).operations[0].hunks)"
    commands = {"pass": "pass", "import suture": "import suture", "one exact update": update}
    calls = {
        name: (lambda code=code: subprocess.run([sys.executable, "-c", code], check=True))
        for name, code in commands.items()
    }
    times = best(calls, rounds=10 if quick else 40)
    figures = {f"start-up {name} / pass": seconds / times["pass"] for name, seconds in times.items()}
    print("## Start-up: the whole process, beside `python -c pass`\n")
    print(table(("command", "ratio"), [(name, f"{t / times['pass']:.2f}×") for name, t in times.items()]), end="\n\n")
    return figures


if __name__ == "__main__":
    main()
