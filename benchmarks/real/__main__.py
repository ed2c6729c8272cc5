"""Score real edits of models: `python -m benchmarks.real FILE`.

exact      a right text came out
drift      it differs from a right text in whitespace alone
wrong      another text, or any text where a refusal is right
right      refused, and a refusal is right
misplaced  refused, and a careful person would know what to do
unknown    refused, and nobody has said what is right
undecided  done, and nobody has said what is right
raised     an exception that is none of Suture's; counts as wrong

`--least` is the least share of exact ones among exact, drift, wrong, raised and misplaced. Machine-made cases have a
row, and count in neither the sum nor the limits. Exits with 1 where a limit is passed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from difflib import unified_diff
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.accuracy import rules
from benchmarks.speed.clock import table

from .cases import JUDGED, OUTCOMES, RealCase, load
from .tools import ask, installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .cases import Status

    #: A case and, by tool, the outcome, the status and the text.
    Finding = tuple[RealCase, dict[str, tuple[str, Status, str]]]

LISTED = ("misplaced", "drift", "wrong", "raised")
MOST_LISTED = 30


def answer(case: RealCase, names: Sequence[str], rule: str = "") -> Finding:
    """All tools on one case, with a rule of the engine switched off or none; runs in a worker process."""
    outcomes = {}
    with rules.without(rule):
        for name in names:
            given = ask(name, case)
            if given is not None:
                outcomes[name] = case.judge(*given), *given
    return case, outcomes


def score(cases: Iterable[RealCase], names: Sequence[str], rule: str = "") -> list[Finding]:
    """All tools on all cases, in all processes."""
    with Pool() as pool:
        return list(pool.imap(partial(answer, names=names, rule=rule), cases, chunksize=8))


def total(findings: Iterable[Finding], tool: str = "suture") -> Counter[str]:
    """How many cases that count have each outcome."""
    return Counter(told[tool][0] for case, told in findings if tool in told and not case.machine_made)


def share(counts: Counter[str]) -> float:
    """The share of exact ones among those that can be judged."""
    return counts["exact"] / max(1, sum(counts[outcome] for outcome in JUDGED))


def report(findings: Sequence[Finding], names: Sequence[str]) -> Iterator[str]:
    """Suture by tool and answer, then the tools beside one another, then the names of those to look into."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case, told in findings:
        rows[case.row][told["suture"][0]] += 1
    head = ("tool", "its answer", "cases", *OUTCOMES.values())
    counted = [(*key, *_cells(rows[key])) for key in sorted(rows)]
    yield table(head, [*counted, ("**all but machine-made**", "", *_cells(total(findings)))])
    if len(names) > 1:
        yield "\n" + table(("edits", "tool", "cases", *OUTCOMES.values(), "exact of what is judged"), [
            (kind, name, *_cells(counts), f"{share(counts):.2%}")
            for kind, part in (
                ("patches", [finding for finding in findings if finding[0].is_patch]),
                ("string edits", [finding for finding in findings if not finding[0].is_patch]),
            )
            for name in names
            if (counts := total(part, name))
        ])  # fmt: skip
    for outcome in LISTED:
        ids = [
            f"- {case.name} {' | '.join(case.row)}"
            for case, told in findings
            if told["suture"][0] == outcome and not case.machine_made
        ]
        if ids:
            more = [f"- and {len(ids) - MOST_LISTED} more"] * (len(ids) > MOST_LISTED)
            yield "\n".join((f"\n{outcome}:", *ids[:MOST_LISTED], *more))


def _cells(counts: Counter[str]) -> tuple[str, ...]:
    return str(counts.total()), *(str(counts[outcome]) for outcome in OUTCOMES)


def shown(case: RealCase, outcome: str, status: Status, text: str) -> str:
    """One case with its edit and what came of it."""
    fields = case.fields
    reason = case.verdict["reason"] if case.verdict else "by rule"
    lines = [f"\n## {case.name} {' | '.join(case.row)} | {outcome}"]
    lines += [f"{fields['repo']} {fields['file']} | before: {fields['how']} | {reason}"]
    lines += [fields["patch"]] if case.is_patch else ["--- old", fields["old"], "--- new", fields["new"], "---"]
    if status == "done":
        lines += unified_diff(case.before.split("\n"), text.split("\n"), "before", "after", lineterm="")
    else:
        lines.append(text)
    return "\n".join(lines)


def passed(counts: Counter[str], options: argparse.Namespace) -> Iterator[str]:
    """The limits that are not kept."""
    wrong = counts["wrong"] + counts["raised"]
    if options.least is not None and share(counts) < options.least:
        yield f"exact {share(counts):.4f} is less than {options.least}"
    for name, number, most in (
        ("wrong", wrong, options.most_wrong),
        ("misplaced", counts["misplaced"], options.most_misplaced),
        ("drift", counts["drift"], options.most_drift),
    ):
        if most is not None and number > most:
            yield f"{name} {number} is more than {most}"


def effects(cases: Sequence[RealCase], switched: Sequence[str]) -> str:
    """What changes when a rule is switched off."""
    base = total(score(cases, ["suture"]))
    rows = [("(all rules)", *_cells(base))]
    for name in switched:
        counts = total(score(cases, ["suture"], name))
        rows.append((name, str(counts.total()), *(f"{counts[key] - base[key]:+d}" for key in OUTCOMES)))
    return table(("without", "cases", *OUTCOMES.values()), rows)


def main() -> None:
    options = _options()
    began = time.perf_counter()
    cases = list(load(options.cases, options.verdicts))
    if options.without or options.all_rules:
        print(effects(cases, rules.names() if options.all_rules else [options.without]))
        return
    names = installed(with_peers=options.peers)
    findings = score(cases, names)
    counts = total(findings)
    print("\n".join(report(findings, names)))
    print(f"\nexact {share(counts):.4f} of what is judged; {time.perf_counter() - began:.1f} s")
    for case, told in findings:
        if options.show in {told["suture"][0], case.name}:
            print(shown(case, *told["suture"]))
    if options.json:
        told_by = {case.name: told["suture"][0] for case, told in findings}
        data = {"all": counts, "share": share(counts), "cases": told_by}
        options.json.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", "utf-8")
    failures = list(passed(counts, options))
    print("\n".join(failures), end="\n" if failures else "")
    sys.exit(1 if failures else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.real", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, metavar="FILE", help="the cases, one JSON object a line")
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="what is right where the case does not say")
    parser.add_argument("--show", metavar="KIND|ID", help="print the cases of an outcome, or one case by its id")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--least", type=float, metavar="X", help="the least share of exact ones")
    parser.add_argument("--most-wrong", type=int, metavar="N")
    parser.add_argument("--most-misplaced", type=int, metavar="N")
    parser.add_argument("--most-drift", type=int, metavar="N")
    parser.add_argument("--peers", action="store_true", help="the peers that are installed too")
    effects = parser.add_mutually_exclusive_group()
    effects.add_argument("--without", metavar="RULE", help="the difference that a rule of the engine makes")
    effects.add_argument("--all-rules", action="store_true", help="the difference that each rule makes, as a table")
    options = parser.parse_args()
    rules.check(parser, options)
    return options


if __name__ == "__main__":
    main()
