"""Stale edits beside `git merge-file`: `python -m benchmarks.rebase REPOSITORY …`.

Three families of cases, from the history of any git repository: the merges that people made; two agents that edit one
file (at least a line apart, adjacent, overlapping); and edits that were written before a formatter ran. A result is
exact, clean but different, or refused. For merges, "different" means different from what a person committed. For
formatters, a result is right up to layout if it is the same program, or if the formatter makes it the expected text but
for blank lines. A difference to git's clean result on the same input is an error unless it is what was expected, and so
is a different result of two agents. The program then ends with status 1. The time is that of the processor for one
case, and beside it the ratio to a run of `git merge-file` on the same input.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from suture.place.merge_tokens import read_tokens
from suture.place.python_text import same_program
from suture.place.rebase import MergedText, merge_texts
from suture.place.token_kinds import token_kind

from .edit_cases import formatted, formatters, two_agents
from .merge_cases import MergeCase, merges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Where cases come from. Those of two agents are three families.
SOURCES = ("merges", "agents", "formatters")
#: Cases of one family that are taken from one repository.
CASES = 150


def git_merge(case: MergeCase, folder: Path) -> str | None:
    """What `git merge-file` makes of a case; None where it reports a conflict."""
    for name, text in (("current", case.current), ("base", case.base), ("edited", case.edited)):
        (folder / name).write_text(text, "utf-8", newline="")
    command = ["git", "merge-file", "-p", "-q", "current", "base", "edited"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.stdout.decode("utf-8") if done.returncode == 0 else None


def outcome(family: str, result: str | None, case: MergeCase) -> str:
    """What a result is called."""
    if result is None:
        return "refused"
    if result == case.expected:
        return "exact"
    return "exact up to layout" if _is_layout_alone(family, result, case) else "different"


def _is_layout_alone(family: str, result: str, case: MergeCase) -> bool:
    """Whether a result is right but for its layout."""
    ending = case.path.rpartition(".")[2]
    if family == "formatters" and case.expected is not None:
        again = formatted(result, ending) or ""
        if ending == "py":
            return again.split() == case.expected.split() or same_program(result, case.expected) is True
        # Some formatters leave a literal on several lines if it was, and then put a comma at its end.
        return _words(again, ending) == _words(case.expected, ending)
    # Where the file's change is one of layout alone, the edit can be made on top of it, even if the two overlap.
    base, current, edited, merged = map(read_tokens, (case.base, case.current, case.edited, result))
    return base.keys == current.keys and merged.keys == edited.keys


def _words(text: str, ending: str) -> str:
    """A text without its layout: tokens, and the signs between them but for commas before a closing bracket."""
    tokens = read_tokens(text, token_kind(ending))
    words = [f"{''.join(tokens.gaps[number].split())}\0{key}\0" for number, key in enumerate(tokens.keys)]
    return re.sub(r",(?=\)|\0[\]}])", "", "".join([*words, "".join(tokens.gaps[-1].split())]))


def cases(repositories: Iterable[Path], most: int, sources: Iterable[str]) -> Iterator[tuple[str, MergeCase]]:
    """The cases of some sources, from all repositories."""
    for repository in repositories:
        if "merges" in sources:
            yield from (("merges", case) for case in merges(repository, most))
        if "agents" in sources:
            yield from two_agents(repository, most)
        if "formatters" in sources:
            yield from (("formatters", case) for case in formatters(repository, most))


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rebase", description=__doc__)
    parser.add_argument("repository", nargs="+", type=Path, help="a git repository, which may be a bare one")
    parser.add_argument("--most", type=int, default=CASES, help="cases of a family from one repository")
    parser.add_argument("--only", choices=SOURCES, nargs="+", default=SOURCES, help="take cases from these alone")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--show", action="store_true", help="list the cases whose result is different")
    options = parser.parse_args()
    ours: dict[str, Counter[str]] = {}
    gits: dict[str, Counter[str]] = {}
    seconds: defaultdict[str, float] = defaultdict(float)
    waited: defaultdict[tuple[str, str], float] = defaultdict(float)
    errors = 0
    with tempfile.TemporaryDirectory() as folder:
        for family, case in cases(options.repository, options.most, options.only):
            started, begun = time.process_time(), time.perf_counter()
            merged = merge_texts(case.base, case.current, case.edited, case.path)
            seconds[family] += time.process_time() - started
            waited[family, "ours"] += time.perf_counter() - begun
            result = merged.text if isinstance(merged, MergedText) else None
            begun = time.perf_counter()
            git = git_merge(case, Path(folder))
            waited[family, "git"] += time.perf_counter() - begun
            said = outcome(family, result, case)
            ours.setdefault(family, Counter())[said] += 1
            gits.setdefault(family, Counter())[outcome(family, git, case)] += 1
            # What is right is no error because git has something else.
            is_other = result is not None and git is not None and result != git and said != "exact"
            is_wrong = said == "different" and family != "merges"
            errors += is_other or is_wrong
            if is_other or (said == "different" and options.show):
                print(f"{family}: {case.name} {case.path}{', not as git' if is_other else ''}")
    heads = "family | cases | exact | up to layout | different | refused | git: exact, different, refused | ms | of git"
    print(f"| {heads} |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for family, counts in ours.items():
        of = counts.total()
        git_counts = gits[family]
        git_exact = git_counts["exact"] + git_counts["exact up to layout"]
        row = [counts["exact"], counts["exact up to layout"], counts["different"], counts["refused"]]
        beside = f"{git_exact}, {git_counts['different']}, {git_counts['refused']}"
        cost = f"{1000 * seconds[family] / of:.2f} | {waited[family, 'ours'] / waited[family, 'git']:.2f}×"
        print(f"| {family} | {of} | {' | '.join(map(str, row))} | {beside} | {cost} |")
    if options.json:
        figures = {family: {**counts, "git": dict(gits[family])} for family, counts in ours.items()}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    print(f"\n{errors} results are wrong.")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
