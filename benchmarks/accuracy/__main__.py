"""Run the accuracy benchmark: `python -m benchmarks.accuracy`.

Real changes, spoilt as models spoil them, and files that have changed since; Suture and the installed peers on the same
cases: patches, the same patches in another form with `--form`, string edits with `--strings`, edits whose block is
gone and has a near twin, with `--twins`, or a family of cases about one promise, with `--family`. The changes come from
the package index (`--set`), or from the commits of any git repository (`--git PATH`, as often as you like, or all of a
set in a list of them, `--repositories FILE`). `--set tune` is for choosing thresholds, `--set report` for figures to
publish, `--set quick` for the small data that the project wrote itself. `--without RULE` shows what a rule of the
engine is worth, `--all-rules` all of them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import (
    cases,
    corpus,
    forms,
    peers,
    quick,
    report,
    repositories,
    rules,
    safety,
    score,
    spoil,
    spoil_strings,
    string_peers,
    strings,
    twins,
)
from .families.table import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SPOILT_OF_EACH = 100
STALE_OF_EACH = 200
TWINS = 2_000


def ask(
    case: cases.Case, names: Sequence[str], rule: str = "", form: str = "", family: str = ""
) -> tuple[cases.Case, list[score.Result]]:
    """All tools on one case, with a rule of the engine switched off or none; runs in a worker process."""
    with rules.without(rule):
        if family:
            return case, [score.run(case, name, FAMILIES[family].tools) for name in names]
        if isinstance(case, strings.StringCase):
            return case, [score.run(case, name, string_peers.TOOLS) for name in names if name in string_peers.TOOLS]
        assert isinstance(case, cases.PatchCase), "BUG: a case is a patch or a string edit"
        if form:
            return case, forms.ask(case, form, names)
        return case, [score.run(case, name, peers.TOOLS) for name in names if name in peers.TOOLS]


def headings(noun: str, ways: Mapping[str, spoil.Way | spoil_strings.Way], names: Sequence[str]) -> report.Headings:
    """The names of a kind's ways for its tables."""
    unsure = tuple(name for name, way in ways.items() if way.expectation == "either")
    return report.Headings(noun, tuple(name for name in names if name not in unsure), unsure, safety.KINDS)


HEADINGS = {
    "patches": headings("patches", spoil.WAYS, spoil.names()),
    "strings": headings("string edits", spoil_strings.WAYS, spoil_strings.names()),
    "twins": report.Headings("twins", (), (), twins.WAYS),
    **{name: report.Headings(family.about, (), (), family.ways) for name, family in FAMILIES.items()},
}


