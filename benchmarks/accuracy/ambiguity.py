"""Whether the text of a spoilt patch still names one place: decided by plain code that knows nothing of Suture.

The rule, for each hunk as written. Its old lines are looked for in the file in four ways, from strict to loose
(equal; equal without trailing white space; equal when trimmed; equal without any white space and with quotes and
dashes folded), and the first way that finds anything gives its candidates:

- the true place is not among them: the spoilt text now names another place, and the case is dropped;
- none of the four finds anything: lines vote for places, and where another place has as many votes as the true one
  the case is dropped;
- anchors take away the candidates that no line starting with the anchor's text precedes; a right line number leaves
  the true place, a wrong one that names another candidate drops the case;
- then the order of the hunks: the leftmost and the rightmost ordered arrangement are equal, or the patch is ambiguous.
  Hunks that are not written in the order of the file need one candidate each.

An ambiguous patch whose candidates are all exact and that has no anchors and no numbers expects a refusal; any other
ambiguous one is dropped, since a finer rule might tell: it may or may not let two insertions meet at one point, or go
by the innermost block that the hunk before leaves open, if only the true place is in it (SPEC §13). So is a one-sided
insertion with at most one telling line, if that line occurs elsewhere too, and a hunk of several candidates without any
telling line (SPEC §4 refuses both; another tool may well be right).

A string edit whose old text stands in the file as it is needs no such rule: several times expects a refusal, and once
is clear, unless putting the new text there literally is not what was meant; then it is dropped. One with slips of which
too few lines are right is dropped too, since a string edit may be without any context; `_says_too_little` has the rule.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from .change import applied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .change import Draft, Piece

    Way = Callable[[str], str]

Verdict = Literal["clear", "refuse", "drop"]

PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
    }
)


def squeezed(line: str) -> str:
    """A line without white space, with quotes, dashes and ellipses folded to ASCII."""
    return "".join(line.split()).translate(PUNCTUATION)


def _unchanged(line: str) -> str:
    return line


WAYS: tuple[Way, ...] = (_unchanged, str.rstrip, str.strip, squeezed)


def telling(line: str) -> bool:
    """Whether a line is distinctive: a word or a number, not only brackets and keywords of two letters."""
    return re.search(r"\w{3}", line) is not None


def places(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Every index at which `wanted` stands in `lines`."""
    if not wanted:
        return []
    pivot = max(range(len(wanted)), key=lambda i: len(wanted[i]))
    found = []
    index = -1
    try:
        while True:
            index = lines.index(wanted[pivot], index + 1)
            start = index - pivot
            if start >= 0 and tuple(lines[start : start + len(wanted)]) == tuple(wanted):
                found.append(start)
    except ValueError:
        return found


@dataclass(frozen=True, slots=True)
class _Finding:
    candidates: list[int]
    exact: bool


def verdict(draft: Draft) -> Verdict:
    """What the spoilt hunks of a draft still say about their places."""

    @cache
    def folded(way: Way) -> list[str]:
        return [way(line) for line in draft.before]

    findings = []
    pieces = [piece for piece in draft.written if not piece.extra]
    for piece in pieces:
        finding = _candidates(draft, piece, folded)
        if finding is None or piece.start not in finding.candidates or _thin(draft.before, piece):
            return "drop"
        if len(finding.candidates) > 1 and not any(map(telling, piece.old)):
            return "drop"
        findings.append(finding)
    loosely, tightly = (_arranged(pieces, findings, gap) for gap in (0, 1))
    if loosely and tightly:
        return "clear"
    if loosely or tightly:
        return "drop"
    told = any(
        _in_open_block(draft.before, above, piece, finding.candidates)
        for above, piece, finding in zip(pieces, pieces[1:], findings[1:], strict=False)
    )
    if told:
        return "drop"
    bare = not any(piece.anchors or piece.numbers or piece.extra for piece in draft.written)
    in_order = all(a.start <= b.start for a, b in pairwise(pieces))
    return "refuse" if bare and in_order and all(finding.exact for finding in findings) else "drop"


def _in_open_block(before: Sequence[str], above: Piece, piece: Piece, candidates: Sequence[int]) -> bool:
    """Whether the true place alone is in the innermost block that the hunk above it leaves open.

    How far in a place is, is the least indentation of the lines from the end of that hunk to its first one.
    """
    last = above.start + len(above.old) - 1

    def depth(place: int) -> int:
        lines = [line for line in before[last : place + 1] if line.strip(" \t)]}")]
        return min((len(line) - len(line.lstrip()) for line in lines), default=0)

    depths = {place: depth(place) for place in candidates if place >= last}
    return len(depths) > 1 and [place for place in depths if depths[place] == max(depths.values())] == [piece.start]


