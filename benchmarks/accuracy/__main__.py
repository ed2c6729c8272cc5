"""Run the accuracy benchmark: `python -m benchmarks.accuracy`.

Real changes from the package index, spoilt as models spoil them, and files that have moved on; Suture and the installed
peers on the same cases. `--set tune` is for choosing thresholds, `--set report` for figures to publish, `--set quick`
for the small data that the project wrote itself.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from functools import partial
from pathlib import Path

from . import cases, corpus, peers, quick, report, safety, score, spoil

SPOILT_OF_EACH = 100
STALE_OF_EACH = 200


def ask(case: cases.Case, tools: list[str]) -> tuple[cases.Case, list[score.Result]]:
    """All tools on one case; runs in a worker process."""
    return case, [score.run(case, tool) for tool in tools]


def main() -> None:
    options = _options()
    began = time.perf_counter()
    if options.set == "quick":
        selected = [case for case in quick.quick_cases() if not options.way or case.way in options.way]
    else:
        spoilt_each, stale_each = options.limit or SPOILT_OF_EACH, options.limit or STALE_OF_EACH
        selected = list(cases.make(corpus.load(options.set), spoilt_each, stale_each, options.way))
    made = time.perf_counter()
    tools = peers.installed(with_peers=options.peers)
    with multiprocessing.Pool() as pool:
        findings = list(pool.imap(partial(ask, tools=tools), selected, chunksize=16))
    if options.list:
        print("\n".join(report.listing(findings, options.list)))
        return
    print(f"# Accuracy, set `{options.set}`\n")
    print(report.markdown(findings))
    print(f"\n{len(selected)} cases made in {made - began:.0f} s, run in {time.perf_counter() - made:.0f} s.")
    if options.json:
        options.json.write_text(json.dumps(report.as_data(findings), indent=1, ensure_ascii=False) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--set", choices=(*corpus.SETS, "quick"), default="report")
    parser.add_argument("--limit", type=int, metavar="N", help="at most N cases of each way")
    parser.add_argument("--way", action="append", choices=(*spoil.names(), *safety.KINDS), metavar="NAME", default=[],
                        help="only this way to spoil or to move on; may be repeated")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--list", choices=("wrong", "refused", "drift", "undecidable"), help="print these cases of Suture's instead"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
