"""What each rule of the engine is worth: `python -m benchmarks.accuracy.rule_effects --git PATH …`.

For each rule, the cases in which it spoke are run once more without it: patches, string edits, twins and opposites,
made from the commits of the repositories. A case counts for the rule if it goes wrong without it, and against the rule
if it is exact without it only. The figures go to rule_effects.json, and from there into docs/matching.md
(tests/place/test_rules.py).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter, defaultdict
from pathlib import Path

from suture.place import rule as engine
from suture.place.rule_table import RULES

from . import cases, peers, repositories, score, string_peers, strings, twins
from .families import opposites

FILE = Path(__file__).with_name("rule_effects.json")
#: Cases of each way to spoil or to change a file, and twins.
OF_EACH = 30
TWINS = 1500

_cases: list[cases.Case] = []


def ask(number: int, without: str = "") -> tuple[str, list[str]]:
    """The outcome of a case with a rule switched off or none, and the rules that spoke."""
    case = _cases[number]
    engine.spoken.clear()
    with engine.without(without):
        if isinstance(case, strings.StringCase):
            result = score.run(case, "suture", string_peers.TOOLS)
        else:
            assert isinstance(case, cases.PatchCase), "BUG: a case is a patch or a string edit"
            result = score.run(case, "suture", peers.TOOLS)
    return result.outcome, sorted(engine.spoken)


def measure() -> dict[str, Counter[str]]:
    """By rule, how many cases it spoke in, how many wrong edits it prevents, and how many exact ones."""
    effects: dict[str, Counter[str]] = {rule.name: Counter() for rule in RULES}
    by_rule: dict[str, list[int]] = defaultdict(list)
    with multiprocessing.Pool() as pool:
        answers = pool.map(ask, range(len(_cases)), chunksize=40)
        for number, (_, names) in enumerate(answers):
            for name in names:
                by_rule[name].append(number)
        for name, numbers in by_rule.items():
            others = pool.starmap(ask, [(number, name) for number in numbers], chunksize=20)
            for number, (outcome, _) in zip(numbers, others, strict=True):
                before = answers[number][0]
                effects[name]["spoke"] += 1
                effects[name]["wrong"] += (outcome == "wrong") - (before == "wrong")
                effects[name]["exact"] += outcome == "exact" and before == "refused"
    return effects


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.rule_effects", description=__doc__)
    parser.add_argument("--git", type=Path, action="append", metavar="PATH", required=True)
    options = parser.parse_args()
    changes = repositories.load(options.git)
    _cases.extend(cases.make(changes, OF_EACH, OF_EACH))
    _cases.extend(strings.make(changes, OF_EACH, OF_EACH))
    _cases.extend(twins.make(changes, TWINS))
    _cases.extend(opposites.make(options.git, OF_EACH, ()))
    data = {
        "cases": len(_cases),
        "repositories": sorted(repositories.name_of(path) for path in options.git),
        "rules": measure(),
    }
    FILE.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
