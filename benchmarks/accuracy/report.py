"""The figures of a run as Markdown, as JSON, and as a list of cases to look into. Counts and prints, judges nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from .cases import Case
from .score import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Counts = Counter[str]

#: Everything that was asked, case by case.
Findings = list[tuple[Case, list[Result]]]
OUTCOMES = ("exact", "drift", "wrong", "refused", "undecidable")


@dataclass(frozen=True, slots=True)
class Headings:
    """What the tables of a run are about: the word for an edit, and the names of its ways."""

    noun: str
    spoilt: tuple[str, ...]
    unsure: tuple[str, ...]
    stale: tuple[str, ...]


def counts(findings: Findings) -> dict[str, dict[str, Counts]]:
    """Tool → way → outcome → number."""
    table: dict[str, dict[str, Counts]] = defaultdict(lambda: defaultdict(Counter))
    for case, results in findings:
        for result in results:
            table[result.tool][case.way][result.outcome] += 1
    return table


def _sum(table: dict[str, Counts], ways: Iterable[str]) -> Counts:
    return sum((table[way] for way in ways if way in table), Counter())


def _asked(count: Counts) -> int:
    return sum(count[outcome] for outcome in OUTCOMES)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "–"


def markdown(findings: Findings, headings: Headings) -> str:
    """The whole report."""
    table = counts(findings)
    lines = ["## All tools on the same cases", "", *_totals(table, headings), ""]
    if len(table) > 1:
        lines += [f"## Exact, by way: damaged {headings.noun}", "", *_side_by_side(table, headings.spoilt), ""]
    deciders = list(_deciders(findings))
    if deciders:
        lines += ["## Suture: what decided, where it changed the file", "", *deciders, ""]
    lines += [f"## Suture: damaged {headings.noun}", "", *_ways(table["suture"], headings.spoilt), ""]
    anchored = list(_anchored(findings, headings))
    if anchored:
        lines += ["## Suture: the same, by what follows `@@`", "", *anchored, ""]
    lines += ["## Suture: where a refusal is right too", "", *_ways(table["suture"], headings.unsure), ""]
    lines += ["## Suture: files that have changed since, where only a refusal is right", ""]
    lines += [*_ways(table["suture"], headings.stale), ""]
    unsure = [f"- {label}" for label in undecidable(findings)]
    lines += ["### Wrong on files that have changed since", "", *(stale_and_wrong(findings) or ["none"]), ""]
    lines += ["### Undecidable: the stale edit occurs exactly in the file", "", *(unsure or ["none"]), ""]
    times = sorted(result.seconds for _, results in findings for result in results if result.tool == "suture")
    if times:
        median, late = times[len(times) // 2], times[len(times) * 99 // 100]
        lines.append(f"Suture's time for a case: median {median * 1e3:.2f} ms, 99% {late * 1e3:.1f} ms, "
                     f"longest {times[-1] * 1e3:.0f} ms.")  # fmt: skip
    return "\n".join(lines)


def _totals(table: dict[str, dict[str, Counts]], headings: Headings) -> Iterator[str]:
    yield "| tool | damaged cases | exact | drift | wrong | refused | safety cases | refused | wrong | undecidable |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for tool, ways in table.items():
        spoilt, stale = _sum(ways, headings.spoilt), _sum(ways, headings.stale)
        cells = (
            tool,
            _asked(spoilt),
            _percent(spoilt["exact"], _asked(spoilt)),
            spoilt["drift"],
            f"{spoilt['wrong']} ({_percent(spoilt['wrong'], _asked(spoilt))})",
            spoilt["refused"],
            _asked(stale),
            _percent(stale["exact"], _asked(stale)),
            stale["wrong"],
            stale["undecidable"],
        )
        yield f"| {' | '.join(map(str, cells))} |"


def _ways(table: dict[str, Counts], ways: Iterable[str]) -> Iterator[str]:
    yield "| way | cases | exact | drift | wrong | refused | undecidable |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    ways = list(ways)
    for way in ways:
        if way in table:
            yield _row(way, table[way])
    yield _row("**all**", _sum(table, ways))


def _anchored(findings: Findings, headings: Headings) -> Iterator[str]:
    """Spoilt edits with text after `@@` and without, where there are both."""
    counted: dict[bool, Counts] = {True: Counter(), False: Counter()}
    for case, results in findings:
        if case.way in headings.spoilt:
            counted[case.anchored].update(result.outcome for result in results if result.tool == "suture")
    if all(counted.values()):
        yield "| hunks | cases | exact | drift | wrong | refused | undecidable |"
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
        yield _row("with an anchor", counted[True])
        yield _row("bare", counted[False])


def _side_by_side(table: dict[str, dict[str, Counts]], ways: Iterable[str]) -> Iterator[str]:
    """How much of each way every tool has exactly right."""
    yield f"| way | {' | '.join(table)} |"
    yield f"| --- |{' ---: |' * len(table)}"
    for way in ways:
        counted = [of_tool.get(way, Counter()) for of_tool in table.values()]
        if any(counted):
            yield f"| {way} | {' | '.join(_percent(count['exact'], _asked(count)) for count in counted)} |"


def _deciders(findings: Findings) -> Iterator[str]:
    """What Suture's successes were decided by, where the answers name it: string edits name the replacer."""
    decided: dict[str, dict[bool, Counts]] = defaultdict(lambda: {True: Counter(), False: Counter()})
    for case, results in findings:
        for result in results:
            if result.tool == "suture" and result.note and result.content:
                decided[result.note][case.safety][result.outcome] += 1
    if not decided:
        return
    yield "| decided by | damaged cases | exact | drift | wrong | stale: wrong | undecidable |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, count in sorted(decided.items(), key=lambda item: -item[1][False].total()):
        spoilt, stale = count[False], count[True]
        cells = (
            name,
            spoilt.total(),
            _percent(spoilt["exact"], spoilt.total()),
            spoilt["drift"],
            spoilt["wrong"],
            stale["wrong"],
            stale["undecidable"],
        )
        yield f"| {' | '.join(map(str, cells))} |"


