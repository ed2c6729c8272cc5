"""What speaks against a merge although its two sides do not meet: two changes can be apart and still not fit.

Each rule looks at the three texts and the merged one. They forbid, and what none of them forbids is merged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from math import inf
from operator import attrgetter

from .block_lines import width_of
from .file_kinds import C_LIKE, PROSE, SETTINGS
from .limits import (
    LONGEST_PARSED,
    MOST_ADDED_BLOCKS,
    SHORTEST_ADDED_BLOCK,
    SHORTEST_ADDED_TEXT,
    SHORTEST_INSERTION,
)
from .merge_blocks import is_header, is_naming
from .merge_call_checks import same_parameters
from .merge_evidence import SIDES
from .merge_kinds import same_kind
from .merge_name_checks import names_stay, one_definition
from .merge_pairs import closes, is_open, is_unpaired, opened, opened_asides
from .merge_renames import renamed_everywhere
from .merge_uses import IMPORT, is_raised_count
from .python_text import changed_parts_parse, parts_parse, shared_parts
from .rule import rule
from .syntax import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .merge_blocks import BlockTable
    from .merge_evidence import MergeEvidence
    from .merge_lines import SideChange


@rule
def still_parses(merge: MergeEvidence) -> str:
    """Where both sides parse, the merged text has to."""
    if merge.ending in ("py", "pyi"):
        current, edited = merge.merged.current, merge.merged.edited
        gone = [line for _, changes in merge.sides for line in merge.removed(changes)]
        shared = shared_parts(merge.merged.lines, current, edited, gone)
        if shared is not None and parts_parse(merge.merged.lines, shared):
            return ""
        if shared is None and changed_parts_parse(merge.merged.lines, (*current, *edited)):
            return ""
    merged = "".join(merge.merged.lines)
    if len(merged) > LONGEST_PARSED:
        return ""
    fault = fault_in(merge.path, merged)
    if fault is None or any(fault_in(merge.path, "".join(text)) for text in (merge.current, merge.edited)):
        return ""
    where = f" at line {fault.line}" if fault.line else ""
    return f"The merged file would not parse{where}: {fault.reason}."


@rule
def same_section(merge: MergeEvidence) -> str:
    """What a side puts into a section of a document or of settings must not come into another one."""
    # A stage of a Dockerfile is a section, too.
    if merge.ending not in SETTINGS and merge.ending not in PROSE and merge.ending != "dockerfile":
        return ""
    known = frozenset(merge.merged.lines)
    for at, (text, changes) in enumerate(merge.sides):
        own = frozenset(text)
        for change, (low, _) in zip(changes, merge.written[at], strict=True):
            first = next((line for line in change.lines if line.strip()), "")
            is_insertion = change.start == change.end
            if is_header(first, merge.ending) or (is_insertion and not first):
                continue
            before = merge.side_blocks[at].header_above(change.low)
            after = merge.merged_blocks.header_above(low)
            # Where the header itself was renamed, it is the same section. A line that was changed may come under a
            # header that has come in above it, because it is still that line.
            if before != after and (not before or before in known) and (is_insertion or after in own):
                name = before.strip() or "the start of the file"
                return f"{SIDES[at]} is about {name}, and would come under {after.strip() or 'no header'}."
    return ""


@rule
def same_block(merge: MergeEvidence) -> str:
    """What a side changes in a block of code or data must not come into another one."""
    if merge.ending in SETTINGS or merge.ending in PROSE or merge.ending in ("", "ipynb", "txt"):
        return ""
    for at, (_, changes) in enumerate(merge.sides):
        others = merge.sides[1 - at][1]
        ends = [other.end for other in others]
        widths = _least_widths(merge.base, others)
        table = merge.side_blocks[at]
        for change, (low, _) in zip(changes, merge.written[at], strict=True):
            body = change.lines or merge.base[change.start : change.end]
            width = next((width_of(line) for line in body if line.strip()), 0)
            if widths[bisect_right(ends, change.start)] >= width:
                continue
            before, after = table.headers(change.low, width), merge.merged_blocks.headers(low, width)
            moved = _moved_header(before, after, table, merge.merged_blocks)
            # A line that was changed may come under a header that has come in above it, because it is still that line.
            if moved and (change.start == change.end or table.counts[moved[1]]):
                return f"{SIDES[at]} is about {moved[0]}, and would come under {moved[1]}."
    return ""


def _least_widths(base: Sequence[str], changes: Sequence[SideChange]) -> list[float]:
    """For each number of changes from the top, the least indentation of a line that they have, by now or before.

    It is -1 where one of the lines names the block that it is in: lines of any indentation can be about that.
    """
    widths = [inf]
    for change in changes:
        lines = [line for line in (*base[change.start : change.end], *change.lines) if line.strip()]
        least = -1 if any(map(is_naming, lines)) else min(map(width_of, lines), default=inf)
        widths.append(min(widths[-1], least))
    return widths


def _moved_header(
    before: Sequence[str], after: Sequence[str], table: BlockTable, merged: BlockTable
) -> tuple[str, str] | None:
    """The line that opens a block in the text of a side, if the merged text has it elsewhere, and the one there."""
    known, there = frozenset(before), frozenset(after)
    other = next((header for header in reversed(after) if header not in known), None)
    if other is None:
        return None
    for header in reversed(before):
        # Where the line itself was changed, it is the same block.
        if header not in there and merged.counts[header] >= table.counts[header]:
            return header, other
    return None


@rule
def one_block(merge: MergeEvidence) -> str:
    """Both sides must not add the same lines at different places."""
    blocks = [_added_blocks(merge, at) for at in range(2)]
    same = sorted(blocks[0] & blocks[1])
    texts = (merge.base, merge.current, merge.edited, merge.merged.lines)
    bodies = [_stripped(text) for text in texts] if same else []
    for number, block in enumerate(same):
        text = _stripped(block)
        before, *counts = [body.count(text) for body in bodies]
        # What the file says in several places, such as how it handles an error, is said once more by each side.
        is_habit = min(counts[:2]) > before and (before or max(counts[:2]) > 1)
        if is_habit and len(block) > 1:
            continue
        # Where both sides have rewritten the same lines, it takes too long to see whether each of them is there once.
        if counts[2] > max(counts[:2]) or number == MOST_ADDED_BLOCKS:
            return f"Both add the same lines: {block[0]}"
    return ""


def _added_blocks(merge: MergeEvidence, at: int) -> set[tuple[str, ...]]:
    """The imports that a side adds, and all runs of lines that it adds which are long enough to be a block."""
    blocks: set[tuple[str, ...]] = set()
    for change in merge.sides[at][1]:
        known = set(merge.base[change.start : change.end])
        # What came in may begin further up, with lines that are the same as its last ones.
        again = change.lines[-change.slack :] if 0 < change.slack <= len(change.lines) else ()
        lines = [line.strip() for line in (*again, *change.lines) if line.strip() and line not in known]
        if merge.ending not in PROSE:
            blocks |= {(line,) for line in lines if IMPORT.match(line)}
        for run in zip(*[lines[offset:] for offset in range(SHORTEST_ADDED_BLOCK)], strict=False):
            if len(set(run)) == SHORTEST_ADDED_BLOCK and sum(map(len, run)) >= SHORTEST_ADDED_TEXT:
                blocks.add(run)
    return blocks


def _stripped(lines: Iterable[str]) -> str:
    """Lines without indentation and blank lines, as a text in which only whole lines are found."""
    return "".join([f"\0{line.strip()}\n" for line in lines if line.strip()])


@rule
def one_place(merge: MergeEvidence) -> str:
    """Both sides must not put the same lines at two places, nor one put elsewhere what the other removes or adds."""
    if merge.shared:
        removed_by_both = {line.strip() for line in merge.removed(merge.shared)}
        added_by_both = {_letters(line) for change in merge.shared for line in change.lines}
        counts = Counter(line.strip() for line in merge.base)
        for line in [row.line.strip() for at in range(2) for row in merge.added_lines(at)]:
            if line and line in removed_by_both and counts[line] == 1:
                return f"Both remove {line}, and it would be elsewhere too."
        # One side has moved what the other only adds: they do not agree on how often it is to be there.
        for line in [line.strip() for _, changes in merge.sides for line in merge.removed(changes)]:
            if counts[line] == 1 and _letters(line) in added_by_both:
                return f"Both add {line}, and one of them removes it elsewhere."
    insertions = [_insertions(merge, at) for at in range(2)]
    both = sorted(insertions[0].keys() & insertions[1].keys())
    before = _stripped(merge.base) if both else ""
    for number, text in enumerate(both):
        blocks = [{merge.merged_blocks.block_of(row) for row in rows[text]} for rows in insertions]
        # Of too many, it takes too long to see which of them the file has already.
        if not blocks[0].isdisjoint(blocks[1]) and (number >= MOST_ADDED_BLOCKS or text not in before):
            return f"Both add the same lines: {text[1:].partition(chr(10))[0]}"
    return ""


def _letters(line: str) -> str:
    """What a line is made of, in any order: a formatter may have put its names into another one."""
    return "".join(sorted(line.strip()))


def _insertions(merge: MergeEvidence, at: int) -> dict[str, list[int]]:
    """The texts that a side puts between lines, long enough to be told apart, with their first lines when merged."""
    insertions: dict[str, list[int]] = {}
    for change, (low, _) in zip(merge.sides[at][1], merge.written[at], strict=True):
        text = _stripped(change.lines) if change.start == change.end else ""
        if len(text) >= SHORTEST_INSERTION:
            first = next(offset for offset, line in enumerate(change.lines) if line.strip())
            insertions.setdefault(text, []).append(low + first)
    return insertions


@rule
def counted_once(merge: MergeEvidence) -> str:
    """Where both sides add lines and raise a number in the same way, it may be the count of what they add."""
    if not all(_adds_lines(changes) for _, changes in merge.sides):
        return ""
    for change in merge.shared:
        pairs = zip(merge.base[change.start : change.end], change.lines, strict=False)
        for old, new in pairs if change.end - change.start == len(change.lines) else ():
            if is_raised_count(old, new):
                return f"Both add lines, and both write {new.strip()}: it may be a count."
    return ""


def _adds_lines(changes: Iterable[SideChange]) -> bool:
    """Whether one of some changes has more lines than it replaces."""
    return any(len(change.lines) > change.end - change.start for change in changes)


@rule
def closed_once(merge: MergeEvidence) -> str:
    """What both sides open at the same place must not be closed at two."""
    if not merge.shared or not all(changes for _, changes in merge.sides):
        return ""
    both = _opened(merge, merge.shared)
    own = [_opened(merge, changes) for _, changes in merge.sides]
    for kind, count in both.items():
        merged = count + own[0][kind] + own[1][kind]
        alone = [count + side[kind] for side in own]
        if count and is_unpaired(kind, merged, alone):
            return f"Both open or close {kind} at the same place, and not at the other end."
    return ""


def _opened(merge: MergeEvidence, changes: Iterable[SideChange]) -> Counter[str]:
    """How much more changes open than they close."""
    counts: Counter[str] = Counter()
    for change in changes:
        counts.update(opened(change.lines, merge.ending))
        counts.subtract(opened(merge.base[change.start : change.end], merge.ending))
    return counts


@rule
def no_comment(merge: MergeEvidence) -> str:
    """One side must not change lines that the other has put into a comment, or add any under its condition."""
    for at, (_, changes) in enumerate(merge.sides):
        others = merge.sides[1 - at][1]
        for kind, start, end in _covered(merge, changes):
            first = bisect_left(others, start, key=attrgetter("start"))
            if first < len(others) and others[first].end <= end:
                return f"{SIDES[at]} puts lines between {kind} and its end, which {SIDES[1 - at].lower()} changes."
        for start, end in _put_under_conditions(merge, changes):
            first = bisect_right(others, start, key=attrgetter("start"))
            between = others[first : bisect_left(others, end, key=attrgetter("start"))]
            if any(other.start == other.end for other in between):
                return f"{SIDES[at]} puts lines between #if and #endif, and {SIDES[1 - at].lower()} adds some there."
    return ""


def _put_under_conditions(merge: MergeEvidence, changes: Iterable[SideChange]) -> Iterator[tuple[int, int]]:
    """The lines of the base that changes have put under a condition of the preprocessor, but for a whole header."""
    begun: list[int] = []
    for change in changes if merge.ending in C_LIKE else ():
        count = opened(change.lines, merge.ending)["#if"]
        count -= opened(merge.base[change.start : change.end], merge.ending)["#if"]
        is_guard = any(line.startswith("#ifndef") for line in change.lines)
        if count == 1 and not is_guard:
            begun.append(change.end)
        elif count == -1 and begun:
            yield begun.pop(), change.start


def _covered(merge: MergeEvidence, changes: Iterable[SideChange]) -> Iterator[tuple[str, int, int]]:
    """The lines of the base that changes have put into comments, with what opens these."""
    begun: dict[str, int] = {}
    for change in changes:
        counts = opened_asides(change.lines, merge.ending)
        counts.subtract(opened_asides(merge.base[change.start : change.end], merge.ending))
        for kind, count in counts.items():
            start = begun.pop(kind, None) if closes(kind, count) else None
            if start is not None:
                yield kind, start, change.start
            elif is_open(kind, count):
                begun[kind] = change.end


#: All rules, in the order in which they are asked.
RULES = (
    one_definition,
    one_block,
    same_section,
    same_block,
    one_place,
    counted_once,
    closed_once,
    no_comment,
    names_stay,
    renamed_everywhere,
    same_parameters,
    same_kind,
    still_parses,
)

#: Those about names, which also hold for the code in the cells of a notebook.
CODE_RULES = (names_stay, renamed_everywhere, same_parameters, same_kind)
