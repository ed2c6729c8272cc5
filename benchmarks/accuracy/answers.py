"""How often a refusal leaves nothing to look up: `python -m benchmarks.accuracy.answers --git PATH`.

A refusal is read as a model reads it that sees nothing else. It is complete if the next edit can be written from it and
from the edit that was sent:

- every line of the file at the true place that the edit has wrong or lacks is in the answer, with its number and not
  shortened, unless what is cut off is as the edit has it;
- where the edit has all lines as the file has them, the answer names the place and gives a reason other than that lines
  do not match;
- where several places fit, the true one is listed with a line that tells it from all others;
- where the file has the new lines already, the answer says so and where.

An edit whose place is gone from the file has nothing to be shown; these are counted apart. So are texts that could not
be read as a patch, which need nothing of the file. Without `--git`, the edits are made from the project's own files.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from suture.core.display import visible_whitespace

from . import quick, repositories
from .ambiguity import places, squeezed, telling
from .refused_edits import refused_patches, refused_strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .corpus import Change
    from .refused_edits import RefusedEdit, SentHunk

#: Answers that say that lines do not match, that several places fit, that it is applied already.
NOT_FOUND = frozenset({"nearest", "no_like_line", "empty_file", "not_found_either"})
SEVERAL = frozenset({"several", "several_blocks"})
APPLIED = frozenset({"applied_before", "applied_instead", "no_difference"})
#: How a listing marks a line that differs.
DIFFERENCE = r"\|  \((?:the|only in the|not in the|differs)\b"
#: How many edits of each way are made.
EACH = 12


def flaw_of(refusal: RefusedEdit) -> tuple[str, str]:
    """What is wrong with an answer, and the row of the hunk that it is wrong for; an empty flaw if it is complete."""
    for hunk in refusal.hunks:
        if hunk.place:
            flaw = _flaw(hunk, refusal.file, refusal.answer)
            if flaw:
                return flaw, hunk.row
    return "", refusal.hunks[0].row


def _flaw(hunk: SentHunk, file: Sequence[str], answer: str) -> str:
    is_named = any(abs(number - 1 - row) <= 1 for number in named_lines(answer) for row in hunk.place)
    if hunk.is_applied and (hunk.row in APPLIED or "applied already" in answer):
        return "" if is_named else "place not named"
    if hunk.row in SEVERAL:
        return _flaw_of_several(hunk, file, answer)
    # An answer that says that most of the new text is there shows how the file differs from that.
    sent = hunk.new if hunk.row in APPLIED or hunk.row == "changed_result" else hunk.old
    lacking = lacking_rows(sent, hunk.place, file)
    for row in lacking:
        if not is_shown(row, file[row], sent, answer):
            return "line not shown"
    if not is_named:
        return "place not named"
    return "no reason" if hunk.row in NOT_FOUND and not re.search(DIFFERENCE, answer) else ""


def lacking_rows(sent: Sequence[str], place: range, file: Sequence[str]) -> list[int]:
    """The rows of the true place whose lines the edit does not have, or not there."""
    lines = [*file[place.start : place.stop]]
    rows: list[int] = []
    steps = SequenceMatcher(None, lines, sent, autojunk=False).get_opcodes()
    for number, (tag, first, end, _, _) in enumerate(steps):
        # Lines behind blank context at an edge need not be known: the edit can do without that context.
        outside = [
            lines[a:b] for other, a, b, _, _ in (*steps[:number][-1:], *steps[number + 1 :][:1]) if other == "equal"
        ]
        is_edge = number in (1, len(steps) - 2) and any(not any(map(str.strip, some)) for some in outside)
        if tag != "equal" and not (tag == "delete" and is_edge):
            rows += range(place.start + first, place.start + end)
    # The two ends of an old text may be parts of lines.
    parts = {place.start: sent[0], place.stop - 1: sent[-1]} if sent else {}
    return [row for row in rows if not (row in parts and telling(parts[row]) and parts[row] in file[row])]


def is_shown(row: int, line: str, old: Sequence[str], answer: str) -> bool:
    """Whether an answer has a line of the file with its number, and all of it that the edit does not have."""
    full = visible_whitespace(line)
    number = row + 1
    if re.search(rf"(?<!\d){number}:? \|{re.escape(full)}\||\|{re.escape(full)}\| \(line {number}\)", answer):
        return True
    for cut in re.finditer(rf"(?<!\d){number}:? \|(.*)\|", answer):
        part = cut[1].removeprefix("…").removesuffix("…")
        at = full.find(part)
        if at >= 0 and any(_has_ends(visible_whitespace(other), full[:at], full[at + len(part) :]) for other in old):
            return True
    return False


def _has_ends(line: str, head: str, tail: str) -> bool:
    return len(line) >= len(head) + len(tail) and line.startswith(head) and line.endswith(tail)


def named_lines(answer: str) -> set[int]:
    """The numbers of all lines that an answer names or shows."""
    numbers = {int(number) for number in re.findall(r"^[ >]+(\d+) \|", answer, re.MULTILINE)}
    for some in re.findall(r"(?<!patch )\blines? ([\d, and-]+)", answer):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", some):
            numbers.update((int(first), int(last or first)))
    return numbers


def _flaw_of_several(hunk: SentHunk, file: Sequence[str], answer: str) -> str:
    """What is wrong with a list of places: the true one is not in it, or nothing tells it from the others.

    What tells is the name of its block, which can be written after `@@`, or lines right above or below it that make the
    old text unique.
    """
    listed = re.findall(r"^  line (\d+): \|.*?\|(?:, (in \|.*?[^…]\|) \(line \d+\))?", answer, re.MULTILINE)
    mine = [block for number, block in listed if int(number) - 1 in hunk.place]
    if not mine:
        return "place not listed"
    blocks = [block for _, block in listed]
    if hunk.row == "several_blocks" and mine[0] and blocks.count(mine[0]) == 1:
        return ""
    folded = [squeezed(line) for line in file]
    old = [squeezed(line) for line in hunk.old]
    start = min(places(folded, old), key=lambda place: abs(place - hunk.place.start), default=hunk.place.start)
    end = start + len(old)
    while start > 0 and is_shown(start - 1, file[start - 1], (), answer):
        start -= 1
    while end < len(file) and is_shown(end, file[end], (), answer):
        end += 1
    return "" if len(places(folded, folded[start:end])) == 1 else "places not told apart"


def edits(changes: Sequence[Change], each: int, forms: Sequence[str]) -> Iterator[RefusedEdit]:
    """The refused edits of the given forms."""
    if "patch" in forms:
        yield from refused_patches(changes, each)
    if "string" in forms:
        yield from refused_strings(changes, each)


class Figures:
    """How many refusals of each form and row are complete, what the others lack, and how many have no place."""

    def __init__(self, refusals: Iterable[RefusedEdit]) -> None:
        self.complete: Counter[tuple[str, str]] = Counter()
        self.flaws: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.gone: Counter[str] = Counter()
        for refusal in refusals:
            if not any(hunk.place for hunk in refusal.hunks):
                self.gone[refusal.form] += 1
                continue
            flaw, row = flaw_of(refusal)
            for key in ((refusal.form, row), (refusal.form, "all")):
                self.complete[key] += not flaw
                self.flaws[key][flaw] += bool(flaw)

    def count(self, key: tuple[str, str]) -> int:
        """How many refusals there were of a form and a row."""
        return self.complete[key] + self.flaws[key].total()

    def table(self) -> Iterator[str]:
        """The lines of a report."""
        yield "| edits | answer | refused | complete | share | the others |"
        yield "| --- | --- | ---: | ---: | ---: | --- |"
        for key in sorted(self.flaws, key=lambda key: (key[0], key[1] == "all", -self.count(key))):
            form, row = key
            count, complete = self.count(key), self.complete[key]
            others = ", ".join(f"{flaw} {number}" for flaw, number in self.flaws[key].most_common() if number)
            yield f"| {form} | {row} | {count} | {complete} | {100 * complete / count:.1f} % | {others} |"
        yield ""
        yield f"The place is gone: {self.gone['patch']} patches, {self.gone['string']} string edits."


def listing(refusals: Iterable[RefusedEdit], flaw: str, row: str) -> Iterator[str]:
    """Refusals in full, those with a flaw or, for `any`, all; of one row, if one is named."""
    for refusal in refusals:
        if not any(hunk.place for hunk in refusal.hunks):
            found, at = "gone", refusal.hunks[0].row
        else:
            found, at = flaw_of(refusal)
        if flaw not in ("any", found) and not (flaw == "some" and found not in ("", "gone")):
            continue
        if row in ("", at):
            places = ", ".join(f"{hunk.row} {hunk.place.start + 1}-{hunk.place.stop}" for hunk in refusal.hunks)
            yield f"{'=' * 30} {refusal.name} {refusal.way}: {found or 'complete'} ({places})"
            yield refusal.edit
            yield "-" * 30
            yield refusal.answer
            yield ""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.answers", description=__doc__)
    parser.add_argument("--git", type=Path, action="append", metavar="PATH", default=[],
                        help="commits of the git repository there; may be repeated")  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", default=EACH, help="at most N edits of each way")
    parser.add_argument("--form", choices=("patch", "string"), action="append", default=[])
    parser.add_argument("--list", metavar="FLAW", default="", help="print these refusals: a flaw, `some`, or `any`")
    parser.add_argument("--row", metavar="ROW", default="", help="of the list, only this row of the table of answers")
    options = parser.parse_args()
    changes = repositories.load(options.git) if options.git else list(quick.changes())
    found = edits(changes, options.limit, options.form or ("patch", "string"))
    print("\n".join(listing(found, options.list, options.row) if options.list else Figures(found).table()))


if __name__ == "__main__":
    main()
