"""Run the accuracy benchmark: `python -m benchmarks.accuracy`.

Real changes from the package index, spoilt as models spoil them, and files that have moved on; Suture and the installed
peers on the same cases: patches, or string edits with `--strings`. `--set tune` is for choosing thresholds,
`--set report` for figures to publish, `--set quick` for the small data that the project wrote itself.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from . import cases, corpus, peers, quick, report, safety, score, spoil, spoil_strings, string_peers, strings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SPOILT_OF_EACH = 100
STALE_OF_EACH = 200


_C = TypeVar("_C", bound=cases.Case)


def ask(
    case: _C, names: Sequence[str], tools: Mapping[str, Callable[[_C], peers.Answer]]
) -> tuple[cases.Case, list[score.Result]]:
    """All tools on one case; runs in a worker process."""
    return case, [score.run(case, name, tools) for name in names]


def headings(noun: str, ways: Mapping[str, spoil.Way | spoil_strings.Way], names: Sequence[str]) -> report.Headings:
    """The names of a kind's ways for its tables."""
    unsure = tuple(name for name, way in ways.items() if way.expectation == "either")
    return report.Headings(noun, tuple(name for name in names if name not in unsure), unsure, safety.KINDS)


PATCHES = headings("patches", spoil.WAYS, spoil.names())
STRINGS = headings("string edits", spoil_strings.WAYS, spoil_strings.names())


def main() -> None:
    options = _options()
    if options.strings:
        names = string_peers.installed(with_peers=options.peers)
        run(options, STRINGS, quick.quick_strings, strings.make, partial(ask, names=names, tools=string_peers.TOOLS))
    else:
        names = peers.installed(with_peers=options.peers)
        run(options, PATCHES, quick.quick_cases, cases.make, partial(ask, names=names, tools=peers.TOOLS))


def run(
    options: argparse.Namespace,
    headed: report.Headings,
    quick_ones: Callable[[], list[_C]],
    make: Callable[[Sequence[corpus.Change], int, int, Sequence[str]], Iterator[_C]],
    asked: Callable[[_C], tuple[cases.Case, list[score.Result]]],
) -> None:
    """Make the cases, ask all tools, and print what came of it."""
    began = time.perf_counter()
    if options.set == "quick":
        selected = [case for case in quick_ones() if not options.way or case.way in options.way]
    else:
        spoilt_each, stale_each = options.limit or SPOILT_OF_EACH, options.limit or STALE_OF_EACH
        selected = list(make(corpus.load(options.set), spoilt_each, stale_each, options.way))
    made = time.perf_counter()
    with multiprocessing.Pool() as pool:
        findings = list(pool.imap(asked, selected, chunksize=16))
    if options.list:
        print("\n".join(report.listing(findings, options.list)))
        return
    print(f"# Accuracy of {headed.noun}, set `{options.set}`\n")
    print(report.markdown(findings, headed))
    print(f"\n{len(selected)} cases made in {made - began:.0f} s, run in {time.perf_counter() - made:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(report.as_data(findings), indent=1, ensure_ascii=False) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--strings", action="store_true", help="string edits instead of patches")
    parser.add_argument("--set", choices=(*corpus.SETS, "quick"), default="report")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N cases of each way")
    parser.add_argument("--way", action="append", metavar="NAME", default=[],
                        help="only this way to spoil or to move on; may be repeated")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--list", choices=("wrong", "refused", "drift", "undecidable"), help="print these cases of Suture's instead"
    )
    options = parser.parse_args()
    known = {*(spoil_strings if options.strings else spoil).names(), *safety.KINDS}
    unknown = [name for name in options.way if name not in known]
    if unknown:
        parser.error(f"no way of that name: {', '.join(unknown)}")
    return options


if __name__ == "__main__":
    main()
