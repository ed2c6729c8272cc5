"""Cases of real edits, one JSON object a line, and what is right for each of them.

A case has the text `before`, an edit (`patch`, or `old`, `new` and `replace_all`), what to `expect` (exact, refuse or
unknown) and the `right` texts. A patch in another form than an envelope has a `form` and a `path`. A verdict, in a file
of its own, replaces the last two: a word, or sha256 sums of the right texts, as they are (`expect`) and without
whitespace (`ink`). The cases are other people's code: none belongs into this project.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from suture.batch.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Status = Literal["done", "refused", "raised"]

#: What an answer is worth, and how a table names it.
OUTCOMES = {
    "exact": "exact",
    "drift": "drift",
    "wrong": "wrong",
    "right": "refused: right",
    "misplaced": "misplaced",
    "unknown": "unknown",
    "undecided": "undecided",
    "raised": "raised",
}
#: Those of which the share of exact ones is taken.
JUDGED = ("exact", "drift", "wrong", "raised", "misplaced")


@dataclass(frozen=True, slots=True)
class RealCase:
    """One edit that a model sent, or `machine_made` for a test; and the verdict on it, if there is one."""

    fields: Mapping[str, Any]
    verdict: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """Its id."""
        return str(self.fields["id"])

    @property
    def row(self) -> tuple[str, str]:
        """The tool that the model called and what it answered: the row of the table."""
        return self.fields["tool"], self.fields["answer"] + " (before not certain)" * (not self.fields["sure"])

    @property
    def machine_made(self) -> bool:
        """Whether it counts in no sum."""
        return "machine-made" in self.fields["tool"]

    @property
    def is_patch(self) -> bool:
        """Whether it is a patch, in any form; otherwise it is a string edit."""
        return self.fields.get("patch") is not None

    @property
    def form(self) -> str:
        """The form of the edit."""
        return str(self.fields.get("form") or "envelope") if self.is_patch else "string"

    @property
    def before(self) -> str:
        """The text of the file."""
        return str(self.fields["before"])

    @property
    def path(self) -> str:
        """The path that a patch names."""
        if self.fields.get("path"):
            return str(self.fields["path"])
        named = re.search(r"^\*\*\* Update File: (.*?)\s*$", self.fields["patch"], re.MULTILINE)
        return named[1] if named else ""

    def judge(self, status: Status, text: str) -> str:
        """What an answer is worth: an outcome."""
        if self.verdict is not None:
            sums = self.verdict["expect"]
            expect, inks = sums if isinstance(sums, str) else "exact", self.verdict.get("ink", ())
        else:
            expect, right = self.fields["expect"], self.fields["right"]
            sums, inks = [_sum(self._compared(one)) for one in right], [_sum(_ink(one)) for one in right]
        if status == "raised":
            return "raised"
        if status == "refused":
            return {"refuse": "right", "exact": "misplaced", "unknown": "unknown"}[expect]
        if expect != "exact":
            return {"refuse": "wrong", "unknown": "undecided"}[expect]
        if _sum(self._compared(text)) in sums:
            return "exact"
        return "drift" if _sum(_ink(text)) in inks else "wrong"

    def _compared(self, text: str) -> str:
        """What has to agree: recorded diffs of patches may have lost line breaks at the end."""
        return text.rstrip("\n") if self.is_patch else text


def load(path: Path, verdicts: Path | None) -> Iterator[RealCase]:
    """The cases of a file, of JSON lines or Parquet, with the verdicts of another."""
    known = json.loads(verdicts.read_text("utf-8")) if verdicts else {}
    for row in read_rows(str(path), 1 << 30):
        fields = json.loads(row) if isinstance(row, bytes) else row
        yield RealCase(fields, known.get(fields["id"]))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _ink(text: str) -> str:
    return "".join(text.split())