def string_verdict(draft: Draft, old: str, new: str, *, slips: bool = False) -> Verdict:
    """What the texts of a spoilt string edit still say about its place; with `slips` some lines are not the file's."""
    body, after = (_text(draft, lines) for lines in (draft.before, applied(draft.before, draft.truth)))
    old, new = (text.replace("\r\n", "\n") for text in (old, new))
    found = spoken(body, old)
    if not found:
        return "drop" if slips and _says_too_little(draft) else verdict(draft)
    if found > 1:
        return "refuse"
    # Nothing in place of whole lines takes their last newline too; whoever leaves a blank line has drifted.
    deletes = not new and not old.endswith("\n") and old == "\n".join(draft.written[0].old)
    return "clear" if deletes or body.replace(old, new) == after else "drop"


def _says_too_little(draft: Draft) -> bool:
    """Whether, of lines with slips, too few that tell something or fewer than half stand where they should.

    Two are enough, and three where a line is missing or made up.
    """
    piece = draft.written[0]
    gap = len(piece.old) != len(draft.truth[0].old)
    there = [squeezed(line) for line in draft.before[piece.start : piece.start + 2 * len(piece.old)]]
    right = [line for line in piece.old if line.strip() and squeezed(line) in there]
    written = sum(bool(line.strip()) for line in piece.old)
    return (gap or len(right) < written) and (sum(map(telling, right)) < 2 + gap or 2 * len(right) < written)


def spoken(body: str, old: str) -> int:
    """How often a text stands in another, places that overlap included."""
    count = 0
    at = body.find(old)
    while at >= 0:
        count += 1
        at = body.find(old, at + 1)
    return count


def _text(draft: Draft, lines: Sequence[str]) -> str:
    return "\n".join(lines) + ("\n" if draft.final and lines else "")


def _candidates(draft: Draft, piece: Piece, folded: Callable[[Way], list[str]]) -> _Finding | None:
    for way in WAYS:
        found = places(folded(way), [way(line) for line in piece.old])
        if found:
            exact = way is _unchanged
            break
    else:
        if _rivalled(folded(str.strip), piece):
            return None
        found, exact = [piece.start], False
    if piece.at_end:
        found = [place for place in found if place + len(piece.old) == len(draft.before)]
    for anchor in piece.anchors:
        heads = [i for i, line in enumerate(folded(str.strip)) if line.startswith(anchor.strip())]
        found = [place for place in found if heads and heads[0] <= place]
    if piece.numbers is not None:
        named = piece.numbers[0] - 1
        if named in found:
            found = [named]
    return _Finding(found, exact)


def _rivalled(stripped: list[str], piece: Piece) -> bool:
    """Whether another place has as many of the hunk's telling lines, one line of slack allowed."""
    where: dict[str, list[int]] = {}
    wanted = {line.strip() for line in piece.old if telling(line)}
    for i, line in enumerate(stripped):
        if line in wanted:
            where.setdefault(line, []).append(i)
    votes: Counter[int] = Counter()
    for i, line in enumerate(piece.old):
        for position in where.get(line.strip(), ()):
            votes[position - i] += 1

    def support(start: int) -> int:
        return votes[start - 1] + votes[start] + votes[start + 1]

    true = support(piece.start)
    return any(abs(start - piece.start) > 2 and support(start) >= true for start in list(votes))


def _thin(before: Sequence[str], piece: Piece) -> bool:
    """Whether a hunk only inserts, has context on one side, and is not distinctive enough."""
    if piece.removed or (piece.lead() and piece.tail()) or piece.at_end:
        return False
    says = [line.strip() for line in piece.old if telling(line)]
    if len(says) > 1:
        return False
    return not says or sum(line.strip() == says[0] for line in before) > 1


def _arranged(pieces: Sequence[Piece], findings: Sequence[_Finding], gap: int) -> bool:
    """Whether order leaves one arrangement, and it is the true one; `gap` is the least distance of two changes."""
    if all(len(finding.candidates) == 1 for finding in findings):
        return True
    if any(a.start > b.start for a, b in pairwise(pieces)):
        return False
    truth = [piece.start for piece in pieces]
    return _leftmost(pieces, findings, gap) == truth == _rightmost(pieces, findings, gap)


def _leftmost(pieces: Sequence[Piece], findings: Sequence[_Finding], gap: int) -> list[int]:
    chosen: list[int] = []
    free = 0
    for piece, finding in zip(pieces, findings, strict=True):
        lead, end = _offsets(piece)
        at = bisect_left(finding.candidates, free - lead)
        if at == len(finding.candidates):
            return []
        chosen.append(finding.candidates[at])
        free = chosen[-1] + end + gap
    return chosen


def _rightmost(pieces: Sequence[Piece], findings: Sequence[_Finding], gap: int) -> list[int]:
    chosen: list[int] = []
    bound: float = float("inf")
    for piece, finding in zip(reversed(pieces), reversed(findings), strict=True):
        lead, end = _offsets(piece)
        at = bisect_right(finding.candidates, bound - end)
        if at == 0:
            return []
        chosen.append(finding.candidates[at - 1])
        bound = chosen[-1] + lead - gap
    return chosen[::-1]


def _offsets(piece: Piece) -> tuple[int, int]:
    """Where the hunk's changed region begins and ends, from its first old line."""
    first, last = piece.span()
    return first - piece.start, last - piece.start