def _row(label: str, count: Counts) -> str:
    cells = " | ".join(str(count[outcome]) for outcome in OUTCOMES[1:])
    return f"| {label} | {_asked(count)} | {_percent(count['exact'], _asked(count))} | {cells} |"


def undecidable(findings: Findings) -> Iterator[str]:
    """Each stale case that Suture applied because it fits exactly elsewhere, with its tiers."""
    for case, results in findings:
        for result in results:
            if result.tool == "suture" and result.outcome == "undecidable":
                yield f"{case.way} {case.name} {case.detail} (tiers: {', '.join(sorted(set(result.tiers)))})"


def stale_and_wrong(findings: Findings) -> list[str]:
    """Each stale case that Suture applied and should not have, with its tiers; and whether only whitespace tells."""
    return [
        f"- {case.way} {case.name} {case.detail} (tiers: {', '.join(sorted(set(result.tiers)))}"
        + "; occurs once in the file but for whitespace" * case.is_twin
        + ")"
        for case, results in findings
        for result in results
        if case.safety and result.tool == "suture" and result.outcome == "wrong"
    ]


def twins(findings: Findings, ways: Iterable[str], most: int = 20) -> str:
    """How many twins each tool placed, by kind, and the first of Suture's."""
    names = list(dict.fromkeys(result.tool for _, results in findings for result in results))
    asked: dict[str, Counts] = defaultdict(Counter)
    placed: dict[str, Counts] = defaultdict(Counter)
    for case, results in findings:
        kind = case.detail.partition(",")[0]
        for result in results:
            for key in (case.way, f"all: {kind}", "**all**"):
                asked[key][result.tool] += result.outcome != "not asked"
                placed[key][result.tool] += result.outcome in {"wrong", "undecidable"}
    lines = [f"| twins | {' | '.join(f'{name}: placed' for name in names)} |", f"| --- |{' ---: |' * len(names)}"]
    for key in (*ways, *(key for key in asked if key.startswith("all: ")), "**all**"):
        cells = (f"{placed[key][name]} of {asked[key][name]}" if asked[key][name] else "–" for name in names)
        lines.append(f"| {key} | {' | '.join(cells)} |")
    wrong = [
        f"- {case.way} {case.name} ({case.detail}; {', '.join(sorted(set(result.tiers)))})"
        for case, results in findings
        for result in results
        if result.tool == "suture" and result.outcome == "wrong"
    ]
    return "\n".join([*lines, "", f"### Placed by Suture, the first {most}", "", *(wrong[:most] or ["none"])])


def family(findings: Findings, ways: Iterable[str]) -> str:
    """A family of cases, tool by tool; a refusal is exact where a refusal is right."""
    ways = list(ways)
    lines = []
    for tool, of_tool in counts(findings).items():
        lines += [f"## {tool}", "", *_ways(of_tool, ways), ""]
    return "\n".join(lines)


def effects(findings: Findings, switched: dict[str, Findings]) -> Iterator[str]:
    """What changes when a rule is switched off: the difference in spoilt edits, and in those that are to be refused."""
    yield "| without | exact | drift | wrong | refused | to be refused: placed |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    base = _outcomes(findings)
    yield f"| (all rules) | {' | '.join(str(base[key]) for key in EFFECTS)} |"
    for name, others in switched.items():
        counted = _outcomes(others)
        yield f"| {name} | {' | '.join(_signed(counted[key] - base[key]) for key in EFFECTS)} |"


EFFECTS = ("exact", "drift", "wrong", "refused", "placed")


def _outcomes(findings: Findings) -> Counts:
    counted: Counts = Counter()
    for case, results in findings:
        for result in results:
            if case.safety:
                counted["placed"] += result.outcome == "wrong"
            else:
                counted[result.outcome] += 1
    return counted


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def listing(findings: Findings, outcome: str) -> Iterator[str]:
    """Suture's cases of that outcome, each with enough to reproduce it."""
    for case, results in findings:
        for result in results:
            if result.tool == "suture" and result.outcome == outcome:
                yield f"=== {case.way} | {case.name} | {case.detail} | expected: {case.expectation}"
                yield f"--- {outcome}; tiers: {', '.join(result.tiers) or 'none'}; {result.note}"
                yield case.shown()
                if result.content:
                    yield "--- expected against got:"
                    yield _difference(case.after, result.content.decode(errors="replace"))


def _difference(expected: str, got: str) -> str:
    return "\n".join(unified_diff(expected.split("\n"), got.split("\n"), "expected", "got", lineterm=""))


def as_data(findings: Findings) -> dict[str, object]:
    """The figures for programs."""
    return {
        "tools": {
            tool: {way: dict(count) for way, count in ways.items()} for tool, ways in counts(findings).items()
        },
        "undecidable": list(undecidable(findings)),
        "cases": [
            {"name": case.name, "way": case.way, "detail": case.detail, "outcome": result.outcome, "note": result.note}
            for case, results in findings
            for result in results
            if result.tool == "suture" and result.outcome != "exact"
        ],
    }  # fmt: skip
