"""What became of all rows, counted."""

from __future__ import annotations

from collections import Counter

from .row_score import REWARDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Tally:
    """Counts of scored rows: outcomes, codes of refusals, tiers, replacers and concessions."""

    def __init__(self) -> None:
        self.rows = 0
        self.outcomes: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.tiers: Counter[str] = Counter()
        self.replacers: Counter[str] = Counter()
        self.concessions: Counter[str] = Counter()

    def add(self, scored: Mapping[str, Any]) -> None:
        """Count one row."""
        self.rows += 1
        self.outcomes[scored["outcome"]] += 1
        for code in scored["codes"]:
            self.codes[code] += 1
        for concession in scored["concessions"]:
            self.concessions[concession] += 1
        if scored["tier"] is not None:
            self.tiers[scored["tier"]] += 1
        if scored["replacer"] is not None:
            self.replacers[scored["replacer"]] += 1

    @property
    def reward(self) -> float:
        """The mean reward of all rows."""
        return sum(REWARDS[name] * count for name, count in self.outcomes.items()) / self.rows if self.rows else 0.0

    def to_json(self) -> dict[str, Any]:
        """The counts as plain data, the most frequent first."""
        names = ("outcomes", "codes", "tiers", "replacers", "concessions")
        counts = {name: dict(getattr(self, name).most_common()) for name in names}
        return {"rows": self.rows, "reward": round(self.reward, 6), **counts}

    def table(self) -> str:
        """The counts as lines for people."""
        lines = [f"{'rows':<32}{self.rows:>12,}"]
        for title, counts in self.to_json().items():
            if isinstance(counts, dict) and counts:
                lines += ["", title]
                lines += [f"  {name:<30}{count:>12,}{count / self.rows:>9.2%}" for name, count in counts.items()]
        return "\n".join(lines)