def main() -> None:
    options = _options()
    began = time.perf_counter()
    selected = selection(options)
    made = time.perf_counter()
    headed = HEADINGS[options.kind]
    form = f" as {options.form}" if options.form else ""
    title = f"# Accuracy of {headed.noun}{form}, {_source(options)}\n"
    if options.without or options.all_rules:
        switched = rules.names() if options.all_rules else [options.without]
        print(title + "\n" + "\n".join(report.effects(answers(selected, ["suture"], family=options.family), {
            name: answers(selected, ["suture"], name, family=options.family) for name in switched
        })))  # fmt: skip
        return
    findings = answers(selected, tools(options), form=options.form, family=options.family)
    if options.list:
        print("\n".join(report.listing(findings, options.list)))
        return
    print(title)
    if options.family:
        print(report.family(findings, headed.stale))
    elif options.kind == "twins":
        print(report.twins(findings, twins.WAYS))
    else:
        print(report.markdown(findings, headed))
    print(f"\n{len(selected)} cases made in {made - began:.0f} s, run in {time.perf_counter() - made:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(report.as_data(findings), indent=1, ensure_ascii=False) + "\n")


def selection(options: argparse.Namespace) -> list[cases.Case]:
    """The cases that the options ask for."""
    if options.family:
        family = FAMILIES[options.family]
        return list(family.make(options.git, options.limit or family.cases_of_each, options.way))
    if options.set == "quick" and not options.git:
        chosen: dict[str, Callable[[], Sequence[cases.Case]]] = {
            "patches": quick.quick_cases,
            "strings": quick.quick_strings,
            "twins": quick.quick_twins,
        }
        return [case for case in chosen[options.kind]() if not options.way or case.way in options.way]
    changes = repositories.load(options.git) if options.git else corpus.load(options.set)
    if options.kind == "twins":
        return list(twins.make(changes, options.limit or TWINS, options.way))
    spoilt_each, stale_each = options.limit or SPOILT_OF_EACH, options.limit or STALE_OF_EACH
    make: Callable[..., Iterator[cases.Case]] = strings.make if options.kind == "strings" else cases.make
    return list(make(changes, spoilt_each, stale_each, options.way))


def tools(options: argparse.Namespace) -> list[str]:
    """The names of the tools to ask."""
    names: list[str] = []
    if options.family:
        return [name for name in FAMILIES[options.family].tools if options.peers or name.startswith("suture")]
    if options.form:
        return [name for name in forms.FORMS[options.form] if options.peers or name.startswith("suture")]
    if options.kind != "strings":
        names += peers.installed(with_peers=options.peers)
    if options.kind != "patches":
        names += string_peers.installed(with_peers=options.peers)
    return list(dict.fromkeys(names))


def answers(
    selected: Sequence[cases.Case], names: Sequence[str], rule: str = "", form: str = "", family: str = ""
) -> report.Findings:
    """What the tools make of the cases, in all processes."""
    asked = partial(ask, names=names, rule=rule, form=form, family=family)
    with multiprocessing.Pool() as pool:
        return list(pool.imap(asked, selected, chunksize=16))


def _source(options: argparse.Namespace) -> str:
    names = ", ".join(repositories.name_of(path) for path in options.git)
    return f"commits of {names}" if names else f"set `{options.set}`"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--strings", dest="kind", action="store_const", const="strings", default="patches",
                       help="string edits instead of patches")  # fmt: skip
    kinds.add_argument("--twins", dest="kind", action="store_const", const="twins",
                       help="edits whose block is gone and has a near twin")  # fmt: skip
    kinds.add_argument("--family", choices=tuple(FAMILIES), default="", help="cases about one promise")
    kinds.add_argument("--form", choices=tuple(forms.FORMS), default="", help="patches in this form")
    parser.add_argument("--set", choices=(*corpus.SETS, "quick"), default="report")
    parser.add_argument("--git", type=Path, action="append", metavar="PATH", default=[],
                        help="commits of the git repository there instead of a set; may be repeated")  # fmt: skip
    parser.add_argument("--repositories", type=Path, metavar="FILE",
                        help="the repositories of the set in this list, with lines such as `tune PATH`")  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", help="at most N cases of each way; of twins, in all")
    parser.add_argument("--way", action="append", metavar="NAME", default=[],
                        help="only this way to spoil or to change the file; may be repeated")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--list", choices=("wrong", "refused", "drift", "undecidable"), help="print these cases of Suture's instead"
    )
    effects = parser.add_mutually_exclusive_group()
    effects.add_argument("--without", metavar="RULE", help="the difference that a rule of the engine makes")
    effects.add_argument("--all-rules", action="store_true", help="the difference that each rule makes, as a table")
    options = parser.parse_args()
    if options.repositories:
        options.git += repositories.listed(options.repositories, options.set)
    if options.family:
        options.kind = options.family
        if not options.git:
            parser.error("a family needs commits: --git PATH or --repositories FILE")
    headed = HEADINGS[options.kind]
    unknown = [name for name in options.way if name not in {*headed.spoilt, *headed.unsure, *headed.stale}]
    if unknown:
        parser.error(f"no way of that name: {', '.join(unknown)}")
    rules.check(parser, options)
    return options


if __name__ == "__main__":
    main()
